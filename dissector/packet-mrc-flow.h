// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// What is remembered of a capture: QPs by direction, their packets by PSN, messages, EVs.
#ifndef PACKET_MRC_FLOW_H
#define PACKET_MRC_FLOW_H

#include "packet-mrc.h"

struct mrc_half;
struct mrc_message;

//= MRC-REF 2 SACK
/// Largest window that a byte of 128 PSNs can announce.
inline constexpr int64_t MRC_MAX_WINDOW_PSNS = 255 * mrc::MPR_UNIT_PSNS;

/// Longest time between a packet and its copy from another capture point.
inline constexpr int64_t MRC_COPY_NS = 8'000'000;

/// Most transmissions of one PSN that are looked at.
inline constexpr unsigned MRC_MAX_CHAIN = 32;

/// What is said of a frame when it is seen first; it does not change afterwards.
enum mrc_frame_flag : uint16_t
{
    MRC_RETRANSMISSION = 1 << 0,  ///< WRITE: rtx, or its PSN was sent before
    MRC_COPY = 1 << 1,            ///< the same packet as `related`, seen once more
    MRC_OUTSIDE = 1 << 2,         ///< its PSN is far outside the window; not connected
    MRC_SPURIOUS = 1 << 3,        ///< retransmission of a packet that was acknowledged
    MRC_HAS_RTT = 1 << 4,         ///< rtt_ns is valid
    MRC_HAS_GAP = 1 << 5,         ///< ev_gap_ns is valid
    MRC_HAS_IN_FLIGHT = 1 << 6,   ///< in_flight is valid
    MRC_HAS_LOST_EV = 1 << 7,     ///< lost_ev is valid
    MRC_COUNTS_TRIM = 1 << 8,     ///< first frame that tells of this trim
    MRC_COUNTS_MARK = 1 << 9,     ///< first frame that tells of this mark
    MRC_COUNTS_LOSS = 1 << 10,    ///< first frame that tells of this loss
    MRC_COMPLETES = 1 << 11,      ///< SACK or ACK: `message` is complete by it
    MRC_REQUESTS_ANSWER = 1 << 12 ///< probe, endpoint request: next_frame answers it
};

/// What happened to a WRITE by what was seen later.
enum mrc_fate : uint8_t
{
    MRC_ACKED = 1 << 0,     ///< a SACK covers it
    MRC_NACKED = 1 << 1,    ///< a NACK refused it
    MRC_IN_FLIGHT = 1 << 2, ///< counted in bytes in flight
    MRC_TRIM_SEEN = 1 << 3, ///< cut by a switch
    MRC_MARK_SEEN = 1 << 4, ///< marked by a switch
    MRC_LOSS_SEEN = 1 << 5  ///< lost: sent again without a NACK
};

/// State of an EV as far as the capture tells.
//= MRC-REF 4 EV states
enum mrc_ev_condition : uint8_t
{
    MRC_EV_GOOD = 0,       ///< nothing is known against it
    MRC_EV_SKIP = 1,       ///< marked or trimmed: the rotation passes over it once
    MRC_EV_ASSUMED_BAD = 2 ///< lost a packet, or the responder said ALWAYS_SKIP
};

/**
 * One frame with an MRC packet. Kept until the file is closed; about 130 bytes.
 *
 * Times are ns. Everything but next_frame, sack_*, nack_frame, next_acked and fate is settled when
 * the frame is seen first, so that one pass and two show the same.
 */
struct mrc_analysis
{
    mrc_half* half;           ///< the QP in the direction of the *data* that this is about
    mrc_message* message;     ///< WRITE: its message; SACK, ACK: the first one completed by it
    mrc_analysis* related;    ///< WRITE: transmission before; copy: original; answer: what it is
                              ///< about (trigger, refused packet, request)
    mrc_analysis* next_acked; ///< SACK: first packet acknowledged by it; WRITE: next one of that
    int64_t time_ns;          ///< when
    uint64_t psn;             ///< WRITE, SACK (cack_psn), NACK: extended to 64 bits
    int64_t rtt_ns;           ///< answers: since what they answer
    int64_t sack_after_ns;    ///< WRITE: until the first SACK that covers it
    int64_t ev_gap_ns;        ///< WRITE: since the QP's packet before on this EV
    uint32_t frame;           ///< its number
    uint32_t next_frame;      ///< WRITE: retransmission; request: answer; 0 if none
    uint32_t sack_frame;      ///< WRITE: the first SACK that covers it; 0 if none
    uint32_t nack_frame;      ///< WRITE: the NACK that refused it; 0 if none
    uint32_t ev;              ///< on which it travels
    uint32_t lost_ev;         ///< on which the transmission before was lost
    uint32_t payload;         ///< WRITE: payload bytes before any trim; SACK: newly acknowledged
    uint32_t in_flight;       ///< WRITE: payload bytes sent and not acknowledged, this one included
    uint32_t ooo_distance;    ///< WRITE: highest PSN seen - its own, 0 if in order;
                              ///< SACK: packets newly acknowledged
    uint32_t stream;          ///< number of the QP, the same in both directions
    uint32_t source_qp;       ///< QP that sent it, as far as known then; 0 if not
    uint16_t tx_timestamp;    ///< WRITE: of the TSETH
    uint16_t interface;       ///< number of the capture interface
    uint16_t flags;           ///< bits of mrc_frame_flag
    uint8_t fate;             ///< bits of mrc_fate
    uint8_t transmission;     ///< WRITE: 1 = first
    mrc_ev_condition ev_state; ///< of its EV, before it was sent
    bool has_timestamp;        ///< tx_timestamp is valid
    bool rtx;                  ///< BTH rtx
};

static_assert(sizeof(mrc_analysis) <= 136, "there is one for each packet");

/// A message of a QP.
struct mrc_message
{
    uint64_t msn;             ///< extended to 64 bits
    mrc_message* next;        ///< next MSN seen of this QP
    uint64_t base_va;         ///< where it starts, if has_first
    uint64_t lowest_psn;      ///< of its packets that were seen
    uint64_t last_psn;        ///< if has_last
    int64_t first_ns;         ///< its first packet seen
    int64_t transfer_ns;      ///< first to last packet; -1 if not known at the last one
    int64_t completion_ns;    ///< first packet to completion; -1 if not known then
    uint32_t number;          ///< in the capture, from 0
    uint32_t first_frame;     ///< its first packet seen
    uint32_t last_frame;      ///< first sight of its last packet, 0 if it was not seen
    uint32_t completed_frame; ///< SACK or ACK that completed it, 0 if none
    uint32_t dma_bytes;       ///< its length
    uint32_t r_key;           ///< its memory region
    uint32_t packets;         ///< transmissions seen
    uint32_t retransmissions; ///< those that were not the first, until it was complete
    uint32_t packets_at_last; ///< packets when its last packet was seen first
    bool has_first;           ///< First or Only was seen
    bool has_last;            ///< Last or Only was seen
};

/// One EV of a QP.
struct mrc_ev
{
    int64_t last_ns;        ///< last WRITE on it
    uint8_t probe_answers;  ///< unmarked answers since it was assumed bad
    mrc_ev_condition state; ///< see there
};

/// Sixteen neighbouring PSNs.
struct mrc_psn_block
{
    uint64_t number;        ///< PSN / 16
    mrc_analysis* sent[16]; ///< latest transmission of each
    uint16_t acked;         ///< bit i: a SACK covers PSN number * 16 + i
};

/// A SACK lately seen, to know its copies.
struct mrc_recent_sack
{
    uint64_t print;         ///< hash of what it says
    mrc_analysis* analysis; ///< its frame
};

/// SACKs remembered for copies.
inline constexpr unsigned MRC_RECENT_SACKS = 32;

struct mrc_pair;

/// All packets to one QP of one address from one address: one direction of a connection.
struct mrc_half
{
    address source;         ///< inner source
    address destination;    ///< inner destination
    uint32_t dqp;           ///< destination QP
    const char* name;       ///< of the end that it goes to, null before it was asked for
    uint32_t stream;        ///< number of the connection
    mrc_half* peer;         ///< the other direction, null while it is not known
    mrc_half* next_in_pair; ///< another one between the same addresses, same direction
    mrc_pair* pair;         ///< all of these addresses, this direction

    wmem_map_t* blocks;   ///< mrc_psn_block by number
    mrc_psn_block* block; ///< the one used last
    wmem_map_t* evs;      ///< mrc_ev by EV
    wmem_map_t* messages; ///< mrc_message by MSN
    mrc_message* message; ///< the one used last
    mrc_message* oldest;  ///< oldest one that is not complete
    mrc_message* newest;  ///< highest MSN
    wmem_map_t* requests; ///< probe or endpoint request by id
    mrc_recent_sack* recent_sacks;

    uint64_t first;      ///< first PSN seen
    uint64_t highest;    ///< highest PSN seen
    uint64_t cack;       ///< highest PSN acknowledged in order, if has_cack
    uint64_t stray;      ///< PSN of the last packet far outside
    int64_t in_flight;   ///< payload bytes sent and not acknowledged
    uint32_t strays;     ///< packets near `stray` in a row
    uint32_t mismatches; ///< answers in a row that do not fit `peer`
    uint16_t sack_count; ///< modulo 2^16
    uint8_t mpr;         ///< window that the last SACK announced, 0 if none
    bool has_psn;        ///< a WRITE was seen
    bool has_cack;       ///< a SACK was seen
    bool has_copies;     ///< packets were seen at several capture points
};

/// Register what forgets everything when a file is closed.
void mrc_flow_register();

/// @param source,destination inner addresses @param dqp destination QP
/// @return that direction of a QP, made if it is new
mrc_half* mrc_flow_half(const address* source, const address* destination, uint32_t dqp);

/// @param source,destination inner addresses @param dqp destination QP
/// @return that direction of a QP, null if it was not seen
mrc_half* mrc_flow_find_half(const address* source, const address* destination, uint32_t dqp);

/// @param half a direction @return its destination, such as "fd6d:7264::1 QP 0x000123"
const char* mrc_flow_end(mrc_half* half);

/// What an answer says about the data that it answers.
struct mrc_evidence
{
    bool has_psn;           ///< psn, ev and tx_timestamp are those of a packet of the data
    uint32_t psn;           ///< 24 bits
    uint32_t ev;            ///< reflected
    uint16_t tx_timestamp;  ///< reflected
    uint16_t source_qp_low; ///< low 16 bits of the answering QP as the packet says, 0 = not said
};

/**
 * The direction whose data an answer is about. QPs of one pair are told apart by PSN, EV and time
 * stamp, then by the QP number that the answer gives.
 *
 * @param answers direction of the answer
 * @param evidence what it says
 * @return the data's direction, null if none fits
 */
mrc_half* mrc_flow_data_of(mrc_half* answers, const mrc_evidence& evidence);

/// @param half with a PSN seen @param wire 24 bits @return nearest 64-bit PSN
uint64_t mrc_flow_extend(const mrc_half* half, uint32_t wire);

/// @param half a direction @param psn extended @return its block, null if no packet of it was seen
mrc_psn_block* mrc_flow_find_block(mrc_half* half, uint64_t psn);

/// @param half a direction @param psn extended @return its block, made if it is new
mrc_psn_block* mrc_flow_block(mrc_half* half, uint64_t psn);

/// @param half a direction @param psn extended @return latest transmission, null if not seen
mrc_analysis* mrc_flow_sent(mrc_half* half, uint64_t psn);

/**
 * The transmission of a PSN that an answer is about.
 *
 * @param half direction of the data
 * @param psn extended
 * @param ev reflected EV
 * @return the latest transmission on that EV, null if there is none
 */
mrc_analysis* mrc_flow_sent_on(mrc_half* half, uint64_t psn, uint32_t ev);

/// @param half a direction @param ev an EV @return its state, made if it is new
mrc_ev* mrc_flow_ev(mrc_half* half, uint32_t ev);

/**
 * @param half direction of the data
 * @param msn 16 bits
 * @return the message of that number, null if none was seen
 */
mrc_message* mrc_flow_find_message(mrc_half* half, uint16_t msn);

/// @param half direction of the data @param msn 16 bits @return a new message of that number
mrc_message* mrc_flow_add_message(mrc_half* half, uint16_t msn);

/// @param half a direction @param id of a request @return its request, null if none was seen
mrc_analysis* mrc_flow_request(mrc_half* half, uint16_t id);
/// @param half a direction @param id of a request @param request what to remember
void mrc_flow_add_request(mrc_half* half, uint16_t id, mrc_analysis* request);

/// @param frame number of a frame @return what is known of it, null if nothing
mrc_analysis* mrc_flow_frame(uint32_t frame);
/// @param frame number of a frame @return a new entry for it
mrc_analysis* mrc_flow_add_frame(uint32_t frame);

#endif // PACKET_MRC_FLOW_H
