// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_ETHERNET_H
#define MRC_ETHERNET_H

#include "mrc-bytes.h"
#include "mrc-decode-error.h"

#include <cstdint>

namespace mrc
{

/// @name EtherTypes that MRC meets
/// @{
inline constexpr uint16_t ETHERTYPE_IPV4 = 0x0800; ///< IPv4
inline constexpr uint16_t ETHERTYPE_IPV6 = 0x86dd; ///< IPv6

/// @}

/// Untagged Ethernet header, 14 bytes.
struct EthernetHeader
{
    uint64_t destinationMac; ///< low 48 bits
    uint64_t sourceMac;      ///< low 48 bits
    uint16_t etherType;      ///< of what follows
};

/// @param writer where the 14 bytes go @param header what to write
void EncodeEthernet(ByteWriter& writer, const EthernetHeader& header);

/// @param reader at the header, advanced past it on success
/// @param header the answer; unchanged unless the result is OK
/// @return OK or TRUNCATED
DecodeError DecodeEthernet(ByteReader& reader, EthernetHeader& header);

} // namespace mrc

#endif // MRC_ETHERNET_H
