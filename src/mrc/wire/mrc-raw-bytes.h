// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_RAW_BYTES_H
#define MRC_RAW_BYTES_H

#include "mrc-frame.h"
#include "mrc-ipv6.h"
#include "mrc-traffic-class.h"

#include <cstddef>
#include <cstdint>

namespace mrc
{

/// Largest packet of a real host, Ethernet header included: jumbo frames with room to spare.
inline constexpr size_t MAX_RAW_BYTES = 10'000;

/// A packet of a real host as it came.
struct RawBytes
{
    RawBytes* next;              ///< the list that holds the buffer
    uint32_t count;              ///< bytes, from the Ethernet header, without FCS
    uint8_t data[MAX_RAW_BYTES]; ///< the bytes
};

/// What became of a packet of a real host.
enum class RawVerdict : uint8_t
{
    OK,        ///< can be forwarded
    LOCAL,     ///< of the link only: multicast, link-local
    NOT_IPV6,  ///< the fabric forwards nothing else
    MALFORMED, ///< lengths that contradict each other
    TOO_LONG   ///< longer than a buffer: a super-frame of an offload
};

/// What ReadRaw() must know.
struct RawOptions
{
    uint32_t usidBlock; ///< first 32 bits of uSID carriers
    DscpMap dscp{};     ///< DSCP of each class
};

//= MRC-REF 3 Non-MRC traffic of real hosts
/**
 * Decode what switches act on: destination, class, hop limit, flow.
 *
 * ENCAPSULATED is set for a destination in the uSID block: such a packet is forwarded by its uSIDs,
 * whatever is inside. CONTROL, TRIMMED and TRIMMED_LASTHOP follow from the DSCP, for any packet.
 * The opcode is that of MRC packets and 0 for others. The EV is that of MRC packets, for others a
 * hash of the ports and the protocol. Checks lengths up to the BTH and nothing behind.
 *
 * @param raw what came; becomes the frame's if OK, else stays the caller's
 * @param options of the fabric
 * @param[out] frame the answer if OK; source, destination, plane, next and whenPs are the caller's
 * @param[out] innermost destination of the innermost IPv6 header that was found, if OK
 * @return OK or why the fabric does not forward the packet
 */
RawVerdict ReadRaw(RawBytes* raw, const RawOptions& options, Frame& frame, Ipv6Address& innermost);

/**
 * Write into the bytes of a frame what the fabric changed: destination, traffic class, hop limit,
 * and the cut of a trim. May be called at each point where the bytes are looked at.
 *
 * @param frame with HAS_BYTES
 * @return bytes that are left, from the Ethernet header
 */
size_t WriteRaw(const Frame& frame);

/**
 * Turn a bit over if the frame is CORRUPT; call it once, where the frame leaves the fabric.
 *
 * @param frame with HAS_BYTES
 * @param count from WriteRaw()
 */
void DamageRaw(const Frame& frame, size_t count);

} // namespace mrc

#endif // MRC_RAW_BYTES_H
