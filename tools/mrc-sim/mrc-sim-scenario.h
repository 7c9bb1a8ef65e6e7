// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIM_SCENARIO_H
#define MRC_SIM_SCENARIO_H

#include "mrc-clos-names.h"
#include "mrc-clos-network.h"
#include "mrc-fault-schedule.h"
#include "mrc-route-around.h"
#include "mrc-sim-evs.h"
#include "mrc-sim-options.h"
#include "mrc-traffic.h"

#include <memory>
#include <vector>

namespace mrc::sim
{

/// What a run consists of: made from the options, before anything runs or is written.
struct Scenario
{
    ns3::Ptr<ns3::MrcClosNetwork> network;                   ///< NICs, switches, links
    std::unique_ptr<ns3::MrcTraffic> traffic;                ///< messages
    std::unique_ptr<ns3::MrcFaultSchedule> faults;           ///< what breaks
    std::unique_ptr<ns3::MrcRouteAroundMonitor> routeAround; ///< measures how that is coped with
    std::unique_ptr<Controllers> controllers;                ///< profiles, denials, prober
    std::vector<mrc::ClosPort> captures;                     ///< ports to capture
    std::string verify;                                      ///< how payload is checked, in words
    double setupCpuS;                                        ///< processor time that all this took
};

/**
 * Build what the options ask for, and check all of it.
 *
 * @param[in,out] options of the run; what was left to defaults is filled in
 * @return ready to run
 * @throws BadInput if it cannot be run
 */
Scenario BuildScenario(Options& options);

/// @return processor time of this process so far, s
double CpuSeconds();

} // namespace mrc::sim

#endif // MRC_SIM_SCENARIO_H
