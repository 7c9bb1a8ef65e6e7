// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_LOOP_PROBE_H
#define MRC_LOOP_PROBE_H

#include "mrc-bth.h"
#include "mrc-frame.h"
#include "mrc-timestamp.h"
#include "mrc-traffic-class.h"
#include "mrc-usid-plan.h"
#include "mrc-usid.h"
#include "mrc-wire-size.h"

#include <cstdint>

namespace mrc
{

/**
 * @param usids the fabric
 * @param plane a plane
 * @param nic a NIC
 * @return the path NIC-T0-NIC that leads back to it
 */
inline UsidCarrier
NearLoop(const UsidPlan& usids, uint32_t plane, uint32_t nic)
{
    const uint32_t t0 = usids.Clos().T0Of(nic);
    return UsidCarrier::Build(usids.Block(), {usids.T0Usid(plane, t0), usids.NicUsid(plane, nic)});
}

/**
 * @param usids the fabric
 * @param plane a plane
 * @param nic a NIC
 * @param uplink of its T0
 * @return the path NIC-T0-T1-T0-NIC that leads back to it, twice over the link of the uplink
 */
inline UsidCarrier
FarLoop(const UsidPlan& usids, uint32_t plane, uint32_t nic, uint32_t uplink)
{
    const ClosPlan& clos = usids.Clos();
    const uint32_t t0 = clos.T0Of(nic);
    const uint32_t t1 = clos.PodOfT0(t0) * clos.T1PerPod() + uplink / clos.ParallelLinks();
    const uint32_t link = uplink % clos.ParallelLinks();
    return UsidCarrier::Build(usids.Block(),
                              {usids.T0Usid(plane, t0),
                               usids.T1Usid(plane, t1, link),
                               usids.T0Usid(plane, t0, link),
                               usids.NicUsid(plane, nic)});
}

/**
 * Make the packet of a loop: an endpoint request EV_PROBE of a NIC to itself, in the control class
 * (O), so that it is lost where links lose packets and not where queues are full.
 *
 * @param frame all but next, whenPs, source, destination, plane and hopLimit is filled in
 * @param requestId 16 bits that come back
 * @param path where it goes
 * @param plane a plane
 * @param dscp of each class
 * @param nowPs the time
 */
inline void
FillLoopProbe(Frame& frame,
              uint16_t requestId,
              const UsidCarrier& path,
              uint8_t plane,
              const DscpMap& dscp,
              int64_t nowPs)
{
    frame.daHigh = path.high;
    frame.daLow = path.low;
    frame.ev = uint32_t{0xc000u | plane} << 16;
    frame.destinationQp = ENDPOINT_QP;
    frame.psn = requestId;
    frame.payloadBytes = 0;
    frame.flags = Frame::ENCAPSULATED | Frame::CONTROL;
    frame.trafficClass = MakeTrafficClass(dscp.control, NOT_ECT);
    frame.opcode = Opcode::ENDPOINT_REQUEST;
    frame.wireBytes = FrameWireBytes(FrameL2Bytes(frame.opcode, false, true, 0));
    frame.request = {EndpointOp::EV_PROBE, 0, 0, TIMESTAMP_FTYPE, 0, MakeTimestamp(nowPs)};
}

/// @param frame any @return whether it is the packet of a loop
inline bool
IsLoopProbe(const Frame& frame)
{
    return frame.opcode == Opcode::ENDPOINT_REQUEST && frame.destinationQp == ENDPOINT_QP &&
           frame.source == frame.destination;
}

} // namespace mrc

#endif // MRC_LOOP_PROBE_H
