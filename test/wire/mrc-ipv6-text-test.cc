// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ipv6.h"
#include "mrc-wire-test-support.h"

#include <arpa/inet.h>

namespace mrc
{
namespace
{

/// An address and its text of RFC 5952.
struct Example
{
    Ipv6Address address;
    const char* text;
};

const Example EXAMPLES[] = {
    {{0, 0}, "::"},
    {{0, 1}, "::1"},
    {{0x20010db800000000, 0}, "2001:db8::"},
    {{0x20010db800000000, 1}, "2001:db8::1"},
    {{0x20010db800000001, 0x0001000100010001}, "2001:db8:0:1:1:1:1:1"}, // a single zero stays
    {{0x2001000000000001, 0x0000000000000001}, "2001:0:0:1::1"},        // the longest run
    {{0x20010db800000000, 0x0001000000000001}, "2001:db8::1:0:0:1"},    // the first of equals
    {{0xfcbbbb0010012002, 0x30034004000a0b0c}, "fcbb:bb00:1001:2002:3003:4004:a:b0c"},
    {{0, 0xffff0a000001}, "::ffff:10.0.0.1"},
};

TEST(Ipv6Text, IsCanonical)
{
    for (const Example& example : EXAMPLES)
    {
        EXPECT_EQ(example.address.Print(), example.text);
        Ipv6Address parsed{};
        EXPECT_TRUE(Ipv6Address::Parse(example.text, parsed)) << example.text;
        EXPECT_TRUE(parsed == example.address) << example.text;
    }
}

TEST(Ipv6Text, OtherFormsAreUnderstood)
{
    Ipv6Address address{};
    ASSERT_TRUE(Ipv6Address::Parse("FCBB:BB00:0000:0000:0000:0000:0000:000A", address));
    EXPECT_TRUE((address == Ipv6Address{0xfcbbbb0000000000, 0xa}));
    ASSERT_TRUE(Ipv6Address::Parse("1:2:3:4:5:6:7::", address));
    EXPECT_TRUE((address == Ipv6Address{0x0001000200030004, 0x0005000600070000}));
    ASSERT_TRUE(Ipv6Address::Parse("::2:3:4:5:6:7:8", address));
    EXPECT_TRUE((address == Ipv6Address{0x0000000200030004, 0x0005000600070008}));
    ASSERT_TRUE(Ipv6Address::Parse("64:ff9b::192.0.2.33", address));
    EXPECT_TRUE((address == Ipv6Address{0x0064ff9b00000000, 0xc0000221}));
}

TEST(Ipv6Text, RubbishIsRefusedAndLeavesTheAnswerAlone)
{
    for (const char* const text : {"",
                                   ":",
                                   ":::",
                                   "1",
                                   "1:2:3:4:5:6:7",
                                   "1:2:3:4:5:6:7:",
                                   ":1:2:3:4:5:6:7:8",
                                   "1:2:3:4:5:6:7:8:",
                                   "1:2:3:4:5:6:7:8:9",
                                   "1:2:3:4:5:6:7:8::",
                                   "::1:2:3:4:5:6:7:8",
                                   "1::2::3",
                                   "12345::",
                                   "g::",
                                   "::1%eth0",
                                   "fe80::/64",
                                   " ::1",
                                   "::1.2.3",
                                   "::1.2.3.256",
                                   "::1.2.3.04",
                                   "::1.2.3.4.5",
                                   "::1..3.4",
                                   "1.2.3.4",
                                   "1:2:3:4:5:6:7:1.2.3.4"})
    {
        Ipv6Address address{7, 8};
        EXPECT_FALSE(Ipv6Address::Parse(text, address)) << text;
        EXPECT_TRUE((address == Ipv6Address{7, 8})) << text;
    }
}

// The system's own functions are the second opinion.
TEST(Ipv6Text, AgreesWithTheSystem)
{
    test::Random random;
    SCOPED_TRACE(random.Replay());
    for (int round = 0; round < 20000; ++round)
    {
        std::vector<uint8_t> bytes = random.Bytes(16);
        const uint64_t zeroGroups = random.Bits();
        for (size_t group = 0; group < 8; ++group)
        {
            if (zeroGroups >> group & 1)
            {
                bytes[2 * group] = bytes[2 * group + 1] = 0;
            }
        }
        char text[INET6_ADDRSTRLEN];
        ASSERT_NE(inet_ntop(AF_INET6, bytes.data(), text, sizeof text), nullptr);
        ByteReader reader(bytes.data(), bytes.size());
        Ipv6Address address{};
        address.high = reader.U64();
        address.low = reader.U64();
        Ipv6Address parsed{};
        ASSERT_TRUE(Ipv6Address::Parse(text, parsed)) << text;
        ASSERT_TRUE(parsed == address) << text;
        // The C library also writes "::a.b.c.d" for IPv4-compatible addresses, which RFC 5952
        // leaves open.
        if (address.high != 0 || address.low >> 32 != 0)
        {
            ASSERT_EQ(address.Print(), text);
        }
    }
}

TEST(Ipv6Text, RandomTextIsJudgedAsTheSystemDoes)
{
    test::Random random;
    SCOPED_TRACE(random.Replay());
    constexpr std::string_view LETTERS = "::::::.01afF9g";
    for (int round = 0; round < 200000; ++round)
    {
        std::string text;
        for (uint64_t left = random.Below(20); left > 0; --left)
        {
            text += LETTERS[random.Below(LETTERS.size())];
        }
        uint8_t bytes[16];
        Ipv6Address address{};
        ASSERT_EQ(Ipv6Address::Parse(text, address), inet_pton(AF_INET6, text.c_str(), bytes) == 1)
            << text;
    }
}

TEST(Ipv6Text, OrderIsNumeric)
{
    EXPECT_TRUE((Ipv6Address{1, 9} < Ipv6Address{2, 0}));
    EXPECT_TRUE((Ipv6Address{1, 1} < Ipv6Address{1, 2}));
    EXPECT_FALSE((Ipv6Address{1, 2} < Ipv6Address{1, 2}));
    EXPECT_TRUE(Ipv6Address::FromIpv4(0xffffffff).IsIpv4Mapped());
    EXPECT_FALSE((Ipv6Address{0, 1}.IsIpv4Mapped()));
}

} // namespace
} // namespace mrc
