// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Rows of a statistics table that are found by a key.
#include "packet-mrc-table.h"

namespace
{

/// Cells of the widest table.
constexpr guint MAX_COLUMNS = 20;

GHashTable* g_tables = nullptr; ///< per table: row index + 1 by key

GHashTable*
rows_of(stat_tap_table* table)
{
    return g_tables == nullptr ? nullptr
                               : static_cast<GHashTable*>(g_hash_table_lookup(g_tables, table));
}

mrc_row*
row_at(stat_tap_table* table, guint index)
{
    return static_cast<mrc_row*>(stat_tap_get_field_data(table, index, 0)->user_data.ptr_value);
}

} // namespace

void
mrc_table_open(stat_tap_table* table)
{
    if (g_tables == nullptr)
    {
        g_tables = g_hash_table_new_full(g_direct_hash, g_direct_equal, nullptr, [](gpointer rows) {
            g_hash_table_destroy(static_cast<GHashTable*>(rows));
        });
    }
    g_hash_table_replace(
        g_tables, table, g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, nullptr));
}

void
mrc_table_reset(stat_tap_table* table)
{
    // The rows stay, as the window shows them; they start again from nothing.
    for (guint row = 0; row < table->num_elements; ++row)
    {
        mrc_row* numbers = row_at(table, row);
        if (numbers == nullptr)
        {
            continue;
        }
        delete numbers->rtt;
        *numbers = mrc_row{};
        for (guint column = 0; column < table->num_fields; ++column)
        {
            stat_tap_table_item_type* cell = stat_tap_get_field_data(table, row, column);
            if (cell->type == TABLE_ITEM_UINT)
            {
                cell->value.uint_value = cell->user_data.uint_value;
            }
            else if (cell->type == TABLE_ITEM_FLOAT)
            {
                cell->value.float_value = 0;
            }
        }
    }
}

void
mrc_table_free_cell(stat_tap_table* table, guint row, guint column, stat_tap_table_item_type* cell)
{
    if (column == 0 && cell->user_data.ptr_value != nullptr)
    {
        auto numbers = static_cast<mrc_row*>(cell->user_data.ptr_value);
        delete numbers->rtt;
        delete numbers;
        cell->user_data.ptr_value = nullptr;
    }
    if (cell->type == TABLE_ITEM_STRING)
    {
        g_free(const_cast<char*>(cell->value.string_value));
        cell->value.string_value = nullptr;
    }
    if (row + 1 == table->num_elements && column + 1 == table->num_fields && g_tables != nullptr)
    {
        g_hash_table_remove(g_tables, table);
    }
}

bool
mrc_table_has_row(stat_tap_table* table, uint64_t key)
{
    const auto wanted = static_cast<gint64>(key);
    return g_hash_table_contains(rows_of(table), &wanted) != 0;
}

mrc_row*
mrc_table_row(stat_tap_table* table,
              uint64_t key,
              void (*make)(stat_tap_table_item_type*, const void*),
              const void* about,
              guint* index)
{
    GHashTable* rows = rows_of(table);
    const auto wanted = static_cast<gint64>(key);
    const guint found = GPOINTER_TO_UINT(g_hash_table_lookup(rows, &wanted));
    if (found != 0)
    {
        *index = found - 1;
        return row_at(table, *index);
    }
    *index = table->num_elements;
    stat_tap_table_item_type cells[MAX_COLUMNS] = {};
    make(cells, about);
    auto numbers = new mrc_row{};
    cells[0].user_data.ptr_value = numbers;
    stat_tap_init_table_row(table, *index, table->num_fields, cells);
    auto owned = g_new(gint64, 1);
    *owned = wanted;
    g_hash_table_insert(rows, owned, GUINT_TO_POINTER(*index + 1));
    return numbers;
}

void
mrc_table_add(stat_tap_table* table, guint row, guint column, unsigned by)
{
    stat_tap_get_field_data(table, row, column)->value.uint_value += by;
}

void
mrc_table_add_float(stat_tap_table* table, guint row, guint column, double by)
{
    stat_tap_get_field_data(table, row, column)->value.float_value += by;
}

void
mrc_table_set_float(stat_tap_table* table, guint row, guint column, double value)
{
    stat_tap_get_field_data(table, row, column)->value.float_value = value;
}

void
mrc_table_add_rtt(stat_tap_table* table, mrc_row* row, guint index, guint column, int64_t ns)
{
    if (row->rtt == nullptr)
    {
        row->rtt = new mrc_rtt_histogram;
    }
    row->rtt->add(ns);
    mrc_table_set_float(table, index, column, row->rtt->median() / 1000);
    mrc_table_set_float(table, index, column + 1, row->rtt->p99() / 1000);
}
