// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ev-bits.h"

namespace mrc
{

namespace
{

constexpr char DIGITS[] = "0123456789abcdef";

/// @param c any character @return the value of a hexadecimal digit, 16 if it is none
uint32_t
DigitValue(char c)
{
    if (c >= '0' && c <= '9')
    {
        return static_cast<uint32_t>(c - '0');
    }
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? static_cast<uint32_t>(lower - 'a') + 10 : 16;
}

} // namespace

EvBits
EvBits::Of(uint64_t value, uint32_t count)
{
    EvBits ev;
    const uint32_t high = count > 32 ? count - 32 : 0;
    ev.Put(0, high, static_cast<uint32_t>(value >> 32));
    ev.Put(high, count - high, static_cast<uint32_t>(value));
    return ev;
}

bool
EvBits::Parse(const std::string& text, EvBits& ev)
{
    EvBits read;
    const bool hasPrefix = text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
    uint32_t at = 0;
    for (size_t i = hasPrefix ? 2 : 0; i < text.size(); ++i)
    {
        if (text[i] == ':' && at > 0)
        {
            continue;
        }
        const uint32_t digit = DigitValue(text[i]);
        if (digit > 15 || at == MAX_BITS)
        {
            return false;
        }
        read.Put(at, 4, digit);
        at += 4;
    }
    if (at == 0)
    {
        return false;
    }
    ev = read;
    return true;
}

uint32_t
EvBits::Get(uint32_t first, uint32_t count) const
{
    uint32_t value = 0;
    for (uint32_t at = first; at < first + count; ++at)
    {
        const uint32_t bit = at < MAX_BITS ? bytes[at / 8] >> (7 - at % 8) & 1 : 0;
        value = value << 1 | bit;
    }
    return value;
}

void
EvBits::Put(uint32_t first, uint32_t count, uint32_t value)
{
    for (uint32_t i = 0; i < count && first + i < MAX_BITS; ++i)
    {
        const uint32_t at = first + i;
        const auto mask = static_cast<uint8_t>(0x80 >> at % 8);
        const bool isSet = value >> (count - 1 - i) & 1;
        bytes[at / 8] = static_cast<uint8_t>(isSet ? bytes[at / 8] | mask : bytes[at / 8] & ~mask);
    }
}

bool
EvBits::HasOnesFrom(uint32_t first) const
{
    for (uint32_t at = first; at < MAX_BITS; at += 32)
    {
        if (Get(at, 32) != 0)
        {
            return true;
        }
    }
    return false;
}

std::string
EvBits::Print(uint32_t count) const
{
    std::string text;
    for (uint32_t at = 0; at < count; at += 4)
    {
        text += DIGITS[Get(at, 4)];
    }
    return text;
}

} // namespace mrc
