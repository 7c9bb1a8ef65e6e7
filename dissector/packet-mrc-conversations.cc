// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Conversations and endpoints per QP: a QP number takes the place of a port.
#include "packet-mrc-flow.h"
#include "packet-mrc-stats.h"

#include <epan/conversation_table.h>

namespace
{

const char*
address_filter(const address& one, const char* v6, const char* v4)
{
    return one.type == AT_IPv6 ? v6 : one.type == AT_IPv4 ? v4 : CONV_FILTER_INVALID;
}

const char*
conversation_filter(conv_item_t* item, conv_filter_type_e kind)
{
    switch (kind)
    {
    case CONV_FT_SRC_ADDRESS:
        return address_filter(item->src_address, "ipv6.src", "ip.src");
    case CONV_FT_DST_ADDRESS:
        return address_filter(item->dst_address, "ipv6.dst", "ip.dst");
    case CONV_FT_ANY_ADDRESS:
        return address_filter(item->src_address, "ipv6.addr", "ip.addr");
    case CONV_FT_DST_PORT:
        return "mrc.bth.dqp";
    default:
        return "mrc.analysis.qp";
    }
}

const char*
endpoint_filter(endpoint_item_t* item, conv_filter_type_e kind)
{
    switch (kind)
    {
    case CONV_FT_SRC_ADDRESS:
        return address_filter(item->myaddress, "ipv6.src", "ip.src");
    case CONV_FT_DST_ADDRESS:
        return address_filter(item->myaddress, "ipv6.dst", "ip.dst");
    case CONV_FT_ANY_ADDRESS:
        return address_filter(item->myaddress, "ipv6.addr", "ip.addr");
    case CONV_FT_DST_PORT:
        return "mrc.bth.dqp";
    default:
        return "mrc.analysis.qp";
    }
}

ct_dissector_info_t conversation_info = {&conversation_filter};
et_dissector_info_t endpoint_info = {&endpoint_filter};

/**
 * Write a QP number into the row of its connection. A packet names the QP that it goes to only, so
 * rows are kept by the number of the connection and get their QP numbers as these are seen.
 */
void
name_qp(conv_hash_t* table, const mrc_packet* packet)
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
            (is_forward ? item.dst_port : item.src_port) = packet->bth.destinationQp;
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
                                             CONVERSATION_IBQP);
    name_qp(table, packet);
    return TAP_PACKET_REDRAW;
}

tap_packet_status
endpoint_packet(
    void* data, packet_info* pinfo, epan_dissect_t*, const void* tapped, tap_flags_t flags)
{
    const auto packet = static_cast<const mrc_packet*>(tapped);
    const auto table = static_cast<conv_hash_t*>(data);
    table->flags = flags;
    const auto bytes = static_cast<int>(pinfo->fd->pkt_len);
    add_endpoint_table_data(table,
                            &packet->dst,
                            packet->bth.destinationQp,
                            FALSE,
                            1,
                            bytes,
                            &endpoint_info,
                            ENDPOINT_IBQP);
    if (packet->analysis != nullptr && packet->analysis->source_qp != 0)
    {
        add_endpoint_table_data(table,
                                &packet->src,
                                packet->analysis->source_qp,
                                TRUE,
                                1,
                                bytes,
                                &endpoint_info,
                                ENDPOINT_IBQP);
    }
    return TAP_PACKET_REDRAW;
}

} // namespace

void
mrc_register_conversations(int proto)
{
    register_conversation_table(proto, FALSE, conversation_packet, endpoint_packet);
}
