// SPDX-License-Identifier: GPL-2.0-only
// MrcLaneScheduler hands out events in the order of MapScheduler, whatever the program.
#include "mrc-lane-scheduler.h"

#include "ns3/config.h"
#include "ns3/event-impl.h"
#include "ns3/global-value.h"
#include "ns3/log.h"
#include "ns3/map-scheduler.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{
namespace
{

using Event = Scheduler::Event;

/// An event for schedulers alone, which never run it.
class IdleEvent : public EventImpl
{
  private:
    void Notify() override
    {
    }
};

/// The events' objects: enough to see whether an event comes back with its own.
std::array<IdleEvent, 64> g_impls;

/**
 * @param ts time
 * @param uid uid, from which the object and the context follow
 * @return an event
 */
Event
MakeTestEvent(uint64_t ts, uint32_t uid)
{
    return {&g_impls[uid % g_impls.size()], {ts, uid, uid * 7}};
}

/**
 * @param maxLanes attribute MaxLanes
 * @param threshold attribute PromotionThreshold
 * @return the scheduler under test
 */
Ptr<MrcLaneScheduler>
MakeLaneScheduler(uint32_t maxLanes, uint32_t threshold)
{
    ObjectFactory factory;
    factory.SetTypeId("ns3::MrcLaneScheduler");
    factory.Set("MaxLanes", UintegerValue(maxLanes));
    factory.Set("PromotionThreshold", UintegerValue(threshold));
    return factory.Create<MrcLaneScheduler>();
}

/**
 * @param count how many seeds a test runs by default
 * @return seeds 1 .. count, or the one of the environment variable MRC_TEST_SEED
 */
std::vector<uint64_t>
Seeds(uint64_t count)
{
    if (const char* text = std::getenv("MRC_TEST_SEED"))
    {
        return {std::strtoull(text, nullptr, 10)};
    }
    std::vector<uint64_t> seeds(count);
    for (uint64_t i = 0; i < count; ++i)
    {
        seeds[i] = i + 1;
    }
    return seeds;
}

/// A random program of operations, done to the scheduler under test and to a MapScheduler.
class Twins
{
  public:
    /// @param seed decides everything
    explicit Twins(uint64_t seed)
        : m_random(seed)
    {
        constexpr std::array<uint32_t, 6> LANES = {0, 1, 2, 3, 15, 63};
        constexpr std::array<uint32_t, 4> THRESHOLDS = {1, 2, 5, 64};
        m_lanes = MakeLaneScheduler(LANES[Draw(LANES.size())], THRESHOLDS[Draw(4)]);
        m_map = CreateObject<MapScheduler>();
        // Small delays make many events of one time.
        m_delayRange = Draw(2) == 0 ? 20 : 1'000'000;
        m_oddPercent = std::array<uint64_t, 3>{0, 8, 50}[Draw(3)];
        m_pastPercent = Draw(4) == 0 ? 3 : 0;
        m_removePercent = std::array<uint64_t, 3>{0, 5, 30}[Draw(3)];
        // Every eighth program sees its uids wrap around, as a run of 2^32 events does.
        m_uid = Draw(8) == 0 ? ~uint32_t{0} - 300 : 4;
        DrawDelays();
    }

    /// Runs the program, and then takes out what is left.
    void Run()
    {
        const uint64_t steps = 200 + Draw(2000);
        uint64_t insertPercent = 70;
        for (uint64_t step = 0; step < steps && !testing::Test::HasFailure(); ++step)
        {
            if (Draw(150) == 0)
            {
                // Grow, hold or drain for a while.
                insertPercent = std::array<uint64_t, 4>{20, 50, 55, 80}[Draw(4)];
            }
            if (Draw(400) == 0)
            {
                DrawDelays();
            }
            Step(insertPercent);
        }
        while (!m_pending.empty() && !testing::Test::HasFailure())
        {
            TakeNext();
        }
        EXPECT_TRUE(m_lanes->IsEmpty());
    }

  private:
    /**
     * @param bound more than 0
     * @return a number below bound
     */
    uint64_t Draw(uint64_t bound)
    {
        return m_random() % bound;
    }

    /// Draws a new set of frequent delays, as if all links had changed their rate.
    void DrawDelays()
    {
        m_delays.resize(1 + Draw(24));
        for (uint64_t& delay : m_delays)
        {
            delay = Draw(m_delayRange);
        }
    }

    /// @param insertPercent how many of 100 steps insert an event
    void Step(uint64_t insertPercent)
    {
        if (m_pending.empty() || Draw(100) < insertPercent)
        {
            InsertOne();
        }
        else if (Draw(100) < m_removePercent)
        {
            RemoveAny();
        }
        else
        {
            TakeNext();
        }
    }

    /// Inserts an event.
    void InsertOne()
    {
        uint64_t ts = m_now;
        if (Draw(100) < m_pastPercent)
        {
            ts -= Draw(std::min<uint64_t>(m_now, m_delayRange) + 1);
        }
        else
        {
            ts +=
                Draw(100) < m_oddPercent ? Draw(2 * m_delayRange) : m_delays[Draw(m_delays.size())];
        }
        const Event ev = MakeTestEvent(ts, m_uid++);
        m_pending.push_back(ev);
        m_lanes->Insert(ev);
        m_map->Insert(ev);
    }

    /// Removes any pending event, sometimes the next one.
    void RemoveAny()
    {
        size_t index = Draw(m_pending.size());
        if (Draw(4) == 0)
        {
            index = Find(m_map->PeekNext());
        }
        m_lanes->Remove(m_pending[index]);
        m_map->Remove(m_pending[index]);
        Forget(index);
        ASSERT_EQ(m_lanes->IsEmpty(), m_pending.empty());
    }

    /// Peeks, sometimes, and takes the next event out.
    void TakeNext()
    {
        ASSERT_FALSE(m_lanes->IsEmpty());
        if (Draw(3) == 0)
        {
            ExpectSame(m_lanes->PeekNext(), m_map->PeekNext());
        }
        const Event expected = m_map->RemoveNext();
        ExpectSame(m_lanes->RemoveNext(), expected);
        m_now = expected.key.m_ts;
        Forget(Find(expected));
        ASSERT_EQ(m_lanes->IsEmpty(), m_pending.empty());
    }

    /**
     * @param actual what MrcLaneScheduler gave
     * @param expected what MapScheduler gave
     */
    static void ExpectSame(const Event& actual, const Event& expected)
    {
        EXPECT_EQ(actual.key.m_ts, expected.key.m_ts);
        EXPECT_EQ(actual.key.m_uid, expected.key.m_uid);
        EXPECT_EQ(actual.key.m_context, expected.key.m_context);
        EXPECT_EQ(actual.impl, expected.impl);
    }

    /**
     * @param ev a pending event
     * @return its index in m_pending
     */
    size_t Find(const Event& ev) const
    {
        return std::find(m_pending.begin(), m_pending.end(), ev) - m_pending.begin();
    }

    /// @param index the index in m_pending of an event that is no longer pending
    void Forget(size_t index)
    {
        m_pending[index] = m_pending.back();
        m_pending.pop_back();
    }

    std::mt19937_64 m_random;       //!< source of all choices
    Ptr<MrcLaneScheduler> m_lanes;  //!< the scheduler under test
    Ptr<Scheduler> m_map;           //!< the reference
    std::vector<Event> m_pending;   //!< all pending events, in no order
    std::vector<uint64_t> m_delays; //!< the frequent delays
    uint64_t m_delayRange;          //!< frequent delays are below this
    uint64_t m_oddPercent;          //!< share of other delays
    uint64_t m_pastPercent;         //!< share of events inserted before the present
    uint64_t m_removePercent;       //!< share of removals that are not of the next event
    uint64_t m_now{0};              //!< time of the event taken out last
    uint32_t m_uid;                 //!< uid of the next event
};

TEST(MrcLaneSchedulerTest, RandomProgramsRunInTheOrderOfMapScheduler)
{
    for (const uint64_t seed : Seeds(2000))
    {
        SCOPED_TRACE("replay with MRC_TEST_SEED=" + std::to_string(seed));
        Twins(seed).Run();
        ASSERT_FALSE(HasFailure());
    }
}

/**
 * Takes all events out.
 * @param scheduler the scheduler
 * @return their uids, in order
 */
std::vector<uint32_t>
Drain(const Ptr<Scheduler>& scheduler)
{
    std::vector<uint32_t> uids;
    while (!scheduler->IsEmpty())
    {
        uids.push_back(scheduler->RemoveNext().key.m_uid);
    }
    return uids;
}

using Uids = std::vector<uint32_t>;

TEST(MrcLaneSchedulerTest, IsEmptyAtFirstAndAfterTheLastEvent)
{
    const auto scheduler = MakeLaneScheduler(15, 1);
    EXPECT_TRUE(scheduler->IsEmpty());
    scheduler->Insert(MakeTestEvent(5, 1));
    EXPECT_FALSE(scheduler->IsEmpty());
    EXPECT_EQ(scheduler->PeekNext().key.m_uid, 1U);
    EXPECT_FALSE(scheduler->IsEmpty());
    EXPECT_EQ(scheduler->RemoveNext().key.m_uid, 1U);
    EXPECT_TRUE(scheduler->IsEmpty());
}

TEST(MrcLaneSchedulerTest, EventsOfOneTimeRunByUid)
{
    // Lanes 10 and 4, then the heap, all due at 14; and one inserted at the present, 10.
    const auto scheduler = MakeLaneScheduler(2, 1);
    scheduler->Insert(MakeTestEvent(14, 1));
    scheduler->Insert(MakeTestEvent(4, 2));
    EXPECT_EQ(scheduler->RemoveNext().key.m_uid, 2U);
    scheduler->Insert(MakeTestEvent(14, 3)); // delay 10
    scheduler->Insert(MakeTestEvent(10, 4)); // delay 6: no lane left
    EXPECT_EQ(scheduler->RemoveNext().key.m_uid, 4U);
    scheduler->Insert(MakeTestEvent(14, 5)); // delay 4
    scheduler->Insert(MakeTestEvent(10, 6)); // delay 0
    EXPECT_EQ(Drain(scheduler), (Uids{6, 1, 3, 5}));
}

TEST(MrcLaneSchedulerTest, InsertsInDecreasingTimesBeforeTheFirstRun)
{
    // A threshold of 1 gives each of the first 15 delays a lane; the rest go to the heap.
    const auto scheduler = MakeLaneScheduler(15, 1);
    Uids expected;
    for (uint32_t i = 0; i < 100; ++i)
    {
        scheduler->Insert(MakeTestEvent(1000 - i, i));
        expected.insert(expected.begin(), i);
    }
    EXPECT_EQ(Drain(scheduler), expected);
}

TEST(MrcLaneSchedulerTest, AnEventThatWouldUnsortItsLaneStillRunsInOrder)
{
    // Same delay, so same lane, but the uid of the second is less.
    const auto scheduler = MakeLaneScheduler(15, 1);
    scheduler->Insert(MakeTestEvent(10, 9));
    scheduler->Insert(MakeTestEvent(10, 3));
    EXPECT_EQ(Drain(scheduler), (Uids{3, 9}));
    // The present is 10. Going back to 2 and inserting with delay 10 makes 12 come after 20.
    scheduler->Insert(MakeTestEvent(20, 10));
    scheduler->Insert(MakeTestEvent(2, 11));
    EXPECT_EQ(scheduler->RemoveNext().key.m_uid, 11U);
    scheduler->Insert(MakeTestEvent(12, 12));
    EXPECT_EQ(Drain(scheduler), (Uids{12, 10}));
}

TEST(MrcLaneSchedulerTest, RemovesFromHeadMiddleAndTailOfALane)
{
    const auto scheduler = MakeLaneScheduler(15, 1);
    for (uint32_t uid = 0; uid < 8; ++uid)
    {
        scheduler->Insert(MakeTestEvent(10, uid));
    }
    scheduler->Remove(MakeTestEvent(10, 1)); // becomes the head's successor
    scheduler->Remove(MakeTestEvent(10, 0)); // head: 1 must be skipped with it
    EXPECT_EQ(scheduler->PeekNext().key.m_uid, 2U);
    scheduler->Remove(MakeTestEvent(10, 4));
    scheduler->Remove(MakeTestEvent(10, 7)); // tail
    scheduler->Insert(MakeTestEvent(10, 8)); // behind a removed tail
    EXPECT_EQ(Drain(scheduler), (Uids{2, 3, 5, 6, 8}));
}

TEST(MrcLaneSchedulerTest, RemovingAllEventsOfALaneEmptiesIt)
{
    const auto scheduler = MakeLaneScheduler(15, 1);
    for (const uint32_t uid : {1, 2, 3})
    {
        scheduler->Insert(MakeTestEvent(10, uid));
    }
    for (const uint32_t uid : {2, 3, 1})
    {
        scheduler->Remove(MakeTestEvent(10, uid));
    }
    EXPECT_TRUE(scheduler->IsEmpty());
    scheduler->Insert(MakeTestEvent(10, 4));
    EXPECT_EQ(Drain(scheduler), (Uids{4}));
}

TEST(MrcLaneSchedulerTest, RemovesFromTheHeap)
{
    const auto scheduler = MakeLaneScheduler(0, 1);
    for (const uint32_t uid : {50, 20, 40, 10, 30, 60, 70})
    {
        scheduler->Insert(MakeTestEvent(uid, uid));
    }
    for (const uint32_t uid : {10, 40, 70})
    {
        scheduler->Remove(MakeTestEvent(uid, uid));
    }
    EXPECT_EQ(Drain(scheduler), (Uids{20, 30, 50, 60}));
}

TEST(MrcLaneSchedulerTest, ALaneGrowsAndKeepsItsOrderAroundTheRing)
{
    // 5,000 pending events of one delay do not fit a first ring, and its head is not at place 0.
    const auto scheduler = MakeLaneScheduler(15, 1);
    uint32_t uid = 0;
    uint32_t expected = 0;
    for (; uid < 100; ++uid)
    {
        scheduler->Insert(MakeTestEvent(10, uid));
    }
    while (uid < 10'000)
    {
        ASSERT_EQ(scheduler->RemoveNext().key.m_uid, expected++);
        const uint64_t now = uid < 200 ? 10 : 20;
        for (int i = 0; i < 2; ++i)
        {
            scheduler->Insert(MakeTestEvent(now + 10, uid++));
        }
    }
    while (!scheduler->IsEmpty())
    {
        ASSERT_EQ(scheduler->RemoveNext().key.m_uid, expected++);
    }
    EXPECT_EQ(expected, uid);
}

TEST(MrcLaneSchedulerTest, ATimerRearmedByRemovalManyTimesRunsOnce)
{
    // The lane's ring is full of removed events over and over; 0 stays at its head.
    const auto scheduler = MakeLaneScheduler(15, 1);
    scheduler->Insert(MakeTestEvent(10, 0));
    scheduler->Insert(MakeTestEvent(10, 1));
    for (uint32_t uid = 2; uid < 5'000; ++uid)
    {
        scheduler->Remove(MakeTestEvent(10, uid - 1));
        scheduler->Insert(MakeTestEvent(10, uid));
    }
    EXPECT_EQ(Drain(scheduler), (Uids{0, 4'999}));
}

TEST(MrcLaneSchedulerTest, ALaneTakenOverKeepsItsEvents)
{
    // One lane. Delay 100 has it, with events at 100, 100, 110, of which the second is removed.
    const auto scheduler = MakeLaneScheduler(1, 2);
    scheduler->Insert(MakeTestEvent(10, 1));  // delay 10, seen once: heap
    scheduler->Insert(MakeTestEvent(100, 2)); // seen once: heap
    scheduler->Insert(MakeTestEvent(100, 3)); // seen twice: lane
    scheduler->Insert(MakeTestEvent(100, 4));
    EXPECT_EQ(scheduler->RemoveNext().key.m_uid, 1U); // now is 10
    scheduler->Insert(MakeTestEvent(110, 5));
    scheduler->Remove(MakeTestEvent(100, 4));
    scheduler->Insert(MakeTestEvent(11, 6));          // delay 1
    EXPECT_EQ(scheduler->RemoveNext().key.m_uid, 6U); // now is 11
    // Delay 7 is seen twice from 11 on, and delay 100 was last seen at 10.
    scheduler->Insert(MakeTestEvent(18, 7));
    scheduler->Insert(MakeTestEvent(18, 8));
    scheduler->Insert(MakeTestEvent(18, 9));
    scheduler->Remove(MakeTestEvent(110, 5));
    scheduler->Insert(MakeTestEvent(111, 10)); // delay 100 again
    EXPECT_EQ(Drain(scheduler), (Uids{7, 8, 9, 2, 3, 10}));
}

TEST(MrcLaneSchedulerTest, TimesBeyondThoseOfTheSimulatorAreOrdered)
{
    constexpr uint64_t LAST = ~uint64_t{0};
    const auto scheduler = MakeLaneScheduler(15, 1);
    scheduler->Insert(MakeTestEvent(LAST, 2));
    scheduler->Insert(MakeTestEvent(LAST, 3));
    scheduler->Insert(MakeTestEvent(LAST - 1, 4));
    EXPECT_EQ(Drain(scheduler), (Uids{4, 2, 3}));
}

/**
 * Takes the next event out and schedules one more, several times.
 * @param scheduler the scheduler, with at least one event
 * @param delay the delay of the new events
 * @param count how many times
 * @param uid uid of the first new event, stepped on
 */
void
Hold(const Ptr<Scheduler>& scheduler, uint64_t delay, int count, uint32_t& uid)
{
    for (int i = 0; i < count; ++i)
    {
        const uint64_t now = scheduler->RemoveNext().key.m_ts;
        scheduler->Insert(MakeTestEvent(now + delay, uid++));
    }
}

TEST(MrcLaneSchedulerTest, ADelayGetsALaneWhenSeenOftenEnough)
{
    const auto scheduler = MakeLaneScheduler(15, 4);
    uint32_t uid = 0;
    scheduler->Insert(MakeTestEvent(3, uid++)); // delay 3
    Hold(scheduler, 10, 3, uid);                // at 13, 23, 33
    EXPECT_FALSE(scheduler->HasLane(10));
    Hold(scheduler, 10, 1, uid); // the fourth
    EXPECT_TRUE(scheduler->HasLane(10));
    EXPECT_FALSE(scheduler->HasLane(3));
}

TEST(MrcLaneSchedulerTest, ARepeatedDelayOverridesOddOnes)
{
    // Each third event has a delay never seen again. 520 of them meet 256 counters, so about two
    // hit that of delay 10, which is seen 1040 times and needs a surplus of 1000.
    const auto scheduler = MakeLaneScheduler(15, 1000);
    uint32_t uid = 0;
    scheduler->Insert(MakeTestEvent(0, uid++));
    for (uint64_t odd = 5000; odd < 5520; ++odd)
    {
        Hold(scheduler, odd, 1, uid);
        Hold(scheduler, 10, 2, uid);
    }
    EXPECT_TRUE(scheduler->HasLane(10));
}

TEST(MrcLaneSchedulerTest, AllLanesCanBeHad)
{
    // 64 lanes in a hash table of 256 entries: some collide, and none may be lost or mistaken.
    const auto scheduler = MakeLaneScheduler(MrcLaneScheduler::LANES_LIMIT, 2);
    uint32_t uid = 0;
    scheduler->Insert(MakeTestEvent(0, uid++));
    std::mt19937_64 random(1);
    std::set<uint64_t> delays;
    while (delays.size() < MrcLaneScheduler::LANES_LIMIT)
    {
        delays.insert(1 + random() % 5'000);
    }
    for (const uint64_t delay : delays)
    {
        Hold(scheduler, delay, 2, uid);
    }
    for (uint64_t delay = 0; delay <= 5'000; ++delay)
    {
        ASSERT_EQ(scheduler->HasLane(delay), delays.count(delay) == 1) << delay;
    }
}

TEST(MrcLaneSchedulerTest, ANewDelayTakesOverTheLaneUnusedLongest)
{
    const auto scheduler = MakeLaneScheduler(2, 4);
    uint32_t uid = 0;
    scheduler->Insert(MakeTestEvent(1, uid++));
    Hold(scheduler, 10, 4, uid);
    Hold(scheduler, 20, 4, uid);
    Hold(scheduler, 10, 1, uid); // so 20 is the one unused longest
    ASSERT_TRUE(scheduler->HasLane(10) && scheduler->HasLane(20));
    Hold(scheduler, 30, 4, uid);
    EXPECT_TRUE(scheduler->HasLane(10));
    EXPECT_FALSE(scheduler->HasLane(20));
    EXPECT_TRUE(scheduler->HasLane(30));
    Hold(scheduler, 40, 4, uid);
    EXPECT_FALSE(scheduler->HasLane(10));
    EXPECT_TRUE(scheduler->HasLane(30));
    EXPECT_TRUE(scheduler->HasLane(40));
}

TEST(MrcLaneSchedulerTest, ALaneInUseIsNotTakenOver)
{
    // Delay 10 is used between any four uses of delay 30.
    const auto scheduler = MakeLaneScheduler(1, 4);
    uint32_t uid = 0;
    scheduler->Insert(MakeTestEvent(1, uid++));
    Hold(scheduler, 10, 4, uid);
    for (int i = 0; i < 100; ++i)
    {
        Hold(scheduler, 30, 3, uid);
        Hold(scheduler, 10, 1, uid);
    }
    EXPECT_TRUE(scheduler->HasLane(10));
    EXPECT_FALSE(scheduler->HasLane(30));
    // When delay 10 is no longer used, at most three uses of 30 were counted before its last.
    Hold(scheduler, 30, 3 + 4, uid);
    EXPECT_FALSE(scheduler->HasLane(10));
    EXPECT_TRUE(scheduler->HasLane(30));
}

#ifndef NS3_ASSERT_ENABLE
TEST(MrcLaneSchedulerTest, RemovingWhatIsNotPendingIsIgnored)
{
    // In a lane and in the heap: never there, removed before, run before.
    for (const uint32_t maxLanes : {0, 16})
    {
        const auto scheduler = MakeLaneScheduler(maxLanes, 1);
        for (const uint32_t uid : {1, 2, 3, 4})
        {
            scheduler->Insert(MakeTestEvent(10, uid));
        }
        EXPECT_EQ(scheduler->RemoveNext().key.m_uid, 1U);
        scheduler->Remove(MakeTestEvent(10, 3));
        for (const uint32_t uid : {1, 3, 7})
        {
            scheduler->Remove(MakeTestEvent(10, uid));
        }
        EXPECT_EQ(Drain(scheduler), (Uids{2, 4}));
    }
}
#endif

TEST(MrcLaneSchedulerTest, AttributesHaveRanges)
{
    const auto scheduler = CreateObject<MrcLaneScheduler>();
    UintegerValue value;
    scheduler->GetAttribute("MaxLanes", value);
    EXPECT_EQ(value.Get(), 15U);
    EXPECT_TRUE(scheduler->SetAttributeFailSafe("MaxLanes", UintegerValue(63)));
    EXPECT_FALSE(scheduler->SetAttributeFailSafe("MaxLanes", UintegerValue(64)));
    EXPECT_FALSE(scheduler->SetAttributeFailSafe("PromotionThreshold", UintegerValue(0)));
}

/// A random program of events that schedule, cancel and remove others, run by the Simulator.
class Cascade
{
  public:
    /// @param seed decides everything
    explicit Cascade(uint64_t seed)
        : m_random(seed)
    {
    }

    /**
     * Runs it under a scheduler.
     * @param typeName TypeId name of the scheduler
     * @param laterTypeName of the scheduler that replaces it in mid-run
     * @return the trace: a line for each event run
     */
    std::vector<std::string> Run(const std::string& typeName, const std::string& laterTypeName)
    {
        SetScheduler(typeName);
        for (int i = 0; i < 50; ++i)
        {
            Spawn();
        }
        Simulator::Schedule(NanoSeconds(700), &Cascade::SetScheduler, laterTypeName);
        Simulator::Schedule(NanoSeconds(1500), &Simulator::Stop);
        Simulator::Run();
        m_trace.push_back("stopped at " + std::to_string(Simulator::Now().GetTimeStep()));
        m_budget = 300;
        Simulator::Run();
        m_trace.push_back("ended at " + std::to_string(Simulator::Now().GetTimeStep()));
        m_events.clear();
        Simulator::Destroy();
        return m_trace;
    }

  private:
    /// @param typeName TypeId name of the scheduler to use from now on
    static void SetScheduler(std::string typeName)
    {
        ObjectFactory factory;
        factory.SetTypeId(typeName);
        Simulator::SetScheduler(factory);
    }

    /// @return a delay, nearly always one of few
    Time Delay()
    {
        constexpr std::array<int64_t, 6> DELAYS_NS = {0, 1, 3, 10, 10, 77};
        return NanoSeconds(m_random() % 12 == 0 ? m_random() % 200
                                                : DELAYS_NS[m_random() % DELAYS_NS.size()]);
    }

    /// Schedules one more event, in one of the ways there are.
    void Spawn()
    {
        if (m_budget == 0)
        {
            return;
        }
        --m_budget;
        const uint32_t id = m_nextId++;
        switch (m_random() % 4)
        {
        case 0:
            Simulator::ScheduleWithContext(id % 5, Delay(), &Cascade::Fire, this, id);
            break;
        case 1:
            m_events.push_back(Simulator::ScheduleNow(&Cascade::Fire, this, id));
            break;
        default:
            m_events.push_back(Simulator::Schedule(Delay(), &Cascade::Fire, this, id));
        }
    }

    /// @param id number of the event being run
    void Fire(uint32_t id)
    {
        std::ostringstream line;
        line << Simulator::Now().GetTimeStep() << " context " << Simulator::GetContext() << " id "
             << id;
        const uint64_t spawns = m_random() % 3 + (m_random() % 4 == 0);
        for (uint64_t i = 0; i < spawns; ++i)
        {
            Spawn();
        }
        if (m_random() % 3 == 0 && !m_events.empty())
        {
            EventId& victim = m_events[m_random() % m_events.size()];
            line << (victim.IsExpired() ? "" : " kills one");
            if (m_random() % 2 == 0)
            {
                victim.Cancel();
            }
            else
            {
                Simulator::Remove(victim);
            }
        }
        m_trace.push_back(line.str());
    }

    std::mt19937_64 m_random;         //!< source of all choices
    std::vector<EventId> m_events;    //!< events to cancel or remove, expired ones too
    std::vector<std::string> m_trace; //!< what happened
    uint32_t m_nextId{0};             //!< number of the next event
    uint32_t m_budget{3000};          //!< events that may still be scheduled
};

TEST(MrcLaneSchedulerTest, TheSimulatorRunsAnyProgramAlikeUnderEachScheduler)
{
    Config::SetDefault("ns3::MrcLaneScheduler::PromotionThreshold", UintegerValue(4));
    Config::SetDefault("ns3::MrcLaneScheduler::MaxLanes", UintegerValue(4));
    const std::string map = "ns3::MapScheduler";
    const std::string lane = "ns3::MrcLaneScheduler";
    for (const uint64_t seed : Seeds(40))
    {
        SCOPED_TRACE("replay with MRC_TEST_SEED=" + std::to_string(seed));
        const auto expected = Cascade(seed).Run(map, map);
        // Enough happens: the program neither dies out nor stops before the change of scheduler.
        ASSERT_GT(expected.size(), 500U);
        ASSERT_EQ(Cascade(seed).Run(lane, lane), expected);
        ASSERT_EQ(Cascade(seed).Run(map, lane), expected);
        ASSERT_EQ(Cascade(seed).Run(lane, map), expected);
        // Not HeapScheduler: in ns-3.37 its order differs once Simulator::Remove was called.
        const std::string queue = "ns3::PriorityQueueScheduler";
        ASSERT_EQ(Cascade(seed).Run(queue, queue), expected);
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::MrcSimulatorImpl"));
        ASSERT_EQ(Cascade(seed).Run(lane, lane), expected);
        ASSERT_EQ(Cascade(seed).Run(queue, lane), expected);
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
    }
    Config::Reset();
}

/// Sends std::clog, where ns-3 logs to, to a string while it lives.
class ClogCapture
{
  public:
    ClogCapture()
        : m_old(std::clog.rdbuf(m_text.rdbuf()))
    {
    }

    ~ClogCapture()
    {
        std::clog.rdbuf(m_old);
    }

    /// @return what was logged
    std::string Text() const
    {
        return m_text.str();
    }

  private:
    std::ostringstream m_text; //!< where it goes to
    std::streambuf* m_old;     //!< where it went to
};

TEST(MrcLaneSchedulerTest, IsSelectedBySchedulerType)
{
    GlobalValue::Bind("SchedulerType", StringValue("ns3::MrcLaneScheduler"));
    LogComponentEnable("MrcLaneScheduler", LOG_LEVEL_FUNCTION);
    std::vector<int64_t> times;
    const auto note = [&times] { times.push_back(Simulator::Now().GetNanoSeconds()); };
    std::string log;
    {
        const ClogCapture capture;
        Simulator::Schedule(NanoSeconds(20), note);
        Simulator::Schedule(NanoSeconds(10), note);
        Simulator::Schedule(NanoSeconds(10), note).Cancel();
        Simulator::Run();
        Simulator::Destroy();
        log = capture.Text();
    }
    LogComponentDisable("MrcLaneScheduler", LOG_LEVEL_FUNCTION);
    GlobalValue::Bind("SchedulerType", StringValue("ns3::MapScheduler"));
    EXPECT_EQ(times, (std::vector<int64_t>{10, 20}));
#ifdef NS3_LOG_ENABLE
    // The simulator does not tell which scheduler it made; the scheduler's constructor logs.
    EXPECT_NE(log.find("MrcLaneScheduler:MrcLaneScheduler("), std::string::npos) << log;
#endif
}

} // namespace
} // namespace ns3
