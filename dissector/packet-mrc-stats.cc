// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// -z mrc,tree, and the registration of all statistics.
#include "packet-mrc-stats.h"

#include "packet-mrc.h"

#include <epan/stats_tree.h>

namespace
{

int st_packets = -1;
int st_opcodes = -1;
int st_nacks = -1;
int st_events = -1;

void
tree_init(stats_tree* tree)
{
    st_packets = stats_tree_create_node(tree, "MRC packets", 0, STAT_DT_INT, TRUE);
    st_opcodes = stats_tree_create_node(tree, "Opcodes", st_packets, STAT_DT_INT, TRUE);
    st_nacks = stats_tree_create_node(tree, "NACK reasons", st_packets, STAT_DT_INT, TRUE);
    st_events = stats_tree_create_node(tree, "Events", st_packets, STAT_DT_INT, TRUE);
}

void
tick(stats_tree* tree, int parent, const char* parent_name, const char* name)
{
    tick_stat_node(tree, parent_name, st_packets, TRUE);
    tick_stat_node(tree, name, parent, FALSE);
}

tap_packet_status
tree_packet(stats_tree* tree, packet_info*, epan_dissect_t*, const void* data, tap_flags_t)
{
    const auto packet = static_cast<const mrc_packet*>(data);
    tick_stat_node(tree, "MRC packets", 0, TRUE);
    tick(tree, st_opcodes, "Opcodes", mrc::OpcodeName(packet->bth.opcode));
    if ((packet->headers & MRC_HAS_NACK) != 0)
    {
        tick(tree, st_nacks, "NACK reasons", mrc::NackCodeName(packet->nack.reason));
    }
    if (packet->trim_kind != MRC_NOT_TRIMMED)
    {
        tick(tree, st_events, "Events", "trimmed");
    }
    if (packet->ecn == mrc::CE)
    {
        tick(tree, st_events, "Events", "marked CE");
    }
    if (packet->bth.retransmission)
    {
        tick(tree, st_events, "Events", "retransmission flag");
    }
    if (packet->icrc == MRC_ICRC_BAD)
    {
        tick(tree, st_events, "Events", "wrong ICRC");
    }
    return TAP_PACKET_REDRAW;
}

} // namespace

void
mrc_register_stats(int proto)
{
    stats_tree_register_plugin(
        "mrc", "mrc", "MRC" MRC_MENU_SEPARATOR "Packets", 0, tree_packet, tree_init, nullptr);
    mrc_register_qp_table();
    mrc_register_path_table();
    mrc_register_conversations(proto);
}
