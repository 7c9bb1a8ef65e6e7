// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_FRAME_CODEC_H
#define MRC_FRAME_CODEC_H

#include "mrc-bth.h"
#include "mrc-decode-error.h"
#include "mrc-entropy.h"
#include "mrc-frame.h"
#include "mrc-ipv6.h"
#include "mrc-srh.h"
#include "mrc-traffic-class.h"
#include "mrc-udp.h"
#include "mrc-wire-size.h"

#include <cstddef>
#include <cstdint>

namespace mrc
{

/// Largest RDMA payload of a packet.
inline constexpr uint32_t MAX_MTU_BYTES = 4096;

/// Bytes that EncodeFrame() needs at most for a payload up to MAX_MTU_BYTES.
inline constexpr size_t MAX_ENCODED_BYTES =
    FrameL2Bytes(Opcode::WRITE_ONLY_IMM, true, true, MAX_MTU_BYTES) +
    SrhBytes(MAX_SRH_SEGMENTS, false);

/// The addresses of a packet that a Frame does not carry.
struct FrameAddresses
{
    Ipv6Address outerSource;      ///< address of the sending port; unused without encapsulation
    Ipv6Address innerSource;      ///< sending NIC
    Ipv6Address innerDestination; ///< receiving NIC; without encapsulation Frame::daHigh/daLow
                                  ///< count when encoding, and are repeated here when decoding
    uint64_t sourceMac;           ///< low 48 bits
    uint64_t destinationMac;      ///< low 48 bits
};

/// What is the same for all packets of an endpoint that encodes.
struct EncodeOptions
{
    uint16_t udpPort{DEFAULT_UDP_PORT};                 ///< destination port
    EntropyOrder entropyOrder{EntropyOrder::PORT_HIGH}; ///< which half of the EV is the port
    uint16_t pKey{DEFAULT_P_KEY};                       ///< partition
    DscpMap dscp{};                                     ///< DSCP of each class
    bool innerIpv4{false}; ///< (inner) IPv4 between mapped addresses; loses the EV's flow label
};

/// What is the same for all packets of an endpoint that decodes.
struct DecodeOptions
{
    uint16_t udpPort{DEFAULT_UDP_PORT};                 ///< destination port
    uint16_t otherUdpPort{OTHER_UDP_PORT};              ///< accepted as well
    EntropyOrder entropyOrder{EntropyOrder::PORT_HIGH}; ///< which half of the EV is the port
    DscpMap dscp{};                                     ///< DSCP of each class
};

/// What DecodeFrame() learned that a Frame has no place for.
struct DecodeInfo
{
    WireHeader where{WireHeader::NONE}; ///< header in which decoding stopped; NONE if OK
    uint32_t whereOffset{0};            ///< its offset from the Ethernet header
    uint32_t l2Bytes{0};                ///< Ethernet header to ICRC or cut, without Ethernet pad
    Bth bth{};                          ///< the whole BTH
    uint16_t udpPort{0};                ///< destination port
    uint8_t innerTrafficClass{0};       ///< of the innermost IP header
    uint8_t innerHopLimit{0};           ///< of the innermost IP header
    bool innerIpv4{false};              ///< the innermost IP header is IPv4
    bool hasSrh{false};                 ///< the outer header has an SRH
    uint8_t segmentsLeft{0};            ///< of the SRH
    bool cut{false};                    ///< bytes are missing that the UDP length counts
    bool rethPresent{false};            ///< a WRITE's RETH (and ImmDt) survived
    uint32_t icrcFound{0};              ///< on the wire; 0 if trimmed
    uint32_t icrcExpected{0};           ///< computed; 0 if trimmed
};

//= MRC-REF 2 Wire format
/**
 * Write a frame as the bytes between Ethernet header and FCS.
 *
 * Ethernet | outer IPv6 if ENCAPSULATED, SRH if HAS_SRH | IPv6 or IPv4 | UDP | BTH | extended
 * headers | payload | pad | ICRC. The EV goes to the UDP source port and to the inner flow label,
 * which the outer one repeats. BTH PSN is Frame::psn for every opcode.
 *
 * The outer (or only) traffic class and hop limit are the frame's. The inner ones are what the
 * sender wrote: hop limit 64, ECN without CE, DSCP the frame's or TRIMMABLE if it was trimmed.
 *
 * TRIMMED: all but the first bytes are cut, as a switch does; Frame::wireBytes tells how many are
 * left, TRIM_BYTES if it is 0. The outer (or only) IP length is that of what is left; the inner IP
 * length and the UDP length still tell the original. CORRUPT: the ICRC is inverted.
 *
 * @param frame what to write; a null write.payload stands for zeros
 * @param addresses what the frame does not say
 * @param options what is the same for all packets
 * @param out where to write; must hold the frame as it was before a trim
 * @param capacity bytes there
 * @return bytes written; 0 if the frame does not fit in capacity or in an IP packet, if its
 *         addresses are not mapped though options ask for IPv4, or if a trim leaves less than a
 *         receiver needs for a NACK
 */
size_t EncodeFrame(const Frame& frame,
                   const FrameAddresses& addresses,
                   const EncodeOptions& options,
                   uint8_t* out,
                   size_t capacity);

/**
 * Read a frame from arbitrary bytes.
 *
 * Understands IPv6-in-IPv6 with and without SRH, plain IPv6 and IPv4 (also inside IPv6). Behind the
 * IP length there may be Ethernet pad or FCS. TRIMMED is set from the outer DSCP, or if bytes are
 * missing that the UDP length counts; a trimmed frame keeps the sender's payloadBytes, has no
 * payload, and its RETH and immediate are zero if they were cut. Otherwise a wrong ICRC sets
 * CORRUPT, which is not an error. CONTROL is set from the outer DSCP. TLVs of an SRH are passed
 * over.
 *
 * @param bytes from the Ethernet header
 * @param captured how many
 * @param frame the answer, valid if OK; write.payload and segments point into bytes, and what only
 *              the fabric knows (next, whenPs, source, destination, plane) is 0
 * @param addresses the answer, valid if OK; outerSource is zero without encapsulation
 * @param info the answer, valid as far as decoding came
 * @param options what to expect
 * @return OK or why the bytes are refused, see info.where
 */
DecodeError DecodeFrame(const uint8_t* bytes,
                        size_t captured,
                        Frame& frame,
                        FrameAddresses& addresses,
                        DecodeInfo& info,
                        const DecodeOptions& options = DecodeOptions());

} // namespace mrc

#endif // MRC_FRAME_CODEC_H
