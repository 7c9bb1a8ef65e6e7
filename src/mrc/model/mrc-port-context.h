// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PORT_CONTEXT_H
#define MRC_PORT_CONTEXT_H

#include "mrc-drop-reason.h"
#include "mrc-frame-pool.h"
#include "mrc-traffic-class.h"

#include <ns3/nstime.h>
#include <ns3/traced-callback.h>
#include <ns3/type-id.h>

#include <array>
#include <cstdint>

namespace ns3
{

/// When a port marks, trims and drops. Sizes are bytes on the wire.
struct MrcQueueLimits
{
    uint32_t ecnMinBytes{UINT32_MAX};  ///< RED: mark nothing up to here
    uint32_t ecnMaxBytes{UINT32_MAX};  ///< RED: mark with the maximum probability from here
    uint32_t ecnMaxProbability{0};     ///< RED: maximum probability x 2^16; 0 = never mark
    uint32_t trimBytes{UINT32_MAX};    ///< data queue above which arrivals are trimmed
    uint32_t dataBytes{UINT32_MAX};    ///< data queue above which arrivals are dropped
    uint32_t controlBytes{UINT32_MAX}; ///< control queue above which arrivals are dropped
    uint32_t trimToBytes{128};         ///< what trimming leaves, from the Ethernet header
    bool isTrimming{false};            ///< whether arrivals are trimmed at all
    bool isToHost{false};              ///< last hop: trims say TRIMMED_LASTHOP
    mrc::DscpMap dscp{};               ///< DSCP of each class
};

/// What the ports of one switch or NIC counted.
struct MrcPortCounters
{
    uint64_t sent{0};                                  ///< frames serialised: packet-hops
    uint64_t sentBytes{0};                             ///< their bytes on the wire
    uint64_t marked{0};                                ///< frames CE-marked
    uint64_t trimmed{0};                               ///< frames trimmed
    std::array<uint64_t, MRC_DROP_REASONS> drop{};     ///< frames dropped, by reason
    std::array<uint64_t, MRC_DROP_REASONS> dataDrop{}; ///< untrimmed WRITEs among them

    /// Count a dropped frame.
    void CountDrop(MrcDropReason reason, const mrc::Frame& frame)
    {
        ++drop[static_cast<size_t>(reason)];
        dataDrop[static_cast<size_t>(reason)] +=
            mrc::IsWrite(frame.opcode) && !frame.Has(mrc::Frame::TRIMMED);
    }
};

/**
 * Trace sources that the ports of one switch or NIC fire.
 *
 * Times are those of the decision. A port decides lazily, so a callback can run up to one link
 * delay after the time it is given, and times of different ports are not in order.
 */
struct MrcPortTraces
{
    /// @param port index of the egress port @param frame the frame @param when the decision
    typedef void (*FrameTracedCallback)(uint32_t port, const mrc::Frame& frame, Time when);
    /// @param port index of the egress port @param frame the frame @param reason why @param when
    typedef void (*DropTracedCallback)(uint32_t port,
                                       const mrc::Frame& frame,
                                       MrcDropReason reason,
                                       Time when);

    /// @param tid a TypeId of a class derived from this @return it, with the sources added
    static TypeId AddTo(TypeId tid);

    TracedCallback<uint32_t, const mrc::Frame&, Time> enqueue; ///< waits in a queue
    TracedCallback<uint32_t, const mrc::Frame&, Time> dequeue; ///< starts to be serialised
    TracedCallback<uint32_t, const mrc::Frame&, Time> mark;    ///< was CE-marked
    TracedCallback<uint32_t, const mrc::Frame&, Time> trim;    ///< was trimmed
    TracedCallback<uint32_t, const mrc::Frame&, MrcDropReason, Time> drop; ///< was dropped
};

/// What ports of one kind in one switch or NIC share.
struct MrcPortContext
{
    uint64_t psPerByte16{0};       ///< rate of the links: ps per byte x 2^16; 0 = not yet known
    int64_t delayPs{0};            ///< propagation delay and latency of the far end, ps
    MrcQueueLimits limits;         ///< thresholds
    mrc::FramePool* pool{nullptr}; ///< where dropped frames go
    MrcPortCounters* counters{nullptr}; ///< of the switch or NIC
    MrcPortTraces* traces{nullptr};     ///< of the switch or NIC
};

} // namespace ns3

#endif // MRC_PORT_CONTEXT_H
