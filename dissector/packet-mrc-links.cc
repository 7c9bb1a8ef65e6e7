// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Connects packets with those before them when a frame is seen first.

#include "packet-mrc-analysis.h"
#include "packet-mrc-flow.h"
#include "packet-mrc-messages.h"

#include <wiretap/wtap.h>

namespace
{

/// Unmarked answers that clear an EV that was assumed bad.
//= MRC-REF 4 EV states
constexpr uint8_t PROBE_SUCCESSES = 3;

/// Strays in a row after which a QP is taken to have started anew at their PSN.
constexpr uint32_t STRAYS_OF_RESTART = 4;

int64_t
nanoseconds(const nstime_t& time)
{
    // Damaged captures hold any time: unsigned, so that it wraps.
    return static_cast<int64_t>(static_cast<uint64_t>(time.secs) * 1000000000 +
                                static_cast<uint64_t>(time.nsecs));
}

uint16_t
interface_of(const packet_info* pinfo)
{
    if (pinfo->rec == nullptr || pinfo->rec->rec_type != REC_TYPE_PACKET ||
        (pinfo->rec->presence_flags & WTAP_HAS_INTERFACE_ID) == 0)
    {
        return 0;
    }
    return static_cast<uint16_t>(pinfo->rec->rec_header.packet_header.interface_id);
}

void
set_rtt(mrc_analysis* answer, const mrc_analysis* request)
{
    const auto rtt = static_cast<int64_t>(static_cast<uint64_t>(answer->time_ns) -
                                          static_cast<uint64_t>(request->time_ns));
    // Between two capture points the difference is no round trip.
    if (rtt >= 0 && !(request->half->has_copies && request->interface != answer->interface))
    {
        answer->rtt_ns = rtt;
        answer->flags |= MRC_HAS_RTT;
    }
}

void
leave_flight(mrc_half* half, mrc_analysis* sent)
{
    if ((sent->fate & MRC_IN_FLIGHT) != 0)
    {
        half->in_flight -= sent->payload;
        sent->fate &= static_cast<uint8_t>(~MRC_IN_FLIGHT);
    }
}

/// Note a trim or a mark once, by whichever frame tells of it first.
void
note_once(mrc_analysis* teller, mrc_analysis* sent, mrc_fate seen, mrc_frame_flag counts)
{
    if (sent == nullptr)
    {
        teller->flags |= counts;
    }
    else if ((sent->fate & seen) == 0)
    {
        sent->fate |= seen;
        teller->flags |= counts;
    }
}

/// Whether a packet is one that was seen before, at another place or doubled by the network.
bool
is_copy(const mrc_analysis* seen, const mrc_packet* packet, int64_t now)
{
    if (!packet->has_ev || seen->ev != packet->ev || seen->rtx != packet->bth.retransmission)
    {
        return false;
    }
    const bool has_timestamp = (packet->headers & MRC_HAS_TSETH) != 0;
    if (has_timestamp != seen->has_timestamp ||
        (has_timestamp && seen->tx_timestamp != packet->tseth.txTimestamp))
    {
        return false;
    }
    const uint64_t age = static_cast<uint64_t>(now) - static_cast<uint64_t>(seen->time_ns);
    return age <= static_cast<uint64_t>(MRC_COPY_NS);
}

/// Whether a PSN is inside the window around what was seen; starts anew after several that agree.
bool
accept_psn(mrc_half* half, uint64_t psn)
{
    const auto distance = static_cast<int64_t>(psn - half->highest);
    if (distance <= MRC_MAX_WINDOW_PSNS && distance >= -MRC_MAX_WINDOW_PSNS)
    {
        half->strays = 0;
        return true;
    }
    const auto apart = static_cast<int64_t>(psn - half->stray);
    half->strays = half->strays > 0 && apart >= -64 && apart <= 64 ? half->strays + 1 : 1;
    half->stray = psn;
    if (half->strays < STRAYS_OF_RESTART)
    {
        return false;
    }
    half->strays = 0;
    half->first = psn;
    half->highest = psn - 1;
    half->in_flight = 0;
    half->has_cack = false;
    half->blocks = nullptr; // what was sent before the restart stays known by its frames
    half->block = nullptr;
    half->messages = nullptr;
    half->message = half->oldest = half->newest = nullptr;
    return true;
}

/// What a retransmission says about the transmission before.
void
judge_previous(mrc_half* half, mrc_analysis* again)
{
    mrc_analysis* before = again->related;
    if (before == nullptr)
    {
        return;
    }
    before->next_frame = again->frame;
    if ((before->fate & MRC_ACKED) != 0)
    {
        again->flags |= MRC_SPURIOUS;
        return;
    }
    again->lost_ev = before->ev;
    again->flags |= MRC_HAS_LOST_EV;
    if ((before->fate & (MRC_NACKED | MRC_TRIM_SEEN | MRC_LOSS_SEEN)) == 0)
    {
        before->fate |= MRC_LOSS_SEEN;
        again->flags |= MRC_COUNTS_LOSS;
        mrc_ev* ev = mrc_flow_ev(half, before->ev);
        ev->state = MRC_EV_ASSUMED_BAD;
        ev->probe_answers = 0;
    }
    leave_flight(half, before);
}

void
use_ev(mrc_half* half, mrc_analysis* write)
{
    mrc_ev* ev = mrc_flow_ev(half, write->ev);
    write->ev_state = ev->state;
    if (ev->last_ns >= 0 && write->time_ns >= ev->last_ns)
    {
        write->ev_gap_ns = write->time_ns - ev->last_ns;
        write->flags |= MRC_HAS_GAP;
    }
    ev->last_ns = write->time_ns;
    if (ev->state == MRC_EV_SKIP)
    {
        ev->state = MRC_EV_GOOD; // its turn has come again
    }
}

void
see_trim_and_mark(mrc_half* half,
                  mrc_analysis* teller,
                  mrc_analysis* sent,
                  const mrc_packet* packet)
{
    if (packet->trim_kind != MRC_NOT_TRIMMED)
    {
        note_once(teller, sent, MRC_TRIM_SEEN, MRC_COUNTS_TRIM);
        leave_flight(half, sent);
    }
    if (packet->ecn == mrc::CE)
    {
        note_once(teller, sent, MRC_MARK_SEEN, MRC_COUNTS_MARK);
    }
}

void
see_write(mrc_half* half, mrc_analysis* write, const mrc_packet* packet)
{
    write->half = half;
    if (!half->has_psn)
    {
        half->has_psn = true;
        half->first = mrc::FirstPsn(packet->psn);
        half->highest = half->first - 1;
    }
    write->psn = mrc_flow_extend(half, packet->psn);
    write->payload = packet->full_payload_bytes;
    write->rtx = packet->bth.retransmission;
    write->has_timestamp = (packet->headers & MRC_HAS_TSETH) != 0;
    write->tx_timestamp = packet->tseth.txTimestamp;
    if (!accept_psn(half, write->psn))
    {
        write->flags |= MRC_OUTSIDE;
        return;
    }
    mrc_psn_block* block = mrc_flow_block(half, write->psn);
    mrc_analysis** slot = &block->sent[write->psn % 16];
    mrc_analysis* before = *slot;
    for (unsigned i = 0; before != nullptr && i < MRC_MAX_CHAIN; ++i, before = before->related)
    {
        if (is_copy(before, packet, write->time_ns))
        {
            write->flags |= MRC_COPY;
            write->related = before;
            write->message = before->message;
            write->transmission = before->transmission;
            half->has_copies |= before->interface != write->interface;
            see_trim_and_mark(half, write, before, packet);
            return;
        }
    }
    before = *slot;
    *slot = write;
    write->related = before;
    write->transmission = before == nullptr ? 1 : before->transmission;
    if (before != nullptr && before->transmission < 255)
    {
        ++write->transmission;
    }
    if (before != nullptr || packet->bth.retransmission)
    {
        write->flags |= MRC_RETRANSMISSION;
        judge_previous(half, write);
    }
    else if (write->psn < half->highest)
    {
        write->ooo_distance = static_cast<uint32_t>(half->highest - write->psn);
    }
    if (static_cast<int64_t>(write->psn - half->highest) > 0)
    {
        half->highest = write->psn;
    }
    if (packet->has_ev)
    {
        use_ev(half, write);
    }
    const bool is_acked = (block->acked >> (write->psn % 16) & 1) != 0 ||
                          (half->has_cack && write->psn <= half->cack);
    if (!is_acked)
    {
        write->fate |= MRC_IN_FLIGHT;
        half->in_flight += write->payload;
    }
    see_trim_and_mark(half, write, write, packet);
    //= MRC-REF 4 Requester
    // The window bounds what can be in flight: more means that no SACK is in the capture.
    const uint64_t from = half->has_cack ? half->cack : half->first;
    if (static_cast<int64_t>(half->highest - from) <= MRC_MAX_WINDOW_PSNS && half->in_flight >= 0)
    {
        write->in_flight = static_cast<uint32_t>(half->in_flight);
        write->flags |= MRC_HAS_IN_FLIGHT;
    }
    if ((packet->headers & MRC_HAS_METH) != 0)
    {
        mrc_join_message(half, write, packet);
    }
}

/// A PSN that a SACK covers.
void
acknowledge(mrc_half* half, mrc_psn_block* block, unsigned place, mrc_analysis* sack)
{
    mrc_analysis* sent = block->sent[place];
    // Copies of a packet at other capture points: only the SACK at the same one closes the loop.
    if (sent != nullptr && half->has_copies && sent->interface != sack->interface)
    {
        return;
    }
    block->acked |= static_cast<uint16_t>(1u << place);
    if (sent == nullptr || (sent->fate & MRC_ACKED) != 0)
    {
        return;
    }
    sent->fate |= MRC_ACKED;
    sent->sack_frame = sack->frame;
    sent->sack_after_ns = static_cast<int64_t>(static_cast<uint64_t>(sack->time_ns) -
                                               static_cast<uint64_t>(sent->time_ns));
    leave_flight(half, sent);
    sent->next_acked = sack->next_acked;
    sack->next_acked = sent;
    sack->payload += sent->payload;
    ++sack->ooo_distance;
}

void
acknowledge_range(mrc_half* half, uint64_t from, uint64_t until, mrc_analysis* sack)
{
    // The caller keeps the range below two windows, so that this ends soon.
    for (uint64_t psn = from; psn <= until;)
    {
        mrc_psn_block* block = mrc_flow_find_block(half, psn);
        const uint64_t end = psn / 16 * 16 + 16;
        if (block != nullptr && block->acked != 0xffff)
        {
            for (; psn < end && psn <= until; ++psn)
            {
                if ((block->acked >> (psn % 16) & 1) == 0)
                {
                    acknowledge(half, block, static_cast<unsigned>(psn % 16), sack);
                }
            }
        }
        psn = end;
    }
}

void
acknowledge_bitmap(mrc_half* half, uint64_t base, uint64_t bitmap, mrc_analysis* sack)
{
    for (unsigned i = 0; i < mrc::SACK_BITMAP_BITS && bitmap != 0; ++i, bitmap >>= 1)
    {
        mrc_psn_block* block = (bitmap & 1) != 0 ? mrc_flow_find_block(half, base + i) : nullptr;
        const auto place = static_cast<unsigned>((base + i) % 16);
        if (block != nullptr && (block->acked >> place & 1) == 0)
        {
            acknowledge(half, block, place, sack);
        }
    }
}

/// Whether a SACK was seen before at another place; remembers it if not.
bool
see_copy_of_sack(mrc_half* half, mrc_analysis* sack, const mrc_packet* packet)
{
    const mrc::Sack& said = packet->sack;
    uint64_t print = said.bitmap;
    for (const uint64_t part : {uint64_t{said.cackPsn},
                                uint64_t{said.receivedUnits256},
                                uint64_t{said.entropy},
                                uint64_t{static_cast<uint16_t>(said.ackPsnOffset)},
                                uint64_t{packet->ev},
                                uint64_t{said.txTimestamp},
                                uint64_t{said.oooCount}})
    {
        print = (print ^ part) * 0x9e3779b97f4a7c15;
        print ^= print >> 29;
    }
    if (half->recent_sacks == nullptr)
    {
        half->recent_sacks =
            wmem_alloc0_array(wmem_file_scope(), mrc_recent_sack, MRC_RECENT_SACKS);
    }
    for (unsigned i = 0; i < MRC_RECENT_SACKS; ++i)
    {
        const mrc_recent_sack& recent = half->recent_sacks[i];
        if (recent.analysis != nullptr && recent.print == print &&
            static_cast<uint64_t>(sack->time_ns) -
                    static_cast<uint64_t>(recent.analysis->time_ns) <=
                static_cast<uint64_t>(MRC_COPY_NS))
        {
            sack->related = recent.analysis;
            return true;
        }
    }
    half->recent_sacks[half->sack_count++ % MRC_RECENT_SACKS] = {print, sack};
    return false;
}

/// What an answer says about the EV that it reflects.
void
judge_ev(mrc_half* half, const mrc_packet* packet)
{
    mrc_ev* ev = mrc_flow_ev(half, packet->reflected_ev);
    if ((packet->headers & MRC_HAS_NACK) != 0)
    {
        if (packet->nack.reason == mrc::NackCode::TRIMMED && ev->state == MRC_EV_GOOD)
        {
            ev->state = MRC_EV_SKIP;
        }
        return;
    }
    switch (packet->sack.mark)
    {
    case mrc::SackMark::SKIP_ONCE:
        if (ev->state == MRC_EV_GOOD)
        {
            ev->state = MRC_EV_SKIP;
        }
        break;
    case mrc::SackMark::ALWAYS_SKIP:
        ev->state = MRC_EV_ASSUMED_BAD;
        ev->probe_answers = 0;
        break;
    default:
        if (ev->state == MRC_EV_ASSUMED_BAD && packet->sack.probeResponse &&
            ++ev->probe_answers >= PROBE_SUCCESSES)
        {
            ev->state = MRC_EV_GOOD;
            ev->probe_answers = 0;
        }
    }
}

void
answer_request(mrc_half* half, mrc_analysis* answer, uint16_t id)
{
    mrc_analysis* request = mrc_flow_request(half, id);
    if (request == nullptr)
    {
        return;
    }
    answer->related = request;
    set_rtt(answer, request);
    if (request->next_frame == 0)
    {
        request->next_frame = answer->frame;
    }
}

void
see_sack(mrc_half* answers, mrc_analysis* sack, const mrc_packet* packet)
{
    const mrc::Sack& said = packet->sack;
    if (see_copy_of_sack(answers, sack, packet))
    {
        sack->flags |= MRC_COPY;
        sack->half = sack->related->half;
        if (!sack->half->has_copies || (sack->related->flags & MRC_HAS_RTT) != 0)
        {
            return; // else this one may be at the place of the data
        }
    }
    const uint32_t trigger =
        (said.cackPsn + static_cast<uint32_t>(said.ackPsnOffset)) & mrc::PSN_MASK;
    mrc_half* half = mrc_flow_data_of(
        answers, {!said.probeResponse, trigger, said.entropy, said.txTimestamp, said.spdcid});
    sack->half = half != nullptr ? half : answers;
    if (half == nullptr)
    {
        return; // no data of it in the capture
    }
    half->mpr = said.mpr;
    const uint64_t cack = mrc_flow_extend(half, said.cackPsn);
    sack->psn = cack;
    if (half->has_psn)
    {
        const auto ahead = static_cast<int64_t>(cack - half->highest);
        if (ahead > MRC_MAX_WINDOW_PSNS || ahead < -2 * MRC_MAX_WINDOW_PSNS)
        {
            sack->flags |= MRC_OUTSIDE;
            return;
        }
    }
    if (said.probeResponse)
    {
        answer_request(half, sack, static_cast<uint16_t>(said.ackPsnOffset));
    }
    else
    {
        const uint64_t psn = mrc_flow_extend(half, trigger);
        mrc_analysis* sent = mrc_flow_sent_on(half, psn, said.entropy);
        if ((sack->flags & MRC_COPY) == 0)
        {
            sack->related = sent;
        }
        if (sent != nullptr)
        {
            set_rtt(sack, sent);
        }
        if (said.mark == mrc::SackMark::SKIP_ONCE && (sack->flags & MRC_COPY) == 0)
        {
            note_once(sack, sent, MRC_MARK_SEEN, MRC_COUNTS_MARK);
        }
    }
    if ((sack->flags & MRC_COPY) == 0)
    {
        judge_ev(half, packet);
    }
    if (half->has_psn)
    {
        uint64_t from = half->has_cack ? half->cack + 1 : half->first;
        if (half->has_copies || static_cast<int64_t>(cack - from) > 2 * MRC_MAX_WINDOW_PSNS)
        {
            from = cack > 2 * MRC_MAX_WINDOW_PSNS ? cack - 2 * MRC_MAX_WINDOW_PSNS : 0;
        }
        if (from < half->first)
        {
            from = half->first;
        }
        const uint64_t until = cack < half->highest ? cack : half->highest;
        if (from <= until)
        {
            acknowledge_range(half, from, until, sack);
        }
        acknowledge_bitmap(half,
                           cack + static_cast<uint64_t>(static_cast<int64_t>(said.sackOffset)),
                           said.bitmap,
                           sack);
    }
    if (!half->has_cack || static_cast<int64_t>(cack - half->cack) > 0)
    {
        half->cack = cack;
        half->has_cack = true;
    }
    mrc_complete_messages(half, sack, 0);
}

void
see_nack(mrc_half* answers, mrc_analysis* nack, const mrc_packet* packet)
{
    const mrc::Nack& said = packet->nack;
    mrc_half* half = mrc_flow_data_of(
        answers, {true, said.nackPsn, said.entropy, said.txTimestamp, said.spdcid});
    nack->half = half != nullptr ? half : answers;
    const bool is_trim =
        said.reason == mrc::NackCode::TRIMMED || said.reason == mrc::NackCode::TRIMMED_LASTHOP;
    if (half == nullptr)
    {
        nack->flags |= is_trim ? MRC_COUNTS_TRIM : 0;
        return;
    }
    nack->psn = mrc_flow_extend(half, said.nackPsn);
    mrc_analysis* sent = mrc_flow_sent_on(half, nack->psn, said.entropy);
    if (sent != nullptr && sent->nack_frame != 0)
    {
        const mrc_analysis* first = mrc_flow_frame(sent->nack_frame);
        if (first != nullptr &&
            static_cast<uint64_t>(nack->time_ns) - static_cast<uint64_t>(first->time_ns) <=
                static_cast<uint64_t>(MRC_COPY_NS))
        {
            nack->flags |= MRC_COPY;
        }
    }
    nack->related = sent;
    judge_ev(half, packet);
    if (is_trim && (nack->flags & MRC_COPY) == 0)
    {
        note_once(nack, sent, MRC_TRIM_SEEN, MRC_COUNTS_TRIM);
    }
    if (sent == nullptr)
    {
        return;
    }
    set_rtt(nack, sent);
    sent->fate |= MRC_NACKED;
    leave_flight(half, sent);
    if (sent->nack_frame == 0)
    {
        sent->nack_frame = nack->frame;
    }
}

void
see_acknowledge(mrc_half* answers, mrc_analysis* ack, const mrc_packet* packet)
{
    mrc_half* half = mrc_flow_data_of(answers, mrc_evidence{});
    ack->half = half != nullptr ? half : answers;
    if (half == nullptr || half->newest == nullptr || packet->aeth.syndrome != mrc::AETH_ACK)
    {
        return;
    }
    //= MRC-REF 2 Request headers
    // AETH.MSN counts complete messages, METH.MSN counts from 0.
    const uint64_t completed =
        mrc::ExtendMsn(half->newest->msn + 1, static_cast<uint16_t>(packet->aeth.msn));
    if (completed > half->newest->msn + 1)
    {
        return; // of messages that are not in the capture
    }
    mrc_complete_messages(half, ack, completed);
    if (ack->message == nullptr)
    {
        ack->message = mrc_flow_find_message(half, static_cast<uint16_t>(packet->aeth.msn - 1));
    }
}

void
see_request(mrc_half* half, mrc_analysis* request, uint16_t id)
{
    request->half = half;
    const mrc_analysis* before = mrc_flow_request(half, id);
    if (before != nullptr && before->ev == request->ev &&
        static_cast<uint64_t>(request->time_ns) - static_cast<uint64_t>(before->time_ns) <=
            static_cast<uint64_t>(MRC_COPY_NS) &&
        before->interface != request->interface)
    {
        request->flags |= MRC_COPY;
        request->related = const_cast<mrc_analysis*>(before);
        half->has_copies = true;
        return;
    }
    request->flags |= MRC_REQUESTS_ANSWER;
    mrc_flow_add_request(half, id, request);
}

void
see_probe(mrc_half* half, mrc_analysis* probe, const mrc_packet* packet)
{
    see_request(half, probe, packet->peth.probeId);
    if (half->peer != nullptr || packet->peth.spdcid == 0)
    {
        return;
    }
    // A probe names its QP: where its answers will go.
    mrc_half* answers = mrc_flow_find_half(&half->destination, &half->source, packet->peth.spdcid);
    if (answers != nullptr && answers->peer == nullptr)
    {
        answers->peer = half;
        half->peer = answers;
    }
}

void
see_endpoint_response(mrc_analysis* answer, const mrc_packet* packet)
{
    mrc_half* half = mrc_flow_find_half(&packet->dst, &packet->src, mrc::ENDPOINT_QP);
    if (half == nullptr)
    {
        return;
    }
    answer->half->peer = half;
    half->peer = answer->half;
    answer->half->stream = half->stream;
    answer->half = half;
    answer_request(half, answer, static_cast<uint16_t>(packet->bth.psn));
}

mrc_analysis*
see_packet(packet_info* pinfo, const mrc_packet* packet)
{
    mrc_analysis* analysis = mrc_flow_add_frame(pinfo->num);
    analysis->time_ns = nanoseconds(pinfo->abs_ts);
    analysis->interface = interface_of(pinfo);
    analysis->ev = packet->ev;
    mrc_half* half = mrc_flow_half(&packet->src, &packet->dst, packet->bth.destinationQp);
    analysis->half = half;
    if (mrc_is_write(packet))
    {
        see_write(half, analysis, packet);
    }
    else if ((packet->headers & MRC_HAS_SACK) != 0)
    {
        see_sack(half, analysis, packet);
    }
    else if ((packet->headers & MRC_HAS_NACK) != 0)
    {
        see_nack(half, analysis, packet);
    }
    else if ((packet->headers & MRC_HAS_AETH) != 0)
    {
        see_acknowledge(half, analysis, packet);
    }
    else if ((packet->headers & MRC_HAS_PETH) != 0)
    {
        see_probe(half, analysis, packet);
    }
    else if (packet->bth.opcode == mrc::Opcode::ENDPOINT_REQUEST)
    {
        see_request(half, analysis, static_cast<uint16_t>(packet->bth.psn));
    }
    else if (packet->bth.opcode == mrc::Opcode::ENDPOINT_RESPONSE)
    {
        see_endpoint_response(analysis, packet);
    }
    analysis->stream = half->stream;
    analysis->source_qp = half->peer != nullptr ? half->peer->dqp : 0;
    return analysis;
}

} // namespace

void
mrc_links_packet(packet_info* pinfo, proto_tree* tree, tvbuff_t* tvb, mrc_packet* packet)
{
    if (pinfo->flags.in_error_pkt || (packet->headers & MRC_HAS_BTH) == 0)
    {
        return; // a packet quoted by ICMP was not sent here
    }
    mrc_analysis* analysis = mrc_flow_frame(pinfo->num);
    if (analysis == nullptr && !PINFO_FD_VISITED(pinfo))
    {
        analysis = see_packet(pinfo, packet);
    }
    packet->analysis = analysis;
    if (analysis != nullptr)
    {
        mrc_analysis_show(pinfo, tree, tvb, packet);
    }
}

void
mrc_register_links(int proto)
{
    mrc_flow_register();
    mrc_analysis_register(proto);
}
