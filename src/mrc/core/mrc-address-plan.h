// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_ADDRESS_PLAN_H
#define MRC_ADDRESS_PLAN_H

#include "mrc-clos-plan.h"
#include "mrc-ipv6.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mrc
{

/// Default first 32 bits of the NICs' addresses: the block next to that of the uSIDs.
inline constexpr uint32_t DEFAULT_ADDRESS_BLOCK = 0xfd6d7264;

/// Consecutive ports; several are alternatives among which a hash over the flow chooses.
struct PortGroup
{
    uint16_t firstPort; ///< lowest port
    uint16_t portCount; ///< ports; 0 = no route
};

/**
 * A row of a switch's table for traffic without uSIDs; one row stands for a run of routes.
 *
 * It covers the addresses that begin with the prefix and in which the 16-bit group number
 * `indexGroup` is `firstIndex` plus 0 to `indexCount` - 1. Each value of the group has
 * `portCount` ports of its own, in order from `firstPort` on.
 */
struct PrefixRoute
{
    /// indexGroup of a plain route, which looks at the prefix only.
    static constexpr uint8_t NO_GROUP = 8;

    Ipv6Address prefix;  ///< zero after the prefix
    uint8_t prefixBits;  ///< 0 (default route) to 128
    uint8_t indexGroup;  ///< 0 (bytes 0-1 of the address) to 7 (bytes 14-15), or NO_GROUP
    uint16_t firstIndex; ///< value of the group that leaves through firstPort
    uint16_t indexCount; ///< values of the group that are covered
    uint16_t firstPort;  ///< first port of the first value
    uint16_t portCount;  ///< ports of each value

    /// @param address a destination
    /// @return the ports towards it; portCount 0 if this row does not cover it
    PortGroup Lookup(const Ipv6Address& address) const;
};

/**
 * The IPv6 addresses of a fabric's NICs and the routes to them for packets without uSIDs.
 *
 *     block 32 | pod 16 | T0 in the pod 16 | port 16 | 0 (32) | host 16
 *
 * where host is the NIC's port on its T0, from 1, and port is 0 in the address of the NIC itself
 * (inner source and destination) or plane + 1 in that of one of its ports (outer source).
 */
class AddressPlan
{
  public:
    /**
     * Number a fabric.
     *
     * @param plan the fabric
     * @param block first 32 bits of every address, inside fc00::/7 and not those of the uSIDs
     * @throws ClosConfigError if the block is not a unique local prefix
     */
    explicit AddressPlan(const ClosPlan& plan, uint32_t block = DEFAULT_ADDRESS_BLOCK);

    /// @param nic NIC of the fabric
    /// @return its address, the same in all planes
    Ipv6Address NicAddress(uint32_t nic) const;

    /// @param nic NIC of the fabric
    /// @param plane the plane of one of its ports
    /// @return the address of that port
    Ipv6Address NicPortAddress(uint32_t nic, uint32_t plane) const;

    /// @param address any address
    /// @return the NIC to which it belongs (as NIC or as port), if any
    std::optional<uint32_t> FindNic(const Ipv6Address& address) const;

    /**
     * Compute a switch's routes for packets without uSIDs.
     *
     * @param kind T0, T1 or T2
     * @param index number of its kind; the routes are the same in each plane
     * @return at most two rows; the first that covers an address counts
     */
    std::vector<PrefixRoute> Routes(NodeKind kind, uint32_t index) const;

    /**
     * Print a switch's routes, a line per destination:
     * "fd6d:7264:0:3::/64 -> ports 6-7".
     *
     * @param kind T0, T1 or T2
     * @param index number of its kind
     * @return the lines, each ending in a line feed
     */
    std::string FormatTable(NodeKind kind, uint32_t index) const;

  private:
    ClosPlan m_plan;  ///< the fabric
    uint32_t m_block; ///< first 32 bits of every address
};

} // namespace mrc

#endif // MRC_ADDRESS_PLAN_H
