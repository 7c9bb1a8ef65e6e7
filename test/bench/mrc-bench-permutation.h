// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_BENCH_PERMUTATION_H
#define MRC_BENCH_PERMUTATION_H

#include <cstdint>

namespace mrc::bench
{

/// What one run cost.
struct RunCost
{
    uint64_t hops;    ///< packets serialised on ports
    uint64_t events;  ///< simulator events
    double cpuS;      ///< processor time of Simulator::Run()
    double setupCpuS; ///< processor time before it
    bool isComplete;  ///< everything arrived; figures of another run mean nothing

    /// @return packet-hops per second of processor time
    double HopsPerCpuSecond() const
    {
        return static_cast<double>(hops) / cpuS;
    }
};

/**
 * A permutation of one message per NIC over a two-tier fabric, whole transport.
 *
 * @param nics how many
 * @param nicsPerT0 NICs of a T0; as many uplinks
 * @param planes how many
 * @param bytes of each message
 * @return what it cost
 */
RunCost RunMrcPermutation(uint32_t nics, uint32_t nicsPerT0, uint32_t planes, uint64_t bytes);

/**
 * The same number of packets of the same length over the same leaves and spines, one plane, made
 * of stock ns-3 PointToPointNetDevices that forward raw packets; no transport.
 *
 * @param nics how many
 * @param nicsPerLeaf NICs of a leaf; as many spines
 * @param packets of each NIC
 * @return what it cost
 */
RunCost RunStockPermutation(uint32_t nics, uint32_t nicsPerLeaf, uint32_t packets);

/// @return processor time of this process so far, s
double CpuSeconds();

} // namespace mrc::bench

#endif // MRC_BENCH_PERMUTATION_H
