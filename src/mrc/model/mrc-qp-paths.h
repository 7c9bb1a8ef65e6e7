// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_QP_PATHS_H
#define MRC_QP_PATHS_H

#include "mrc-path-selector.h"
#include "mrc-path-template.h"
#include "mrc-profile.h"

#include <memory>

namespace ns3
{

/**
 * Choose the EVs of a QP: the same number on each plane, random inside a plane, the rest backups.
 *
 * @param profile how many, and which selector
 * @param plan which paths there are
 * @param source index of the sending NIC
 * @param destination index of the receiving NIC
 * @param seed of the choice and of the selector
 * @param observer told of EV transitions
 * @param counters counts them
 * @return the selector
 */
//= MRC-REF 4 EV states, 128-256 EVs per QP, equal per plane, random inside a plane
std::unique_ptr<mrc::PathSelector> MrcCreatePathSelector(const MrcProfile& profile,
                                                         const mrc::PathPlan& plan,
                                                         uint32_t source,
                                                         uint32_t destination,
                                                         uint64_t seed,
                                                         mrc::EvObserver* observer,
                                                         mrc::EvCounters* counters);

} // namespace ns3

#endif // MRC_QP_PATHS_H
