// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-decode-error.h"
#include "mrc-entropy.h"
#include "mrc-neth.h"
#include "mrc-traffic-class.h"
#include "mrc-wire-size.h"
#include "mrc-wire-test-support.h"

#include <set>

namespace mrc
{
namespace
{

//= MRC-REF 2 Opcodes type=test
TEST(Opcode, ClassesAreThoseOfTheTable)
{
    const auto count = [](auto property) {
        int n = 0;
        for (const Opcode opcode : test::ALL_OPCODES)
        {
            n += property(opcode);
        }
        return n;
    };
    EXPECT_EQ(count(IsWrite), 6);
    EXPECT_EQ(count(IsFirst), 3);      // First, Only, Only with Immediate
    EXPECT_EQ(count(IsLast), 4);       // Last and Only, each with and without Immediate
    EXPECT_EQ(count(HasImmediate), 2); // Last, Only
    EXPECT_TRUE(IsFirst(Opcode::WRITE_ONLY_IMM));
    EXPECT_FALSE(IsLast(Opcode::WRITE_MIDDLE));
    EXPECT_FALSE(IsFirst(Opcode::WRITE_MIDDLE));
    EXPECT_TRUE(HasImmediate(Opcode::WRITE_LAST_IMM));
    EXPECT_FALSE(IsWrite(Opcode::ACKNOWLEDGE));
}

TEST(Opcode, TwelveValuesAreKnown)
{
    std::set<int> known;
    for (int value = 0; value < 256; ++value)
    {
        if (IsKnownOpcode(static_cast<uint8_t>(value)))
        {
            known.insert(value);
        }
    }
    const std::set<int> expected{
        0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xcb, 0xd1, 0xd8, 0xd9, 0xdc, 0xdd, 0xde};
    EXPECT_EQ(known, expected);
}

TEST(Opcode, NamesAreDistinct)
{
    std::set<std::string> names;
    for (const Opcode opcode : test::ALL_OPCODES)
    {
        names.insert(OpcodeName(opcode));
    }
    EXPECT_EQ(names.size(), 12u);
    EXPECT_STREQ(OpcodeName(static_cast<Opcode>(0)), "unknown opcode");
}

//= MRC-REF 2 Sizes and test vectors type=test
TEST(WireSize, MatchesTheReference)
{
    // 14 + 40 + 8 + 12 + METH 4 + RETH 16 + ICRC 4 = 98; TSETH 4 more; an outer IPv6 40 more.
    EXPECT_EQ(FrameL2Bytes(Opcode::WRITE_ONLY, false, false, 0), 98u);
    EXPECT_EQ(FrameL2Bytes(Opcode::WRITE_ONLY, true, false, 0), 102u);
    EXPECT_EQ(FrameL2Bytes(Opcode::WRITE_ONLY, true, true, 0), 142u);
    EXPECT_EQ(FrameL2Bytes(Opcode::SACK, false, false, 0), 114u);
    EXPECT_EQ(FrameL2Bytes(Opcode::NACK, false, false, 0), 98u);
    EXPECT_EQ(FrameL2Bytes(Opcode::WRITE_ONLY_IMM, false, false, 0), 102u);
    EXPECT_EQ(FrameL2Bytes(Opcode::ACKNOWLEDGE, true, false, 0), 82u);
    EXPECT_EQ(FrameL2Bytes(Opcode::RELIABILITY_PROBE, true, false, 0), 94u);
    EXPECT_EQ(FrameL2Bytes(Opcode::ENDPOINT_REQUEST, false, false, 0), 94u);
    EXPECT_EQ(FrameL2Bytes(Opcode::ENDPOINT_RESPONSE, false, false, 0), 114u);
}

TEST(WireSize, FullPacketsUseTheShareOfTheWireThatTheReferenceStates)
{
    // 4096 / (142 + 4096 + 24) = 0.96105
    const double wire = FrameWireBytes(FrameL2Bytes(Opcode::WRITE_MIDDLE, true, true, 4096));
    EXPECT_NEAR(4096 / wire, 0.961, 0.0005);
}

TEST(WireSize, PayloadIsPaddedToFourBytes)
{
    EXPECT_EQ(PadBytes(0), 0u);
    EXPECT_EQ(PadBytes(1), 3u);
    EXPECT_EQ(PadBytes(5), 3u);
    EXPECT_EQ(PadBytes(6), 2u);
    EXPECT_EQ(PadBytes(7), 1u);
    EXPECT_EQ(PadBytes(8), 0u);
    EXPECT_EQ(FrameL2Bytes(Opcode::WRITE_ONLY, false, false, 1), 102u);
    EXPECT_EQ(FrameL2Bytes(Opcode::WRITE_ONLY, false, false, 4), 102u);
    EXPECT_EQ(FrameL2Bytes(Opcode::WRITE_ONLY, false, false, 5), 106u);
}

TEST(WireSize, ShortFramesTakeTheSmallestEthernetFrame)
{
    EXPECT_EQ(FrameWireBytes(98), 122u);
    EXPECT_EQ(FrameWireBytes(60), 84u); // 64 + 8 + 12
    EXPECT_EQ(FrameWireBytes(59), 84u);
    EXPECT_EQ(FrameWireBytes(14), 84u);
}

//= MRC-REF 2 UDP and IP type=test
TEST(Entropy, IsSplitBetweenPortAndFlowLabel)
{
    const EntropyFields fields = SplitEntropy(0xc0010003);
    EXPECT_EQ(fields.sourcePort, 0xc001);
    EXPECT_EQ(fields.flowLabel, 0x0003);
    EXPECT_EQ(JoinEntropy(fields), 0xc0010003u);
    const EntropyFields swapped = SplitEntropy(0xc0010003, EntropyOrder::PORT_LOW);
    EXPECT_EQ(swapped.sourcePort, 0x0003);
    EXPECT_EQ(swapped.flowLabel, 0xc001);
    EXPECT_EQ(JoinEntropy(swapped, EntropyOrder::PORT_LOW), 0xc0010003u);
}

TEST(TrafficClass, IsDscpAndEcn)
{
    const DscpMap dscp;
    EXPECT_EQ(MakeTrafficClass(dscp.control, NOT_ECT), 0xb8); // 46 << 2
    EXPECT_EQ(MakeTrafficClass(dscp.trimmable, ECT0), 0x22);  // 8 << 2 | 2
    EXPECT_EQ(DscpOf(0xbb), 46);
    EXPECT_EQ(EcnOf(0xbb), CE);
}

//= MRC-REF 2 NACK type=test
TEST(NackCode, OnlyUnexpectedEventIsFatal)
{
    int retriable = 0;
    for (int value = 0; value < 256; ++value)
    {
        retriable += IsRetriable(static_cast<NackCode>(value));
    }
    EXPECT_EQ(retriable, 6);
    EXPECT_FALSE(IsRetriable(NackCode::UNEXP_EVENT));
    EXPECT_TRUE(IsRetriable(NackCode::PSN_OOR_WINDOW));
    EXPECT_STREQ(NackCodeName(NackCode::TRIMMED_LASTHOP), "TRIMMED_LASTHOP");
    EXPECT_STREQ(NackCodeName(static_cast<NackCode>(3)), "unknown reason");
}

TEST(DecodeErrorText, EveryValueHasItsOwn)
{
    std::set<std::string> texts;
    for (int value = 0; value <= static_cast<int>(DecodeError::UNKNOWN_OPCODE); ++value)
    {
        texts.insert(DecodeErrorText(static_cast<DecodeError>(value)));
    }
    EXPECT_EQ(texts.size(), 8u);
    EXPECT_EQ(texts.count("unknown error"), 0u);
    std::set<std::string> headers;
    for (int value = 0; value <= static_cast<int>(WireHeader::ICRC); ++value)
    {
        headers.insert(WireHeaderName(static_cast<WireHeader>(value)));
    }
    EXPECT_EQ(headers.size(), 20u);
    EXPECT_EQ(headers.count("unknown header"), 0u);
}

} // namespace
} // namespace mrc
