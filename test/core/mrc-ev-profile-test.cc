// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ev-profile.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace mrc;

namespace
{

/// @return a profile of fields in a STEV of two halves
EvProfileConfig
Stev(std::vector<EvField> fields)
{
    EvProfileConfig config;
    config.format = {EvFormat::STEV, {16, 16}};
    config.mode = EvMode::GENERATED;
    config.fields = std::move(fields);
    return config;
}

/// @return the example of the reference: format 16+16, masks 0x000f and 0x0f0f
EvProfileConfig
ReferenceExample()
{
    return Stev({{16, 0x0100, 0, 15, 0x000f}, {16, 0x2000, 0, 255, 0x0f0f}});
}

/// @return the first 32 bits of an expanded EV, which must not be refused
uint32_t
Expanded(const EvProfileConfig& config, const EvBits& compact)
{
    EvBits expanded;
    EXPECT_EQ(config.Expand(compact, expanded), "");
    return expanded.Get(0, 32);
}

TEST(EvBits, BitZeroIsTheMostSignificant)
{
    const EvBits ev = EvBits::Of(0xabc, 12);
    EXPECT_EQ(ev.bytes[0], 0xab);
    EXPECT_EQ(ev.bytes[1], 0xc0);
    EXPECT_EQ(ev.Get(0, 4), 0xau);
    EXPECT_EQ(ev.Get(4, 8), 0xbcu);
    EXPECT_EQ(ev.Get(252, 32), 0u); // past the end
    EXPECT_TRUE(ev.HasOnesFrom(8));
    EXPECT_FALSE(ev.HasOnesFrom(12));
    EXPECT_EQ(EvBits::Of(0x123456789abcdef0, 64).Get(32, 32), 0x9abcdef0u);
}

TEST(EvBits, ReadsHexadecimalDigits)
{
    EvBits ev;
    ASSERT_TRUE(EvBits::Parse("0xABC", ev));
    EXPECT_EQ(ev, EvBits::Of(0xabc, 12));
    ASSERT_TRUE(EvBits::Parse("fd6d:7263", ev));
    EXPECT_EQ(ev.Print(32), "fd6d7263");
    EXPECT_FALSE(EvBits::Parse("", ev));
    EXPECT_FALSE(EvBits::Parse("0x", ev));
    EXPECT_FALSE(EvBits::Parse("12g4", ev));
    EXPECT_TRUE(EvBits::Parse(std::string(64, 'f'), ev));
    EXPECT_FALSE(EvBits::Parse(std::string(65, 'f'), ev));
}

//= MRC-REF 3 Own example type=test
TEST(EvProfile, ExpandsTheExampleOfTheReference)
{
    // 0xabc: the first mask has 4 bits and takes a, the second 8 bits and takes bc. Over 0x0100
    // and 0x2000 that is 0x010a, and with b in bits 8-11 and c in bits 0-3, 0x2b0c.
    const EvProfileConfig config = ReferenceExample();
    ASSERT_EQ(config.Validate(), "");
    EXPECT_EQ(Expanded(config, EvBits::Of(0xabc, 12)), 0x010a2b0cu);
}

//= MRC-REF 3 Expansion of a compact EV type=test
TEST(EvProfile, FieldsAreAlignedRightInTheFormatsFields)
{
    // 12 bits of format hold 8 bits of field: 0000 abcd efgh. Third field missing: zero.
    EvProfileConfig config;
    config.format = {EvFormat::STEV, {12, 12, 8}};
    config.mode = EvMode::GENERATED;
    config.fields = {{8, 0x40, 0, 3, 0x81}, {4, 0xf, 0, 0, 0}};
    ASSERT_EQ(config.Validate(), "");
    // v = 2 = 0b10: bit 0 goes to mask bit 0, bit 1 to mask bit 7: 0x80 over 0x40 is 0xc0.
    EXPECT_EQ(Expanded(config, EvBits::Of(2, 2)), 0x0c000f00u);
}

TEST(EvProfile, TheMaskReplacesWhatInitValHasThere)
{
    const EvProfileConfig config = Stev({{16, 0xffff, 0, 15, 0x00f0}});
    EXPECT_EQ(Expanded(config, EvBits::Of(0x5, 4)), 0xff5f0000u);
}

TEST(EvProfile, ExpandsAnOuterDestinationAndASegment)
{
    // Block first with mask 0, then uSIDs; the plane is the lowest bit of the second one.
    EvProfileConfig config;
    config.format = {EvFormat::SRV6, {32, 16, 16, 16, 16, 16, 16, 32, 16}};
    config.mode = EvMode::GENERATED;
    config.fields = {{32, 0xfd6d7263, 0, 0, 0},
                     {16, 0x1000, 0, 0, 0},
                     {16, 0x2000, 0, 1, 0x0001},
                     {16, 0x1001, 0, 0, 0},
                     {16, 0x3000, 0, 0, 0},
                     {16, 0, 0, 0, 0},
                     {16, 0, 0, 0, 0},
                     {32, 0xfd6d7263, 0, 0, 0},
                     {16, 0x4000, 0, 3, 0x0003}};
    ASSERT_EQ(config.Validate(), "");
    EvBits expanded;
    ASSERT_EQ(config.Expand(EvBits::Of(0b110, 3), expanded), "");
    EXPECT_EQ(expanded.Print(256),
              "fd6d7263100020011001300000000000"
              "fd6d7263400200000000000000000000");
}

//= MRC-REF 3 SRv6 paths, bits set in an EV past those that the masks take type=test
TEST(EvProfile, RefusesBitsBehindTheMasks)
{
    EvBits expanded = EvBits::Of(0x77, 8);
    EXPECT_EQ(ReferenceExample().Expand(EvBits::Of(0xabc8, 16), expanded),
              "bits are set behind the 12 that the masks take");
    EXPECT_EQ(expanded, EvBits::Of(0x77, 8)); // unchanged
    EvBits last;
    last.Put(255, 1, 1);
    EXPECT_NE(ReferenceExample().Expand(last, expanded), "");
}

//= MRC-REF 3 Refuse a profile when type=test
TEST(EvProfile, RefusesWhatIsInconsistent)
{
    EXPECT_EQ(Stev({{16, 0, 0, 0, 0}, {16, 0, 0, 0, 0}, {1, 0, 0, 0, 0}}).Validate(),
              "3 fields, but the format has 2");
    EXPECT_EQ(Stev({{32, 0, 0, 0, 0}, {16, 0, 0, 0, 0}}).Validate(),
              "the fields have 48 bits: stev has 32");
    EXPECT_EQ(Stev({{17, 0, 0, 0, 0}}).Validate(),
              "field 0: 17 bits do not fit the 16 bits of the format's field");
    EXPECT_EQ(Stev({{8, 0x100, 0, 0, 0}}).Validate(),
              "field 0: init_val 0x100 is wider than the field's 8 bits");
    EXPECT_EQ(Stev({{8, 0, 0, 0, 0x1ff}}).Validate(),
              "field 0: mask 0x1ff is wider than the field's 8 bits");
    EXPECT_EQ(Stev({{16, 0, 0, 0, 0}, {8, 0, 0, 8, 0x0e}}).Validate(),
              "field 1: max_val 8 is wider than the 3 bits of mask 0xe");
    EXPECT_EQ(Stev({{0, 0, 0, 0, 0}}).Validate(), "field 0: width 0: 1 to 32 bits");
    EXPECT_EQ(Stev({{8, 0, 3, 2, 0x0f}}).Validate(), "field 0: min_val 3 is above max_val 2");

    EvProfileConfig wide;
    wide.format = {EvFormat::SRV6, {64}};
    wide.mode = EvMode::GENERATED;
    wide.fields = {{33, 0, 0, 0, 0}};
    EXPECT_EQ(wide.Validate(), "field 0: width 33: 1 to 32 bits");
}

TEST(EvProfile, RefusesFormatsThatAreTooWide)
{
    EXPECT_EQ((EvFormatProfile{EvFormat::UDP, {16}}).Validate(), "");
    EXPECT_EQ((EvFormatProfile{EvFormat::UDP, {8, 9}}).Validate(),
              "the fields of the format have 17 bits: udp has 16");
    EXPECT_EQ((EvFormatProfile{EvFormat::STEV, {16, 0}}).Validate(),
              "a field of the format has no bits");
    EXPECT_EQ((EvFormatProfile{EvFormat::SRV6, std::vector<uint16_t>(17, 16)}).Validate(),
              "the fields of the format have 272 bits: srv6 has 256");
}

TEST(EvProfile, RefusesModesWithoutTheirInput)
{
    EvProfileConfig config;
    EXPECT_EQ(config.Validate(), ""); // AUTO needs nothing
    config.fields = {{8, 0, 0, 0, 0}};
    config.format.fieldBits = {8};
    EXPECT_EQ(config.Validate(), "fields belong to modes EXPLICIT and GENERATED");
    config.mode = EvMode::EXPLICIT;
    EXPECT_EQ(config.Validate(), "the list of EVs is empty");
    config.evs = {EvBits::Of(1, 8)};
    EXPECT_EQ(config.Validate(), "EV 0: bits are set behind the 0 that the masks take");
    config.mode = EvMode::GENERATED;
    EXPECT_EQ(config.Validate(), "a list of EVs belongs to mode EXPLICIT");
    config.evs.clear();
    config.fields.clear();
    EXPECT_EQ(config.Validate(), "no fields to generate EVs from");
    config.mode = EvMode::AUTO;
    config.evCount = 0;
    EXPECT_EQ(config.Validate(), "ev_count is 0: a QP needs an EV");
    config.evCount = 8;
    config.evMinActive = 9;
    EXPECT_EQ(config.Validate(), "ev_min_active 9 is above ev_count 8");
}

//= MRC-REF 3 EV formats of the API, GENERATED from fields type=test
TEST(EvProfile, GeneratesTheCrossProductOfTheRanges)
{
    // 3 values of plane x 2 of uplink; the last field varies fastest.
    const EvProfileConfig config = Stev({{16, 0xc000, 0, 2, 0x0003}, {16, 0, 6, 7, 0x0007}});
    ASSERT_EQ(config.Validate(), "");
    ASSERT_EQ(config.Count(), 6u);
    const uint32_t expected[] = {
        0xc0000006, 0xc0000007, 0xc0010006, 0xc0010007, 0xc0020006, 0xc0020007};
    for (uint64_t number = 0; number < 6; ++number)
    {
        EXPECT_EQ(Expanded(config, config.Compact(number)), expected[number]) << number;
    }
}

//= MRC-REF 3 EV field examples type=test
TEST(EvProfile, CountsTheExamplesOfThreeTiersAndFourHops)
{
    // Three tiers, 8/4/4 bits with 180 T0 links: values 180 to 255 are beyond max_val.
    EvProfileConfig config;
    config.mode = EvMode::GENERATED;
    config.format = {EvFormat::STEV, {8, 4, 4}};
    config.fields = {{8, 0, 0, 179, 0xff}, {4, 0, 0, 15, 0xf}, {4, 0, 0, 15, 0xf}};
    ASSERT_EQ(config.Validate(), "");
    EXPECT_EQ(config.Count(), 180u * 16 * 16);
    std::set<uint32_t> evs;
    for (uint64_t number = 0; number < config.Count(); ++number)
    {
        const uint32_t ev = Expanded(config, config.Compact(number));
        EXPECT_LT(ev >> 24, 180u);
        evs.insert(ev);
    }
    EXPECT_EQ(evs.size(), config.Count());

    // Four hops: plane 3 bits, then 8, 4 and 4.
    config.format = {EvFormat::STEV, {3, 8, 4, 4}};
    config.fields.insert(config.fields.begin(), {3, 0, 0, 7, 0x7});
    config.fields[1].maxVal = 255;
    ASSERT_EQ(config.Validate(), "");
    EXPECT_EQ(config.Count(), 8u * 256 * 16 * 16);
}

TEST(EvProfile, RefusesMoreThanAMillion)
{
    const EvProfileConfig config = Stev({{16, 0, 0, 0xffff, 0xffff}, {16, 0, 0, 0xffff, 0xffff}});
    EXPECT_NE(config.Validate().find("EVs are too many, at most 1048576"), std::string::npos);
}

TEST(EvProfile, AnExplicitListWithoutFieldsIsInTheFormat)
{
    EvProfileConfig config;
    config.mode = EvMode::EXPLICIT;
    config.format = {EvFormat::STEV, {16, 16}};
    config.evs = {EvBits::Of(0xc0010003, 32), EvBits::Of(0xc0000001, 32)};
    ASSERT_EQ(config.Validate(), "");
    EXPECT_EQ(config.Count(), 2u);
    EXPECT_EQ(Expanded(config, config.Compact(0)), 0xc0010003u);
    config.format = {EvFormat::STEV, {16}};
    EXPECT_EQ(config.Validate(), "EV 0: bits are set behind the 16 that the masks take");
}

} // namespace
