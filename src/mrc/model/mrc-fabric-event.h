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
 * in a lane: it fetches the object of an event well ahead, calls Prefetch() when that object has
 * come in, and PrefetchMore() when what Prefetch() asked for has. Other simulators run them like
 * any event and call neither. Schedule one with MrcSchedule().
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

    /// Fetch what the object itself points to; changes nothing.
    virtual void Prefetch() const = 0;

    /// Fetch what that leads to; changes nothing.
    virtual void PrefetchMore() const = 0;

  private:
    void Notify() final;
};

} // namespace ns3

#endif // MRC_FABRIC_EVENT_H
