// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Names of the nodes that uSIDs stand for: a table in the profile, and a file of the same form
/// that a preference names (mrc-sim writes one for its topology).
#include "packet-mrc-parts.h"

#include <cstdlib>
#include <cstring>
#include <epan/prefs.h>
#include <epan/uat.h>
#include <fstream>
#include <string>
#include <unordered_map>
#include <vector>
#include <wsutil/inet_addr.h>
#include <wsutil/report_message.h>

namespace
{

/// A row of a table.
struct name_row
{
    char* block;    ///< such as fd6d:7263::
    unsigned usid;  ///< 16 bits
    unsigned after; ///< uSID before it, 0 = any
    char* address;  ///< inner destination, or empty = any
    char* name;     ///< such as p2/t1-7
};

UAT_CSTRING_CB_DEF(names, block, name_row)
UAT_HEX_CB_DEF(names, usid, name_row)
UAT_HEX_CB_DEF(names, after, name_row)
UAT_CSTRING_CB_DEF(names, address, name_row)
UAT_CSTRING_CB_DEF(names, name, name_row)

uat_t* profile_uat;
name_row* profile_rows; ///< owned by the UAT
unsigned profile_count;

/// A row of the file.
struct file_row
{
    std::string block;
    unsigned usid;
    unsigned after;
    std::string address;
    std::string name;
};

std::vector<file_row> file_rows;
const char* file_name = "";
std::string loaded_file;

/// What a name is looked up by; `after` 0 or destination empty match any.
struct index_key
{
    uint64_t usid;       ///< block << 32 | after << 16 | usid
    std::string address; ///< 16 bytes, or none

    bool operator==(const index_key& other) const
    {
        return usid == other.usid && address == other.address;
    }
};

struct index_hash
{
    size_t operator()(const index_key& key) const
    {
        return std::hash<uint64_t>()(key.usid) * 31 + std::hash<std::string>()(key.address);
    }
};

/// Names by key; null if several rows disagree.
std::unordered_map<index_key, const char*, index_hash> names_by_key;

uint64_t
make_key(uint32_t block, unsigned after, unsigned usid)
{
    return static_cast<uint64_t>(block) << 32 | (after & 0xffff) << 16 | (usid & 0xffff);
}

/// @param text an IPv6 address @param bytes its 16 bytes @return whether it is one
bool
parse_address(const char* text, uint8_t* bytes)
{
    ws_in6_addr parsed;
    if (text == nullptr || !ws_inet_pton6(text, &parsed))
    {
        return false;
    }
    std::memcpy(bytes, &parsed, 16);
    return true;
}

uint32_t
first32(const uint8_t* bytes)
{
    return static_cast<uint32_t>(bytes[0]) << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

void
add_name(const index_key& key, const char* name)
{
    const auto inserted = names_by_key.emplace(key, name);
    const char*& known = inserted.first->second;
    if (!inserted.second && known != nullptr && std::strcmp(known, name) != 0)
    {
        known = nullptr;
    }
}

void
add_row(const name_row& row)
{
    uint8_t block[16];
    if (!parse_address(row.block, block) || row.name == nullptr)
    {
        return;
    }
    uint8_t address[16];
    std::string destination;
    if (parse_address(row.address, address))
    {
        destination.assign(reinterpret_cast<const char*>(address), sizeof(address));
    }
    const uint32_t prefix = first32(block);
    add_name({make_key(prefix, row.after, row.usid), ""}, row.name);
    if (row.after != 0)
    {
        add_name({make_key(prefix, 0, row.usid), ""}, row.name);
    }
    if (!destination.empty())
    {
        add_name({make_key(prefix, 0, row.usid), destination}, row.name);
    }
}

void
index_names()
{
    names_by_key.clear();
    for (unsigned i = 0; i < profile_count; ++i)
    {
        add_row(profile_rows[i]);
    }
    for (file_row& row : file_rows)
    {
        add_row({row.block.data(), row.usid, row.after, row.address.data(), row.name.data()});
    }
}

void*
copy_row(void* to, const void* from, size_t)
{
    auto* const row = static_cast<name_row*>(to);
    const auto* const other = static_cast<const name_row*>(from);
    row->block = g_strdup(other->block);
    row->usid = other->usid;
    row->after = other->after;
    row->address = g_strdup(other->address);
    row->name = g_strdup(other->name);
    return row;
}

void
free_row(void* of)
{
    auto* const row = static_cast<name_row*>(of);
    g_free(row->block);
    g_free(row->address);
    g_free(row->name);
}

#if MRC_WIRESHARK_AT_LEAST(4, 4)
using uat_bool = bool;
#else
using uat_bool = gboolean;
#endif

uat_bool
check_row(void* of, char** error)
{
    const auto* const row = static_cast<const name_row*>(of);
    uint8_t bytes[16];
    *error = nullptr;
    if (!parse_address(row->block, bytes))
    {
        *error = g_strdup_printf("\"%s\" is no uSID block; right would be fd6d:7263::",
                                 row->block == nullptr ? "" : row->block);
    }
    else if (row->usid == 0 || row->usid > 0xffff || row->after > 0xffff)
    {
        *error = g_strdup("A uSID has 16 bits and is not 0");
    }
    else if (row->address != nullptr && row->address[0] != 0 && !parse_address(row->address, bytes))
    {
        *error = g_strdup_printf("\"%s\" is no IPv6 address", row->address);
    }
    else if (row->name == nullptr || row->name[0] == 0)
    {
        *error = g_strdup("The name is missing");
    }
    return *error == nullptr;
}

uat_field_t name_fields[] = {
    UAT_FLD_CSTRING(names, block, "Block", "First bits of the carrier, such as fd6d:7263::"),
    UAT_FLD_HEX(names, usid, "uSID", "16 bits, hexadecimal"),
    UAT_FLD_HEX(names, after, "After", "uSID before it on the path; 0 = any"),
    UAT_FLD_CSTRING(names, address, "Destination", "Inner destination address; empty = any"),
    UAT_FLD_CSTRING(names, name, "Name", "Such as p2/t1-7; the part before a slash is the plane"),
    UAT_END_FIELDS,
};

/**
 * Take the next quoted text of a row.
 *
 * @param line the row @param at where to go on, advanced past the text and a comma @param text the
 * answer @return whether there was one
 */
bool
next_text(const std::string& line, size_t& at, std::string& text)
{
    const size_t end =
        at < line.size() && line[at] == '"' ? line.find('"', at + 1) : std::string::npos;
    if (end == std::string::npos)
    {
        return false;
    }
    text = line.substr(at + 1, end - at - 1);
    at = end + (end + 1 < line.size() && line[end + 1] == ',' ? 2 : 1);
    return true;
}

/// @param text a hexadecimal number of at most 16 bits @param value the answer @return whether
bool
parse_usid(const std::string& text, unsigned& value)
{
    char* end = nullptr;
    const unsigned long parsed = std::strtoul(text.c_str(), &end, 16);
    value = static_cast<unsigned>(parsed);
    return !text.empty() && *end == 0 && parsed <= 0xffff;
}

/// @param line of the file @param row the answer @return empty, or what is wrong
std::string
parse_row(const std::string& line, file_row& row)
{
    size_t at = 0;
    std::string usid;
    std::string after;
    if (!next_text(line, at, row.block) || !next_text(line, at, usid) ||
        !next_text(line, at, after) || !next_text(line, at, row.address) ||
        !next_text(line, at, row.name) || at != line.size())
    {
        return "five quoted texts are wanted: block, uSID, uSID before it, destination, name";
    }
    if (!parse_usid(usid, row.usid) || !parse_usid(after, row.after))
    {
        return "a uSID is a hexadecimal number of 16 bits";
    }
    name_row checked{row.block.data(), row.usid, row.after, row.address.data(), row.name.data()};
    char* error = nullptr;
    check_row(&checked, &error);
    const std::string text = error == nullptr ? "" : error;
    g_free(error);
    return text;
}

const char*
find(uint64_t usid, const std::string& address)
{
    const auto found = names_by_key.find({usid, address});
    return found == names_by_key.end() ? nullptr : found->second;
}

} // namespace

const char*
mrc_usid_name(uint32_t block, uint16_t after, uint16_t usid, const address* destination)
{
    if (names_by_key.empty())
    {
        return nullptr;
    }
    for (const uint16_t before : {after, uint16_t{0}})
    {
        if (const char* const name = find(make_key(block, before, usid), ""))
        {
            return name;
        }
    }
    if (destination != nullptr && destination->type == AT_IPv6)
    {
        const std::string bytes(static_cast<const char*>(destination->data), 16);
        return find(make_key(block, 0, usid), bytes);
    }
    return nullptr;
}

void
mrc_load_name_file()
{
    if (file_name == nullptr || loaded_file == file_name)
    {
        return;
    }
    loaded_file = file_name;
    file_rows.clear();
    std::ifstream in;
    if (!loaded_file.empty())
    {
        in.open(loaded_file);
        if (!in)
        {
            report_failure("srv6.name_file: %s cannot be read", file_name);
        }
    }
    std::string line;
    for (size_t number = 1; in.is_open() && std::getline(in, line); ++number)
    {
        if (line.empty() || line[0] == '#')
        {
            continue;
        }
        file_row row;
        const std::string error = parse_row(line, row);
        if (!error.empty())
        {
            report_failure("srv6.name_file: %s:%zu: %s", file_name, number, error.c_str());
            file_rows.clear();
            break;
        }
        file_rows.push_back(row);
    }
    index_names();
}

void
mrc_register_names(module_t* module)
{
    profile_uat = uat_new("uSID names",
                          sizeof(name_row),
                          "mrc_usid_names",
                          TRUE,
                          &profile_rows,
                          &profile_count,
                          UAT_AFFECTS_DISSECTION,
                          nullptr,
                          copy_row,
                          check_row,
                          free_row,
                          index_names,
                          nullptr,
                          name_fields);
    prefs_register_uat_preference(
        module, "names", "Names of uSIDs", "Which node a uSID stands for", profile_uat);
    prefs_register_filename_preference(
        module,
        "name_file",
        "File with more names",
        "A file in the form of the table above, such as mrc-sim writes beside its captures",
        &file_name,
        FALSE);
}
