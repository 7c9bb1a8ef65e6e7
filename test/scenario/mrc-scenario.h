// SPDX-License-Identifier: GPL-2.0-only
// What tests of whole networks share: a network, what runs on it, and what came of it.
#ifndef MRC_SCENARIO_H
#define MRC_SCENARIO_H

#include "mrc-fault-schedule.h"
#include "mrc-lane-scheduler.h"
#include "mrc-multi-plane-clos-helper.h"
#include "mrc-route-around.h"
#include "mrc-traffic.h"

#include <ns3/simulator.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

inline constexpr int64_t US = 1'000'000;

/// A network, what runs on it, and what came of it.
class MrcScenario : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        MrcMultiPlaneClosHelper::UseFastSimulator();
        clos = std::make_unique<MrcMultiPlaneClosHelper>();
        clos->Config().nics = 128;
        clos->Config().nicsPerT0 = 8;
        clos->Config().planes = 4;
    }

    void TearDown() override
    {
        Simulator::Destroy();
    }

    /// Run a workload to its end; all of it must arrive, once.
    void Run(mrc::Workload workload, std::initializer_list<const char*> faults = {})
    {
        network = clos->Install();
        traffic = std::make_unique<MrcTraffic>(network, std::move(workload), MrcVerify::PLACEMENT);
        schedule = std::make_unique<MrcFaultSchedule>(network);
        for (const char* fault : faults)
        {
            schedule->Add(fault);
        }
        monitor = std::make_unique<MrcRouteAroundMonitor>(network, schedule->Faults());
        schedule->Install();
        monitor->Install();
        traffic->SetDoneCallback([] { Simulator::Stop(); });
        traffic->Start();
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        counters = network->Counters();

        ASSERT_EQ(traffic->Completed(), traffic->Total());
        EXPECT_EQ(traffic->Verify(), traffic->Total());
        EXPECT_EQ(traffic->RepeatedPackets(), 0u);
        EXPECT_EQ(traffic->StrayReports(), 0u);
        CheckConservation();
        fctUs.clear();
        for (size_t i = 0; i < traffic->Records().size(); ++i)
        {
            const MrcTraffic::Record& record = traffic->Records()[i];
            // Nobody is faster than light.
            EXPECT_GE(record.completedPs - record.postedPs, traffic->IdealPs(i)) << i;
            fctUs.push_back(static_cast<double>(record.completedPs - record.postedPs) / US);
        }
        std::sort(fctUs.begin(), fctUs.end());
    }

    /// Each WRITE that was sent was placed, refused, or dropped with a reason, or is still under
    /// way; a trimmed one is on its way as such, or arrived so, or was dropped.
    void CheckConservation() const
    {
        const mrc::EndpointCounters& end = counters.endpoint;
        uint64_t dropped = 0;
        uint64_t droppedAny = 0;
        for (uint32_t reason = 0; reason < MRC_DROP_REASONS; ++reason)
        {
            dropped += counters.nicPorts.dataDrop[reason] + counters.switchPorts.dataDrop[reason];
            droppedAny += counters.nicPorts.drop[reason] + counters.switchPorts.drop[reason];
        }
        const uint64_t ended = end.dataReceived + end.duplicates + dropped +
                               counters.switchPorts.trimmed + end.outOfWindow + end.resourceNacks;
        ASSERT_LE(ended, end.dataSent);
        EXPECT_LE(end.dataSent - ended, network->Fabric().Pool().InUse());
        EXPECT_LE(end.trimsReceived, counters.switchPorts.trimmed);
        EXPECT_LE(counters.switchPorts.trimmed - end.trimsReceived,
                  network->Fabric().Pool().InUse() + droppedAny);
    }

    double MeanFctUs() const
    {
        double sum = 0;
        for (const double fct : fctUs)
        {
            sum += fct;
        }
        return sum / static_cast<double>(fctUs.size());
    }

    double IdealUs(uint64_t bytes) const
    {
        return static_cast<double>(mrc::IdealFctPs(network->Ideal(), bytes)) / US;
    }

    std::unique_ptr<MrcMultiPlaneClosHelper> clos;
    Ptr<MrcClosNetwork> network;
    std::unique_ptr<MrcTraffic> traffic;
    std::unique_ptr<MrcFaultSchedule> schedule;
    std::unique_ptr<MrcRouteAroundMonitor> monitor;
    MrcNetworkCounters counters;
    std::vector<double> fctUs; //!< sorted
};

} // namespace ns3

#endif // MRC_SCENARIO_H
