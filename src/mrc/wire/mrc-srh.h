// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SRH_H
#define MRC_SRH_H

#include "mrc-bytes.h"
#include "mrc-decode-error.h"
#include "mrc-ipv6.h"

#include <cstdint>

namespace mrc
{

/// Routing type of a segment routing header.
inline constexpr uint8_t ROUTING_TYPE_SRH = 4;

/// Segments that the 8-bit length of an SRH has room for.
inline constexpr size_t MAX_SRH_SEGMENTS = 127;

//= MRC-REF 3 No SRH up to 6 uSIDs
/**
 * A segment routing header (RFC 8754) as a view of checked bytes: it is valid as long as they are.
 *
 * A path of more than one carrier has one. Its list is in reverse: Segment(0) is the last carrier.
 * A reduced SRH leaves out the first carrier, which is in the IPv6 destination.
 */
struct Srh
{
    uint8_t nextHeader;          ///< protocol number of what follows
    uint8_t segmentsLeft;        ///< index of the active segment; segmentCount in a reduced SRH
                                 ///< whose first segment is active
    uint8_t flags;               ///< none defined
    uint16_t tag;                ///< class of packets, 0 if unused
    uint8_t segmentCount;        ///< segments in the list, 1..127
    uint16_t tlvBytes;           ///< bytes of TLVs after the segments
    const uint8_t* segmentBytes; ///< the list
    const uint8_t* tlvs;         ///< the TLVs, each checked to end inside

    /// @param index 0..segmentCount - 1, 0 = last of the path @return the segment
    Ipv6Address Segment(size_t index) const
    {
        ByteReader reader(segmentBytes + index * 16, 16);
        const uint64_t high = reader.U64();
        return Ipv6Address{high, reader.U64()};
    }
};

/// One type-length-value of an SRH.
struct SrhTlv
{
    uint8_t type;         ///< 0 = one byte of padding, 4 = several, others as registered
    uint8_t valueBytes;   ///< length of the value
    const uint8_t* value; ///< the value
};

/**
 * @param srh a decoded header
 * @param offset where to go on, 0 at first; advanced past the TLV
 * @param tlv the answer
 * @return whether there was one more
 */
bool NextSrhTlv(const Srh& srh, size_t& offset, SrhTlv& tlv);

/// @param segments of the path @param reduced whether the first is left out of the list
/// @return bytes of an SRH without TLVs
constexpr size_t
SrhBytes(size_t segments, bool reduced)
{
    return 8 + 16 * (segments - (reduced ? 1 : 0));
}

/**
 * Write an SRH whose first segment is active.
 *
 * @param writer where SrhBytes() bytes go
 * @param nextHeader protocol number of what follows
 * @param path the segments in the order of travel
 * @param count how many: 1..127, 2..128 if reduced
 * @param reduced whether the first is left out of the list
 * @return whether count is in range; if not nothing is written
 */
bool EncodeSrh(
    ByteWriter& writer, uint8_t nextHeader, const Ipv6Address* path, size_t count, bool reduced);

/**
 * Write an SRH that is on its way.
 *
 * @param writer where SrhBytes() bytes go
 * @param nextHeader protocol number of what follows
 * @param segments the list, 16 bytes each, the last of the path first
 * @param count segments in the list, 1 to 127
 * @param segmentsLeft index of the active one, at most count
 */
void EncodeSrhList(ByteWriter& writer,
                   uint8_t nextHeader,
                   const uint8_t* segments,
                   uint8_t count,
                   uint8_t segmentsLeft);

/**
 * @param reader at the header, advanced past it on success
 * @param srh the answer; unchanged unless the result is OK
 * @return OK, TRUNCATED, or BAD_SRH: another routing type, a segment list or TLV that does not
 *         fit, or segments left past the list
 */
DecodeError DecodeSrh(ByteReader& reader, Srh& srh);

} // namespace mrc

#endif // MRC_SRH_H
