// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-golden-vectors.h"
#include "mrc-header-size.h"
#include "mrc-srh.h"
#include "mrc-wire-test-support.h"

namespace mrc
{
namespace
{

constexpr Ipv6Address FIRST{0xfcbbbb0010012002, 0x3003400450056006};
constexpr Ipv6Address SECOND{0xfcbbbb0070070000, 0};

/// Next header 41, 2 x 2 units, type 4, 1 left, last entry 1; last segment first.
constexpr const char* TWO_SEGMENTS = "29040401 01000000 fcbbbb00700700000000000000000000 "
                                     "fcbbbb00100120023003400450056006";

/// @param bytes from the SRH @param srh the answer @return the decoder's verdict
DecodeError
Decode(const test::ExactBytes& bytes, Srh& srh)
{
    ByteReader reader(bytes.Data(), bytes.Size());
    return DecodeSrh(reader, srh);
}

/// @param hex from the SRH @return the decoder's verdict
DecodeError
Verdict(const char* hex)
{
    const test::ExactBytes exact(golden::Bytes(hex));
    Srh srh{};
    return Decode(exact, srh);
}

//= MRC-REF 3 longer paths use an SRH type=test
TEST(Srh, TwoSegmentsAreEncoded)
{
    const Ipv6Address path[] = {FIRST, SECOND};
    std::vector<uint8_t> bytes(SrhBytes(2, false));
    ByteWriter writer(bytes.data(), bytes.size());
    ASSERT_TRUE(EncodeSrh(writer, PROTOCOL_IPV6, path, 2, false));
    EXPECT_EQ(bytes, golden::Bytes(TWO_SEGMENTS));
}

TEST(Srh, TwoSegmentsAreDecoded)
{
    const test::ExactBytes exact(golden::Bytes(TWO_SEGMENTS));
    Srh srh{};
    ASSERT_EQ(Decode(exact, srh), DecodeError::OK);
    EXPECT_EQ(srh.nextHeader, PROTOCOL_IPV6);
    EXPECT_EQ(srh.segmentsLeft, 1);
    EXPECT_EQ(srh.segmentCount, 2);
    EXPECT_TRUE(srh.Segment(0) == SECOND);
    EXPECT_TRUE(srh.Segment(1) == FIRST);
    EXPECT_EQ(srh.tlvBytes, 0);
}

TEST(Srh, ReducedLeavesOutTheFirst)
{
    const Ipv6Address path[] = {FIRST, SECOND};
    std::vector<uint8_t> bytes(SrhBytes(2, true));
    ByteWriter writer(bytes.data(), bytes.size());
    ASSERT_TRUE(EncodeSrh(writer, PROTOCOL_IPV6, path, 2, true));
    EXPECT_EQ(bytes, golden::Bytes("29020401 00000000 fcbbbb00700700000000000000000000"));
    const test::ExactBytes exact(bytes);
    Srh srh{};
    ASSERT_EQ(Decode(exact, srh), DecodeError::OK);
    EXPECT_EQ(srh.segmentsLeft, 1) << "one past the list: the first carrier is active";
    EXPECT_EQ(srh.segmentCount, 1);
    EXPECT_TRUE(srh.Segment(0) == SECOND);
}

TEST(Srh, LongestListFits)
{
    std::vector<Ipv6Address> path(129, FIRST);
    path.back() = SECOND;
    std::vector<uint8_t> bytes(SrhBytes(128, true));
    ASSERT_EQ(bytes.size(), 8u + 127 * 16);
    ByteWriter writer(bytes.data(), bytes.size());
    EXPECT_FALSE(EncodeSrh(writer, PROTOCOL_IPV6, path.data(), 128, false));
    EXPECT_FALSE(EncodeSrh(writer, PROTOCOL_IPV6, path.data(), 129, true));
    EXPECT_FALSE(EncodeSrh(writer, PROTOCOL_IPV6, path.data(), 0, false));
    EXPECT_FALSE(EncodeSrh(writer, PROTOCOL_IPV6, path.data(), 1, true));
    EXPECT_EQ(writer.Written(), 0u);
    ASSERT_TRUE(EncodeSrh(writer, PROTOCOL_IPV6, path.data() + 1, 128, true));
    const test::ExactBytes exact(bytes);
    Srh srh{};
    ASSERT_EQ(Decode(exact, srh), DecodeError::OK);
    EXPECT_EQ(srh.segmentCount, 127);
    EXPECT_EQ(srh.segmentsLeft, 127);
    EXPECT_TRUE(srh.Segment(0) == SECOND);
    EXPECT_TRUE(srh.Segment(126) == FIRST);
}

TEST(Srh, TlvsAreFollowed)
{
    // One segment, then Pad1, type 5 with two bytes of value, PadN (4) with one.
    const test::ExactBytes exact(
        golden::Bytes("29030400 00000000 fcbbbb00700700000000000000000000 00 0502abcd 040100"));
    Srh srh{};
    ASSERT_EQ(Decode(exact, srh), DecodeError::OK);
    EXPECT_EQ(srh.tlvBytes, 8);
    size_t offset = 0;
    SrhTlv tlv{};
    ASSERT_TRUE(NextSrhTlv(srh, offset, tlv));
    EXPECT_EQ(tlv.type, 0);
    ASSERT_TRUE(NextSrhTlv(srh, offset, tlv));
    EXPECT_EQ(tlv.type, 5);
    ASSERT_EQ(tlv.valueBytes, 2);
    EXPECT_EQ(tlv.value[0], 0xab);
    EXPECT_EQ(tlv.value[1], 0xcd);
    ASSERT_TRUE(NextSrhTlv(srh, offset, tlv));
    EXPECT_EQ(tlv.type, 4);
    EXPECT_FALSE(NextSrhTlv(srh, offset, tlv));
}

TEST(Srh, MalformedOnesAreRefused)
{
    EXPECT_EQ(Verdict("29020400 00000000 fcbbbb00700700000000000000000000"), DecodeError::OK);
    EXPECT_EQ(Verdict("29020300 00000000 fcbbbb00700700000000000000000000"), DecodeError::BAD_SRH)
        << "another routing type";
    EXPECT_EQ(Verdict("29020402 00000000 fcbbbb00700700000000000000000000"), DecodeError::BAD_SRH)
        << "two left of one";
    EXPECT_EQ(Verdict("29020400 01000000 fcbbbb00700700000000000000000000"), DecodeError::BAD_SRH)
        << "the length has room for one of two segments";
    EXPECT_EQ(Verdict("29000400 00000000"), DecodeError::BAD_SRH) << "no room for any";
    EXPECT_EQ(Verdict("29030400 00000000 fcbbbb00700700000000000000000000 0507000000000000"),
              DecodeError::BAD_SRH)
        << "a TLV of 9 bytes in 8";
    EXPECT_EQ(Verdict("29030400 00000000 fcbbbb00700700000000000000000000 0000000000000005"),
              DecodeError::BAD_SRH)
        << "a TLV without its length";
    EXPECT_EQ(Verdict("29030400 00000000 fcbbbb00700700000000000000000000 0506000000000000"),
              DecodeError::OK)
        << "a TLV of 8 bytes in 8";
}

TEST(Srh, EveryTruncationIsRefused)
{
    const std::vector<uint8_t> bytes = golden::Bytes(TWO_SEGMENTS);
    for (size_t cut = 0; cut < bytes.size(); ++cut)
    {
        const test::ExactBytes exact(bytes, cut);
        Srh srh{};
        EXPECT_EQ(Decode(exact, srh), DecodeError::TRUNCATED) << cut;
    }
}

TEST(Srh, RandomBytesNeverReadOutside)
{
    test::Random random;
    SCOPED_TRACE(random.Replay());
    int accepted = 0;
    for (int round = 0; round < 50000; ++round)
    {
        std::vector<uint8_t> bytes = random.Bytes(random.Below(200));
        if (bytes.size() > 5)
        {
            bytes[1] = static_cast<uint8_t>(random.Below(26));
            bytes[2] = ROUTING_TYPE_SRH;
            bytes[3] = static_cast<uint8_t>(random.Below(4));
            bytes[4] = static_cast<uint8_t>(random.Below(8));
        }
        const test::ExactBytes exact(bytes);
        Srh srh{};
        if (Decode(exact, srh) == DecodeError::OK)
        {
            ++accepted;
            ASSERT_LE(SRH_FIXED_BYTES + srh.segmentCount * SEGMENT_BYTES + srh.tlvBytes,
                      bytes.size());
            srh.Segment(srh.segmentCount - 1u);
            size_t offset = 0;
            SrhTlv tlv{};
            while (NextSrhTlv(srh, offset, tlv))
            {
                ASSERT_LE(tlv.value + tlv.valueBytes, exact.Data() + exact.Size());
            }
        }
    }
    EXPECT_GT(accepted, 100) << "the generator must reach the accepting path";
}

} // namespace
} // namespace mrc
