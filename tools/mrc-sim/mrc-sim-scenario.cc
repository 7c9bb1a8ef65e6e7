// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-sim-scenario.h"

#include "mrc-collectives.h"
#include "mrc-lane-scheduler.h"
#include "mrc-multi-plane-clos-helper.h"
#include "mrc-sim-attributes.h"
#include "mrc-sim-bad-input.h"
#include "mrc-simulator-impl.h"
#include "mrc-workload-file.h"

#include <ns3/global-value.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/string.h>

#include <ctime>

namespace mrc::sim
{

namespace
{

/// Bytes of messages up to which Verify::AUTO compares bytes.
constexpr uint64_t AUTO_VERIFY_BYTES = 512ULL << 20;

/// Set what new ns-3 objects and the simulator get.
void
SetDefaults(const Options& options)
{
    for (const AttributeOption& option : AttributeOptions())
    {
        const auto given = options.attributes.find(option.name);
        if (given != options.attributes.end())
        {
            SetAttribute(option, given->second);
        }
    }
    for (const std::string& spec : options.set)
    {
        SetAttribute("set", spec);
    }
    std::string scheduler = ns3::MrcLaneScheduler::GetTypeId().GetName();
    if (options.scheduler != "lane")
    {
        scheduler =
            options.scheduler == "map" ? "ns3::MapScheduler" : "ns3::PriorityQueueScheduler";
    }
    ns3::GlobalValue::Bind("SimulatorImplementationType",
                           ns3::StringValue(ns3::MrcSimulatorImpl::GetTypeId().GetName()));
    ns3::GlobalValue::Bind("SchedulerType", ns3::StringValue(scheduler));
    ns3::RngSeedManager::SetSeed(options.seed);
    ns3::RngSeedManager::SetRun(1);
}

/// @param nics of the job @param seed of its random numbers @return the messages of one job
mrc::Workload
MakeJob(const Options& options, uint32_t nics, uint64_t seed)
{
    switch (options.workload)
    {
    case WorkloadKind::PERMUTATION:
        return mrc::Permutation(nics, options.bytes, options.messages, seed);
    case WorkloadKind::INCAST:
        return mrc::Incast(
            nics, options.senders, options.receiver, options.bytes, options.messages);
    case WorkloadKind::RING_ALLREDUCE:
        return mrc::RingAllReduce(nics, options.bytes, options.stride, options.steps);
    case WorkloadKind::REDUCE_SCATTER:
    case WorkloadKind::ALL_GATHER: {
        mrc::Workload half = mrc::RingAllReduce(nics, options.bytes, options.stride, nics - 1);
        half.name = std::string("ring-") + WorkloadName(options.workload);
        return half;
    }
    case WorkloadKind::TREE_ALLREDUCE:
        return mrc::TreeAllReduce(nics, options.bytes, options.chunks);
    case WorkloadKind::HALVING_DOUBLING_ALLREDUCE:
        return mrc::HalvingDoublingAllReduce(nics, options.bytes);
    case WorkloadKind::ALL_TO_ALL:
        return options.spread > 0
                   ? mrc::AllToAllV(nics, options.bytes, options.concurrency, options.spread, seed)
                   : mrc::AllToAll(nics, options.bytes, options.concurrency);
    case WorkloadKind::PIPELINE:
        return mrc::Pipeline(nics, options.bytes, options.microBatches);
    case WorkloadKind::REPLAY:
        return mrc::ReadWorkloadFile(options.file);
    case WorkloadKind::P2P:
        break;
    }
    return mrc::PointToPoint(options.source, options.destination, options.bytes, options.messages);
}

/// @return the messages to send
mrc::Workload
MakeWorkload(const Options& options)
{
    const uint32_t nics = options.clos.nics;
    if (nics % options.jobs != 0)
    {
        throw BadInput("jobs",
                       std::to_string(nics) + " NICs cannot be shared equally by " +
                           std::to_string(options.jobs) + " jobs");
    }
    mrc::Workload workload;
    if (options.jobs == 1)
    {
        workload = MakeJob(options, nics, options.seed);
    }
    else
    {
        std::vector<mrc::Workload> jobs;
        for (uint32_t job = 0; job < options.jobs; ++job)
        {
            jobs.push_back(MakeJob(options, nics / options.jobs, uint64_t{options.seed} + job));
        }
        workload = mrc::SideBySide(jobs, nics / options.jobs, options.isInterleaved);
    }
    if (options.computePs > 0)
    {
        mrc::AddCompute(workload, options.computePs);
    }
    return workload;
}

/// @param options of the run @param totalBytes of its messages @return how payload is checked
ns3::MrcVerify
ChooseVerify(const Options& options, uint64_t totalBytes)
{
    const bool isSmall = totalBytes <= AUTO_VERIFY_BYTES;
    return options.verify == Verify::BYTES || (options.verify == Verify::AUTO && isSmall)
               ? ns3::MrcVerify::BYTES
               : ns3::MrcVerify::PLACEMENT;
}

/// Refuse a NIC that is not there.
void
CheckNic(const char* option, uint32_t nic, uint32_t nics)
{
    if (nic >= nics)
    {
        throw BadInput(option,
                       "there is no nic-" + std::to_string(nic) + ": nic-0 to nic-" +
                           std::to_string(nics - 1));
    }
}

/// Run a step of the set-up. @param option that it takes its input from @param step to run
template <class Step>
auto
Checked(const char* option, const Step& step)
{
    try
    {
        return step();
    }
    catch (const std::invalid_argument& error)
    {
        throw BadInput(option, error.what());
    }
}

/// Note a port to capture. @param scenario whose @param name of the port
void
AddCapture(Scenario& scenario, const std::string& name)
{
    const mrc::ClosPlan& plan = scenario.network->Clos();
    const mrc::ClosPort port = Checked("pcap", [&] { return mrc::ParsePortName(plan, name); });
    const std::string link = mrc::LinkName(plan, plan.LinkOf(port.plane, port.end));
    for (const mrc::ClosPort& other : scenario.captures)
    {
        if (mrc::LinkName(plan, plan.LinkOf(other.plane, other.end)) == link)
        {
            throw BadInput("pcap",
                           "link " + link + " is captured twice: a port shows both directions");
        }
    }
    scenario.captures.push_back(port);
}

} // namespace

double
CpuSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

Scenario
BuildScenario(Options& options)
{
    if (!options.hasDestination)
    {
        options.destination = options.clos.nics - 1;
    }
    if (!options.pcap.empty() && options.out.empty())
    {
        throw BadInput("pcap", "captures need a folder: give --out DIR");
    }
    ns3::MrcMultiPlaneClosHelper::UsePicoseconds();
    SetDefaults(options);

    const double startS = CpuSeconds();
    Scenario scenario;
    ns3::MrcMultiPlaneClosHelper helper;
    helper.Config() = options.clos;
    helper.SetLink(ns3::DataRate(options.bitsPerSecond), ns3::PicoSeconds(options.delayPs));
    Checked("", [&] { mrc::ClosPlan check(options.clos); });
    CheckNic("source", options.source, options.clos.nics);
    CheckNic("destination", options.destination, options.clos.nics);
    CheckNic("receiver", options.receiver, options.clos.nics);
    mrc::Workload workload = Checked(options.workload == WorkloadKind::REPLAY ? "file" : "",
                                     [&] { return MakeWorkload(options); });
    Checked("", [&] { workload.Check(options.clos.nics); });
    scenario.network = Checked("", [&] { return helper.Install(); });

    const ns3::MrcVerify verify = ChooseVerify(options, workload.TotalBytes());
    scenario.verify = verify == ns3::MrcVerify::BYTES ? "bytes" : "placement";
    Checked("", [&] {
        scenario.traffic = std::make_unique<ns3::MrcTraffic>(
            scenario.network, std::move(workload), verify, options.qps);
    });
    scenario.setupCpuS = CpuSeconds() - startS;

    scenario.controllers = std::make_unique<Controllers>(options, scenario.network);
    scenario.faults = std::make_unique<ns3::MrcFaultSchedule>(scenario.network);
    for (const std::string& spec : options.faults)
    {
        Checked("fault", [&] { scenario.faults->Add(spec); });
    }
    scenario.routeAround =
        std::make_unique<ns3::MrcRouteAroundMonitor>(scenario.network, scenario.faults->Faults());
    for (const std::string& name : options.pcap)
    {
        AddCapture(scenario, name);
    }
    return scenario;
}

} // namespace mrc::sim
