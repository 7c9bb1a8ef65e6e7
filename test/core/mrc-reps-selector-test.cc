// SPDX-License-Identifier: GPL-2.0-only
// RepsSelector: what comes through unmarked is used again, the rest explores.
#include "mrc-reps-selector.h"

#include <gtest/gtest.h>
#include <set>

namespace mrc
{
namespace
{

constexpr int64_t US = 1'000'000;

/// Plane 0 has EVs 0-99, plane 1 the EVs 100 and 101; a ring of 2.
class RepsTest : public ::testing::Test
{
  protected:
    RepsTest()
    {
        config.cachePerPlane = 2;
        config.freezePs = 100 * US;
        std::vector<std::vector<uint32_t>> evs(2);
        for (uint32_t ev = 0; ev < 102; ++ev)
        {
            evs[ev / 100].push_back(ev);
        }
        reps = std::make_unique<RepsSelector>(config, evs, 7);
    }

    RepsConfig config;
    std::unique_ptr<RepsSelector> reps;
};

TEST_F(RepsTest, ExploresItsPlaneWhileNothingIsKnown)
{
    std::set<EvIndex> seen;
    for (int i = 0; i < 1000; ++i)
    {
        const EvIndex index = reps->Next(0, NO_EV);
        ASSERT_LT(index, 100);
        seen.insert(index);
    }
    EXPECT_GT(seen.size(), 90u); // each of 100 is missed by 1000 draws once in 23,000 times
    EXPECT_GE(reps->Next(1, NO_EV), 100);
    EXPECT_EQ(reps->Next(2, NO_EV), NO_EV);
}

TEST_F(RepsTest, UsesAnEvAsOftenAsItsSackHadPackets)
{
    reps->OnUnmarked(42, 3, US);
    reps->OnUnmarked(43, 1, US);
    EXPECT_EQ(reps->Next(0, NO_EV), 42);
    EXPECT_EQ(reps->Next(0, NO_EV), 43); // in turn
    EXPECT_EQ(reps->Next(0, NO_EV), 42);
    EXPECT_EQ(reps->Next(0, NO_EV), 42);
    std::set<EvIndex> seen;
    for (int i = 0; i < 100; ++i)
    {
        seen.insert(reps->Next(0, NO_EV));
    }
    EXPECT_GT(seen.size(), 10u) << "used up: explores";
}

TEST_F(RepsTest, TheNewestReplaceTheOldest)
{
    reps->OnUnmarked(1, 9, US);
    reps->OnUnmarked(2, 9, US);
    reps->OnUnmarked(3, 9, US);
    for (int i = 0; i < 18; ++i)
    {
        EXPECT_NE(reps->Next(0, NO_EV), 1);
    }
}

TEST_F(RepsTest, ARetransmissionTakesAnotherEv)
{
    reps->OnUnmarked(42, 1, US);
    for (int i = 0; i < 200; ++i)
    {
        EXPECT_NE(reps->Next(0, 42), 42);
    }
    EXPECT_EQ(reps->Next(0, NO_EV), 42) << "it was passed over, not used";
    EXPECT_EQ(reps->Next(1, 100), 101);
    EXPECT_EQ(reps->Next(1, 101), 100);
}

TEST_F(RepsTest, FreezesOnASuspectedFailure)
{
    reps->OnUnmarked(42, 1, US);
    reps->OnUnmarked(43, 1, US);
    reps->OnLost(43, 2 * US);
    EXPECT_TRUE(reps->IsFrozen());
    for (int i = 0; i < 10; ++i)
    {
        EXPECT_EQ(reps->Next(0, NO_EV), 42) << "the only one known to work";
    }
    reps->OnUnmarked(44, 0, 101 * US);
    EXPECT_TRUE(reps->IsFrozen());
    reps->OnUnmarked(44, 0, 102 * US);
    EXPECT_FALSE(reps->IsFrozen());
    std::set<EvIndex> seen;
    for (int i = 0; i < 100; ++i)
    {
        seen.insert(reps->Next(0, NO_EV));
    }
    EXPECT_GT(seen.size(), 10u) << "thawed: explores again";
}

TEST_F(RepsTest, ADeniedEvIsNeitherRecycledNorExplored)
{
    reps->OnUnmarked(42, 1, US);
    reps->Deny(42, US);
    reps->OnUnmarked(42, 1, US); // sent before
    for (int i = 0; i < 2000; ++i)
    {
        EXPECT_NE(reps->Next(0, NO_EV), 42);
    }
    reps->Deny(100, US);
    EXPECT_EQ(reps->Next(1, 101), 101) << "the only one left";
    reps->Deny(101, US);
    EXPECT_EQ(reps->Next(1, NO_EV), NO_EV);
}

TEST_F(RepsTest, FrozenWithoutAnythingKnownItHasToExplore)
{
    reps->OnLost(5, US);
    EXPECT_NE(reps->Next(0, NO_EV), NO_EV);
}

} // namespace
} // namespace mrc
