// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol "mrc": registration and the way through a packet.
#include "packet-mrc.h"

#include <epan/tap.h>

int proto_mrc = -1;
int mrc_tap = -1;

void
proto_register_mrc()
{
    proto_mrc = proto_register_protocol("Multipath Reliable Connection", "MRC", "mrc");
    mrc_tap = register_tap("mrc");
    mrc_register_links(proto_mrc);
    mrc_register_stats(proto_mrc);
    mrc_register_follow(proto_mrc);
}

void
proto_reg_handoff_mrc()
{
}
