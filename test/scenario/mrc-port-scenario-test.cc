// SPDX-License-Identifier: GPL-2.0-only
// Whole networks in which all paths of a plane to a peer fail: a NIC's port, a T0.
// (type=test of //= MRC-REF 4 Reverse path and ports)

#include "mrc-scenario.h"

#include <ns3/boolean.h>

using namespace ns3;

namespace
{

/// A fault on the first plane but one, and the network that it happens to.
struct PlaneFault
{
    const char* name;
    uint32_t nics;
    uint32_t planes;
    uint64_t bytes;
    const char* fault;
};

class MrcPlaneFault : public MrcScenario, public ::testing::WithParamInterface<PlaneFault>
{
};

TEST_P(MrcPlaneFault, IsRoutedAroundInTensOfMicroseconds)
{
    clos->Config().nics = GetParam().nics;
    clos->Config().planes = GetParam().planes;
    Run(mrc::Permutation(GetParam().nics, GetParam().bytes, 1, 13), {GetParam().fault});
    const MrcRouteAroundMonitor::Result& result = monitor->Results()[0];
    EXPECT_LT(result.TimePs(), 50 * US);
    EXPECT_EQ(counters.endpoint.timeouts, 0u);
    // 60 us at the full rate, then those who lost a plane have the others.
    const double ideal = IdealUs(GetParam().bytes);
    const double planes = GetParam().planes;
    EXPECT_LT(fctUs.back(), 60 + 100 + (ideal - 60) * planes / (planes - 1));
    // Those who kept all planes notice nothing.
    EXPECT_LT(fctUs.front(), 1.1 * ideal);
}

INSTANTIATE_TEST_SUITE_P(
    Faults,
    MrcPlaneFault,
    ::testing::Values(PlaneFault{"NicLinkOf16", 16, 2, 8 << 20, "link-down nic-3/p1@60us"},
                      PlaneFault{"NicPortOf16", 16, 2, 8 << 20, "nic-port-down nic-3/p1@60us"},
                      PlaneFault{"T0Of16", 16, 2, 8 << 20, "switch-down p1/t0-0@60us"},
                      PlaneFault{"NicLinkOf128", 128, 4, 8 << 20, "link-down nic-3/p1@60us"},
                      PlaneFault{"T0Of128", 128, 4, 8 << 20, "switch-down p1/t0-0@60us"}),
    [](const ::testing::TestParamInfo<PlaneFault>& info) { return info.param.name; });

/// A network of two planes whose NIC 3 loses and gets back its port of plane 1.
class MrcPortFailure : public MrcScenario
{
  protected:
    void SetUp() override
    {
        MrcScenario::SetUp();
        clos->Config().nics = 16;
        clos->Config().planes = 2;
    }

    /// @return updates that are still being repeated, by all NICs
    uint64_t Unanswered() const
    {
        const mrc::EndpointOpCounters& op = counters.endpoint.op;
        return op.portUpdatesSent - op.portUpdatesRepeated - op.portUpdatesAnswered;
    }
};

TEST_F(MrcPortFailure, PeersLeaveThePlaneAsSoonAsTheyAreTold)
{
    Run(mrc::Permutation(16, 4 << 20, 1, 13), {"nic-port-down nic-3/p1@60us"});
    // Without being told they find out after 34 us; an update takes half a base RTT, 7.2 us.
    EXPECT_LT(monitor->Results()[0].TimePs(), 8 * US);
    // NIC 3 sends to one peer and receives from another one.
    EXPECT_EQ(counters.endpoint.op.portUpdatesAnswered, 2u);
    EXPECT_EQ(counters.endpoint.op.portUpdatesRepeated, 0u);
    EXPECT_EQ(counters.endpoint.timeouts, 0u);
}

TEST_F(MrcPortFailure, AReturnedPortIsUsedAtOnce)
{
    Run(mrc::Permutation(16, 16 << 20, 1, 13), {"nic-port-down nic-3/p1@60us+200us"});
    EXPECT_EQ(counters.endpoint.op.portUpdatesAnswered, 4u); // down and up, to two peers
    // 200 us at half the rate cost 100 us; the rest is two RTTs around each change.
    EXPECT_LT(fctUs.back(), 1.06 * IdealUs(16 << 20) + 100 + 60);
    EXPECT_EQ(counters.endpoint.timeouts, 0u);
}

TEST_F(MrcPortFailure, UpdatesThatAreLostAreRepeated)
{
    // The other plane of NIC 3 loses a third of all: data, SACKs, updates and their answers.
    Run(mrc::Permutation(16, 1 << 20, 1, 13),
        {"nic-port-down nic-3/p1@20us+150us", "loss nic-3/p0@10us+400us,rate=0.33"});
    EXPECT_GE(counters.endpoint.op.portUpdatesRepeated, 1u);
    EXPECT_EQ(counters.endpoint.op.portUpdatesGivenUp, 0u);
}

TEST_F(MrcPortFailure, AllNicsOfADeadT0SayGoodbyeAndComeBack)
{
    Run(mrc::Permutation(16, 16 << 20, 1, 13), {"switch-down p1/t0-0@60us+200us"});
    EXPECT_LT(monitor->Results()[0].TimePs(), 8 * US);
    EXPECT_EQ(Unanswered(), 0u);
    EXPECT_GT(counters.endpoint.op.portUpdatesAnswered, 16u); // 8 NICs, down and up, 1 or 2 peers
    EXPECT_EQ(counters.endpoint.timeouts, 0u);
    EXPECT_LT(fctUs.back(), 1.06 * IdealUs(16 << 20) + 100 + 60);
}

TEST_F(MrcPortFailure, APortThatFlapsLeavesNobodyBehind)
{
    Run(mrc::Permutation(16, 8 << 20, 1, 13), {"link-flap nic-3/p1@30us+20us,period=45us,count=6"});
    EXPECT_EQ(Unanswered(), 0u);
}

TEST_F(MrcPortFailure, BothPortsDownForAWhileOnlyDelays)
{
    Run(mrc::Permutation(16, 1 << 20, 1, 13),
        {"nic-port-down nic-3/p0@20us+100us", "nic-port-down nic-3/p1@25us+200us"});
}

TEST_F(MrcPortFailure, AnswersCanTakeKeptReversePaths)
{
    clos->SetProfileAttribute("KeepReverseEv", BooleanValue(true));
    Run(mrc::Permutation(16, 4 << 20, 1, 13), {"nic-port-down nic-3/p1@60us"});
    EXPECT_GT(counters.endpoint.op.evProbesAnswered, 0u);
}

TEST_F(MrcPortFailure, QpsThatOnlyReceiveProbeTheirPaths)
{
    Run(mrc::Permutation(16, 4 << 20, 1, 13));
    // Each of 16 receivers once per base RTT, from the second on, while data comes.
    const double rtts = fctUs.back() * US / network->Profile().Transport().baseRttPs;
    const mrc::EndpointOpCounters& op = counters.endpoint.op;
    EXPECT_LE(op.evProbesSent, 16 * rtts);
    EXPECT_GE(op.evProbesSent, 16 * (rtts / 2 - 2));
    EXPECT_EQ(op.evProbesUnanswered, 0u);
}

} // namespace
