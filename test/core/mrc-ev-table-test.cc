// SPDX-License-Identifier: GPL-2.0-only
// The EV states of a QP (type=test of //= MRC-REF 4 EV states).
//
// Unless a test says otherwise there are two planes, each with four active EVs and two backups,
// and at least two EVs stay active. Values are 100, 101, ... on plane 0 and 200, ... on plane
// 1, so that indices are 0-5 and 6-11, the last two of each plane being the backups.
#include "mrc-ev-table.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace mrc
{
namespace
{

constexpr int64_t MS = 1'000'000'000; // in ps
constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

/// Writes down what it is told.
class Recorder : public EvObserver
{
  public:
    void OnEvTransition(const EvTransition& transition) override
    {
        transitions.push_back(transition);
    }

    /// @return how many transitions went to the state
    int CountTo(EvState to) const
    {
        return static_cast<int>(std::count_if(transitions.begin(),
                                              transitions.end(),
                                              [to](const EvTransition& t) { return t.to == to; }));
    }

    std::vector<EvTransition> transitions;
};

std::vector<std::vector<uint32_t>>
MakeEvs(uint32_t planes, uint32_t perPlane)
{
    std::vector<std::vector<uint32_t>> evs(planes);
    for (uint32_t plane = 0; plane < planes; ++plane)
    {
        for (uint32_t ev = 0; ev < perPlane; ++ev)
        {
            evs[plane].push_back(100 * (plane + 1) + ev);
        }
    }
    return evs;
}

class EvTableTest : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        config.activePerPlane = 4;
        config.backupPerPlane = 2;
        config.evMinActive = 2;
        Make(MakeEvs(2, 6));
    }

    void Make(const std::vector<std::vector<uint32_t>>& evs, uint64_t seed = 1)
    {
        table = std::make_unique<EvTable>(config, evs, seed, &recorder, &counters);
    }

    /// @return the EVs of a plane that take turns
    std::set<EvIndex> Active(uint8_t plane) const
    {
        std::set<EvIndex> active;
        for (EvIndex index = 0; index < table->Size(); ++index)
        {
            if (table->Plane(index) == plane && table->IsActive(index))
            {
                active.insert(index);
            }
        }
        return active;
    }

    /// @return the next EVs of a plane
    std::vector<EvIndex> Take(uint8_t plane, int count)
    {
        std::vector<EvIndex> taken;
        for (int turn = 0; turn < count; ++turn)
        {
            taken.push_back(table->Next(plane, NO_EV));
        }
        return taken;
    }

    /// Lose a packet on each EV.
    void Lose(const std::vector<EvIndex>& indices, int64_t nowPs = 0)
    {
        for (const EvIndex index : indices)
        {
            table->OnLost(index, nowPs);
        }
    }

    EvTableConfig config;
    Recorder recorder;
    EvCounters counters;
    std::unique_ptr<EvTable> table;
};

std::set<EvIndex>
SetOf(const std::vector<EvIndex>& indices)
{
    return {indices.begin(), indices.end()};
}

// --- Identity -----------------------------------------------------------------------------

TEST_F(EvTableTest, FindsValuesGivenInAnyOrder)
{
    Make({{50, 10, 40}, {30, 20}});
    ASSERT_EQ(table->Size(), 5U);
    const std::vector<std::pair<uint32_t, uint8_t>> expected{
        {50, 0}, {10, 0}, {40, 0}, {30, 1}, {20, 1}};
    for (const auto& [value, plane] : expected)
    {
        const EvIndex index = table->Find(value);
        ASSERT_NE(index, NO_EV) << value;
        EXPECT_EQ(table->Value(index), value);
        EXPECT_EQ(table->Plane(index), plane);
        EXPECT_EQ(table->State(index), EvState::GOOD);
    }
    for (const uint32_t unknown : {0U, 15U, 51U, 0xffffffffU})
    {
        EXPECT_EQ(table->Find(unknown), NO_EV);
    }
}

TEST_F(EvTableTest, TheFirstOfAListAreActiveAndTheEndIsNotUsed)
{
    Make({{9, 8, 7, 6, 5, 4, 3, 2}, {20, 21}});
    EXPECT_EQ(table->Size(), 8U);
    for (const uint32_t value : {9, 8, 7, 6, 20, 21})
    {
        EXPECT_TRUE(table->IsActive(table->Find(value))) << value;
    }
    for (const uint32_t value : {5, 4})
    {
        EXPECT_FALSE(table->IsActive(table->Find(value))) << value;
    }
    EXPECT_EQ(table->Find(3), NO_EV);
}

TEST_F(EvTableTest, IsSmall)
{
    // 8 planes x (16 active + 4 backups): 160 x 8 B, 8 x 14 B, and the object.
    Make(MakeEvs(8, 20));
    config.activePerPlane = 16;
    config.backupPerPlane = 4;
    Make(MakeEvs(8, 20));
    ASSERT_EQ(table->Size(), 160U);
    EXPECT_LE(table->MemoryBytes(), 1536U);
}

// --- Rotation -----------------------------------------------------------------------------

TEST_F(EvTableTest, EachPassIsAPermutationInAnotherOrder)
{
    std::set<std::vector<EvIndex>> orders;
    for (int pass = 0; pass < 200; ++pass)
    {
        const std::vector<EvIndex> order = Take(1, 4);
        EXPECT_EQ(SetOf(order), (std::set<EvIndex>{6, 7, 8, 9}));
        orders.insert(order);
    }
    // All 24 orders: missing one has a probability of 24 x (23/24)^200 = 0.5 % for one seed.
    EXPECT_EQ(orders.size(), 24U);
}

TEST_F(EvTableTest, PlanesTakeTurnsIndependently)
{
    std::vector<EvIndex> zero;
    std::vector<EvIndex> one;
    for (int turn = 0; turn < 4; ++turn)
    {
        zero.push_back(table->Next(0, NO_EV));
        one.push_back(table->Next(1, NO_EV));
    }
    EXPECT_EQ(SetOf(zero), (std::set<EvIndex>{0, 1, 2, 3}));
    EXPECT_EQ(SetOf(one), (std::set<EvIndex>{6, 7, 8, 9}));
}

TEST_F(EvTableTest, EqualSeedsGiveEqualOrders)
{
    const std::vector<EvIndex> first = Take(0, 40);
    Make(MakeEvs(2, 6), 1);
    EXPECT_EQ(Take(0, 40), first);
    Make(MakeEvs(2, 6), 2);
    EXPECT_NE(Take(0, 40), first);
}

TEST_F(EvTableTest, APlaneWithoutEvsOffersNothing)
{
    Make({{}, {5}});
    EXPECT_EQ(table->Next(0, NO_EV), NO_EV);
    EXPECT_EQ(table->Next(1, NO_EV), 0U);
    EXPECT_EQ(table->Next(2, NO_EV), NO_EV);
}

TEST_F(EvTableTest, WorksWithoutObserverAndCounters)
{
    EvTable quiet(config, MakeEvs(1, 6), 1);
    quiet.OnMarked(0, 1);
    quiet.OnLost(1, 2);
    EXPECT_EQ(quiet.State(0), EvState::SKIP);
    EXPECT_EQ(quiet.State(1), EvState::ASSUMED_BAD);
}

TEST_F(EvTableTest, ARetransmissionTakesAnotherEv)
{
    for (int turn = 0; turn < 100; ++turn)
    {
        EXPECT_NE(table->Next(0, 2), 2U);
    }
    // An EV of another plane excludes nothing.
    std::set<EvIndex> taken;
    for (int turn = 0; turn < 8; ++turn) // a whole pass is among them
    {
        taken.insert(table->Next(0, 7));
    }
    EXPECT_EQ(taken.size(), 4U);
}

TEST_F(EvTableTest, TheOnlyEvIsUsedEvenIfItIsToBeAvoided)
{
    Make({{5}});
    EXPECT_EQ(table->Next(0, 0), 0U);
    table->OnMarked(0, 1);
    EXPECT_EQ(table->Next(0, 0), 0U);
}

TEST_F(EvTableTest, ASkippedEvIsRestoredRatherThanTheOneToAvoidUsed)
{
    // Only 0 is GOOD. Wherever the pass is, a retransmission gets one of the others.
    for (int offset = 0; offset < 16; ++offset)
    {
        Take(0, 1);
        table->OnTrimmed(1, 0);
        table->OnTrimmed(2, 0);
        table->OnTrimmed(3, 0);
        const EvIndex taken = table->Next(0, 0);
        EXPECT_NE(taken, 0U);
        EXPECT_EQ(table->State(taken), EvState::GOOD);
    }
}

// --- The rows of the state table ----------------------------------------------------------

enum class Event
{
    MARKED,
    TRIMMED,
    LOST,
    ALWAYS_SKIP,
    DENY,
    ALLOW,
    PROBE_ANSWERED
};

struct Row
{
    const char* name;
    EvState from;
    Event event;
    EvState to;
};

class EvTableRowTest : public EvTableTest, public ::testing::WithParamInterface<Row>
{
  protected:
    void Apply(Event event, int64_t nowPs)
    {
        switch (event)
        {
        case Event::MARKED:
            table->OnMarked(0, nowPs);
            break;
        case Event::TRIMMED:
            table->OnTrimmed(0, nowPs);
            break;
        case Event::LOST:
            table->OnLost(0, nowPs);
            break;
        case Event::ALWAYS_SKIP:
            table->OnAlwaysSkip(0, nowPs);
            break;
        case Event::DENY:
            table->Deny(0, nowPs);
            break;
        case Event::ALLOW:
            table->Allow(0, nowPs);
            break;
        case Event::PROBE_ANSWERED:
            table->OnProbeAnswered(0, false, nowPs);
            break;
        }
    }
};

TEST_P(EvTableRowTest, GoesWhereTheTableSays)
{
    config.probeSuccesses = 1;
    const Row& row = GetParam();
    switch (row.from)
    {
    case EvState::GOOD:
        break;
    case EvState::SKIP:
        Apply(Event::MARKED, 1);
        break;
    case EvState::ASSUMED_BAD:
        Apply(Event::LOST, 1);
        break;
    case EvState::DENIED:
        Apply(Event::DENY, 1);
        break;
    }
    ASSERT_EQ(table->State(0), row.from);
    recorder.transitions.clear();

    Apply(row.event, 2);

    EXPECT_EQ(table->State(0), row.to);
    ASSERT_EQ(recorder.transitions.size(), row.from == row.to ? 0U : 1U);
    if (row.from != row.to)
    {
        const EvTransition& seen = recorder.transitions[0];
        EXPECT_EQ(seen.nowPs, 2);
        EXPECT_EQ(seen.index, 0U);
        EXPECT_EQ(seen.from, row.from);
        EXPECT_EQ(seen.to, row.to);
    }
}

constexpr EvState GOOD = EvState::GOOD;
constexpr EvState SKIP = EvState::SKIP;
constexpr EvState BAD = EvState::ASSUMED_BAD;
constexpr EvState DENIED = EvState::DENIED;

INSTANTIATE_TEST_SUITE_P(
    Table,
    EvTableRowTest,
    ::testing::Values(Row{"GoodMarked", GOOD, Event::MARKED, SKIP},
                      Row{"GoodTrimmed", GOOD, Event::TRIMMED, SKIP},
                      Row{"GoodLost", GOOD, Event::LOST, BAD},
                      Row{"GoodAlwaysSkip", GOOD, Event::ALWAYS_SKIP, BAD},
                      Row{"GoodDeny", GOOD, Event::DENY, DENIED},
                      Row{"GoodAllow", GOOD, Event::ALLOW, GOOD},
                      Row{"GoodProbe", GOOD, Event::PROBE_ANSWERED, GOOD},
                      Row{"SkipMarked", SKIP, Event::MARKED, SKIP},
                      Row{"SkipTrimmed", SKIP, Event::TRIMMED, SKIP},
                      Row{"SkipLost", SKIP, Event::LOST, BAD},
                      Row{"SkipAlwaysSkip", SKIP, Event::ALWAYS_SKIP, BAD},
                      Row{"SkipDeny", SKIP, Event::DENY, DENIED},
                      Row{"SkipProbe", SKIP, Event::PROBE_ANSWERED, SKIP},
                      Row{"BadMarked", BAD, Event::MARKED, BAD},
                      Row{"BadTrimmed", BAD, Event::TRIMMED, BAD},
                      Row{"BadLost", BAD, Event::LOST, BAD},
                      Row{"BadAlwaysSkip", BAD, Event::ALWAYS_SKIP, BAD},
                      Row{"BadDeny", BAD, Event::DENY, DENIED},
                      Row{"BadAllow", BAD, Event::ALLOW, BAD},
                      Row{"BadProbe", BAD, Event::PROBE_ANSWERED, GOOD},
                      Row{"DeniedMarked", DENIED, Event::MARKED, DENIED},
                      Row{"DeniedTrimmed", DENIED, Event::TRIMMED, DENIED},
                      Row{"DeniedLost", DENIED, Event::LOST, DENIED},
                      Row{"DeniedAlwaysSkip", DENIED, Event::ALWAYS_SKIP, DENIED},
                      Row{"DeniedDeny", DENIED, Event::DENY, DENIED},
                      Row{"DeniedAllow", DENIED, Event::ALLOW, GOOD},
                      Row{"DeniedProbe", DENIED, Event::PROBE_ANSWERED, DENIED}),
    [](const ::testing::TestParamInfo<Row>& info) { return info.param.name; });

// --- SKIP ---------------------------------------------------------------------------------

TEST_F(EvTableTest, ASkippedEvSitsOutOneTurn)
{
    table->OnMarked(2, 7);
    EXPECT_EQ(counters.skips, 1U);
    // The pass has four turns and one is passed over. Where in the pass depends on the order;
    // three sends at least are made before 2 can have a turn in the next pass.
    const std::vector<EvIndex> pass = Take(0, 3);
    EXPECT_EQ(SetOf(pass), (std::set<EvIndex>{0, 1, 3}));
    const std::vector<EvIndex> next = Take(0, 4);
    EXPECT_EQ(SetOf(next), (std::set<EvIndex>{0, 1, 2, 3}));
    ASSERT_EQ(recorder.transitions.size(), 2U);
    EXPECT_EQ(recorder.transitions[1].from, EvState::SKIP);
    EXPECT_EQ(recorder.transitions[1].to, EvState::GOOD);
    EXPECT_EQ(recorder.transitions[1].nowPs, 7);
}

TEST_F(EvTableTest, OneSendRestoresAtMostOne)
{
    config.activePerPlane = 16;
    Make(MakeEvs(1, 16));
    for (EvIndex index = 0; index < 12; ++index)
    {
        table->OnMarked(index, 0);
    }
    for (int send = 0; send < 60; ++send)
    {
        recorder.transitions.clear();
        const EvIndex taken = table->Next(0, NO_EV);
        EXPECT_EQ(table->State(taken), EvState::GOOD);
        ASSERT_LE(recorder.transitions.size(), 1U);
        if (!recorder.transitions.empty())
        {
            EXPECT_EQ(recorder.transitions[0].to, EvState::GOOD);
        }
    }
    for (EvIndex index = 0; index < 16; ++index)
    {
        EXPECT_EQ(table->State(index), EvState::GOOD);
    }
}

TEST_F(EvTableTest, WhenAllAreSkippedOneIsRestoredAndUsed)
{
    for (int round = 0; round < 10; ++round)
    {
        for (EvIndex index = 0; index < 4; ++index)
        {
            table->OnMarked(index, 0);
        }
        recorder.transitions.clear();
        const EvIndex taken = table->Next(0, NO_EV);
        ASSERT_NE(taken, NO_EV);
        ASSERT_EQ(recorder.transitions.size(), 1U);
        EXPECT_EQ(recorder.transitions[0].index, taken);
    }
}

TEST_F(EvTableTest, WhenAllAreSkippedTheOneToAvoidStillIs)
{
    for (int round = 0; round < 50; ++round)
    {
        for (EvIndex index = 0; index < 4; ++index)
        {
            table->OnTrimmed(index, 0);
        }
        EXPECT_NE(table->Next(0, 3), 3U);
        EXPECT_EQ(table->State(3), EvState::SKIP);
    }
}

// --- Backups ------------------------------------------------------------------------------

TEST_F(EvTableTest, ABackupOfTheSamePlaneTakesOver)
{
    table->OnLost(7, 5);
    EXPECT_EQ(counters.retired, 1U);
    EXPECT_EQ(counters.replaced, 1U);
    EXPECT_EQ(Active(0), (std::set<EvIndex>{0, 1, 2, 3}));
    EXPECT_FALSE(table->IsActive(7));
    EXPECT_EQ(Active(1).size(), 4U);
    EXPECT_EQ(table->IsActive(10) + table->IsActive(11), 1);
    const std::set<EvIndex> active = Active(1);
    Take(1, 4); // what is left of the pass
    EXPECT_EQ(SetOf(Take(1, 4)), active);
}

TEST_F(EvTableTest, EachRetirementInAPassKeepsTheNextPassAPermutation)
{
    // For each position of the pass and each EV: retire it there, with a backup and without.
    for (int turnsBefore = 0; turnsBefore < 4; ++turnsBefore)
    {
        for (EvIndex victim = 0; victim < 4; ++victim)
        {
            for (const uint32_t evs : {4, 6})
            {
                Make(MakeEvs(1, evs));
                const std::vector<EvIndex> before = Take(0, turnsBefore);
                table->OnLost(victim, 0);
                const std::set<EvIndex> active = Active(0);
                ASSERT_EQ(active.size(), evs == 4 ? 3U : 4U);
                // The rest of this pass: every active EV that had no turn yet. A backup in the
                // place of one that had its turn waits for the next pass.
                const bool hadTurn = SetOf(before).count(victim) != 0;
                const int rest = 4 - turnsBefore - (evs == 4 && !hadTurn ? 1 : 0);
                std::set<EvIndex> seen = SetOf(before);
                for (const EvIndex index : Take(0, rest))
                {
                    EXPECT_TRUE(seen.insert(index).second) << "two turns in one pass";
                    EXPECT_TRUE(active.count(index));
                }
                const auto size = static_cast<int>(active.size());
                EXPECT_EQ(SetOf(Take(0, size)), active);
            }
        }
    }
}

TEST_F(EvTableTest, BackupsRunOutAndTheRotationShrinksToTheMinimum)
{
    Lose({0, 1, 2}); // two backups, then one less
    EXPECT_EQ(counters.replaced, 2U);
    EXPECT_EQ(Active(0), (std::set<EvIndex>{3, 4, 5}));
    Lose({4});
    EXPECT_EQ(Active(0), (std::set<EvIndex>{3, 5}));
    EXPECT_EQ(SetOf(Take(0, 4)), (std::set<EvIndex>{3, 5}));
    EXPECT_EQ(Active(1).size(), 4U);
}

TEST_F(EvTableTest, ABackupCanBeRetiredToo)
{
    table->OnLost(4, 0); // a late loss of the time when it was active
    EXPECT_EQ(counters.replaced, 0U);
    Lose({0, 1});
    EXPECT_EQ(Active(0), (std::set<EvIndex>{2, 3, 5}));
}

TEST_F(EvTableTest, ASkippedBackupSitsOutItsFirstTurn)
{
    table->OnMarked(4, 0);
    table->OnMarked(5, 0);
    Lose({0});
    EXPECT_EQ(SetOf(Take(0, 3)), (std::set<EvIndex>{1, 2, 3}));
    EXPECT_EQ(Take(0, 4).size(), 4U);
    EXPECT_EQ(table->State(4) == EvState::GOOD, table->IsActive(4));
    EXPECT_EQ(table->State(5) == EvState::GOOD, table->IsActive(5));
}

// --- Guard --------------------------------------------------------------------------------

TEST_F(EvTableTest, ByDefaultAQuarterStaysActive)
{
    config.evMinActive = 0;
    config.activePerPlane = 8;
    Make(MakeEvs(1, 8));
    Lose({0, 1, 2, 3, 4, 5});
    EXPECT_EQ(Active(0), (std::set<EvIndex>{6, 7}));
    // One more: the oldest bad one, 0, takes its place.
    Lose({6});
    EXPECT_EQ(Active(0), (std::set<EvIndex>{0, 7}));
    EXPECT_EQ(table->State(0), EvState::ASSUMED_BAD);
    EXPECT_EQ(SetOf(Take(0, 2)), (std::set<EvIndex>{0, 7}));
}

TEST_F(EvTableTest, WhenAllAreBadTheOldestAreUsedAndEachFailureBringsTheNext)
{
    Make(MakeEvs(1, 6));
    Lose({0, 1, 2, 3, 4}); // 5 and, below the minimum of two, 0
    EXPECT_EQ(Active(0), (std::set<EvIndex>{0, 5}));
    Lose({5}); // all bad; oldest first: 0 (active), 1
    EXPECT_EQ(Active(0), (std::set<EvIndex>{0, 1}));
    EXPECT_EQ(SetOf(Take(0, 2)), (std::set<EvIndex>{0, 1}));
    Lose({0}); // failed again: it is the youngest now
    EXPECT_EQ(Active(0), (std::set<EvIndex>{1, 2}));
    Lose({1, 2, 3, 4}); // 3, 4, 5 and then 0, each in the place of the one that failed
    EXPECT_EQ(Active(0), (std::set<EvIndex>{0, 5}));
    EXPECT_EQ(counters.retired, 6U);
}

TEST_F(EvTableTest, APlaneThatIsAllBadOffersNothingWhileAnotherIsGood)
{
    Lose({0, 1, 2, 3, 4, 5});
    EXPECT_TRUE(Active(0).empty());
    EXPECT_EQ(table->Next(0, NO_EV), NO_EV);
    EXPECT_EQ(SetOf(Take(1, 4)), (std::set<EvIndex>{6, 7, 8, 9}));
}

TEST_F(EvTableTest, AQuarterOfTheQpIsTheMinimumNotOfEachPlane)
{
    // 4 planes x 4 EVs: four in all. Three planes die: no guards, nothing to spare either.
    config.evMinActive = 0;
    config.backupPerPlane = 0;
    Make(MakeEvs(4, 4));
    Lose({0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15});
    EXPECT_EQ(SetOf(Take(1, 4)), (std::set<EvIndex>{4, 5, 6, 7}));
    for (const uint8_t plane : {0, 2, 3})
    {
        EXPECT_EQ(table->Next(plane, NO_EV), NO_EV) << +plane;
    }
    // One EV of the last plane fails. The oldest bad one is 0, but a guard on its plane would get
    // half the traffic: the failed one itself is the oldest where a good one is.
    Lose({5});
    EXPECT_EQ(Active(1), (std::set<EvIndex>{4, 5, 6, 7}));
    EXPECT_EQ(table->Next(0, NO_EV), NO_EV);
    // All of them fail: any plane will do, oldest first.
    Lose({4, 6, 7});
    EXPECT_EQ(Active(0), (std::set<EvIndex>{0, 1, 2, 3}));
    EXPECT_EQ(table->Next(1, NO_EV), NO_EV);
}

TEST_F(EvTableTest, TheFirstGoodEvTakesTheTurnsOfGuardsOnOtherPlanes)
{
    config.probeSuccesses = 1;
    Lose({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}); // all bad; guards: 0 and 1
    EXPECT_EQ(Active(0), (std::set<EvIndex>{0, 1}));
    EXPECT_TRUE(Active(1).empty());
    table->OnProbeAnswered(8, false, 1);
    EXPECT_TRUE(Active(0).empty());
    EXPECT_EQ(Active(1), (std::set<EvIndex>{6, 8})); // and the oldest bad one of its plane
    table->OnProbeAnswered(9, false, 2);
    EXPECT_EQ(Active(1), (std::set<EvIndex>{8, 9}));
}

TEST_F(EvTableTest, GuardsDoNotExceedTheRotation)
{
    // At least 7 of 8 are wanted, plane 0 has 3 good ones and room for one guard.
    config.evMinActive = 7;
    config.backupPerPlane = 0;
    Make(MakeEvs(2, 4)); // 0-3 and 4-7
    Lose({4, 5, 6, 7, 2});
    EXPECT_EQ(Active(0), (std::set<EvIndex>{0, 1, 2, 3}));
    EXPECT_TRUE(Active(1).empty());
}

// --- Ports --------------------------------------------------------------------------------

TEST_F(EvTableTest, LossesOnAPlaneThatIsDownAreThePorts)
{
    table->SetPlaneUp(0, false, 1);
    EXPECT_FALSE(table->IsPlaneUp(0));
    EXPECT_TRUE(table->IsPlaneUp(1));
    Lose({0, 1, 6}, 2);
    EXPECT_EQ(table->State(0), EvState::GOOD);
    EXPECT_EQ(table->State(1), EvState::GOOD);
    EXPECT_EQ(table->State(6), EvState::ASSUMED_BAD);
    EXPECT_EQ(counters.retired, 1U);
    table->SetPlaneUp(0, true, 3);
    EXPECT_EQ(SetOf(Take(0, 4)), (std::set<EvIndex>{0, 1, 2, 3}));
}

TEST_F(EvTableTest, AGoodEvBehindADeadPortReplacesNoGuard)
{
    // Plane 0 is good but down, so plane 1 is all there is: when all is bad there, guards.
    table->SetPlaneUp(0, false, 1);
    Lose({6, 7, 8, 9, 10, 11}, 2);
    EXPECT_EQ(Active(1), (std::set<EvIndex>{6, 7}));
    table->SetPlaneUp(0, true, 3);
    EXPECT_TRUE(Active(1).empty());
    EXPECT_EQ(SetOf(Take(0, 4)), (std::set<EvIndex>{0, 1, 2, 3}));
}

TEST_F(EvTableTest, AReturnedPortHasItsBadEvsProbedAtOnce)
{
    table->OnLost(2, 0);
    EXPECT_EQ(table->NextProbe(MS), 2U); // the next would be due at 3 ms
    table->OnLost(7, MS);                // and this one at 2 ms
    table->SetPlaneUp(0, false, MS + 1);
    EXPECT_EQ(table->NextProbeDeadlinePs(), 2 * MS);
    EXPECT_EQ(table->NextProbe(4 * MS), 7U);
    EXPECT_EQ(table->NextProbe(4 * MS), NO_EV); // not through a port that is down
    table->SetPlaneUp(0, true, 5 * MS);
    EXPECT_EQ(table->NextProbeDeadlinePs(), 5 * MS);
    EXPECT_EQ(table->NextProbe(5 * MS), 2U);
    EXPECT_EQ(table->NextProbeDeadlinePs(), 6 * MS); // both, 2 after its first interval
}

TEST_F(EvTableTest, SayingWhatIsKnownChangesNothing)
{
    table->OnLost(2, 0);
    table->SetPlaneUp(0, true, MS / 2);
    EXPECT_EQ(table->NextProbeDeadlinePs(), MS);
    table->SetPlaneUp(200, false, MS / 2); // no such plane
    EXPECT_TRUE(table->IsPlaneUp(0));
}

TEST_F(EvTableTest, AnEvThatIsAloneStaysInUse)
{
    config.evMinActive = 1;
    Make({{5}});
    Lose({0, 0});
    EXPECT_EQ(table->State(0), EvState::ASSUMED_BAD);
    EXPECT_EQ(table->Next(0, NO_EV), 0U);
    EXPECT_EQ(table->Next(0, 0), 0U);
}

TEST_F(EvTableTest, FewerEvsThanTheMinimumAllStay)
{
    config.evMinActive = 4;
    Make({{5, 6}});
    Lose({0, 1});
    EXPECT_EQ(SetOf(Take(0, 2)), (std::set<EvIndex>{0, 1}));
}

TEST_F(EvTableTest, ABetterEvReplacesAGuard)
{
    Make(MakeEvs(1, 6));
    config.probeSuccesses = 1;
    Lose({0, 1, 2, 3, 4}); // guard: 0
    table->OnProbeAnswered(2, false, 1);
    EXPECT_EQ(Active(0), (std::set<EvIndex>{2, 5}));
    table->OnProbeAnswered(3, false, 1); // no guard to replace: the rotation grows
    EXPECT_EQ(Active(0), (std::set<EvIndex>{2, 3, 5}));
}

TEST_F(EvTableTest, AGuardThatProvesGoodStays)
{
    Make(MakeEvs(1, 6));
    config.probeSuccesses = 1;
    Lose({0, 1, 2, 3, 4}); // guard: 0
    table->OnProbeAnswered(0, false, 1);
    EXPECT_EQ(Active(0), (std::set<EvIndex>{0, 5}));
    table->OnProbeAnswered(1, false, 1); // it is no guard any more: the rotation grows
    EXPECT_EQ(Active(0), (std::set<EvIndex>{0, 1, 5}));
}

TEST_F(EvTableTest, AnAllowedEvJoinsAGuardWhenBothAreNeededForTheMinimum)
{
    Make(MakeEvs(1, 6));
    for (EvIndex index = 1; index < 6; ++index)
    {
        table->Deny(index, 0);
    }
    Lose({0}); // nobody else is left
    table->Allow(3, 1);
    EXPECT_EQ(Active(0), (std::set<EvIndex>{0, 3}));
}

// --- Probes -------------------------------------------------------------------------------

TEST_F(EvTableTest, ProbesDoubleUpToTheMaximum)
{
    config.probeIntervalMaxPs = 5 * MS;
    EXPECT_EQ(table->NextProbeDeadlinePs(), NEVER);
    EXPECT_EQ(table->NextProbe(NEVER - 1), NO_EV);
    table->OnLost(3, 10 * MS);
    // 1 ms after retirement, then 2, 4, 5, 5 ms after the previous one.
    for (const int64_t dueMs : {11, 13, 17, 22, 27})
    {
        EXPECT_EQ(table->NextProbeDeadlinePs(), dueMs * MS);
        EXPECT_EQ(table->NextProbe(dueMs * MS - 1), NO_EV);
        EXPECT_EQ(table->NextProbe(dueMs * MS), 3U);
        EXPECT_EQ(table->NextProbe(dueMs * MS), NO_EV);
    }
}

TEST_F(EvTableTest, ALateProbeIsTakenAsSentNow)
{
    table->OnLost(3, 0);
    EXPECT_EQ(table->NextProbe(50 * MS), 3U);
    EXPECT_EQ(table->NextProbeDeadlinePs(), 52 * MS);
}

TEST_F(EvTableTest, EachBadEvIsProbedInTurn)
{
    table->OnLost(3, 0);
    table->OnLost(8, MS / 2);
    EXPECT_EQ(table->NextProbeDeadlinePs(), MS);
    EXPECT_EQ(table->NextProbe(2 * MS), 3U);
    EXPECT_EQ(table->NextProbe(2 * MS), 8U);
    EXPECT_EQ(table->NextProbe(2 * MS), NO_EV);
    EXPECT_EQ(table->NextProbeDeadlinePs(), 4 * MS);
}

TEST_F(EvTableTest, UnmarkedAnswersRestore)
{
    table->OnLost(3, 0);
    int64_t nowPs = 0;
    const auto probe = [&](bool marked) {
        nowPs = table->NextProbeDeadlinePs();
        EXPECT_EQ(table->NextProbe(nowPs), 3U);
        table->OnProbeAnswered(3, marked, nowPs);
    };
    probe(false);
    probe(true); // does not count, and spoils nothing
    probe(false);
    EXPECT_EQ(table->State(3), EvState::ASSUMED_BAD);
    probe(false);
    EXPECT_EQ(table->State(3), EvState::GOOD);
    EXPECT_EQ(counters.restored, 1U);
    EXPECT_EQ(table->NextProbeDeadlinePs(), NEVER);
    EXPECT_EQ(recorder.transitions.back().nowPs, nowPs);
}

TEST_F(EvTableTest, AnUnansweredProbeStartsTheCountAgain)
{
    table->OnLost(3, 0);
    const auto probe = [&](bool answered) {
        const int64_t nowPs = table->NextProbeDeadlinePs();
        EXPECT_EQ(table->NextProbe(nowPs), 3U);
        if (answered)
        {
            table->OnProbeAnswered(3, false, nowPs);
        }
    };
    probe(true);
    probe(true);
    probe(false);
    probe(true);
    probe(true);
    EXPECT_EQ(table->State(3), EvState::ASSUMED_BAD);
    probe(true);
    EXPECT_EQ(table->State(3), EvState::GOOD);
}

TEST_F(EvTableTest, ALossStartsTheCountAgain)
{
    config.probeSuccesses = 2;
    table->OnLost(3, 0);
    table->OnProbeAnswered(3, false, 1);
    table->OnLost(3, 2); // a packet of the time before
    table->OnProbeAnswered(3, false, 3);
    EXPECT_EQ(table->State(3), EvState::ASSUMED_BAD);
    table->OnProbeAnswered(3, false, 4);
    EXPECT_EQ(table->State(3), EvState::GOOD);
}

TEST_F(EvTableTest, RetirementAfterRestorationStartsTheIntervalAgain)
{
    config.probeSuccesses = 1;
    table->OnLost(3, 0);
    EXPECT_EQ(table->NextProbe(MS), 3U);
    EXPECT_EQ(table->NextProbe(3 * MS), 3U);
    table->OnProbeAnswered(3, false, 4 * MS);
    table->OnLost(3, 10 * MS);
    EXPECT_EQ(table->NextProbeDeadlinePs(), 11 * MS);
    EXPECT_EQ(table->NextProbe(11 * MS), 3U);
    EXPECT_EQ(table->NextProbeDeadlinePs(), 13 * MS);
}

TEST_F(EvTableTest, ARestoredEvJoinsTheBackupsOfAFullRotation)
{
    config.probeSuccesses = 1;
    Lose({0}); // a backup took over
    table->OnProbeAnswered(0, false, 1);
    EXPECT_FALSE(table->IsActive(0));
    EXPECT_EQ(Active(0).size(), 4U);
    Lose({1, 2}); // one more of the first backups, and 0
    EXPECT_EQ(Active(0), (std::set<EvIndex>{0, 3, 4, 5}));
    EXPECT_EQ(counters.replaced, 3U);
}

TEST_F(EvTableTest, ARestoredEvFillsAGapOfTheRotation)
{
    config.probeSuccesses = 1;
    Lose({0, 1, 2});
    table->OnProbeAnswered(1, false, 1);
    EXPECT_EQ(Active(0), (std::set<EvIndex>{1, 3, 4, 5}));
    table->OnProbeAnswered(0, false, 2);
    EXPECT_FALSE(table->IsActive(0));
}

// --- Controller ---------------------------------------------------------------------------

TEST_F(EvTableTest, ADeniedEvIsReplacedAndNeverUsed)
{
    table->Deny(0, 3);
    EXPECT_EQ(counters.denied, 1U);
    EXPECT_EQ(counters.replaced, 1U);
    EXPECT_EQ(Active(0).size(), 4U);
    for (const EvIndex index : Take(0, 20))
    {
        EXPECT_NE(index, 0U);
    }
    EXPECT_EQ(table->NextProbeDeadlinePs(), NEVER);
    table->Allow(0, 4);
    EXPECT_FALSE(table->IsActive(0)); // the rotation is full
    EXPECT_EQ(recorder.CountTo(EvState::GOOD), 1);
}

TEST_F(EvTableTest, AllDeniedOffersNothingUntilOneIsAllowed)
{
    for (EvIndex index = 0; index < 6; ++index)
    {
        table->Deny(index, 0);
    }
    EXPECT_EQ(table->Next(0, NO_EV), NO_EV);
    EXPECT_NE(table->Next(1, NO_EV), NO_EV);
    table->Allow(4, 1);
    EXPECT_EQ(table->Next(0, NO_EV), 4U);
}

TEST_F(EvTableTest, DenyingABadEvEndsItsProbes)
{
    table->OnLost(3, 0);
    table->Deny(3, 1);
    EXPECT_EQ(table->NextProbeDeadlinePs(), NEVER);
    EXPECT_EQ(table->NextProbe(NEVER - 1), NO_EV);
}

TEST_F(EvTableTest, ADeniedGuardIsReplacedByTheOldestBadOne)
{
    Make(MakeEvs(1, 6));
    Lose({0, 1, 2, 3, 4});
    ASSERT_EQ(Active(0), (std::set<EvIndex>{0, 5}));
    table->Deny(0, 1);
    EXPECT_EQ(Active(0), (std::set<EvIndex>{1, 5}));
    table->Deny(5, 1);
    EXPECT_EQ(Active(0), (std::set<EvIndex>{1, 2}));
}

// --- Anything in any order ----------------------------------------------------------------

TEST_F(EvTableTest, KeepsItsPromisesUnderRandomEvents)
{
    const char* const replay = std::getenv("MRC_TEST_SEED");
    const uint64_t seed = replay ? std::strtoull(replay, nullptr, 0) : std::random_device{}();
    SCOPED_TRACE("replay with MRC_TEST_SEED=" + std::to_string(seed));
    Random random(seed);
    config.probeSuccesses = 2;
    Make(MakeEvs(3, 6), random.Next());
    int64_t nowPs = 0;
    for (int step = 0; step < 50'000 && !HasFailure(); ++step)
    {
        nowPs += random.Below(MS / 100);
        const auto index = static_cast<EvIndex>(random.Below(table->Size()));
        switch (random.Below(17))
        {
        case 0:
            table->OnMarked(index, nowPs);
            break;
        case 1:
            table->OnTrimmed(index, nowPs);
            break;
        case 2:
            table->OnLost(index, nowPs);
            break;
        case 3:
            table->OnAlwaysSkip(index, nowPs);
            break;
        case 4:
        case 5:
            table->OnProbeAnswered(index, random.Below(4) == 0, nowPs);
            break;
        case 6:
            table->Deny(index, nowPs);
            break;
        case 7:
            table->Allow(index, nowPs);
            break;
        case 8:
            table->SetPlaneUp(table->Plane(index), random.Below(3) != 0, nowPs);
            break;
        case 9: {
            const bool due = table->NextProbeDeadlinePs() <= nowPs;
            const EvIndex probed = table->NextProbe(nowPs);
            ASSERT_EQ(probed != NO_EV, due);
            if (due)
            {
                ASSERT_EQ(table->State(probed), EvState::ASSUMED_BAD);
                ASSERT_GT(table->NextProbeDeadlinePs(), 0);
            }
            break;
        }
        default: {
            const uint8_t plane = table->Plane(index);
            const EvIndex avoid = random.Below(2) ? index : NO_EV;
            const bool allDenied = Active(plane).empty();
            const bool alone = Active(plane).size() == 1;
            const EvIndex taken = table->Next(plane, avoid);
            ASSERT_EQ(taken == NO_EV, allDenied);
            if (!allDenied)
            {
                ASSERT_EQ(table->Plane(taken), plane);
                ASSERT_TRUE(table->IsActive(taken));
                ASSERT_TRUE(table->State(taken) == EvState::GOOD ||
                            table->State(taken) == EvState::ASSUMED_BAD);
                ASSERT_TRUE(taken != avoid || alone);
            }
        }
        }

        std::vector<int> allowed(3, 0);
        std::vector<int> good(3, 0);
        std::vector<int> badActive(3, 0);
        for (EvIndex ev = 0; ev < table->Size(); ++ev)
        {
            const EvState state = table->State(ev);
            allowed[table->Plane(ev)] += state != EvState::DENIED;
            good[table->Plane(ev)] += state == EvState::GOOD || state == EvState::SKIP;
            badActive[table->Plane(ev)] += state == EvState::ASSUMED_BAD && table->IsActive(ev);
            ASSERT_FALSE(state == EvState::DENIED && table->IsActive(ev));
        }
        int total = 0;
        int goodOnUp = 0;
        int guards = 0;
        int badOnUp = 0;
        for (uint8_t plane = 0; plane < 3; ++plane)
        {
            const auto active = static_cast<int>(Active(plane).size());
            // Every good EV is used, up to the size of the rotation.
            ASSERT_EQ(active - badActive[plane], std::min(good[plane], 4));
            ASSERT_LE(active, 4);
            ASSERT_TRUE(badActive[plane] == 0 || table->IsPlaneUp(plane));
            goodOnUp += table->IsPlaneUp(plane) ? std::min(good[plane], 4) : 0;
            guards += badActive[plane];
            total += table->IsPlaneUp(plane) ? active : 0;
        }
        for (uint8_t plane = 0; plane < 3; ++plane)
        {
            // Bad ones are used only where good ones are, if there are any.
            ASSERT_TRUE(badActive[plane] == 0 || good[plane] > 0 || goodOnUp == 0);
            const bool isForGuards = table->IsPlaneUp(plane) && (good[plane] > 0 || goodOnUp == 0);
            badOnUp += isForGuards ? std::min(allowed[plane], 4) - std::min(good[plane], 4) : 0;
        }
        // And only to reach the minimum, and always to reach it if there are enough.
        ASSERT_TRUE(guards == 0 || total <= 2);
        ASSERT_GE(total, std::min(2, goodOnUp + badOnUp));
    }
}

} // namespace
} // namespace mrc
