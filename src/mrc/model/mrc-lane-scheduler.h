// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * An event scheduler for simulations whose delays come from a small set.
 */
#ifndef MRC_LANE_SCHEDULER_H
#define MRC_LANE_SCHEDULER_H

#include "mrc-event-lanes.h"

namespace ns3
{

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
 * | PeekNext                 | O(1)                                 |
 * | RemoveNext               | O(log L) from a lane, plus O(log H) from the heap |
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
    static constexpr uint32_t LANES_LIMIT = MrcEventLanes::LANES_LIMIT;

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
    bool HasLane(uint64_t delay) const
    {
        return m_lanes.HasLane(delay);
    }

    /// @return the events, for a simulator that knows MrcEventLanes
    MrcEventLanes& Lanes()
    {
        return m_lanes;
    }

  private:
    /// @param count attribute MaxLanes
    void SetMaxLanes(uint32_t count);
    /// @return attribute MaxLanes
    uint32_t GetMaxLanes() const;
    /// @param count attribute PromotionThreshold
    void SetPromotionThreshold(uint32_t count);
    /// @return attribute PromotionThreshold
    uint32_t GetPromotionThreshold() const;

    MrcEventLanes m_lanes; //!< the events
};

} // namespace ns3

#endif // MRC_LANE_SCHEDULER_H
