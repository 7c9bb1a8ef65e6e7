// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ethernet.h"
#include "mrc-extended-headers.h"
#include "mrc-frame-codec.h"
#include "mrc-icrc.h"
#include "mrc-ipv4.h"
#include "mrc-srh.h"

namespace mrc
{

namespace
{

/// One pass over the bytes of a frame; each step reads one layer.
class FrameDecoder
{
  public:
    /// Same parameters as DecodeFrame().
    FrameDecoder(const uint8_t* bytes,
                 size_t captured,
                 Frame& frame,
                 FrameAddresses& addresses,
                 DecodeInfo& info,
                 const DecodeOptions& options)
        : m_reader(bytes, captured),
          m_frame(frame),
          m_addresses(addresses),
          m_info(info),
          m_options(options)
    {
    }

    /// @return OK or why the bytes are refused
    DecodeError Decode();

  private:
    /// The fields that IPv6 and IPv4 share.
    struct IpHeader
    {
        uint8_t trafficClass;
        uint8_t hopLimit;
        uint8_t protocol;
        uint16_t flowLabel;
        size_t payloadBytes;
        Ipv6Address source;
        Ipv6Address destination;
    };

    DecodeError ReadIp(bool ipv4, WireHeader ipv6Name, IpHeader& header);
    DecodeError ReadSrh(uint8_t& protocol);
    DecodeError ReadNetwork(IpHeader& innermost);
    DecodeError ReadUdp(const IpHeader& innermost);
    DecodeError ReadBth();
    DecodeError ReadBody();
    void SetClassFlags();
    void CheckIcrc();

    /// Note where a step begins. @param header its name
    void Enter(WireHeader header)
    {
        m_info.where = header;
        m_info.whereOffset = static_cast<uint32_t>(m_reader.Offset());
    }

    /// @return whether the frame is encapsulated
    bool IsInside() const
    {
        return m_frame.Has(Frame::ENCAPSULATED);
    }

    ByteReader m_reader;            ///< limited to the outermost IP packet once that is known
    Frame& m_frame;                 ///< answer
    FrameAddresses& m_addresses;    ///< answer
    DecodeInfo& m_info;             ///< answer
    const DecodeOptions& m_options; ///< what to expect
    const uint8_t* m_inner{};       ///< innermost IP header
    size_t m_udpPayloadBytes{0};    ///< BTH to ICRC, as sent
};

/**
 * Read an IP header.
 *
 * @param ipv4 which version to expect
 * @param ipv6Name how to call it in an error
 * @param header the answer
 * @return OK or why it is refused
 */
DecodeError
FrameDecoder::ReadIp(bool ipv4, WireHeader ipv6Name, IpHeader& header)
{
    Enter(ipv4 ? WireHeader::IPV4 : ipv6Name);
    if (ipv4)
    {
        Ipv4Header ip{};
        const DecodeError error = DecodeIpv4(m_reader, ip);
        if (error != DecodeError::OK)
        {
            return error;
        }
        if (ip.moreFragments || ip.fragmentOffset != 0)
        {
            return DecodeError::NOT_MRC;
        }
        const size_t payloadBytes = ip.totalBytes - size_t{ip.headerBytes};
        header = IpHeader{ip.trafficClass,
                          ip.timeToLive,
                          ip.protocol,
                          0,
                          payloadBytes,
                          Ipv6Address::FromIpv4(ip.source),
                          Ipv6Address::FromIpv4(ip.destination)};
        return DecodeError::OK;
    }
    Ipv6Header ip{};
    const DecodeError error = DecodeIpv6(m_reader, ip);
    if (error == DecodeError::OK)
    {
        header = IpHeader{ip.trafficClass,
                          ip.hopLimit,
                          ip.nextHeader,
                          static_cast<uint16_t>(ip.flowLabel),
                          ip.payloadBytes,
                          ip.source,
                          ip.destination};
    }
    return error;
}

/// @param protocol replaced by that behind the SRH @return OK or why it is refused
DecodeError
FrameDecoder::ReadSrh(uint8_t& protocol)
{
    Enter(WireHeader::SRH);
    Srh srh{};
    const DecodeError error = DecodeSrh(m_reader, srh);
    if (error != DecodeError::OK)
    {
        return error;
    }
    m_info.hasSrh = true;
    m_info.segmentsLeft = srh.segmentsLeft;
    m_frame.flags |= Frame::HAS_SRH;
    m_frame.segments = srh.segmentBytes;
    m_frame.segmentCount = srh.segmentCount;
    m_frame.segmentsLeft = srh.segmentsLeft;
    protocol = srh.nextHeader;
    // Without an inner header the ICRC would cover a destination that changes on the way.
    return protocol == PROTOCOL_UDP ? DecodeError::NOT_MRC : DecodeError::OK;
}

/// @param innermost the IP header that UDP follows @return OK or why the bytes are refused
DecodeError
FrameDecoder::ReadNetwork(IpHeader& innermost)
{
    Enter(WireHeader::ETHERNET);
    EthernetHeader ethernet{};
    DecodeError error = DecodeEthernet(m_reader, ethernet);
    if (error != DecodeError::OK)
    {
        return error;
    }
    m_addresses.destinationMac = ethernet.destinationMac;
    m_addresses.sourceMac = ethernet.sourceMac;
    const bool ipv4 = ethernet.etherType == ETHERTYPE_IPV4;
    if (!ipv4 && ethernet.etherType != ETHERTYPE_IPV6)
    {
        return DecodeError::NOT_MRC;
    }
    m_inner = m_reader.Position();
    IpHeader outer{};
    error = ReadIp(ipv4, WireHeader::IPV6, outer);
    if (error != DecodeError::OK)
    {
        return error;
    }
    if (outer.payloadBytes > m_reader.Remaining())
    {
        return DecodeError::TRUNCATED;
    }
    m_reader.Limit(outer.payloadBytes);
    m_info.l2Bytes = static_cast<uint32_t>(m_reader.Offset() + outer.payloadBytes);
    m_frame.wireBytes = FrameWireBytes(m_info.l2Bytes);
    m_frame.daHigh = outer.destination.high;
    m_frame.daLow = outer.destination.low;
    m_frame.trafficClass = outer.trafficClass;
    m_frame.hopLimit = outer.hopLimit;
    m_info.innerIpv4 = ipv4;
    innermost = outer;
    if (!ipv4 && outer.protocol == PROTOCOL_ROUTING)
    {
        error = ReadSrh(outer.protocol);
        if (error != DecodeError::OK)
        {
            return error;
        }
    }
    if (!ipv4 && (outer.protocol == PROTOCOL_IPV6 || outer.protocol == PROTOCOL_IPV4))
    {
        m_frame.flags |= Frame::ENCAPSULATED;
        m_addresses.outerSource = outer.source;
        m_info.innerIpv4 = outer.protocol == PROTOCOL_IPV4;
        m_inner = m_reader.Position();
        error = ReadIp(m_info.innerIpv4, WireHeader::INNER_IPV6, innermost);
        if (error != DecodeError::OK)
        {
            return error;
        }
    }
    m_addresses.innerSource = innermost.source;
    m_addresses.innerDestination = innermost.destination;
    m_info.innerTrafficClass = innermost.trafficClass;
    m_info.innerHopLimit = innermost.hopLimit;
    return innermost.protocol == PROTOCOL_UDP ? DecodeError::OK : DecodeError::NOT_MRC;
}

/// Set what the outer DSCP says.
void
FrameDecoder::SetClassFlags()
{
    const DscpMap& dscp = m_options.dscp;
    const uint8_t own = m_frame.Dscp();
    if (own == dscp.control)
    {
        m_frame.flags |= Frame::CONTROL;
    }
    if (own == dscp.trimmed || own == dscp.trimmedLastHop)
    {
        m_frame.flags |= Frame::TRIMMED;
    }
    if (own == dscp.trimmedLastHop)
    {
        m_frame.flags |= Frame::TRIMMED_LASTHOP;
    }
}

/// @param innermost the IP header before UDP @return OK or why the bytes are refused
DecodeError
FrameDecoder::ReadUdp(const IpHeader& innermost)
{
    Enter(WireHeader::UDP);
    const size_t left = m_reader.Remaining();
    UdpHeader udp{};
    const DecodeError error = DecodeUdp(m_reader, udp);
    if (error != DecodeError::OK)
    {
        return error;
    }
    if (udp.destinationPort != m_options.udpPort && udp.destinationPort != m_options.otherUdpPort)
    {
        return DecodeError::NOT_MRC;
    }
    // A trim shortens the outermost IP packet only: nothing may be left over behind UDP, and an
    // inner IP header still agrees with UDP.
    if (udp.bytes < left || (IsInside() && udp.bytes != innermost.payloadBytes))
    {
        return DecodeError::BAD_LENGTH;
    }
    m_info.udpPort = udp.destinationPort;
    m_info.cut = udp.bytes > left;
    m_udpPayloadBytes = udp.bytes - UDP_BYTES;
    m_frame.ev =
        JoinEntropy(EntropyFields{udp.sourcePort, innermost.flowLabel}, m_options.entropyOrder);
    SetClassFlags();
    if (m_info.cut)
    {
        m_frame.flags |= Frame::TRIMMED;
    }
    return DecodeError::OK;
}

/// @return OK or why the bytes are refused
DecodeError
FrameDecoder::ReadBth()
{
    Enter(WireHeader::BTH);
    Bth& bth = m_info.bth;
    const DecodeError error = DecodeBth(m_reader, bth);
    if (error != DecodeError::OK)
    {
        return error;
    }
    const auto setIf = [this](bool condition, Frame::Flag flag) {
        m_frame.flags |= condition ? flag : 0;
    };
    setIf(bth.ackRequest, Frame::ACK_REQUEST);
    setIf(bth.retransmission, Frame::RETRANSMISSION);
    setIf(bth.timestamp, Frame::HAS_TIMESTAMP);
    setIf(bth.migration, Frame::MIGRATION);
    setIf(bth.solicitedEvent, Frame::SOLICITED_EVENT);
    m_frame.opcode = bth.opcode;
    m_frame.destinationQp = bth.destinationQp;
    m_frame.psn = bth.psn;

    const size_t withoutPayload = UdpPayloadBytes(bth.opcode, bth.timestamp, 0);
    if (m_udpPayloadBytes < withoutPayload)
    {
        return DecodeError::BAD_LENGTH;
    }
    const size_t padded = m_udpPayloadBytes - withoutPayload;
    if (padded % 4 != 0 || padded < bth.padCount || (padded > 0 && !IsWrite(bth.opcode)))
    {
        return DecodeError::BAD_LENGTH;
    }
    m_frame.payloadBytes = static_cast<uint16_t>(padded - bth.padCount);
    return DecodeError::OK;
}

/// @return OK or why the bytes are refused
DecodeError
FrameDecoder::ReadBody()
{
    const bool trimmed = m_frame.Has(Frame::TRIMMED);
    const size_t start = m_reader.Offset();
    WireHeader missing = WireHeader::NONE;
    const DecodeError error = DecodeExtendedHeaders(m_reader, m_frame, missing);
    if (error != DecodeError::OK)
    {
        Enter(missing);
        return error;
    }
    const size_t whole = ExtendedHeaderBytes(m_frame.opcode, m_frame.Has(Frame::HAS_TIMESTAMP));
    m_info.rethPresent = IsWrite(m_frame.opcode) && m_reader.Offset() - start == whole;
    if (trimmed)
    {
        return DecodeError::OK;
    }
    if (IsWrite(m_frame.opcode) && m_frame.payloadBytes > 0)
    {
        m_frame.write.payload = m_reader.Position();
    }
    m_reader.Skip(m_reader.Remaining() - ICRC_BYTES);
    CheckIcrc();
    return DecodeError::OK;
}

/// Compare the ICRC, whose 4 bytes are next in line.
void
FrameDecoder::CheckIcrc()
{
    const uint8_t* const end = m_reader.Position();
    m_info.icrcFound = LoadIcrc(end);
    ComputeIcrc(m_inner, static_cast<size_t>(end - m_inner), m_info.icrcExpected);
    if (m_info.icrcFound != m_info.icrcExpected)
    {
        m_frame.flags |= Frame::CORRUPT;
    }
}

DecodeError
FrameDecoder::Decode()
{
    IpHeader innermost{};
    DecodeError error = ReadNetwork(innermost);
    if (error == DecodeError::OK)
    {
        error = ReadUdp(innermost);
    }
    if (error == DecodeError::OK)
    {
        error = ReadBth();
    }
    if (error == DecodeError::OK)
    {
        error = ReadBody();
    }
    if (error == DecodeError::OK)
    {
        m_info.where = WireHeader::NONE;
        m_info.whereOffset = 0;
    }
    return error;
}

} // namespace

DecodeError
DecodeFrame(const uint8_t* bytes,
            size_t captured,
            Frame& frame,
            FrameAddresses& addresses,
            DecodeInfo& info,
            const DecodeOptions& options)
{
    frame = Frame{};
    addresses = FrameAddresses{};
    info = DecodeInfo{};
    return FrameDecoder(bytes, captured, frame, addresses, info, options).Decode();
}

} // namespace mrc
