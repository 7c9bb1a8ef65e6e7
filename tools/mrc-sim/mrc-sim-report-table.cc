// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-sim-reports.h"

#include <cstdarg>
#include <cstdio>

namespace mrc::sim
{

namespace
{

/// @param format of printf() @return the text
__attribute__((format(printf, 1, 2))) std::string
Text(const char* format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return text;
}

/// Write a row. @param name of it @param value of it
void
Row(std::ostream& out, const char* name, const std::string& value)
{
    out << Text("  %-22s ", name) << value << '\n';
}

/// @param count any @return with a comma between thousands
std::string
Thousands(uint64_t count)
{
    std::string text = std::to_string(count);
    for (auto at = static_cast<int>(text.size()) - 3; at > 0; at -= 3)
    {
        text.insert(static_cast<size_t>(at), ",");
    }
    return text;
}

/// @param value any @param ideal what would be best @return both and their ratio
std::string
OverIdeal(double value, double ideal)
{
    return ideal > 0 ? Text("%.2f us (%.1f %% over ideal)", value, (value / ideal - 1) * 100)
                     : Text("%.2f us", value);
}

/// @return counts of drops that are not zero, by reason
std::string
DropText(const Results& results)
{
    std::string text = Thousands(results.dropped);
    const char* separator = " (";
    for (uint32_t i = 0; i < ns3::MRC_DROP_REASONS; ++i)
    {
        if (results.droppedBy[i])
        {
            text += separator + Thousands(results.droppedBy[i]) + ' ' +
                    ns3::MrcDropReasonName(static_cast<ns3::MrcDropReason>(i));
            separator = ", ";
        }
    }
    return results.dropped ? text + ")" : text;
}

/// Write what became of each fault.
void
WriteFaults(std::ostream& out, const Results& results)
{
    for (const FaultResult& fault : results.faults)
    {
        Row(out, "fault", fault.spec);
        if (!fault.hasBegun)
        {
            Row(out, "", "the run was over before it began");
        }
        else if (fault.isMeasured)
        {
            Row(out,
                "",
                Text("every QP routed around it within %.2f us, after sending %s packets into it",
                     fault.timeToRouteAroundUs,
                     Thousands(fault.packetsLost).c_str()));
        }
    }
}

/// @return why the run is over, in words
std::string
EndingText(const Options& options, const Results& results)
{
    switch (results.ending)
    {
    case Ending::DONE:
        return results.IsSuccess() ? "all messages completed and verified"
                                   : "NOT all messages completed and verified";
    case Ending::STALLED:
        return "STALLED: nothing moved any more";
    case Ending::TIME_LIMIT:
        return Text("OUT OF TIME: %.0f us are over",
                    static_cast<double>(options.durationPs) * 1e-6);
    case Ending::INTERRUPTED:
        return "INTERRUPTED: the results are incomplete";
    }
    return "unknown";
}

/// Say how jobs ended, where ranks depend on each other or there are several jobs.
void
WriteJobs(std::ostream& out, const Options& options, const Results& results)
{
    const bool isFlows = options.workload == WorkloadKind::P2P ||
                         options.workload == WorkloadKind::INCAST ||
                         options.workload == WorkloadKind::PERMUTATION;
    if (isFlows && results.jobs.size() == 1)
    {
        return;
    }
    constexpr size_t MOST = 16; // the others are in the JSON
    for (size_t i = 0; i < std::min(results.jobs.size(), MOST); ++i)
    {
        const JobResult& job = results.jobs[i];
        Row(out,
            ("job " + std::to_string(i)).c_str(),
            Text("%u ranks, done after %.2f us, slowest nic-%u, %.2f Gb/s sent by a rank",
                 job.ranks,
                 job.doneUs,
                 job.slowestNic,
                 job.busGbps));
    }
}

} // namespace

void
WriteTopology(std::ostream& out, const Options& options, const Results& results)
{
    const mrc::ClosPlan plan(options.clos);
    out << "mrc-sim " << WorkloadName(options.workload) << '\n';
    std::string switches =
        Text("%u T0 + %u T1", plan.Count(mrc::NodeKind::T0), plan.Count(mrc::NodeKind::T1));
    if (plan.Tiers() == 3)
    {
        switches += Text(" + %u T2", plan.Count(mrc::NodeKind::T2));
    }
    Row(out,
        "network",
        Text("%u NICs, %u tiers, %u planes of ", plan.Nics(), plan.Tiers(), plan.Planes()) +
            switches);
    Row(out, "T0", Text("%u ports to NICs, %u uplinks", plan.NicsPerT0(), plan.T0Uplinks()));
    Row(out,
        "links",
        Text("%s of %g Gb/s, %g ns",
             Thousands(plan.LinksPerPlane() * plan.Planes()).c_str(),
             static_cast<double>(options.bitsPerSecond) * 1e-9,
             static_cast<double>(options.delayPs) * 1e-3));
    Row(out,
        "base RTT, plane BDP",
        Text("%.2f us, %s bytes", results.baseRttUs, Thousands(results.planeBdpBytes).c_str()));
    Row(out, "EVs of a QP", Text("%u and %u backups", results.evsPerQp, results.backupEvsPerQp));
    Row(out, "messages", Thousands(results.messages) + ", payload verified by " + results.verify);
}

void
WriteTable(std::ostream& out, const Options& options, const Results& results)
{
    const mrc::EndpointCounters& endpoint = results.counters.endpoint;
    const double lineGbps = static_cast<double>(options.bitsPerSecond) * options.clos.planes * 1e-9;
    out << '\n';
    Row(out, "result", EndingText(options, results));
    Row(out,
        "messages",
        Thousands(results.completed) + " completed, " + Thousands(results.verified) +
            " verified, of " + Thousands(results.messages));
    Row(out,
        "simulated time",
        results.completed == results.messages
            ? OverIdeal(results.simulatedUs, results.fct.idealLastUs)
            : Text("%.2f us", results.simulatedUs));
    Row(out,
        "FCT ideal",
        Text("%.2f us, on average %.2f us, of all %.2f us",
             results.fct.idealUs,
             results.fct.idealMeanUs,
             results.fct.idealLastUs));
    if (results.completed != 0)
    {
        Row(out, "FCT mean", OverIdeal(results.fct.meanUs, results.fct.idealMeanUs));
        Row(out, "FCT p50, p99", Text("%.2f us, %.2f us", results.fct.p50Us, results.fct.p99Us));
        Row(out, "FCT max", OverIdeal(results.fct.maxUs, results.fct.idealUs));
    }
    WriteJobs(out, options, results);
    Row(out, "goodput", Text("%.2f Gb/s", results.goodputGbps));
    Row(out,
        "goodput of a NIC",
        Text("mean %.2f Gb/s, least %.2f Gb/s, of %g Gb/s line rate",
             results.nicGoodputMeanGbps,
             results.nicGoodputMinGbps,
             lineGbps));
    Row(out,
        "packets",
        Thousands(endpoint.dataSent) + " data, " + Thousands(results.control) + " control, " +
            Thousands(results.hops) + " hops");
    Row(out, "trimmed", Thousands(results.trimmed));
    Row(out, "dropped", DropText(results));
    Row(out,
        "retransmitted",
        Thousands(endpoint.retransmitted) + ", " + Thousands(endpoint.timeouts) +
            " of them after a timeout");
    Row(out, "ECN-marked", Thousands(results.marked));
    Row(out,
        "EVs",
        Thousands(endpoint.ev.retired) + " retired, " + Thousands(endpoint.ev.restored) +
            " brought back, " + Thousands(endpoint.ev.skips) + " turns skipped");
    WriteFaults(out, results);
    for (const std::string& line : results.log)
    {
        Row(out, "", line);
    }
    if (!results.conservation.isHeld)
    {
        Row(out, "BUG", "packets are missing from the accounts, see conservation in the JSON");
    }
    Row(out,
        "speed",
        Text("%.2f s CPU, %.2f M hops per CPU second, %.0f MiB",
             results.cpuS,
             static_cast<double>(results.hops) * 1e-6 / std::max(results.cpuS, 1e-9),
             results.rssMib));
    for (const std::string& file : results.files)
    {
        Row(out, "file", file);
    }
}

} // namespace mrc::sim
