// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ipv6.h"

#include <array>
#include <cstdio>

namespace mrc
{

namespace
{

constexpr size_t GROUPS = 8;

/// In place of the number of groups before "::" while none was seen.
constexpr size_t NO_GAP = GROUPS + 1;

/// @param c a character @return the value of a hexadecimal digit, -1 if it is none
int
HexDigit(char c)
{
    if (c >= '0' && c <= '9')
    {
        return c - '0';
    }
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// @param text starts with a group; the group is removed from it
/// @param group its value
/// @return whether there are 1 to 4 hexadecimal digits
bool
TakeGroup(std::string_view& text, uint16_t& group)
{
    size_t digits = 0;
    uint32_t value = 0;
    while (digits < text.size() && HexDigit(text[digits]) >= 0)
    {
        if (digits == 4)
        {
            return false;
        }
        value = value << 4 | static_cast<uint32_t>(HexDigit(text[digits]));
        ++digits;
    }
    text.remove_prefix(digits);
    group = static_cast<uint16_t>(value);
    return digits > 0;
}

/// @param text the whole of a dotted IPv4 address @param address its value
/// @return whether it is four decimal numbers up to 255 without leading zeros
bool
ParseDotted(std::string_view text, uint32_t& address)
{
    address = 0;
    for (int part = 0; part < 4; ++part)
    {
        uint32_t value = 0;
        size_t digits = 0;
        while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9')
        {
            value = value * 10 + static_cast<uint32_t>(text[digits] - '0');
            ++digits;
            if (value > 255 || (digits == 2 && text[0] == '0'))
            {
                return false;
            }
        }
        if (digits == 0)
        {
            return false;
        }
        text.remove_prefix(digits);
        address = address << 8 | value;
        if (part < 3)
        {
            if (text.empty() || text[0] != '.')
            {
                return false;
            }
            text.remove_prefix(1);
        }
    }
    return text.empty();
}

} // namespace

bool
Ipv6Address::Parse(std::string_view text, Ipv6Address& address)
{
    std::array<uint16_t, GROUPS> groups{};
    size_t count = 0;
    size_t gap = NO_GAP;
    if (text.substr(0, 2) == "::")
    {
        gap = 0;
        text.remove_prefix(2);
    }
    bool wantsGroup = gap == NO_GAP; // a single colon must be followed by a group
    while (!text.empty() || wantsGroup)
    {
        if (count == GROUPS)
        {
            return false;
        }
        uint32_t dotted = 0;
        if (count + 2 <= GROUPS && text.find('.') != std::string_view::npos &&
            text.find(':') == std::string_view::npos)
        {
            if (!ParseDotted(text, dotted))
            {
                return false;
            }
            groups[count++] = static_cast<uint16_t>(dotted >> 16);
            groups[count++] = static_cast<uint16_t>(dotted);
            break;
        }
        if (!TakeGroup(text, groups[count]))
        {
            return false;
        }
        ++count;
        wantsGroup = false;
        if (text.empty())
        {
            break;
        }
        if (text[0] != ':')
        {
            return false;
        }
        if (text.substr(0, 2) == "::")
        {
            if (gap != NO_GAP)
            {
                return false;
            }
            gap = count;
            text.remove_prefix(2);
        }
        else
        {
            text.remove_prefix(1);
            wantsGroup = true;
        }
    }
    // "::" stands for at least one group, so eight written groups leave it no room.
    if (gap == NO_GAP ? count != GROUPS : count == GROUPS)
    {
        return false;
    }
    std::array<uint16_t, GROUPS> whole{};
    for (size_t i = 0; i < count; ++i)
    {
        whole[i < gap ? i : GROUPS - count + i] = groups[i];
    }
    address = Ipv6Address{0, 0};
    for (size_t i = 0; i < GROUPS; ++i)
    {
        uint64_t& half = i < GROUPS / 2 ? address.high : address.low;
        half = half << 16 | whole[i];
    }
    return true;
}

std::string
Ipv6Address::Print() const
{
    if (IsIpv4Mapped())
    {
        char dotted[24];
        std::snprintf(dotted,
                      sizeof dotted,
                      "::ffff:%u.%u.%u.%u",
                      static_cast<unsigned>(low >> 24 & 0xff),
                      static_cast<unsigned>(low >> 16 & 0xff),
                      static_cast<unsigned>(low >> 8 & 0xff),
                      static_cast<unsigned>(low & 0xff));
        return dotted;
    }
    std::array<unsigned, GROUPS> groups{};
    for (size_t i = 0; i < GROUPS; ++i)
    {
        groups[i] =
            static_cast<uint16_t>((i < GROUPS / 2 ? high : low) >> (16 * (GROUPS / 2 - 1 - i % 4)));
    }
    // RFC 5952: the first of the longest runs of at least two zero groups becomes "::".
    size_t runStart = GROUPS;
    size_t runLength = 1;
    for (size_t i = 0; i < GROUPS;)
    {
        size_t end = i;
        while (end < GROUPS && groups[end] == 0)
        {
            ++end;
        }
        if (end - i > runLength)
        {
            runStart = i;
            runLength = end - i;
        }
        i = end + 1;
    }
    std::string text;
    for (size_t i = 0; i < GROUPS; ++i)
    {
        if (i == runStart)
        {
            text += "::";
            i += runLength - 1;
            continue;
        }
        if (!text.empty() && text.back() != ':')
        {
            text += ':';
        }
        char group[5];
        std::snprintf(group, sizeof group, "%x", groups[i]);
        text += group;
    }
    return text;
}

} // namespace mrc
