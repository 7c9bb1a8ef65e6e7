// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Following a message: not offered yet.
#include "packet-mrc.h"

void
mrc_register_follow(int)
{
}
