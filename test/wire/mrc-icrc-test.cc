// SPDX-License-Identifier: GPL-2.0-only
// The ICRC against packets of a peer that we did not write, and against a second implementation.
#include "mrc-header-size.h"
#include "mrc-icrc.h"
#include "mrc-ipv6.h"
#include "mrc-udp.h"
#include "mrc-wire-test-support.h"

#include <fstream>
#include <iterator>

namespace mrc
{
namespace
{

/// @param bits how many to reverse @param value any @return value with its low bits reversed
uint32_t
Reversed(uint32_t value, int bits)
{
    uint32_t reversed = 0;
    for (int i = 0; i < bits; ++i)
    {
        reversed |= (value >> i & 1) << (bits - 1 - i);
    }
    return reversed;
}

/// The textbook form: polynomial not reflected, one bit after the other.
/// @param bytes any @return their CRC-32
uint32_t
BitwiseCrc(const std::vector<uint8_t>& bytes)
{
    uint32_t state = 0xffffffff;
    for (const uint8_t byte : bytes)
    {
        state ^= Reversed(byte, 8) << 24;
        for (int bit = 0; bit < 8; ++bit)
        {
            state = state & 0x80000000 ? state << 1 ^ 0x04c11db7 : state << 1;
        }
    }
    return ~Reversed(state, 32);
}

/// @param packet from the IP header to the pad @return its ICRC, worked out the slow way
uint32_t
BitwiseIcrc(std::vector<uint8_t> packet)
{
    size_t udp = 40;
    if (packet[0] >> 4 == 6)
    {
        for (size_t bit = 4; bit < 32; ++bit) // traffic class and flow label
        {
            packet[bit / 8] |= static_cast<uint8_t>(0x80 >> bit % 8);
        }
        packet[7] = 0xff; // hop limit
    }
    else
    {
        udp = (packet[0] & 0xfu) * 4;
        packet[1] = packet[8] = packet[10] = packet[11] = 0xff; // TOS, TTL, checksum
    }
    packet[udp + 6] = packet[udp + 7] = 0xff; // UDP checksum
    packet[udp + 12] = 0xff;                  // BTH byte 4
    packet.insert(packet.begin(), 8, 0xff);
    return BitwiseCrc(packet);
}

TEST(Crc32, HasTheStandardCheckValue)
{
    const std::string digits = "123456789";
    Crc32 crc;
    crc.Update(reinterpret_cast<const uint8_t*>(digits.data()), digits.size());
    EXPECT_EQ(crc.Value(), 0xcbf43926u);
}

TEST(Crc32, PiecesGiveTheSameAsTheWhole)
{
    test::Random random;
    SCOPED_TRACE(random.Replay());
    for (int round = 0; round < 500; ++round)
    {
        const std::vector<uint8_t> bytes = random.Bytes(random.Below(300));
        const size_t split = random.Below(bytes.size() + 1);
        Crc32 crc;
        crc.Update(bytes.data(), split);
        crc.Update(bytes.data() + split, bytes.size() - split);
        ASSERT_EQ(crc.Value(), BitwiseCrc(bytes)) << bytes.size() << " bytes at " << split;
    }
}

/// @param packet any @return its ICRC
uint32_t
Icrc(const std::vector<uint8_t>& packet)
{
    const test::ExactBytes exact(packet);
    uint32_t icrc = 0;
    EXPECT_TRUE(ComputeIcrc(exact.Data(), exact.Size(), icrc));
    return icrc;
}

//= MRC-REF 2 ICRC type=test
TEST(Icrc, AgreesWithASecondImplementation)
{
    test::Random random;
    SCOPED_TRACE(random.Replay());
    for (int round = 0; round < 3000; ++round)
    {
        std::vector<uint8_t> packet = random.Bytes(80 + random.Below(200));
        packet[0] = random.Flip() ? 0x60 | (packet[0] & 0xf)
                                  : 0x40 | static_cast<uint8_t>(5 + random.Below(11));
        ASSERT_EQ(Icrc(packet), BitwiseIcrc(packet));
    }
}

/// @param packet a packet @return bit numbers that do not change its ICRC
std::vector<size_t>
IgnoredBits(const std::vector<uint8_t>& packet)
{
    const uint32_t icrc = Icrc(packet);
    std::vector<size_t> ignored;
    for (size_t bit = 4; bit < packet.size() * 8; ++bit) // not the version
    {
        std::vector<uint8_t> changed = packet;
        changed[bit / 8] ^= static_cast<uint8_t>(0x80 >> bit % 8);
        if (Icrc(changed) == icrc)
        {
            ignored.push_back(bit);
        }
    }
    return ignored;
}

TEST(Icrc, Ipv6IgnoresWhatRoutersChange)
{
    std::vector<uint8_t> packet(40 + 8 + 12 + 8);
    packet[0] = 0x60;
    std::vector<size_t> expected;
    const auto add = [&expected](size_t first, size_t end) {
        for (size_t bit = first; bit < end; ++bit)
        {
            expected.push_back(bit);
        }
    };
    add(4, 32);                  // traffic class, flow label
    add(7 * 8, 8 * 8);           // hop limit
    add(46 * 8, 48 * 8);         // UDP checksum
    add((48 + 4) * 8, (53) * 8); // BTH byte 4
    EXPECT_EQ(IgnoredBits(packet), expected);
}

TEST(Icrc, Ipv4IgnoresWhatRoutersChange)
{
    std::vector<uint8_t> packet(20 + 8 + 12 + 8);
    packet[0] = 0x45;
    const uint32_t icrc = Icrc(packet);
    for (size_t byte = 1; byte < packet.size(); ++byte)
    {
        std::vector<uint8_t> changed = packet;
        changed[byte] ^= 0x11;
        const bool ignored = byte == 1 || byte == 8 || byte == 10 || byte == 11 || byte == 26 ||
                             byte == 27 || byte == 32;
        EXPECT_EQ(Icrc(changed) == icrc, ignored) << byte;
    }
}

TEST(Icrc, ShortOrForeignPacketsHaveNone)
{
    std::vector<uint8_t> packet(60);
    uint32_t icrc = 0;
    packet[0] = 0x60;
    EXPECT_TRUE(ComputeIcrc(packet.data(), 60, icrc));
    for (size_t cut = 0; cut < 60; ++cut)
    {
        const test::ExactBytes exact(packet, cut);
        EXPECT_FALSE(ComputeIcrc(exact.Data(), cut, icrc)) << cut;
    }
    packet[0] = 0x50;
    EXPECT_FALSE(ComputeIcrc(packet.data(), 60, icrc));
    packet[0] = 0x44;
    EXPECT_FALSE(ComputeIcrc(packet.data(), 60, icrc));
}

TEST(Icrc, IsLittleEndianOnTheWire)
{
    uint8_t bytes[4];
    StoreIcrc(bytes, 0x01020304);
    EXPECT_EQ(bytes[0], 4);
    EXPECT_EQ(bytes[3], 1);
    EXPECT_EQ(LoadIcrc(bytes), 0x01020304u);
}

/// @param path a pcapng file, little-endian @return the bytes of its packets
std::vector<std::vector<uint8_t>>
ReadCapture(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    const std::vector<uint8_t> all{std::istreambuf_iterator<char>(file),
                                   std::istreambuf_iterator<char>()};
    std::vector<std::vector<uint8_t>> packets;
    constexpr uint32_t ENHANCED_PACKET_BLOCK = 6;
    constexpr size_t PACKET_OFFSET = 28;
    size_t at = 0;
    while (at + 12 <= all.size())
    {
        const uint32_t type = LoadIcrc(&all[at]); // little-endian as an ICRC
        const size_t length = LoadIcrc(&all[at + 4]);
        if (length < 12 || length > all.size() - at)
        {
            ADD_FAILURE() << "block at " << at;
            break;
        }
        if (type == ENHANCED_PACKET_BLOCK && length >= PACKET_OFFSET)
        {
            const size_t captured = std::min<size_t>(LoadIcrc(&all[at + 20]), length - 32);
            packets.emplace_back(&all[at + PACKET_OFFSET], &all[at + PACKET_OFFSET] + captured);
        }
        at += length;
    }
    return packets;
}

TEST(Icrc, IsRightInEveryPacketOfASoftRocePeer)
{
    const auto packets = ReadCapture(MRC_SOURCE_DIR "/test/data/soft-roce-in-srv6.pcap");
    EXPECT_EQ(packets.size(), 120u);
    int roce = 0;
    for (const std::vector<uint8_t>& packet : packets)
    {
        constexpr size_t INNER = ETHERNET_BYTES + IPV6_BYTES;
        constexpr size_t UDP = INNER + IPV6_BYTES;
        if (packet.size() < UDP + UDP_BYTES + BTH_BYTES + ICRC_BYTES ||
            packet[ETHERNET_BYTES] >> 4 != 6 || packet[ETHERNET_BYTES + 6] != PROTOCOL_IPV6 ||
            packet[INNER + 6] != PROTOCOL_UDP)
        {
            continue;
        }
        ByteReader reader(packet.data() + UDP, UDP_BYTES);
        UdpHeader udp{};
        ASSERT_EQ(DecodeUdp(reader, udp), DecodeError::OK);
        ASSERT_EQ(udp.destinationPort, DEFAULT_UDP_PORT);
        ASSERT_EQ(packet.size(), UDP + udp.bytes);
        ++roce;
        const std::vector<uint8_t> inner(packet.begin() + INNER, packet.end() - ICRC_BYTES);
        EXPECT_EQ(Icrc(inner), LoadIcrc(&packet[packet.size() - ICRC_BYTES])) << roce;
    }
    EXPECT_EQ(roce, 76);
}

// They are RoCEv2 inside a uSID carrier: everything is understood up to the opcode.
TEST(Icrc, SoftRocePacketsAreNotTakenForMrc)
{
    int foreign = 0;
    for (const std::vector<uint8_t>& packet :
         ReadCapture(MRC_SOURCE_DIR "/test/data/soft-roce-in-srv6.pcap"))
    {
        const test::ExactBytes exact(packet);
        Frame frame;
        FrameAddresses addresses{};
        DecodeInfo info;
        const DecodeError error =
            DecodeFrame(exact.Data(), exact.Size(), frame, addresses, info, DecodeOptions());
        EXPECT_NE(error, DecodeError::OK);
        if (error == DecodeError::UNKNOWN_OPCODE)
        {
            ++foreign;
            EXPECT_EQ(info.where, WireHeader::BTH);
            EXPECT_EQ(frame.daHigh >> 32, 0xfcbbbbbbu);
        }
        else
        {
            EXPECT_EQ(error, DecodeError::NOT_MRC);
        }
    }
    EXPECT_EQ(foreign, 76);
}

} // namespace
} // namespace mrc
