// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_NETH_H
#define MRC_NETH_H

#include "mrc-bytes.h"
#include "mrc-decode-error.h"

#include <cstdint>

namespace mrc
{

/// Why a responder refused a packet.
enum class NackCode : uint8_t
{
    TRIMMED = 0x01,         ///< a switch cut the payload
    TRIMMED_LASTHOP = 0x02, ///< the port to this host cut the payload
    NO_BITMAP = 0x06,       ///< no room to track the PSN
    NO_PKT_BUFFER = 0x07,   ///< no packet buffer
    NO_RESOURCE = 0x0a,     ///< another resource
    PSN_OOR_WINDOW = 0x0b,  ///< PSN outside the window
    UNEXP_EVENT = 0x19      ///< fatal: the QP goes to ERROR
};

/// cc_type of the NACKs we send; any is accepted.
inline constexpr uint8_t NACK_CC_TYPE = 2;

//= MRC-REF 2 NACK
/// Negative acknowledgement of one packet: NETH, 20 bytes.
struct Nack
{
    NackCode reason;      ///< may hold a value without an enumerator after decoding
    uint8_t vendorInfo;   ///< free for the vendor
    uint8_t ccType;       ///< 4 bits, NACK_CC_TYPE
    uint8_t ccFlags;      ///< 4 bits
    uint32_t entropy;     ///< EV of the refused packet
    uint32_t nackPsn;     ///< PSN of the refused packet, 24 bits
    uint16_t spdcid;      ///< low 16 bits of the source QPN
    uint16_t dpdcid;      ///< low 16 bits of the destination QPN
    uint16_t txTimestamp; ///< time stamp of the refused packet, reflected
};

/// @param code any value @return whether the packet may simply be sent again; false if unknown
constexpr bool
IsRetriable(NackCode code)
{
    switch (code)
    {
    case NackCode::TRIMMED:
    case NackCode::TRIMMED_LASTHOP:
    case NackCode::NO_BITMAP:
    case NackCode::NO_PKT_BUFFER:
    case NackCode::NO_RESOURCE:
    case NackCode::PSN_OOR_WINDOW:
        return true;
    default:
        return false;
    }
}

/// @param code any value @return its name for people, "unknown reason" if it has none
const char* NackCodeName(NackCode code);

/// @param writer where the 20 bytes go @param nack what to write
void EncodeNack(ByteWriter& writer, const Nack& nack);

/// @param reader at the header, advanced past it on success
/// @param nack the answer; unchanged unless the result is OK
/// @return OK or TRUNCATED
DecodeError DecodeNack(ByteReader& reader, Nack& nack);

static_assert(sizeof(Nack) <= 24, "kept in a frame");

} // namespace mrc

#endif // MRC_NETH_H
