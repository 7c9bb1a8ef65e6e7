// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-raw-bytes.h"

#include "mrc-bytes.h"
#include "mrc-entropy.h"
#include "mrc-ethernet.h"
#include "mrc-ipv6.h"
#include "mrc-srh.h"
#include "mrc-udp.h"
#include "mrc-wire-size.h"

#include <algorithm>

namespace mrc
{

namespace
{

/// Offset of the outer IPv6 header.
constexpr size_t IP_AT = ETHERNET_BYTES;
/// Offset of what the outer IPv6 header carries.
constexpr size_t BODY_AT = IP_AT + IPV6_BYTES;
/// Offset of the next header field in an IPv6 header.
constexpr size_t NEXT_HEADER_AT = 6;
/// Offset of segments left in an SRH.
constexpr size_t SEGMENTS_LEFT_AT = 3;
/// Extension headers that are looked behind, at most.
constexpr int MAX_EXTENSIONS = 4;

/// @param bytes at least two @return them as a number
uint16_t
U16(const uint8_t* bytes)
{
    return static_cast<uint16_t>(bytes[0] << 8 | bytes[1]);
}

/// @param bytes at least eight @return them as a number
uint64_t
U64(const uint8_t* bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i)
    {
        value = value << 8 | bytes[i];
    }
    return value;
}

/// @param bytes room for eight @param value to write
void
PutU64(uint8_t* bytes, uint64_t value)
{
    for (int i = 7; i >= 0; --i)
    {
        bytes[i] = static_cast<uint8_t>(value);
        value >>= 8;
    }
}

/// @return whether an extension header with this number has its length in its second byte
bool
IsExtension(uint8_t protocol)
{
    constexpr uint8_t HOP_BY_HOP = 0;
    constexpr uint8_t DESTINATION_OPTIONS = 60;
    return protocol == HOP_BY_HOP || protocol == DESTINATION_OPTIONS ||
           protocol == PROTOCOL_ROUTING;
}

/// Note the flow of a packet. @param bytes of an IP header's body @param size how many
/// @param protocol of the body @param flowLabel low 16 bits @param[out] frame gets EV and opcode
void
ReadFlow(const uint8_t* bytes, size_t size, uint8_t protocol, uint16_t flowLabel, Frame& frame)
{
    constexpr size_t PORTS_BYTES = 4;
    frame.opcode = Opcode{};
    frame.psn = 0;
    frame.ev = protocol;
    if (size < PORTS_BYTES)
    {
        return;
    }
    const uint16_t from = U16(bytes);
    const uint16_t to = U16(bytes + 2);
    if (protocol == PROTOCOL_UDP && size >= UDP_BYTES + BTH_BYTES &&
        (to == DEFAULT_UDP_PORT || to == OTHER_UDP_PORT) && IsKnownOpcode(bytes[UDP_BYTES]))
    {
        frame.opcode = Opcode{bytes[UDP_BYTES]};
        frame.psn = uint32_t{bytes[UDP_BYTES + 9]} << 16 | U16(bytes + UDP_BYTES + 10);
        frame.ev = JoinEntropy(EntropyFields{from, flowLabel}, EntropyOrder::PORT_HIGH);
        return;
    }
    // Switches look at the upper half of an EV only, see FlowHash() there.
    constexpr uint32_t MIX = 0x9e3779b1;
    frame.ev = ((uint32_t{from} << 16 | to) ^ protocol) * MIX;
}

} // namespace

RawVerdict
ReadRaw(RawBytes* raw, const RawOptions& options, Frame& frame, Ipv6Address& innermost)
{
    constexpr uint8_t IP_VERSION = 6;
    const uint8_t* const ip = raw->data + IP_AT;
    if (raw->count > MAX_RAW_BYTES)
    {
        return RawVerdict::TOO_LONG;
    }
    if (raw->count < BODY_AT || U16(raw->data + IP_AT - 2) != ETHERTYPE_IPV6 ||
        ip[0] >> 4 != IP_VERSION)
    {
        return RawVerdict::NOT_IPV6;
    }
    const size_t bodyBytes = U16(ip + 4);
    if (BODY_AT + bodyBytes > raw->count)
    {
        return RawVerdict::MALFORMED;
    }
    const uint64_t high = U64(ip + 24);
    const bool isMulticast = high >> 56 == 0xff;
    const bool isLinkLocal = high >> 54 == 0xfe80 >> 6;
    if (isMulticast || isLinkLocal)
    {
        return RawVerdict::LOCAL;
    }
    raw->count = static_cast<uint32_t>(BODY_AT + bodyBytes); // without Ethernet pad
    frame.raw = raw;
    frame.flags = Frame::HAS_BYTES;
    frame.daHigh = high;
    frame.daLow = U64(ip + 32);
    frame.trafficClass = static_cast<uint8_t>(ip[0] << 4 | ip[1] >> 4);
    frame.hopLimit = ip[7];
    frame.wireBytes = FrameWireBytes(raw->count);
    frame.payloadBytes = 0;
    frame.destinationQp = 0;
    if (high >> 32 == options.usidBlock)
    {
        frame.flags |= Frame::ENCAPSULATED;
    }
    const uint8_t dscp = frame.Dscp();
    if (dscp == options.dscp.trimmed || dscp == options.dscp.trimmedLastHop)
    {
        frame.flags |= Frame::TRIMMED | Frame::CONTROL;
    }
    if (dscp == options.dscp.trimmedLastHop)
    {
        frame.flags |= Frame::TRIMMED_LASTHOP;
    }
    if (dscp == options.dscp.control)
    {
        frame.flags |= Frame::CONTROL;
    }

    if (frame.Has(Frame::ENCAPSULATED) && ip[NEXT_HEADER_AT] == PROTOCOL_ROUTING)
    {
        ByteReader reader(raw->data + BODY_AT, bodyBytes);
        Srh srh{};
        if (DecodeSrh(reader, srh) == DecodeError::OK)
        {
            frame.flags |= Frame::HAS_SRH;
            frame.segments = srh.segmentBytes;
            frame.segmentCount = srh.segmentCount;
            frame.segmentsLeft = srh.segmentsLeft;
        }
    }

    // Follow the headers to the ports; a packet that hides them is one flow per address pair.
    const uint8_t* at = raw->data + BODY_AT;
    size_t left = bodyBytes;
    uint8_t protocol = ip[NEXT_HEADER_AT];
    uint16_t flowLabel = U16(ip + 2);
    innermost = {frame.daHigh, frame.daLow};
    for (int i = 0; i < MAX_EXTENSIONS; ++i)
    {
        if (IsExtension(protocol) && left >= 8 && left >= (at[1] + size_t{1}) * 8)
        {
            const size_t bytes = (at[1] + size_t{1}) * 8;
            protocol = at[0];
            at += bytes;
            left -= bytes;
        }
        else if (protocol == PROTOCOL_IPV6 && left >= IPV6_BYTES)
        {
            protocol = at[NEXT_HEADER_AT];
            flowLabel = U16(at + 2);
            innermost = {U64(at + 24), U64(at + 32)};
            at += IPV6_BYTES;
            left -= IPV6_BYTES;
        }
        else
        {
            break;
        }
    }
    ReadFlow(at, left, protocol, flowLabel, frame);
    return RawVerdict::OK;
}

size_t
WriteRaw(const Frame& frame)
{
    RawBytes& raw = *frame.raw;
    uint8_t* const ip = raw.data + IP_AT;
    ip[0] = static_cast<uint8_t>((ip[0] & 0xf0) | frame.trafficClass >> 4);
    ip[1] = static_cast<uint8_t>(frame.trafficClass << 4 | (ip[1] & 0x0f));
    ip[7] = frame.hopLimit;
    PutU64(ip + 24, frame.daHigh);
    PutU64(ip + 32, frame.daLow);
    if (frame.Has(Frame::HAS_SRH))
    {
        raw.data[BODY_AT + SEGMENTS_LEFT_AT] = frame.segmentsLeft;
    }
    //= MRC-REF 2 ICRC, trimming, encapsulation: IP length rewritten, UDP length kept
    const size_t left = frame.wireBytes - std::min(frame.wireBytes, LINK_OVERHEAD_BYTES);
    if (frame.Has(Frame::TRIMMED) && left < raw.count && left >= BODY_AT)
    {
        raw.count = static_cast<uint32_t>(left);
        const size_t bodyBytes = left - BODY_AT;
        ip[4] = static_cast<uint8_t>(bodyBytes >> 8);
        ip[5] = static_cast<uint8_t>(bodyBytes);
    }
    return raw.count;
}

void
DamageRaw(const Frame& frame, size_t count)
{
    if (frame.Has(Frame::CORRUPT) && count > BODY_AT)
    {
        frame.raw->data[BODY_AT + (count - BODY_AT) / 2] ^= 0x10;
    }
}

} // namespace mrc
