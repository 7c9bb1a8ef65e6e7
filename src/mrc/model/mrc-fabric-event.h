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
 * ahead, and calls Prefetch() when that object has come in. Other schedulers never call it.
 */
class MrcFabricEvent : public EventImpl
{
  public:
    /// Fetch memory that Notify() needs beyond the object itself. Must change nothing.
    virtual void Prefetch() const = 0;
};

} // namespace ns3

#endif // MRC_FABRIC_EVENT_H
