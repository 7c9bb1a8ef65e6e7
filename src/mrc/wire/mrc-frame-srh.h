// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_FRAME_SRH_H
#define MRC_FRAME_SRH_H

#include "mrc-extended-headers.h"
#include "mrc-frame.h"
#include "mrc-wire-size.h"

namespace mrc
{

/// @param frame any frame @return bytes of its SRH, 0 if it has none
inline uint32_t
FrameSrhBytes(const Frame& frame)
{
    return frame.Has(Frame::HAS_SRH) ? SRH_FIXED_BYTES + frame.segmentCount * SEGMENT_BYTES : 0;
}

/**
 * Go on to the next carrier of a path, as the switch does that the last uSID of the present one
 * names (End of RFC 8986).
 *
 * @param frame with HAS_SRH
 * @return whether there was one more; if not the frame is as it was
 */
inline bool
NextSegment(Frame& frame)
{
    if (frame.segmentsLeft == 0)
    {
        return false;
    }
    --frame.segmentsLeft;
    ByteReader reader(frame.segments + frame.segmentsLeft * size_t{SEGMENT_BYTES}, SEGMENT_BYTES);
    frame.daHigh = reader.U64();
    frame.daLow = reader.U64();
    return true;
}

//= MRC-REF 2 ICRC, trimming, encapsulation, trim size
/// @param frame a trimmed frame @return whether what is left reaches as far as an answer needs it:
///         the BTH, and METH and TSETH of a WRITE
inline bool
IsTrimAnswerable(const Frame& frame)
{
    const bool isInside = frame.Has(Frame::ENCAPSULATED);
    const uint32_t needed =
        ETHERNET_BYTES + (isInside ? IPV6_BYTES : 0) + FrameSrhBytes(frame) + IPV6_BYTES +
        UDP_BYTES + BTH_BYTES +
        ExtendedHeaderBytesAfterTrim(frame.opcode, frame.Has(Frame::HAS_TIMESTAMP));
    return frame.wireBytes >= needed + LINK_OVERHEAD_BYTES;
}

} // namespace mrc

#endif // MRC_FRAME_SRH_H
