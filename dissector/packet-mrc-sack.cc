// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The SACK: SETH and its congestion control state.
#include "packet-mrc-parts.h"

namespace
{

int ett_seth = -1;
int ett_cc_state = -1;

int hf_type = -1;
int hf_nxt = -1;
int hf_m = -1;
int hf_r = -1;
int hf_pr = -1;
int hf_res = -1;
int hf_ack_psn_offset = -1;
int hf_ack_psn = -1;
int hf_probe_id = -1;
int hf_ev = -1;
int hf_spdcid = -1;
int hf_dpdcid = -1;
int hf_reserved = -1;
int hf_cack_psn = -1;
int hf_cc_type = -1;
int hf_cc_fl = -1;
int hf_mpr = -1;
int hf_mpr_psns = -1;
int hf_sack_offset = -1;
int hf_base_psn = -1;
int hf_bitmap = -1;
int hf_received_ranges = -1;
int hf_missing_ranges = -1;
int hf_received_count = -1;
int hf_missing_count = -1;
int hf_timestamp = -1;
int hf_time_ns = -1;
int hf_cc_r = -1;
int hf_ooo_count = -1;
int hf_restore_cwnd = -1;
int hf_rcv_cwnd_pen = -1;
int hf_rcvd_units = -1;
int hf_rcvd_bytes = -1;

constexpr int SETH_BYTES = mrc::SETH_BYTES;
constexpr int CC_STATE_BYTES = mrc::CC_STATE_BYTES;

constexpr int OFFSET_ACK = 2;
constexpr int OFFSET_MPR = 17;
constexpr int OFFSET_SACK_OFFSET = 18;
constexpr int OFFSET_BITMAP = 20;

//= MRC-REF 2 SACK
const mrc_field SETH[] = {
    {&hf_type, 0, 2},
    {&hf_nxt, 0, 2},
    {&hf_m, 0, 2},
    {&hf_r, 0, 2},
    {&hf_pr, 0, 2},
    {&hf_res, 0, 2},
    {&hf_ack_psn_offset, OFFSET_ACK, 2},
    {&hf_ev, 4, 4},
    {&hf_spdcid, 8, 2},
    {&hf_dpdcid, 10, 2},
    {&hf_reserved, 12, 1},
    {&hf_cack_psn, 13, 3},
    {&hf_cc_type, 16, 1},
    {&hf_cc_fl, 16, 1},
    {&hf_mpr, OFFSET_MPR, 1},
    {&hf_sack_offset, OFFSET_SACK_OFFSET, 2},
    {&hf_bitmap, OFFSET_BITMAP, 8},
};
const mrc_field CC_STATE[] = {
    {&hf_timestamp, 0, 2},
    {&hf_cc_r, 2, 2},
    {&hf_ooo_count, 2, 2},
    {&hf_restore_cwnd, 4, 1},
    {&hf_rcv_cwnd_pen, 4, 1},
    {&hf_rcvd_units, 5, 3},
};

const value_string MARKS[] = {
    {static_cast<uint32_t>(mrc::SackMark::NONE), "NONE"},
    {static_cast<uint32_t>(mrc::SackMark::SKIP_ONCE), "SKIP_ONCE"},
    {static_cast<uint32_t>(mrc::SackMark::ALWAYS_SKIP), "ALWAYS_SKIP"},
    {static_cast<uint32_t>(mrc::SackMark::RESERVED), "reserved"},
    {0, nullptr},
};

void
show_bitmap(tvbuff_t* tvb, proto_tree* tree, int offset, const mrc::Sack& sack)
{
    const uint32_t first = (sack.cackPsn + sack.sackOffset) & mrc::PSN_MASK;
    const unsigned seen = sack.bitmap == 0 ? 0 : 64 - __builtin_clzll(sack.bitmap);
    const unsigned received = __builtin_popcountll(sack.bitmap);
    mrc_line got;
    got.psns(first, sack.bitmap, seen, true, 64);
    mrc_add_generated(tree, hf_received_ranges, tvb, offset, 8, got.c_str());
    mrc_add_generated(tree, hf_received_count, tvb, offset, 8, received);
    // What lies above the highest PSN received is not missing yet.
    mrc_line missing;
    missing.psns(first, sack.bitmap, seen, false, 64);
    mrc_add_generated(tree, hf_missing_ranges, tvb, offset, 8, missing.c_str());
    mrc_add_generated(tree, hf_missing_count, tvb, offset, 8, seen - received);
}

} // namespace

void
mrc_show_sack(tvbuff_t* tvb, proto_tree* tree, const mrc_packet& packet)
{
    const int offset = mrc::BTH_BYTES;
    const int left = tvb_captured_length_remaining(tvb, offset);
    if (left <= 0)
    {
        return;
    }
    proto_tree* part = proto_tree_add_subtree(
        tree, tvb, offset, left < SETH_BYTES ? left : SETH_BYTES, ett_seth, nullptr, "SETH");
    mrc_add_fields(part, tvb, offset, left, SETH);
    if (!(packet.headers & MRC_HAS_SACK))
    {
        return;
    }
    const mrc::Sack& sack = packet.sack;
    if (sack.probeResponse)
    {
        mrc_add_generated(part,
                          hf_probe_id,
                          tvb,
                          offset + OFFSET_ACK,
                          2,
                          static_cast<uint16_t>(sack.ackPsnOffset));
    }
    else
    {
        mrc_add_generated(part,
                          hf_ack_psn,
                          tvb,
                          offset + OFFSET_ACK,
                          2,
                          (sack.cackPsn + sack.ackPsnOffset) & mrc::PSN_MASK);
    }
    mrc_add_generated(
        part, hf_mpr_psns, tvb, offset + OFFSET_MPR, 1, sack.mpr * mrc::MPR_UNIT_PSNS);
    mrc_add_generated(part,
                      hf_base_psn,
                      tvb,
                      offset + OFFSET_SACK_OFFSET,
                      2,
                      (sack.cackPsn + sack.sackOffset) & mrc::PSN_MASK);
    show_bitmap(tvb, part, offset + OFFSET_BITMAP, sack);

    const int state = offset + SETH_BYTES;
    part =
        proto_tree_add_subtree(tree, tvb, state, CC_STATE_BYTES, ett_cc_state, nullptr, "CC_STATE");
    mrc_add_fields(part, tvb, state, CC_STATE_BYTES, CC_STATE);
    mrc_add_generated(part, hf_time_ns, tvb, state, 2, sack.txTimestamp * mrc::TIMESTAMP_UNIT_NS);
    // 24 bits x 256 is less than 2^32.
    mrc_add_generated(part,
                      hf_rcvd_bytes,
                      tvb,
                      state + 5,
                      3,
                      sack.receivedUnits256 * mrc::SACK_RECEIVED_UNIT_BYTES);
}

void
mrc_register_sack(int proto)
{
    static hf_register_info hf[] = {
        {&hf_type, {"Type", "mrc.sack.type", FT_UINT16, BASE_DEC, nullptr, 0xf000, nullptr, HFILL}},
        {&hf_nxt,
         {"Next header", "mrc.sack.nxt", FT_UINT16, BASE_DEC, nullptr, 0x0f80, nullptr, HFILL}},
        {&hf_m,
         {"Mark (m)",
          "mrc.sack.m",
          FT_UINT16,
          BASE_DEC,
          VALS(MARKS),
          0x0060,
          "What the responder says about the path of the packet",
          HFILL}},
        {&hf_r,
         {"Reserved (r)", "mrc.sack.r", FT_UINT16, BASE_DEC, nullptr, 0x001c, nullptr, HFILL}},
        {&hf_pr,
         {"Probe response (pr)",
          "mrc.sack.pr",
          FT_BOOLEAN,
          16,
          nullptr,
          0x0002,
          "Answers a reliability probe",
          HFILL}},
        {&hf_res,
         {"Reserved", "mrc.sack.res", FT_UINT16, BASE_DEC, nullptr, 0x0001, nullptr, HFILL}},
        {&hf_ack_psn_offset,
         {"ack_psn offset",
          "mrc.sack.ack_psn_offset",
          FT_INT16,
          BASE_DEC,
          nullptr,
          0,
          "PSN of the packet that triggered this SACK - cack_psn; the probe id of a probe response",
          HFILL}},
        {&hf_ack_psn,
         {"ack_psn",
          "mrc.sack.ack_psn",
          FT_UINT24,
          BASE_DEC,
          nullptr,
          0,
          "PSN of the packet that triggered this SACK",
          HFILL}},
        {&hf_probe_id,
         {"Probe id",
          "mrc.sack.probe_id",
          FT_UINT16,
          BASE_DEC,
          nullptr,
          0,
          "Id of the reliability probe that is answered",
          HFILL}},
        {&hf_ev,
         {"Entropy (reflected)",
          "mrc.sack.ev",
          FT_UINT32,
          BASE_HEX,
          nullptr,
          0,
          "EV of the packet that triggered this SACK",
          HFILL}},
        {&hf_spdcid,
         {"Source PDC id",
          "mrc.sack.spdcid",
          FT_UINT16,
          BASE_HEX,
          nullptr,
          0,
          "Low 16 bits of the source QP number",
          HFILL}},
        {&hf_dpdcid,
         {"Destination PDC id",
          "mrc.sack.dpdcid",
          FT_UINT16,
          BASE_HEX,
          nullptr,
          0,
          "Low 16 bits of the destination QP number",
          HFILL}},
        {&hf_reserved,
         {"Reserved", "mrc.sack.reserved", FT_UINT8, BASE_HEX, nullptr, 0, nullptr, HFILL}},
        {&hf_cack_psn,
         {"cack_psn",
          "mrc.sack.cack_psn",
          FT_UINT24,
          BASE_DEC,
          nullptr,
          0,
          "Highest PSN up to which all were received",
          HFILL}},
        {&hf_cc_type,
         {"CC type", "mrc.sack.cc_type", FT_UINT8, BASE_DEC, nullptr, 0xf0, nullptr, HFILL}},
        {&hf_cc_fl,
         {"CC flags", "mrc.sack.cc_fl", FT_UINT8, BASE_HEX, nullptr, 0x0f, nullptr, HFILL}},
        {&hf_mpr,
         {"Max PSN range (MPR)",
          "mrc.sack.mpr",
          FT_UINT8,
          BASE_DEC,
          nullptr,
          0,
          "Units of 128 PSNs; 0 when dynamic MPR is off",
          HFILL}},
        {&hf_mpr_psns,
         {"Max PSN range in PSNs",
          "mrc.sack.mpr_psns",
          FT_UINT32,
          BASE_DEC,
          nullptr,
          0,
          nullptr,
          HFILL}},
        {&hf_sack_offset,
         {"Bitmap offset",
          "mrc.sack.sack_offset",
          FT_INT16,
          BASE_DEC,
          nullptr,
          0,
          "First PSN of the bitmap - cack_psn",
          HFILL}},
        {&hf_base_psn,
         {"Bitmap base PSN",
          "mrc.sack.base_psn",
          FT_UINT24,
          BASE_DEC,
          nullptr,
          0,
          "PSN of the least significant bit",
          HFILL}},
        {&hf_bitmap,
         {"Bitmap",
          "mrc.sack.bitmap",
          FT_UINT64,
          BASE_HEX,
          nullptr,
          0,
          "Set = received, least significant bit first",
          HFILL}},
        {&hf_received_ranges,
         {"Received PSNs",
          "mrc.sack.received_ranges",
          FT_STRING,
          BASE_NONE,
          nullptr,
          0,
          nullptr,
          HFILL}},
        {&hf_missing_ranges,
         {"Missing PSNs",
          "mrc.sack.missing_ranges",
          FT_STRING,
          BASE_NONE,
          nullptr,
          0,
          "Not received although a higher one was",
          HFILL}},
        {&hf_received_count,
         {"Received PSNs in the bitmap",
          "mrc.sack.received_count",
          FT_UINT8,
          BASE_DEC,
          nullptr,
          0,
          nullptr,
          HFILL}},
        {&hf_missing_count,
         {"Missing PSNs in the bitmap",
          "mrc.sack.missing_count",
          FT_UINT8,
          BASE_DEC,
          nullptr,
          0,
          nullptr,
          HFILL}},
        {&hf_timestamp,
         {"Time stamp (reflected)",
          "mrc.sack.timestamp",
          FT_UINT16,
          BASE_DEC,
          nullptr,
          0,
          "Of the packet that triggered this SACK, units of 128 ns",
          HFILL}},
        {&hf_time_ns,
         {"Time in ns",
          "mrc.sack.time_ns",
          FT_UINT32,
          BASE_DEC,
          nullptr,
          0,
          "Time stamp x 128, wraps after 8.4 ms",
          HFILL}},
        {&hf_cc_r,
         {"Reserved (r)", "mrc.sack.cc_r", FT_BOOLEAN, 16, nullptr, 0x8000, nullptr, HFILL}},
        {&hf_ooo_count,
         {"Out-of-order count",
          "mrc.sack.ooo_count",
          FT_UINT16,
          BASE_DEC,
          nullptr,
          0x7fff,
          "Packets received out of order",
          HFILL}},
        {&hf_restore_cwnd,
         {"Restore cwnd (r_c)",
          "mrc.sack.restore_cwnd",
          FT_BOOLEAN,
          8,
          nullptr,
          0x80,
          nullptr,
          HFILL}},
        {&hf_rcv_cwnd_pen,
         {"Receiver cwnd penalty",
          "mrc.sack.rcv_cwnd_pen",
          FT_UINT8,
          BASE_DEC,
          nullptr,
          0x7f,
          nullptr,
          HFILL}},
        {&hf_rcvd_units,
         {"Received (256 B)",
          "mrc.sack.rcvd_units",
          FT_UINT24,
          BASE_DEC,
          nullptr,
          0,
          "Bytes received in units of 256, rounded up, modulo 2^24",
          HFILL}},
        {&hf_rcvd_bytes,
         {"Received bytes",
          "mrc.sack.rcvd_bytes",
          FT_UINT32,
          BASE_DEC,
          nullptr,
          0,
          "Units x 256",
          HFILL}},
    };
    static int* ett[] = {&ett_seth, &ett_cc_state};
    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
}
