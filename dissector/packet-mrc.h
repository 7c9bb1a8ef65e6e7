// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// What the parts of the MRC dissector hand to each other: the decoded packet, the preferences,
/// the decoding of entropy values and the entry points of each part.
#ifndef PACKET_MRC_H
#define PACKET_MRC_H

#include "mrc-bth.h"
#include "mrc-endpoint-op.h"
#include "mrc-header-size.h"
#include "mrc-neth.h"
#include "mrc-opcode.h"
#include "mrc-peth.h"
#include "mrc-psn.h"
#include "mrc-request-headers.h"
#include "mrc-seth.h"
#include "mrc-traffic-class.h"
#include "mrc-usid.h"
#include "packet-mrc-compat.h"

#include <cstdint>

/// Bits of mrc_packet::headers: which headers were captured whole and decoded.
enum mrc_header : uint32_t
{
    MRC_HAS_BTH = 1u << 0,   ///< bth
    MRC_HAS_METH = 1u << 1,  ///< meth
    MRC_HAS_TSETH = 1u << 2, ///< tseth
    MRC_HAS_RETH = 1u << 3,  ///< reth
    MRC_HAS_IMMDT = 1u << 4, ///< immediate
    MRC_HAS_AETH = 1u << 5,  ///< aeth
    MRC_HAS_SACK = 1u << 6,  ///< sack, SETH and CC_STATE
    MRC_HAS_NACK = 1u << 7,  ///< nack
    MRC_HAS_PETH = 1u << 8,  ///< peth
    MRC_HAS_ERTH = 1u << 9,  ///< erth
    MRC_HAS_EETH = 1u << 10  ///< eeth
};

/// How a switch marked the lengths of a packet that it cut.
enum mrc_trim_kind : uint8_t
{
    MRC_NOT_TRIMMED = 0,        ///< whole
    MRC_TRIM_LENGTHS_KEPT = 1,  ///< IP and UDP length are those of the whole packet
    MRC_TRIM_IP_REWRITTEN = 2,  ///< IP length rewritten, UDP length that of the whole packet
    MRC_TRIM_BOTH_REWRITTEN = 3 ///< both rewritten: only the DSCP tells
};

/// Which hop cut a packet, as far as its DSCP says.
enum mrc_trim_hop : uint8_t
{
    MRC_TRIM_HOP_NONE = 0,   ///< not trimmed
    MRC_TRIM_HOP_FABRIC = 1, ///< DSCP TRIMMED: a port between switches
    MRC_TRIM_HOP_LAST = 2,   ///< DSCP TRIMMED_LASTHOP: the port to the receiver
    MRC_TRIM_HOP_UNKNOWN = 3 ///< the lengths say so, the DSCP does not
};

/// What is known about the ICRC.
enum mrc_icrc_status : uint8_t
{
    MRC_ICRC_UNCHECKED = 0, ///< trimmed, cut by the capture, or not asked for
    MRC_ICRC_GOOD = 1,      ///< right
    MRC_ICRC_BAD = 2        ///< wrong
};

struct mrc_analysis;

/**
 * A decoded MRC packet: what links, statistics and the tap "mrc" get.
 *
 * It lives in pinfo->pool, that is until the frame has been dissected. Everything after `headers`
 * that its bit does not announce is zero.
 */
struct mrc_packet
{
    uint32_t headers;   ///< bits of mrc_header
    uint8_t raw_opcode; ///< BTH byte 0 (always one of mrc::Opcode, else it is not MRC)

    mrc::Bth bth;       ///< all fields of the BTH; bth.opcode == raw_opcode
    mrc::Meth meth;     ///< WRITE
    mrc::Tseth tseth;   ///< WRITE with BTH ts
    mrc::Reth reth;     ///< WRITE
    uint32_t immediate; ///< WRITE with immediate
    mrc::Aeth aeth;     ///< transport ACK
    mrc::Sack sack;     ///< SACK
    mrc::Nack nack;     ///< NACK; nack.reason may hold any value
    mrc::Peth peth;     ///< reliability probe
    mrc::Erth erth;     ///< endpoint request
    mrc::Eeth eeth;     ///< endpoint response

    bool has_psn; ///< WRITE: bth.psn counts a packet. Probes and control consume none
    uint32_t psn; ///< WRITE: bth.psn; SACK: cack_psn; NACK: the refused PSN; else 0

    bool has_ev;           ///< the packet's own EV is known (inner IP and UDP header found)
    uint32_t ev;           ///< EV on which this packet travels; IPv4: upper half only
    bool has_reflected_ev; ///< SACK, NACK
    uint32_t reflected_ev; ///< EV of the packet that a SACK or NACK is about

    address src;        ///< inner source (shallow: valid as long as this struct)
    address dst;        ///< inner destination
    uint16_t src_port;  ///< UDP source port
    uint16_t dst_port;  ///< UDP destination port
    uint8_t dscp;       ///< of the outermost header that this packet was carried in, else inner
    uint8_t ecn;        ///< likewise; mrc::CE = marked
    uint8_t inner_dscp; ///< of the header right before UDP
    uint8_t inner_ecn;  ///< likewise

    bool has_carrier;         ///< there is an outer IPv6 header whose DA lies in the uSID block
    mrc::UsidCarrier carrier; ///< that DA
    uint8_t hops_left;        ///< uSIDs that are left in it and in the segments left of an SRH

    mrc_trim_kind trim_kind; ///< MRC_NOT_TRIMMED if whole
    mrc_trim_hop trim_hop;   ///< who cut it
    uint32_t trim_cut_bytes; ///< bytes that were cut off, 0 if not known

    tvbuff_t* tvb;               ///< from the BTH on
    int payload_offset;          ///< RDMA payload in tvb; -1 if none
    uint32_t payload_bytes;      ///< RDMA payload that was sent on this link, without pad
    uint32_t payload_captured;   ///< bytes of it in the capture, <= payload_bytes
    uint32_t full_payload_bytes; ///< payload before a trim, if the lengths tell, else payload_bytes
    uint32_t frame_bytes;        ///< bytes of the frame on the wire, as the capture reports them

    mrc_icrc_status icrc; ///< result of the check

    mrc_analysis* analysis; ///< filled in by mrc_links_packet(), null if linking is off
};

/// @param packet any @return whether it is a WRITE
inline bool
mrc_is_write(const mrc_packet* packet)
{
    return mrc::IsWrite(packet->bth.opcode);
}

/// Preferences, as the user set them.
struct mrc_preferences
{
    range_t* ports;              ///< UDP destination ports
    mrc_pref_bool check_icrc;    ///< verify ICRCs
    mrc_pref_bool link_packets;  ///< keep state that connects packets
    range_t* trimmed_dscps;      ///< DSCPs of packets that a switch cut
    range_t* trimmed_last_dscps; ///< those cut by the port to the receiver
    int ev_order;                ///< mrc::EntropyOrder
    unsigned ev_plane_mask;      ///< bits of an EV that name the plane
    unsigned ev_uplink_mask;     ///< bits that name the uplink of the T0
    unsigned ev_uplink2_mask;    ///< bits that name the uplink of the T1; 0 in two tiers
};

extern mrc_preferences mrc_prefs;
extern int proto_mrc;

/// @param ev an EV @return its plane, by the preference's mask
uint32_t mrc_ev_plane(uint32_t ev);
/// @param ev an EV @return its T0 uplink, by the preference's mask
uint32_t mrc_ev_uplink(uint32_t ev);
/// @param ev an EV @return its T1 uplink, by the preference's mask; 0 in two tiers
uint32_t mrc_ev_uplink2(uint32_t ev);

/// @param scope of the answer @param ev an EV @return "p2/5" or "p2/5/7": plane and uplinks
char* mrc_ev_text(wmem_allocator_t* scope, uint32_t ev);

/**
 * @param scope of the answer
 * @param first the first PSN of a row, 24 bits
 * @param bitmap bit i is about PSN first + i
 * @param count bits to look at, at most 64
 * @param value the bits to list, true or false
 * @return such as "16-20, 22"; "" if there is none
 */
char* mrc_psn_ranges(
    wmem_allocator_t* scope, uint32_t first, uint64_t bitmap, unsigned count, bool value);

/**
 * Name a node by the user's tables.
 *
 * @param block first 32 bits of a carrier
 * @param after the uSID before it in the carrier, 0 if that is not known: uSIDs of NICs have a
 *              meaning only to their T0
 * @param usid the uSID, not 0
 * @param destination inner destination, or null; tells NICs apart when `after` does not
 * @return such as "p2/t1-7", null if the tables have no name or more than one
 */
const char* mrc_usid_name(uint32_t block,
                          uint16_t after,
                          uint16_t usid,
                          const address* destination);

/// @name What the files packet-mrc-{links,stats,follow}.cc provide
/// @{
/// Register fields, expert infos and preferences of links and analysis.
/// @param proto the protocol "mrc"
void mrc_register_links(int proto);

/**
 * Connect a packet with others and add what is known to the tree. Called for each MRC packet after
 * its headers, in every pass, if the preference link_packets is on.
 *
 * @param pinfo the frame; PINFO_FD_VISITED(pinfo) tells the passes apart
 * @param tree the tree of protocol "mrc", null if nobody looks
 * @param tvb from the BTH on
 * @param packet the packet; analysis may be set
 */
void mrc_links_packet(packet_info* pinfo, proto_tree* tree, tvbuff_t* tvb, mrc_packet* packet);

/// Register -z statistics, conversations and endpoints. Tap "mrc" delivers a mrc_packet.
/// @param proto the protocol "mrc"
void mrc_register_stats(int proto);

/// Register the following of a message.
/// @param proto the protocol "mrc"
void mrc_register_follow(int proto);
/// @}

/// The tap "mrc"; each MRC packet is queued as a mrc_packet.
extern int mrc_tap;

#endif // PACKET_MRC_H
