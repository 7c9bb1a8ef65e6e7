// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SETH_H
#define MRC_SETH_H

#include "mrc-bytes.h"
#include "mrc-decode-error.h"

#include <cstdint>

namespace mrc
{

/// Packets that one SACK bitmap covers.
inline constexpr uint32_t SACK_BITMAP_BITS = 64;

/// Bytes of one unit of Sack::receivedUnits256.
inline constexpr uint32_t SACK_RECEIVED_UNIT_BYTES = 256;

/// PSNs of one unit of Sack::mpr.
inline constexpr uint32_t MPR_UNIT_PSNS = 128;

/// What a SACK says about the path of the packet that triggered it (field m).
enum class SackMark : uint8_t
{
    NONE = 0,        ///< nothing
    SKIP_ONCE = 1,   ///< the path was marked CE
    ALWAYS_SKIP = 2, ///< do not use this EV any more
    RESERVED = 3     ///< not defined
};

//= MRC-REF 2 SACK
/// Selective acknowledgement: SETH, 28 bytes, and its CC_STATE, 8 bytes.
struct Sack
{
    uint64_t bitmap;           ///< bit i set: PSN cackPsn + sackOffset + i was received
    uint32_t entropy;          ///< EV of the triggering packet, reflected
    uint32_t cackPsn;          ///< highest PSN received in order, 24 bits
    uint32_t receivedUnits256; ///< bytes received in units of 256 B rounded up, modulo 2^24
    int16_t ackPsnOffset;      ///< triggering PSN - cackPsn; if probeResponse: the probe id's bits
    int16_t sackOffset;        ///< first PSN of the bitmap - cackPsn
    uint16_t spdcid;           ///< low 16 bits of the source QPN
    uint16_t dpdcid;           ///< low 16 bits of the destination QPN
    uint16_t txTimestamp;      ///< time stamp of the triggering packet, reflected
    uint16_t oooCount;         ///< packets received out of order, 15 bits
    SackMark mark;             ///< m, 2 bits
    bool probeResponse;        ///< pr: answers a reliability probe
    uint8_t ccType;            ///< cc_type, 4 bits, 0
    uint8_t ccFlags;           ///< cc_fl, 4 bits
    uint8_t mpr;               ///< window in units of 128 PSNs; 0 if not dynamic
    uint8_t cwndPenalty;       ///< rcv_cwnd_pen, 7 bits
    bool restoreCwnd;          ///< r_c
    bool r;                    ///< the bit before ooo_count
};

/// @param writer where the 36 bytes go @param sack what to write
void EncodeSack(ByteWriter& writer, const Sack& sack);

/// @param reader at the header, advanced past it on success
/// @param sack the answer; unchanged unless the result is OK
/// @return OK or TRUNCATED
DecodeError DecodeSack(ByteReader& reader, Sack& sack);

static_assert(sizeof(Sack) <= 48, "kept in a frame");

} // namespace mrc

#endif // MRC_SETH_H
