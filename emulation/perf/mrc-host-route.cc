// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-host-route.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mrc::perf
{

void
HostRoute::Apply(Frame& frame, uint8_t plane) const
{
    const Plane& own = planes[plane];
    if (!isEncapsulated)
    {
        frame.daHigh = own.peerPort.high;
        frame.daLow = own.peerPort.low;
    }
    else if (paths)
    {
        const bool isKnown = EvLayout::Plane(frame.ev) == plane && paths->plan.IsValid(frame.ev);
        const uint32_t ev = isKnown ? frame.ev : paths->plan.EvOf(plane, 0);
        paths->route.Apply(ev, frame.daHigh, frame.daLow);
    }
    else
    {
        const UsidCarrier& carrier = own.carriers[(frame.ev & 0xffff) % own.carriers.size()];
        frame.daHigh = carrier.high;
        frame.daLow = carrier.low;
    }
}

std::vector<std::vector<uint32_t>>
HostRoute::ChooseEvs(uint32_t perPlane, Random& random) const
{
    constexpr uint32_t FIRST_PORT = EvLayout::SOURCE_PORT_BASE;
    constexpr uint32_t PORTS = UINT16_MAX + 1 - FIRST_PORT;
    std::vector<std::vector<uint32_t>> evs(planes.size());
    for (uint32_t plane = 0; plane < planes.size(); ++plane)
    {
        // Without source routing an EV is what routers may hash: any dynamic source port.
        uint32_t limit = PORTS;
        if (isEncapsulated)
        {
            limit = paths ? paths->plan.PathsPerPlane(paths->ownNic, paths->peerNic)
                          : static_cast<uint32_t>(planes[plane].carriers.size());
        }
        std::vector<uint32_t> numbers(limit);
        std::iota(numbers.begin(), numbers.end(), 0);
        const uint32_t count = std::min(perPlane, limit);
        for (uint32_t i = 0; i < count; ++i)
        {
            std::swap(numbers[i], numbers[i + random.Below(limit - i)]);
            uint32_t ev = (FIRST_PORT + numbers[i]) << 16 | plane;
            if (isEncapsulated)
            {
                ev = paths ? paths->plan.EvOf(plane, numbers[i])
                           : (FIRST_PORT | plane) << 16 | numbers[i];
            }
            evs[plane].push_back(ev);
        }
    }
    return evs;
}

} // namespace mrc::perf
