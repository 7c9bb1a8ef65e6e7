// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Statistics: there are none yet.
#include "packet-mrc.h"

void
mrc_register_stats(int)
{
}
