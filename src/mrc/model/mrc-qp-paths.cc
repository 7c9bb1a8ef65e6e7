// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-qp-paths.h"

#include "mrc-random.h"
#include "mrc-simple-selectors.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{
/// @return that many different numbers below `limit`, in random order
std::vector<uint32_t>
Sample(uint32_t count, uint32_t limit, mrc::Random& random)
{
    std::vector<uint32_t> numbers(limit);
    for (uint32_t i = 0; i < limit; ++i)
    {
        numbers[i] = i;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        std::swap(numbers[i], numbers[i + random.Below(limit - i)]);
    }
    numbers.resize(count);
    return numbers;
}
} // namespace

std::unique_ptr<mrc::PathSelector>
MrcCreatePathSelector(const MrcProfile& profile,
                      const mrc::PathPlan& plan,
                      uint32_t source,
                      uint32_t destination,
                      uint64_t seed,
                      mrc::EvObserver* observer,
                      mrc::EvCounters* counters)
{
    mrc::Random random(seed);
    const uint32_t planes = plan.Usids().Clos().Planes();
    const uint32_t wanted =
        uint32_t{profile.EvTable().activePerPlane} + profile.EvTable().backupPerPlane;
    std::vector<std::vector<uint32_t>> evs(planes);
    for (uint32_t plane = 0; plane < planes; ++plane)
    {
        if (profile.IsSrv6())
        {
            const uint32_t paths = plan.PathsPerPlane(source, destination);
            for (const uint32_t path : Sample(std::min(wanted, paths), paths, random))
            {
                evs[plane].push_back(plan.EvOf(plane, path));
            }
        }
        else
        {
            // Without source routing an EV is what switches hash: any dynamic source port.
            constexpr uint32_t FIRST_PORT = mrc::EvLayout::SOURCE_PORT_BASE;
            constexpr uint32_t PORTS = UINT16_MAX + 1 - FIRST_PORT;
            for (const uint32_t port : Sample(std::min(wanted, PORTS), PORTS, random))
            {
                evs[plane].push_back((FIRST_PORT + port) << 16 | plane);
            }
        }
    }
    const uint64_t selectorSeed = random.Next();
    switch (profile.Spray())
    {
    case MRC_SPRAY_RANDOM:
        return std::make_unique<mrc::RandomSelector>(evs, selectorSeed);
    case MRC_SPRAY_ROUND_ROBIN:
        return std::make_unique<mrc::RoundRobinSelector>(evs);
    case MRC_SPRAY_SINGLE:
        return std::make_unique<mrc::SinglePathSelector>(evs, selectorSeed);
    case MRC_SPRAY_MRC:
        break;
    }
    return std::make_unique<mrc::EvTable>(profile.EvTable(), evs, selectorSeed, observer, counters);
}

} // namespace ns3
