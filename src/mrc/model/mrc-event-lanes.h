// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EVENT_LANES_H
#define MRC_EVENT_LANES_H

#include "mrc-fabric-event.h"

#include <ns3/scheduler.h>

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Pending events in order of (time, uid): one FIFO lane for each frequent delay, a heap for the
 * rest, and a tournament among their heads.
 *
 * MrcLaneScheduler, which explains the idea, gives it to any simulator as an ns3::Scheduler;
 * MrcSimulatorImpl uses it directly, which saves most of what an event costs in ns-3.
 *
 * An event whose context is MrcFabricEvent::CONTEXT must be an MrcFabricEvent; what it will touch
 * is fetched when it is some places from the head of its lane.
 */
class MrcEventLanes
{
  public:
    /// The most lanes that can be asked for: with the heap they fill a tree of 64 leaves.
    static constexpr uint32_t LANES_LIMIT = 63;

    MrcEventLanes();

    /// @param count the most delays that get a lane of their own, at most LANES_LIMIT
    void SetMaxLanes(uint32_t count)
    {
        m_maxLanes = count;
    }

    /// @param count how many events of one delay are inserted before it gets a lane, > 0
    void SetPromotionThreshold(uint32_t count)
    {
        m_promotionThreshold = count;
    }

    /// @return the most delays that get a lane of their own
    uint32_t MaxLanes() const
    {
        return m_maxLanes;
    }

    /// @return how many events of one delay are inserted before it gets a lane
    uint32_t PromotionThreshold() const
    {
        return m_promotionThreshold;
    }

    /// @return true if no event is pending
    bool IsEmpty() const
    {
        return m_size == 0;
    }

    /// @param ev an event with a (time, uid) of its own and an impl
    void Insert(const Scheduler::Event& ev)
    {
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

    /// @return time of the next event (there must be one)
    uint64_t NextTs() const
    {
        return static_cast<uint64_t>(m_heads[m_winners[ROOT]] >> 64);
    }

    /// @return the event with the least (time, uid) (there must be one)
    const Scheduler::Event& PeekNext() const
    {
        const Slot slot = m_winners[ROOT];
        if (slot == HEAP_SLOT)
        {
            return m_heap.front();
        }
        const Lane& lane = m_lanes[slot - 1];
        return lane.ring[lane.head & lane.mask];
    }

    /// @return the event with the least (time, uid), taken out (there must be one)
    Scheduler::Event RemoveNext()
    {
        const Scheduler::Event ev = PeekNext();
        const Slot slot = m_winners[ROOT];
        if (slot == HEAP_SLOT)
        {
            EraseHeap(0);
        }
        else
        {
            AdvanceLane(slot);
        }
        --m_size;
        m_now = ev.key.m_ts;
        return ev;
    }

    /// @param key of an event to take out @return false if it is not pending
    bool Remove(const Scheduler::EventKey& key);

    /// @param delay a delay @return true if its events are kept in a lane of their own
    bool HasLane(uint64_t delay) const
    {
        return FindLane(delay) != HEAP_SLOT;
    }

  private:
    using Event = Scheduler::Event;
    using EventKey = Scheduler::EventKey;

    /// A leaf of the tournament: the heap's, or a lane's index + 1.
    using Slot = uint32_t;

    /// A key as one number, (time, uid): compared without a branch, as which of many keys is
    /// the least is beyond any branch prediction.
    __extension__ typedef unsigned __int128 Order;

    static constexpr Slot HEAP_SLOT = 0;           //!< slot of the heap
    static constexpr uint32_t ROOT = 1;            //!< root of the tournament
    static constexpr uint32_t HASH_BITS = 8;       //!< log2 of the size of both delay tables
    static constexpr uint32_t INITIAL_RING = 256;  //!< first capacity of a lane, in events
    static constexpr uint64_t PREFETCH_AHEAD = 12; //!< places of a lane to look ahead
    static constexpr uint32_t HEAP_ARITY = 4;      //!< children of a node of the heap
    /// With fewer pending events what they touch is in the cache anyway.
    static constexpr uint64_t PREFETCH_FROM = 4096;
    /// Places from the head at which the steps of a fabric event's Prefetch() are called.
    static constexpr std::array<uint64_t, MrcFabricEvent::PREFETCH_STEPS> STEP_AHEAD{9, 6, 4, 2};
    static constexpr Order NO_EVENT = ~Order{0}; //!< comes after all events

    /**
     * The events of one delay, ascending by (time, uid), in a ring of 2^n places.
     *
     * Remove() leaves a place with a null impl behind; the place at head is never such a one.
     */
    struct Lane
    {
        std::vector<Event> ring; //!< the places
        uint64_t mask;           //!< number of places - 1
        uint64_t head;           //!< free-running position of the first event
        uint64_t tail;           //!< free-running position behind the last event
        uint64_t delay;          //!< delay of its events, in units of the time resolution

        /// @param position a free-running position @return the place
        Event& At(uint64_t position)
        {
            return ring[position & mask];
        }
    };

    /// An entry of the hash table from delay to lane.
    struct LaneOfDelay
    {
        uint64_t delay; //!< the key
        Slot slot;      //!< the lane's slot, or HEAP_SLOT if this entry is free
    };

    /// A delay that may become frequent.
    struct Candidate
    {
        uint64_t delay; //!< the delay
        uint64_t since; //!< value of m_now when counting began
        uint32_t count; //!< times seen, less the times that other delays hashed here were seen
    };

    /// @param key the key of an event @return its place in the order of execution
    static Order OrderOf(const EventKey& key)
    {
        return (Order{key.m_ts} << 64) | key.m_uid;
    }

    /// @param delay a delay @return its index in both delay tables
    static uint32_t Hash(uint64_t delay)
    {
        // Multiplication by 2^64 / golden ratio spreads neighbouring and round delays alike.
        return static_cast<uint32_t>((delay * 0x9E3779B97F4A7C15ULL) >> (64 - HASH_BITS));
    }

    /// @param delay a delay @return the slot of its lane, or HEAP_SLOT if it has none
    Slot FindLane(uint64_t delay) const
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

    /// Change the head of a slot and play its matches again.
    void SetHead(Slot slot, Order order)
    {
        m_heads[slot] = order;
        Slot winner = slot;
        for (uint32_t node = m_leaves + slot; node > ROOT; node /= 2)
        {
            const Slot rival = m_winners[node ^ 1];
            const Order other = m_heads[rival];
            const bool loses = other < order;
            order = loses ? other : order;
            winner = loses ? rival : winner;
            m_winners[node / 2] = winner;
        }
    }

    /**
     * Append an event to a lane, if it comes after the lane's last.
     *
     * @param slot the lane's slot
     * @param ev the event
     * @return false if it does not, and nothing was done
     */
    bool PushLane(Slot slot, const Event& ev)
    {
        Lane& lane = m_lanes[slot - 1];
        if (lane.head == lane.tail)
        {
            // Starting over at the first place keeps a lane with few events in few cache lines.
            lane.head = 0;
            lane.tail = 0;
            SetHead(slot, OrderOf(ev.key));
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
        // Member by member: copied as a whole, its two halves just written one by one would have to
        // reach the cache before they can be read at once, behind all stores before them.
        Event& place = lane.At(lane.tail++);
        place.impl = ev.impl;
        place.key.m_ts = ev.key.m_ts;
        place.key.m_uid = ev.key.m_uid;
        place.key.m_context = ev.key.m_context;
        // With many pending events the tail has left the cache since it came by last.
        __builtin_prefetch(&lane.At(lane.tail + PREFETCH_AHEAD), 1);
        return true;
    }

    /// Step a lane's head to the next event. @param slot the lane's slot
    void AdvanceLane(Slot slot)
    {
        Lane& lane = m_lanes[slot - 1];
        do
        {
            ++lane.head;
            if (lane.head == lane.tail)
            {
                SetHead(slot, NO_EVENT);
                return;
            }
        } while (!lane.At(lane.head).impl);
        SetHead(slot, OrderOf(lane.At(lane.head).key));
        if (m_size < PREFETCH_FROM)
        {
            return;
        }
        // Behind the tail there are pointers to events long run, which do no harm.
        __builtin_prefetch(lane.At(lane.head + PREFETCH_AHEAD).impl);
        __builtin_prefetch(&lane.At(lane.head + 3 * PREFETCH_AHEAD));
        for (uint32_t step = 0; step < MrcFabricEvent::PREFETCH_STEPS; ++step)
        {
            if (const MrcFabricEvent* event = FabricEvent(lane, STEP_AHEAD[step]))
            {
                event->Prefetch(step);
            }
        }
    }

    /// @param lane a lane @param ahead places from its head @return the fabric event there, or null
    static const MrcFabricEvent* FabricEvent(Lane& lane, uint64_t ahead)
    {
        if (lane.head + ahead >= lane.tail)
        {
            return nullptr;
        }
        const Event& ev = lane.At(lane.head + ahead);
        const bool isFabric = ev.impl != nullptr && ev.key.m_context == MrcFabricEvent::CONTEXT;
        return isFabric ? static_cast<const MrcFabricEvent*>(ev.impl) : nullptr;
    }

    /**
     * Count a delay that has no lane, and give it one when it is due and can be had.
     *
     * @param delay the delay
     * @return the slot of its new lane, or HEAP_SLOT
     */
    Slot CountDelay(uint64_t delay);

    /**
     * Find a lane for a frequent delay.
     *
     * @param since the value of m_now when counting the delay began
     * @return the slot of a lane, now empty, or HEAP_SLOT if all others are in use
     */
    Slot AcquireLane(uint64_t since);

    /// Make the hash table from delay to lane anew.
    void IndexLanes();

    /// Make the tournament anew, with enough leaves for all lanes.
    void BuildTournament();

    /**
     * Make room in a full lane: drop what Remove() left behind, and double the ring if that alone
     * does not free half of it.
     *
     * @param lane the lane
     */
    static void MakeRoom(Lane& lane);

    /**
     * Remove an event from a lane.
     *
     * @param slot the lane's slot
     * @param key the event's key
     * @return false if it is not there
     */
    bool RemoveFromLane(Slot slot, const EventKey& key);

    /// Add an event to the heap. @param ev the event
    void PushHeap(const Event& ev);

    /// Remove one element of the heap. @param index its index
    void EraseHeap(size_t index);

    /// The least of the heap may have changed.
    void UpdateHeapHead();

    /// Orders of the least events, by slot; NO_EVENT for what is empty.
    alignas(64) std::array<Order, LANES_LIMIT + 1> m_heads;
    /// Tournament over the slots: the winner below each node, leaves from m_leaves on.
    std::array<Slot, 2 * (LANES_LIMIT + 1)> m_winners;
    uint32_t m_leaves{1};      //!< leaves in use, 2^n
    uint64_t m_now{0};         //!< time of the event removed last
    uint64_t m_size{0};        //!< number of pending events
    std::vector<Lane> m_lanes; //!< the lanes, that of slot s at index s - 1
    std::vector<Event> m_heap; //!< all other events
    std::array<LaneOfDelay, 1U << HASH_BITS> m_laneOfDelay; //!< hash table, linear probing
    std::array<Candidate, 1U << HASH_BITS> m_candidates;    //!< one candidate per hash value
    uint32_t m_maxLanes{15};                                //!< see SetMaxLanes()
    uint32_t m_promotionThreshold{64};                      //!< see SetPromotionThreshold()
};

} // namespace ns3

#endif // MRC_EVENT_LANES_H
