// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Follows a message: its payload in the order of its addresses, whatever the packets' order was.
#include "packet-mrc-flow.h"

#include <cstring>
#include <epan/follow.h>
#include <epan/to_str.h>

namespace
{

//= MRC-REF 2 Request headers
// RETH is in each packet of a message, so the address tells where its payload belongs.

gchar*
message_filter(guint message)
{
    return g_strdup_printf("mrc.message == %u", message);
}

#if MRC_WIRESHARK_AT_LEAST(4, 4)
gchar*
conversation_filter(epan_dissect_t*, packet_info* pinfo, guint* stream, guint* sub_stream)
{
    *sub_stream = 0;
#else
gchar*
conversation_filter(epan_dissect_t*, packet_info* pinfo, guint* stream, guint*)
{
#endif
    const mrc_analysis* analysis = mrc_flow_frame(pinfo->num);
    if (analysis == nullptr || analysis->message == nullptr)
    {
        return nullptr;
    }
    *stream = analysis->message->number;
    return message_filter(*stream);
}

gchar*
index_filter(guint stream, guint)
{
    return message_filter(stream);
}

gchar*
address_filter(address* source, address* destination, int source_qp, int destination_qp)
{
    const char* kind = source->type == AT_IPv6 ? "ipv6" : "ip";
    char* from = address_to_str(nullptr, source);
    char* to = address_to_str(nullptr, destination);
    gchar* filter = g_strdup_printf("mrc.message && ((%s.src == %s && %s.dst == %s && "
                                    "mrc.bth.dqp == %d) || (%s.src == %s && %s.dst == %s && "
                                    "mrc.bth.dqp == %d))",
                                    kind,
                                    from,
                                    kind,
                                    to,
                                    destination_qp,
                                    kind,
                                    to,
                                    kind,
                                    from,
                                    source_qp);
    wmem_free(nullptr, from);
    wmem_free(nullptr, to);
    return filter;
}

gchar*
qp_text(wmem_allocator_t* scope, guint port)
{
    return wmem_strdup_printf(scope, "0x%06x", port);
}

/// A piece of a message; in the list before the record that Wireshark knows of.
struct piece
{
    follow_record_t record; ///< must be first: the list is read as one of records
    uint64_t from;          ///< address of its first byte
    uint64_t bytes;         ///< addresses that it covers
    bool is_gap;            ///< nothing of it was captured; the record holds a text
};

void
say_missing(piece* gap)
{
    char* text = g_strdup_printf("[%" G_GUINT64_FORMAT " bytes missing in capture]", gap->bytes);
    g_byte_array_set_size(gap->record.data, 0);
    g_byte_array_append(
        gap->record.data, reinterpret_cast<const guint8*>(text), static_cast<guint>(strlen(text)));
    g_free(text);
}

piece*
make_piece(packet_info* pinfo, uint64_t from, uint64_t bytes)
{
    piece* made = g_new0(piece, 1);
    made->record.packet_num = pinfo->num;
    made->record.abs_ts = pinfo->abs_ts;
    made->record.data = g_byte_array_new();
    made->from = from;
    made->bytes = bytes;
    return made;
}

piece*
make_gap(packet_info* pinfo, uint64_t from, uint64_t bytes)
{
    piece* gap = make_piece(pinfo, from, bytes);
    gap->is_gap = true;
    say_missing(gap);
    return gap;
}

/// Put a new piece into a gap of the list, what the gap has left on both sides stays.
GList*
fill_gap(GList* pieces, GList* at, piece* data, packet_info* pinfo)
{
    const auto gap = static_cast<piece*>(at->data);
    const uint64_t end = gap->from + gap->bytes;
    const uint64_t data_end = data->from + data->bytes;
    // The list is in falling order of addresses: what follows in the message comes before.
    pieces = g_list_insert_before(pieces, at, data);
    if (data_end < end)
    {
        pieces = g_list_insert_before(pieces, at->prev, make_gap(pinfo, data_end, end - data_end));
    }
    gap->bytes = data->from - gap->from;
    if (gap->bytes == 0)
    {
        g_byte_array_free(gap->record.data, TRUE);
        g_free(gap);
        return g_list_delete_link(pieces, at);
    }
    say_missing(gap);
    return pieces;
}

void
add_payload(follow_info_t* info, packet_info* pinfo, const mrc_packet* packet)
{
    const uint64_t from = packet->reth.va;
    const uint64_t bytes = packet->payload_bytes;
    const mrc_message* message = packet->analysis->message;
    const uint64_t base = message->has_first ? message->base_va : from;
    if (info->payload == nullptr)
    {
        const uint64_t all = message->has_first ? message->dma_bytes : bytes;
        info->payload = g_list_prepend(nullptr, make_gap(pinfo, base, all));
    }
    GList* at = info->payload;
    for (; at != nullptr; at = at->next)
    {
        const auto one = static_cast<const piece*>(at->data);
        if (from >= one->from)
        {
            break;
        }
    }
    GList* pieces = info->payload;
    if (at == nullptr)
    {
        // Before everything known: the first packets of the message are not in the capture.
        const auto lowest = static_cast<piece*>(g_list_last(pieces)->data);
        pieces = g_list_append(pieces, make_gap(pinfo, from, lowest->from - from));
        at = g_list_last(pieces);
    }
    auto one = static_cast<piece*>(at->data);
    if (from >= one->from + one->bytes)
    {
        const uint64_t end = one->from + one->bytes;
        pieces = g_list_insert_before(pieces, at, make_gap(pinfo, end, from + bytes - end));
        at = at->prev;
        one = static_cast<piece*>(at->data);
    }
    if (!one->is_gap || from + bytes > one->from + one->bytes)
    {
        info->payload = pieces;
        return; // sent again, or not where it can be
    }
    piece* data = make_piece(pinfo, from, bytes);
    const uint32_t captured = packet->payload_captured;
    if (captured > 0)
    {
        g_byte_array_append(
            data->record.data,
            tvb_get_ptr(packet->tvb, packet->payload_offset, static_cast<int>(captured)),
            captured);
    }
    if (captured < bytes)
    {
        char* text =
            g_strdup_printf("[%" G_GUINT64_FORMAT " bytes not captured]", bytes - captured);
        g_byte_array_append(data->record.data,
                            reinterpret_cast<const guint8*>(text),
                            static_cast<guint>(strlen(text)));
        g_free(text);
    }
    info->payload = fill_gap(pieces, at, data, pinfo);
    info->bytes_written[FROM_CLIENT] += captured;
}

tap_packet_status
follow_packet(void* tapdata, packet_info* pinfo, epan_dissect_t*, const void* tapped, tap_flags_t)
{
    const auto info = static_cast<follow_info_t*>(tapdata);
    const auto packet = static_cast<const mrc_packet*>(tapped);
    if (!mrc_is_write(packet) || packet->analysis == nullptr ||
        packet->analysis->message == nullptr || (packet->headers & MRC_HAS_RETH) == 0 ||
        packet->trim_kind != MRC_NOT_TRIMMED || packet->payload_offset < 0 ||
        packet->payload_bytes == 0 || (packet->analysis->flags & MRC_OUTSIDE) != 0)
    {
        return TAP_PACKET_DONT_REDRAW;
    }
    if (info->client_ip.type == AT_NONE)
    {
        const mrc_half* half = packet->analysis->half;
        copy_address(&info->client_ip, &packet->src);
        copy_address(&info->server_ip, &packet->dst);
        info->client_port = half->peer != nullptr ? half->peer->dqp : 0;
        info->server_port = half->dqp;
    }
    add_payload(info, pinfo, packet);
    return TAP_PACKET_DONT_REDRAW;
}

} // namespace

void
mrc_register_follow(int proto)
{
#if MRC_WIRESHARK_AT_LEAST(4, 4)
    register_follow_stream(proto,
                           "mrc",
                           conversation_filter,
                           index_filter,
                           address_filter,
                           qp_text,
                           follow_packet,
                           nullptr,
                           nullptr);
#else
    register_follow_stream(
        proto, "mrc", conversation_filter, index_filter, address_filter, qp_text, follow_packet);
#endif
}
