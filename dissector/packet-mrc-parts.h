// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// What the decoding files of the MRC dissector share among themselves.
#ifndef PACKET_MRC_PARTS_H
#define PACKET_MRC_PARTS_H

#include "packet-mrc.h"

#include <cstddef>
#include <epan/expert.h>

/// One field of a header: where it is. Masks are in the field's registration.
struct mrc_field
{
    const int* hf; ///< the registered field
    int offset;    ///< first byte in the header
    int bytes;     ///< length
};

/**
 * Add the fields of a header that are there.
 *
 * @param tree where
 * @param tvb the packet
 * @param offset of the header
 * @param available bytes of the header that are there
 * @param fields what to add
 */
template <size_t N>
void
mrc_add_fields(
    proto_tree* tree, tvbuff_t* tvb, int offset, int available, const mrc_field (&fields)[N])
{
    for (const mrc_field& field : fields)
    {
        if (field.offset + field.bytes <= available)
        {
            proto_tree_add_item(
                tree, *field.hf, tvb, offset + field.offset, field.bytes, ENC_BIG_ENDIAN);
        }
    }
}

/// Add a number that is worked out, not read. @return its item
inline proto_item*
mrc_add_generated(proto_tree* tree, int hf, tvbuff_t* tvb, int offset, int bytes, uint32_t value)
{
    proto_item* const item = proto_tree_add_uint(tree, hf, tvb, offset, bytes, value);
    proto_item_set_generated(item);
    return item;
}

/// Add a text that is worked out, not read. @return its item
inline proto_item*
mrc_add_generated(proto_tree* tree, int hf, tvbuff_t* tvb, int offset, int bytes, const char* value)
{
    proto_item* const item = proto_tree_add_string(tree, hf, tvb, offset, bytes, value);
    proto_item_set_generated(item);
    return item;
}

/// A line of text that is put together without formatting functions; cut when it is full.
class mrc_line
{
  public:
    mrc_line()
    {
        m_text[0] = 0; // and not all of it: there is one for each packet
    }

    /// @param text to append @return this
    mrc_line& text(const char* text);
    /// @param value to append, decimal @return this
    mrc_line& dec(uint64_t value);
    /// @param value to append after 0x @param digits at least that many @return this
    mrc_line& hex(uint64_t value, unsigned digits);
    /// @param ev to append as mrc_ev_text() writes it @return this
    mrc_line& ev(uint32_t ev);
    /// Append PSNs as mrc_psn_ranges() writes them. @param most ranges at most @return this
    mrc_line& psns(uint32_t first, uint64_t bitmap, unsigned count, bool value, unsigned most);

    /// @return the line so far
    const char* c_str() const
    {
        return m_text;
    }

    /// @return whether nothing was appended
    bool empty() const
    {
        return m_used == 0;
    }

  private:
    char m_text[1024]; ///< always ends in a zero
    size_t m_used = 0; ///< bytes before that zero
};

/// The headers below the BTH.
struct mrc_lower
{
    const uint8_t* ip;     ///< inner IP header, null if it was not found
    int ip_offset;         ///< where in the data source
    uint32_t ip_bytes;     ///< header, with options or extension headers
    uint32_t ip_length;    ///< header and payload by its length field; 0 = jumbogram
    bool is_ipv6;          ///< else IPv4
    uint8_t traffic_class; ///< of the inner header
    uint32_t flow_label;   ///< IPv6
    uint16_t udp_bytes;    ///< length field of the UDP header
};

/// The IP header around another IP header, noted on the way to the inner one.
struct mrc_outer
{
    tvbuff_t* source;         ///< data source of both headers
    int inner_offset;         ///< where the inner header begins in it
    int ip_offset;            ///< where the outer header begins, -1 if it was not found
    uint32_t ip_length;       ///< header and payload by the outer length field
    uint8_t traffic_class;    ///< of the outer header
    bool has_carrier;         ///< its destination lies in the uSID block
    mrc::UsidCarrier carrier; ///< that destination
    uint8_t hops_left;        ///< uSIDs left in it and in the segments left of an SRH
};

/// Find the IP and UDP header before the BTH. @param tvb from the BTH on
void mrc_find_lower(tvbuff_t* tvb, packet_info* pinfo, mrc_lower& lower);

/// @return the IP header around the inner one, null if there is none
const mrc_outer* mrc_find_outer(tvbuff_t* tvb, packet_info* pinfo, const mrc_lower& lower);

/// Fill in addresses, EV, ECN and trimming.
void mrc_read_lower(tvbuff_t* tvb, packet_info* pinfo, const mrc_lower& lower, mrc_packet& packet);

/// Check the ICRC of a packet that is whole. @param computed what it should be
mrc_icrc_status mrc_check_icrc(tvbuff_t* tvb,
                               const mrc_lower& lower,
                               const mrc_packet& packet,
                               uint32_t& computed);

/// @name Headers
/// Each registers its fields, decodes its part of the packet, and adds it to a tree.
/// @{
void mrc_register_requests(int proto);
void mrc_register_sack(int proto);
void mrc_register_control(int proto);

/// Decode the headers behind the BTH into the packet. @return bytes of them, as the opcode demands
int mrc_decode_headers(tvbuff_t* tvb, mrc_packet& packet);

/// Add a WRITE's headers. @return offset behind them
int mrc_show_requests(tvbuff_t* tvb,
                      packet_info* pinfo,
                      proto_tree* tree,
                      const mrc_packet& packet);
/// Add the headers of a SACK.
void mrc_show_sack(tvbuff_t* tvb, proto_tree* tree, const mrc_packet& packet);
/// Add the header of a NACK, probe, endpoint operation or transport ACK.
void mrc_show_control(tvbuff_t* tvb,
                      packet_info* pinfo,
                      proto_tree* tree,
                      const mrc_packet& packet);
/// @}

/// Write the info column's text.
void mrc_summarize(const mrc_packet& packet, mrc_line& line);

/// Add an EV and its parts. @param reflected whether it is that of another packet
void mrc_show_ev(proto_tree* tree, tvbuff_t* tvb, uint32_t ev, bool reflected);

/// @param opcode any @return its name
const char* mrc_opcode_name(uint8_t opcode);
/// @param reason of a NACK @return its name
const char* mrc_nack_name(uint8_t reason);

/// Register ports, heuristic and the routines that take ports over. @param handle of "mrc"
void mrc_register_ports(int proto, dissector_handle_t handle);
/// Once all dissectors are registered.
void mrc_handoff_ports();

/**
 * @param tvb from the first byte behind UDP
 * @param strict also look at bits that senders leave zero
 * @return whether that can be an MRC packet
 */
bool mrc_accepts(tvbuff_t* tvb, packet_info* pinfo, bool strict);

/// The uSIDs of a carrier.
struct mrc_usid_list
{
    uint32_t block;    ///< first 32 bits
    unsigned count;    ///< uSIDs before the first empty place
    uint32_t usid[14]; ///< the uSIDs
    int bytes;         ///< of a uSID
    int block_bytes;   ///< before the first
};

/// Preferences of "srv6", as the user set them.
struct mrc_carrier_preferences
{
    const char* prefixes;          ///< destinations that are carriers, separated by commas
    unsigned block_bits = 32;      ///< before the first uSID
    unsigned usid_bits = 16;       ///< of a uSID
    unsigned first_hop_limit = 64; ///< of the outer header when it leaves the sender
};

extern mrc_carrier_preferences mrc_carriers;

/// @param address 16 bytes @return whether it is a carrier
bool mrc_is_carrier(const uint8_t* address);
/// @param address 16 bytes of a carrier @return its uSIDs
mrc_usid_list mrc_read_carrier(const uint8_t* address);
/// Register the preferences of "srv6". @param proto the protocol
void mrc_register_carriers(int proto);
/// Take over what the user set.
void mrc_apply_carriers();

/// Register the protocol "srv6".
void mrc_register_usid();
/// Once all dissectors are registered.
void mrc_handoff_usid();

/// Register the tables of node names. @param module preferences of "srv6"
void mrc_register_names(struct pref_module* module);
/// Read the file that the preference names, if it changed.
void mrc_load_name_file();

#endif // PACKET_MRC_PARTS_H
