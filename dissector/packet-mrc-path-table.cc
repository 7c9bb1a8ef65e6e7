// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// -z mrc,path: what each path did, by plane and by EV.
#include "packet-mrc-flow.h"
#include "packet-mrc-stats.h"
#include "packet-mrc-table.h"

namespace
{

enum column : guint
{
    PATH,
    EV,
    PACKETS,
    BYTES,
    CONTROL,
    MARKS,
    TRIMS,
    LOSSES,
    RTT_P50,
    RTT_P99,
    COLUMNS
};

stat_tap_table_item columns[COLUMNS] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Plane/uplink", "%-12s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "EV        ", "%-10s"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Packets", "%7u"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Payload bytes", "%13.0f"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Control", "%7u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "ECN marks", "%9u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Trims", "%5u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Losses", "%6u"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "RTT p50 us", "%10.2f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "RTT p99 us", "%10.2f"}};

/// EVs with a row of their own: with a hashing fabric each flow label is another one.
constexpr guint MAX_EVS = 4096;

/// Key of the row of all further EVs; no EV has more than 32 bits.
constexpr uint64_t OTHERS = uint64_t{1} << 32;

/// Numbers of the tables.
enum table_number : guint
{
    PLANES,
    EVS
};

/// What a row stands for.
struct row_name
{
    table_number table; ///< where
    uint64_t key;       ///< plane, EV or OTHERS
    uint32_t ev;        ///< an EV of it
};

void
make_row(stat_tap_table_item_type* cells, const void* about)
{
    const auto name = static_cast<const row_name*>(about);
    for (guint i = 0; i < COLUMNS; ++i)
    {
        cells[i].type = columns[i].type;
    }
    if (name->key == OTHERS)
    {
        cells[PATH].value.string_value = g_strdup("other EVs");
        cells[EV].value.string_value = g_strdup("");
    }
    else if (name->table == PLANES)
    {
        cells[PATH].value.string_value = g_strdup_printf("p%u", mrc_ev_plane(name->ev));
        cells[EV].value.string_value = g_strdup("");
    }
    else
    {
        char* text = mrc_ev_text(nullptr, name->ev);
        cells[PATH].value.string_value = g_strdup(text);
        wmem_free(nullptr, text);
        cells[EV].value.string_value = g_strdup_printf("0x%08x", name->ev);
    }
}

/// A row of both tables.
struct path_rows
{
    stat_tap_table* tables[2]; ///< planes, EVs
    guint index[2];            ///< the row in each
    mrc_row* rows[2];          ///< its numbers
};

path_rows
find_rows(const stat_data_t* stat, uint32_t ev)
{
    path_rows at{};
    for (const table_number number : {PLANES, EVS})
    {
        stat_tap_table* table = g_array_index(stat->stat_tap_data->tables, stat_tap_table*, number);
        row_name name{number, number == PLANES ? mrc_ev_plane(ev) : ev, ev};
        if (number == EVS && table->num_elements >= MAX_EVS && !mrc_table_has_row(table, name.key))
        {
            name.key = OTHERS;
        }
        at.tables[number] = table;
        at.rows[number] = mrc_table_row(table, name.key, make_row, &name, &at.index[number]);
    }
    return at;
}

void
add(const path_rows& at, guint column, bool is_so)
{
    for (const table_number number : {PLANES, EVS})
    {
        mrc_table_add(at.tables[number], at.index[number], column, is_so);
    }
}

void
add_rtt(const path_rows& at, int64_t ns)
{
    for (const table_number number : {PLANES, EVS})
    {
        mrc_table_add_rtt(at.tables[number], at.rows[number], at.index[number], RTT_P50, ns);
    }
}

/// What a packet says about the EV on which it travels itself.
void
count_own(const stat_data_t* stat, const mrc_packet* packet)
{
    const mrc_analysis* analysis = packet->analysis;
    const path_rows at = find_rows(stat, packet->ev);
    if (mrc_is_write(packet))
    {
        add(at, TRIMS, (analysis->flags & MRC_COUNTS_TRIM) != 0);
        add(at, MARKS, (analysis->flags & MRC_COUNTS_MARK) != 0);
    }
    if ((analysis->flags & MRC_COPY) != 0)
    {
        return;
    }
    add(at, mrc_is_write(packet) ? PACKETS : CONTROL, true);
    if (mrc_is_write(packet))
    {
        for (const table_number number : {PLANES, EVS})
        {
            mrc_table_add_float(at.tables[number], at.index[number], BYTES, analysis->payload);
        }
    }
}

tap_packet_status
path_packet(void* data, packet_info*, epan_dissect_t*, const void* tapped, tap_flags_t)
{
    const auto packet = static_cast<const mrc_packet*>(tapped);
    const mrc_analysis* analysis = packet->analysis;
    if (analysis == nullptr)
    {
        return TAP_PACKET_DONT_REDRAW;
    }
    const auto stat = static_cast<const stat_data_t*>(data);
    if (packet->has_ev)
    {
        count_own(stat, packet);
    }
    if (packet->has_reflected_ev)
    {
        const path_rows at = find_rows(stat, packet->reflected_ev);
        add(at, TRIMS, (analysis->flags & MRC_COUNTS_TRIM) != 0);
        add(at, MARKS, (analysis->flags & MRC_COUNTS_MARK) != 0);
        if ((analysis->flags & MRC_HAS_RTT) != 0 && (packet->headers & MRC_HAS_SACK) != 0)
        {
            add_rtt(at, analysis->rtt_ns);
        }
    }
    if ((analysis->flags & MRC_COUNTS_LOSS) != 0)
    {
        add(find_rows(stat, analysis->lost_ev), LOSSES, true);
    }
    return TAP_PACKET_REDRAW;
}

void
path_init(stat_tap_table_ui* ui)
{
    for (const char* name : {"Planes", "EVs"})
    {
        stat_tap_table* table = stat_tap_find_table(ui, name);
        if (table == nullptr)
        {
            table = stat_tap_init_table(name, COLUMNS, 0, nullptr);
            stat_tap_add_table(ui, table);
            mrc_table_open(table);
        }
        else
        {
            mrc_table_reset(table);
        }
    }
}

stat_tap_table_ui path_ui = {REGISTER_PACKET_STAT_GROUP_UNSORTED,
                             "MRC Paths",
                             "mrc",
                             "mrc,path",
                             path_init,
                             path_packet,
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
mrc_register_path_table()
{
    register_stat_tap_table_ui(&path_ui);
}
