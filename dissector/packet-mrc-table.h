// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Rows of a statistics table that are found by a key and carry numbers of their own.
#ifndef PACKET_MRC_TABLE_H
#define PACKET_MRC_TABLE_H

#include "packet-mrc-rtt.h"
#include "packet-mrc.h"

#include <epan/stat_tap_ui.h>

/// What a row counts beyond its cells.
struct mrc_row
{
    mrc_rtt_histogram* rtt; ///< null before the first sample
    double first_seconds;   ///< time of the first packet
    double last_seconds;    ///< time of the last packet
    double sent_bytes;      ///< payload of first transmissions
    double acked_bytes;     ///< payload that SACKs acknowledged
    bool has_sacks;         ///< a SACK was seen
};

/// Prepare a table that has just been made; its rows are found by number.
void mrc_table_open(stat_tap_table* table);
/// Forget the rows of a table.
void mrc_table_reset(stat_tap_table* table);
/// Free what a cell owns; a stat_tap_table_ui's stat_tap_free_table_item_cb.
void mrc_table_free_cell(stat_tap_table* table,
                         guint row,
                         guint column,
                         stat_tap_table_item_type* cell);

/**
 * @param table opened before
 * @param key of the row, any number
 * @param make fills in the cells of a new row: cells, their number, whatever it needs
 * @param about passed on to make
 * @param [out] index of the row
 * @return the row's numbers
 */
mrc_row* mrc_table_row(stat_tap_table* table,
                       uint64_t key,
                       void (*make)(stat_tap_table_item_type*, const void*),
                       const void* about,
                       guint* index);

/// @param table a table @param key of a row @return whether there is such a row
bool mrc_table_has_row(stat_tap_table* table, uint64_t key);

/// @param table a table @param row its row @param column its column @param by how much
void mrc_table_add(stat_tap_table* table, guint row, guint column, unsigned by);
/// @param table a table @param row its row @param column of type float @param by how much
void mrc_table_add_float(stat_tap_table* table, guint row, guint column, double by);
/// @param table a table @param row its row @param column of type float @param value new one
void mrc_table_set_float(stat_tap_table* table, guint row, guint column, double value);

/// Count a round trip time and show the quantiles in us.
/// @param table a table @param row its numbers @param index of the row
/// @param column of the median, that of p99 follows @param ns the sample
void mrc_table_add_rtt(stat_tap_table* table, mrc_row* row, guint index, guint column, int64_t ns);

#endif // PACKET_MRC_TABLE_H
