// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The differences between the Wireshark versions that this plugin builds against: 4.0, 4.4, 4.6.
#ifndef PACKET_MRC_COMPAT_H
#define PACKET_MRC_COMPAT_H

#include <ws_version.h>

/// Whether the SDK is at least that version.
#define MRC_WIRESHARK_AT_LEAST(major, minor)                                                       \
    (WIRESHARK_VERSION_MAJOR > (major) ||                                                          \
     (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR >= (minor)))

#include <epan/packet.h>
#include <epan/stats_tree.h>

#if MRC_WIRESHARK_AT_LEAST(4, 4)
/// What prefs_register_bool_preference() takes a pointer to.
using mrc_pref_bool = bool;
/// Separates the levels of a statistics menu.
#define MRC_MENU_SEPARATOR STATS_TREE_MENU_SEPARATOR
#else
using mrc_pref_bool = gboolean;
#define MRC_MENU_SEPARATOR "/"
#endif

/// @param tvb bytes @param offset of one of them @return the byte
inline uint8_t
mrc_tvb_get_uint8(tvbuff_t* tvb, int offset)
{
#if MRC_WIRESHARK_AT_LEAST(4, 4)
    return tvb_get_uint8(tvb, offset);
#else
    return tvb_get_guint8(tvb, offset);
#endif
}

#endif // PACKET_MRC_COMPAT_H
