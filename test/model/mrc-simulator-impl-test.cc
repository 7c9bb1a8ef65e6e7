// SPDX-License-Identifier: GPL-2.0-only
// MrcSimulatorImpl does what ns-3 asks of a simulator. That it runs any program of events in the
// order of ns-3's own is TheSimulatorRunsAnyProgramAlikeUnderEachScheduler.
#include "mrc-clock.h"
#include "mrc-lane-scheduler.h"
#include "mrc-simulator-impl.h"

#include <ns3/global-value.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace
{

using namespace ns3;

/// Notes when it runs.
class Note final : public MrcFabricEvent
{
  public:
    /// @param log where to
    explicit Note(std::vector<int64_t>& log)
        : m_log(log)
    {
    }

    void Run(int64_t nowPs) override
    {
        m_log.push_back(nowPs);
    }

    void Prefetch(uint32_t step) const override
    {
        EXPECT_LT(step, PREFETCH_STEPS);
    }

  private:
    std::vector<int64_t>& m_log; //!< times
};

/// Runs each test under a fresh simulator, once per event list.
class SimulatorImplTest : public testing::TestWithParam<const char*>
{
  protected:
    void SetUp() override
    {
        Simulator::Destroy();
        GlobalValue::Bind("SimulatorImplementationType",
                          StringValue(MrcSimulatorImpl::GetTypeId().GetName()));
        MrcLaneScheduler::GetTypeId();
        GlobalValue::Bind("SchedulerType", StringValue(GetParam()));
        Simulator::GetImplementation();
        ASSERT_NE(MrcSimulatorImpl::Current(), nullptr);
    }

    void TearDown() override
    {
        Simulator::Destroy();
        EXPECT_EQ(MrcSimulatorImpl::Current(), nullptr);
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
        GlobalValue::Bind("SchedulerType", StringValue("ns3::MapScheduler"));
    }

    std::vector<int64_t> log; //!< when fabric events ran
};

INSTANTIATE_TEST_SUITE_P(EventLists,
                         SimulatorImplTest,
                         testing::Values("ns3::MrcLaneScheduler", "ns3::MapScheduler"));

TEST_P(SimulatorImplTest, FabricEventsRunInOrderWithOrdinaryOnes)
{
    const Ptr<Note> note = Create<Note>(log);
    Simulator::Schedule(Time(5), [&] { log.push_back(-5); });
    MrcSchedule(PeekPointer(note), 5, 0); // same time, scheduled later
    Simulator::Schedule(Time(5), [&] { log.push_back(-6); });
    MrcSchedule(PeekPointer(note), 3, 0);
    Simulator::Run();
    EXPECT_EQ(log, (std::vector<int64_t>{3, -5, 5, -6}));
    EXPECT_EQ(Simulator::GetEventCount(), 4U);
    EXPECT_EQ(note->GetReferenceCount(), 1U);
}

TEST_P(SimulatorImplTest, PendingFabricEventsAreReleasedAtTheEnd)
{
    const Ptr<Note> note = Create<Note>(log);
    MrcSchedule(PeekPointer(note), 5, 0);
    EXPECT_EQ(note->GetReferenceCount(), 2U);
    Simulator::Destroy();
    EXPECT_EQ(note->GetReferenceCount(), 1U);
    EXPECT_TRUE(log.empty());
}

TEST_P(SimulatorImplTest, ContextIsThatOfTheEventAndNoneInFabricEvents)
{
    std::vector<uint32_t> contexts;
    Simulator::ScheduleWithContext(7, Time(1), [&] {
        contexts.push_back(Simulator::GetContext());
        Simulator::Schedule(Time(1), [&] { contexts.push_back(Simulator::GetContext()); });
    });
    Simulator::Run();
    EXPECT_EQ(contexts, (std::vector<uint32_t>{7, 7}));
    MrcSchedule(PeekPointer(Create<Note>(log)), 9, 2);
    Simulator::Run();
    EXPECT_EQ(Simulator::GetContext(), Simulator::NO_CONTEXT);
}

TEST_P(SimulatorImplTest, StopEndsTheRunAndTheNextGoesOn)
{
    Simulator::Stop(Time(10));
    Simulator::Schedule(Time(20), [&] { log.push_back(20); });
    Simulator::Run();
    EXPECT_EQ(Simulator::Now(), Time(10));
    EXPECT_FALSE(Simulator::IsFinished() && log.size() == 1);
    Simulator::Run();
    EXPECT_EQ(log, std::vector<int64_t>{20});
    EXPECT_TRUE(Simulator::IsFinished());
}

TEST_P(SimulatorImplTest, DestroyEventsRunAtDestroyUnlessTakenOut)
{
    std::string done;
    Simulator::ScheduleDestroy(
        +[](std::string* text) { *text += "a"; }, &done);
    EventId cancelled = Simulator::ScheduleDestroy(
        +[](std::string* text) { *text += "b"; }, &done);
    EventId removed = Simulator::ScheduleDestroy(
        +[](std::string* text) { *text += "c"; }, &done);
    Simulator::ScheduleDestroy(
        +[](std::string* text) { *text += "d"; }, &done);
    EXPECT_FALSE(cancelled.IsExpired());
    Simulator::Cancel(cancelled);
    Simulator::Remove(removed);
    EXPECT_TRUE(removed.IsExpired());
    Simulator::Run();
    EXPECT_EQ(done, "");
    Simulator::Destroy();
    EXPECT_EQ(done, "ad");
}

TEST_P(SimulatorImplTest, DelayLeftAndExpiryFollowTheClock)
{
    EventId id = Simulator::Schedule(Time(30), [] {});
    Simulator::Schedule(Time(10), [&] {
        EXPECT_EQ(Simulator::GetDelayLeft(id), Time(20));
        EXPECT_TRUE(id.IsRunning());
    });
    Simulator::Run();
    EXPECT_TRUE(id.IsExpired());
    EXPECT_EQ(Simulator::GetDelayLeft(id), Time(0));
    EXPECT_EQ(Simulator::GetMaximumSimulationTime(), Time(std::numeric_limits<int64_t>::max()));
}

TEST_P(SimulatorImplTest, OtherThreadsScheduleWithContext)
{
    // The simulation keeps itself alive until it has seen what the other thread asked for.
    uint32_t context = 0;
    std::thread other([&] {
        Simulator::ScheduleWithContext(3, Time(0), [&] { context = Simulator::GetContext(); });
    });

    struct Wait
    {
        static void Again(const uint32_t* context)
        {
            if (*context == 0)
            {
                Simulator::Schedule(Time(1), &Wait::Again, context);
            }
        }
    };

    Simulator::Schedule(Time(1), &Wait::Again, static_cast<const uint32_t*>(&context));
    Simulator::Run();
    other.join();
    EXPECT_EQ(context, 3U);
}

TEST_P(SimulatorImplTest, RunUntilFollowsAClock)
{
    MrcSimulatorImpl& simulator = *MrcSimulatorImpl::Current();
    EXPECT_EQ(simulator.NextPs(), std::numeric_limits<int64_t>::max());
    const Ptr<Note> note = Create<Note>(log);
    MrcSchedule(PeekPointer(note), 10, 0);
    MrcSchedule(PeekPointer(note), 11, 0);
    EXPECT_EQ(simulator.NextPs(), 10);
    EXPECT_TRUE(simulator.RunUntil(10));
    EXPECT_EQ(log, std::vector<int64_t>{10});
    EXPECT_TRUE(simulator.RunUntil(10));
    EXPECT_EQ(Simulator::Now(), Time(10));
    EXPECT_EQ(simulator.NextPs(), 11);
    EXPECT_TRUE(simulator.RunUntil(50));
    EXPECT_EQ(Simulator::Now(), Time(50));
    Simulator::Schedule(Time(1), &Simulator::Stop);
    EXPECT_FALSE(simulator.RunUntil(60));
    EXPECT_EQ(Simulator::Now(), Time(51));
}

TEST(MrcSimulatorImplTest, IsNotCurrentUnlessTheSimulatorUsesIt)
{
    const Ptr<Object> looked = CreateObject<MrcSimulatorImpl>();
    EXPECT_EQ(MrcSimulatorImpl::Current(), nullptr);
}

} // namespace
