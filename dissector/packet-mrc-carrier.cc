// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Which addresses carry uSIDs and where in them: the preferences of the protocol "srv6".
#include "mrc-usid-plan.h"
#include "packet-mrc-parts.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <epan/prefs.h>
#include <string>
#include <vector>
#include <wsutil/inet_addr.h>
#include <wsutil/report_message.h>

mrc_carrier_preferences mrc_carriers;

namespace
{

/// A prefix of addresses that are carriers.
struct prefix
{
    uint8_t bytes[16];
    unsigned bits;
};

std::vector<prefix> prefixes;

/// @param text such as "fd6d:7263::/32" @param one the answer @return whether it is a prefix
bool
parse_prefix(const std::string& text, prefix& one)
{
    const size_t slash = text.find('/');
    if (slash == std::string::npos)
    {
        return false;
    }
    ws_in6_addr parsed;
    char* end = nullptr;
    const unsigned long bits = std::strtoul(text.c_str() + slash + 1, &end, 10);
    if (!ws_inet_pton6(text.substr(0, slash).c_str(), &parsed) || *end != 0 ||
        end == text.c_str() + slash + 1 || bits > 128)
    {
        return false;
    }
    std::memcpy(one.bytes, &parsed, sizeof(one.bytes));
    one.bits = static_cast<unsigned>(bits);
    return true;
}

} // namespace

mrc_usid_list
mrc_read_carrier(const uint8_t* address)
{
    mrc_usid_list list{};
    list.block =
        static_cast<uint32_t>(address[0]) << 24 | address[1] << 16 | address[2] << 8 | address[3];
    if (mrc_carriers.block_bits < 32)
    {
        list.block &= 0xffffffffu << (32 - mrc_carriers.block_bits);
    }
    list.block_bytes = static_cast<int>(mrc_carriers.block_bits / 8);
    list.bytes = static_cast<int>(mrc_carriers.usid_bits / 8);
    for (int at = list.block_bytes; at + list.bytes <= 16; at += list.bytes)
    {
        uint32_t usid = 0;
        for (int i = 0; i < list.bytes; ++i)
        {
            usid = usid << 8 | address[at + i];
        }
        if (usid == 0)
        {
            break;
        }
        list.usid[list.count++] = usid;
    }
    return list;
}

bool
mrc_is_carrier(const uint8_t* address)
{
    for (const prefix& one : prefixes)
    {
        const unsigned whole = one.bits / 8;
        const unsigned rest = one.bits % 8;
        const auto mask = static_cast<uint8_t>(0xff00 >> rest);
        if (std::memcmp(address, one.bytes, whole) == 0 &&
            (rest == 0 || ((address[whole] ^ one.bytes[whole]) & mask) == 0))
        {
            return true;
        }
    }
    return false;
}

void
mrc_apply_carriers()
{
    prefixes.clear();
    const std::string text = mrc_carriers.prefixes == nullptr ? "" : mrc_carriers.prefixes;
    for (size_t at = 0; at < text.size();)
    {
        const size_t end = text.find_first_of(", ", at);
        const std::string word = text.substr(at, end == std::string::npos ? end : end - at);
        prefix one;
        if (parse_prefix(word, one))
        {
            prefixes.push_back(one);
        }
        else if (!word.empty())
        {
            report_failure("srv6.carriers: \"%s\" is no prefix; right would be fd6d:7263::/32",
                           word.c_str());
        }
        at = end == std::string::npos ? text.size() : end + 1;
    }
    if (mrc_carriers.block_bits % 8 != 0 || mrc_carriers.block_bits < 16 ||
        mrc_carriers.block_bits > 96)
    {
        report_failure("srv6.block_bits: %u is not one of 16, 24 ... 96", mrc_carriers.block_bits);
        mrc_carriers.block_bits = 32;
    }
    if (mrc_carriers.usid_bits != 8 && mrc_carriers.usid_bits != 16 &&
        mrc_carriers.usid_bits != 24 && mrc_carriers.usid_bits != 32)
    {
        report_failure("srv6.usid_bits: %u is not one of 8, 16, 24, 32", mrc_carriers.usid_bits);
        mrc_carriers.usid_bits = 16;
    }
    mrc_load_name_file();
}

void
mrc_register_carriers(int proto)
{
    module_t* const module = prefs_register_protocol(proto, mrc_apply_carriers);
    static const std::string DEFAULT_CARRIERS = [] {
        char text[64];
        snprintf(text,
                 sizeof(text),
                 "%x:%x::/32, fcbb:bb00::/32, 5f00::/16",
                 mrc::DEFAULT_USID_BLOCK >> 16,
                 mrc::DEFAULT_USID_BLOCK & 0xffff);
        return std::string(text);
    }();
    mrc_carriers.prefixes = DEFAULT_CARRIERS.c_str();
    prefs_register_string_preference(module,
                                     "carriers",
                                     "Prefixes of carriers",
                                     "Destinations under these prefixes carry uSIDs; several are "
                                     "separated by commas",
                                     &mrc_carriers.prefixes);
    prefs_register_uint_preference(module,
                                   "block_bits",
                                   "Bits of the block",
                                   "Bits of a carrier before its first uSID",
                                   10,
                                   &mrc_carriers.block_bits);
    prefs_register_uint_preference(
        module, "usid_bits", "Bits of a uSID", "8, 16, 24 or 32", 10, &mrc_carriers.usid_bits);
    prefs_register_uint_preference(module,
                                   "hop_limit",
                                   "First hop limit",
                                   "Hop limit of the outer header when it leaves the sender",
                                   10,
                                   &mrc_carriers.first_hop_limit);
    mrc_register_names(module);
}
