// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PETH_H
#define MRC_PETH_H

#include "mrc-bytes.h"
#include "mrc-decode-error.h"

#include <cstdint>

namespace mrc
{

//= MRC-REF 2 PETH, ERTH, EETH
/// Reliability probe: PETH, 16 bytes.
struct Peth
{
    uint8_t vendorInfo;   ///< free for the vendor
    uint8_t tsr;          ///< resolution of the time stamp, 1 bit: 0 = units of 128 ns
    uint8_t ftype;        ///< 4 bits, TIMESTAMP_FTYPE
    uint16_t probeId;     ///< comes back in the SACK
    uint16_t spdcid;      ///< low 16 bits of the source QPN
    uint16_t dpdcid;      ///< low 16 bits of the destination QPN
    uint16_t txTimestamp; ///< sender's clock
};

/// @param writer where the 16 bytes go @param peth what to write
void EncodePeth(ByteWriter& writer, const Peth& peth);

/// @param reader at the header, advanced past it on success
/// @param peth the answer; unchanged unless the result is OK
/// @return OK or TRUNCATED
DecodeError DecodePeth(ByteReader& reader, Peth& peth);

static_assert(sizeof(Peth) <= 16, "kept in a frame");

} // namespace mrc

#endif // MRC_PETH_H
