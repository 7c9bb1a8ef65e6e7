// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-sim-reports.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace mrc::sim
{

namespace
{

using Json = nlohmann::ordered_json;

/// @param value any @return rounded to 6 decimals, so that JSON stays readable
double
Round(double value)
{
    return std::round(value * 1e6) / 1e6;
}

/// @param text value of an option or attribute @return as number or boolean if it is one
Json
Typed(const std::string& text)
{
    if (text == "true" || text == "false")
    {
        return text == "true";
    }
    const bool isWhole = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    if (isWhole && text.size() < 19)
    {
        return std::stoull(text);
    }
    size_t used = 0;
    try
    {
        const double number = std::stod(text, &used);
        if (used == text.size() && std::isfinite(number))
        {
            return number;
        }
    }
    catch (const std::logic_error&)
    {
        return text;
    }
    return text;
}

/// @param list attributes @return object
Json
Attributes(const AttributeList& list)
{
    Json object = Json::object();
    for (const auto& [name, value] : list)
    {
        object[name] = Typed(value);
    }
    return object;
}

/// @return all that the run was told
Json
Parameters(const Options& options, const Results& results)
{
    Json object{{"version", MRC_VERSION}};
    for (const auto& [name, values] : EffectiveOptions(options))
    {
        if (name == "set" || name == "fault" || name == "ev-profile" || name == "deny")
        {
            object[name] = values;
        }
        else if (name != "scheduler") // decides nothing but speed
        {
            object[name] = values.empty() ? Json(nullptr) : Typed(values.front());
        }
    }
    object["verified_by"] = results.verify;
    object["ns3::MrcProfile"] = Attributes(results.profile);
    object["ns3::MrcTrimmingSwitch"] = Attributes(results.trimmingSwitch);
    object["ns3::MrcNic"] = Attributes(results.nic);
    return object;
}

/// @return packets by what became of them
Json
Packets(const Results& results)
{
    const mrc::EndpointCounters& endpoint = results.counters.endpoint;
    Json reasons = Json::object();
    for (uint32_t i = 0; i < ns3::MRC_DROP_REASONS; ++i)
    {
        reasons[ns3::MrcDropReasonName(static_cast<ns3::MrcDropReason>(i))] = results.droppedBy[i];
    }
    return {{"data", endpoint.dataSent},
            {"control", results.control},
            {"hops", results.hops},
            {"trimmed", results.trimmed},
            {"dropped", results.dropped},
            {"dropped_by_reason", reasons},
            {"retransmitted", endpoint.retransmitted},
            {"ecn_marked", results.marked},
            {"duplicates", endpoint.duplicates},
            {"sacks", endpoint.sacksSent},
            {"nacks", endpoint.nacksSent},
            {"acks", endpoint.acksSent},
            {"probes", endpoint.probesSent},
            {"ev_probes", endpoint.op.evProbesSent},
            {"ev_probes_answered", endpoint.op.evProbesAnswered},
            {"port_updates", endpoint.op.portUpdatesSent},
            {"port_updates_repeated", endpoint.op.portUpdatesRepeated},
            {"port_updates_answered", endpoint.op.portUpdatesAnswered},
            {"inferred_losses", endpoint.inferredLosses},
            {"timeouts", endpoint.timeouts}};
}

/// @return what became of each fault
Json
Faults(const Results& results)
{
    Json list = Json::array();
    for (const FaultResult& fault : results.faults)
    {
        Json qps = Json::array();
        for (const FaultQp& qp : fault.qps)
        {
            qps.push_back({{"nic", qp.nic},
                           {"remote_qp", qp.remoteQp},
                           {"time_to_route_around_us", Round(qp.timeToRouteAroundUs)},
                           {"packets_lost", qp.packetsLost}});
        }
        list.push_back(
            {{"spec", fault.spec},
             {"onset_us", Round(fault.onsetUs)},
             {"has_begun", fault.hasBegun},
             {"time_to_route_around_us",
              fault.isMeasured ? Json(Round(fault.timeToRouteAroundUs)) : Json(nullptr)},
             {"packets_lost", fault.isMeasured ? Json(fault.packetsLost) : Json(nullptr)},
             {"qps", qps}});
    }
    return list;
}

/// @return how each job ended
Json
Jobs(const Results& results)
{
    Json list = Json::array();
    for (const JobResult& job : results.jobs)
    {
        list.push_back({{"ranks", job.ranks},
                        {"messages", job.messages},
                        {"completed", job.completed},
                        {"done_us", Round(job.doneUs)},
                        {"first_rank_done_us", Round(job.firstDoneUs)},
                        {"slowest_nic", job.slowestNic},
                        {"bus_gbps", Round(job.busGbps)}});
    }
    return list;
}

} // namespace

void
WriteJson(std::ostream& out, const Options& options, const Results& results)
{
    const mrc::EvCounters& ev = results.counters.endpoint.ev;
    const Conservation& kept = results.conservation;
    const auto hops = static_cast<double>(results.hops);
    Json object{
        {"parameters", Parameters(options, results)},
        {"ending", EndingName(results.ending)},
        {"success", results.IsSuccess()},
        {"simulated_us", Round(results.simulatedUs)},
        {"messages",
         {{"total", results.messages},
          {"completed", results.completed},
          {"verified", results.verified},
          {"failed", results.failed}}},
        {"fct_us",
         {{"mean", Round(results.fct.meanUs)},
          {"p50", Round(results.fct.p50Us)},
          {"p99", Round(results.fct.p99Us)},
          {"max", Round(results.fct.maxUs)},
          {"ideal", Round(results.fct.idealUs)},
          {"ideal_mean", Round(results.fct.idealMeanUs)},
          {"ideal_last", Round(results.fct.idealLastUs)}}},
        {"jobs", Jobs(results)},
        {"goodput_gbps", Round(results.goodputGbps)},
        {"nic_goodput_gbps",
         {{"mean", Round(results.nicGoodputMeanGbps)}, {"min", Round(results.nicGoodputMinGbps)}}},
        {"packets", Packets(results)},
        {"ev",
         {{"per_qp", results.evsPerQp},
          {"backup_per_qp", results.backupEvsPerQp},
          {"retired", ev.retired},
          {"restored", ev.restored},
          {"skips", ev.skips},
          {"denied", ev.denied},
          {"replaced", ev.replaced}}},
        {"faults", Faults(results)},
        {"fault_log", results.log},
        {"problems", results.problems},
        {"conservation",
         {{"data_sent", kept.sent},
          {"delivered", kept.delivered},
          {"duplicates", kept.duplicates},
          {"trimmed", kept.trimmed},
          {"dropped", kept.dropped},
          {"corrupt", results.counters.endpoint.corrupt},
          {"refused", kept.refused},
          {"in_flight", kept.inFlight},
          {"holds", kept.isHeld}}},
        {"network",
         {{"base_rtt_us", Round(results.baseRttUs)}, {"plane_bdp_bytes", results.planeBdpBytes}}},
        {"events", results.events},
        {"events_per_hop",
         results.hops ? Json(Round(static_cast<double>(results.events) / hops)) : Json(nullptr)}};
    if (options.hasTiming)
    {
        object["scheduler"] = options.scheduler;
        object["cpu_s"] = Round(results.cpuS);
        object["setup_cpu_s"] = Round(results.setupCpuS);
        object["hops_per_cpu_s"] = std::round(hops / std::max(results.cpuS, 1e-9));
        object["rss_mib"] = Round(results.rssMib);
    }
    out << object.dump(2) << "\n";
}

} // namespace mrc::sim
