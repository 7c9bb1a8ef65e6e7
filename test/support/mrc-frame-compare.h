// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_FRAME_COMPARE_H
#define MRC_FRAME_COMPARE_H

#include "mrc-frame-codec.h"

#include <cstring>

namespace mrc::test
{

/// @param a a WRITE @param b another @param timestamp whether TSETH counts
/// @return the first field that differs, null if none does; payload is not compared
inline const char*
WriteDifference(const WriteFrame& a, const WriteFrame& b, bool timestamp)
{
    if (a.meth.rqmsn != b.meth.rqmsn || a.meth.msn != b.meth.msn)
    {
        return "METH";
    }
    if (timestamp && (a.tseth.txTimestamp != b.tseth.txTimestamp || a.tseth.tsr != b.tseth.tsr ||
                      a.tseth.ftype != b.tseth.ftype))
    {
        return "TSETH";
    }
    if (a.reth.va != b.reth.va || a.reth.rKey != b.reth.rKey || a.reth.dmaBytes != b.reth.dmaBytes)
    {
        return "RETH";
    }
    return a.immediate != b.immediate ? "ImmDt" : nullptr;
}

/// @param a a frame @param b another
/// @return the first field on the wire that differs, null if none does; payload is not compared
inline const char*
FrameDifference(const Frame& a, const Frame& b)
{
    if (a.opcode != b.opcode)
    {
        return "opcode";
    }
    if (a.flags != b.flags)
    {
        return "flags";
    }
    if (a.daHigh != b.daHigh || a.daLow != b.daLow)
    {
        return "destination address";
    }
    if (a.Has(Frame::HAS_SRH) &&
        (a.segmentCount != b.segmentCount || a.segmentsLeft != b.segmentsLeft ||
         std::memcmp(a.segments, b.segments, a.segmentCount * size_t{SEGMENT_BYTES}) != 0))
    {
        return "SRH";
    }
    if (a.ev != b.ev)
    {
        return "EV";
    }
    if (a.destinationQp != b.destinationQp || a.psn != b.psn)
    {
        return "destination QP or PSN";
    }
    if (a.payloadBytes != b.payloadBytes)
    {
        return "payload bytes";
    }
    if (a.trafficClass != b.trafficClass || a.hopLimit != b.hopLimit)
    {
        return "traffic class or hop limit";
    }
    switch (a.opcode)
    {
    case Opcode::ACKNOWLEDGE:
        return a.ack.syndrome != b.ack.syndrome || a.ack.msn != b.ack.msn ? "AETH" : nullptr;
    case Opcode::ENDPOINT_REQUEST:
        return a.request.op != b.request.op || a.request.vendorInfo != b.request.vendorInfo ||
                       a.request.portStatusMask != b.request.portStatusMask ||
                       a.request.txTimestamp != b.request.txTimestamp ||
                       a.request.tsr != b.request.tsr || a.request.ftype != b.request.ftype
                   ? "ERTH"
                   : nullptr;
    case Opcode::ENDPOINT_RESPONSE:
        return a.response.op != b.response.op || a.response.txTimestamp != b.response.txTimestamp
                   ? "EETH"
                   : nullptr;
    case Opcode::SACK:
        return a.sack.bitmap != b.sack.bitmap || a.sack.entropy != b.sack.entropy ||
                       a.sack.cackPsn != b.sack.cackPsn ||
                       a.sack.receivedUnits256 != b.sack.receivedUnits256 ||
                       a.sack.ackPsnOffset != b.sack.ackPsnOffset ||
                       a.sack.sackOffset != b.sack.sackOffset || a.sack.spdcid != b.sack.spdcid ||
                       a.sack.dpdcid != b.sack.dpdcid || a.sack.txTimestamp != b.sack.txTimestamp ||
                       a.sack.oooCount != b.sack.oooCount || a.sack.mark != b.sack.mark ||
                       a.sack.probeResponse != b.sack.probeResponse ||
                       a.sack.ccType != b.sack.ccType || a.sack.ccFlags != b.sack.ccFlags ||
                       a.sack.mpr != b.sack.mpr || a.sack.cwndPenalty != b.sack.cwndPenalty ||
                       a.sack.restoreCwnd != b.sack.restoreCwnd || a.sack.r != b.sack.r
                   ? "SETH"
                   : nullptr;
    case Opcode::NACK:
        return a.nack.reason != b.nack.reason || a.nack.vendorInfo != b.nack.vendorInfo ||
                       a.nack.ccType != b.nack.ccType || a.nack.ccFlags != b.nack.ccFlags ||
                       a.nack.entropy != b.nack.entropy || a.nack.nackPsn != b.nack.nackPsn ||
                       a.nack.spdcid != b.nack.spdcid || a.nack.dpdcid != b.nack.dpdcid ||
                       a.nack.txTimestamp != b.nack.txTimestamp
                   ? "NETH"
                   : nullptr;
    case Opcode::RELIABILITY_PROBE:
        return a.probe.vendorInfo != b.probe.vendorInfo || a.probe.tsr != b.probe.tsr ||
                       a.probe.ftype != b.probe.ftype || a.probe.probeId != b.probe.probeId ||
                       a.probe.spdcid != b.probe.spdcid || a.probe.dpdcid != b.probe.dpdcid ||
                       a.probe.txTimestamp != b.probe.txTimestamp
                   ? "PETH"
                   : nullptr;
    default:
        return WriteDifference(a.write, b.write, a.Has(Frame::HAS_TIMESTAMP));
    }
}

} // namespace mrc::test

#endif // MRC_FRAME_COMPARE_H
