// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// What Wireshark looks for when it loads the plugin.
#include "packet-mrc-compat.h"

#if MRC_WIRESHARK_AT_LEAST(4, 4)
#include <wsutil/plugins.h>
#endif

#include <epan/proto.h>

void proto_register_mrc();
void proto_reg_handoff_mrc();

extern "C"
{
    // Declared first: a const without that would be local to this file.
    WS_DLL_PUBLIC const char plugin_version[];
    WS_DLL_PUBLIC const int plugin_want_major;
    WS_DLL_PUBLIC const int plugin_want_minor;

    const char plugin_version[] = PLUGIN_VERSION;
    const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
    const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

    WS_DLL_PUBLIC void plugin_register();
#if MRC_WIRESHARK_AT_LEAST(4, 4)
    WS_DLL_PUBLIC uint32_t plugin_describe();
#endif
}

void
plugin_register()
{
    static proto_plugin plugin;
    plugin.register_protoinfo = proto_register_mrc;
    plugin.register_handoff = proto_reg_handoff_mrc;
    proto_register_plugin(&plugin);
}

#if MRC_WIRESHARK_AT_LEAST(4, 4)
uint32_t
plugin_describe()
{
    return WS_PLUGIN_DESC_DISSECTOR;
}
#endif
