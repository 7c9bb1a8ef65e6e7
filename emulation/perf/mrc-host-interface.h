// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_HOST_INTERFACE_H
#define MRC_HOST_INTERFACE_H

#include "mrc-ipv6.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mrc::perf
{

/// What the kernel says about a network interface.
struct HostInterface
{
    std::string name;                   ///< such as "eth0"
    uint32_t index;                     ///< number; changes when a device is made anew
    uint32_t mtuBytes;                  ///< largest IP packet
    uint64_t mac;                       ///< low 48 bits
    bool isUp;                          ///< administratively up, and has a carrier
    std::vector<Ipv6Address> addresses; ///< IPv6, global ones before link-local ones
};

/// @param name of an interface @return what is known of it, or nothing if there is none
std::optional<HostInterface> FindInterface(const std::string& name);

/// @param address of this host @return name of the interface that has it; empty if none has
std::string InterfaceOf(const Ipv6Address& address);

/// @return whether an address is fe80::/10
inline bool
IsLinkLocal(const Ipv6Address& address)
{
    return address.high >> 54 == 0xfe80u >> 6;
}

/**
 * Ask the kernel where it would send packets for an address.
 *
 * Looks up route and neighbour, and starts neighbour discovery if that is needed.
 *
 * @param interface that sends
 * @param destination of the packets
 * @param waitMs how long to wait for discovery
 * @return MAC address of the next hop, or nothing without route or answer
 */
std::optional<uint64_t> FindNextHop(const HostInterface& interface,
                                    const Ipv6Address& destination,
                                    int waitMs);

} // namespace mrc::perf

#endif // MRC_HOST_INTERFACE_H
