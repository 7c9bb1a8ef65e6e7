// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-port-context.h"

#include <ns3/object-base.h>
#include <ns3/trace-source-accessor.h>

namespace ns3
{

TypeId
MrcPortTraces::AddTo(TypeId tid)
{
    return tid
        .AddTraceSource("Enqueue",
                        "A frame waits in a queue of a port.",
                        MakeTraceSourceAccessor(&MrcPortTraces::enqueue),
                        "ns3::MrcPortTraces::FrameTracedCallback")
        .AddTraceSource("Dequeue",
                        "A frame starts to be serialised: one packet-hop.",
                        MakeTraceSourceAccessor(&MrcPortTraces::dequeue),
                        "ns3::MrcPortTraces::FrameTracedCallback")
        .AddTraceSource("Mark",
                        "A frame was marked congestion experienced.",
                        MakeTraceSourceAccessor(&MrcPortTraces::mark),
                        "ns3::MrcPortTraces::FrameTracedCallback")
        .AddTraceSource("Trim",
                        "A frame was cut to its headers.",
                        MakeTraceSourceAccessor(&MrcPortTraces::trim),
                        "ns3::MrcPortTraces::FrameTracedCallback")
        .AddTraceSource("Drop",
                        "A frame was dropped; the port is the ingress if it was not forwarded.",
                        MakeTraceSourceAccessor(&MrcPortTraces::drop),
                        "ns3::MrcPortTraces::DropTracedCallback");
}

} // namespace ns3
