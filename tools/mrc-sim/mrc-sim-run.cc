// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-sim-run.h"

#include "mrc-sim-collect.h"
#include "mrc-sim-interrupt.h"
#include "mrc-sim-output.h"
#include "mrc-sim-reports.h"
#include "mrc-sim-watch.h"

#include <ns3/simulator.h>

#include <iostream>
#include <sys/resource.h>

namespace mrc::sim
{

namespace
{

/// @return most memory that this process used, MiB
double
PeakMib()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// @param progress shown @return why the run ended
Ending
Simulate(const Scenario& scenario, const Options& options, Results& results)
{
    Progress progress(*scenario.network, *scenario.traffic, options.isQuiet);
    Watch watch(scenario, options, progress);
    watch.Start();
    scenario.faults->Install();
    scenario.routeAround->Install();
    scenario.controllers->Start();
    scenario.traffic->Start();
    const double startS = CpuSeconds();
    ns3::Simulator::Run();
    results.cpuS = CpuSeconds() - startS;
    progress.Finish();
    return watch.Why();
}

} // namespace

bool
Run(Options& options)
{
    Scenario scenario = BuildScenario(options);
    Output output(options.out);
    output.StartCaptures(scenario);

    Results results = DescribeNetwork(scenario);
    if (!options.isJson)
    {
        WriteTopology(std::cout, options, results);
        std::cout.flush();
    }
    CatchInterrupts();
    const Ending ending = Simulate(scenario, options, results);
    CollectResults(scenario, ending, results);
    results.rssMib = PeakMib();

    output.Write(options, *scenario.traffic, results);
    if (options.isJson)
    {
        WriteJson(std::cout, options, results);
    }
    else
    {
        WriteTable(std::cout, options, results);
    }
    for (const std::string& problem : results.problems)
    {
        std::cerr << problem << '\n';
    }
    return results.IsSuccess();
}

} // namespace mrc::sim
