// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_FABRIC_EVENT_H
#define MRC_FABRIC_EVENT_H

#include <ns3/event-impl.h>

#include <cstdint>

namespace ns3
{

/**
 * A persistent event of a fabric: the object is scheduled again and again, is never cancelled, and
 * can tell the processor what it will touch.
 *
 * MrcSimulatorImpl runs such events without the detours of ordinary ones, and knows which are next
 * in a lane: it fetches the object of an event well ahead, then has the event fetch what it points
 * to, step by step. Other simulators run them like any event. Schedule one with MrcSchedule().
 */
class MrcFabricEvent : public EventImpl
{
  public:
    /// Context that marks such an event in the event list; no node has this number.
    static constexpr uint32_t CONTEXT = 0xfffffffe;

    /**
     * Do what the event is for.
     *
     * @param nowPs the simulation's time, ps
     */
    virtual void Run(int64_t nowPs) = 0;

    /**
     * Fetch what the event will touch; changes nothing.
     *
     * Called once for each step, in order, as the event comes nearer to the head of its lane. What
     * one step asked for has come in when the next is called, and can be followed.
     *
     * @param step 0 to PREFETCH_STEPS - 1; the object itself was fetched before step 0
     */
    virtual void Prefetch(uint32_t step) const = 0;

    /// Steps in which an event's surroundings are fetched.
    static constexpr uint32_t PREFETCH_STEPS = 4;

  private:
    void Notify() final;
};

} // namespace ns3

#endif // MRC_FABRIC_EVENT_H
