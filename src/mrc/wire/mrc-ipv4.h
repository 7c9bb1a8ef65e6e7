// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_IPV4_H
#define MRC_IPV4_H

#include "mrc-bytes.h"
#include "mrc-decode-error.h"

#include <cstdint>

namespace mrc
{

/// IPv4 header, 20 bytes; options are passed over when decoding and never written.
struct Ipv4Header
{
    uint8_t headerBytes;     ///< with options, 20..60; the encoder writes 20
    uint8_t trafficClass;    ///< DSCP and ECN
    uint16_t totalBytes;     ///< header and payload
    uint16_t identification; ///< of the fragments of one packet
    bool dontFragment;       ///< DF
    bool moreFragments;      ///< MF
    uint16_t fragmentOffset; ///< units of 8 bytes, 13 bits
    uint8_t timeToLive;      ///< links it may still cross
    uint8_t protocol;        ///< of what follows
    uint32_t source;         ///< 10.0.0.1 = 0x0a000001
    uint32_t destination;    ///< like source
};

/**
 * @param bytes an IPv4 header whose checksum field counts as it stands
 * @param count its length, even
 * @return the internet checksum of it: 0 if the field is right, what belongs into it if it is 0
 */
uint16_t InternetChecksum(const uint8_t* bytes, size_t count);

/// @param writer where the 20 bytes go, with their checksum @param header what to write
void EncodeIpv4(ByteWriter& writer, const Ipv4Header& header);

/// @param reader at the header, advanced past it and its options on success
/// @param header the answer; unchanged unless the result is OK
/// @return OK, TRUNCATED, BAD_VERSION, BAD_LENGTH (header or total length) or BAD_CHECKSUM
DecodeError DecodeIpv4(ByteReader& reader, Ipv4Header& header);

} // namespace mrc

#endif // MRC_IPV4_H
