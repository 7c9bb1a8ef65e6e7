// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_WIRE_SIZE_H
#define MRC_WIRE_SIZE_H

#include "mrc-header-size.h"
#include "mrc-opcode.h"

#include <cstdint>

namespace mrc
{

/// Smallest Ethernet frame, header to FCS; shorter ones are padded.
inline constexpr uint32_t ETHERNET_MIN_FRAME_BYTES = 64;

/// What a link carries around the bytes between Ethernet header and FCS.
inline constexpr uint32_t LINK_OVERHEAD_BYTES = FCS_BYTES + PREAMBLE_BYTES + GAP_BYTES;

/// @param payloadBytes RDMA payload @return bytes that fill it up to a multiple of 4, 0..3
constexpr uint32_t
PadBytes(uint32_t payloadBytes)
{
    return (0u - payloadBytes) & 3;
}

/**
 * Bytes of the UDP payload: BTH to ICRC.
 *
 * @param opcode a known opcode
 * @param timestamp whether TSETH is present
 * @param payloadBytes RDMA payload without pad
 * @return bytes
 */
constexpr uint32_t
UdpPayloadBytes(Opcode opcode, bool timestamp, uint32_t payloadBytes)
{
    return BTH_BYTES + ExtendedHeaderBytes(opcode, timestamp) + payloadBytes +
           PadBytes(payloadBytes) + ICRC_BYTES;
}

//= MRC-REF 2 Sizes and test vectors
/**
 * Bytes from the Ethernet header to the ICRC, over IPv6. The FCS is not counted.
 *
 * @param opcode a known opcode
 * @param timestamp whether TSETH is present
 * @param encapsulated whether there is an outer IPv6 header (without SRH)
 * @param payloadBytes RDMA payload without pad
 * @return bytes
 */
constexpr uint32_t
FrameL2Bytes(Opcode opcode, bool timestamp, bool encapsulated, uint32_t payloadBytes)
{
    return ETHERNET_BYTES + (encapsulated ? IPV6_BYTES : 0) + IPV6_BYTES + UDP_BYTES +
           UdpPayloadBytes(opcode, timestamp, payloadBytes);
}

/**
 * Bytes for which a frame keeps a link busy.
 *
 * @param l2Bytes bytes from the Ethernet header, without FCS
 * @return bytes with FCS, pad up to the smallest Ethernet frame, preamble and gap
 */
constexpr uint32_t
FrameWireBytes(uint32_t l2Bytes)
{
    constexpr uint32_t MIN_L2_BYTES = ETHERNET_MIN_FRAME_BYTES - FCS_BYTES;
    return (l2Bytes < MIN_L2_BYTES ? MIN_L2_BYTES : l2Bytes) + LINK_OVERHEAD_BYTES;
}

} // namespace mrc

#endif // MRC_WIRE_SIZE_H
