// SPDX-License-Identifier: GPL-2.0-only
// Whole networks in which all paths of a plane to a peer fail: a NIC's port, a T0.
// (type=test of //= MRC-REF 4 Reverse path and ports)

#include "mrc-scenario.h"

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

} // namespace
