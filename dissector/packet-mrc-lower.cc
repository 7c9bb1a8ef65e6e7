// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// What the headers below the BTH say: entropy value, ECN, trimming, and the ICRC over them.
#include "mrc-entropy.h"
#include "mrc-icrc.h"
#include "packet-mrc-parts.h"

#include <cstring>
#include <epan/proto_data.h>

extern int proto_srv6;

namespace
{

constexpr int UDP = mrc::UDP_BYTES;
constexpr int IPV6 = mrc::IPV6_BYTES;
constexpr uint8_t PROTOCOL_UDP = 17;

/// Longest chain of extension headers that is searched for the IPv6 header before it.
constexpr int MAX_EXTENSIONS = 512;

uint16_t
get16(const uint8_t* bytes)
{
    return static_cast<uint16_t>(bytes[0] << 8 | bytes[1]);
}

bool
has_addresses(const uint8_t* bytes, const packet_info* pinfo, int length)
{
    return pinfo->net_src.len == length && pinfo->net_dst.len == length &&
           std::memcmp(bytes, pinfo->net_src.data, length) == 0 &&
           std::memcmp(bytes + length, pinfo->net_dst.data, length) == 0;
}

bool
is_ipv6(const uint8_t* bytes, int extensions, const packet_info* pinfo)
{
    return bytes[0] >> 4 == 6 && (extensions > 0 || bytes[6] == PROTOCOL_UDP) &&
           has_addresses(bytes + 8, pinfo, 16);
}

bool
is_ipv4(const uint8_t* bytes, int header, const packet_info* pinfo)
{
    return bytes[0] == (0x40 | header / 4) && bytes[9] == PROTOCOL_UDP &&
           has_addresses(bytes + 12, pinfo, 4);
}

/// @return whether a DSCP belongs to a class, and that class exists
bool
is_in(range_t* dscps, uint8_t dscp)
{
    return dscps != nullptr && value_is_in_range(dscps, dscp);
}

/// How many bytes of UDP a whole packet has that only its RETH still describes.
uint32_t
whole_udp_bytes(const mrc_packet& packet)
{
    const mrc::Opcode opcode = packet.bth.opcode;
    const bool only = opcode == mrc::Opcode::WRITE_ONLY || opcode == mrc::Opcode::WRITE_ONLY_IMM;
    if (!only || !(packet.headers & MRC_HAS_RETH) || packet.reth.dmaBytes > 0xffff)
    {
        return 0;
    }
    return mrc::UDP_BYTES + mrc::BTH_BYTES +
           mrc::ExtendedHeaderBytes(opcode, packet.bth.timestamp) +
           ((packet.reth.dmaBytes + 3) & ~3u) + mrc::ICRC_BYTES;
}

void
read_trim(tvbuff_t* tvb, const mrc_lower& lower, const mrc_outer* outer, mrc_packet& packet)
{
    const bool is_last = is_in(mrc_prefs.trimmed_last_dscps, packet.dscp);
    const bool is_marked = is_last || is_in(mrc_prefs.trimmed_dscps, packet.dscp);
    const int udp_here = tvb_reported_length(tvb) + UDP;
    const bool is_udp_longer = lower.udp_bytes > udp_here;

    // The outer length is the one that a switch looks at.
    const bool has_outer = outer != nullptr && outer->ip_offset >= 0;
    const int ip_offset = has_outer ? outer->ip_offset : lower.ip_offset;
    const uint32_t ip_length = has_outer ? outer->ip_length : lower.ip_length;
    const int frame_here = static_cast<int>(tvb_reported_length(tvb_get_ds_tvb(tvb))) - ip_offset;
    const bool is_ip_longer = static_cast<int64_t>(ip_length) > frame_here;

    if (!is_marked && (!is_udp_longer || is_ip_longer))
    {
        // An IP length past the frame's end is a capture that lost the frame's length.
        return;
    }
    packet.trim_kind = is_ip_longer    ? MRC_TRIM_LENGTHS_KEPT
                       : is_udp_longer ? MRC_TRIM_IP_REWRITTEN
                                       : MRC_TRIM_BOTH_REWRITTEN;
    packet.trim_hop = is_last     ? MRC_TRIM_HOP_LAST
                      : is_marked ? MRC_TRIM_HOP_FABRIC
                                  : MRC_TRIM_HOP_UNKNOWN;
    const uint32_t whole = is_udp_longer ? lower.udp_bytes : whole_udp_bytes(packet);
    packet.trim_cut_bytes = static_cast<int>(whole) > udp_here ? whole - udp_here : 0;
}

} // namespace

void
mrc_find_lower(tvbuff_t* tvb, packet_info* pinfo, mrc_lower& lower)
{
    std::memset(&lower, 0, sizeof(lower));
    tvbuff_t* const source = tvb_get_ds_tvb(tvb);
    const int udp = tvb_raw_offset(tvb) - UDP;
    if (udp < 0 || static_cast<int>(tvb_captured_length(source)) < udp + UDP)
    {
        return;
    }
    const uint8_t* const bytes = tvb_get_ptr(source, 0, udp + UDP);
    lower.udp_bytes = get16(bytes + udp + 4);
    if (pinfo->net_src.type == AT_IPv6)
    {
        for (int extra = 0; extra <= MAX_EXTENSIONS && udp - extra - IPV6 >= 0; extra += 8)
        {
            const uint8_t* const ip = bytes + udp - extra - IPV6;
            if (is_ipv6(ip, extra, pinfo))
            {
                const uint32_t first = get16(ip) << 16 | get16(ip + 2);
                lower.ip = ip;
                lower.ip_offset = udp - extra - IPV6;
                lower.ip_bytes = IPV6 + extra;
                lower.ip_length = IPV6 + get16(ip + 4);
                lower.is_ipv6 = true;
                lower.traffic_class = first >> 20 & 0xff;
                lower.flow_label = first & 0xfffff;
                return;
            }
        }
    }
    else if (pinfo->net_src.type == AT_IPv4)
    {
        for (int header = 20; header <= 60 && udp - header >= 0; header += 4)
        {
            const uint8_t* const ip = bytes + udp - header;
            if (is_ipv4(ip, header, pinfo))
            {
                lower.ip = ip;
                lower.ip_offset = udp - header;
                lower.ip_bytes = header;
                lower.ip_length = get16(ip + 2);
                lower.traffic_class = ip[1];
                return;
            }
        }
    }
}

const mrc_outer*
mrc_find_outer(tvbuff_t* tvb, packet_info* pinfo, const mrc_lower& lower)
{
    const auto* const outer =
        static_cast<const mrc_outer*>(p_get_proto_data(pinfo->pool, pinfo, proto_srv6, 0));
    // Only if it is right around this header: not one around a mirror's header, for example.
    return outer != nullptr && lower.ip != nullptr && outer->source == tvb_get_ds_tvb(tvb) &&
                   outer->inner_offset == lower.ip_offset
               ? outer
               : nullptr;
}

void
mrc_read_lower(tvbuff_t* tvb, packet_info* pinfo, const mrc_lower& lower, mrc_packet& packet)
{
    copy_address_shallow(&packet.src, &pinfo->net_src);
    copy_address_shallow(&packet.dst, &pinfo->net_dst);
    packet.src_port = static_cast<uint16_t>(pinfo->srcport);
    packet.dst_port = static_cast<uint16_t>(pinfo->destport);
    packet.frame_bytes = pinfo->fd->pkt_len;
    if (lower.ip == nullptr)
    {
        return;
    }
    packet.has_ev = true;
    //= MRC-REF 2 UDP and IP
    packet.ev = mrc::JoinEntropy({packet.src_port, static_cast<uint16_t>(lower.flow_label)},
                                 static_cast<mrc::EntropyOrder>(mrc_prefs.ev_order));
    packet.inner_dscp = mrc::DscpOf(lower.traffic_class);
    packet.inner_ecn = mrc::EcnOf(lower.traffic_class);
    const mrc_outer* const outer = mrc_find_outer(tvb, pinfo, lower);
    //= MRC-REF 2 With encapsulation a switch re-marks the outer DSCP and ECN
    const uint8_t seen =
        outer != nullptr && outer->ip_offset >= 0 ? outer->traffic_class : lower.traffic_class;
    packet.dscp = mrc::DscpOf(seen);
    packet.ecn = mrc::EcnOf(seen);
    if (outer != nullptr)
    {
        packet.has_carrier = outer->has_carrier;
        packet.carrier = outer->carrier;
        packet.hops_left = outer->hops_left;
    }
    read_trim(tvb, lower, outer, packet);
}

mrc_icrc_status
mrc_check_icrc(tvbuff_t* tvb, const mrc_lower& lower, const mrc_packet& packet, uint32_t& computed)
{
    const uint32_t reported = tvb_reported_length(tvb);
    const bool has_extensions = lower.is_ipv6 && lower.ip_bytes != mrc::IPV6_BYTES;
    //= MRC-REF 2 A trimmed packet has no valid ICRC
    if (!mrc_prefs.check_icrc || packet.trim_kind != MRC_NOT_TRIMMED || lower.ip == nullptr ||
        has_extensions || tvb_captured_length(tvb) != reported ||
        lower.udp_bytes != reported + UDP || reported < mrc::BTH_BYTES + mrc::ICRC_BYTES)
    {
        return MRC_ICRC_UNCHECKED;
    }
    const uint32_t bytes = lower.ip_bytes + UDP + reported - mrc::ICRC_BYTES;
    const uint8_t* const data =
        tvb_get_ptr(tvb_get_ds_tvb(tvb), lower.ip_offset, bytes + mrc::ICRC_BYTES);
    if (!mrc::ComputeIcrc(data, bytes, computed))
    {
        return MRC_ICRC_UNCHECKED;
    }
    return mrc::LoadIcrc(data + bytes) == computed ? MRC_ICRC_GOOD : MRC_ICRC_BAD;
}
