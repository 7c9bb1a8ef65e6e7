// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_QP_PATHS_H
#define MRC_QP_PATHS_H

#include "mrc-path-selector.h"
#include "mrc-path-template.h"
#include "mrc-profile.h"
#include "mrc-random.h"

#include <functional>
#include <memory>
#include <vector>

namespace ns3
{

/// Tells which EVs must not be used. @param ev its 32 bits @param plane its plane
using MrcEvFilter = std::function<bool(uint32_t ev, uint8_t plane)>;

/**
 * Draw EVs for a QP: the same number on each plane, random inside a plane.
 *
 * @param profile whether EVs are paths or what switches hash
 * @param table how many
 * @param plan which paths there are
 * @param source index of the sending NIC
 * @param destination index of the receiving NIC
 * @param random draws; as many numbers are used whether there is a filter or not, if it denies none
 * @param isDenied EVs to be taken only if there are no others; may be null
 * @return EVs of each plane
 */
std::vector<std::vector<uint32_t>> MrcDrawEvs(const MrcProfile& profile,
                                              const mrc::EvTableConfig& table,
                                              const mrc::PathPlan& plan,
                                              uint32_t source,
                                              uint32_t destination,
                                              mrc::Random& random,
                                              const MrcEvFilter& isDenied);

/**
 * Make a selector of EVs.
 *
 * @param profile which kind, and settings of REPS; outlives it
 * @param table settings of an EV table; outlive it
 * @param evs of each plane, active ones first
 * @param seed of its choices
 * @param observer told of EV transitions
 * @param counters counts them
 * @return the selector
 */
std::unique_ptr<mrc::PathSelector> MrcMakeSelector(const MrcProfile& profile,
                                                   const mrc::EvTableConfig& table,
                                                   const std::vector<std::vector<uint32_t>>& evs,
                                                   uint64_t seed,
                                                   mrc::EvObserver* observer,
                                                   mrc::EvCounters* counters);

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

/**
 * @param profile whether paths are source-routed
 * @param plan which paths there are
 * @param source index of the sending NIC
 * @param destination index of the receiving NIC
 * @return number of EVs of a plane
 */
uint32_t MrcEvCount(const MrcProfile& profile,
                    const mrc::PathPlan& plan,
                    uint32_t source,
                    uint32_t destination);

/**
 * @param profile whether paths are source-routed
 * @param plan which paths there are
 * @param plane the plane
 * @param number below MrcEvCount()
 * @return an EV of the plane
 */
uint32_t MrcEvOf(const MrcProfile& profile,
                 const mrc::PathPlan& plan,
                 uint32_t plane,
                 uint32_t number);

} // namespace ns3

#endif // MRC_QP_PATHS_H
