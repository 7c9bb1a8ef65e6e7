// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-reps-selector.h"

#include <algorithm>

namespace mrc
{

RepsSelector::RepsSelector(const RepsConfig& config,
                           const std::vector<std::vector<uint32_t>>& evsPerPlane,
                           uint64_t seed)
    : FixedEvSelector(evsPerPlane),
      m_config(config),
      m_recycled(evsPerPlane.size() * config.cachePerPlane, Recycled{NO_EV, 0}),
      m_rings(evsPerPlane.size(), Ring{0, 0}),
      m_random(seed),
      m_nowPs(0),
      m_frozenUntilPs(0)
{
}

EvIndex
RepsSelector::Next(uint8_t plane, EvIndex avoid)
{
    const uint16_t count = Count(plane);
    if (count == 0)
    {
        return NO_EV;
    }
    Recycled* recycled = Take(plane, avoid, false);
    if (recycled == nullptr && IsFrozen())
    {
        recycled = Take(plane, avoid, true);
    }
    if (recycled != nullptr)
    {
        recycled->uses -= recycled->uses > 0;
        return recycled->index;
    }
    const auto slot = static_cast<uint32_t>(m_random.Below(count));
    const EvIndex index = At(plane, slot);
    return index != avoid ? index : At(plane, slot + 1 < count ? slot + 1 : 0);
}

void
RepsSelector::OnUnmarked(EvIndex index, uint32_t packets, int64_t nowPs)
{
    m_nowPs = nowPs;
    if (IsDenied(index))
    {
        return;
    }
    const uint8_t plane = Plane(index);
    Ring& ring = m_rings[plane];
    const auto uses = static_cast<uint16_t>(std::min<uint32_t>(packets, UINT16_MAX));
    m_recycled[plane * m_config.cachePerPlane + ring.write] = {index, uses};
    ring.write = static_cast<uint8_t>((ring.write + 1) % m_config.cachePerPlane);
}

void
RepsSelector::OnLost(EvIndex index, int64_t nowPs)
{
    m_nowPs = nowPs;
    m_frozenUntilPs = nowPs + m_config.freezePs;
    Forget(index);
}

void
RepsSelector::Deny(EvIndex index, int64_t nowPs)
{
    FixedEvSelector::Deny(index, nowPs);
    Forget(index);
}

void
RepsSelector::Forget(EvIndex index)
{
    for (Recycled& recycled : m_recycled)
    {
        if (recycled.index == index)
        {
            recycled = {NO_EV, 0};
        }
    }
}

RepsSelector::Recycled*
RepsSelector::Take(uint8_t plane, EvIndex avoid, bool isUsedUpFine)
{
    const uint8_t size = m_config.cachePerPlane;
    Ring& ring = m_rings[plane];
    for (uint8_t looked = 0; looked < size; ++looked)
    {
        Recycled& recycled = m_recycled[plane * size + ring.read];
        ring.read = static_cast<uint8_t>((ring.read + 1) % size);
        if (recycled.index != NO_EV && recycled.index != avoid && !IsDenied(recycled.index) &&
            (recycled.uses > 0 || isUsedUpFine))
        {
            return &recycled;
        }
    }
    return nullptr;
}

} // namespace mrc
