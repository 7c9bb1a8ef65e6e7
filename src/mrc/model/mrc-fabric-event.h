// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_FABRIC_EVENT_H
#define MRC_FABRIC_EVENT_H

#include <ns3/event-impl.h>

namespace ns3
{

/**
 * A persistent event that can tell the processor what it will touch.
 *
 * MrcLaneScheduler knows which events are next in a lane: it fetches the object of an event well
 * ahead, calls Prefetch() when that object has come in, and PrefetchMore() when what Prefetch()
 * asked for has. Other schedulers call neither. Both must change nothing.
 */
class MrcFabricEvent : public EventImpl
{
  public:
    /// Fetch what the object itself points to.
    virtual void Prefetch() const = 0;

    /// Fetch what that leads to.
    virtual void PrefetchMore() const = 0;
};

} // namespace ns3

#endif // MRC_FABRIC_EVENT_H
