// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-frame-codec.h"
#include "mrc-raw-bytes.h"
#include "mrc-usid.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <random>

namespace mrc::test
{

namespace
{

constexpr uint32_t BLOCK = 0xfd6d7263;

/// Packets of real hosts.
class RawBytesTest : public testing::Test
{
  protected:
    /// Put a plain UDP packet there. @param destination of it @param trafficClass of it
    /// @param bodyBytes behind the IPv6 header, at least 8
    void Udp(const Ipv6Address& destination, uint8_t trafficClass, uint16_t bodyBytes)
    {
        uint8_t* bytes = m_raw->data;
        std::memset(bytes, 0, sizeof(m_raw->data));
        bytes[12] = 0x86; // EtherType IPv6
        bytes[13] = 0xdd;
        bytes[14] = static_cast<uint8_t>(0x60 | trafficClass >> 4);
        bytes[15] = static_cast<uint8_t>(trafficClass << 4);
        bytes[18] = static_cast<uint8_t>(bodyBytes >> 8);
        bytes[19] = static_cast<uint8_t>(bodyBytes);
        bytes[20] = 17; // UDP
        bytes[21] = 64; // hop limit
        for (int i = 0; i < 8; ++i)
        {
            bytes[38 + i] = static_cast<uint8_t>(destination.high >> (56 - 8 * i));
            bytes[46 + i] = static_cast<uint8_t>(destination.low >> (56 - 8 * i));
        }
        bytes[54] = 0x12; // source port 0x1234, destination port 0x5678
        bytes[55] = 0x34;
        bytes[56] = 0x56;
        bytes[57] = 0x78;
        m_raw->count = 54 + bodyBytes;
    }

    /// @return what ReadRaw() says
    RawVerdict Read()
    {
        return ReadRaw(m_raw.get(), {BLOCK}, m_frame, m_innermost);
    }

    std::unique_ptr<RawBytes> m_raw = std::make_unique<RawBytes>();
    Frame m_frame{};
    Ipv6Address m_innermost{};
};

TEST_F(RawBytesTest, ReadsWhatSwitchesActOn)
{
    const Ipv6Address to{0xfd6d726400000001, 2};
    Udp(to, MakeTrafficClass(8, ECT0), 1000);
    ASSERT_EQ(Read(), RawVerdict::OK);
    EXPECT_EQ(m_frame.flags, Frame::HAS_BYTES);
    EXPECT_EQ(m_frame.daHigh, to.high);
    EXPECT_EQ(m_frame.daLow, to.low);
    EXPECT_EQ(m_frame.trafficClass, 0x22);
    EXPECT_EQ(m_frame.hopLimit, 64);
    EXPECT_EQ(m_frame.wireBytes, 14u + 40 + 1000 + 24); // FCS 4, preamble 8, gap 12
    EXPECT_FALSE(IsWrite(m_frame.opcode));
    EXPECT_EQ(m_innermost.low, 2u);
}

//= MRC-REF 3 Non-MRC traffic of real hosts
TEST_F(RawBytesTest, FlowsDifferByPorts)
{
    Udp({0xfd6d726400000001, 2}, 0, 100);
    ASSERT_EQ(Read(), RawVerdict::OK);
    const uint32_t one = m_frame.ev >> 16;
    m_raw->data[55] = 0x35;
    ASSERT_EQ(Read(), RawVerdict::OK);
    EXPECT_NE(m_frame.ev >> 16, one);
}

TEST_F(RawBytesTest, AnyPacketToTheBlockGoesByItsUsids)
{
    const UsidCarrier carrier = UsidCarrier::Build(BLOCK, {0x2001, 0x2002});
    Udp({carrier.high, carrier.low}, 0, 100);
    ASSERT_EQ(Read(), RawVerdict::OK);
    EXPECT_TRUE(m_frame.Has(Frame::ENCAPSULATED));
}

TEST_F(RawBytesTest, TheClassFollowsFromTheDscp)
{
    const Ipv6Address to{0xfd6d726400000001, 2};
    Udp(to, MakeTrafficClass(DscpMap().control, 0), 100);
    ASSERT_EQ(Read(), RawVerdict::OK);
    EXPECT_EQ(m_frame.flags, Frame::HAS_BYTES | Frame::CONTROL);
    Udp(to, MakeTrafficClass(DscpMap().trimmedLastHop, 0), 100);
    ASSERT_EQ(Read(), RawVerdict::OK);
    EXPECT_EQ(m_frame.flags,
              Frame::HAS_BYTES | Frame::CONTROL | Frame::TRIMMED | Frame::TRIMMED_LASTHOP);
}

TEST_F(RawBytesTest, WritesBackWhatChanged)
{
    Udp({0xfd6d726300000000, 0}, MakeTrafficClass(8, ECT0), 200);
    ASSERT_EQ(Read(), RawVerdict::OK);
    m_frame.daLow = 0x0102030405060708;
    m_frame.hopLimit = 61;
    m_frame.trafficClass |= CE;
    ASSERT_EQ(WriteRaw(m_frame), 254u);
    EXPECT_EQ(m_raw->data[14], 0x62);
    EXPECT_EQ(m_raw->data[15] >> 4, 0x3);
    EXPECT_EQ(m_raw->data[21], 61);
    EXPECT_EQ(m_raw->data[46], 1);
    EXPECT_EQ(m_raw->data[53], 8);
}

//= MRC-REF 2 ICRC, trimming, encapsulation
TEST_F(RawBytesTest, ATrimCutsAndRewritesTheIpLengthOnly)
{
    Udp({0xfd6d726400000001, 2}, MakeTrafficClass(8, ECT0), 1000);
    m_raw->data[58] = 1000 >> 8; // UDP length
    m_raw->data[59] = 1000 & 0xff;
    ASSERT_EQ(Read(), RawVerdict::OK);
    m_frame.flags |= Frame::TRIMMED;
    m_frame.wireBytes = FrameWireBytes(128);
    ASSERT_EQ(WriteRaw(m_frame), 128u);
    EXPECT_EQ(m_raw->data[18] << 8 | m_raw->data[19], 128 - 54);
    EXPECT_EQ(m_raw->data[58] << 8 | m_raw->data[59], 1000);
    EXPECT_EQ(WriteRaw(m_frame), 128u) << "twice is like once";
}

TEST_F(RawBytesTest, DamageTurnsOneBitOver)
{
    Udp({0xfd6d726400000001, 2}, 0, 100);
    ASSERT_EQ(Read(), RawVerdict::OK);
    const RawBytes before = *m_raw;
    DamageRaw(m_frame, WriteRaw(m_frame));
    EXPECT_EQ(std::memcmp(before.data, m_raw->data, 154), 0) << "not corrupt, no damage";
    m_frame.flags |= Frame::CORRUPT;
    DamageRaw(m_frame, WriteRaw(m_frame));
    int bits = 0;
    for (int i = 0; i < 154; ++i)
    {
        bits += __builtin_popcount(before.data[i] ^ m_raw->data[i]);
    }
    EXPECT_EQ(bits, 1);
}

TEST_F(RawBytesTest, RefusesWhatTheFabricDoesNotForward)
{
    Udp({0xff02000000000000, 1}, 0, 100);
    EXPECT_EQ(Read(), RawVerdict::LOCAL) << "multicast";
    Udp({0xfe80000000000000, 1}, 0, 100);
    EXPECT_EQ(Read(), RawVerdict::LOCAL) << "link-local";
    Udp({0xfd6d726400000001, 2}, 0, 100);
    m_raw->data[13] = 0x06;
    EXPECT_EQ(Read(), RawVerdict::NOT_IPV6) << "ARP";
    Udp({0xfd6d726400000001, 2}, 0, 100);
    m_raw->count = 53;
    EXPECT_EQ(Read(), RawVerdict::NOT_IPV6) << "shorter than an IPv6 header";
    Udp({0xfd6d726400000001, 2}, 0, 100);
    m_raw->count = 153;
    EXPECT_EQ(Read(), RawVerdict::MALFORMED) << "the IP length counts a byte more";
    Udp({0xfd6d726400000001, 2}, 0, 100);
    m_raw->count = 200;
    EXPECT_EQ(Read(), RawVerdict::OK);
    EXPECT_EQ(m_raw->count, 154u) << "Ethernet pad goes";
}

// Any bytes are read without touching memory outside them: run under a sanitizer this proves it.
TEST_F(RawBytesTest, RandomBytesDoNoHarm)
{
    const char* given = std::getenv("MRC_TEST_SEED");
    const uint64_t seed = given ? std::strtoull(given, nullptr, 0) : 1;
    std::mt19937_64 random(seed);
    for (int i = 0; i < 20'000; ++i)
    {
        Udp({random() & 1 ? uint64_t{BLOCK} << 32 : 0xfd6d726400000000, random()}, 0, 400);
        m_raw->data[20] = random() & 1 ? 43 : 41;
        for (int j = 0; j < 60; ++j)
        {
            m_raw->data[18 + random() % 200] = static_cast<uint8_t>(random());
        }
        m_raw->data[18] = 1;
        m_raw->count = 14 + random() % 500;
        if (Read() == RawVerdict::OK)
        {
            m_frame.flags |= random() & 1 ? Frame::TRIMMED : 0;
            m_frame.wireBytes = static_cast<uint32_t>(random() % 600);
            EXPECT_LE(WriteRaw(m_frame), MAX_RAW_BYTES) << "MRC_TEST_SEED=" << seed;
        }
    }
}

} // namespace

} // namespace mrc::test
