// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Fields and expert infos of links and analysis.
#include "packet-mrc-analysis.h"

#include "packet-mrc-flow.h"

#include <epan/expert.h>

namespace
{

/// Frames listed in one SACK.
constexpr unsigned MAX_LISTED_FRAMES = 256;

/// Messages listed in one SACK or ACK.
constexpr unsigned MAX_LISTED_MESSAGES = 64;

const value_string EV_STATES[] = {{MRC_EV_GOOD, "GOOD"},
                                  {MRC_EV_SKIP, "SKIP"},
                                  {MRC_EV_ASSUMED_BAD, "ASSUMED_BAD"},
                                  {0, nullptr}};

int hf_stream = -1;
int hf_qp = -1;
int hf_end = -1;
int hf_end_source = -1;
int hf_end_destination = -1;
int hf_psn = -1;
int hf_rtt = -1;
int hf_time_to_ack = -1;
int hf_in_flight = -1;
int hf_retransmission = -1;
int hf_transmission = -1;
int hf_spurious = -1;
int hf_lost_on_ev = -1;
int hf_ooo_distance = -1;
int hf_ev_state = -1;
int hf_ev_gap = -1;
int hf_duplicate = -1;
int hf_outside = -1;
int hf_acked_packets = -1;
int hf_acked_bytes = -1;
int hf_acked_in = -1;
int hf_ack_of = -1;
int hf_acks = -1;
int hf_nacked_in = -1;
int hf_nack_of = -1;
int hf_retransmission_of = -1;
int hf_retransmitted_in = -1;
int hf_first_transmission = -1;
int hf_request_in = -1;
int hf_response_in = -1;
int hf_duplicate_of = -1;
int hf_message = -1;
int hf_message_first = -1;
int hf_message_last = -1;
int hf_message_completed = -1;
int hf_message_bytes = -1;
int hf_message_packets = -1;
int hf_message_retransmissions = -1;
int hf_message_transfer = -1;
int hf_message_transfer_rate = -1;
int hf_message_completion = -1;
int hf_message_goodput = -1;

int ett_analysis = -1;
int ett_message = -1;

expert_field ei_lost = EI_INIT;
expert_field ei_nacked_again = EI_INIT;
expert_field ei_spurious = EI_INIT;
expert_field ei_duplicate = EI_INIT;
expert_field ei_outside = EI_INIT;
expert_field ei_bad_ev = EI_INIT;
expert_field ei_message = EI_INIT;

/// Where items of a subtree go.
struct place
{
    packet_info* pinfo; ///< the frame
    proto_tree* tree;   ///< null if nobody looks
    tvbuff_t* tvb;      ///< from the BTH on
};

proto_item*
add_uint(const place& at, int field, uint32_t value)
{
    proto_item* item = proto_tree_add_uint(at.tree, field, at.tvb, 0, 0, value);
    proto_item_set_generated(item);
    return item;
}

void
add_uint64(const place& at, int field, uint64_t value)
{
    proto_item_set_generated(proto_tree_add_uint64(at.tree, field, at.tvb, 0, 0, value));
}

proto_item*
add_true(const place& at, int field)
{
    proto_item* item = proto_tree_add_boolean(at.tree, field, at.tvb, 0, 0, 1);
    proto_item_set_generated(item);
    return item;
}

void
add_frame(const place& at, int field, uint32_t frame)
{
    if (frame != 0)
    {
        add_uint(at, field, frame);
    }
}

void
add_time(const place& at, int field, int64_t ns)
{
    nstime_t time;
    time.secs = static_cast<time_t>(ns / 1000000000);
    time.nsecs = static_cast<int>(ns % 1000000000);
    proto_item_set_generated(proto_tree_add_time(at.tree, field, at.tvb, 0, 0, &time));
}

/// Name both ends; texts are made only when somebody asks for them.
void
show_ends(const place& at, const mrc_packet* packet)
{
    const uint32_t source_qp = packet->analysis->source_qp;
    mrc_half* ends[] = {mrc_flow_find_half(&packet->src, &packet->dst, packet->bth.destinationQp),
                        source_qp != 0 ? mrc_flow_find_half(&packet->dst, &packet->src, source_qp)
                                       : nullptr};
    for (mrc_half* end : ends)
    {
        if (end == nullptr)
        {
            continue;
        }
        const char* text = mrc_flow_end(end);
        const int side = end == ends[0] ? hf_end_destination : hf_end_source;
        proto_item_set_hidden(proto_tree_add_string(at.tree, hf_end, at.tvb, 0, 0, text));
        proto_item_set_generated(proto_tree_add_string(at.tree, side, at.tvb, 0, 0, text));
    }
}

/// @return bits per second
uint64_t
rate(uint64_t bytes, int64_t ns)
{
    return static_cast<uint64_t>(static_cast<double>(bytes) * 8e9 / static_cast<double>(ns));
}

void
show_message(const place& outer, const mrc_message* message, const mrc_analysis* analysis)
{
    proto_item* title = nullptr;
    const place at{
        outer.pinfo,
        proto_tree_add_subtree_format(
            outer.tree, outer.tvb, 0, 0, ett_message, &title, "Message %u", message->number),
        outer.tvb};
    proto_item_set_generated(title);
    add_uint(at, hf_message, message->number);
    add_uint(at, hf_message_bytes, message->dma_bytes);
    if (message->first_frame != analysis->frame)
    {
        add_frame(at, hf_message_first, message->first_frame);
    }
    if (message->last_frame != analysis->frame)
    {
        add_frame(at, hf_message_last, message->last_frame);
    }
    const bool is_last = message->last_frame == analysis->frame;
    if (is_last)
    {
        add_uint(at, hf_message_packets, message->packets_at_last);
        if (message->transfer_ns >= 0)
        {
            add_time(at, hf_message_transfer, message->transfer_ns);
        }
        if (message->transfer_ns > 0)
        {
            add_uint64(
                at, hf_message_transfer_rate, rate(message->dma_bytes, message->transfer_ns));
        }
    }
    const bool completes = message->completed_frame == analysis->frame;
    if (!completes)
    {
        add_frame(at, hf_message_completed, message->completed_frame);
    }
    if (message->completed_frame == 0 || !(completes || is_last))
    {
        return;
    }
    add_uint(at, hf_message_retransmissions, message->retransmissions);
    if (message->completion_ns > 0)
    {
        add_time(at, hf_message_completion, message->completion_ns);
        add_uint64(at, hf_message_goodput, rate(message->dma_bytes, message->completion_ns));
    }
}

void
show_retransmission(const place& at, const mrc_analysis* write, const mrc_packet* packet)
{
    proto_item* item = add_true(at, hf_retransmission);
    const mrc_analysis* before = write->related;
    if (before == nullptr)
    {
        return; // the one before is not in the capture
    }
    add_uint(at, hf_transmission, write->transmission);
    add_frame(at, hf_retransmission_of, before->frame);
    const mrc_analysis* first = before;
    for (unsigned i = 0; first->related != nullptr && i < MRC_MAX_CHAIN; ++i)
    {
        first = first->related;
    }
    if (first != before)
    {
        add_frame(at, hf_first_transmission, first->frame);
    }
    if ((write->flags & MRC_SPURIOUS) != 0)
    {
        add_true(at, hf_spurious);
        expert_add_info_format(at.pinfo,
                               item,
                               &ei_spurious,
                               "PSN %u was acknowledged before it was sent again here",
                               packet->psn);
        return;
    }
    if ((write->flags & MRC_HAS_LOST_EV) == 0)
    {
        return;
    }
    item = add_uint(at, hf_lost_on_ev, write->lost_ev);
    const bool is_loss = (write->flags & MRC_COUNTS_LOSS) != 0;
    expert_add_info_format(at.pinfo,
                           item,
                           is_loss ? &ei_lost : &ei_nacked_again,
                           is_loss ? "PSN %u was lost on EV %s (frame %u)"
                                   : "PSN %u was refused or trimmed on EV %s (frame %u)",
                           packet->psn,
                           mrc_ev_text(at.pinfo->pool, write->lost_ev),
                           before->frame);
}

void
show_duplicate(const place& at, const mrc_analysis* analysis)
{
    proto_item* item = add_true(at, hf_duplicate);
    if (analysis->related != nullptr)
    {
        add_frame(at, hf_duplicate_of, analysis->related->frame);
        expert_add_info_format(at.pinfo,
                               item,
                               &ei_duplicate,
                               "The same packet as in frame %u, at another place or doubled",
                               analysis->related->frame);
    }
}

void
show_write(const place& at, const mrc_analysis* write, const mrc_packet* packet)
{
    add_uint64(at, hf_psn, write->psn - mrc::FirstPsn(0));
    if ((write->flags & MRC_OUTSIDE) != 0)
    {
        expert_add_info(at.pinfo, add_true(at, hf_outside), &ei_outside);
        return;
    }
    if ((write->flags & MRC_COPY) != 0)
    {
        show_duplicate(at, write);
        return;
    }
    if ((write->flags & MRC_RETRANSMISSION) != 0)
    {
        show_retransmission(at, write, packet);
    }
    if ((write->flags & MRC_HAS_IN_FLIGHT) != 0)
    {
        add_uint(at, hf_in_flight, write->in_flight);
    }
    if (write->ooo_distance != 0)
    {
        add_uint(at, hf_ooo_distance, write->ooo_distance);
    }
    if (packet->has_ev)
    {
        proto_item* item = add_uint(at, hf_ev_state, write->ev_state);
        if (write->ev_state == MRC_EV_ASSUMED_BAD)
        {
            expert_add_info_format(at.pinfo,
                                   item,
                                   &ei_bad_ev,
                                   "Sent on EV %s, which is assumed bad",
                                   mrc_ev_text(at.pinfo->pool, write->ev));
        }
    }
    if ((write->flags & MRC_HAS_GAP) != 0)
    {
        add_time(at, hf_ev_gap, write->ev_gap_ns);
    }
    add_frame(at, hf_retransmitted_in, write->next_frame);
    add_frame(at, hf_nacked_in, write->nack_frame);
    add_frame(at, hf_acked_in, write->sack_frame);
    if (write->sack_frame != 0 && write->sack_after_ns >= 0)
    {
        add_time(at, hf_time_to_ack, write->sack_after_ns);
    }
    if (write->message != nullptr)
    {
        show_message(at, write->message, write);
    }
}

void
show_answer(const place& at, const mrc_analysis* answer, const mrc_packet* packet)
{
    if ((answer->flags & MRC_OUTSIDE) != 0)
    {
        expert_add_info(at.pinfo, add_true(at, hf_outside), &ei_outside);
        return;
    }
    const bool is_copy = (answer->flags & MRC_COPY) != 0;
    if (is_copy)
    {
        show_duplicate(at, answer);
    }
    else if (answer->related != nullptr)
    {
        const bool is_of_write = answer->related->transmission != 0;
        int field = hf_request_in;
        if (is_of_write)
        {
            field = (packet->headers & MRC_HAS_NACK) != 0 ? hf_nack_of : hf_ack_of;
        }
        add_frame(at, field, answer->related->frame);
    }
    if ((answer->flags & MRC_HAS_RTT) != 0)
    {
        add_time(at, hf_rtt, answer->rtt_ns);
    }
    if ((packet->headers & MRC_HAS_SACK) != 0)
    {
        add_uint(at, hf_acked_packets, answer->ooo_distance);
        add_uint(at, hf_acked_bytes, answer->payload);
        const mrc_analysis* acked = answer->next_acked;
        for (unsigned i = 0; acked != nullptr && i < MAX_LISTED_FRAMES; ++i)
        {
            add_frame(at, hf_acks, acked->frame);
            acked = acked->next_acked;
        }
    }
    const mrc_message* message = answer->message;
    for (unsigned i = 0; message != nullptr && i < MAX_LISTED_MESSAGES; ++i)
    {
        show_message(at, message, answer);
        const bool is_completed = message->completed_frame == answer->frame;
        const mrc_message* next = is_completed ? message->next : nullptr;
        message = next != nullptr && next->completed_frame == answer->frame ? next : nullptr;
    }
    if ((answer->flags & MRC_COMPLETES) != 0)
    {
        expert_add_info_format(at.pinfo,
                               proto_tree_get_parent(at.tree),
                               &ei_message,
                               "Message %u is complete",
                               answer->message->number);
    }
}

void
show(const place& at, const mrc_packet* packet)
{
    const mrc_analysis* analysis = packet->analysis;
    add_uint(at, hf_stream, analysis->stream);
    add_uint(at, hf_qp, packet->bth.destinationQp);
    if (analysis->source_qp != 0)
    {
        add_uint(at, hf_qp, analysis->source_qp);
    }
    if (at.tree != nullptr)
    {
        show_ends(at, packet);
    }
    if (mrc_is_write(packet))
    {
        show_write(at, analysis, packet);
    }
    else if ((analysis->flags & MRC_REQUESTS_ANSWER) != 0)
    {
        add_frame(at, hf_response_in, analysis->next_frame);
    }
    else
    {
        show_answer(at, analysis, packet);
    }
}

} // namespace

void
mrc_analysis_show(packet_info* pinfo, proto_tree* tree, tvbuff_t* tvb, const mrc_packet* packet)
{
    constexpr uint16_t EXPERT =
        MRC_OUTSIDE | MRC_COPY | MRC_SPURIOUS | MRC_HAS_LOST_EV | MRC_COMPLETES;
    const mrc_analysis* analysis = packet->analysis;
    if (tree == nullptr && (analysis->flags & EXPERT) == 0 &&
        analysis->ev_state != MRC_EV_ASSUMED_BAD)
    {
        return; // no expert info either
    }
    proto_item* title = nullptr;
    proto_tree* subtree =
        proto_tree_add_subtree(tree, tvb, 0, 0, ett_analysis, &title, "Links and analysis");
    proto_item_set_generated(title);
    show(place{pinfo, subtree, tvb}, packet);
}

void
mrc_analysis_register(int proto)
{
#define MRC_NUMBER(name, abbreviation, type, base, text)                                           \
    {                                                                                              \
        name, abbreviation, type, base, nullptr, 0, text, HFILL                                    \
    }
#define MRC_FRAME(name, abbreviation, kind, text)                                                  \
    {                                                                                              \
        name, abbreviation, FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(kind), 0, text, HFILL            \
    }
    static hf_register_info fields[] = {
        {&hf_stream,
         MRC_NUMBER("Stream",
                    "mrc.stream",
                    FT_UINT32,
                    BASE_DEC,
                    "Number of the QP in this capture, the same in both directions")},
        {&hf_qp,
         MRC_NUMBER("QP number of one end",
                    "mrc.analysis.qp",
                    FT_UINT32,
                    BASE_HEX,
                    "QP number of one end of the connection")},
        {&hf_end,
         MRC_NUMBER("One end",
                    "mrc.end",
                    FT_STRING,
                    BASE_NONE,
                    "Address and QP number of one end, as in the conversation table")},
        {&hf_end_source,
         MRC_NUMBER("Source end",
                    "mrc.end.source",
                    FT_STRING,
                    BASE_NONE,
                    "Address and QP number of the sender, if known")},
        {&hf_end_destination,
         MRC_NUMBER("Destination end",
                    "mrc.end.destination",
                    FT_STRING,
                    BASE_NONE,
                    "Address and QP number of the receiver")},
        {&hf_psn,
         MRC_NUMBER("Extended PSN",
                    "mrc.analysis.psn",
                    FT_UINT64,
                    BASE_DEC,
                    "PSN that goes on counting after 16777215")},
        {&hf_rtt,
         MRC_NUMBER("Round trip time",
                    "mrc.analysis.rtt",
                    FT_RELATIVE_TIME,
                    BASE_NONE,
                    "Time since the packet that this one answers")},
        {&hf_time_to_ack,
         MRC_NUMBER("Time to first SACK",
                    "mrc.analysis.time_to_ack",
                    FT_RELATIVE_TIME,
                    BASE_NONE,
                    "Time until the first SACK that covers this packet")},
        {&hf_in_flight,
         MRC_NUMBER("Bytes in flight",
                    "mrc.analysis.bytes_in_flight",
                    FT_UINT32,
                    BASE_DEC,
                    "Payload sent and not acknowledged, this packet included")},
        {&hf_retransmission,
         MRC_NUMBER("Retransmission",
                    "mrc.analysis.retransmission",
                    FT_BOOLEAN,
                    BASE_NONE,
                    "This PSN was sent before")},
        {&hf_transmission,
         MRC_NUMBER("Transmission",
                    "mrc.analysis.transmission",
                    FT_UINT8,
                    BASE_DEC,
                    "How often this PSN was sent, this time included")},
        {&hf_spurious,
         MRC_NUMBER("Spurious retransmission",
                    "mrc.analysis.spurious",
                    FT_BOOLEAN,
                    BASE_NONE,
                    "The packet was acknowledged before")},
        {&hf_lost_on_ev,
         MRC_NUMBER("Lost on EV",
                    "mrc.analysis.lost_on_ev",
                    FT_UINT32,
                    BASE_HEX,
                    "EV on which the transmission before was lost, trimmed or refused")},
        {&hf_ooo_distance,
         MRC_NUMBER("Out of order by",
                    "mrc.analysis.ooo_distance",
                    FT_UINT32,
                    BASE_DEC,
                    "Highest PSN seen before minus this one")},
        {&hf_ev_state,
         {"EV state",
          "mrc.analysis.ev_state",
          FT_UINT8,
          BASE_DEC,
          VALS(EV_STATES),
          0,
          "State of the EV before this packet, as far as the capture tells",
          HFILL}},
        {&hf_ev_gap,
         MRC_NUMBER("Time since previous on EV",
                    "mrc.analysis.time_since_prev_on_ev",
                    FT_RELATIVE_TIME,
                    BASE_NONE,
                    "Since the packet before of this QP on this EV")},
        {&hf_duplicate,
         MRC_NUMBER("Duplicate",
                    "mrc.analysis.duplicate",
                    FT_BOOLEAN,
                    BASE_NONE,
                    "The same packet was seen before, at another place or doubled")},
        {&hf_outside,
         MRC_NUMBER("Outside the window",
                    "mrc.analysis.outside_window",
                    FT_BOOLEAN,
                    BASE_NONE,
                    "The PSN is more than a window away from those seen before")},
        {&hf_acked_packets,
         MRC_NUMBER("Packets newly acknowledged",
                    "mrc.analysis.acked_packets",
                    FT_UINT32,
                    BASE_DEC,
                    "Packets in the capture that this SACK is the first to cover")},
        {&hf_acked_bytes,
         MRC_NUMBER("Bytes newly acknowledged",
                    "mrc.analysis.acked_bytes",
                    FT_UINT32,
                    BASE_DEC,
                    "Payload of those packets")},
        {&hf_acked_in,
         MRC_FRAME("Acknowledged in",
                   "mrc.acked_in",
                   FT_FRAMENUM_ACK,
                   "First SACK that covers this packet")},
        {&hf_ack_of,
         MRC_FRAME(
             "Triggered by", "mrc.ack_of", FT_FRAMENUM_ACK, "Packet that triggered this SACK")},
        {&hf_acks,
         MRC_FRAME("First to acknowledge",
                   "mrc.acks",
                   FT_FRAMENUM_ACK,
                   "Packet that this SACK is the first to cover")},
        {&hf_nacked_in,
         MRC_FRAME(
             "Refused in", "mrc.nacked_in", FT_FRAMENUM_NONE, "NACK that refused this packet")},
        {&hf_nack_of,
         MRC_FRAME("Refuses", "mrc.nack_of", FT_FRAMENUM_NONE, "Packet that this NACK refuses")},
        {&hf_retransmission_of,
         MRC_FRAME("Retransmission of",
                   "mrc.retransmission_of",
                   FT_FRAMENUM_RETRANS_PREV,
                   "Transmission before")},
        {&hf_retransmitted_in,
         MRC_FRAME("Retransmitted in",
                   "mrc.retransmitted_in",
                   FT_FRAMENUM_RETRANS_NEXT,
                   "Next transmission")},
        {&hf_first_transmission,
         MRC_FRAME("First transmission",
                   "mrc.first_transmission",
                   FT_FRAMENUM_RETRANS_PREV,
                   "First transmission of this PSN")},
        {&hf_request_in,
         MRC_FRAME("Answers",
                   "mrc.request_in",
                   FT_FRAMENUM_REQUEST,
                   "Probe or endpoint request that this answers")},
        {&hf_response_in,
         MRC_FRAME("Answered in",
                   "mrc.response_in",
                   FT_FRAMENUM_RESPONSE,
                   "Answer to this probe or endpoint request")},
        {&hf_duplicate_of,
         MRC_FRAME(
             "Duplicate of", "mrc.duplicate_of", FT_FRAMENUM_NONE, "First frame with this packet")},
        {&hf_message,
         MRC_NUMBER("Message", "mrc.message", FT_UINT32, BASE_DEC, "Number of the message")},
        {&hf_message_first,
         MRC_FRAME("First packet",
                   "mrc.message.first_frame",
                   FT_FRAMENUM_NONE,
                   "First packet of the message")},
        {&hf_message_last,
         MRC_FRAME("Last packet",
                   "mrc.message.last_frame",
                   FT_FRAMENUM_NONE,
                   "Last packet of the message")},
        {&hf_message_completed,
         MRC_FRAME("Completed in",
                   "mrc.message.completed_in",
                   FT_FRAMENUM_NONE,
                   "SACK or ACK that completed it")},
        {&hf_message_bytes,
         MRC_NUMBER("Bytes", "mrc.message.bytes", FT_UINT32, BASE_DEC, "Length of the message")},
        {&hf_message_packets,
         MRC_NUMBER("Packets",
                    "mrc.message.packets",
                    FT_UINT32,
                    BASE_DEC,
                    "Packets of the message up to its last one, retransmissions included")},
        {&hf_message_retransmissions,
         MRC_NUMBER(
             "Retransmissions", "mrc.message.retransmissions", FT_UINT32, BASE_DEC, nullptr)},
        {&hf_message_transfer,
         MRC_NUMBER("Transfer time",
                    "mrc.message.transfer_time",
                    FT_RELATIVE_TIME,
                    BASE_NONE,
                    "From its first to its last packet")},
        {&hf_message_transfer_rate,
         MRC_NUMBER("Transfer rate (bit/s)",
                    "mrc.message.transfer_rate",
                    FT_UINT64,
                    BASE_DEC,
                    "Length over transfer time")},
        {&hf_message_completion,
         MRC_NUMBER("Completion time",
                    "mrc.message.completion_time",
                    FT_RELATIVE_TIME,
                    BASE_NONE,
                    "From its first packet to the SACK or ACK that completed it")},
        {&hf_message_goodput,
         MRC_NUMBER("Goodput (bit/s)",
                    "mrc.message.goodput",
                    FT_UINT64,
                    BASE_DEC,
                    "Length over completion time")},
    };
#undef MRC_FRAME
#undef MRC_NUMBER
    static int* trees[] = {&ett_analysis, &ett_message};
    static ei_register_info experts[] = {
        {&ei_lost, {"mrc.analysis.lost", PI_SEQUENCE, PI_NOTE, "Sent again after a loss", EXPFILL}},
        {&ei_nacked_again,
         {"mrc.analysis.nacked_again",
          PI_SEQUENCE,
          PI_NOTE,
          "Sent again after a NACK or trim",
          EXPFILL}},
        {&ei_spurious,
         {"mrc.analysis.spurious.expert",
          PI_SEQUENCE,
          PI_NOTE,
          "Sent again though acknowledged",
          EXPFILL}},
        {&ei_duplicate,
         {"mrc.analysis.duplicate.expert", PI_SEQUENCE, PI_NOTE, "The same packet again", EXPFILL}},
        {&ei_outside,
         {"mrc.analysis.outside_window.expert",
          PI_SEQUENCE,
          PI_WARN,
          "PSN is outside the window around those seen before",
          EXPFILL}},
        {&ei_bad_ev,
         {"mrc.analysis.bad_ev",
          PI_SEQUENCE,
          PI_NOTE,
          "Sent on an EV that is assumed bad",
          EXPFILL}},
        {&ei_message,
         {"mrc.message.complete", PI_SEQUENCE, PI_CHAT, "Message is complete", EXPFILL}},
    };
    proto_register_field_array(proto, fields, array_length(fields));
    proto_register_subtree_array(trees, array_length(trees));
    expert_register_field_array(expert_register_protocol(proto), experts, array_length(experts));
}
