// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_HOST_ROUTE_H
#define MRC_HOST_ROUTE_H

#include "mrc-frame.h"
#include "mrc-ipv6.h"
#include "mrc-path-template.h"
#include "mrc-random.h"
#include "mrc-usid.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace mrc::perf
{

/// The fabric between two real hosts, if source routing follows its plan.
struct FabricPaths
{
    PathPlan plan;      ///< uSIDs and EVs
    uint32_t ownNic;    ///< index of this host
    uint32_t peerNic;   ///< index of the other one
    PathTemplate route; ///< from here to there
};

/**
 * How packets reach a peer: the addresses of its ports, or a uSID carrier for each EV.
 *
 * Carriers come from the plan of a fabric or from an explicit list per plane. With a list the
 * lower half of an EV is the place in it; both ends have lists of their own, so an answer on the
 * EV of its trigger takes the place of the same number, modulo the length of the list.
 */
struct HostRoute
{
    /// What belongs to one plane.
    struct Plane
    {
        uint64_t nextHopMac{0};            ///< where Ethernet frames go
        Ipv6Address peerPort{};            ///< address of the peer's port
        std::vector<UsidCarrier> carriers; ///< explicit paths
    };

    bool isEncapsulated{false};         ///< IPv6-in-IPv6 with a uSID carrier
    Ipv6Address peerAddress{};          ///< of the peer itself: inner destination
    std::vector<Plane> planes;          ///< one per port
    std::shared_ptr<FabricPaths> paths; ///< null: explicit carriers, or none

    /**
     * Give a frame its destination.
     *
     * @param frame has its EV; an EV that names no path of the plane takes the plane's first one
     * @param plane of the port that sends
     */
    void Apply(Frame& frame, uint8_t plane) const;

    /**
     * Choose EVs: the same number for each plane, random within a plane.
     *
     * @param perPlane how many are wanted; fewer if there are fewer paths
     * @param random source of the choice
     * @return values by plane
     */
    std::vector<std::vector<uint32_t>> ChooseEvs(uint32_t perPlane, Random& random) const;
};

} // namespace mrc::perf

#endif // MRC_HOST_ROUTE_H
