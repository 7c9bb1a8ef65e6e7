// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_CLOCK_H
#define MRC_CLOCK_H

#include "mrc-simulator-impl.h"

#include <ns3/nstime.h>
#include <ns3/simulator.h>

#include <cstdint>

namespace ns3
{

/**
 * The simulator's time as core/ counts it.
 *
 * The resolution of ns3::Time is picoseconds wherever a fabric exists (MrcFabric checks it), so a
 * time step is a picosecond and nothing is converted.
 *
 * @return now, ps
 */
inline int64_t
MrcNowPs()
{
    const MrcSimulatorImpl* fast = MrcSimulatorImpl::Current();
    return fast != nullptr ? fast->NowPs() : Simulator::Now().GetTimeStep();
}

/// @return a time as ns3::Time
inline Time
MrcTime(int64_t ps)
{
    return Time(ps);
}

/**
 * Schedule a persistent event: the same object may be scheduled again once it has run.
 *
 * @param event kept alive by the caller or the simulator
 * @param whenPs when to run it, not before nowPs
 * @param nowPs the present
 */
inline void
MrcSchedule(MrcFabricEvent* event, int64_t whenPs, int64_t nowPs)
{
    if (MrcSimulatorImpl* fast = MrcSimulatorImpl::Current())
    {
        fast->ScheduleFabric(event, whenPs);
    }
    else
    {
        Simulator::Schedule(Time(whenPs - nowPs), Ptr<EventImpl>(event));
    }
}

} // namespace ns3

#endif // MRC_CLOCK_H
