// SPDX-License-Identifier: GPL-2.0-only
// Packet-hops per CPU second of whole permutations, and against stock ns-3 in the same run.

#include "mrc-bench-permutation.h"

#include <benchmark/benchmark.h>

namespace
{

using mrc::bench::RunCost;

/// NICs, NICs per T0, planes; 2 MiB each at 100 Gb/s a plane.
void
MrcPermutation(benchmark::State& state)
{
    for (auto _ : state)
    {
        const RunCost cost = mrc::bench::RunMrcPermutation(static_cast<uint32_t>(state.range(0)),
                                                           static_cast<uint32_t>(state.range(1)),
                                                           static_cast<uint32_t>(state.range(2)),
                                                           2 << 20);
        state.SetIterationTime(cost.cpuS);
        state.counters["hops_per_cpu_s"] = cost.HopsPerCpuSecond();
        state.counters["events_per_hop"] =
            static_cast<double>(cost.events) / static_cast<double>(cost.hops);
        state.counters["setup_s"] = cost.setupCpuS;
    }
}

/// NICs, NICs per leaf; the packets of 512 KiB each, no transport.
void
StockPointToPoint(benchmark::State& state)
{
    for (auto _ : state)
    {
        const RunCost cost = mrc::bench::RunStockPermutation(
            static_cast<uint32_t>(state.range(0)), static_cast<uint32_t>(state.range(1)), 128);
        state.SetIterationTime(cost.cpuS);
        state.counters["hops_per_cpu_s"] = cost.HopsPerCpuSecond();
    }
}

/// Both, one after the other: how many times faster a hop with the whole transport is.
void
RatioToStock(benchmark::State& state)
{
    const auto nics = static_cast<uint32_t>(state.range(0));
    const auto perT0 = static_cast<uint32_t>(state.range(1));
    for (auto _ : state)
    {
        const RunCost ours = mrc::bench::RunMrcPermutation(nics, perT0, 4, 2 << 20);
        const RunCost stock = mrc::bench::RunStockPermutation(nics, perT0, 128);
        state.SetIterationTime(ours.cpuS + stock.cpuS);
        state.counters["ratio"] = ours.HopsPerCpuSecond() / stock.HopsPerCpuSecond();
    }
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
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

} // namespace
