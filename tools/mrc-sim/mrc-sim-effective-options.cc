// SPDX-License-Identifier: GPL-2.0-only
// Turns options back into the text that they were given as.
#include "mrc-sim-attributes.h"
#include "mrc-sim-quantity.h"
#include "mrc-sim-reports.h"

#include <charconv>

namespace mrc::sim
{

namespace
{

/// @param value any @return the shortest text that reads back as the same value
std::string
Shortest(double value)
{
    char text[32];
    return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

/// @param count 0 = derived, and then not shown @return as values of an option
std::vector<std::string>
IfSet(uint32_t count)
{
    return count ? std::vector<std::string>{std::to_string(count)} : std::vector<std::string>{};
}

} // namespace

std::vector<std::pair<std::string, std::vector<std::string>>>
EffectiveOptions(const Options& options)
{
    std::vector<std::pair<std::string, std::vector<std::string>>> list;
    auto add = [&list](const std::string& name, const std::string& value) {
        list.push_back({name, {value}});
    };
    auto addCount = [&add](const std::string& name, uint64_t value) {
        add(name, std::to_string(value));
    };
    const mrc::ClosConfig& clos = options.clos;
    add("workload", WorkloadName(options.workload));
    addCount("nics", clos.nics);
    addCount("planes", clos.planes);
    addCount("tiers", clos.tiers);
    addCount("nics-per-t0", clos.nicsPerT0);
    list.push_back({"t1", IfSet(clos.tiers == 3 ? clos.t1PerPod : clos.t1PerPlane)});
    list.push_back({"t0-per-pod", IfSet(clos.t0PerPod)});
    list.push_back({"t2", IfSet(clos.t2PerPlane)});
    addCount("parallel-links", clos.parallelLinks);
    add("oversubscription", Shortest(clos.oversubscription));
    add("rate", RateText(options.bitsPerSecond));
    add("delay", TimeText(options.delayPs));
    addCount("size", options.bytes);
    addCount("qps", options.qps);
    switch (options.workload)
    {
    case WorkloadKind::INCAST:
        addCount("messages", options.messages);
        addCount("senders", options.senders);
        addCount("receiver", options.receiver);
        break;
    case WorkloadKind::P2P:
        addCount("messages", options.messages);
        addCount("source", options.source);
        addCount("destination", options.destination);
        break;
    case WorkloadKind::REPLAY:
        add("file", options.file);
        break;
    case WorkloadKind::ALL_TO_ALL:
        addCount("concurrency", options.concurrency);
        add("spread", Shortest(options.spread));
        break;
    case WorkloadKind::PERMUTATION:
        addCount("messages", options.messages);
        break;
    case WorkloadKind::RING_ALLREDUCE:
        addCount("steps", options.steps);
        addCount("stride", options.stride);
        break;
    case WorkloadKind::REDUCE_SCATTER:
    case WorkloadKind::ALL_GATHER:
        addCount("stride", options.stride);
        break;
    case WorkloadKind::TREE_ALLREDUCE:
        addCount("chunks", options.chunks);
        break;
    case WorkloadKind::PIPELINE:
        addCount("micro-batches", options.microBatches);
        break;
    case WorkloadKind::HALVING_DOUBLING_ALLREDUCE:
        break;
    }
    add("compute", TimeText(options.computePs));
    if (options.jobs > 1)
    {
        addCount("jobs", options.jobs);
        add("placement", options.isInterleaved ? "interleaved" : "block");
    }
    add("verify", VerifyName(options.verify));
    for (const AttributeOption& option : AttributeOptions())
    {
        add(option.name, DefaultOf(option));
    }
    list.push_back({"set", options.set});
    list.push_back({"fault", options.faults});
    list.push_back({"ev-profile", options.evProfiles});
    list.push_back({"deny", options.denials});
    add("prober", options.hasProber ? "true" : "false");
    addCount("seed", options.seed);
    add("duration", TimeText(options.durationPs));
    add("stall-after", TimeText(options.stallPs));
    add("scheduler", options.scheduler);
    return list;
}

} // namespace mrc::sim
