// SPDX-License-Identifier: GPL-2.0-only
// Whole networks: what the project promises of them, in numbers.

#include "mrc-scenario.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/global-value.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

using namespace ns3;

namespace
{

class MrcPermutation : public MrcScenario, public ::testing::WithParamInterface<uint32_t>
{
};

TEST_P(MrcPermutation, ComesCloseToTheIdealWithoutLoss)
{
    clos->Config().planes = GetParam();
    Run(mrc::Permutation(128, 2 << 20, 1, 13));
    const double ideal = IdealUs(2 << 20);
    EXPECT_LT(MeanFctUs(), 1.12 * ideal);
    EXPECT_LT(fctUs.back(), 1.18 * ideal);
    EXPECT_EQ(counters.endpoint.timeouts, 0u);
    EXPECT_EQ(counters.endpoint.inferredLosses, 0u);
    EXPECT_EQ(counters.endpoint.dataSent - counters.endpoint.dataReceived,
              counters.switchPorts.trimmed);
}

INSTANTIATE_TEST_SUITE_P(Planes, MrcPermutation, ::testing::Values(1u, 2u, 4u, 8u));

TEST_F(MrcScenario, IncastKeepsTheLastHopBusy)
{
    // The last flow ends when 32 x 2 MiB have passed one link, headers and gaps counted.
    clos->Config().planes = 1;
    clos->SetSwitchAttribute("LastHopEcn", BooleanValue(true));
    Run(mrc::Incast(128, 32, 0, 2 << 20, 1));
    const double lineRateUs = 32 * (IdealUs(2 << 20) - IdealUs(0)) + IdealUs(0);
    EXPECT_LT(fctUs.back(), 1.02 * lineRateUs);
    EXPECT_GT(counters.switchPorts.trimmed, 0u);
}

TEST_F(MrcScenario, IncastWithoutLastHopEcnPaysForItsTrims)
{
    // As P1 runs it, only trims and quick-adapt hold an incast: more than a header per packet.
    clos->Config().planes = 1;
    Run(mrc::Incast(128, 32, 0, 2 << 20, 1));
    const double lineRateUs = 32 * (IdealUs(2 << 20) - IdealUs(0)) + IdealUs(0);
    EXPECT_LT(fctUs.back(), 1.06 * lineRateUs);
}

TEST_F(MrcScenario, DeadT1CostsItsShareOfTheCapacity)
{
    Run(mrc::Permutation(128, 16 << 20, 1, 13), {"switch-down p1/t1-3@60us"});
    EXPECT_GT(monitor->Results()[0].packetsSent, 0u);
    EXPECT_LT(monitor->Results()[0].TimePs(), 100 * US);
    // 1 of 32 uplinks of each T0 is gone: 60 us at full rate, the rest at 31/32. Allow 200 us
    // for the onset at half the rate.
    const double ideal = IdealUs(16 << 20);
    EXPECT_LT(MeanFctUs(), 60 + 100 + (ideal - 60) * 32 / 31);
    EXPECT_GT(counters.endpoint.ev.retired, 0u);
}

TEST_F(MrcScenario, ReturnedT1IsUsedAgain)
{
    clos->SetProfileAttribute("ProbeInterval", StringValue("50us"));
    Run(mrc::Permutation(128, 32 << 20, 1, 13), {"switch-down p1/t1-3@60us+50us"});
    EXPECT_GT(counters.endpoint.ev.restored, 100u);
    EXPECT_LE(counters.endpoint.ev.restored, counters.endpoint.ev.retired);
}

TEST_F(MrcScenario, OtherWorkloadsArriveOnThreeTiersAndOversubscribed)
{
    clos->Config().tiers = 3;
    clos->Config().nics = 64;
    clos->Config().nicsPerT0 = 4;
    clos->Config().t0PerPod = 4;
    clos->Config().oversubscription = 2;
    clos->Config().planes = 2;
    Run(mrc::AllToAll(64, 16384, 8));
}

TEST_F(MrcScenario, RingAllReduceFollowsItsDependencies)
{
    clos->Config().nics = 32;
    Run(mrc::RingAllReduce(32, 4 << 20));
    EXPECT_EQ(traffic->Total(), 2u * 31 * 32);
}

TEST_F(MrcScenario, TailDropInsteadOfTrimmingRecovers)
{
    clos->Config().planes = 2;
    clos->SetSwitchAttribute("Trimming", BooleanValue(false));
    clos->SetSwitchAttribute("DataQueue", DoubleValue(0.5));
    Run(mrc::Incast(128, 16, 0, 1 << 20, 1));
    EXPECT_EQ(counters.switchPorts.trimmed, 0u);
    EXPECT_GT(counters.switchPorts.dataDrop[static_cast<size_t>(MrcDropReason::DATA_FULL)], 0u);
}

TEST_F(MrcScenario, WithoutSrv6SwitchesHash)
{
    clos->SetProfileAttribute("Srv6", BooleanValue(false));
    Run(mrc::Permutation(128, 1 << 20, 1, 13));
}

/// Tells when a message arrived.
struct ArrivalSink : MrcApplicationSink
{
    void OnCompletion(uint32_t, uint32_t, const mrc::Completion&) override
    {
    }

    void OnReceive(uint32_t, uint32_t, const mrc::ReceiveCompletion& completion) override
    {
        arrivalPs = completion.nowPs;
    }

    int64_t arrivalPs{-1};
};

class MrcLatency : public MrcScenario,
                   public ::testing::WithParamInterface<std::pair<uint32_t, double>>
{
};

TEST_P(MrcLatency, TwoByteWriteTakesWhatP1Published)
{
    network = clos->Install();
    ArrivalSink sink;
    const auto [destination, publishedUs] = GetParam();
    network->Nic(destination).SetApplication(&sink);
    mrc::MemoryTable& memory = network->Nic(destination).Memory();
    const uint32_t key = memory.Region(memory.Register(0, 64, nullptr, 0)).RKey();
    const MrcConnection connection = network->Connect(0, destination);
    network->Nic(0).Post(connection.sourceQp, {1, 0, nullptr, 2, key, 0, true});
    Simulator::Run();
    EXPECT_NEAR(static_cast<double>(sink.arrivalPs) / US, publishedUs, 0.005);
}

INSTANTIATE_TEST_SUITE_P(P1Table,
                         MrcLatency,
                         ::testing::Values(std::pair{1u, 5.09}, std::pair{127u, 6.54}));

TEST_F(MrcScenario, LargeWritesReach96PercentOfLineRate)
{
    clos->Config().nics = 16;
    clos->Config().planes = 8;
    Run(mrc::PointToPoint(0, 15, 1 << 30, 1));
    const double gbps = 8.0 * (1 << 30) / (fctUs[0] * 1000);
    EXPECT_GT(gbps, 0.955 * 800);
    EXPECT_LT(gbps, 0.962 * 800); // 96.1 % is what headers leave
}

TEST_F(MrcScenario, SameSeedSameResultsWhateverSimulatorAndScheduler)
{
    std::vector<std::vector<double>> fcts;
    std::vector<uint64_t> events;
    const std::pair<const char*, const char*> engines[] = {
        {"ns3::MrcSimulatorImpl", "ns3::MrcLaneScheduler"},
        {"ns3::MrcSimulatorImpl", "ns3::MapScheduler"},
        {"ns3::DefaultSimulatorImpl", "ns3::MrcLaneScheduler"},
        {"ns3::DefaultSimulatorImpl", "ns3::PriorityQueueScheduler"}};
    for (const auto& [simulator, scheduler] : engines)
    {
        Simulator::Destroy();
        GlobalValue::Bind("SimulatorImplementationType", StringValue(simulator));
        GlobalValue::Bind("SchedulerType", StringValue(scheduler));
        clos->Config().nics = 64;
        Run(mrc::Permutation(64, 4 << 20, 1, 13),
            {"switch-down p0/t1-3@30us+50us", "loss p1/t0-2-t1-1@10us,rate=0.05"});
        fcts.push_back(fctUs);
        events.push_back(Simulator::GetEventCount());
        EXPECT_EQ(fcts.back(), fcts.front()) << simulator << " " << scheduler;
        EXPECT_EQ(events.back(), events.front()) << simulator << " " << scheduler;
    }
}

} // namespace
