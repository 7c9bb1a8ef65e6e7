// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Conversations and endpoints per QP.
#include "packet-mrc-flow.h"
#include "packet-mrc-stats.h"

#include <cstring>
#include <epan/conversation_table.h>

namespace
{

// tshark shows ports for a few protocols of its own only, so an end is a text that holds the
// address and the QP number. The field mrc.end has the same text, for filters.

const char*
conversation_filter(conv_item_t*, conv_filter_type_e kind)
{
    switch (kind)
    {
    case CONV_FT_DST_ADDRESS:
        return "mrc.end.destination";
    case CONV_FT_SRC_ADDRESS:
        return "mrc.end.source";
    case CONV_FT_ANY_ADDRESS:
        return "mrc.end";
    default:
        return CONV_FILTER_INVALID;
    }
}

const char*
endpoint_filter(endpoint_item_t*, conv_filter_type_e kind)
{
    return conversation_filter(nullptr, kind);
}

ct_dissector_info_t conversation_info = {&conversation_filter};
et_dissector_info_t endpoint_info = {&endpoint_filter};

address
text_address(const char* text)
{
    address end{};
    set_address(&end, AT_STRINGZ, static_cast<int>(strlen(text) + 1), text);
    return end;
}

/// Give one end of a row its name, once.
void
name_end(address* end, mrc_half* half)
{
    if (end->type == AT_STRINGZ || half == nullptr)
    {
        return;
    }
    // The table's key goes on pointing to the bytes that the address held, so they are not freed.
    const char* text = mrc_flow_end(half);
    alloc_address_wmem(nullptr, end, AT_STRINGZ, static_cast<int>(strlen(text) + 1), text);
}

/**
 * Name the ends of a connection's row. A packet names the QP that it goes to only, so rows are kept
 * by the number of the connection and get their QP numbers as these are seen.
 */
void
name_row(conv_hash_t* table, const mrc_packet* packet, mrc_half* half)
{
    conv_key_t key{};
    key.conv_id = packet->analysis->stream;
    for (const bool is_forward : {true, false})
    {
        key.addr1 = is_forward ? packet->src : packet->dst;
        key.addr2 = is_forward ? packet->dst : packet->src;
        gpointer index = nullptr;
        if (table->hashtable != nullptr &&
            g_hash_table_lookup_extended(table->hashtable, &key, nullptr, &index) != 0)
        {
            conv_item_t& item =
                g_array_index(table->conv_array, conv_item_t, GPOINTER_TO_UINT(index));
            name_end(is_forward ? &item.dst_address : &item.src_address, half);
            return;
        }
    }
}

tap_packet_status
conversation_packet(
    void* data, packet_info* pinfo, epan_dissect_t*, const void* tapped, tap_flags_t flags)
{
    const auto packet = static_cast<const mrc_packet*>(tapped);
    if (packet->analysis == nullptr)
    {
        return TAP_PACKET_DONT_REDRAW;
    }
    const auto table = static_cast<conv_hash_t*>(data);
    table->flags = flags;
    add_conversation_table_data_with_conv_id(table,
                                             &packet->src,
                                             &packet->dst,
                                             0,
                                             0,
                                             packet->analysis->stream,
                                             1,
                                             static_cast<int>(pinfo->fd->pkt_len),
                                             &pinfo->rel_ts,
                                             &pinfo->abs_ts,
                                             &conversation_info,
                                             CONVERSATION_NONE);
    name_row(
        table, packet, mrc_flow_find_half(&packet->src, &packet->dst, packet->bth.destinationQp));
    return TAP_PACKET_REDRAW;
}

void
add_end(conv_hash_t* table, mrc_half* half, bool is_sender, int bytes)
{
    if (half != nullptr)
    {
        const address end = text_address(mrc_flow_end(half));
        add_endpoint_table_data(table, &end, 0, is_sender, 1, bytes, &endpoint_info, ENDPOINT_NONE);
    }
}

tap_packet_status
endpoint_packet(
    void* data, packet_info* pinfo, epan_dissect_t*, const void* tapped, tap_flags_t flags)
{
    const auto packet = static_cast<const mrc_packet*>(tapped);
    if (packet->analysis == nullptr)
    {
        return TAP_PACKET_DONT_REDRAW;
    }
    const auto table = static_cast<conv_hash_t*>(data);
    table->flags = flags;
    const auto bytes = static_cast<int>(pinfo->fd->pkt_len);
    add_end(table,
            mrc_flow_find_half(&packet->src, &packet->dst, packet->bth.destinationQp),
            false,
            bytes);
    if (packet->analysis->source_qp != 0)
    {
        add_end(table,
                mrc_flow_find_half(&packet->dst, &packet->src, packet->analysis->source_qp),
                true,
                bytes);
    }
    return TAP_PACKET_REDRAW;
}

} // namespace

void
mrc_register_conversations(int proto)
{
    register_conversation_table(proto, TRUE, conversation_packet, endpoint_packet);
}
