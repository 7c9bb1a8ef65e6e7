// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_DECODE_ERROR_H
#define MRC_DECODE_ERROR_H

#include <cstdint>

namespace mrc
{

/// Why bytes were refused.
enum class DecodeError : uint8_t
{
    OK,             ///< decoded
    TRUNCATED,      ///< the bytes end inside a header, or before the length that a header claims
    NOT_MRC,        ///< another EtherType, IP protocol, UDP port or a fragment
    BAD_VERSION,    ///< an IP version or BTH transport version that does not fit
    BAD_LENGTH,     ///< length fields that contradict each other or the opcode
    BAD_CHECKSUM,   ///< IPv4 header checksum
    BAD_SRH,        ///< segment routing header that breaks RFC 8754
    UNKNOWN_OPCODE, ///< RoCEv2, or an opcode that MRC does not define
};

/// The header in which a decoder stopped.
enum class WireHeader : uint8_t
{
    NONE,
    ETHERNET,
    IPV6,
    INNER_IPV6,
    IPV4,
    SRH,
    UDP,
    BTH,
    METH,
    TSETH,
    RETH,
    IMMDT,
    AETH,
    SETH,
    NETH,
    PETH,
    ERTH,
    EETH,
    PAYLOAD,
    ICRC,
};

/// @param error any value @return what it means, for people
const char* DecodeErrorText(DecodeError error);

/// @param header any value @return its name, for people
const char* WireHeaderName(WireHeader header);

} // namespace mrc

#endif // MRC_DECODE_ERROR_H
