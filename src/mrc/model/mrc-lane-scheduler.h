// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * An event scheduler for simulations whose delays come from a small set.
 */
#ifndef MRC_LANE_SCHEDULER_H
#define MRC_LANE_SCHEDULER_H

#include "ns3/scheduler.h"

#include <array>
#include <cstdint>
#include <typeinfo>
#include <vector>

namespace ns3
{

class MrcFabricEvent;

/**
 * @ingroup scheduler
 *
 * A scheduler with one FIFO per frequent delay.
 *
 * In a simulated fabric nearly all events are scheduled with one of very few delays: the
 * serialisation of a full packet, of a trimmed one, of an acknowledgement, each plus a wire.
 * As simulated time never goes back, events of one delay are scheduled in the order in which
 * they run. This scheduler keeps such events in a plain FIFO, a *lane*: one for each delay,
 * where the delay is the event's time minus the time of the event being run. A delay gets a
 * lane once it has been seen PromotionThreshold times; events of all other delays are kept in
 * a 4-ary heap. The next event is the least of the heads of the lanes and of the heap.
 *
 * The order is exactly that of MapScheduler, by time and then by uid, for any program: an event
 * that does not come after the last of its lane goes to the heap, so a lane is always sorted.
 *
 * When all lanes are taken and a further delay becomes frequent, it takes over the lane that
 * has been without an insertion longest, if that lane got none in all the time that the new
 * delay took to be seen PromotionThreshold times. What is left in that lane moves to the heap.
 * So a run whose delays change, because a link changes its rate for instance, keeps its speed.
 * The choice depends on the events alone: a run repeats exactly.
 *
 * With L lanes, E events in the lane concerned and H events in the heap:
 *
 * | operation                | time                                 |
 * |--------------------------|--------------------------------------|
 * | Insert, frequent delay   | O(1), amortized over growth of a lane |
 * | Insert, other delay      | O(log H)                             |
 * | IsEmpty                  | O(1)                                 |
 * | PeekNext                 | O(L)                                 |
 * | RemoveNext               | O(L) from a lane, plus O(log H) from the heap |
 * | Remove                   | O(L log E) from a lane, plus O(H) from the heap |
 *
 * Choose it for fabrics and other models with few distinct delays. With delays that hardly ever
 * repeat it is a 4-ary heap with some overhead. Events per second under the hold model, by
 * `mrc-bench --benchmark_filter=SchedulerHold` (best of 5; ns-3.37 of Debian 12, a shared
 * virtual machine), with 8 frequent delays and a share of odd ones:
 *
 * | pending, odd delays | MrcLaneScheduler | PriorityQueueScheduler | MapScheduler |
 * |---------------------|------------------|------------------------|--------------|
 * | 1,000, 8 %          | 25 M             | 9.0 M                  | 5.4 M        |
 * | 100,000, 8 %        | 16 M             | 3.9 M                  | 1.9 M        |
 * | 1,000, 100 %        | 11 M             | 8.3 M                  | 4.5 M        |
 * | 100,000, 100 %      | 4.1 M            | 4.0 M                  | 1.0 M        |
 *
 * A removed event's place in a lane is reused when its turn has come, or when the lane is full.
 *
 * Select it like any other scheduler:
 * @code
 *   GlobalValue::Bind("SchedulerType", StringValue("ns3::MrcLaneScheduler"));
 * @endcode
 */
class MrcLaneScheduler : public Scheduler
{
  public:
    /// The most that the MaxLanes attribute can be set to.
    static constexpr uint32_t LANES_LIMIT = 64;

    /**
     * Registers this type.
     * @return the TypeId
     */
    static TypeId GetTypeId();

    MrcLaneScheduler();
    ~MrcLaneScheduler() override;

    /**
     * Adds an event.
     * @param ev the event; its impl must not be null, and its (time, uid) must be unique. Any time
     *           is allowed, also one before that of the event removed last.
     */
    void Insert(const Event& ev) override;

    /// @return true if no event is pending
    bool IsEmpty() const override;

    /**
     * Tells the next event. There must be one.
     * @return the pending event with the least (time, uid)
     */
    Event PeekNext() const override;

    /**
     * Takes the next event out. There must be one.
     * @return the pending event with the least (time, uid)
     */
    Event RemoveNext() override;

    /**
     * Takes one event out, wherever it is.
     * @param ev the event, found by its (time, uid). One that is not pending is a programmer's
     *           error: asserted in debug builds, otherwise ignored.
     */
    void Remove(const Event& ev) override;

    /**
     * Tells whether a delay counts as frequent; of use when choosing MaxLanes for a model.
     * @param delay the delay, in units of the time resolution
     * @return true if events of this delay are kept in a lane of their own
     */
    bool HasLane(uint64_t delay) const;

  private:
    /// A position in the arrays of heads: the heap's, or a lane's index + 1.
    using Slot = uint32_t;

    /// A key as one number, (time, uid): compared without a branch, as which of many keys is
    /// the least is beyond any branch prediction.
    __extension__ typedef unsigned __int128 Order;

    static constexpr Slot HEAP_SLOT = 0;          //!< slot of the heap
    static constexpr uint32_t HASH_BITS = 8;      //!< log2 of the size of both delay tables
    static constexpr uint32_t INITIAL_RING = 256; //!< first capacity of a lane, in events
    static constexpr uint64_t PREFETCH_AHEAD = 8; //!< places of a lane to look ahead
    static constexpr uint32_t HEAP_ARITY = 4;     //!< children of a node of the heap
    static constexpr Order NO_EVENT = ~Order{0};  //!< comes after all events

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
        const std::type_info* type{nullptr}; //!< class of the event last looked at
        bool isFabric{false};                //!< whether that is an MrcFabricEvent

        /**
         * @param position a free-running position
         * @return the place
         */
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

    /**
     * @param key the key of an event
     * @return its place in the order of execution
     */
    static Order OrderOf(const EventKey& key)
    {
        return (Order{key.m_ts} << 64) | key.m_uid;
    }

    /**
     * @param delay a delay
     * @return its index in both delay tables
     */
    static uint32_t Hash(uint64_t delay);
    /**
     * @param delay a delay
     * @return the slot of its lane, or HEAP_SLOT if it has none
     */
    Slot FindLane(uint64_t delay) const;
    /// @return the slot with the least head
    Slot FindNext() const;
    /**
     * Counts a delay that has no lane, and gives it one when it is due and can be had.
     * @param delay the delay
     * @return the slot of its new lane, or HEAP_SLOT
     */
    Slot CountDelay(uint64_t delay);
    /**
     * Finds a lane for a frequent delay.
     * @param since the value of m_now when counting the delay began
     * @return the slot of a lane, now empty, or HEAP_SLOT if all others are in use
     */
    Slot AcquireLane(uint64_t since);
    /**
     * Makes the hash table from delay to lane anew.
     */
    void IndexLanes();
    /**
     * Appends an event to a lane, if it comes after the lane's last.
     * @param slot the lane's slot
     * @param ev the event
     * @return false if it does not, and nothing was done
     */
    bool PushLane(Slot slot, const Event& ev);
    /**
     * Makes room in a full lane: drops what Remove() left behind, and doubles the ring if that
     * alone does not free half of it.
     * @param lane the lane
     */
    static void MakeRoom(Lane& lane);
    /**
     * Steps a lane's head to the next event.
     * @param slot the lane's slot
     */
    void AdvanceLane(Slot slot);
    /**
     * @param lane a lane
     * @param ahead places from its head
     * @return the event there, if it is one that can prefetch
     */
    static const MrcFabricEvent* FabricEvent(Lane& lane, uint64_t ahead);
    /**
     * Removes an event from a lane.
     * @param slot the lane's slot
     * @param key the event's key
     * @return false if it is not there
     */
    bool RemoveFromLane(Slot slot, const EventKey& key);
    /**
     * Adds an event to the heap.
     * @param ev the event
     */
    void PushHeap(const Event& ev);
    /**
     * Removes one element of the heap.
     * @param index its index
     */
    void EraseHeap(size_t index);
    /// Copies the key of the heap's least event to the array of heads.
    void UpdateHeapHead();

    /// Orders of the least events, by slot; NO_EVENT for what is empty.
    alignas(64) std::array<Order, LANES_LIMIT + 1> m_heads;
    uint64_t m_now{0};         //!< time of the event removed last
    uint64_t m_size{0};        //!< number of pending events
    std::vector<Lane> m_lanes; //!< the lanes, that of slot s at index s - 1
    std::vector<Event> m_heap; //!< all other events
    std::array<LaneOfDelay, 1U << HASH_BITS> m_laneOfDelay; //!< hash table, linear probing
    std::array<Candidate, 1U << HASH_BITS> m_candidates;    //!< one candidate per hash value
    uint32_t m_maxLanes;                                    //!< attribute MaxLanes
    uint32_t m_promotionThreshold;                          //!< attribute PromotionThreshold
};

} // namespace ns3

#endif // MRC_LANE_SCHEDULER_H
