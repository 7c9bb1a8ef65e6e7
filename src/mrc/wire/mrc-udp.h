// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_UDP_H
#define MRC_UDP_H

#include "mrc-bytes.h"
#include "mrc-decode-error.h"

#include <cstdint>

namespace mrc
{

//= MRC-REF 2 UDP and IP
/// UDP destination port by default, as RoCEv2.
inline constexpr uint16_t DEFAULT_UDP_PORT = 4791;

/// UDP destination port that also occurs in the field.
inline constexpr uint16_t OTHER_UDP_PORT = 4971;

/// UDP header, 8 bytes.
struct UdpHeader
{
    uint16_t sourcePort;      ///< half of the EV
    uint16_t destinationPort; ///< names MRC
    uint16_t bytes;           ///< header and payload, also of what a switch cut
    uint16_t checksum;        ///< 0 = none, as RoCEv2
};

/// @param writer where the 8 bytes go @param header what to write
void EncodeUdp(ByteWriter& writer, const UdpHeader& header);

/// @param reader at the header, advanced past it on success
/// @param header the answer; unchanged unless the result is OK
/// @return OK, TRUNCATED or BAD_LENGTH (less than 8)
DecodeError DecodeUdp(ByteReader& reader, UdpHeader& header);

} // namespace mrc

#endif // MRC_UDP_H
