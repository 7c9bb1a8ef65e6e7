// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// How packets reach the dissector: UDP ports shared with RoCEv2, a heuristic, Decode As.
///
/// An MRC packet's source port is its EV and may be any number. Wireshark tries the lower of the
/// two ports first, so 4791 would lose against 53 or 443, and RoCEv2 is registered on 4791 as
/// well. A port whose dissector was *changed* is tried before all others: that is done here when
/// a capture is opened. What is not MRC then goes where it would have gone without this plugin.
#include "packet-mrc-parts.h"

#include <epan/prefs.h>
#include <vector>

namespace
{

const char* const UDP_TABLE = "udp.port";
const char* const IP_TABLE = "ip.proto";
constexpr uint32_t PROTOCOL_UDP = 17;

/// Source ports below this belong to well-known services.
constexpr uint32_t FIRST_FREE_PORT = 1024;

dissector_handle_t mrc_handle;  ///< "mrc"
dissector_handle_t port_handle; ///< what stands in the table
dissector_handle_t udp_handle;  ///< what stands in front of UDP
dissector_table_t udp_table;
dissector_table_t ip_table;
int mrc_protocol;
std::vector<uint32_t> taken; ///< ports whose dissector was changed

bool
is_mrc_enabled()
{
    return proto_is_protocol_enabled(find_protocol_by_id(mrc_protocol));
}

/// @return whether headers and ICRC of a known opcode fit
bool
has_possible_length(tvbuff_t* tvb)
{
    const uint32_t reported = tvb_reported_length(tvb);
    const auto opcode = static_cast<mrc::Opcode>(mrc_tvb_get_uint8(tvb, 0));
    const uint32_t least =
        mrc::BTH_BYTES + mrc::ExtendedHeaderBytes(opcode, false) + mrc::ICRC_BYTES;
    return mrc::IsWrite(opcode) ? reported >= least && reported % 4 == 0 : reported == least;
}

/// What would have happened to a packet that is not MRC.
int
hand_on(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree)
{
    const uint32_t port = pinfo->match_uint;
    const uint32_t other = pinfo->srcport == port ? pinfo->destport : pinfo->srcport;
    if (other != 0 && other < port && !dissector_is_uint_changed(udp_table, other))
    {
        const int bytes = dissector_try_uint(udp_table, other, tvb, pinfo, tree);
        if (bytes != 0)
        {
            return bytes;
        }
    }
    const dissector_handle_t former = dissector_get_default_uint_handle(UDP_TABLE, port);
    return former == nullptr ? 0 : call_dissector_only(former, tvb, pinfo, tree, nullptr);
}

/// The UDP dissector was told that a packet is a fragment: see dissect_udp().
bool is_shielded = false;

/**
 * Stands in front of UDP.
 *
 * A switch that trims leaves the UDP length as it was, so that the receiver learns what was cut.
 * The UDP dissector calls that malformed, except in a fragment, which also is shorter than its UDP
 * header says and has no checksum to verify. So it is told that this is one.
 */
int
dissect_udp(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* data)
{
    constexpr int DESTINATION_PORT = 2;
    constexpr int LENGTH = 4;
    const bool was_fragmented = pinfo->fragmented;
    is_shielded = !was_fragmented && tvb_captured_length(tvb) > mrc::UDP_BYTES &&
                  mrc::IsKnownOpcode(mrc_tvb_get_uint8(tvb, mrc::UDP_BYTES)) &&
                  tvb_get_ntohs(tvb, LENGTH) > tvb_reported_length(tvb) &&
                  value_is_in_range(mrc_prefs.ports, tvb_get_ntohs(tvb, DESTINATION_PORT));
    if (is_shielded)
    {
        pinfo->fragmented = true;
    }
    const dissector_handle_t former = dissector_get_default_uint_handle(IP_TABLE, PROTOCOL_UDP);
    const int bytes = former == nullptr ? 0 : call_dissector_only(former, tvb, pinfo, tree, data);
    pinfo->fragmented = was_fragmented;
    is_shielded = false;
    return bytes;
}

int
dissect_port(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*)
{
    if (is_shielded)
    {
        pinfo->fragmented = false;
    }
    const bool is_ours = value_is_in_range(mrc_prefs.ports, pinfo->destport);
    const bool is_shared = pinfo->srcport < FIRST_FREE_PORT &&
                           dissector_get_uint_handle(udp_table, pinfo->srcport) != nullptr;
    if (is_ours && mrc_accepts(tvb, pinfo, is_shared))
    {
        const int bytes = call_dissector_only(mrc_handle, tvb, pinfo, tree, nullptr);
        if (bytes != 0)
        {
            return bytes;
        }
    }
    return hand_on(tvb, pinfo, tree);
}

#if MRC_WIRESHARK_AT_LEAST(4, 4)
bool
#else
gboolean
#endif
dissect_heuristic(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*)
{
    return mrc_accepts(tvb, pinfo, true) && has_possible_length(tvb) &&
           call_dissector_only(mrc_handle, tvb, pinfo, tree, nullptr) != 0;
}

void
take(uint32_t port, void*)
{
    const dissector_handle_t current = dissector_get_uint_handle(udp_table, port);
    // If it differs, the user has said by Decode As what the port is.
    if (current == dissector_get_default_uint_handle(UDP_TABLE, port))
    {
        dissector_change_uint(UDP_TABLE, port, port_handle);
        taken.push_back(port);
    }
}

/// Called when a capture is opened or read again: preferences and Decode As are known by then.
void
take_ports()
{
    for (const uint32_t port : taken)
    {
        if (dissector_get_uint_handle(udp_table, port) == port_handle)
        {
            dissector_reset_uint(UDP_TABLE, port);
        }
    }
    taken.clear();
    const dissector_handle_t udp = dissector_get_uint_handle(ip_table, PROTOCOL_UDP);
    if (!is_mrc_enabled())
    {
        if (udp == udp_handle)
        {
            dissector_reset_uint(IP_TABLE, PROTOCOL_UDP);
        }
        return;
    }
    range_foreach(mrc_prefs.ports, take, nullptr);
    if (udp != nullptr && udp == dissector_get_default_uint_handle(IP_TABLE, PROTOCOL_UDP))
    {
        dissector_change_uint(IP_TABLE, PROTOCOL_UDP, udp_handle);
    }
}

} // namespace

bool
mrc_accepts(tvbuff_t* tvb, packet_info*, bool strict)
{
    const uint32_t captured = tvb_captured_length(tvb);
    if (captured == 0 || tvb_reported_length(tvb) < mrc::BTH_BYTES ||
        !mrc::IsKnownOpcode(mrc_tvb_get_uint8(tvb, 0)))
    {
        return false;
    }
    if (!strict)
    {
        return true;
    }
    constexpr uint8_t TVER = 0x0f;
    constexpr uint8_t RESERVED_FLAGS = 0x4f;
    return captured >= mrc::BTH_BYTES && (mrc_tvb_get_uint8(tvb, 1) & TVER) == 0 &&
           mrc_tvb_get_uint8(tvb, 4) == 0 && (mrc_tvb_get_uint8(tvb, 8) & RESERVED_FLAGS) == 0;
}

void
mrc_register_ports(int proto, dissector_handle_t handle)
{
    mrc_protocol = proto;
    mrc_handle = handle;
    // Of no protocol: what it hands on must not look as if it had been MRC.
    port_handle = create_dissector_handle_with_name_and_description(
        dissect_port, -1, nullptr, "MRC, or what is not MRC as before");
    udp_handle = create_dissector_handle_with_name_and_description(
        dissect_udp, -1, nullptr, "UDP, which trimmed packets pass");
    register_init_routine(take_ports);
}

void
mrc_handoff_ports()
{
    udp_table = find_dissector_table(UDP_TABLE);
    ip_table = find_dissector_table(IP_TABLE);
    dissector_add_for_decode_as(UDP_TABLE, mrc_handle);
    heur_dissector_add("udp",
                       dissect_heuristic,
                       "MRC on any UDP port",
                       "mrc_udp",
                       mrc_protocol,
                       HEURISTIC_DISABLE);
}
