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
    }
    m_sorted.resize(m_values.size());
    std::iota(m_sorted.begin(), m_sorted.end(), EvIndex{0});
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
FixedEvSelector::First(uint8_t plane) const
{
    return m_begin[plane];
}

uint16_t
FixedEvSelector::Count(uint8_t plane) const
{
    return plane + 1U < m_begin.size() ? m_begin[plane + 1U] - m_begin[plane] : 0;
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
    const EvIndex first = First(plane);
    const bool without = count > 1 && avoid >= first && avoid < first + count;
    auto index = static_cast<EvIndex>(first + m_random.Below(without ? count - 1 : count));
    if (without && index >= avoid)
    {
        ++index;
    }
    return index;
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
        const uint16_t now = turn;
        turn = now + 1 < count ? now + 1 : 0;
        return now;
    };
    auto index = static_cast<EvIndex>(First(plane) + step());
    if (index == avoid)
    {
        index = static_cast<EvIndex>(First(plane) + step());
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

} // namespace mrc
