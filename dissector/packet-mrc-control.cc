// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// NACK, reliability probe, endpoint operations and transport ACK.
#include "packet-mrc-parts.h"

namespace
{

int ett_header = -1;

int hf_nack_type = -1;
int hf_nack_nxt = -1;
int hf_nack_res = -1;
int hf_nack_reason = -1;
int hf_nack_vendor_info = -1;
int hf_nack_ev = -1;
int hf_nack_spdcid = -1;
int hf_nack_dpdcid = -1;
int hf_nack_reserved = -1;
int hf_nack_psn = -1;
int hf_nack_cc_type = -1;
int hf_nack_cc_fl = -1;
int hf_nack_reserved2 = -1;
int hf_nack_timestamp = -1;
int hf_nack_time_ns = -1;

int hf_peth_type = -1;
int hf_peth_nxt = -1;
int hf_peth_res = -1;
int hf_peth_reserved = -1;
int hf_peth_vendor_info = -1;
int hf_peth_probe_id = -1;
int hf_peth_reserved2 = -1;
int hf_peth_spdcid = -1;
int hf_peth_dpdcid = -1;
int hf_peth_timestamp = -1;
int hf_peth_tsr = -1;
int hf_peth_ts_reserved = -1;
int hf_peth_ftype = -1;
int hf_peth_time_ns = -1;

int hf_erth_type = -1;
int hf_erth_nxt = -1;
int hf_erth_res = -1;
int hf_erth_op = -1;
int hf_erth_reserved = -1;
int hf_erth_vendor_info = -1;
int hf_erth_port_status_mask = -1;
int hf_erth_ports_up = -1;
int hf_erth_reserved2 = -1;
int hf_erth_timestamp = -1;
int hf_erth_tsr = -1;
int hf_erth_ts_reserved = -1;
int hf_erth_ftype = -1;
int hf_erth_time_ns = -1;

int hf_eeth_op = -1;
int hf_eeth_reserved = -1;
int hf_eeth_timestamp = -1;
int hf_eeth_time_ns = -1;

int hf_aeth_syndrome = -1;
int hf_aeth_msn = -1;

expert_field ei_nack = EI_INIT;
expert_field ei_nack_fatal = EI_INIT;
expert_field ei_nack_unknown = EI_INIT;
expert_field ei_nak = EI_INIT;
expert_field ei_probe = EI_INIT;
expert_field ei_op_unknown = EI_INIT;
expert_field ei_port_down = EI_INIT;

//= MRC-REF 2 NACK
const mrc_field NETH[] = {
    {&hf_nack_type, 0, 2},
    {&hf_nack_nxt, 0, 2},
    {&hf_nack_res, 0, 2},
    {&hf_nack_reason, 2, 1},
    {&hf_nack_vendor_info, 3, 1},
    {&hf_nack_ev, 4, 4},
    {&hf_nack_spdcid, 8, 2},
    {&hf_nack_dpdcid, 10, 2},
    {&hf_nack_reserved, 12, 1},
    {&hf_nack_psn, 13, 3},
    {&hf_nack_cc_type, 16, 1},
    {&hf_nack_cc_fl, 16, 1},
    {&hf_nack_reserved2, 17, 1},
    {&hf_nack_timestamp, 18, 2},
};
//= MRC-REF 2 PETH, ERTH, EETH
const mrc_field PETH[] = {
    {&hf_peth_type, 0, 2},
    {&hf_peth_nxt, 0, 2},
    {&hf_peth_res, 0, 2},
    {&hf_peth_reserved, 2, 1},
    {&hf_peth_vendor_info, 3, 1},
    {&hf_peth_probe_id, 4, 2},
    {&hf_peth_reserved2, 6, 2},
    {&hf_peth_spdcid, 8, 2},
    {&hf_peth_dpdcid, 10, 2},
    {&hf_peth_timestamp, 12, 2},
    {&hf_peth_tsr, 14, 2},
    {&hf_peth_ts_reserved, 14, 2},
    {&hf_peth_ftype, 14, 2},
};
const mrc_field ERTH[] = {
    {&hf_erth_type, 0, 2},
    {&hf_erth_nxt, 0, 2},
    {&hf_erth_res, 0, 2},
    {&hf_erth_op, 0, 2},
    {&hf_erth_reserved, 2, 1},
    {&hf_erth_vendor_info, 3, 1},
    {&hf_erth_port_status_mask, 4, 4},
    {&hf_erth_reserved2, 8, 4},
    {&hf_erth_timestamp, 12, 2},
    {&hf_erth_tsr, 14, 2},
    {&hf_erth_ts_reserved, 14, 2},
    {&hf_erth_ftype, 14, 2},
};
const mrc_field EETH[] = {
    {&hf_eeth_op, 1, 1},
    {&hf_eeth_reserved, 2, 26},
    {&hf_eeth_timestamp, 28, 2},
    {&hf_eeth_reserved, 30, 6},
};
const mrc_field AETH[] = {{&hf_aeth_syndrome, 0, 1}, {&hf_aeth_msn, 1, 3}};

const value_string REASONS[] = {
    {static_cast<uint32_t>(mrc::NackCode::TRIMMED), "TRIMMED"},
    {static_cast<uint32_t>(mrc::NackCode::TRIMMED_LASTHOP), "TRIMMED_LASTHOP"},
    {static_cast<uint32_t>(mrc::NackCode::NO_BITMAP), "NO_BITMAP"},
    {static_cast<uint32_t>(mrc::NackCode::NO_PKT_BUFFER), "NO_PKT_BUFFER"},
    {static_cast<uint32_t>(mrc::NackCode::NO_RESOURCE), "NO_RESOURCE"},
    {static_cast<uint32_t>(mrc::NackCode::PSN_OOR_WINDOW), "PSN_OOR_WINDOW"},
    {static_cast<uint32_t>(mrc::NackCode::UNEXP_EVENT), "UNEXP_EVENT"},
    {0, nullptr},
};
const value_string OPERATIONS[] = {
    {static_cast<uint32_t>(mrc::EndpointOp::PORT_STATUS_UPDATE), "PORT_STATUS_UPDATE"},
    {static_cast<uint32_t>(mrc::EndpointOp::EV_PROBE), "EV_PROBE"},
    {0, nullptr},
};
const value_string SYNDROMES[] = {
    {mrc::AETH_ACK, "ACK"},
    {mrc::AETH_NAK_INVALID_REQUEST, "NAK invalid request"},
    {mrc::AETH_NAK_REMOTE_ACCESS, "NAK remote access error"},
    {mrc::AETH_NAK_REMOTE_OPERATION, "NAK remote operational error"},
    {0, nullptr},
};

/// A header's subtree and what of it was captured.
struct part
{
    proto_tree* tree;
    int available;
};

part
begin(tvbuff_t* tvb, proto_tree* tree, int size, const char* name)
{
    const int left = tvb_captured_length_remaining(tvb, mrc::BTH_BYTES);
    const int available = left < 0 ? 0 : left < size ? left : size;
    return {proto_tree_add_subtree(tree, tvb, mrc::BTH_BYTES, available, ett_header, nullptr, name),
            available};
}

/// Add nanoseconds beside a time stamp that was captured.
void
add_time(const part& part, tvbuff_t* tvb, int hf, int offset, uint16_t timestamp)
{
    if (part.available >= offset + 2)
    {
        mrc_add_generated(
            part.tree, hf, tvb, mrc::BTH_BYTES + offset, 2, timestamp * mrc::TIMESTAMP_UNIT_NS);
    }
}

void
show_nack(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const mrc_packet& packet)
{
    const part nack = begin(tvb, tree, mrc::NETH_BYTES, "NETH");
    mrc_add_fields(nack.tree, tvb, mrc::BTH_BYTES, nack.available, NETH);
    if (!(packet.headers & MRC_HAS_NACK))
    {
        return;
    }
    add_time(nack, tvb, hf_nack_time_ns, 18, packet.nack.txTimestamp);
    const mrc::NackCode reason = packet.nack.reason;
    const char* const name = try_val_to_str(static_cast<uint32_t>(reason), REASONS);
    expert_field* const about = name == nullptr                        ? &ei_nack_unknown
                                : reason == mrc::NackCode::UNEXP_EVENT ? &ei_nack_fatal
                                                                       : &ei_nack;
    if (name == nullptr)
    {
        expert_add_info(pinfo, proto_tree_get_parent(nack.tree), about);
    }
    else
    {
        // Without the PSN, so that the table of expert infos counts them by reason.
        expert_add_info_format(pinfo, proto_tree_get_parent(nack.tree), about, "NACK %s", name);
    }
}

void
show_probe(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const mrc_packet& packet)
{
    const part probe = begin(tvb, tree, mrc::PETH_BYTES, "PETH");
    mrc_add_fields(probe.tree, tvb, mrc::BTH_BYTES, probe.available, PETH);
    if (!(packet.headers & MRC_HAS_PETH))
    {
        return;
    }
    if (packet.peth.tsr == 0)
    {
        add_time(probe, tvb, hf_peth_time_ns, 12, packet.peth.txTimestamp);
    }
    expert_add_info_format(
        pinfo, proto_tree_get_parent(probe.tree), &ei_probe, "Reliability probe");
}

void
check_op(packet_info* pinfo, proto_tree* tree, mrc::EndpointOp op, const char* what)
{
    const char* const name = try_val_to_str(static_cast<uint32_t>(op), OPERATIONS);
    proto_item* const item = proto_tree_get_parent(tree);
    if (name == nullptr)
    {
        expert_add_info(pinfo, item, &ei_op_unknown);
    }
    else
    {
        expert_add_info_format(pinfo, item, &ei_probe, "%s %s", name, what);
    }
}

void
show_request(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const mrc_packet& packet)
{
    const part request = begin(tvb, tree, mrc::ERTH_BYTES, "ERTH");
    mrc_add_fields(request.tree, tvb, mrc::BTH_BYTES, request.available, ERTH);
    if (!(packet.headers & MRC_HAS_ERTH))
    {
        return;
    }
    const mrc::Erth& erth = packet.erth;
    if (erth.tsr == 0)
    {
        add_time(request, tvb, hf_erth_time_ns, 12, erth.txTimestamp);
    }
    check_op(pinfo, request.tree, erth.op, "request");
    if (erth.op != mrc::EndpointOp::PORT_STATUS_UPDATE)
    {
        return;
    }
    mrc_line ports;
    ports.psns(1, erth.portStatusMask, 32, true, 32);
    proto_item* const item = mrc_add_generated(
        request.tree, hf_erth_ports_up, tvb, mrc::BTH_BYTES + 4, 4, ports.c_str());
    // How many ports there are is not known; a zero below a one is certainly down.
    if (erth.portStatusMask == 0 || (erth.portStatusMask & (erth.portStatusMask + 1)) != 0)
    {
        expert_add_info(pinfo, item, &ei_port_down);
    }
}

void
show_response(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const mrc_packet& packet)
{
    const part response = begin(tvb, tree, mrc::EETH_BYTES, "EETH");
    mrc_add_fields(response.tree, tvb, mrc::BTH_BYTES, response.available, EETH);
    if (packet.headers & MRC_HAS_EETH)
    {
        add_time(response, tvb, hf_eeth_time_ns, 28, packet.eeth.txTimestamp);
        check_op(pinfo, response.tree, packet.eeth.op, "response");
    }
}

void
show_ack(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const mrc_packet& packet)
{
    const part ack = begin(tvb, tree, mrc::AETH_BYTES, "AETH");
    mrc_add_fields(ack.tree, tvb, mrc::BTH_BYTES, ack.available, AETH);
    if ((packet.headers & MRC_HAS_AETH) && packet.aeth.syndrome != mrc::AETH_ACK)
    {
        expert_add_info_format(pinfo,
                               proto_tree_get_parent(ack.tree),
                               &ei_nak,
                               "%s (0x%02x)",
                               val_to_str_const(packet.aeth.syndrome, SYNDROMES, "NAK"),
                               packet.aeth.syndrome);
    }
}

} // namespace

const char*
mrc_nack_name(uint8_t reason)
{
    return val_to_str_const(reason, REASONS, "unknown reason");
}

void
mrc_show_control(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const mrc_packet& packet)
{
    switch (packet.bth.opcode)
    {
    case mrc::Opcode::NACK:
        show_nack(tvb, pinfo, tree, packet);
        break;
    case mrc::Opcode::RELIABILITY_PROBE:
        show_probe(tvb, pinfo, tree, packet);
        break;
    case mrc::Opcode::ENDPOINT_REQUEST:
        show_request(tvb, pinfo, tree, packet);
        break;
    case mrc::Opcode::ENDPOINT_RESPONSE:
        show_response(tvb, pinfo, tree, packet);
        break;
    default:
        show_ack(tvb, pinfo, tree, packet);
    }
}

void
mrc_register_control(int proto)
{
    static hf_register_info hf[] = {
        {&hf_nack_type,
         {"Type", "mrc.nack.type", FT_UINT16, BASE_DEC, nullptr, 0xf000, nullptr, HFILL}},
        {&hf_nack_nxt,
         {"Next header", "mrc.nack.nxt", FT_UINT16, BASE_DEC, nullptr, 0x0f80, nullptr, HFILL}},
        {&hf_nack_res,
         {"Reserved", "mrc.nack.res", FT_UINT16, BASE_HEX, nullptr, 0x007f, nullptr, HFILL}},
        {&hf_nack_reason,
         {"Reason",
          "mrc.nack.reason",
          FT_UINT8,
          BASE_HEX,
          VALS(REASONS),
          0,
          "Why the packet was refused",
          HFILL}},
        {&hf_nack_vendor_info,
         {"Vendor info", "mrc.nack.vendor_info", FT_UINT8, BASE_HEX, nullptr, 0, nullptr, HFILL}},
        {&hf_nack_ev,
         {"Entropy (reflected)",
          "mrc.nack.ev",
          FT_UINT32,
          BASE_HEX,
          nullptr,
          0,
          "EV of the refused packet",
          HFILL}},
        {&hf_nack_spdcid,
         {"Source PDC id",
          "mrc.nack.spdcid",
          FT_UINT16,
          BASE_HEX,
          nullptr,
          0,
          "Low 16 bits of the source QP number",
          HFILL}},
        {&hf_nack_dpdcid,
         {"Destination PDC id",
          "mrc.nack.dpdcid",
          FT_UINT16,
          BASE_HEX,
          nullptr,
          0,
          "Low 16 bits of the destination QP number",
          HFILL}},
        {&hf_nack_reserved,
         {"Reserved", "mrc.nack.reserved", FT_UINT8, BASE_HEX, nullptr, 0, nullptr, HFILL}},
        {&hf_nack_psn,
         {"nack_psn",
          "mrc.nack.nack_psn",
          FT_UINT24,
          BASE_DEC,
          nullptr,
          0,
          "PSN of the refused packet",
          HFILL}},
        {&hf_nack_cc_type,
         {"CC type", "mrc.nack.cc_type", FT_UINT8, BASE_DEC, nullptr, 0xf0, nullptr, HFILL}},
        {&hf_nack_cc_fl,
         {"CC flags", "mrc.nack.cc_fl", FT_UINT8, BASE_HEX, nullptr, 0x0f, nullptr, HFILL}},
        {&hf_nack_reserved2,
         {"Reserved", "mrc.nack.reserved2", FT_UINT8, BASE_HEX, nullptr, 0, nullptr, HFILL}},
        {&hf_nack_timestamp,
         {"Time stamp (reflected)",
          "mrc.nack.timestamp",
          FT_UINT16,
          BASE_DEC,
          nullptr,
          0,
          "Of the refused packet, units of 128 ns",
          HFILL}},
        {&hf_nack_time_ns,
         {"Time in ns",
          "mrc.nack.time_ns",
          FT_UINT32,
          BASE_DEC,
          nullptr,
          0,
          "Time stamp x 128",
          HFILL}},
        {&hf_peth_type,
         {"Type", "mrc.peth.type", FT_UINT16, BASE_DEC, nullptr, 0xf000, nullptr, HFILL}},
        {&hf_peth_nxt,
         {"Next header", "mrc.peth.nxt", FT_UINT16, BASE_DEC, nullptr, 0x0f80, nullptr, HFILL}},
        {&hf_peth_res,
         {"Reserved", "mrc.peth.res", FT_UINT16, BASE_HEX, nullptr, 0x007f, nullptr, HFILL}},
        {&hf_peth_reserved,
         {"Reserved", "mrc.peth.reserved", FT_UINT8, BASE_HEX, nullptr, 0, nullptr, HFILL}},
        {&hf_peth_vendor_info,
         {"Vendor info", "mrc.peth.vendor_info", FT_UINT8, BASE_HEX, nullptr, 0, nullptr, HFILL}},
        {&hf_peth_probe_id,
         {"Probe id",
          "mrc.peth.probe_id",
          FT_UINT16,
          BASE_DEC,
          nullptr,
          0,
          "Comes back in the SACK that answers",
          HFILL}},
        {&hf_peth_reserved2,
         {"Reserved", "mrc.peth.reserved2", FT_UINT16, BASE_HEX, nullptr, 0, nullptr, HFILL}},
        {&hf_peth_spdcid,
         {"Source PDC id",
          "mrc.peth.spdcid",
          FT_UINT16,
          BASE_HEX,
          nullptr,
          0,
          "Low 16 bits of the source QP number",
          HFILL}},
        {&hf_peth_dpdcid,
         {"Destination PDC id",
          "mrc.peth.dpdcid",
          FT_UINT16,
          BASE_HEX,
          nullptr,
          0,
          "Low 16 bits of the destination QP number",
          HFILL}},
        {&hf_peth_timestamp,
         {"Transmission time stamp",
          "mrc.peth.timestamp",
          FT_UINT16,
          BASE_DEC,
          nullptr,
          0,
          "Units of 128 ns",
          HFILL}},
        {&hf_peth_tsr,
         {"Resolution",
          "mrc.peth.tsr",
          FT_UINT16,
          BASE_DEC,
          nullptr,
          0x8000,
          "0 = units of 128 ns",
          HFILL}},
        {&hf_peth_ts_reserved,
         {"Reserved",
          "mrc.peth.ts_reserved",
          FT_UINT16,
          BASE_HEX,
          nullptr,
          0x7ff0,
          nullptr,
          HFILL}},
        {&hf_peth_ftype,
         {"Format type", "mrc.peth.ftype", FT_UINT16, BASE_DEC, nullptr, 0x000f, nullptr, HFILL}},
        {&hf_peth_time_ns,
         {"Time in ns",
          "mrc.peth.time_ns",
          FT_UINT32,
          BASE_DEC,
          nullptr,
          0,
          "Time stamp x 128",
          HFILL}},
        {&hf_erth_type,
         {"Type", "mrc.erth.type", FT_UINT16, BASE_DEC, nullptr, 0xf000, nullptr, HFILL}},
        {&hf_erth_nxt,
         {"Next header", "mrc.erth.nxt", FT_UINT16, BASE_DEC, nullptr, 0x0f80, nullptr, HFILL}},
        {&hf_erth_res,
         {"Reserved", "mrc.erth.res", FT_UINT16, BASE_HEX, nullptr, 0x007c, nullptr, HFILL}},
        {&hf_erth_op,
         {"Operation",
          "mrc.erth.op",
          FT_UINT16,
          BASE_DEC,
          VALS(OPERATIONS),
          0x0003,
          nullptr,
          HFILL}},
        {&hf_erth_reserved,
         {"Reserved", "mrc.erth.reserved", FT_UINT8, BASE_HEX, nullptr, 0, nullptr, HFILL}},
        {&hf_erth_vendor_info,
         {"Vendor info", "mrc.erth.vendor_info", FT_UINT8, BASE_HEX, nullptr, 0, nullptr, HFILL}},
        {&hf_erth_port_status_mask,
         {"Port status mask",
          "mrc.erth.port_status_mask",
          FT_UINT32,
          BASE_HEX,
          nullptr,
          0,
          "Bit 0 = port 1; set = reachable",
          HFILL}},
        {&hf_erth_ports_up,
         {"Ports up", "mrc.erth.ports_up", FT_STRING, BASE_NONE, nullptr, 0, nullptr, HFILL}},
        {&hf_erth_reserved2,
         {"Reserved", "mrc.erth.reserved2", FT_UINT32, BASE_HEX, nullptr, 0, nullptr, HFILL}},
        {&hf_erth_timestamp,
         {"Transmission time stamp",
          "mrc.erth.timestamp",
          FT_UINT16,
          BASE_DEC,
          nullptr,
          0,
          "Units of 128 ns",
          HFILL}},
        {&hf_erth_tsr,
         {"Resolution",
          "mrc.erth.tsr",
          FT_UINT16,
          BASE_DEC,
          nullptr,
          0x8000,
          "0 = units of 128 ns",
          HFILL}},
        {&hf_erth_ts_reserved,
         {"Reserved",
          "mrc.erth.ts_reserved",
          FT_UINT16,
          BASE_HEX,
          nullptr,
          0x7ff0,
          nullptr,
          HFILL}},
        {&hf_erth_ftype,
         {"Format type", "mrc.erth.ftype", FT_UINT16, BASE_DEC, nullptr, 0x000f, nullptr, HFILL}},
        {&hf_erth_time_ns,
         {"Time in ns",
          "mrc.erth.time_ns",
          FT_UINT32,
          BASE_DEC,
          nullptr,
          0,
          "Time stamp x 128",
          HFILL}},
        {&hf_eeth_op,
         {"Operation", "mrc.eeth.op", FT_UINT8, BASE_DEC, VALS(OPERATIONS), 0x0c, nullptr, HFILL}},
        {&hf_eeth_reserved,
         {"Reserved", "mrc.eeth.reserved", FT_BYTES, BASE_NONE, nullptr, 0, nullptr, HFILL}},
        {&hf_eeth_timestamp,
         {"Time stamp (reflected)",
          "mrc.eeth.timestamp",
          FT_UINT16,
          BASE_DEC,
          nullptr,
          0,
          "Of the request, without the time spent on the answer",
          HFILL}},
        {&hf_eeth_time_ns,
         {"Time in ns",
          "mrc.eeth.time_ns",
          FT_UINT32,
          BASE_DEC,
          nullptr,
          0,
          "Time stamp x 128",
          HFILL}},
        {&hf_aeth_syndrome,
         {"Syndrome", "mrc.aeth.syndrome", FT_UINT8, BASE_HEX, VALS(SYNDROMES), 0, nullptr, HFILL}},
        {&hf_aeth_msn,
         {"Completed messages", "mrc.aeth.msn", FT_UINT24, BASE_DEC, nullptr, 0, nullptr, HFILL}},
    };
    static ei_register_info ei[] = {
        {&ei_nack, {"mrc.nack.expert", PI_SEQUENCE, PI_WARN, "Negative acknowledgement", EXPFILL}},
        {&ei_nack_fatal,
         {"mrc.nack.fatal", PI_SEQUENCE, PI_ERROR, "Fatal negative acknowledgement", EXPFILL}},
        {&ei_nack_unknown,
         {"mrc.nack.reason.unknown", PI_PROTOCOL, PI_WARN, "NACK with an unknown reason", EXPFILL}},
        {&ei_nak, {"mrc.aeth.nak.expert", PI_RESPONSE_CODE, PI_ERROR, "Message refused", EXPFILL}},
        {&ei_probe,
         {"mrc.probe.expert", PI_SEQUENCE, PI_CHAT, "Probe or endpoint operation", EXPFILL}},
        {&ei_op_unknown,
         {"mrc.op.unknown", PI_PROTOCOL, PI_WARN, "Unknown endpoint operation", EXPFILL}},
        {&ei_port_down, {"mrc.port_down.expert", PI_SEQUENCE, PI_WARN, "A port is down", EXPFILL}},
    };
    static int* ett[] = {&ett_header};
    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
}
