// SPDX-License-Identifier: GPL-2.0-only
// Selectors without EV states.
#include "mrc-simple-selectors.h"

#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <vector>

namespace mrc
{
namespace
{

/// Three planes: indices 0-3, 4-5, none. Values are not in order.
const std::vector<std::vector<uint32_t>> EVS{{40, 10, 30, 20}, {7, 99}, {}};

/// One plane with one EV.
const std::vector<std::vector<uint32_t>> ONE_EV(1, std::vector<uint32_t>{5});

/// Feedback of every kind about one EV.
void
TellEverything(PathSelector& selector, EvIndex index)
{
    selector.OnMarked(index, 1);
    selector.OnTrimmed(index, 2);
    selector.OnLost(index, 3);
    selector.OnAlwaysSkip(index, 4);
    selector.OnProbeAnswered(index, true, 5);
}

TEST(Random, EqualSeedsGiveEqualSequences)
{
    Random one(5);
    Random same(5);
    Random other(6);
    const uint64_t first = one.Next();
    EXPECT_EQ(first, same.Next());
    EXPECT_NE(first, other.Next());
    EXPECT_NE(first, one.Next());
}

TEST(Random, SeedZeroIsAsGoodAsAnyAndMatchesSplitMix64)
{
    // The published first outputs of SplitMix64 for the seed 0.
    Random random(0);
    EXPECT_EQ(random.Next(), 0xe220a8397b1dcdafU);
    EXPECT_EQ(random.Next(), 0x6e789e6aa1b965f4U);
    EXPECT_EQ(random.Next(), 0x06c45d188009454fU);
}

TEST(Random, BelowIsTheHighPartOfAProduct)
{
    Random random(0);
    // 0xe220a839 x 10 / 2^32 = 3 793 790 009 x 10 / 4 294 967 296 = 8.8
    EXPECT_EQ(random.Below(10), 8U);
    EXPECT_EQ(random.Below(1), 0U);
    EXPECT_EQ(random.Below(0), 0U);
}

TEST(Random, BelowIsEvenlySpread)
{
    Random random(1);
    std::array<int, 7> counts{};
    for (int draw = 0; draw < 70'000; ++draw)
    {
        ++counts.at(random.Below(7));
    }
    for (const int count : counts)
    {
        EXPECT_NEAR(count, 10'000, 500); // 5 sigma of sqrt(70 000 x 1/7 x 6/7) = 93
    }
}

TEST(RoundRobinSelector, KnowsItsEvs)
{
    const RoundRobinSelector selector(EVS);
    ASSERT_EQ(selector.Size(), 6U);
    const std::vector<uint32_t> values{40, 10, 30, 20, 7, 99};
    const std::vector<uint8_t> planes{0, 0, 0, 0, 1, 1};
    for (EvIndex index = 0; index < 6; ++index)
    {
        EXPECT_EQ(selector.Value(index), values[index]);
        EXPECT_EQ(selector.Plane(index), planes[index]);
        EXPECT_EQ(selector.Find(values[index]), index);
    }
    for (const uint32_t unknown : {0U, 8U, 100U, 0xffffffffU})
    {
        EXPECT_EQ(selector.Find(unknown), NO_EV);
    }
}

TEST(RoundRobinSelector, SkipsAnEmptyPlaneWhenItNamesPlanes)
{
    const RoundRobinSelector selector({{1}, {}, {2}});
    EXPECT_EQ(selector.Plane(0), 0U);
    EXPECT_EQ(selector.Plane(1), 2U);
}

TEST(RoundRobinSelector, GoesInOrderOnEachPlane)
{
    RoundRobinSelector selector(EVS);
    for (int pass = 0; pass < 3; ++pass)
    {
        EXPECT_EQ(selector.Next(0, NO_EV), 0U);
        EXPECT_EQ(selector.Next(0, NO_EV), 1U);
        EXPECT_EQ(selector.Next(1, NO_EV), 4U);
        EXPECT_EQ(selector.Next(0, NO_EV), 2U);
        EXPECT_EQ(selector.Next(0, NO_EV), 3U);
        EXPECT_EQ(selector.Next(1, NO_EV), 5U);
    }
    EXPECT_EQ(selector.Next(2, NO_EV), NO_EV); // empty
    EXPECT_EQ(selector.Next(3, NO_EV), NO_EV); // does not exist
}

TEST(RoundRobinSelector, PassesOverTheOneToAvoid)
{
    RoundRobinSelector selector(EVS);
    EXPECT_EQ(selector.Next(0, 0), 1U);
    EXPECT_EQ(selector.Next(0, 0), 2U);
    EXPECT_EQ(selector.Next(0, 3), 0U);
    RoundRobinSelector alone(ONE_EV);
    EXPECT_EQ(alone.Next(0, 0), 0U); // there is no other
}

TEST(RoundRobinSelector, IgnoresFeedback)
{
    RoundRobinSelector selector(EVS);
    TellEverything(selector, 0);
    EXPECT_EQ(selector.Next(0, NO_EV), 0U);
    EXPECT_EQ(selector.NextProbe(std::numeric_limits<int64_t>::max()), NO_EV);
    EXPECT_EQ(selector.NextProbeDeadlinePs(), std::numeric_limits<int64_t>::max());
}

TEST(RandomSelector, TakesEachEvOfThePlaneEquallyOften)
{
    RandomSelector selector(EVS, 1);
    TellEverything(selector, 2);
    std::array<int, 6> counts{};
    for (int draw = 0; draw < 40'000; ++draw)
    {
        ++counts.at(selector.Next(0, NO_EV));
    }
    for (EvIndex index = 0; index < 4; ++index)
    {
        EXPECT_NEAR(counts[index], 10'000, 450); // 5 sigma of sqrt(40 000 x 1/4 x 3/4) = 87
    }
    EXPECT_EQ(counts[4] + counts[5], 0);
    EXPECT_EQ(selector.Next(2, NO_EV), NO_EV);
    EXPECT_EQ(selector.Next(3, NO_EV), NO_EV);
}

TEST(RandomSelector, AvoidsOneAndTakesTheOthersEquallyOften)
{
    RandomSelector selector(EVS, 1);
    std::array<int, 6> counts{};
    for (int draw = 0; draw < 30'000; ++draw)
    {
        ++counts.at(selector.Next(0, 1));
    }
    EXPECT_EQ(counts[1], 0);
    for (const EvIndex index : {0, 2, 3})
    {
        EXPECT_NEAR(counts[index], 10'000, 450);
    }
    EXPECT_GE(selector.Next(1, 1), 4U); // an EV of another plane excludes nothing
    RandomSelector alone(ONE_EV, 1);
    EXPECT_EQ(alone.Next(0, 0), 0U);
}

TEST(RandomSelector, IsDeterministic)
{
    RandomSelector one(EVS, 9);
    RandomSelector same(EVS, 9);
    for (int draw = 0; draw < 100; ++draw)
    {
        EXPECT_EQ(one.Next(0, NO_EV), same.Next(0, NO_EV));
    }
}

TEST(SinglePathSelector, KeepsOnePathWhateverHappens)
{
    SinglePathSelector selector(EVS, 3);
    const EvIndex path =
        selector.Next(0, NO_EV) != NO_EV ? selector.Next(0, NO_EV) : selector.Next(1, NO_EV);
    ASSERT_NE(path, NO_EV);
    const uint8_t plane = selector.Plane(path);
    TellEverything(selector, path);
    EXPECT_EQ(selector.Next(plane, NO_EV), path);
    EXPECT_EQ(selector.Next(plane, path), path);
    for (uint8_t other = 0; other < 4; ++other)
    {
        if (other != plane)
        {
            EXPECT_EQ(selector.Next(other, NO_EV), NO_EV);
        }
    }
}

TEST(SinglePathSelector, TheSeedChoosesAmongAllEvs)
{
    std::set<EvIndex> chosen;
    for (uint64_t seed = 0; seed < 100; ++seed)
    {
        SinglePathSelector selector(EVS, seed);
        for (uint8_t plane = 0; plane < 2; ++plane)
        {
            const EvIndex path = selector.Next(plane, NO_EV);
            if (path != NO_EV)
            {
                chosen.insert(path);
            }
        }
    }
    EXPECT_EQ(chosen.size(), 6U); // missing one has a probability of 6 x (5/6)^100 = 7e-8
}

TEST(SinglePathSelector, HasNothingToOfferWithoutEvs)
{
    SinglePathSelector selector({{}, {}}, 1);
    EXPECT_EQ(selector.Next(0, NO_EV), NO_EV);
    EXPECT_EQ(selector.Next(1, NO_EV), NO_EV);
}

//= MRC-REF 4 EV states, DENIED by a controller type=test
TEST(RoundRobinSelector, PassesOverDeniedEvsUntilTheyAreAllowed)
{
    RoundRobinSelector selector(EVS);
    selector.Deny(1, 0);
    selector.Deny(1, 0); // twice is once
    EXPECT_TRUE(selector.IsDenied(1));
    EXPECT_FALSE(selector.IsDenied(0));
    for (const EvIndex expected : {0, 2, 3, 0, 2})
    {
        EXPECT_EQ(selector.Next(0, NO_EV), expected);
    }
    selector.Allow(1, 0);
    selector.Allow(1, 0);
    // The round goes on at slot 2, which is EV 2 again now that EV 1 is back.
    for (const EvIndex expected : {2, 3, 0, 1, 2})
    {
        EXPECT_EQ(selector.Next(0, NO_EV), expected);
    }
    selector.Deny(4, 0);
    selector.Deny(5, 0);
    EXPECT_EQ(selector.Next(1, NO_EV), NO_EV); // nothing left on that plane
    selector.Allow(5, 0);
    EXPECT_EQ(selector.Next(1, NO_EV), 5);
    EXPECT_EQ(selector.Next(1, 5), 5); // the only one
}

TEST(RandomSelector, NeverTakesADeniedEv)
{
    RandomSelector selector(EVS, 3);
    selector.Deny(0, 0);
    selector.Deny(3, 0);
    std::set<EvIndex> seen;
    for (int i = 0; i < 200; ++i)
    {
        seen.insert(selector.Next(0, 3));
    }
    EXPECT_EQ(seen, (std::set<EvIndex>{1, 2}));
    for (int i = 0; i < 50; ++i)
    {
        EXPECT_EQ(selector.Next(0, 1), 2); // one to avoid, one left
    }
    selector.Allow(0, 0);
    seen.clear();
    for (int i = 0; i < 200; ++i)
    {
        seen.insert(selector.Next(0, NO_EV));
    }
    EXPECT_EQ(seen, (std::set<EvIndex>{0, 1, 2}));
}

TEST(SinglePathSelector, TakesTheNextPathWhenItsOwnIsDenied)
{
    SinglePathSelector selector(ONE_EV, 1);
    EXPECT_EQ(selector.Next(0, NO_EV), 0);
    selector.Deny(0, 0);
    EXPECT_EQ(selector.Next(0, NO_EV), NO_EV);
    selector.Allow(0, 0);
    EXPECT_EQ(selector.Next(0, NO_EV), 0);

    SinglePathSelector several(EVS, 1);
    std::set<EvIndex> taken;
    for (EvIndex step = 0; step < 6; ++step)
    {
        EvIndex path = NO_EV;
        for (uint8_t plane = 0; plane < 3; ++plane)
        {
            const EvIndex offered = several.Next(plane, NO_EV);
            EXPECT_TRUE(path == NO_EV || offered == NO_EV) << "two planes at once";
            path = offered == NO_EV ? path : offered;
        }
        ASSERT_NE(path, NO_EV);
        EXPECT_TRUE(taken.insert(path).second) << "a denied one again";
        several.Deny(path, 0);
    }
    EXPECT_EQ(several.Next(0, NO_EV), NO_EV);
}

} // namespace
} // namespace mrc
