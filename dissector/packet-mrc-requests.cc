// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Headers and payload of WRITEs: METH, TSETH, RETH, ImmDt.
#include "packet-mrc-parts.h"

namespace
{

int ett_meth = -1;
int ett_tseth = -1;
int ett_reth = -1;

int hf_rqmsn = -1;
int hf_msn = -1;
int hf_timestamp = -1;
int hf_tsr = -1;
int hf_ts_reserved = -1;
int hf_ftype = -1;
int hf_time_ns = -1;
int hf_va = -1;
int hf_rkey = -1;
int hf_dmalen = -1;
int hf_immdt = -1;
int hf_payload = -1;
int hf_payload_len = -1;
int hf_pad = -1;
int hf_rest = -1;

//= MRC-REF 2 Request headers
const mrc_field METH[] = {{&hf_rqmsn, 0, 2}, {&hf_msn, 2, 2}};
const mrc_field TSETH[] = {
    {&hf_timestamp, 0, 2}, {&hf_tsr, 2, 2}, {&hf_ts_reserved, 2, 2}, {&hf_ftype, 2, 2}};
const mrc_field RETH[] = {{&hf_va, 0, 8}, {&hf_rkey, 8, 4}, {&hf_dmalen, 12, 4}};

/// @return bytes of a header at an offset that are there, at most its size
int
available(tvbuff_t* tvb, int offset, int size)
{
    const int left = tvb_captured_length_remaining(tvb, offset);
    return left < 0 ? 0 : left < size ? left : size;
}

void
show_payload(tvbuff_t* tvb, proto_tree* tree, const mrc_packet& packet)
{
    const int offset = packet.payload_offset;
    if (offset < 0)
    {
        return;
    }
    if (packet.payload_captured > 0)
    {
        proto_item* const item =
            proto_tree_add_item(tree, hf_payload, tvb, offset, packet.payload_captured, ENC_NA);
        if (packet.payload_captured < packet.payload_bytes)
        {
            proto_item_append_text(
                item, " (%u of %u bytes captured)", packet.payload_captured, packet.payload_bytes);
        }
    }
    mrc_add_generated(tree, hf_payload_len, tvb, offset, 0, packet.payload_bytes);
    if (packet.trim_kind == MRC_NOT_TRIMMED && packet.bth.padCount > 0)
    {
        const int pad = offset + static_cast<int>(packet.payload_bytes);
        if (available(tvb, pad, packet.bth.padCount) == packet.bth.padCount)
        {
            proto_tree_add_item(tree, hf_pad, tvb, pad, packet.bth.padCount, ENC_NA);
        }
    }
}

} // namespace

int
mrc_show_requests(tvbuff_t* tvb, packet_info*, proto_tree* tree, const mrc_packet& packet)
{
    int offset = mrc::BTH_BYTES;
    proto_tree* part;
    if (packet.headers & MRC_HAS_METH)
    {
        part = proto_tree_add_subtree_format(tree,
                                             tvb,
                                             offset,
                                             mrc::METH_BYTES,
                                             ett_meth,
                                             nullptr,
                                             "METH, message %u",
                                             packet.meth.msn);
        mrc_add_fields(part, tvb, offset, mrc::METH_BYTES, METH);
        offset += mrc::METH_BYTES;
    }
    if (packet.headers & MRC_HAS_TSETH)
    {
        part = proto_tree_add_subtree_format(tree,
                                             tvb,
                                             offset,
                                             mrc::TSETH_BYTES,
                                             ett_tseth,
                                             nullptr,
                                             "TSETH, time stamp %u",
                                             packet.tseth.txTimestamp);
        mrc_add_fields(part, tvb, offset, mrc::TSETH_BYTES, TSETH);
        if (packet.tseth.tsr == 0)
        {
            mrc_add_generated(part,
                              hf_time_ns,
                              tvb,
                              offset,
                              2,
                              packet.tseth.txTimestamp * mrc::TIMESTAMP_UNIT_NS);
        }
        offset += mrc::TSETH_BYTES;
    }
    if (packet.headers & MRC_HAS_RETH)
    {
        part = proto_tree_add_subtree_format(tree,
                                             tvb,
                                             offset,
                                             mrc::RETH_BYTES,
                                             ett_reth,
                                             nullptr,
                                             "RETH, %u bytes in the message",
                                             packet.reth.dmaBytes);
        mrc_add_fields(part, tvb, offset, mrc::RETH_BYTES, RETH);
        offset += mrc::RETH_BYTES;
    }
    if (packet.headers & MRC_HAS_IMMDT)
    {
        proto_tree_add_item(tree, hf_immdt, tvb, offset, mrc::IMMDT_BYTES, ENC_BIG_ENDIAN);
        offset += mrc::IMMDT_BYTES;
    }
    if (packet.payload_offset < 0 && tvb_captured_length_remaining(tvb, offset) > 0)
    {
        proto_tree_add_item(tree, hf_rest, tvb, offset, -1, ENC_NA);
    }
    show_payload(tvb, tree, packet);
    return offset;
}

void
mrc_register_requests(int proto)
{
    static hf_register_info hf[] = {
        {&hf_rqmsn,
         {"Receive queue message number",
          "mrc.meth.rqmsn",
          FT_UINT16,
          BASE_DEC,
          nullptr,
          0,
          "Counts WRITEs with immediate; 0 in other messages",
          HFILL}},
        {&hf_msn,
         {"Message number",
          "mrc.meth.msn",
          FT_UINT16,
          BASE_DEC,
          nullptr,
          0,
          "The same in all packets of a message",
          HFILL}},
        {&hf_timestamp,
         {"Transmission time stamp",
          "mrc.tseth.timestamp",
          FT_UINT16,
          BASE_DEC,
          nullptr,
          0,
          "Units of 128 ns",
          HFILL}},
        {&hf_tsr,
         {"Resolution",
          "mrc.tseth.tsr",
          FT_UINT16,
          BASE_DEC,
          nullptr,
          0x8000,
          "0 = units of 128 ns",
          HFILL}},
        {&hf_ts_reserved,
         {"Reserved", "mrc.tseth.reserved", FT_UINT16, BASE_HEX, nullptr, 0x7ff0, nullptr, HFILL}},
        {&hf_ftype,
         {"Format type", "mrc.tseth.ftype", FT_UINT16, BASE_DEC, nullptr, 0x000f, nullptr, HFILL}},
        {&hf_time_ns,
         {"Time in ns",
          "mrc.tseth.time_ns",
          FT_UINT32,
          BASE_DEC,
          nullptr,
          0,
          "Time stamp x 128, wraps after 8.4 ms",
          HFILL}},
        {&hf_va,
         {"Virtual address",
          "mrc.reth.va",
          FT_UINT64,
          BASE_HEX,
          nullptr,
          0,
          "Where the payload of this packet goes",
          HFILL}},
        {&hf_rkey,
         {"R_Key",
          "mrc.reth.rkey",
          FT_UINT32,
          BASE_HEX,
          nullptr,
          0,
          "Key of the memory region",
          HFILL}},
        {&hf_dmalen,
         {"DMA length",
          "mrc.reth.dmalen",
          FT_UINT32,
          BASE_DEC,
          nullptr,
          0,
          "Bytes of the whole message",
          HFILL}},
        {&hf_immdt,
         {"Immediate data", "mrc.immdt", FT_UINT32, BASE_HEX, nullptr, 0, nullptr, HFILL}},
        {&hf_payload,
         {"Payload", "mrc.payload", FT_BYTES, BASE_NONE, nullptr, 0, "RDMA payload", HFILL}},
        {&hf_payload_len,
         {"Payload length",
          "mrc.payload.len",
          FT_UINT32,
          BASE_DEC,
          nullptr,
          0,
          "Bytes of payload on the wire, without pad",
          HFILL}},
        {&hf_pad, {"Pad", "mrc.pad", FT_BYTES, BASE_NONE, nullptr, 0, nullptr, HFILL}},
        {&hf_rest,
         {"Rest of a header that was cut",
          "mrc.rest",
          FT_BYTES,
          BASE_NONE,
          nullptr,
          0,
          nullptr,
          HFILL}},
    };
    static int* ett[] = {&ett_meth, &ett_tseth, &ett_reth};
    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
}
