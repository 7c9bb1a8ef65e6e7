// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIM_OPTIONS_H
#define MRC_SIM_OPTIONS_H

#include "mrc-clos-plan.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mrc::sim
{

/// How the payload of messages is checked.
enum class Verify
{
    AUTO,     ///< BYTES while all messages together are small enough
    BYTES,    ///< each byte at the destination is compared
    PLACEMENT ///< each packet's place is accounted for, no bytes are moved
};

/// The workloads, which are the subcommands.
enum class WorkloadKind
{
    PERMUTATION,                ///< each NIC sends to another one, and receives from one
    INCAST,                     ///< many NICs send to one
    RING_ALLREDUCE,             ///< reduce-scatter and all-gather around a ring
    REDUCE_SCATTER,             ///< the first half of it
    ALL_GATHER,                 ///< the second half of it
    TREE_ALLREDUCE,             ///< up and down a binary tree
    HALVING_DOUBLING_ALLREDUCE, ///< exchanges with ranks at distances of powers of two
    ALL_TO_ALL,                 ///< each NIC sends to each other one
    PIPELINE,                   ///< micro-batches from stage to stage and back
    P2P,                        ///< one NIC sends to another one
    REPLAY                      ///< messages from a file
};

/// All that a run is told: what decides its results first, then what it shows.
struct Options
{
    WorkloadKind workload{WorkloadKind::PERMUTATION}; ///< subcommand
    mrc::ClosConfig clos;                             ///< counts of the network

    uint64_t bitsPerSecond{100'000'000'000}; ///< rate of each link, bit/s
    int64_t delayPs{75'000};                 ///< propagation delay of each link, ps

    uint64_t bytes{2 << 20};  ///< size of a message; collectives: of each NIC's vector
    uint32_t messages{1};     ///< messages per sender and receiver
    uint32_t qps{1};          ///< QPs of a pair of NICs
    uint32_t senders{32};     ///< incast: how many NICs send
    uint32_t receiver{0};     ///< incast: who receives
    uint32_t source{0};       ///< p2p: who sends
    uint32_t destination{0};  ///< p2p: who receives; see hasDestination
    bool hasDestination{};    ///< whether destination was given; else the last NIC
    uint32_t concurrency{8};  ///< all-to-all: peers that a NIC sends to at a time
    uint32_t stride{1};       ///< rings: NICs from one rank to the next
    uint32_t steps{0};        ///< ring-allreduce: steps to run; 0 = all
    uint32_t chunks{16};      ///< tree-allreduce: pieces that the vector is cut into
    uint32_t microBatches{8}; ///< pipeline: micro-batches
    double spread{0};         ///< all-to-all: how much lengths differ, 0 to 1
    uint32_t jobs{1};         ///< jobs side by side, each with its share of the NICs
    bool isInterleaved{};     ///< whether the NICs of jobs alternate
    int64_t computePs{0};     ///< computation before each message, ps
    std::string file;         ///< replay: what to read

    std::vector<std::string> faults;               ///< specifications, see --help-faults
    std::vector<std::string> evProfiles;           ///< specifications, see --help-evs
    std::vector<std::string> denials;              ///< specifications, see --help-evs
    bool hasProber{};                              ///< run the fabric prober
    std::map<std::string, std::string> attributes; ///< by option: values of AttributeOptions()
    std::vector<std::string> set;                  ///< ns3::Class::Attribute=value
    Verify verify{Verify::AUTO};                   ///< how payload is checked
    uint32_t seed{1};                              ///< of all random numbers, > 0
    int64_t durationPs{10'000'000'000'000};        ///< limit of simulated time, ps
    int64_t stallPs{50'000'000'000};               ///< end after so long without progress, ps
    std::string scheduler{"lane"};                 ///< lane, priority-queue or map

    std::string out;               ///< folder for results; empty: write none
    std::vector<std::string> pcap; ///< ports to capture
    bool isJson{false};            ///< JSON on stdout, nothing else
    bool isQuiet{false};           ///< no progress
    bool hasTiming{true};          ///< JSON holds what depends on the machine

    std::map<std::string, std::string> origin; ///< by option from a file: "FILE:LINE"
};

/// @return the subcommand's name, such as "ring-allreduce"
const char* WorkloadName(WorkloadKind kind);

/// @return "auto", "bytes" or "placement"
const char* VerifyName(Verify verify);

/// @return whether --size is the vector of a collective, and not the length of a message
bool IsCollective(WorkloadKind kind);

} // namespace mrc::sim

#endif // MRC_SIM_OPTIONS_H
