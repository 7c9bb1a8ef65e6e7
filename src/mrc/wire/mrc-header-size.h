// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_HEADER_SIZE_H
#define MRC_HEADER_SIZE_H

#include <cstdint>

namespace mrc
{

//= MRC-REF 2 Wire format
/// @name Bytes of each header on the wire
/// @{
inline constexpr uint32_t PREAMBLE_BYTES = 8;  ///< Ethernet preamble and start delimiter
inline constexpr uint32_t ETHERNET_BYTES = 14; ///< untagged Ethernet header
inline constexpr uint32_t FCS_BYTES = 4;       ///< Ethernet frame check sequence
inline constexpr uint32_t GAP_BYTES = 12;      ///< Ethernet inter-packet gap
inline constexpr uint32_t IPV6_BYTES = 40;     ///< fixed IPv6 header
inline constexpr uint32_t IPV4_BYTES = 20;     ///< IPv4 header without options
inline constexpr uint32_t SRH_FIXED_BYTES = 8; ///< segment routing header without segments
inline constexpr uint32_t SEGMENT_BYTES = 16;  ///< one segment of a segment routing header
inline constexpr uint32_t UDP_BYTES = 8;       ///< UDP header
inline constexpr uint32_t BTH_BYTES = 12;      ///< base transport header
inline constexpr uint32_t METH_BYTES = 4;      ///< message numbers
inline constexpr uint32_t TSETH_BYTES = 4;     ///< transmission time stamp
inline constexpr uint32_t RETH_BYTES = 16;     ///< RDMA address
inline constexpr uint32_t IMMDT_BYTES = 4;     ///< immediate data
inline constexpr uint32_t AETH_BYTES = 4;      ///< acknowledge
inline constexpr uint32_t SETH_BYTES = 28;     ///< SACK without its congestion control state
inline constexpr uint32_t CC_STATE_BYTES = 8;  ///< congestion control state of a SACK
inline constexpr uint32_t NETH_BYTES = 20;     ///< NACK
inline constexpr uint32_t PETH_BYTES = 16;     ///< reliability probe
inline constexpr uint32_t ERTH_BYTES = 16;     ///< endpoint request
inline constexpr uint32_t EETH_BYTES = 36;     ///< endpoint response
inline constexpr uint32_t ICRC_BYTES = 4;      ///< invariant CRC
/// @}

/// Default size to which a switch trims, counted from the Ethernet header.
inline constexpr uint32_t TRIM_BYTES = 128;

} // namespace mrc

#endif // MRC_HEADER_SIZE_H
