// SPDX-License-Identifier: GPL-2.0-only
// Events per second of event schedulers, under the hold model: N events are pending, and each
// event that is taken out is put back with a new delay.
#include "mrc-lane-scheduler.h"

#include "ns3/event-impl.h"
#include "ns3/heap-scheduler.h"
#include "ns3/map-scheduler.h"
#include "ns3/object-factory.h"
#include "ns3/priority-queue-scheduler.h"
#include "ns3/type-id.h"

#include <array>
#include <benchmark/benchmark.h>
#include <memory>
#include <random>
#include <vector>

namespace
{

using ns3::Scheduler;

/// What a fabric's port schedules again and again: an event that is never freed.
class PersistentEvent : public ns3::EventImpl
{
  private:
    void Notify() override
    {
    }
};

/// Delays of a 400 Gb/s fabric in ps: a wire of 500 ns and, for the last four, of 1 us, plus the
/// serialisation of 4224, 192, 128 and 64 bytes at 20 ps a byte.
constexpr std::array<uint64_t, 8> FABRIC_DELAYS_PS = {
    584480, 503840, 502560, 501280, 1084480, 1003840, 1002560, 1001280};

/// Odd delays are uniform from 1 ps to this.
constexpr uint64_t ODD_DELAY_MAX_PS = 2'000'000;

/// Delays are drawn beforehand, so that their cost is not measured.
constexpr size_t DELAY_TABLE_SIZE = 1 << 16;

/**
 * Draws delays.
 * @param oddPercent how many of 100 are uniform; the rest is from FABRIC_DELAYS_PS
 * @return DELAY_TABLE_SIZE delays in ps
 */
std::vector<uint64_t>
DrawDelays(int64_t oddPercent)
{
    std::mt19937_64 random(1);
    std::vector<uint64_t> delays(DELAY_TABLE_SIZE);
    for (uint64_t& delay : delays)
    {
        const bool odd = static_cast<int64_t>(random() % 100) < oddPercent;
        delay = odd ? 1 + random() % ODD_DELAY_MAX_PS
                    : FABRIC_DELAYS_PS[random() % FABRIC_DELAYS_PS.size()];
    }
    return delays;
}

/**
 * The hold model.
 * @param state range(0) is the number of pending events, range(1) the percentage of odd delays
 * @param getTypeId of the scheduler; a name alone would let the linker drop its library
 */
void
SchedulerHold(benchmark::State& state, ns3::TypeId (*getTypeId)())
{
    const auto pending = static_cast<size_t>(state.range(0));
    const std::vector<uint64_t> delays = DrawDelays(state.range(1));
    const auto impls = std::make_unique<PersistentEvent[]>(pending);
    ns3::ObjectFactory factory;
    factory.SetTypeId(getTypeId());
    const auto scheduler = factory.Create<Scheduler>();

    uint32_t uid = 0;
    for (; uid < pending; ++uid)
    {
        scheduler->Insert({&impls[uid], {delays[uid % DELAY_TABLE_SIZE], uid, 0}});
    }
    uint64_t cancelled = 0;
    const auto hold = [&] {
        Scheduler::Event ev = scheduler->RemoveNext();
        // The simulator looks at each event's object before it runs it.
        cancelled += ev.impl->IsCancelled();
        ev.key.m_ts += delays[uid % DELAY_TABLE_SIZE];
        ev.key.m_uid = uid++;
        scheduler->Insert(ev);
    };
    for (size_t i = 0; i < 4 * pending; ++i)
    {
        hold();
    }
    for ([[maybe_unused]] auto iteration : state)
    {
        hold();
    }
    benchmark::DoNotOptimize(cancelled);
    state.SetItemsProcessed(state.iterations());
    while (!scheduler->IsEmpty())
    {
        scheduler->RemoveNext();
    }
}

/**
 * The loads that each scheduler is measured with.
 * @param load the registered benchmark
 */
void
Loads(benchmark::internal::Benchmark* load)
{
    load->ArgNames({"pending", "odd%"});
    for (const int64_t oddPercent : {8, 100})
    {
        for (const int64_t pending : {1'000, 100'000})
        {
            load->Args({pending, oddPercent});
        }
    }
}

BENCHMARK_CAPTURE(SchedulerHold, Lane, &ns3::MrcLaneScheduler::GetTypeId)->Apply(Loads);
BENCHMARK_CAPTURE(SchedulerHold, Map, &ns3::MapScheduler::GetTypeId)->Apply(Loads);
BENCHMARK_CAPTURE(SchedulerHold, PriorityQueue, &ns3::PriorityQueueScheduler::GetTypeId)
    ->Apply(Loads);
BENCHMARK_CAPTURE(SchedulerHold, Heap, &ns3::HeapScheduler::GetTypeId)->Apply(Loads);

} // namespace
