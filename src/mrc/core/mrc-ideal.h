// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_IDEAL_H
#define MRC_IDEAL_H

#include <cstdint>

namespace mrc
{

//= MRC-REF 4 Latencies
/**
 * What each part of an unloaded path adds, store and forward.
 *
 * The defaults come from two published measurements of a 2-byte write: 5.09 us between NICs on
 * one T0, 6.54 us across a T1. Such a write (WRITE Only, TSETH, SRv6) keeps a link busy for
 * 142 + 2 payload + 2 pad + 24 (FCS, preamble, gap) = 170 bytes, 13.6 ns at 100 Gb/s:
 *
 *     2 NICs + 1 switch   + 2 links + 2 x 13.6 ns = 5090 ns
 *     2 NICs + 3 switches + 4 links + 4 x 13.6 ns = 6540 ns
 *
 * The difference is 2 (switch + link) + 27.2 ns = 1450 ns, so switch + link = 711.4 ns. With
 * 15 m of cable, 75 ns, a switch takes 636.4 ns and a NIC 2138.2 ns.
 */
struct FabricLatency
{
    int64_t switchLatencyPs = 636'400;         ///< last bit in to first bit out of a switch, ps
    int64_t linkDelayPs = 75'000;              ///< propagation on a link, ps
    int64_t nicLatencyPs = 2'138'200;          ///< between memory and wire, once in each NIC, ps
    uint64_t portBitsPerSecond = 100000000000; ///< rate of each port, bit/s, > 0
};

/// What an unloaded transfer meets.
struct IdealConfig
{
    FabricLatency latency;     ///< parts of the path
    uint32_t switches = 3;     ///< on the longest path used: 1, 3 or 5
    uint32_t planes = 4;       ///< ports of a NIC, > 0
    uint32_t mtuBytes = 4096;  ///< payload of a full packet, > 0
    bool encapsulated = true;  ///< packets have an outer IPv6 header
    bool hasTimestamps = true; ///< WRITEs carry TSETH
};

/**
 * Time to put bytes on a wire.
 *
 * @param wireBytes bytes, everything counted
 * @param bitsPerSecond rate, > 0
 * @return ps, rounded up: a link is never faster than its rate
 */
int64_t SerializationPs(uint64_t wireBytes, uint64_t bitsPerSecond);

/**
 * Time from memory to memory of a single packet on an unloaded path.
 *
 * @param latency parts of the path
 * @param switches on the path, 0 for two NICs back to back
 * @param wireBytes bytes that the packet keeps a link busy for
 * @return ps
 */
int64_t OneWayPs(const FabricLatency& latency, uint32_t switches, uint32_t wireBytes);

/**
 * The longest unloaded round trip: a full packet there and its SACK back.
 *
 * @param config the path
 * @return ps
 */
int64_t BaseRttPs(const IdealConfig& config);

/**
 * What one plane holds in a base round trip.
 *
 * @param config the path
 * @return bytes, rounded down
 */
uint64_t PlaneBdpBytes(const IdealConfig& config);

/**
 * Bytes that a message of WRITE packets puts on the wire at the sender.
 *
 * @param config packet size and headers
 * @param messageBytes payload; 0 still takes one packet
 * @param hasImmediate whether the message ends with an immediate
 * @return bytes with every header, FCS, preamble and gap
 */
uint64_t MessageWireBytes(const IdealConfig& config, uint64_t messageBytes, bool hasImmediate);

/**
 * The least time from posting a message to its completion at the requester, when the fabric is
 * otherwise empty and all ports of the NIC share the packets evenly.
 *
 * The message's bytes leave at the sum of the port rates, or at that of one port for the largest
 * packet if that takes longer; then the last packet crosses the longest path (its first
 * serialisation is counted already) and the SACK comes back. It bounds from below: any schedule
 * of whole packets on the ports takes at least as long.
 *
 * @param config the path
 * @param messageBytes payload
 * @param hasImmediate whether the message ends with an immediate
 * @return ps
 */
int64_t IdealFctPs(const IdealConfig& config, uint64_t messageBytes, bool hasImmediate = false);

} // namespace mrc

#endif // MRC_IDEAL_H
