// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PACKET_SOURCE_H
#define MRC_PACKET_SOURCE_H

#include <cstdint>
#include <string>

namespace mrc::bench
{

/// What a source sends.
struct SourceConfig
{
    std::string interface;   ///< where from
    std::string source;      ///< IPv6 address
    std::string destination; ///< IPv6 address
    uint64_t macTo{0};       ///< destination MAC, low 48 bits
    uint32_t bytes{1514};    ///< of a packet, Ethernet header included
    uint32_t perSecond{0};   ///< packets; 0 = as many as go
    double seconds{1};       ///< how long
};

/**
 * Send IPv6 packets without next header (59), which a receiver drops in silence: so the cost of a
 * path is measured and not that of a receiver.
 *
 * @param config what
 * @return packets sent
 */
uint64_t SendPackets(const SourceConfig& config);

} // namespace mrc::bench

#endif // MRC_PACKET_SOURCE_H
