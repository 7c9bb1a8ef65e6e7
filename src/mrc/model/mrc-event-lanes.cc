// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-event-lanes.h"

#include <algorithm>

namespace ns3
{

MrcEventLanes::MrcEventLanes()
{
    m_heads.fill(NO_EVENT);
    m_winners.fill(HEAP_SLOT);
    m_laneOfDelay.fill({0, HEAP_SLOT});
    m_candidates.fill({0, 0, 0});
}

bool
MrcEventLanes::Remove(const EventKey& key)
{
    for (Slot slot = 1; slot <= m_lanes.size(); ++slot)
    {
        if (RemoveFromLane(slot, key))
        {
            --m_size;
            return true;
        }
    }
    const auto found = std::find_if(m_heap.begin(), m_heap.end(), [&key](const Event& other) {
        return other.key.m_ts == key.m_ts && other.key.m_uid == key.m_uid;
    });
    if (found == m_heap.end())
    {
        return false;
    }
    EraseHeap(static_cast<size_t>(found - m_heap.begin()));
    --m_size;
    return true;
}

MrcEventLanes::Slot
MrcEventLanes::CountDelay(uint64_t delay)
{
    // Each hash value elects the delay that is seen more often than all others of that value
    // together, so that a stream of odd delays cannot keep a frequent one out.
    Candidate& candidate = m_candidates[Hash(delay)];
    if (candidate.count == 0)
    {
        candidate = {delay, m_now, 0};
    }
    else if (candidate.delay != delay)
    {
        --candidate.count;
        return HEAP_SLOT;
    }
    if (++candidate.count < m_promotionThreshold)
    {
        return HEAP_SLOT;
    }
    candidate.count = 0;
    const Slot slot = AcquireLane(candidate.since);
    if (slot != HEAP_SLOT)
    {
        m_lanes[slot - 1].delay = delay;
        IndexLanes();
    }
    return slot;
}

MrcEventLanes::Slot
MrcEventLanes::AcquireLane(uint64_t since)
{
    if (m_lanes.size() < m_maxLanes)
    {
        m_lanes.push_back({std::vector<Event>(INITIAL_RING), INITIAL_RING - 1, 0, 0, 0});
        BuildTournament();
        return static_cast<Slot>(m_lanes.size());
    }
    Slot victim = HEAP_SLOT;
    uint64_t oldest = since;
    for (Slot slot = 1; slot <= m_lanes.size(); ++slot)
    {
        Lane& lane = m_lanes[slot - 1];
        // The place before the tail still holds the last event inserted, run or not.
        const uint64_t lastInsert = lane.At(lane.tail - 1).key.m_ts - lane.delay;
        if (lastInsert < oldest)
        {
            oldest = lastInsert;
            victim = slot;
        }
    }
    if (victim != HEAP_SLOT)
    {
        Lane& lane = m_lanes[victim - 1];
        while (lane.head != lane.tail)
        {
            PushHeap(lane.At(lane.head));
            AdvanceLane(victim);
        }
    }
    return victim;
}

void
MrcEventLanes::IndexLanes()
{
    m_laneOfDelay.fill({0, HEAP_SLOT});
    for (Slot slot = 1; slot <= m_lanes.size(); ++slot)
    {
        const uint64_t delay = m_lanes[slot - 1].delay;
        uint32_t i = Hash(delay);
        while (m_laneOfDelay[i].slot != HEAP_SLOT)
        {
            i = (i + 1) % m_laneOfDelay.size();
        }
        m_laneOfDelay[i] = {delay, slot};
    }
}

void
MrcEventLanes::BuildTournament()
{
    m_leaves = 1;
    while (m_leaves <= m_lanes.size())
    {
        m_leaves *= 2;
    }
    for (Slot slot = 0; slot < m_leaves; ++slot)
    {
        m_winners[m_leaves + slot] = slot;
    }
    for (uint32_t node = m_leaves - 1; node >= ROOT; --node)
    {
        const Slot left = m_winners[2 * node];
        const Slot right = m_winners[2 * node + 1];
        m_winners[node] = m_heads[right] < m_heads[left] ? right : left;
    }
}

void
MrcEventLanes::MakeRoom(Lane& lane)
{
    std::vector<Event> events;
    events.reserve(2 * lane.ring.size());
    for (; lane.head != lane.tail; ++lane.head)
    {
        if (lane.At(lane.head).impl)
        {
            events.push_back(lane.At(lane.head));
        }
    }
    lane.head = 0;
    lane.tail = events.size();
    events.resize(2 * lane.tail > lane.ring.size() ? 2 * lane.ring.size() : lane.ring.size());
    lane.ring.swap(events);
    lane.mask = lane.ring.size() - 1;
}

bool
MrcEventLanes::RemoveFromLane(Slot slot, const EventKey& key)
{
    Lane& lane = m_lanes[slot - 1];
    uint64_t first = lane.head;
    uint64_t last = lane.tail;
    while (first != last)
    {
        const uint64_t middle = first + (last - first) / 2;
        if (lane.At(middle).key < key)
        {
            first = middle + 1;
        }
        else
        {
            last = middle;
        }
    }
    if (first == lane.tail || key < lane.At(first).key || !lane.At(first).impl)
    {
        return false;
    }
    lane.At(first).impl = nullptr;
    if (first == lane.head)
    {
        AdvanceLane(slot);
    }
    return true;
}

void
MrcEventLanes::PushHeap(const Event& ev)
{
    size_t hole = m_heap.size();
    m_heap.push_back(ev);
    while (hole > 0)
    {
        const size_t parent = (hole - 1) / HEAP_ARITY;
        if (!(ev.key < m_heap[parent].key))
        {
            break;
        }
        m_heap[hole] = m_heap[parent];
        hole = parent;
    }
    m_heap[hole] = ev;
    UpdateHeapHead();
}

void
MrcEventLanes::EraseHeap(size_t index)
{
    const Event moved = m_heap.back();
    m_heap.pop_back();
    const size_t size = m_heap.size();
    if (index < size)
    {
        // Fill the hole from below, then let the last element rise from where the hole ends.
        size_t hole = index;
        for (size_t child = HEAP_ARITY * hole + 1; child < size; child = HEAP_ARITY * hole + 1)
        {
            const size_t end = std::min<size_t>(child + HEAP_ARITY, size);
            size_t best = child;
            Order least = OrderOf(m_heap[child].key);
            for (size_t other = child + 1; other < end; ++other)
            {
                const Order order = OrderOf(m_heap[other].key);
                const bool less = order < least;
                least = less ? order : least;
                best = less ? other : best;
            }
            m_heap[hole] = m_heap[best];
            hole = best;
        }
        while (hole > 0 && moved.key < m_heap[(hole - 1) / HEAP_ARITY].key)
        {
            m_heap[hole] = m_heap[(hole - 1) / HEAP_ARITY];
            hole = (hole - 1) / HEAP_ARITY;
        }
        m_heap[hole] = moved;
    }
    UpdateHeapHead();
}

void
MrcEventLanes::UpdateHeapHead()
{
    if (m_heap.empty())
    {
        SetHead(HEAP_SLOT, NO_EVENT);
        return;
    }
    SetHead(HEAP_SLOT, OrderOf(m_heap.front().key));
    __builtin_prefetch(m_heap.front().impl);
}

} // namespace ns3
