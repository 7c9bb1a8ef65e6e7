// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ipv6.h"
#include "mrc-usid.h"
#include "mrc-wire-test-support.h"

#include <array>

namespace mrc
{
namespace
{

/// @param carrier any carrier @return its 16 bytes
std::array<uint8_t, 16>
ToBytes(const UsidCarrier& carrier)
{
    std::array<uint8_t, 16> bytes{};
    ByteWriter writer(bytes.data(), bytes.size());
    writer.U64(carrier.high);
    writer.U64(carrier.low);
    return bytes;
}

//= MRC-REF 3 NEXT-CSID uN, F3216 type=test
TEST(Usid, CarrierIsBlockThenPath)
{
    const UsidCarrier carrier = UsidCarrier::Build(0xfcbbbb00, {0x1001, 0x2002, 0x3003, 0x4004});
    EXPECT_EQ(carrier.high, 0xfcbbbb0010012002u);
    EXPECT_EQ(carrier.low, 0x3003400400000000u);
    EXPECT_EQ(carrier.Block(), 0xfcbbbb00u);
    EXPECT_EQ(carrier.ActiveUsid(), 0x1001);
    EXPECT_EQ(carrier.Count(), 4u);
    EXPECT_EQ(carrier.Usid(3), 0x4004);
    EXPECT_EQ(carrier.Usid(4), 0);
    EXPECT_EQ(carrier.Print(), "fcbb:bb00:1001:2002:3003:4004::");
    EXPECT_EQ(carrier.PrintPath(), "fcbb:bb00::/32 [1001 2002 3003 4004]");
}

// RFC 9800 walks a packet through nodes whose argument is shifted by one C-SID at each; here with
// six of them, the carrier before each node and after the last.
TEST(Usid, EachSwitchConsumesOne)
{
    const char* const walk[] = {"2001:db8:1:2:3:4:5:6",
                                "2001:db8:2:3:4:5:6:0",
                                "2001:db8:3:4:5:6::",
                                "2001:db8:4:5:6::",
                                "2001:db8:5:6::",
                                "2001:db8:6::",
                                "2001:db8::"};
    UsidCarrier carrier = UsidCarrier::Build(0x20010db8, {1, 2, 3, 4, 5, 6});
    for (int hop = 0; hop < 7; ++hop)
    {
        EXPECT_EQ(carrier.Print(), walk[hop]);
        EXPECT_EQ(carrier.Count(), static_cast<size_t>(6 - hop));
        EXPECT_EQ(carrier.IsEndOfList(), hop >= 5) << "argument zero at the last uSID";
        EXPECT_EQ(carrier.ActiveUsid(), hop < 6 ? hop + 1 : 0);
        carrier.Shift();
    }
}

TEST(Usid, ShiftMatchesMovingBytes)
{
    test::Random random;
    SCOPED_TRACE(random.Replay());
    for (int round = 0; round < 10000; ++round)
    {
        UsidCarrier carrier{random.Bits(), random.Bits()};
        std::array<uint8_t, 16> bytes = ToBytes(carrier);
        std::memmove(bytes.data() + 4, bytes.data() + 6, 10);
        bytes[14] = bytes[15] = 0;
        carrier.Shift();
        ASSERT_EQ(ToBytes(carrier), bytes);
    }
}

TEST(Usid, UsidReadsItsTwoBytes)
{
    test::Random random;
    SCOPED_TRACE(random.Replay());
    for (int round = 0; round < 1000; ++round)
    {
        const UsidCarrier carrier{random.Bits(), random.Bits()};
        const std::array<uint8_t, 16> bytes = ToBytes(carrier);
        for (size_t i = 0; i < UsidCarrier::MAX_USIDS; ++i)
        {
            ASSERT_EQ(carrier.Usid(i), bytes[4 + 2 * i] << 8 | bytes[5 + 2 * i]);
        }
    }
}

TEST(Usid, BuildKeepsWhatUsidReads)
{
    test::Random random;
    SCOPED_TRACE(random.Replay());
    for (int round = 0; round < 1000; ++round)
    {
        std::array<uint16_t, 8> path{};
        const size_t count = random.Below(path.size() + 1);
        for (uint16_t& usid : path)
        {
            usid = static_cast<uint16_t>(1 + random.Below(0xffff));
        }
        const auto block = static_cast<uint32_t>(random.Bits());
        const UsidCarrier carrier = UsidCarrier::Build(block, path.data(), count);
        ASSERT_EQ(carrier.Block(), block);
        ASSERT_EQ(carrier.Count(), std::min<size_t>(count, 6)) << "six fit";
        for (size_t i = 0; i < carrier.Count(); ++i)
        {
            ASSERT_EQ(carrier.Usid(i), path[i]);
        }
    }
}

TEST(Usid, PathShowsAHole)
{
    EXPECT_EQ((UsidCarrier{0xfcbbbb0010010000, 0x0000400400000000}.PrintPath()),
              "fcbb:bb00::/32 [1001 0000 0000 4004]");
    EXPECT_EQ((UsidCarrier{0xfcbbbb0000000000, 0}.PrintPath()), "fcbb:bb00::/32 []");
    EXPECT_FALSE((UsidCarrier{0xfcbbbb0010010000, 1}.IsEndOfList()));
}

TEST(Usid, ShiftIsAConstantExpression)
{
    constexpr auto SHIFTED = [] {
        UsidCarrier carrier = UsidCarrier::Build(0xfcbbbb00, {1, 2, 3});
        carrier.Shift();
        return carrier;
    }();
    static_assert(SHIFTED == UsidCarrier::Build(0xfcbbbb00, {2, 3}), "");
    static_assert(SHIFTED != UsidCarrier::Build(0xfcbbbb00, {2, 3, 4}), "");
}

} // namespace
} // namespace mrc
