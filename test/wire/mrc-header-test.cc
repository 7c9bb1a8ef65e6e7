// SPDX-License-Identifier: GPL-2.0-only
// What holds for every header: a round trip keeps all defined bits and drops all reserved ones, and
// bytes that end too early are refused without being read past their end.
#include "mrc-bth.h"
#include "mrc-endpoint-op.h"
#include "mrc-ethernet.h"
#include "mrc-golden-vectors.h"
#include "mrc-ipv4.h"
#include "mrc-ipv6.h"
#include "mrc-neth.h"
#include "mrc-peth.h"
#include "mrc-request-headers.h"
#include "mrc-seth.h"
#include "mrc-udp.h"
#include "mrc-wire-test-support.h"

namespace mrc
{
namespace
{

constexpr int ROUNDS = 2000;

/**
 * @tparam Header any header
 * @param decode its decoder
 * @param encode its encoder
 * @param mask set bits: defined fields, as hexadecimal text of the header's size
 * @param fixed values that the decoder insists on, from the first byte, or empty
 * @param fixedMask set bits: those that fixed counts for
 */
template <typename Header>
void
CheckHeader(DecodeError (*decode)(ByteReader&, Header&),
            void (*encode)(ByteWriter&, const Header&),
            const char* mask,
            const char* fixed = "",
            const char* fixedMask = "")
{
    const std::vector<uint8_t> defined = golden::Bytes(mask);
    const std::vector<uint8_t> mustBe = golden::Bytes(fixed);
    const std::vector<uint8_t> mustMask = golden::Bytes(fixedMask);
    const size_t size = defined.size();
    test::Random random;
    SCOPED_TRACE(random.Replay());
    for (int round = 0; round < ROUNDS; ++round)
    {
        std::vector<uint8_t> bytes = random.Bytes(size);
        for (size_t i = 0; i < mustBe.size(); ++i)
        {
            bytes[i] = (bytes[i] & ~mustMask[i]) | mustBe[i];
        }
        const test::ExactBytes exact(bytes);
        ByteReader reader(exact.Data(), exact.Size());
        Header header{};
        ASSERT_EQ(decode(reader, header), DecodeError::OK);
        ASSERT_EQ(reader.Remaining(), 0u);
        ASSERT_FALSE(reader.Failed());
        std::vector<uint8_t> expected = bytes;
        for (size_t i = 0; i < size; ++i)
        {
            expected[i] &= defined[i];
        }
        ASSERT_EQ(test::Encoded(encode, header, size), expected);
        for (size_t cut = 0; cut < size; ++cut)
        {
            const test::ExactBytes shorter(bytes, cut);
            ByteReader cutReader(shorter.Data(), cut);
            Header unused{};
            ASSERT_EQ(decode(cutReader, unused), DecodeError::TRUNCATED) << cut << " bytes";
            ASSERT_EQ(cutReader.Offset(), 0u) << "a refused header is not consumed";
            std::vector<uint8_t> small(cut);
            ByteWriter writer(small.data(), cut);
            encode(writer, header);
            ASSERT_TRUE(writer.Failed());
        }
    }
}

//= MRC-REF 2 BTH type=test
TEST(Header, BthKeepsItsFields)
{
    CheckHeader<Bth>(DecodeBth, EncodeBth, "fff0ffff ffffffff b0ffffff", "ca00", "ff0f");
}

//= MRC-REF 2 Request headers type=test
TEST(Header, MethKeepsItsFields)
{
    CheckHeader<Meth>(DecodeMeth, EncodeMeth, "ffffffff");
}

TEST(Header, TsethKeepsItsFields)
{
    CheckHeader<Tseth>(DecodeTseth, EncodeTseth, "ffff800f");
}

TEST(Header, RethKeepsItsFields)
{
    CheckHeader<Reth>(DecodeReth, EncodeReth, "ffffffffffffffff ffffffff ffffffff");
}

TEST(Header, AethKeepsItsFields)
{
    CheckHeader<Aeth>(DecodeAeth, EncodeAeth, "ffffffff");
}

//= MRC-REF 2 SACK type=test
TEST(Header, SackKeepsItsFields)
{
    CheckHeader<Sack>(DecodeSack,
                      EncodeSack,
                      "0062ffff ffffffff ffffffff 00ffffff ffffffff ffffffffffffffff "
                      "ffffffff ffffffff");
}

//= MRC-REF 2 NACK type=test
TEST(Header, NackKeepsItsFields)
{
    CheckHeader<Nack>(DecodeNack, EncodeNack, "0000ffff ffffffff ffffffff 00ffffff ff00ffff");
}

//= MRC-REF 2 PETH, ERTH, EETH type=test
TEST(Header, PethKeepsItsFields)
{
    CheckHeader<Peth>(DecodePeth, EncodePeth, "000000ff ffff0000 ffffffff ffff800f");
}

TEST(Header, ErthKeepsItsFields)
{
    CheckHeader<Erth>(DecodeErth, EncodeErth, "000300ff ffffffff 00000000 ffff800f");
}

TEST(Header, EethKeepsItsFields)
{
    CheckHeader<Eeth>(DecodeEeth,
                      EncodeEeth,
                      "000c0000 000000000000000000000000000000000000000000000000 ffff0000 "
                      "00000000");
}

TEST(Header, Ipv6KeepsItsFields)
{
    CheckHeader<Ipv6Header>(DecodeIpv6,
                            EncodeIpv6,
                            "ffffffff ffffffff ffffffffffffffffffffffffffffffff "
                            "ffffffffffffffffffffffffffffffff",
                            "60",
                            "f0");
}

TEST(Header, UdpKeepsItsFields)
{
    CheckHeader<UdpHeader>(DecodeUdp, EncodeUdp, "ffffffff ffffffff", "0000000008", "0000000008");
}

TEST(Header, EthernetKeepsItsFields)
{
    CheckHeader<EthernetHeader>(DecodeEthernet, EncodeEthernet, "ffffffffffff ffffffffffff ffff");
}

TEST(Header, ImmediateIsBigEndian)
{
    uint8_t bytes[IMMDT_BYTES];
    ByteWriter writer(bytes, sizeof bytes);
    EncodeImmDt(writer, 0x01020304);
    EXPECT_EQ(bytes[0], 1);
    EXPECT_EQ(bytes[3], 4);
    uint32_t immediate = 0;
    ByteReader reader(bytes, sizeof bytes);
    EXPECT_EQ(DecodeImmDt(reader, immediate), DecodeError::OK);
    EXPECT_EQ(immediate, 0x01020304u);
    EXPECT_EQ(DecodeImmDt(reader, immediate), DecodeError::TRUNCATED);
}

TEST(Header, BthRefusesOtherOpcodesAndVersions)
{
    std::vector<uint8_t> bytes = golden::Bytes(golden::WRITE_ONLY);
    Bth bth;
    int known = 0;
    for (int opcode = 0; opcode < 256; ++opcode)
    {
        bytes[0] = static_cast<uint8_t>(opcode);
        ByteReader reader(bytes.data(), bytes.size());
        const DecodeError error = DecodeBth(reader, bth);
        EXPECT_TRUE(error == DecodeError::OK || error == DecodeError::UNKNOWN_OPCODE);
        known += error == DecodeError::OK;
    }
    EXPECT_EQ(known, 12);
    bytes[0] = 0xca;
    bytes[1] = 0x01;
    ByteReader reader(bytes.data(), bytes.size());
    EXPECT_EQ(DecodeBth(reader, bth), DecodeError::BAD_VERSION);
}

TEST(Header, Ipv6RefusesOtherVersions)
{
    std::vector<uint8_t> bytes(IPV6_BYTES);
    bytes[0] = 0x45;
    ByteReader reader(bytes.data(), bytes.size());
    Ipv6Header header{};
    EXPECT_EQ(DecodeIpv6(reader, header), DecodeError::BAD_VERSION);
}

TEST(Header, UdpRefusesLessThanItsHeader)
{
    const std::vector<uint8_t> bytes = golden::Bytes("c00112b7 00070000");
    ByteReader reader(bytes.data(), bytes.size());
    UdpHeader header{};
    EXPECT_EQ(DecodeUdp(reader, header), DecodeError::BAD_LENGTH);
}

/// 20 bytes of header, 48 in all, DF, TTL 64, UDP, 10.0.0.1 to 10.0.0.2. Checksum:
/// 4500+0030+0000+4000+4011+0a00+0001+0a00+0002 = d944; ~d944 = 26bb.
constexpr const char* IPV4_HEADER = "45000030 00004000 401126bb 0a000001 0a000002";

TEST(Header, Ipv4IsEncodedWithItsChecksum)
{
    Ipv4Header header{};
    header.totalBytes = 0x30;
    header.dontFragment = true;
    header.timeToLive = 64;
    header.protocol = 17;
    header.source = 0x0a000001;
    header.destination = 0x0a000002;
    EXPECT_EQ(test::Encoded(EncodeIpv4, header, IPV4_BYTES), golden::Bytes(IPV4_HEADER));
}

TEST(Header, Ipv4IsDecoded)
{
    const std::vector<uint8_t> bytes = golden::Bytes(IPV4_HEADER);
    ByteReader reader(bytes.data(), bytes.size());
    Ipv4Header header{};
    ASSERT_EQ(DecodeIpv4(reader, header), DecodeError::OK);
    EXPECT_EQ(header.headerBytes, 20);
    EXPECT_EQ(header.totalBytes, 0x30);
    EXPECT_TRUE(header.dontFragment);
    EXPECT_FALSE(header.moreFragments);
    EXPECT_EQ(header.fragmentOffset, 0);
    EXPECT_EQ(header.timeToLive, 64);
    EXPECT_EQ(header.protocol, 17);
    EXPECT_EQ(header.source, 0x0a000001u);
    EXPECT_EQ(header.destination, 0x0a000002u);
}

TEST(Header, Ipv4SaysWhyItIsRefused)
{
    const auto decode = [](const std::vector<uint8_t>& bytes) {
        const test::ExactBytes exact(bytes);
        ByteReader reader(exact.Data(), exact.Size());
        Ipv4Header header{};
        return DecodeIpv4(reader, header);
    };
    std::vector<uint8_t> bytes = golden::Bytes(IPV4_HEADER);
    EXPECT_EQ(decode(bytes), DecodeError::OK);
    bytes[8] = 63; // without the checksum that belongs to it
    EXPECT_EQ(decode(bytes), DecodeError::BAD_CHECKSUM);
    bytes = golden::Bytes(IPV4_HEADER);
    bytes[0] = 0x65;
    EXPECT_EQ(decode(bytes), DecodeError::BAD_VERSION);
    bytes[0] = 0x44; // 16 bytes
    EXPECT_EQ(decode(bytes), DecodeError::BAD_LENGTH);
    bytes[0] = 0x46; // 24 bytes, 20 are there
    EXPECT_EQ(decode(bytes), DecodeError::TRUNCATED);
    bytes[0] = 0x45;
    bytes[3] = 19; // total length below the header's
    EXPECT_EQ(decode(bytes), DecodeError::BAD_LENGTH);
    bytes[3] = 20; // an empty packet is one, but the checksum is of another
    EXPECT_EQ(decode(bytes), DecodeError::BAD_CHECKSUM);
}

TEST(Bytes, ReadPastTheEndGivesZeroAndIsRemembered)
{
    const test::ExactBytes exact({1, 2, 3});
    ByteReader reader(exact.Data(), exact.Size());
    EXPECT_EQ(reader.U16(), 0x0102);
    EXPECT_FALSE(reader.Failed());
    EXPECT_EQ(reader.U16(), 0);
    EXPECT_TRUE(reader.Failed());
    EXPECT_EQ(reader.Remaining(), 0u);
    EXPECT_EQ(reader.U64(), 0u);
}

TEST(Bytes, LimitOnlyShortens)
{
    const uint8_t bytes[] = {1, 2, 3, 4};
    ByteReader reader(bytes, sizeof bytes);
    reader.Skip(1);
    reader.Limit(10);
    EXPECT_EQ(reader.Remaining(), 3u);
    reader.Limit(1);
    EXPECT_EQ(reader.U8(), 2);
    EXPECT_EQ(reader.U8(), 0);
    EXPECT_TRUE(reader.Failed());
}

TEST(Bytes, EveryWidthIsBigEndian)
{
    uint8_t bytes[24];
    ByteWriter writer(bytes, sizeof bytes);
    writer.U8(0x01);
    writer.U16(0x0203);
    writer.U24(0xff040506);
    writer.U32(0x0708090a);
    writer.U48(0xffff0b0c0d0e0f10);
    writer.U64(0x1112131415161718);
    ASSERT_EQ(writer.Written(), 24u);
    for (size_t i = 0; i < 24; ++i)
    {
        EXPECT_EQ(bytes[i], i + 1);
    }
    ByteReader reader(bytes, sizeof bytes);
    EXPECT_EQ(reader.U8(), 0x01);
    EXPECT_EQ(reader.U16(), 0x0203);
    EXPECT_EQ(reader.U24(), 0x040506u);
    EXPECT_EQ(reader.U32(), 0x0708090au);
    EXPECT_EQ(reader.U48(), 0x0b0c0d0e0f10u);
    EXPECT_EQ(reader.U64(), 0x1112131415161718u);
    writer.U8(0);
    EXPECT_TRUE(writer.Failed());
    EXPECT_EQ(writer.Written(), 24u);
}

} // namespace
} // namespace mrc
