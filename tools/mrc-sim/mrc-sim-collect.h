// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIM_COLLECT_H
#define MRC_SIM_COLLECT_H

#include "mrc-sim-results.h"
#include "mrc-sim-scenario.h"

namespace mrc::sim
{

/// @param scenario not run yet @return results with what is known of the network
Results DescribeNetwork(const Scenario& scenario);

/**
 * Add what happened.
 *
 * @param scenario that ran; its payload is verified
 * @param ending why it ended
 * @param[in,out] results from DescribeNetwork()
 */
void CollectResults(Scenario& scenario, Ending ending, Results& results);

} // namespace mrc::sim

#endif // MRC_SIM_COLLECT_H
