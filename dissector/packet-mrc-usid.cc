// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol "srv6": uSID carriers in the destination of an outer IPv6 header.
///
/// It stands in front of the dissectors of IPv6, IPv4 and Ethernet in IP, notes what the outer
/// header says, shows its uSIDs, and hands the inner packet on.
#include "mrc-srh.h"
#include "packet-mrc-parts.h"

#include <algorithm>
#include <cstring>
#include <epan/proto_data.h>
#include <string>
#include <vector>

int proto_srv6 = -1;

namespace
{

const char* const IP_TABLE = "ip.proto";

/// Protocols that carry a packet: IPv4, IPv6, Ethernet.
constexpr uint32_t CARRIED[] = {4, 41, 143};

constexpr int IPV6 = mrc::IPV6_BYTES;
constexpr uint8_t PROTOCOL_ROUTING = 43;

/// Longest chain of extension headers that is searched for the outer header before it.
constexpr int MAX_EXTENSIONS = 2048;

int ett_srv6 = -1;
int ett_srh = -1;
int ett_tlv = -1;

int hf_block = -1;
int hf_usid = -1;
int hf_active = -1;
int hf_remaining = -1;
int hf_end = -1;
int hf_node = -1;
int hf_path = -1;
int hf_hops_done = -1;
int hf_hops_left = -1;
int hf_srh_segments_left = -1;
int hf_srh_last_entry = -1;
int hf_srh_reduced = -1;
int hf_srh_carrier = -1;
int hf_tlv_type = -1;
int hf_tlv_length = -1;
int hf_tlv_value = -1;

expert_field ei_srh_bad = EI_INIT;

dissector_handle_t srv6_handle;
dissector_handle_t front_handle;
dissector_table_t ip_table;

const value_string TLV_TYPES[] = {
    {0, "Pad1"},
    {4, "PadN"},
    {5, "HMAC"},
    {0, nullptr},
};

/// A segment routing header, checked to lie in the captured bytes.
struct srh_view
{
    int offset = -1;  ///< in the data source, -1 if there is none
    int bytes = 0;    ///< whole header
    int segments = 0; ///< entries of its list
    int left = 0;     ///< segments left
    int last_entry = 0;
};

/**
 * Look for a routing header of type 4 in the extension headers between two offsets.
 *
 * @param bytes the data source, readable up to `to`
 * @param next protocol number of what is at `from`
 */
srh_view
find_srh(const uint8_t* bytes, uint8_t next, int from, int to)
{
    srh_view srh;
    while (from + 8 <= to)
    {
        const int size = 8 + 8 * bytes[from + 1];
        if (from + size > to)
        {
            break;
        }
        if (next == PROTOCOL_ROUTING && bytes[from + 2] == mrc::ROUTING_TYPE_SRH)
        {
            srh.offset = from;
            srh.bytes = size;
            srh.left = bytes[from + 3];
            srh.last_entry = bytes[from + 4];
            // A reduced SRH of a path of one carrier has no entry, and Last Entry 0 all the same.
            srh.segments = (size - 8) / 16;
            if (srh.last_entry + 1 < srh.segments)
            {
                srh.segments = srh.last_entry + 1;
            }
            break;
        }
        next = bytes[from];
        from += size;
    }
    return srh;
}

/// @return offset of the outer IPv6 header before an inner packet, -1 if it is not to be found
int
find_outer_ipv6(const uint8_t* bytes, int inner, const packet_info* pinfo)
{
    for (int extra = 0; extra <= MAX_EXTENSIONS && inner - extra - IPV6 >= 0; extra += 8)
    {
        const uint8_t* const ip = bytes + inner - extra - IPV6;
        if (ip[0] >> 4 == 6 && std::memcmp(ip + 8, pinfo->net_src.data, 16) == 0 &&
            std::memcmp(ip + 24, pinfo->net_dst.data, 16) == 0)
        {
            return inner - extra - IPV6;
        }
    }
    return -1;
}

/// @return offset of the outer IPv4 header before an inner packet, -1 if it is not to be found
int
find_outer_ipv4(const uint8_t* bytes, int inner, const packet_info* pinfo)
{
    for (int header = 20; header <= 60 && inner - header >= 0; header += 4)
    {
        const uint8_t* const ip = bytes + inner - header;
        if (ip[0] == (0x40 | header / 4) && std::memcmp(ip + 12, pinfo->net_src.data, 4) == 0 &&
            std::memcmp(ip + 16, pinfo->net_dst.data, 4) == 0)
        {
            return inner - header;
        }
    }
    return -1;
}

uint8_t
count_hops(const uint8_t* bytes, const mrc_usid_list& active, const srh_view& srh)
{
    unsigned hops = active.count;
    for (int i = 0; i < srh.left && i < srh.segments; ++i)
    {
        hops += mrc_read_carrier(bytes + srh.offset + 8 + 16 * i).count;
    }
    return static_cast<uint8_t>(hops < 255 ? hops : 255);
}

/// Note what the header around a packet says. @param tvb from the inner header on
void
note_outer(tvbuff_t* tvb, packet_info* pinfo, mrc_outer& outer)
{
    outer = mrc_outer{};
    outer.source = tvb_get_ds_tvb(tvb);
    outer.inner_offset = tvb_raw_offset(tvb);
    outer.ip_offset = -1;
    const int inner = outer.inner_offset;
    if (inner < static_cast<int>(mrc::IPV4_BYTES) ||
        static_cast<int>(tvb_captured_length(outer.source)) < inner)
    {
        return;
    }
    const uint8_t* const bytes = tvb_get_ptr(outer.source, 0, inner);
    if (pinfo->net_dst.type == AT_IPv4 && pinfo->net_src.type == AT_IPv4)
    {
        outer.ip_offset = find_outer_ipv4(bytes, inner, pinfo);
        if (outer.ip_offset >= 0)
        {
            const uint8_t* const ip = bytes + outer.ip_offset;
            outer.traffic_class = ip[1];
            outer.ip_length = static_cast<uint32_t>(ip[2]) << 8 | ip[3];
        }
    }
    else if (pinfo->net_dst.type == AT_IPv6 && pinfo->net_src.type == AT_IPv6)
    {
        outer.ip_offset = find_outer_ipv6(bytes, inner, pinfo);
        if (outer.ip_offset < 0)
        {
            return;
        }
        const uint8_t* const ip = bytes + outer.ip_offset;
        outer.traffic_class = static_cast<uint8_t>(ip[0] << 4 | ip[1] >> 4);
        outer.ip_length = IPV6 + (static_cast<uint32_t>(ip[4]) << 8 | ip[5]);
        const uint8_t* const destination = ip + 24;
        outer.has_carrier = mrc_is_carrier(destination);
        if (outer.has_carrier)
        {
            mrc::ByteReader reader(destination, 16);
            outer.carrier.high = reader.U64();
            outer.carrier.low = reader.U64();
            outer.hops_left = count_hops(bytes,
                                         mrc_read_carrier(destination),
                                         find_srh(bytes, ip[6], outer.ip_offset + IPV6, inner));
        }
    }
}

/// Inner destination, which tells NICs apart. @param tvb from the inner header on
bool
inner_destination(tvbuff_t* tvb, address& destination)
{
    if (tvb_captured_length(tvb) < mrc::IPV6_BYTES || mrc_tvb_get_uint8(tvb, 0) >> 4 != 6)
    {
        return false;
    }
    set_address(&destination, AT_IPv6, 16, tvb_get_ptr(tvb, 24, 16));
    return true;
}

/// A node of a path.
struct node
{
    const char* name; ///< null if the tables have none
    uint32_t usid;
};

/// Add the nodes of a carrier. @param after uSID before the first, 0 if it is not known
void
add_nodes(std::vector<node>& path,
          const mrc_usid_list& list,
          const address* destination,
          uint16_t after)
{
    for (unsigned i = 0; i < list.count; ++i)
    {
        const auto usid = static_cast<uint16_t>(list.usid[i]);
        path.push_back(
            {list.bytes == 2 ? mrc_usid_name(list.block, after, usid, destination) : nullptr,
             list.usid[i]});
        after = usid;
    }
}

/// Write "p2 t0-3 > t1-7": a plane, what stands before a slash, once if all names share it.
void
write_path(const std::vector<node>& path, bool has_begun, mrc_line& line)
{
    std::string plane;
    for (const node& one : path)
    {
        const char* const slash = one.name == nullptr ? nullptr : std::strchr(one.name, '/');
        if (slash != nullptr)
        {
            plane.assign(one.name, slash - one.name + 1);
            break;
        }
    }
    if (!plane.empty())
    {
        line.text(plane.substr(0, plane.size() - 1).c_str()).text(" ");
    }
    line.text(has_begun ? "... > " : "");
    for (size_t i = 0; i < path.size(); ++i)
    {
        line.text(i == 0 ? "" : " > ");
        const char* const name = path[i].name;
        if (name == nullptr)
        {
            line.hex(path[i].usid, mrc_carriers.usid_bits / 4);
        }
        else
        {
            const bool is_same =
                !plane.empty() &&
                plane.compare(0, plane.size(), name, std::min(plane.size(), std::strlen(name))) ==
                    0;
            line.text(is_same ? name + plane.size() : name);
        }
    }
}

/// Add a carrier's uSIDs below a tree.
void
show_usids(proto_tree* tree,
           tvbuff_t* source,
           int offset,
           const mrc_usid_list& list,
           const std::vector<node>& path,
           size_t first)
{
    proto_tree_add_item(tree, hf_block, source, offset, 4, ENC_BIG_ENDIAN);
    for (unsigned i = 0; i < list.count; ++i)
    {
        const int at = offset + list.block_bytes + static_cast<int>(i) * list.bytes;
        const int digits = list.bytes * 2;
        const auto add = [&](int hf) {
            return proto_tree_add_uint_format_value(
                tree, hf, source, at, list.bytes, list.usid[i], "0x%0*x", digits, list.usid[i]);
        };
        const bool is_active = i == 0 && first == 0;
        proto_item* const item = add(is_active ? hf_active : hf_usid);
        if (is_active)
        {
            proto_item_set_hidden(add(hf_usid));
        }
        const char* const name = path[first + i].name;
        if (name != nullptr)
        {
            proto_item_append_text(item, " (%s)", name);
            proto_item* const node_item =
                proto_tree_add_string(tree, hf_node, source, at, list.bytes, name);
            proto_item_set_generated(node_item);
            proto_item_set_hidden(node_item);
        }
    }
}

void
show_tlvs(proto_tree* tree, packet_info* pinfo, tvbuff_t* source, int from, int to)
{
    while (from < to)
    {
        const uint8_t type = mrc_tvb_get_uint8(source, from);
        if (type == 0)
        {
            proto_tree_add_uint(tree, hf_tlv_type, source, from, 1, type);
            ++from;
            continue;
        }
        const int length = from + 2 <= to ? mrc_tvb_get_uint8(source, from + 1) : to;
        if (from + 2 + length > to)
        {
            expert_add_info_format(pinfo,
                                   proto_tree_get_parent(tree),
                                   &ei_srh_bad,
                                   "TLV of type %u does not fit in the header",
                                   type);
            return;
        }
        proto_item* item;
        proto_tree* const tlv =
            proto_tree_add_subtree_format(tree,
                                          source,
                                          from,
                                          2 + length,
                                          ett_tlv,
                                          &item,
                                          "TLV: %s (%u)",
                                          val_to_str_const(type, TLV_TYPES, "type"),
                                          type);
        proto_tree_add_item(tlv, hf_tlv_type, source, from, 1, ENC_BIG_ENDIAN);
        proto_tree_add_item(tlv, hf_tlv_length, source, from + 1, 1, ENC_BIG_ENDIAN);
        if (length > 0)
        {
            proto_tree_add_item(tlv, hf_tlv_value, source, from + 2, length, ENC_NA);
        }
        from += 2 + length;
    }
}

/// Show a segment routing header; its carriers' nodes go to the end of the path.
void
show_srh(proto_tree* tree,
         packet_info* pinfo,
         tvbuff_t* source,
         const srh_view& srh,
         const address* destination,
         std::vector<node>& path)
{
    proto_item* item;
    proto_tree* const part = proto_tree_add_subtree_format(tree,
                                                           source,
                                                           srh.offset,
                                                           srh.bytes,
                                                           ett_srh,
                                                           &item,
                                                           "Segment routing header, %d carriers",
                                                           srh.segments);
    proto_tree_add_item(part, hf_srh_segments_left, source, srh.offset + 3, 1, ENC_BIG_ENDIAN);
    proto_tree_add_item(part, hf_srh_last_entry, source, srh.offset + 4, 1, ENC_BIG_ENDIAN);
    // RFC 8754: the first segment of a reduced SRH is in the destination only.
    const bool is_reduced = srh.left > srh.last_entry || srh.segments == 0;
    if (is_reduced)
    {
        proto_item_set_generated(
            proto_tree_add_boolean(part, hf_srh_reduced, source, srh.offset, 0, 1));
    }
    if (srh.left > srh.last_entry + 1 || (srh.last_entry > 0 && srh.last_entry >= srh.segments))
    {
        expert_add_info(pinfo, item, &ei_srh_bad);
    }
    for (int i = srh.segments - 1; i >= 0; --i)
    {
        const int at = srh.offset + 8 + 16 * i;
        proto_item* const carrier_item =
            proto_tree_add_item(part, hf_srh_carrier, source, at, 16, ENC_NA);
        const uint8_t* const bytes = tvb_get_ptr(source, at, 16);
        proto_item_append_text(carrier_item,
                               "%s",
                               i < srh.left    ? " (to come)"
                               : i == srh.left ? " (active)"
                                               : " (done)");
        if (!mrc_is_carrier(bytes))
        {
            continue;
        }
        const mrc_usid_list list = mrc_read_carrier(bytes);
        std::vector<node> nodes;
        add_nodes(nodes, list, destination, 0);
        show_usids(proto_item_add_subtree(carrier_item, ett_srv6), source, at, list, nodes, 0);
        if (i < srh.left)
        {
            path.insert(path.end(), nodes.begin(), nodes.end());
        }
    }
    show_tlvs(part, pinfo, source, srh.offset + 8 + 16 * srh.segments, srh.offset + srh.bytes);
}

int
dissect_srv6(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* data)
{
    const auto& outer = *static_cast<const mrc_outer*>(data);
    if (tree == nullptr)
    {
        return static_cast<int>(tvb_captured_length(tvb));
    }
    tvbuff_t* const source = outer.source;
    const int carrier_at = outer.ip_offset + 24;
    const uint8_t* const bytes = tvb_get_ptr(source, 0, outer.inner_offset);
    const mrc_usid_list list = mrc_read_carrier(bytes + carrier_at);
    const srh_view srh =
        find_srh(bytes, bytes[outer.ip_offset + 6], outer.ip_offset + IPV6, outer.inner_offset);
    address destination;
    const address* const inner = inner_destination(tvb, destination) ? &destination : nullptr;
    const uint8_t hop_limit = bytes[outer.ip_offset + 7];
    const bool knows_hops = hop_limit <= mrc_carriers.first_hop_limit;
    const unsigned done = knows_hops ? mrc_carriers.first_hop_limit - hop_limit : 0;

    std::vector<node> path;
    add_nodes(path, list, inner, 0);
    const size_t own = path.size();
    proto_item* const item =
        proto_tree_add_protocol_format(tree, proto_srv6, source, carrier_at, 16, "SRv6 uSID");
    proto_tree* const srv6 = proto_item_add_subtree(item, ett_srv6);
    show_usids(srv6, source, carrier_at, list, path, 0);
    mrc_add_generated(srv6, hf_remaining, source, carrier_at, 16, list.count);
    proto_item_set_generated(proto_tree_add_boolean(
        srv6, hf_end, source, carrier_at, 16, list.count <= 1 && srh.left == 0));
    if (srh.offset >= 0)
    {
        show_srh(srv6, pinfo, source, srh, inner, path);
    }
    mrc_line line;
    write_path(path, done > 0, line);
    mrc_add_generated(srv6, hf_path, source, carrier_at, 16, line.c_str());
    if (knows_hops)
    {
        mrc_add_generated(srv6, hf_hops_done, source, outer.ip_offset + 7, 1, done);
        proto_item_append_text(
            item, ", hop %u of %u", done + 1, done + (outer.hops_left > 0 ? outer.hops_left : 1));
    }
    mrc_add_generated(srv6, hf_hops_left, source, carrier_at, 16, outer.hops_left);
    proto_item_append_text(item, ", %s", own == 0 && path.empty() ? "no uSID" : line.c_str());
    return static_cast<int>(tvb_captured_length(tvb));
}

/// Stands in the IP protocol table.
int
dissect_carried(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* data)
{
    const uint32_t protocol = pinfo->match_uint;
    auto* outer = static_cast<mrc_outer*>(p_get_proto_data(pinfo->pool, pinfo, proto_srv6, 0));
    if (outer == nullptr)
    {
        outer = wmem_new(pinfo->pool, mrc_outer);
        p_add_proto_data(pinfo->pool, pinfo, proto_srv6, 0, outer);
    }
    note_outer(tvb, pinfo, *outer);
    if (outer->has_carrier)
    {
        call_dissector_only(srv6_handle, tvb, pinfo, tree, outer);
    }
    const dissector_handle_t former = dissector_get_default_uint_handle(IP_TABLE, protocol);
    return former == nullptr ? 0 : call_dissector_only(former, tvb, pinfo, tree, data);
}

/// Called when a capture is opened or read again.
void
take_protocols()
{
    // Without "mrc" everything is as without this plugin.
    const bool is_wanted = proto_is_protocol_enabled(find_protocol_by_id(proto_mrc));
    for (const uint32_t protocol : CARRIED)
    {
        const dissector_handle_t current = dissector_get_uint_handle(ip_table, protocol);
        const dissector_handle_t former = dissector_get_default_uint_handle(IP_TABLE, protocol);
        if (is_wanted && current == former && former != nullptr)
        {
            dissector_change_uint(IP_TABLE, protocol, front_handle);
        }
        else if (!is_wanted && current == front_handle)
        {
            dissector_reset_uint(IP_TABLE, protocol);
        }
    }
}

void
register_fields()
{
    static hf_register_info hf[] = {
        {&hf_block,
         {"Block",
          "srv6.usid.block",
          FT_UINT32,
          BASE_HEX,
          nullptr,
          0,
          "First 32 bits of the carrier",
          HFILL}},
        {&hf_usid, {"uSID", "srv6.usid", FT_UINT32, BASE_HEX, nullptr, 0, nullptr, HFILL}},
        {&hf_active,
         {"Active uSID",
          "srv6.usid.active",
          FT_UINT32,
          BASE_HEX,
          nullptr,
          0,
          "What the next node compares with its own",
          HFILL}},
        {&hf_remaining,
         {"uSIDs left in the carrier",
          "srv6.usid.remaining",
          FT_UINT8,
          BASE_DEC,
          nullptr,
          0,
          nullptr,
          HFILL}},
        {&hf_end,
         {"End of the list",
          "srv6.usid.end",
          FT_BOOLEAN,
          BASE_NONE,
          nullptr,
          0,
          "Nothing follows the active uSID",
          HFILL}},
        {&hf_node, {"Node", "srv6.usid.node", FT_STRING, BASE_NONE, nullptr, 0, nullptr, HFILL}},
        {&hf_path,
         {"Path",
          "srv6.path",
          FT_STRING,
          BASE_NONE,
          nullptr,
          0,
          "Nodes that are still to come",
          HFILL}},
        {&hf_hops_done,
         {"Hops done",
          "srv6.hops_done",
          FT_UINT8,
          BASE_DEC,
          nullptr,
          0,
          "First hop limit (preference) - hop limit",
          HFILL}},
        {&hf_hops_left,
         {"Hops left",
          "srv6.hops_left",
          FT_UINT8,
          BASE_DEC,
          nullptr,
          0,
          "uSIDs left in the carrier and in the segments left",
          HFILL}},
        {&hf_srh_segments_left,
         {"Segments left",
          "srv6.srh.segments_left",
          FT_UINT8,
          BASE_DEC,
          nullptr,
          0,
          nullptr,
          HFILL}},
        {&hf_srh_last_entry,
         {"Last entry", "srv6.srh.last_entry", FT_UINT8, BASE_DEC, nullptr, 0, nullptr, HFILL}},
        {&hf_srh_reduced,
         {"Reduced",
          "srv6.srh.reduced",
          FT_BOOLEAN,
          BASE_NONE,
          nullptr,
          0,
          "The first carrier is not in the list",
          HFILL}},
        {&hf_srh_carrier,
         {"Carrier", "srv6.srh.carrier", FT_IPv6, BASE_NONE, nullptr, 0, nullptr, HFILL}},
        {&hf_tlv_type,
         {"TLV type", "srv6.srh.tlv.type", FT_UINT8, BASE_DEC, VALS(TLV_TYPES), 0, nullptr, HFILL}},
        {&hf_tlv_length,
         {"TLV length", "srv6.srh.tlv.length", FT_UINT8, BASE_DEC, nullptr, 0, nullptr, HFILL}},
        {&hf_tlv_value,
         {"TLV value", "srv6.srh.tlv.value", FT_BYTES, BASE_NONE, nullptr, 0, nullptr, HFILL}},
    };
    static ei_register_info ei[] = {
        {&ei_srh_bad,
         {"srv6.srh.bad",
          PI_PROTOCOL,
          PI_WARN,
          "Segments left, last entry and length do not fit together",
          EXPFILL}},
    };
    static int* ett[] = {&ett_srv6, &ett_srh, &ett_tlv};
    proto_register_field_array(proto_srv6, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto_srv6), ei, array_length(ei));
}

} // namespace

void
mrc_register_usid()
{
    proto_srv6 = proto_register_protocol("Segment Routing over IPv6, uSIDs", "SRv6", "srv6");
    register_fields();
    mrc_register_carriers(proto_srv6);
    register_init_routine(take_protocols);
}

void
mrc_handoff_usid()
{
    ip_table = find_dissector_table(IP_TABLE);
    srv6_handle = create_dissector_handle(dissect_srv6, proto_srv6);
    // Of no protocol: it also sees packets that carry no uSIDs.
    front_handle = create_dissector_handle_with_name_and_description(
        dissect_carried, -1, nullptr, "SRv6 uSIDs of the outer header, then as before");
    mrc_apply_carriers();
}
