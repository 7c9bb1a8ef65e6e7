// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EXTENDED_HEADERS_H
#define MRC_EXTENDED_HEADERS_H

#include "mrc-bytes.h"
#include "mrc-decode-error.h"
#include "mrc-frame.h"

#include <cstdint>

namespace mrc
{

/// @param writer behind the BTH; gets the headers that the frame's opcode and HAS_TIMESTAMP ask for
/// @param frame opcode, flags and the union's active member
void EncodeExtendedHeaders(ByteWriter& writer, const Frame& frame);

/**
 * Read the headers that the frame's opcode and HAS_TIMESTAMP ask for.
 *
 * @param reader behind the BTH; advanced past the headers
 * @param frame opcode and flags are set; the union's active member is the answer. If the frame is
 *              TRIMMED a WRITE needs METH and TSETH only, and a probe all but its last two bytes;
 *              what is missing is zero
 * @param where the header that is missing, if any
 * @return OK or TRUNCATED
 */
DecodeError DecodeExtendedHeaders(ByteReader& reader, Frame& frame, WireHeader& where);

/// @param opcode a known opcode @param timestamp whether TSETH is present
/// @return bytes of the extended headers that a trimmed packet must keep to be decoded
uint32_t ExtendedHeaderBytesAfterTrim(Opcode opcode, bool timestamp);

} // namespace mrc

#endif // MRC_EXTENDED_HEADERS_H
