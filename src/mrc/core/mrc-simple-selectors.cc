// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-simple-selectors.h"

#include <algorithm>
#include <numeric>

namespace mrc
{

FixedEvSelector::FixedEvSelector(const std::vector<std::vector<uint32_t>>& evsPerPlane)
    : m_begin{0}
{
    for (const std::vector<uint32_t>& values : evsPerPlane)
    {
        m_values.insert(m_values.end(), values.begin(), values.end());
        m_begin.push_back(Size());
        m_count.push_back(static_cast<uint16_t>(values.size()));
    }
    m_sorted.resize(m_values.size());
    std::iota(m_sorted.begin(), m_sorted.end(), EvIndex{0});
    m_inSlot = m_sorted;
    std::sort(m_sorted.begin(), m_sorted.end(), [this](EvIndex left, EvIndex right) {
        return m_values[left] < m_values[right];
    });
}

uint32_t
FixedEvSelector::Value(EvIndex index) const
{
    return m_values[index];
}

uint8_t
FixedEvSelector::Plane(EvIndex index) const
{
    const auto next = std::upper_bound(m_begin.begin(), m_begin.end(), index);
    return static_cast<uint8_t>(next - m_begin.begin() - 1);
}

EvIndex
FixedEvSelector::Find(uint32_t value) const
{
    const auto found = std::lower_bound(
        m_sorted.begin(), m_sorted.end(), value, [this](EvIndex index, uint32_t wanted) {
            return m_values[index] < wanted;
        });
    return found != m_sorted.end() && m_values[*found] == value ? *found : NO_EV;
}

uint16_t
FixedEvSelector::Size() const
{
    return static_cast<uint16_t>(m_values.size());
}

EvIndex
FixedEvSelector::At(uint8_t plane, uint32_t slot) const
{
    return m_inSlot[m_begin[plane] + slot];
}

uint16_t
FixedEvSelector::SlotOf(uint8_t plane, EvIndex index) const
{
    const auto begin = m_inSlot.begin() + m_begin[plane];
    const auto end = begin + m_count[plane];
    return static_cast<uint16_t>(std::lower_bound(begin, end, index) - begin);
}

uint16_t
FixedEvSelector::Count(uint8_t plane) const
{
    return plane < m_count.size() ? m_count[plane] : 0;
}

bool
FixedEvSelector::IsDenied(EvIndex index) const
{
    const uint8_t plane = FixedEvSelector::Plane(index);
    const uint16_t slot = SlotOf(plane, index);
    return slot == m_count[plane] || At(plane, slot) != index;
}

void
FixedEvSelector::Deny(EvIndex index, int64_t)
{
    const uint8_t plane = FixedEvSelector::Plane(index);
    if (!IsDenied(index))
    {
        const auto begin = m_inSlot.begin() + m_begin[plane];
        const auto from = begin + SlotOf(plane, index);
        std::rotate(from, from + 1, begin + m_count[plane]);
        --m_count[plane];
    }
}

void
FixedEvSelector::Allow(EvIndex index, int64_t)
{
    const uint8_t plane = FixedEvSelector::Plane(index);
    if (IsDenied(index))
    {
        const auto begin = m_inSlot.begin() + m_begin[plane];
        const auto denied = begin + m_count[plane];
        std::iter_swap(denied, std::find(denied, m_inSlot.end(), index));
        std::rotate(begin + SlotOf(plane, index), denied, denied + 1);
        ++m_count[plane];
    }
}

RandomSelector::RandomSelector(const std::vector<std::vector<uint32_t>>& evsPerPlane, uint64_t seed)
    : FixedEvSelector(evsPerPlane),
      m_random(seed)
{
}

EvIndex
RandomSelector::Next(uint8_t plane, EvIndex avoid)
{
    const uint16_t count = Count(plane);
    if (count == 0)
    {
        return NO_EV;
    }
    const uint16_t avoided = SlotOf(plane, avoid);
    const bool without = count > 1 && avoided < count && At(plane, avoided) == avoid;
    uint32_t slot = m_random.Below(without ? count - 1 : count);
    if (without && slot >= avoided)
    {
        ++slot;
    }
    return At(plane, slot);
}

RoundRobinSelector::RoundRobinSelector(const std::vector<std::vector<uint32_t>>& evsPerPlane)
    : FixedEvSelector(evsPerPlane),
      m_turn(evsPerPlane.size(), 0)
{
}

EvIndex
RoundRobinSelector::Next(uint8_t plane, EvIndex avoid)
{
    const uint16_t count = Count(plane);
    if (count == 0)
    {
        return NO_EV;
    }
    uint16_t& turn = m_turn[plane];
    const auto step = [&turn, count] {
        const uint16_t now = turn < count ? turn : 0;
        turn = now + 1 < count ? now + 1 : 0;
        return now;
    };
    EvIndex index = At(plane, step());
    if (index == avoid)
    {
        index = At(plane, step());
    }
    return index;
}

SinglePathSelector::SinglePathSelector(const std::vector<std::vector<uint32_t>>& evsPerPlane,
                                       uint64_t seed)
    : FixedEvSelector(evsPerPlane),
      m_path(NO_EV),
      m_plane(0)
{
    if (Size() > 0)
    {
        m_path = static_cast<EvIndex>(Random(seed).Below(Size()));
        m_plane = FixedEvSelector::Plane(m_path);
    }
}

EvIndex
SinglePathSelector::Next(uint8_t plane, EvIndex)
{
    return plane == m_plane ? m_path : NO_EV;
}

void
SinglePathSelector::Deny(EvIndex index, int64_t nowPs)
{
    FixedEvSelector::Deny(index, nowPs);
    if (index == m_path)
    {
        Choose();
    }
}

void
SinglePathSelector::Allow(EvIndex index, int64_t nowPs)
{
    FixedEvSelector::Allow(index, nowPs);
    if (m_path == NO_EV)
    {
        Choose();
    }
}

void
SinglePathSelector::Choose()
{
    const EvIndex from = m_path == NO_EV ? 0 : m_path;
    m_path = NO_EV;
    for (uint32_t i = 0; i < Size() && m_path == NO_EV; ++i)
    {
        const auto index = static_cast<EvIndex>((from + i) % Size());
        if (!IsDenied(index))
        {
            m_path = index;
            m_plane = FixedEvSelector::Plane(index);
        }
    }
}

} // namespace mrc
