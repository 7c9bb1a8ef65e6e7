// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_FRAME_H
#define MRC_FRAME_H

#include "mrc-endpoint-op.h"
#include "mrc-neth.h"
#include "mrc-opcode.h"
#include "mrc-peth.h"
#include "mrc-request-headers.h"
#include "mrc-seth.h"

#include <cstdint>
#include <type_traits>

namespace mrc
{

struct RawBytes;

/// What a WRITE carries after its BTH.
struct WriteFrame
{
    Meth meth;              ///< message and receive-queue message numbers
    Tseth tseth;            ///< transmission time stamp, on the wire if Frame::HAS_TIMESTAMP
    Reth reth;              ///< where the payload goes
    uint32_t immediate;     ///< on the wire if the opcode carries an immediate
    const uint8_t* payload; ///< the sender's memory; null when only placement is accounted
};

/**
 * A packet inside the simulated fabric: its decoded headers, not its bytes.
 *
 * Frames are pooled and travel by pointer. The first cache line is all that links, queues and
 * switches touch; the second belongs to the endpoints. EncodeFrame() and DecodeFrame()
 * (mrc-frame-codec.h) turn a frame into the bytes of section 2 of the protocol reference and
 * back, which happens only where bytes are needed: captures, TAPs, rank boundaries.
 *
 * A packet of a real host, MRC or not, keeps its bytes all the way: only what switches act on is
 * decoded (ReadRaw()), and written back where it leaves the fabric (WriteRaw()).
 */
struct alignas(64) Frame
{
    /// Bits of `flags`.
    enum Flag : uint16_t
    {
        ENCAPSULATED = 1,      ///< IPv6-in-IPv6: daHigh/daLow are a uSID carrier
        CONTROL = 2,           ///< belongs to the control class, never trimmed or marked
        TRIMMED = 4,           ///< a switch cut the payload
        TRIMMED_LASTHOP = 8,   ///< cut by a port to a host (set together with TRIMMED)
        CORRUPT = 16,          ///< damaged on a link: the receiver's ICRC check fails
        ACK_REQUEST = 32,      ///< BTH A
        RETRANSMISSION = 64,   ///< BTH rtx
        HAS_TIMESTAMP = 128,   ///< BTH ts: TSETH is present
        MIGRATION = 256,       ///< BTH migration request
        SOLICITED_EVENT = 512, ///< BTH solicited event
        HAS_SRH = 1024,  ///< the outer header is followed by an SRH: `segments` and what is there
        HAS_BYTES = 2048 ///< of a real host: `raw` holds its bytes (mrc-raw-bytes.h)
    };

    Frame* next;            ///< the queue that holds the frame
    int64_t whenPs;         ///< when it reaches the far end of its link, ps
    uint64_t daHigh;        ///< outer (or only) IPv6 destination, bytes 0-7
    uint64_t daLow;         ///< outer (or only) IPv6 destination, bytes 8-15
    uint32_t wireBytes;     ///< bytes the link is busy: Ethernet header to FCS, preamble and gap
    uint32_t ev;            ///< entropy value: UDP source port and flow label
    uint32_t source;        ///< index of the sending NIC in the fabric's address plan
    uint32_t destination;   ///< index of the receiving NIC
    uint32_t destinationQp; ///< BTH destination QP, 24 bits
    uint32_t psn;           ///< BTH PSN, 24 bits
    uint16_t payloadBytes;  ///< RDMA payload that the sender put in; a TRIMMED frame lost it
    uint16_t flags;         ///< Flag bits
    uint8_t trafficClass;   ///< outer DSCP (bits 7:2) and ECN (bits 1:0)
    uint8_t hopLimit;       ///< outer hop limit
    Opcode opcode;          ///< BTH opcode
    uint8_t plane;          ///< plane of the sending port

    union {
        WriteFrame write; ///< WRITE*
        Sack sack;        ///< SACK
        Nack nack;        ///< NACK
        Peth probe;       ///< reliability probe
        Aeth ack;         ///< transport acknowledge
        Erth request;     ///< endpoint request
        Eeth response;    ///< endpoint response
    };

    /// The rest is meaningful only if HAS_SRH.
    const uint8_t* segments; ///< list of the SRH, 16 bytes each, the last of the path first;
                             ///< memory of the sender, or of the bytes that were decoded
    uint8_t segmentCount;    ///< segments in the list, 1 to 127
    uint8_t segmentsLeft;    ///< index of the active one; segmentCount while the carrier that
                             ///< a reduced SRH leaves out is active

    RawBytes* raw; ///< the packet itself, if HAS_BYTES: then the union above is not filled in

    /// @return the DSCP that switches act on
    uint8_t Dscp() const
    {
        return trafficClass >> 2;
    }

    /// @return whether a switch set congestion experienced
    bool IsMarked() const
    {
        return (trafficClass & 3) == 3;
    }

    /// @return whether the flag is set
    bool Has(Flag flag) const
    {
        return flags & flag;
    }
};

static_assert(sizeof(Frame) == 128, "a frame is two cache lines");
static_assert(std::is_trivially_copyable_v<Frame>, "frames are pooled as plain memory");

} // namespace mrc

#endif // MRC_FRAME_H
