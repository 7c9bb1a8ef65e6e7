// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-sim-collect.h"

#include <ns3/simulator.h>

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>

namespace mrc::sim
{

namespace
{

/// Lines about messages that did not complete or are wrong.
constexpr size_t MAX_PROBLEMS = 20;

/// @param ps a time @return us
double
Us(int64_t ps)
{
    return static_cast<double>(ps) * 1e-6;
}

/// What was sent in which time, by a NIC or by all of them.
struct Span
{
    int64_t firstPs{INT64_MAX}; ///< first post
    int64_t lastPs{0};          ///< last completion
    uint64_t bytes{0};          ///< of completed messages

    /// Take a completed message in. @param bytesOf it @param record of it
    void Add(uint64_t bytesOf, const ns3::MrcTraffic::Record& record)
    {
        firstPs = std::min(firstPs, record.postedPs);
        lastPs = std::max(lastPs, record.completedPs);
        bytes += bytesOf;
    }

    /// @return Gb/s
    double Gbps() const
    {
        return lastPs > firstPs
                   ? static_cast<double>(bytes) * 8e3 / static_cast<double>(lastPs - firstPs)
                   : 0;
    }
};

/// @return whether a message completed without error
bool
IsCompleted(const ns3::MrcTraffic::Record& record)
{
    return record.isDone && record.status == mrc::CompletionStatus::SUCCESS;
}

/// Fill in completion times and goodput.
void
CollectMessages(const ns3::MrcTraffic& traffic, uint32_t nics, Results& results)
{
    std::vector<int64_t> times;
    std::vector<Span> byNic(nics);
    Span all;
    int64_t idealPs = 0;
    double idealSumUs = 0;
    for (uint32_t i = 0; i < traffic.Total(); ++i)
    {
        const ns3::MrcTraffic::Record& record = traffic.At(i);
        const mrc::Message& message = traffic.Workload().messages[i];
        const int64_t ownIdealPs = traffic.IdealPs(i);
        idealPs = std::max(idealPs, ownIdealPs);
        idealSumUs += Us(ownIdealPs);
        if (IsCompleted(record))
        {
            times.push_back(record.completedPs - record.postedPs);
            all.Add(message.bytes, record);
            byNic[message.source].Add(message.bytes, record);
        }
    }
    results.fct.idealUs = Us(idealPs);
    results.fct.idealMeanUs = idealSumUs / static_cast<double>(traffic.Total());
    results.fct.idealLastUs = Us(traffic.IdealLastPs());
    if (!times.empty())
    {
        std::sort(times.begin(), times.end());
        auto rank = [&times](uint64_t percent) { // nearest rank
            return Us(times[(times.size() * percent + 99) / 100 - 1]);
        };
        const int64_t sum = std::accumulate(times.begin(), times.end(), int64_t{0});
        results.fct.meanUs = Us(sum) / static_cast<double>(times.size());
        results.fct.p50Us = rank(50);
        results.fct.p99Us = rank(99);
        results.fct.maxUs = Us(times.back());
    }
    results.goodputGbps = all.Gbps();
    double sum = 0;
    uint32_t senders = 0;
    for (const Span& span : byNic)
    {
        if (span.bytes)
        {
            const double gbps = span.Gbps();
            results.nicGoodputMinGbps = senders ? std::min(results.nicGoodputMinGbps, gbps) : gbps;
            sum += gbps;
            ++senders;
        }
    }
    results.nicGoodputMeanGbps = senders ? sum / senders : 0;
}

/// Fill in what became of jobs.
void
CollectJobs(const ns3::MrcTraffic& traffic, uint32_t nics, Results& results)
{
    const mrc::Workload& workload = traffic.Workload();
    std::vector<JobResult> jobs(workload.jobs);
    std::vector<Span> spans(workload.jobs);
    std::vector<int64_t> nicDonePs(nics);          // last completion of what a NIC sent
    std::vector<uint16_t> jobOf(nics, UINT16_MAX); // a NIC belongs to one job
    for (uint32_t i = 0; i < traffic.Total(); ++i)
    {
        const ns3::MrcTraffic::Record& record = traffic.At(i);
        const mrc::Message& message = workload.messages[i];
        JobResult& job = jobs[message.job];
        ++job.messages;
        for (const uint32_t nic : {message.source, message.destination})
        {
            job.ranks += jobOf[nic] != message.job;
            jobOf[nic] = message.job;
        }
        if (IsCompleted(record))
        {
            ++job.completed;
            Span& span = spans[message.job];
            if (record.completedPs > span.lastPs)
            {
                job.slowestNic = message.source;
            }
            span.Add(message.bytes, record);
            nicDonePs[message.source] = std::max(nicDonePs[message.source], record.completedPs);
        }
    }
    std::vector<int64_t> firstDonePs(workload.jobs, INT64_MAX);
    for (uint32_t nic = 0; nic < nics; ++nic)
    {
        if (jobOf[nic] != UINT16_MAX && nicDonePs[nic] > 0)
        {
            firstDonePs[jobOf[nic]] = std::min(firstDonePs[jobOf[nic]], nicDonePs[nic]);
        }
    }
    for (uint32_t job = 0; job < workload.jobs; ++job)
    {
        if (spans[job].bytes != 0)
        {
            jobs[job].doneUs = Us(spans[job].lastPs - spans[job].firstPs);
            jobs[job].firstDoneUs = Us(firstDonePs[job] - spans[job].firstPs);
            jobs[job].busGbps = spans[job].Gbps() / jobs[job].ranks;
        }
    }
    results.jobs = std::move(jobs);
}

/// Fill in what became of packets.
void
CollectPackets(ns3::MrcClosNetwork& network, Results& results)
{
    const ns3::MrcNetworkCounters& counters = results.counters;
    const mrc::EndpointCounters& endpoint = counters.endpoint;
    results.hops = counters.nicPorts.sent + counters.switchPorts.sent;
    results.trimmed = counters.nicPorts.trimmed + counters.switchPorts.trimmed;
    results.marked = counters.nicPorts.marked + counters.switchPorts.marked;
    results.control = endpoint.sacksSent + endpoint.nacksSent + endpoint.acksSent +
                      endpoint.probesSent + endpoint.op.evProbesSent + endpoint.op.portUpdatesSent +
                      endpoint.op.requestsAnswered;
    Conservation& kept = results.conservation;
    for (uint32_t i = 0; i < ns3::MRC_DROP_REASONS; ++i)
    {
        results.droppedBy[i] = counters.nicPorts.drop[i] + counters.switchPorts.drop[i];
        results.dropped += results.droppedBy[i];
        kept.dropped += counters.nicPorts.dataDrop[i] + counters.switchPorts.dataDrop[i];
    }
    kept.sent = endpoint.dataSent;
    kept.delivered = endpoint.dataReceived;
    kept.duplicates = endpoint.duplicates;
    kept.trimmed = results.trimmed;
    kept.refused =
        endpoint.outOfWindow + endpoint.accessErrors + endpoint.unknownQp + endpoint.resourceNacks;
    const uint64_t accounted =
        kept.delivered + kept.duplicates + kept.trimmed + kept.dropped + kept.refused;
    kept.isHeld =
        kept.sent >= accounted && kept.sent - accounted <= network.Fabric().Pool().InUse();
    kept.inFlight = kept.sent - std::min(kept.sent, accounted);
}

/// Fill in what became of faults, and what controllers did.
void
CollectFaults(const Scenario& scenario, Results& results)
{
    const std::vector<mrc::FaultSpec>& faults = scenario.faults->Faults();
    for (size_t i = 0; i < faults.size(); ++i)
    {
        const ns3::MrcRouteAroundMonitor::Result& seen = scenario.routeAround->Results()[i];
        FaultResult fault{};
        fault.spec = faults[i].text;
        fault.onsetUs = Us(seen.isMeasured ? seen.onsetPs : faults[i].startPs);
        fault.isMeasured = seen.isMeasured;
        fault.timeToRouteAroundUs = Us(seen.TimePs());
        fault.packetsLost = seen.packetsSent;
        for (const auto& [who, qp] : seen.qps)
        {
            fault.qps.push_back(
                {who.first, who.second, Us(qp.lastSentPs - seen.onsetPs), qp.packetsSent});
        }
        results.faults.push_back(fault);
    }
    std::vector<Controllers::Event> events = scenario.controllers->Log();
    for (const ns3::MrcFaultSchedule::Event& event : scenario.faults->Log())
    {
        results.faults[event.fault].hasBegun = true;
        events.push_back({event.timePs, event.text});
    }
    std::stable_sort(events.begin(), events.end(), [](const auto& left, const auto& right) {
        return left.timePs < right.timePs;
    });
    for (const Controllers::Event& event : events)
    {
        std::ostringstream line;
        line << std::fixed << std::setprecision(2) << Us(event.timePs) << " us: " << event.text;
        results.log.push_back(line.str());
    }
}

/// Say which messages are not as they should be.
void
CollectProblems(const ns3::MrcTraffic& traffic, Results& results)
{
    results.problems = traffic.UnfinishedReport(MAX_PROBLEMS);
    for (uint32_t i = 0; i < traffic.Total() && results.problems.size() < MAX_PROBLEMS; ++i)
    {
        const ns3::MrcTraffic::Record& record = traffic.At(i);
        if (record.isDone && !record.isVerified)
        {
            results.problems.push_back(traffic.FailureText(i));
        }
    }
}

} // namespace

const char*
EndingName(Ending ending)
{
    switch (ending)
    {
    case Ending::DONE:
        return "done";
    case Ending::STALLED:
        return "stalled";
    case Ending::TIME_LIMIT:
        return "time_limit";
    case Ending::INTERRUPTED:
        return "interrupted";
    }
    return "unknown";
}

Results
DescribeNetwork(const Scenario& scenario)
{
    Results results{};
    ns3::MrcClosNetwork& network = *scenario.network;
    const ns3::MrcProfile& profile = network.Profile();
    results.messages = scenario.traffic->Total();
    results.verify = scenario.verify;
    results.setupCpuS = scenario.setupCpuS;
    results.baseRttUs = Us(profile.Transport().baseRttPs);
    results.planeBdpBytes = mrc::PlaneBdpBytes(network.Ideal());
    results.evsPerQp = profile.EvTable().activePerPlane * network.Clos().Planes();
    results.backupEvsPerQp = profile.EvTable().backupPerPlane * network.Clos().Planes();
    results.profile = AttributesOf(profile);
    results.trimmingSwitch = AttributesOf(network.Switch(0, mrc::NodeKind::T0, 0));
    results.nic = AttributesOf(network.Nic(0));
    return results;
}

void
CollectResults(Scenario& scenario, Ending ending, Results& results)
{
    ns3::MrcTraffic& traffic = *scenario.traffic;
    results.ending = ending;
    results.simulatedUs = Us(ns3::Simulator::Now().GetPicoSeconds());
    results.events = ns3::Simulator::GetEventCount();
    results.counters = scenario.network->Counters();
    results.completed = traffic.Completed();
    results.failed = traffic.Failed();
    results.verified = traffic.Verify();
    CollectMessages(traffic, scenario.network->NicCount(), results);
    CollectJobs(traffic, scenario.network->NicCount(), results);
    CollectPackets(*scenario.network, results);
    CollectFaults(scenario, results);
    CollectProblems(traffic, results);
}

} // namespace mrc::sim
