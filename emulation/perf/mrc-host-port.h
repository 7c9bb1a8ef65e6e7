// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_HOST_PORT_H
#define MRC_HOST_PORT_H

#include "mrc-host-interface.h"
#include "mrc-packet-socket.h"

#include <cstdint>
#include <memory>

namespace mrc::perf
{

/// A port of a real endpoint: one interface, one plane.
struct HostPort
{
    HostInterface interface;              ///< what the kernel says
    Ipv6Address address;                  ///< own address in the plane
    std::unique_ptr<PacketSocket> socket; ///< frames
    int64_t idleUntilPs{0};               ///< the plane misses a turn until then
    uint64_t changes{0};                  ///< how often the link went down or came up
};

} // namespace mrc::perf

#endif // MRC_HOST_PORT_H
