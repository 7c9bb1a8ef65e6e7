// SPDX-License-Identifier: GPL-2.0-only
// Packet-hops per CPU second of whole permutations, and against stock ns-3 in the same run.

#include "mrc-bench-permutation.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <vector>

namespace
{

using mrc::bench::RunCost;

/// Says so if not everything arrived. @return whether the figures of a run may be used
bool
IsUsable(benchmark::State& state, const RunCost& cost)
{
    if (!cost.isComplete)
    {
        state.SkipWithError("not everything arrived");
    }
    return cost.isComplete;
}

/// NICs, NICs per T0, planes; 2 MiB each at 100 Gb/s a plane.
void
MrcPermutation(benchmark::State& state)
{
    uint64_t hops = 0;
    uint64_t events = 0;
    double cpuS = 0;
    double setupCpuS = 0;
    for ([[maybe_unused]] auto iteration : state)
    {
        const RunCost cost = mrc::bench::RunMrcPermutation(static_cast<uint32_t>(state.range(0)),
                                                           static_cast<uint32_t>(state.range(1)),
                                                           static_cast<uint32_t>(state.range(2)),
                                                           2 << 20);
        if (!IsUsable(state, cost))
        {
            return;
        }
        state.SetIterationTime(cost.cpuS);
        hops += cost.hops;
        events += cost.events;
        cpuS += cost.cpuS;
        setupCpuS += cost.setupCpuS;
    }
    state.counters["hops_per_cpu_s"] = static_cast<double>(hops) / cpuS;
    state.counters["events_per_hop"] = static_cast<double>(events) / static_cast<double>(hops);
    state.counters["setup_s"] = benchmark::Counter(setupCpuS, benchmark::Counter::kAvgIterations);
}

/// NICs, NICs per leaf; the packets of 512 KiB each, no transport.
void
StockPointToPoint(benchmark::State& state)
{
    for ([[maybe_unused]] auto iteration : state)
    {
        const RunCost cost = mrc::bench::RunStockPermutation(
            static_cast<uint32_t>(state.range(0)), static_cast<uint32_t>(state.range(1)), 128);
        if (!IsUsable(state, cost))
        {
            return;
        }
        state.SetIterationTime(cost.cpuS);
        state.counters["hops_per_cpu_s"] = cost.HopsPerCpuSecond();
    }
}

/// Both in turn: how many times faster a hop with the whole transport is. The median counts, for
/// the speed of a shared machine changes within seconds.
void
RatioToStock(benchmark::State& state)
{
    const auto nics = static_cast<uint32_t>(state.range(0));
    const auto perT0 = static_cast<uint32_t>(state.range(1));
    std::vector<double> ratios;
    for ([[maybe_unused]] auto iteration : state)
    {
        const RunCost ours = mrc::bench::RunMrcPermutation(nics, perT0, 4, 2 << 20);
        const RunCost stock = mrc::bench::RunStockPermutation(nics, perT0, 128);
        if (!IsUsable(state, ours) || !IsUsable(state, stock))
        {
            return;
        }
        state.SetIterationTime(ours.cpuS + stock.cpuS);
        ratios.push_back(ours.HopsPerCpuSecond() / stock.HopsPerCpuSecond());
    }
    std::sort(ratios.begin(), ratios.end());
    state.counters["ratio"] = ratios[ratios.size() / 2];
    state.counters["ratio_min"] = ratios.front();
    state.counters["ratio_max"] = ratios.back();
}

BENCHMARK(MrcPermutation)
    ->Args({128, 8, 4})
    ->Args({128, 8, 1})
    ->Args({1024, 32, 4})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(StockPointToPoint)
    ->Args({128, 8})
    ->Args({1024, 32})
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(RatioToStock)
    ->Args({128, 8})
    ->Args({1024, 32})
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

} // namespace
