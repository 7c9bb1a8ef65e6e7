// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_STOCK_EMULATION_H
#define MRC_STOCK_EMULATION_H

#include <cstdint>

namespace mrc::bench
{

/// What a run cost.
struct StockResult
{
    uint64_t delivered{0}; ///< packets that arrived at the far TAP
    double cpuS{0};        ///< CPU time of the process, s
};

/**
 * Stock ns-3 between two TAPs: FdNetDevice, BridgeNetDevice, CSMA between bridges,
 * RealtimeSimulatorImpl. Runs in namespaces of its own, where this process is already.
 *
 * @param switches bridges in a row
 * @param bytes of a packet
 * @param perSecond packets
 * @param seconds how long
 * @return what it cost
 */
StockResult RunStock(uint32_t switches, uint32_t bytes, uint32_t perSecond, double seconds);

} // namespace mrc::bench

#endif // MRC_STOCK_EMULATION_H
