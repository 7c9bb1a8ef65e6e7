// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_ENDPOINT_COUNTERS_H
#define MRC_ENDPOINT_COUNTERS_H

#include "mrc-path-selector.h"

#include <cstdint>

namespace mrc
{

/// What the endpoint operations of one NIC counted.
struct EndpointOpCounters
{
    uint64_t evProbesSent;        ///< EV_PROBE sent
    uint64_t evProbesAnswered;    ///< answered in time
    uint64_t evProbesUnanswered;  ///< not answered in time
    uint64_t portUpdatesSent;     ///< PORT_STATUS_UPDATE sent, repetitions included
    uint64_t portUpdatesRepeated; ///< of these, repetitions
    uint64_t portUpdatesAnswered; ///< that a peer confirmed
    uint64_t portUpdatesGivenUp;  ///< that a peer never confirmed
    uint64_t requestsAnswered;    ///< requests received and answered
    uint64_t requestsRefused;     ///< requests of strangers, of unknown kind, or that make no sense
    uint64_t responsesUnmatched;  ///< responses to nothing that waits for one
};

/// What the endpoints of one NIC counted. Each event is counted once, where it happens.
struct EndpointCounters
{
    uint64_t dataSent;        ///< WRITE packets sent, retransmissions included
    uint64_t retransmitted;   ///< WRITE packets sent again
    uint64_t sacksSent;       ///< SACKs built
    uint64_t nacksSent;       ///< NACKs built
    uint64_t acksSent;        ///< transport ACKs and NAKs built
    uint64_t probesSent;      ///< reliability probes built
    uint64_t dataReceived;    ///< WRITE packets placed
    uint64_t duplicates;      ///< WRITE packets received again and not placed
    uint64_t trimsReceived;   ///< trimmed WRITE packets received
    uint64_t corrupt;         ///< packets whose ICRC was wrong
    uint64_t unknownQp;       ///< packets for a QP that does not exist or is not ready
    uint64_t outOfWindow;     ///< PSN outside the receive window
    uint64_t resourceNacks;   ///< packets refused for want of bitmap, stash or buffer
    uint64_t accessErrors;    ///< R_Key, bounds or length refused
    uint64_t unexpected;      ///< packets that make no sense in this state
    uint64_t trimNacks;       ///< NACK TRIMMED and TRIMMED_LASTHOP received
    uint64_t inferredLosses;  ///< packets taken for lost because later ones arrived
    uint64_t timeouts;        ///< packets taken for lost because their timer ran out
    uint64_t staleFeedback;   ///< SACKs and NACKs older than what is known
    uint64_t messagesPosted;  ///< work requests posted
    uint64_t messagesDone;    ///< work requests completed without error
    uint64_t messagesFailed;  ///< work requests completed in error
    uint64_t messagesArrived; ///< messages complete at the responder
    EvCounters ev;            ///< what happened to EVs
    EndpointOpCounters op;    ///< endpoint operations
};

} // namespace mrc

#endif // MRC_ENDPOINT_COUNTERS_H
