// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-lane-scheduler.h"

#include "mrc-fabric-event.h"

#include "ns3/assert.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <typeinfo>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MrcLaneScheduler");
NS_OBJECT_ENSURE_REGISTERED(MrcLaneScheduler);

TypeId
MrcLaneScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MrcLaneScheduler")
            .SetParent<Scheduler>()
            .SetGroupName("Mrc")
            .AddConstructor<MrcLaneScheduler>()
            .AddAttribute("MaxLanes",
                          "The most delays that get a lane of their own. Each lane in use makes "
                          "every removal a little slower; 0 makes this a plain heap.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&MrcLaneScheduler::m_maxLanes),
                          MakeUintegerChecker<uint32_t>(0, LANES_LIMIT))
            .AddAttribute("PromotionThreshold",
                          "How many events of one delay are inserted before it gets a lane.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&MrcLaneScheduler::m_promotionThreshold),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

MrcLaneScheduler::MrcLaneScheduler()
{
    NS_LOG_FUNCTION(this);
    m_heads.fill(NO_EVENT);
    m_laneOfDelay.fill({0, HEAP_SLOT});
    m_candidates.fill({0, 0, 0});
}

MrcLaneScheduler::~MrcLaneScheduler()
{
    NS_LOG_FUNCTION(this);
}

// Insert, PeekNext and RemoveNext do not log: a call for each event would cost more than they do.

void
MrcLaneScheduler::Insert(const Event& ev)
{
    NS_ASSERT_MSG(ev.impl, "an event without an implementation cannot be scheduled");
    // Wraps around for an event in the past, which is fine: a delay is only a name for a lane.
    const uint64_t delay = ev.key.m_ts - m_now;
    Slot slot = FindLane(delay);
    if (slot == HEAP_SLOT)
    {
        slot = CountDelay(delay);
    }
    if (slot == HEAP_SLOT || !PushLane(slot, ev))
    {
        PushHeap(ev);
    }
    ++m_size;
}

bool
MrcLaneScheduler::IsEmpty() const
{
    return m_size == 0;
}

Scheduler::Event
MrcLaneScheduler::PeekNext() const
{
    NS_ASSERT_MSG(m_size > 0, "no event is pending");
    const Slot slot = FindNext();
    if (slot == HEAP_SLOT)
    {
        return m_heap.front();
    }
    const Lane& lane = m_lanes[slot - 1];
    return lane.ring[lane.head & lane.mask];
}

Scheduler::Event
MrcLaneScheduler::RemoveNext()
{
    NS_ASSERT_MSG(m_size > 0, "no event is pending");
    const Slot slot = FindNext();
    Event ev;
    if (slot == HEAP_SLOT)
    {
        ev = m_heap.front();
        EraseHeap(0);
    }
    else
    {
        Lane& lane = m_lanes[slot - 1];
        ev = lane.At(lane.head);
        AdvanceLane(slot);
    }
    --m_size;
    m_now = ev.key.m_ts;
    return ev;
}

void
MrcLaneScheduler::Remove(const Event& ev)
{
    NS_LOG_FUNCTION(this << ev.key.m_ts << ev.key.m_uid);
    for (Slot slot = 1; slot <= m_lanes.size(); ++slot)
    {
        if (RemoveFromLane(slot, ev.key))
        {
            --m_size;
            return;
        }
    }
    const auto found = std::find_if(m_heap.begin(), m_heap.end(), [&ev](const Event& other) {
        return other.key.m_ts == ev.key.m_ts && other.key.m_uid == ev.key.m_uid;
    });
    NS_ASSERT_MSG(found != m_heap.end(), "event " << ev.key.m_uid << " is not pending");
    if (found != m_heap.end())
    {
        EraseHeap(static_cast<size_t>(found - m_heap.begin()));
        --m_size;
    }
}

bool
MrcLaneScheduler::HasLane(uint64_t delay) const
{
    return FindLane(delay) != HEAP_SLOT;
}

uint32_t
MrcLaneScheduler::Hash(uint64_t delay)
{
    // Multiplication by 2^64 / golden ratio spreads neighbouring and round delays alike.
    return static_cast<uint32_t>((delay * 0x9E3779B97F4A7C15ULL) >> (64 - HASH_BITS));
}

MrcLaneScheduler::Slot
MrcLaneScheduler::FindLane(uint64_t delay) const
{
    // The table has four times as many entries as there can be lanes, so there is a free one.
    static_assert((1U << HASH_BITS) >= 4 * LANES_LIMIT);
    for (uint32_t i = Hash(delay);; i = (i + 1) % m_laneOfDelay.size())
    {
        const LaneOfDelay& entry = m_laneOfDelay[i];
        if (entry.delay == delay || entry.slot == HEAP_SLOT)
        {
            return entry.slot;
        }
    }
}

MrcLaneScheduler::Slot
MrcLaneScheduler::FindNext() const
{
    Slot best = HEAP_SLOT;
    Order least = m_heads[HEAP_SLOT];
    const auto slots = static_cast<Slot>(m_lanes.size());
    for (Slot slot = 1; slot <= slots; ++slot)
    {
        const Order order = m_heads[slot];
        const bool less = order < least;
        least = less ? order : least;
        best = less ? slot : best;
    }
    return best;
}

MrcLaneScheduler::Slot
MrcLaneScheduler::CountDelay(uint64_t delay)
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

MrcLaneScheduler::Slot
MrcLaneScheduler::AcquireLane(uint64_t since)
{
    if (m_lanes.size() < m_maxLanes)
    {
        m_lanes.push_back({std::vector<Event>(INITIAL_RING), INITIAL_RING - 1, 0, 0, 0});
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
MrcLaneScheduler::IndexLanes()
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

bool
MrcLaneScheduler::PushLane(Slot slot, const Event& ev)
{
    Lane& lane = m_lanes[slot - 1];
    if (lane.head == lane.tail)
    {
        // Starting over at the first place keeps a lane with few events in few cache lines.
        lane.head = 0;
        lane.tail = 0;
        m_heads[slot] = OrderOf(ev.key);
    }
    else if (!(lane.At(lane.tail - 1).key < ev.key))
    {
        // Seen when uids wrap around, and when callers go back in time.
        return false;
    }
    else if (lane.tail - lane.head > lane.mask)
    {
        MakeRoom(lane);
    }
    lane.At(lane.tail++) = ev;
    // With many pending events the tail has left the cache since it came by last.
    __builtin_prefetch(&lane.At(lane.tail + PREFETCH_AHEAD), 1);
    return true;
}

void
MrcLaneScheduler::MakeRoom(Lane& lane)
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

void
MrcLaneScheduler::AdvanceLane(Slot slot)
{
    Lane& lane = m_lanes[slot - 1];
    do
    {
        ++lane.head;
        if (lane.head == lane.tail)
        {
            m_heads[slot] = NO_EVENT;
            return;
        }
    } while (!lane.At(lane.head).impl);
    m_heads[slot] = OrderOf(lane.At(lane.head).key);
    // Behind the tail there are pointers to events long run, which do no harm.
    __builtin_prefetch(lane.At(lane.head + PREFETCH_AHEAD).impl);
    __builtin_prefetch(&lane.At(lane.head + 3 * PREFETCH_AHEAD));
    if (const MrcFabricEvent* event = FabricEvent(lane, PREFETCH_AHEAD / 2))
    {
        event->Prefetch();
    }
    if (const MrcFabricEvent* event = FabricEvent(lane, PREFETCH_AHEAD / 4))
    {
        event->PrefetchMore();
    }
}

const MrcFabricEvent*
MrcLaneScheduler::FabricEvent(Lane& lane, uint64_t ahead)
{
    if (lane.head + ahead >= lane.tail)
    {
        return nullptr;
    }
    const EventImpl* impl = lane.At(lane.head + ahead).impl;
    if (impl == nullptr)
    {
        return nullptr; // a removed event
    }
    // Events of one delay are mostly of one class, so the class is looked at once.
    const std::type_info* type = &typeid(*impl);
    if (type != lane.type)
    {
        lane.type = type;
        lane.isFabric = dynamic_cast<const MrcFabricEvent*>(impl) != nullptr;
    }
    return lane.isFabric ? static_cast<const MrcFabricEvent*>(impl) : nullptr;
}

bool
MrcLaneScheduler::RemoveFromLane(Slot slot, const EventKey& key)
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
MrcLaneScheduler::PushHeap(const Event& ev)
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
MrcLaneScheduler::EraseHeap(size_t index)
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
MrcLaneScheduler::UpdateHeapHead()
{
    if (m_heap.empty())
    {
        m_heads[HEAP_SLOT] = NO_EVENT;
        return;
    }
    m_heads[HEAP_SLOT] = OrderOf(m_heap.front().key);
    __builtin_prefetch(m_heap.front().impl);
}

} // namespace ns3
