// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIM_RESULTS_H
#define MRC_SIM_RESULTS_H

#include "mrc-clos-network.h"
#include "mrc-sim-attributes.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace mrc::sim
{

/// How a run ended.
enum class Ending
{
    DONE,        ///< every message completed
    STALLED,     ///< nothing moved any more
    TIME_LIMIT,  ///< --duration is over
    INTERRUPTED, ///< the user did not want to wait
};

/// Flow completion times: from posting to the completion that the requester sees, us.
struct FctSummary
{
    double meanUs;      ///< of completed messages
    double p50Us;       ///< half took at most this
    double p99Us;       ///< 99 of 100 took at most this
    double maxUs;       ///< the longest
    double idealUs;     ///< the least that the largest message over the longest path used can take
    double idealMeanUs; ///< the least that each message can take, on average
    double idealLastUs; ///< the least after which the busiest NIC can have received everything
};

/// How a job ended. It waits for its slowest rank: P100 is what counts.
struct JobResult
{
    uint32_t ranks;      ///< NICs that send or receive
    uint64_t messages;   ///< of the job
    uint64_t completed;  ///< of these
    double doneUs;       ///< from the first post to the last completion, us
    uint32_t slowestNic; ///< sender of the message that completed last
    double firstDoneUs;  ///< when the first NIC had all of its messages completed, us
    double busGbps;      ///< bytes that a rank sends, on average, in that time
};

/// Where the WRITE packets that were sent went. They add up.
struct Conservation
{
    uint64_t sent;       ///< WRITE packets that left a NIC, retransmissions included
    uint64_t delivered;  ///< placed in memory
    uint64_t duplicates; ///< arrived again, not placed
    uint64_t trimmed;    ///< cut to their headers
    uint64_t dropped;    ///< lost, with a reason; damaged ones included
    uint64_t refused;    ///< arrived, but outside the window, or access denied
    uint64_t inFlight;   ///< what remains: in a queue or on a link when the run ended
    bool isHeld;         ///< what remains is not negative, and not more than there are frames
};

/// How soon one QP left the paths that a fault cut.
struct FaultQp
{
    uint32_t nic;               ///< the sender
    uint32_t remoteQp;          ///< QPN at the receiver
    double timeToRouteAroundUs; ///< from onset to its last WRITE sent onto a failed path, us
    uint64_t packetsLost;       ///< WRITE packets that it sent onto failed paths
};

/// What became of a fault.
struct FaultResult
{
    std::string spec;           ///< as given
    double onsetUs;             ///< when it began, us
    bool hasBegun;              ///< whether the run lasted until then
    bool isMeasured;            ///< whether it has paths to route around
    double timeToRouteAroundUs; ///< from onset to the last WRITE sent onto a failed path, us
    uint64_t packetsLost;       ///< WRITE packets sent onto failed paths after the onset
    std::vector<FaultQp> qps;   ///< QPs that sent any
};

/// What happened, computed once when a run is over. The reports only format it.
struct Results
{
    Ending ending;      ///< why it is over
    double simulatedUs; ///< simulated time at the end, us

    uint64_t messages;  ///< of the workload
    uint64_t completed; ///< acknowledged in full
    uint64_t failed;    ///< completed in error
    uint64_t verified;  ///< whose payload is right
    FctSummary fct;     ///< completion times

    std::vector<JobResult> jobs; ///< by number of the job

    double goodputGbps;        ///< bytes of completed messages / (last completion - first post)
    double nicGoodputMeanGbps; ///< the same of each NIC that sends: mean
    double nicGoodputMinGbps;  ///< the least

    ns3::MrcNetworkCounters counters;                      ///< all counts
    uint64_t hops;                                         ///< packets serialised, on any port
    uint64_t trimmed;                                      ///< packets trimmed
    uint64_t marked;                                       ///< packets CE-marked
    uint64_t dropped;                                      ///< packets of any kind dropped
    std::array<uint64_t, ns3::MRC_DROP_REASONS> droppedBy; ///< the same by reason
    uint64_t control;                                      ///< SACKs, NACKs, ACKs and probes sent
    Conservation conservation;                             ///< where WRITE packets went

    std::vector<FaultResult> faults;   ///< in the order given
    std::vector<std::string> log;      ///< what faults and controllers did, in time order
    std::vector<std::string> problems; ///< messages that did not complete or are wrong
    AttributeList profile;             ///< attributes of MrcProfile, resolved
    AttributeList trimmingSwitch;      ///< attributes of MrcTrimmingSwitch
    AttributeList nic;                 ///< attributes of MrcNic
    uint64_t events;                   ///< that the simulator ran
    double baseRttUs;                  ///< longest unloaded round trip, us
    uint64_t planeBdpBytes;            ///< what a plane holds in that time
    uint32_t evsPerQp;                 ///< entropy values in use by each QP
    uint32_t backupEvsPerQp;           ///< entropy values in reserve
    std::string verify;                ///< how payload was checked

    double cpuS;                    ///< processor time of the run, s
    double setupCpuS;               ///< processor time of setting up, s
    double rssMib;                  ///< most memory used, MiB
    std::vector<std::string> files; ///< written

    /// @return whether every message completed and was verified
    bool IsSuccess() const
    {
        return ending == Ending::DONE && completed == messages && verified == messages;
    }
};

/// @return a word for JSON: "done", "stalled", "time_limit" or "interrupted"
const char* EndingName(Ending ending);

} // namespace mrc::sim

#endif // MRC_SIM_RESULTS_H
