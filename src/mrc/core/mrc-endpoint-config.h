// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_ENDPOINT_CONFIG_H
#define MRC_ENDPOINT_CONFIG_H

#include <cstdint>

namespace mrc
{

/// Settings of endpoint operations and reverse paths; NICs share one object.
struct EndpointConfig
{
    /// From a port status update to its first repetition, ps; each one doubles it. 0: two base
    /// RTTs.
    //= MRC-REF 4 Reverse path and ports, repeated until answered (interval O)
    int64_t portUpdateIntervalPs{0};

    /// Largest time between two repetitions of a port status update, ps (O).
    int64_t portUpdateIntervalMaxPs{10'000'000'000};

    /// Repetitions after which a port status update is given up (O).
    uint32_t portUpdateRepeats{20};

    /// After so long an EV_PROBE counts as unanswered, ps. 0: four base RTTs (O).
    int64_t evProbeTimeoutPs{0};

    /// Whether QPs that receive but send nothing probe random EVs: each QP once in as many base
    /// RTTs as its NIC has QPs, so that a NIC sends at most one such probe per base RTT (O).
    //= MRC-REF 4 Reverse path and ports
    bool reverseProbes{true};

    /// Whether answers always travel on the reverse EV of their plane. Otherwise they take the EV
    /// of what they answer, whose path has just worked, and the reverse EV of another plane if the
    /// ports of that plane are down (O).
    bool keepReverseEv{false};
};

} // namespace mrc

#endif // MRC_ENDPOINT_CONFIG_H
