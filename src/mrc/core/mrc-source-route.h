// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SOURCE_ROUTE_H
#define MRC_SOURCE_ROUTE_H

#include "mrc-clos-names.h"
#include "mrc-usid-plan.h"
#include "mrc-usid.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mrc
{

/**
 * A path of any length: uSID carriers in the order of travel. Those after the first travel in an
 * SRH. The last uSID names the NIC at the end.
 */
using SourceRoute = std::vector<UsidCarrier>;

//= MRC-REF 3 No SRH up to 6 uSIDs
/**
 * @param block of the fabric
 * @param usids the path, none zero
 * @return as few carriers as hold them
 */
SourceRoute PackUsids(uint32_t block, const std::vector<uint16_t>& usids);

/// Where the static tables take a packet.
struct RouteTrace
{
    std::string problem;            ///< why it does not arrive; empty if it does
    uint32_t destination{0};        ///< NIC that it reaches
    std::vector<Attachment> egress; ///< switch ports that it leaves through
    uint32_t u0{0};                 ///< first uplink of a T0 on the way, 0 if there is none
    uint32_t u1{0};                 ///< first uplink of a T1
};

/**
 * Follow a path.
 *
 * @param usids the fabric
 * @param plane plane of the port that sends
 * @param source NIC that sends
 * @param route the path
 * @return where it goes
 */
RouteTrace TraceRoute(const UsidPlan& usids,
                      uint32_t plane,
                      uint32_t source,
                      const SourceRoute& route);

/**
 * Read a path that is written as the names of its nodes: "p0/t0-0,t1-2,t0-3,nic-25". The plane is
 * named once. "t1-2#1" is the T1 reached through the parallel link 1, "t0-3#1" likewise.
 *
 * @param usids the fabric
 * @param text the path
 * @param[out] plane its plane
 * @return its uSIDs
 * @throws ClosNameError if a node does not exist
 */
std::vector<uint16_t> ParseRoute(const UsidPlan& usids, std::string_view text, uint32_t& plane);

} // namespace mrc

#endif // MRC_SOURCE_ROUTE_H
