// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// -z mrc,qp: what each QP sent, lost and reached.
#include "packet-mrc-flow.h"
#include "packet-mrc-stats.h"
#include "packet-mrc-table.h"

#include <epan/to_str.h>

namespace
{

enum column : guint
{
    STREAM,
    QP,
    PACKETS,
    BYTES,
    RETRANSMISSIONS,
    LOSSES,
    TRIMS,
    MARKS,
    DUPLICATES,
    SACKS,
    NACKS,
    RTT_P50,
    RTT_P99,
    GOODPUT,
    SOURCE,
    DESTINATION,
    COLUMNS
};

// tshark prints the names and then each cell by its format: as wide as the name, they align.
stat_tap_table_item columns[COLUMNS] = {
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Stream", "%6u"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "QP number", "%-9s"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Packets", "%7u"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Payload bytes", "%13.0f"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Retransmitted", "%13u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Losses", "%6u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Trims", "%5u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "ECN marks", "%9u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Duplicates", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "SACKs", "%5u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "NACKs", "%5u"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "RTT p50 us", "%10.2f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "RTT p99 us", "%10.2f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Goodput Gb/s", "%12.3f"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Source", "%s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Destination", "%s"}};

void
make_row(stat_tap_table_item_type* cells, const void* about)
{
    const auto half = static_cast<const mrc_half*>(about);
    for (guint i = 0; i < COLUMNS; ++i)
    {
        cells[i].type = columns[i].type;
    }
    cells[STREAM].value.uint_value = half->stream;
    const auto text = [](const address* from) {
        char* string = address_to_str(nullptr, from);
        char* owned = g_strdup(string);
        wmem_free(nullptr, string);
        return owned;
    };
    cells[SOURCE].value.string_value = text(&half->source);
    cells[DESTINATION].value.string_value = text(&half->destination);
    cells[QP].value.string_value = g_strdup_printf("0x%06x", half->dqp);
}

void
count_write(stat_tap_table* table, mrc_row* row, guint index, const mrc_analysis* write)
{
    mrc_table_add(table, index, PACKETS, 1);
    mrc_table_add_float(table, index, BYTES, write->payload);
    if ((write->flags & MRC_RETRANSMISSION) != 0)
    {
        mrc_table_add(table, index, RETRANSMISSIONS, 1);
    }
    else
    {
        row->sent_bytes += write->payload;
    }
}

void
count(stat_tap_table* table, mrc_row* row, guint index, const mrc_packet* packet)
{
    const mrc_analysis* analysis = packet->analysis;
    mrc_table_add(table, index, TRIMS, (analysis->flags & MRC_COUNTS_TRIM) != 0);
    mrc_table_add(table, index, MARKS, (analysis->flags & MRC_COUNTS_MARK) != 0);
    mrc_table_add(table, index, LOSSES, (analysis->flags & MRC_COUNTS_LOSS) != 0);
    const bool is_copy = (analysis->flags & MRC_COPY) != 0;
    mrc_table_add(table, index, DUPLICATES, is_copy);
    const bool is_sack = (packet->headers & MRC_HAS_SACK) != 0;
    if (is_sack)
    {
        row->has_sacks = true;
        row->acked_bytes += analysis->payload;
        if ((analysis->flags & MRC_HAS_RTT) != 0 && !packet->sack.probeResponse)
        {
            mrc_table_add_rtt(table, row, index, RTT_P50, analysis->rtt_ns);
        }
    }
    if (is_copy)
    {
        return;
    }
    if (mrc_is_write(packet))
    {
        count_write(table, row, index, analysis);
    }
    else if (is_sack)
    {
        mrc_table_add(table, index, SACKS, 1);
    }
    else if ((packet->headers & MRC_HAS_NACK) != 0)
    {
        mrc_table_add(table, index, NACKS, 1);
    }
}

/// A window outlives what is known of a capture, so a row is found by numbers, not by address.
uint64_t
row_key(const mrc_half* half)
{
    const bool is_upwards = cmp_address(&half->source, &half->destination) < 0;
    return uint64_t{half->stream} << 25 | half->dqp << 1 | (is_upwards ? 1 : 0);
}

tap_packet_status
qp_packet(void* data, packet_info* pinfo, epan_dissect_t*, const void* tapped, tap_flags_t)
{
    const auto packet = static_cast<const mrc_packet*>(tapped);
    const mrc_analysis* analysis = packet->analysis;
    if (analysis == nullptr || analysis->half->dqp == mrc::ENDPOINT_QP)
    {
        return TAP_PACKET_DONT_REDRAW;
    }
    const auto stat = static_cast<stat_data_t*>(data);
    stat_tap_table* table = g_array_index(stat->stat_tap_data->tables, stat_tap_table*, 0);
    guint index = 0;
    mrc_row* row = mrc_table_row(table, row_key(analysis->half), make_row, analysis->half, &index);
    const double now = nstime_to_sec(&pinfo->rel_ts);
    if (row->first_seconds == 0 && row->last_seconds == 0)
    {
        row->first_seconds = now;
    }
    row->last_seconds = now;
    count(table, row, index, packet);
    const double seconds = row->last_seconds - row->first_seconds;
    if (seconds > 0)
    {
        const double bytes = row->has_sacks ? row->acked_bytes : row->sent_bytes;
        mrc_table_set_float(table, index, GOODPUT, bytes * 8e-9 / seconds);
    }
    return TAP_PACKET_REDRAW;
}

void
qp_init(stat_tap_table_ui* ui)
{
    const char* name = "QPs by direction of the data";
    stat_tap_table* table = stat_tap_find_table(ui, name);
    if (table == nullptr)
    {
        table = stat_tap_init_table(name, COLUMNS, 0, "mrc.stream == %u");
        stat_tap_add_table(ui, table);
        mrc_table_open(table);
    }
    else
    {
        mrc_table_reset(table);
    }
}

stat_tap_table_ui qp_ui = {REGISTER_PACKET_STAT_GROUP_UNSORTED,
                           "MRC QPs",
                           "mrc",
                           "mrc,qp",
                           qp_init,
                           qp_packet,
                           mrc_table_reset,
                           mrc_table_free_cell,
                           nullptr,
                           COLUMNS,
                           columns,
                           0,
                           nullptr,
                           nullptr,
                           0};

} // namespace

void
mrc_register_qp_table()
{
    register_stat_tap_table_ui(&qp_ui);
}
