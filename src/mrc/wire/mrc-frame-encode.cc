// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ethernet.h"
#include "mrc-extended-headers.h"
#include "mrc-frame-codec.h"
#include "mrc-frame-srh.h"
#include "mrc-icrc.h"
#include "mrc-ipv4.h"
#include "mrc-srh.h"

#include <algorithm>

namespace mrc
{

namespace
{

constexpr uint32_t MAX_IP_LENGTH = 0xffff;

/// Sizes of the frame before a trim, in bytes.
struct Layout
{
    uint32_t payload;    ///< RDMA payload
    uint32_t udp;        ///< UDP header to ICRC
    uint32_t innerIp;    ///< header of the innermost IP
    uint32_t srh;        ///< SRH behind the outer IP header
    uint32_t innerStart; ///< offset of the innermost IP header
    uint32_t whole;      ///< Ethernet header to ICRC
    uint32_t kept;       ///< what a trim left of whole; whole if there was none
};

/// @param frame any frame @param options whether it is over IPv4 @return its sizes
Layout
Measure(const Frame& frame, const EncodeOptions& options)
{
    const bool timestamp = frame.Has(Frame::HAS_TIMESTAMP);
    Layout layout{};
    layout.payload = IsWrite(frame.opcode) ? frame.payloadBytes : 0;
    layout.udp = UDP_BYTES + UdpPayloadBytes(frame.opcode, timestamp, layout.payload);
    layout.innerIp = options.innerIpv4 ? IPV4_BYTES : IPV6_BYTES;
    layout.innerStart = ETHERNET_BYTES;
    if (frame.Has(Frame::ENCAPSULATED))
    {
        layout.srh = FrameSrhBytes(frame);
        layout.innerStart += IPV6_BYTES + layout.srh;
    }
    layout.whole = layout.innerStart + layout.innerIp + layout.udp;
    layout.kept = layout.whole;
    if (frame.Has(Frame::TRIMMED))
    {
        const uint32_t left =
            frame.wireBytes == 0 ? TRIM_BYTES
                                 : frame.wireBytes - std::min(frame.wireBytes, LINK_OVERHEAD_BYTES);
        layout.kept = std::min(layout.whole, left);
    }
    return layout;
}

/// @param layout sizes of a frame @param options whether it is over IPv4
/// @return whether the IP headers can tell them
bool
HasIpLengths(const Layout& layout, const EncodeOptions& options)
{
    const uint32_t inner = layout.udp + (options.innerIpv4 ? IPV4_BYTES : 0);
    const uint32_t outer = layout.kept - layout.innerStart + layout.srh;
    return inner <= MAX_IP_LENGTH &&
           (layout.innerStart == ETHERNET_BYTES || outer <= MAX_IP_LENGTH);
}

/// @param frame any frame @param layout its sizes @return whether a receiver can answer what is
/// left
bool
IsDecodable(const Frame& frame, const Layout& layout)
{
    const bool timestamp = frame.Has(Frame::HAS_TIMESTAMP);
    return layout.kept >= layout.innerStart + layout.innerIp + UDP_BYTES + BTH_BYTES +
                              ExtendedHeaderBytesAfterTrim(frame.opcode, timestamp);
}

/// @param frame an encapsulated frame @param dscp of each class
/// @return the traffic class that the sender wrote into the inner header
uint8_t
InnerTrafficClass(const Frame& frame, const DscpMap& dscp)
{
    const uint8_t ecn = EcnOf(frame.trafficClass);
    return MakeTrafficClass(frame.Has(Frame::TRIMMED) ? dscp.trimmable : frame.Dscp(),
                            ecn == CE ? ECT0 : ecn);
}

/// @param writer behind the Ethernet header @param frame an encapsulated frame
/// @param addresses for the source @param options for the flow label @param layout its sizes
void
WriteOuter(ByteWriter& writer,
           const Frame& frame,
           const FrameAddresses& addresses,
           const EncodeOptions& options,
           const Layout& layout)
{
    Ipv6Header outer{};
    outer.trafficClass = frame.trafficClass;
    outer.flowLabel = SplitEntropy(frame.ev, options.entropyOrder).flowLabel;
    outer.payloadBytes = static_cast<uint16_t>(layout.kept - layout.innerStart + layout.srh);
    const uint8_t inner = options.innerIpv4 ? PROTOCOL_IPV4 : PROTOCOL_IPV6;
    outer.nextHeader = layout.srh > 0 ? PROTOCOL_ROUTING : inner;
    outer.hopLimit = frame.hopLimit;
    outer.source = addresses.outerSource;
    outer.destination = Ipv6Address{frame.daHigh, frame.daLow};
    EncodeIpv6(writer, outer);
    if (layout.srh > 0)
    {
        EncodeSrhList(writer, inner, frame.segments, frame.segmentCount, frame.segmentsLeft);
    }
}

/**
 * Write the innermost IP header.
 *
 * @param writer at its place
 * @param frame any frame
 * @param addresses both ends
 * @param options address family, DSCP
 * @param udpBytes length of what it carries
 */
void
WriteInner(ByteWriter& writer,
           const Frame& frame,
           const FrameAddresses& addresses,
           const EncodeOptions& options,
           uint32_t udpBytes)
{
    const bool inside = frame.Has(Frame::ENCAPSULATED);
    const Ipv6Address destination =
        inside ? addresses.innerDestination : Ipv6Address{frame.daHigh, frame.daLow};
    const uint8_t trafficClass =
        inside ? InnerTrafficClass(frame, options.dscp) : frame.trafficClass;
    const uint8_t hopLimit = inside ? DEFAULT_HOP_LIMIT : frame.hopLimit;
    if (options.innerIpv4)
    {
        Ipv4Header header{};
        header.trafficClass = trafficClass;
        header.totalBytes = static_cast<uint16_t>(IPV4_BYTES + udpBytes);
        header.dontFragment = true;
        header.timeToLive = hopLimit;
        header.protocol = PROTOCOL_UDP;
        header.source = static_cast<uint32_t>(addresses.innerSource.low);
        header.destination = static_cast<uint32_t>(destination.low);
        EncodeIpv4(writer, header);
        return;
    }
    Ipv6Header header{};
    header.trafficClass = trafficClass;
    header.flowLabel = SplitEntropy(frame.ev, options.entropyOrder).flowLabel;
    header.payloadBytes = static_cast<uint16_t>(udpBytes);
    header.nextHeader = PROTOCOL_UDP;
    header.hopLimit = hopLimit;
    header.source = addresses.innerSource;
    header.destination = destination;
    EncodeIpv6(writer, header);
}

/// @param writer behind IP @param frame any frame @param options P_Key and ports
/// @param layout its sizes
void
WriteTransport(ByteWriter& writer,
               const Frame& frame,
               const EncodeOptions& options,
               const Layout& layout)
{
    UdpHeader udp{};
    udp.sourcePort = SplitEntropy(frame.ev, options.entropyOrder).sourcePort;
    udp.destinationPort = options.udpPort;
    udp.bytes = static_cast<uint16_t>(layout.udp);
    EncodeUdp(writer, udp);

    Bth bth;
    bth.opcode = frame.opcode;
    bth.solicitedEvent = frame.Has(Frame::SOLICITED_EVENT);
    bth.migration = frame.Has(Frame::MIGRATION);
    bth.padCount = static_cast<uint8_t>(PadBytes(layout.payload));
    bth.pKey = options.pKey;
    bth.destinationQp = frame.destinationQp;
    bth.ackRequest = frame.Has(Frame::ACK_REQUEST);
    bth.retransmission = frame.Has(Frame::RETRANSMISSION);
    bth.timestamp = frame.Has(Frame::HAS_TIMESTAMP);
    bth.psn = frame.psn;
    EncodeBth(writer, bth);
    EncodeExtendedHeaders(writer, frame);
    if (layout.payload > 0 && frame.write.payload != nullptr)
    {
        writer.Copy(frame.write.payload, layout.payload);
    }
    else
    {
        writer.Zeros(layout.payload);
    }
    writer.Zeros(PadBytes(layout.payload));
}

/// @param frame any frame @param addresses both ends
/// @return whether the innermost addresses are IPv4 addresses
bool
HasIpv4Addresses(const Frame& frame, const FrameAddresses& addresses)
{
    const Ipv6Address destination = frame.Has(Frame::ENCAPSULATED)
                                        ? addresses.innerDestination
                                        : Ipv6Address{frame.daHigh, frame.daLow};
    return addresses.innerSource.IsIpv4Mapped() && destination.IsIpv4Mapped();
}

} // namespace

size_t
EncodeFrame(const Frame& frame,
            const FrameAddresses& addresses,
            const EncodeOptions& options,
            uint8_t* out,
            size_t capacity)
{
    const Layout layout = Measure(frame, options);
    if (layout.whole > capacity || !HasIpLengths(layout, options) || !IsDecodable(frame, layout) ||
        (options.innerIpv4 && !HasIpv4Addresses(frame, addresses)))
    {
        return 0;
    }
    const bool encapsulated = frame.Has(Frame::ENCAPSULATED);
    ByteWriter writer(out, layout.whole);
    EthernetHeader ethernet{};
    ethernet.destinationMac = addresses.destinationMac;
    ethernet.sourceMac = addresses.sourceMac;
    ethernet.etherType = options.innerIpv4 && !encapsulated ? ETHERTYPE_IPV4 : ETHERTYPE_IPV6;
    EncodeEthernet(writer, ethernet);
    if (encapsulated)
    {
        WriteOuter(writer, frame, addresses, options, layout);
    }
    WriteInner(writer, frame, addresses, options, layout.udp);
    WriteTransport(writer, frame, options, layout);

    uint8_t* const inner = out + layout.innerStart;
    uint8_t* const end = out + layout.whole - ICRC_BYTES;
    uint32_t icrc = 0;
    ComputeIcrc(inner, static_cast<size_t>(end - inner), icrc);
    StoreIcrc(end, frame.Has(Frame::CORRUPT) ? ~icrc : icrc);
    if (layout.kept < layout.whole && !encapsulated)
    {
        // The switch rewrites the only IP header after the sender computed the ICRC over it.
        const uint32_t left = layout.kept - layout.innerStart - layout.innerIp;
        ByteWriter rewritten(inner, layout.innerIp);
        WriteInner(rewritten, frame, addresses, options, left);
    }
    return layout.kept;
}

} // namespace mrc
