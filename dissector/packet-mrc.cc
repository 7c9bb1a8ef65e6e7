// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol "mrc": registration, preferences and the way through a packet.
#include "mrc-entropy.h"
#include "mrc-path-template.h"
#include "mrc-udp.h"
#include "packet-mrc-parts.h"

#include <epan/prefs.h>
#include <epan/proto_data.h>
#include <epan/tap.h>
#include <new>

int proto_mrc = -1;
int mrc_tap = -1;
mrc_preferences mrc_prefs;

namespace
{

int expert_tap = -1;

int ett_mrc = -1;
int ett_bth = -1;
int ett_bth_flags = -1;
int ett_ev = -1;
int ett_trim = -1;

int hf_opcode = -1;
int hf_se = -1;
int hf_migreq = -1;
int hf_padcnt = -1;
int hf_tver = -1;
int hf_pkey = -1;
int hf_reserved = -1;
int hf_dqp = -1;
int hf_a = -1;
int hf_rtx = -1;
int hf_ts = -1;
int hf_flags_reserved = -1;
int hf_psn = -1;
int hf_request_id = -1;

int hf_ev = -1;
int hf_ev_plane = -1;
int hf_ev_uplink = -1;
int hf_ev_uplink2 = -1;
int hf_reflected_ev = -1;
int hf_reflected_plane = -1;
int hf_reflected_uplink = -1;
int hf_reflected_uplink2 = -1;
int hf_dscp = -1;
int hf_ecn = -1;
int hf_ce = -1;
int hf_trimmed = -1;
int hf_trim_kind = -1;
int hf_trim_hop = -1;
int hf_trim_cut_bytes = -1;
int hf_icrc = -1;
int hf_icrc_status = -1;
int hf_icrc_calculated = -1;

expert_field ei_trimmed = EI_INIT;
expert_field ei_rtx = EI_INIT;
expert_field ei_ce = EI_INIT;
expert_field ei_icrc_bad = EI_INIT;
expert_field ei_length_bad = EI_INIT;
expert_field ei_length_lost = EI_INIT;
expert_field ei_tver_bad = EI_INIT;
expert_field ei_dqp_bad = EI_INIT;

//= MRC-REF 2 BTH
const mrc_field BTH_FIRST[] = {
    {&hf_opcode, 0, 1},
    {&hf_se, 1, 1},
    {&hf_migreq, 1, 1},
    {&hf_padcnt, 1, 1},
    {&hf_tver, 1, 1},
    {&hf_pkey, 2, 2},
    {&hf_reserved, 4, 1},
    {&hf_dqp, 5, 3},
    {&hf_a, 8, 1},
    {&hf_rtx, 8, 1},
    {&hf_ts, 8, 1},
    {&hf_flags_reserved, 8, 1},
    {&hf_psn, 9, 3},
};

const value_string OPCODES[] = {
    {static_cast<uint32_t>(mrc::Opcode::WRITE_FIRST), "WRITE First"},
    {static_cast<uint32_t>(mrc::Opcode::WRITE_MIDDLE), "WRITE Middle"},
    {static_cast<uint32_t>(mrc::Opcode::WRITE_LAST), "WRITE Last"},
    {static_cast<uint32_t>(mrc::Opcode::WRITE_LAST_IMM), "WRITE Last with Immediate"},
    {static_cast<uint32_t>(mrc::Opcode::WRITE_ONLY), "WRITE Only"},
    {static_cast<uint32_t>(mrc::Opcode::WRITE_ONLY_IMM), "WRITE Only with Immediate"},
    {static_cast<uint32_t>(mrc::Opcode::ACKNOWLEDGE), "Acknowledge"},
    {static_cast<uint32_t>(mrc::Opcode::ENDPOINT_REQUEST), "Endpoint Request"},
    {static_cast<uint32_t>(mrc::Opcode::ENDPOINT_RESPONSE), "Endpoint Response"},
    {static_cast<uint32_t>(mrc::Opcode::SACK), "SACK"},
    {static_cast<uint32_t>(mrc::Opcode::NACK), "NACK"},
    {static_cast<uint32_t>(mrc::Opcode::RELIABILITY_PROBE), "Reliability Probe"},
    {0, nullptr},
};
const value_string TRIM_KINDS[] = {
    {MRC_TRIM_LENGTHS_KEPT, "lengths kept"},
    {MRC_TRIM_IP_REWRITTEN, "IP length rewritten"},
    {MRC_TRIM_BOTH_REWRITTEN, "IP and UDP length rewritten"},
    {0, nullptr},
};
const value_string TRIM_HOPS[] = {
    {MRC_TRIM_HOP_FABRIC, "switch port in the fabric"},
    {MRC_TRIM_HOP_LAST, "last hop, port to the receiver"},
    {MRC_TRIM_HOP_UNKNOWN, "not told by the DSCP"},
    {0, nullptr},
};
const value_string ECNS[] = {
    {mrc::NOT_ECT, "Not-ECT"},
    {mrc::ECT1, "ECT(1)"},
    {mrc::ECT0, "ECT(0)"},
    {mrc::CE, "CE"},
    {0, nullptr},
};

/// Where the payload is and how much of it there is.
void
measure_payload(tvbuff_t* tvb, const mrc_lower& lower, int extended, mrc_packet& packet)
{
    packet.payload_offset = -1;
    if (!(packet.headers & MRC_HAS_BTH) || !mrc_is_write(&packet))
    {
        return;
    }
    const int head = static_cast<int>(mrc::BTH_BYTES) + extended;
    const int tail = packet.bth.padCount + static_cast<int>(mrc::ICRC_BYTES);
    const int reported = static_cast<int>(tvb_reported_length(tvb));
    const bool is_trimmed = packet.trim_kind != MRC_NOT_TRIMMED;
    const int payload = reported - head - (is_trimmed ? 0 : tail);
    packet.payload_bytes = payload < 0 ? 0 : payload;
    packet.full_payload_bytes = packet.payload_bytes;
    if (is_trimmed)
    {
        const int whole = reported + static_cast<int>(packet.trim_cut_bytes) - head - tail;
        packet.full_payload_bytes =
            packet.trim_cut_bytes > 0 && whole > 0 ? whole : packet.payload_bytes;
    }
    else if (lower.udp_bytes > static_cast<uint32_t>(reported) + mrc::UDP_BYTES)
    {
        // The capture lost the frame's length; UDP still has it.
        const int whole = static_cast<int>(lower.udp_bytes - mrc::UDP_BYTES) - head - tail;
        packet.full_payload_bytes = whole > 0 ? whole : packet.payload_bytes;
    }
    if (head <= static_cast<int>(tvb_captured_length(tvb)))
    {
        packet.payload_offset = head;
        const auto there = static_cast<uint32_t>(tvb_captured_length_remaining(tvb, head));
        packet.payload_captured = there < packet.payload_bytes ? there : packet.payload_bytes;
    }
}

void
show_bth(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const mrc_packet& packet)
{
    const int captured = static_cast<int>(tvb_captured_length(tvb));
    const int bytes = captured < static_cast<int>(mrc::BTH_BYTES) ? captured : mrc::BTH_BYTES;
    proto_item* item;
    proto_tree* const bth = proto_tree_add_subtree_format(
        tree, tvb, 0, bytes, ett_bth, &item, "BTH, %s", mrc_opcode_name(packet.raw_opcode));
    mrc_add_fields(bth, tvb, 0, bytes, BTH_FIRST);
    if (!(packet.headers & MRC_HAS_BTH))
    {
        return;
    }
    const bool is_endpoint_op = packet.bth.opcode == mrc::Opcode::ENDPOINT_REQUEST ||
                                packet.bth.opcode == mrc::Opcode::ENDPOINT_RESPONSE;
    if (is_endpoint_op)
    {
        mrc_add_generated(bth, hf_request_id, tvb, 10, 2, packet.bth.psn & 0xffff);
    }
    if (packet.bth.retransmission)
    {
        expert_add_info(pinfo, item, &ei_rtx);
    }
    if (packet.bth.tver != 0)
    {
        expert_add_info(pinfo, item, &ei_tver_bad);
    }
    const uint32_t qp = packet.bth.destinationQp;
    if (is_endpoint_op ? qp != mrc::ENDPOINT_QP : qp < mrc::FIRST_USABLE_QP)
    {
        expert_add_info(pinfo, item, &ei_dqp_bad);
    }
}

void
show_path(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const mrc_packet& packet)
{
    if (packet.has_ev)
    {
        mrc_show_ev(tree, tvb, packet.ev, false);
        mrc_add_generated(tree, hf_dscp, tvb, 0, 0, packet.dscp);
        proto_item* const ecn = mrc_add_generated(tree, hf_ecn, tvb, 0, 0, packet.ecn);
        if (packet.ecn == mrc::CE)
        {
            proto_item_set_generated(proto_tree_add_boolean(tree, hf_ce, tvb, 0, 0, 1));
            expert_add_info(pinfo, ecn, &ei_ce);
        }
    }
    if (packet.has_reflected_ev)
    {
        mrc_show_ev(tree, tvb, packet.reflected_ev, true);
    }
    if (packet.trim_kind == MRC_NOT_TRIMMED)
    {
        return;
    }
    proto_item* const item = proto_tree_add_boolean(tree, hf_trimmed, tvb, 0, 0, 1);
    proto_item_set_generated(item);
    proto_tree* const trim = proto_item_add_subtree(item, ett_trim);
    mrc_add_generated(trim, hf_trim_kind, tvb, 0, 0, packet.trim_kind);
    mrc_add_generated(trim, hf_trim_hop, tvb, 0, 0, packet.trim_hop);
    if (packet.trim_cut_bytes > 0)
    {
        mrc_add_generated(trim, hf_trim_cut_bytes, tvb, 0, 0, packet.trim_cut_bytes);
    }
    expert_add_info(pinfo, item, &ei_trimmed);
}

void
show_icrc(
    tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const mrc_lower& lower, mrc_packet& packet)
{
    const int offset = static_cast<int>(tvb_reported_length(tvb) - mrc::ICRC_BYTES);
    if (packet.trim_kind != MRC_NOT_TRIMMED || offset < static_cast<int>(mrc::BTH_BYTES) ||
        tvb_captured_length_remaining(tvb, offset) < static_cast<int>(mrc::ICRC_BYTES) ||
        lower.udp_bytes != tvb_reported_length(tvb) + mrc::UDP_BYTES)
    {
        return;
    }
    uint32_t computed = 0;
    packet.icrc = mrc_check_icrc(tvb, lower, packet, computed);
    const bool is_checked = packet.icrc != MRC_ICRC_UNCHECKED;
    proto_tree_add_checksum(tree,
                            tvb,
                            offset,
                            hf_icrc,
                            hf_icrc_status,
                            &ei_icrc_bad,
                            pinfo,
                            computed,
                            ENC_LITTLE_ENDIAN,
                            is_checked ? PROTO_CHECKSUM_VERIFY : PROTO_CHECKSUM_NO_FLAGS);
    if (packet.icrc == MRC_ICRC_BAD)
    {
        mrc_add_generated(tree, hf_icrc_calculated, tvb, offset, 4, computed);
    }
}

/// Lengths that cannot be, or that the capture lost.
void
check_lengths(tvbuff_t* tvb,
              packet_info* pinfo,
              proto_item* item,
              const mrc_lower& lower,
              int extended,
              const mrc_packet& packet)
{
    const uint32_t reported = tvb_reported_length(tvb);
    if (packet.trim_kind != MRC_NOT_TRIMMED || !(packet.headers & MRC_HAS_BTH))
    {
        return;
    }
    if (lower.udp_bytes > reported + mrc::UDP_BYTES)
    {
        expert_add_info(pinfo, item, &ei_length_lost);
        return;
    }
    const uint32_t headers = mrc::BTH_BYTES + static_cast<uint32_t>(extended) + mrc::ICRC_BYTES;
    const uint32_t least = headers + packet.bth.padCount;
    const bool is_wrong =
        mrc_is_write(&packet) ? reported < least || reported % 4 != 0 : reported != headers;
    if (is_wrong)
    {
        expert_add_info_format(pinfo,
                               item,
                               &ei_length_bad,
                               "%u bytes of UDP payload, but %s has %s%u%s",
                               reported,
                               mrc_opcode_name(packet.raw_opcode),
                               mrc_is_write(&packet) ? "at least " : "",
                               mrc_is_write(&packet) ? least : headers,
                               mrc_is_write(&packet) ? " and a multiple of 4" : "");
    }
}

void
show_packet(tvbuff_t* tvb,
            packet_info* pinfo,
            proto_tree* tree,
            const mrc_lower& lower,
            int extended,
            mrc_packet& packet)
{
    show_bth(tvb, pinfo, tree, packet);
    if (packet.headers & MRC_HAS_BTH)
    {
        if (mrc_is_write(&packet))
        {
            mrc_show_requests(tvb, pinfo, tree, packet);
        }
        else if (packet.bth.opcode == mrc::Opcode::SACK)
        {
            mrc_show_sack(tvb, tree, packet);
        }
        else
        {
            mrc_show_control(tvb, pinfo, tree, packet);
        }
    }
    show_icrc(tvb, pinfo, tree, lower, packet);
    show_path(tvb, pinfo, tree, packet);
    check_lengths(tvb, pinfo, proto_tree_get_parent(tree), lower, extended, packet);
}

int
dissect_mrc(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*)
{
    if (!mrc_accepts(tvb, pinfo, false))
    {
        return 0;
    }
    mrc_lower lower;
    mrc_find_lower(tvb, pinfo, lower);
    auto* const packet = new (wmem_alloc(pinfo->pool, sizeof(mrc_packet))) mrc_packet{};
    packet->tvb = tvb;
    const int extended = mrc_decode_headers(tvb, *packet);
    mrc_read_lower(tvb, pinfo, lower, *packet);
    measure_payload(tvb, lower, extended, *packet);

    col_set_str(pinfo->cinfo, COL_PROTOCOL, "MRC");
    mrc_line line;
    if (tree != nullptr || pinfo->cinfo != nullptr)
    {
        mrc_summarize(*packet, line);
        col_add_str(pinfo->cinfo, COL_INFO, line.c_str());
    }
    proto_tree* mrc_tree = nullptr;
    if (tree != nullptr)
    {
        proto_item* const item = proto_tree_add_protocol_format(
            tree, proto_mrc, tvb, 0, -1, "Multipath Reliable Connection, %s", line.c_str());
        mrc_tree = proto_item_add_subtree(item, ett_mrc);
    }
    // The table of expert infos comes without a tree.
    if (tree != nullptr || have_tap_listener(expert_tap))
    {
        show_packet(tvb, pinfo, mrc_tree, lower, extended, *packet);
    }
    if (mrc_prefs.link_packets)
    {
        mrc_links_packet(pinfo, mrc_tree, tvb, packet);
    }
    tap_queue_packet(mrc_tap, pinfo, packet);

    // Headers that the capture cut off: say so, as Wireshark does ("packet size limited").
    const uint32_t headers = mrc::BTH_BYTES + static_cast<uint32_t>(extended);
    const uint32_t reported = tvb_reported_length(tvb);
    if (tvb_captured_length(tvb) < reported)
    {
        tvb_ensure_bytes_exist(tvb, 0, static_cast<int>(headers < reported ? headers : reported));
    }
    return static_cast<int>(tvb_captured_length(tvb));
}

/// Called when a capture is opened: the tap is younger than this plugin.
void
find_expert_tap()
{
    expert_tap = find_tap_id("expert");
}

void
register_preferences()
{
    module_t* const module = prefs_register_protocol(proto_mrc, nullptr);
    range_convert_str(wmem_epan_scope(), &mrc_prefs.ports, "4791,4971", 65535);
    prefs_register_range_preference(
        module, "ports", "UDP ports", "Destination ports of MRC packets", &mrc_prefs.ports, 65535);
    mrc_prefs.check_icrc = true;
    prefs_register_bool_preference(module,
                                   "check_icrc",
                                   "Verify the ICRC",
                                   "Never done for packets that a switch or the capture cut",
                                   &mrc_prefs.check_icrc);
    mrc_prefs.link_packets = true;
    prefs_register_bool_preference(
        module,
        "link_packets",
        "Link packets",
        "Connect WRITEs, SACKs, NACKs, retransmissions and probes; takes memory",
        &mrc_prefs.link_packets);
    static const mrc::DscpMap DSCPS;
    char text[4];
    snprintf(text, sizeof(text), "%u", DSCPS.trimmed);
    range_convert_str(wmem_epan_scope(), &mrc_prefs.trimmed_dscps, text, 63);
    prefs_register_range_preference(module,
                                    "trimmed_dscps",
                                    "DSCPs of trimmed packets",
                                    "DSCPs that switches give to packets that they cut",
                                    &mrc_prefs.trimmed_dscps,
                                    63);
    snprintf(text, sizeof(text), "%u", DSCPS.trimmedLastHop);
    range_convert_str(wmem_epan_scope(), &mrc_prefs.trimmed_last_dscps, text, 63);
    prefs_register_range_preference(
        module,
        "trimmed_last_dscps",
        "DSCPs of packets trimmed at the last hop",
        "DSCPs that switches give to packets that they cut on the port to the receiver",
        &mrc_prefs.trimmed_last_dscps,
        63);

    static const enum_val_t ORDERS[] = {
        {"port_high", "Source port in the upper half", int(mrc::EntropyOrder::PORT_HIGH)},
        {"port_low", "Source port in the lower half", int(mrc::EntropyOrder::PORT_LOW)},
        {nullptr, nullptr, 0},
    };
    mrc_prefs.ev_order = int(mrc::EntropyOrder::PORT_HIGH);
    prefs_register_enum_preference(module,
                                   "ev_order",
                                   "Halves of an entropy value",
                                   "Which half of an entropy value is the UDP source port; the "
                                   "other is the low half of the flow label",
                                   &mrc_prefs.ev_order,
                                   ORDERS,
                                   FALSE);
    mrc_prefs.ev_plane_mask = (0xffffu ^ mrc::EvLayout::SOURCE_PORT_BASE) << 16;
    prefs_register_uint_preference(module,
                                   "ev_plane_mask",
                                   "Plane in an entropy value",
                                   "Mask of the bits that name the plane, hexadecimal",
                                   16,
                                   &mrc_prefs.ev_plane_mask);
    mrc_prefs.ev_uplink_mask = 0xffff;
    prefs_register_uint_preference(
        module,
        "ev_uplink_mask",
        "T0 uplink in an entropy value",
        "Mask of the bits that name the uplink of the source's T0 switch, hexadecimal",
        16,
        &mrc_prefs.ev_uplink_mask);
    prefs_register_uint_preference(
        module,
        "ev_uplink2_mask",
        "T1 uplink in an entropy value",
        "Three tiers: mask of the bits that name the uplink of the T1 switch, hexadecimal; else 0",
        16,
        &mrc_prefs.ev_uplink2_mask);
}

void
register_fields()
{
    static hf_register_info hf[] = {
        {&hf_opcode,
         {"Opcode", "mrc.bth.opcode", FT_UINT8, BASE_HEX, VALS(OPCODES), 0, nullptr, HFILL}},
        {&hf_se, {"Solicited event", "mrc.bth.se", FT_BOOLEAN, 8, nullptr, 0x80, nullptr, HFILL}},
        {&hf_migreq,
         {"Migration request", "mrc.bth.migreq", FT_BOOLEAN, 8, nullptr, 0x40, nullptr, HFILL}},
        {&hf_padcnt,
         {"Pad count", "mrc.bth.padcnt", FT_UINT8, BASE_DEC, nullptr, 0x30, nullptr, HFILL}},
        {&hf_tver,
         {"Transport version (TVer)",
          "mrc.bth.tver",
          FT_UINT8,
          BASE_DEC,
          nullptr,
          0x0f,
          nullptr,
          HFILL}},
        {&hf_pkey, {"P_Key", "mrc.bth.pkey", FT_UINT16, BASE_HEX, nullptr, 0, nullptr, HFILL}},
        {&hf_reserved,
         {"Reserved", "mrc.bth.reserved", FT_UINT8, BASE_HEX, nullptr, 0, nullptr, HFILL}},
        {&hf_dqp,
         {"Destination QP",
          "mrc.bth.dqp",
          FT_UINT24,
          BASE_HEX,
          nullptr,
          0,
          "2 = endpoint operations",
          HFILL}},
        {&hf_a, {"Ack request (A)", "mrc.bth.a", FT_BOOLEAN, 8, nullptr, 0x80, nullptr, HFILL}},
        {&hf_rtx,
         {"Retransmission (rtx)", "mrc.bth.rtx", FT_BOOLEAN, 8, nullptr, 0x20, nullptr, HFILL}},
        {&hf_ts,
         {"Time stamp present (ts)", "mrc.bth.ts", FT_BOOLEAN, 8, nullptr, 0x10, nullptr, HFILL}},
        {&hf_flags_reserved,
         {"Reserved", "mrc.bth.flags_reserved", FT_UINT8, BASE_HEX, nullptr, 0x4f, nullptr, HFILL}},
        {&hf_psn,
         {"Packet sequence number",
          "mrc.bth.psn",
          FT_UINT24,
          BASE_DEC,
          nullptr,
          0,
          nullptr,
          HFILL}},
        {&hf_request_id,
         {"Request id",
          "mrc.bth.request_id",
          FT_UINT16,
          BASE_DEC,
          nullptr,
          0,
          "Of an endpoint operation",
          HFILL}},
        {&hf_ev,
         {"Entropy value",
          "mrc.ev",
          FT_UINT32,
          BASE_HEX,
          nullptr,
          0,
          "Of this packet: UDP source port and flow label",
          HFILL}},
        {&hf_ev_plane, {"Plane", "mrc.ev.plane", FT_UINT32, BASE_DEC, nullptr, 0, nullptr, HFILL}},
        {&hf_ev_uplink,
         {"T0 uplink", "mrc.ev.uplink", FT_UINT32, BASE_DEC, nullptr, 0, nullptr, HFILL}},
        {&hf_ev_uplink2,
         {"T1 uplink", "mrc.ev.uplink2", FT_UINT32, BASE_DEC, nullptr, 0, nullptr, HFILL}},
        {&hf_reflected_ev,
         {"Entropy value of the packet this is about",
          "mrc.reflected_ev",
          FT_UINT32,
          BASE_HEX,
          nullptr,
          0,
          nullptr,
          HFILL}},
        {&hf_reflected_plane,
         {"Plane", "mrc.reflected_ev.plane", FT_UINT32, BASE_DEC, nullptr, 0, nullptr, HFILL}},
        {&hf_reflected_uplink,
         {"T0 uplink", "mrc.reflected_ev.uplink", FT_UINT32, BASE_DEC, nullptr, 0, nullptr, HFILL}},
        {&hf_reflected_uplink2,
         {"T1 uplink",
          "mrc.reflected_ev.uplink2",
          FT_UINT32,
          BASE_DEC,
          nullptr,
          0,
          nullptr,
          HFILL}},
        {&hf_dscp,
         {"DSCP",
          "mrc.dscp",
          FT_UINT8,
          BASE_DEC,
          nullptr,
          0,
          "Of the carrier's header, or of the inner one if there is none",
          HFILL}},
        {&hf_ecn,
         {"ECN",
          "mrc.ecn",
          FT_UINT8,
          BASE_DEC,
          VALS(ECNS),
          0,
          "Of the carrier's header, or of the inner one if there is none",
          HFILL}},
        {&hf_ce,
         {"Congestion experienced", "mrc.ce", FT_BOOLEAN, BASE_NONE, nullptr, 0, nullptr, HFILL}},
        {&hf_trimmed,
         {"Trimmed",
          "mrc.trimmed",
          FT_BOOLEAN,
          BASE_NONE,
          nullptr,
          0,
          "A switch cut the payload",
          HFILL}},
        {&hf_trim_kind,
         {"Lengths",
          "mrc.trim.kind",
          FT_UINT8,
          BASE_DEC,
          VALS(TRIM_KINDS),
          0,
          "What the switch did to the length fields",
          HFILL}},
        {&hf_trim_hop,
         {"Cut by", "mrc.trim.hop", FT_UINT8, BASE_DEC, VALS(TRIM_HOPS), 0, nullptr, HFILL}},
        {&hf_trim_cut_bytes,
         {"Bytes cut", "mrc.trim.cut_bytes", FT_UINT32, BASE_DEC, nullptr, 0, nullptr, HFILL}},
        {&hf_icrc, {"ICRC", "mrc.icrc", FT_UINT32, BASE_HEX, nullptr, 0, nullptr, HFILL}},
        {&hf_icrc_status,
         {"ICRC status",
          "mrc.icrc.status",
          FT_UINT8,
          BASE_NONE,
          VALS(proto_checksum_vals),
          0,
          nullptr,
          HFILL}},
        {&hf_icrc_calculated,
         {"ICRC that would be right",
          "mrc.icrc.calculated",
          FT_UINT32,
          BASE_HEX,
          nullptr,
          0,
          nullptr,
          HFILL}},
    };
    static ei_register_info ei[] = {
        {&ei_trimmed, {"mrc.trimmed.expert", PI_SEQUENCE, PI_NOTE, "Trimmed by a switch", EXPFILL}},
        {&ei_rtx, {"mrc.bth.rtx.expert", PI_SEQUENCE, PI_NOTE, "Retransmission", EXPFILL}},
        {&ei_ce, {"mrc.ce.expert", PI_SEQUENCE, PI_CHAT, "Marked CE by a switch", EXPFILL}},
        {&ei_icrc_bad, {"mrc.icrc.bad", PI_CHECKSUM, PI_ERROR, "Bad ICRC", EXPFILL}},
        {&ei_length_bad, {"mrc.length.bad", PI_PROTOCOL, PI_ERROR, "Impossible length", EXPFILL}},
        {&ei_length_lost,
         {"mrc.length.lost",
          PI_PROTOCOL,
          PI_NOTE,
          "Shorter than its headers say: cut by a capture tool that lost the frame's length, or by "
          "a switch whose DSCP is not in the preferences",
          EXPFILL}},
        {&ei_tver_bad,
         {"mrc.bth.tver.bad", PI_PROTOCOL, PI_WARN, "Transport version is not 0", EXPFILL}},
        {&ei_dqp_bad,
         {"mrc.bth.dqp.bad",
          PI_PROTOCOL,
          PI_WARN,
          "Reserved QP, or an endpoint operation to "
          "another QP than 2",
          EXPFILL}},
    };
    static int* ett[] = {&ett_mrc, &ett_bth, &ett_bth_flags, &ett_ev, &ett_trim};
    proto_register_field_array(proto_mrc, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto_mrc), ei, array_length(ei));
}

} // namespace

const char*
mrc_opcode_name(uint8_t opcode)
{
    return val_to_str_const(opcode, OPCODES, "unknown opcode");
}

void
mrc_show_ev(proto_tree* tree, tvbuff_t* tvb, uint32_t ev, bool reflected)
{
    proto_item* const item =
        mrc_add_generated(tree, reflected ? hf_reflected_ev : hf_ev, tvb, 0, 0, ev);
    mrc_line line;
    proto_item_append_text(item, " (%s)", line.ev(ev).c_str());
    proto_tree* const parts = proto_item_add_subtree(item, ett_ev);
    mrc_add_generated(
        parts, reflected ? hf_reflected_plane : hf_ev_plane, tvb, 0, 0, mrc_ev_plane(ev));
    mrc_add_generated(
        parts, reflected ? hf_reflected_uplink : hf_ev_uplink, tvb, 0, 0, mrc_ev_uplink(ev));
    if (mrc_prefs.ev_uplink2_mask != 0)
    {
        mrc_add_generated(
            parts, reflected ? hf_reflected_uplink2 : hf_ev_uplink2, tvb, 0, 0, mrc_ev_uplink2(ev));
    }
}

void
proto_register_mrc()
{
    proto_mrc = proto_register_protocol("Multipath Reliable Connection", "MRC", "mrc");
    register_fields();
    mrc_register_requests(proto_mrc);
    mrc_register_sack(proto_mrc);
    mrc_register_control(proto_mrc);
    register_preferences();
    mrc_tap = register_tap("mrc");
    register_init_routine(find_expert_tap);
    mrc_register_usid();
    mrc_register_ports(proto_mrc, register_dissector("mrc", dissect_mrc, proto_mrc));
    mrc_register_links(proto_mrc);
    mrc_register_stats(proto_mrc);
    mrc_register_follow(proto_mrc);
}

void
proto_reg_handoff_mrc()
{
    mrc_handoff_ports();
    mrc_handoff_usid();
}
