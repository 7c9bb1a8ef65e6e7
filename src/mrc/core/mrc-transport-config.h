// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_TRANSPORT_CONFIG_H
#define MRC_TRANSPORT_CONFIG_H

#include "mrc-traffic-class.h"

#include <cstdint>

namespace mrc
{

/// Parameters of requester and responder, shared by the QPs of a NIC.
struct TransportConfig
{
    /// Payload of a full packet, bytes, 256 to 4096.
    uint32_t mtuBytes{4096};

    /// Receive window (max PSN range) that a responder grants, units of 128 PSNs, 8 to 255.
    uint8_t mprUnits{8};

    /// Whether SACKs carry the window, so that a responder can change it.
    bool dynamicMpr{false};

    /// Whether a responder answers trimmed packets with NACKs; a peer sends untrimmable ones if
    /// not.
    bool trimNack{true};

    /// Whether a responder takes the time that it holds a packet out of the time stamp it reflects.
    bool serviceTime{false};

    /// WRITEs with immediate that a requester may have in flight, at least 32.
    uint32_t maxWimm{128};

    /// Whether a WRITE with immediate needs a receive work request that was posted in advance;
    /// otherwise a responder always has MaxWimm of them.
    bool postedReceives{false};

    /// QPs of an endpoint that may hold packets beyond a gap at the same time, 0 = all. A packet
    /// that would need one more is refused with NACK NO_BITMAP.
    uint32_t maxBitmaps{0};

    /// Immediates of an endpoint that may wait for earlier messages at the same time, 0 = as many
    /// as arrive. One more is refused with NACK NO_RESOURCE.
    uint32_t maxStash{0};

    /// Payload that an endpoint can buffer before it is in memory, bytes; 0 = all. What does not
    /// fit is refused with NACK NO_PKT_BUFFER.
    uint32_t packetBufferBytes{0};

    /// Rate at which memory takes payload out of that buffer, 0 = at once.
    uint64_t memoryBitsPerSecond{0};

    /// rcv_cwnd_pen of a responder that runs out of these, units of 1/128 of the window; 0 to 127.
    uint8_t cwndPenalty{32};

    /// Whether a packet beyond the window is answered with NACK PSN_OOR_WINDOW instead of silence.
    bool nackOutOfWindow{false};

    /// ACK timeout exponent t: a packet times out 1.024 us x 2^t after it was sent; 0 to 24.
    //= MRC-REF 1 ACK timeout
    uint8_t ackTimeoutExponent{7};

    /// Timeouts of a packet that wait T each, 0 to 7.
    uint8_t linearRetries{7};

    /// Timeouts after those, each twice as long as the one before, 0 to 25; 25 = for ever.
    uint8_t exponentialRetries{10};

    /// A SACK is due when more than this arrived, each packet counting max(payload, 1024) bytes.
    //= MRC-REF 4 Responder
    uint32_t sackThresholdBytes{4 * 4096};

    /// Round trip of the longest path without load, ps. 0: the helper computes it.
    int64_t baseRttPs{0};

    /// Queueing delay that congestion control aims at, ps. 0: derived from the base RTT.
    int64_t targetDelayPs{0};

    /// Least slack before a hole in the SACKs is taken for a loss, ps. 0: one base RTT. The slack
    /// grows with the delays that are seen, see AgeLimit.
    //= MRC-REF 4 Requester, loss inference (O)
    int64_t reorderGuardPs{0};

    /// Base RTTs without a SACK after which a reliability probe asks for one.
    //= MRC-REF 4 Requester, fast probe timer
    uint32_t probeAfterBaseRtts{3};

    /// Whether a responder picks the SACK bitmap's base so that each arrival is reported once.
    /// Otherwise the base is max PSN - 63 whenever the window is wider than 64 PSNs, and
    /// arrivals below it stay unreported until cack passes them.
    bool sackReportsAll{true};

    /// DSCP of each class.
    DscpMap dscp{};

    /// @return T of the ACK timeout, ps
    int64_t AckTimeoutPs() const
    {
        return int64_t{1'024'000} << ackTimeoutExponent;
    }
};

} // namespace mrc

#endif // MRC_TRANSPORT_CONFIG_H
