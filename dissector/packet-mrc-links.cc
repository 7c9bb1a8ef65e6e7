// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Connections between packets: none are kept yet.
#include "packet-mrc.h"

void
mrc_register_links(int)
{
}

void
mrc_links_packet(packet_info*, proto_tree*, tvbuff_t*, mrc_packet*)
{
}
