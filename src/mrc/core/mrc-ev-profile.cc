// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ev-profile.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace mrc
{

namespace
{

constexpr uint32_t MAX_FIELD_BITS = 32;

/// @param value any @return its set bits
uint32_t
PopCount(uint32_t value)
{
    return static_cast<uint32_t>(__builtin_popcount(value));
}

/// @param value any @param bits a width, 0 to 32 @return whether the value needs no more
bool
Fits(uint32_t value, uint32_t bits)
{
    return bits >= 32 || value >> bits == 0;
}

/// @param value any @return it as "0x1f"
std::string
Hex(uint32_t value)
{
    char text[11];
    std::snprintf(text, sizeof text, "0x%x", value);
    return text;
}

/// @param value any @return it in decimal
std::string
Text(uint64_t value)
{
    return std::to_string(value);
}

/// @param field any @return empty, or what is wrong with it alone
std::string
ValidateField(const EvField& field)
{
    if (field.bits == 0 || field.bits > MAX_FIELD_BITS)
    {
        return "width " + Text(field.bits) + ": 1 to 32 bits";
    }
    const std::string width = " is wider than the field's " + Text(field.bits) + " bits";
    if (!Fits(field.initVal, field.bits))
    {
        return "init_val " + Hex(field.initVal) + width;
    }
    if (!Fits(field.mask, field.bits))
    {
        return "mask " + Hex(field.mask) + width;
    }
    if (!Fits(field.maxVal, field.TakenBits()))
    {
        return "max_val " + Text(field.maxVal) + " is wider than the " + Text(field.TakenBits()) +
               " bits of mask " + Hex(field.mask);
    }
    if (field.minVal > field.maxVal)
    {
        return "min_val " + Text(field.minVal) + " is above max_val " + Text(field.maxVal);
    }
    return "";
}

} // namespace

const char*
EvFormatName(EvFormat format)
{
    return format == EvFormat::STEV ? "stev" : format == EvFormat::SRV6 ? "srv6" : "udp";
}

std::string
EvFormatProfile::Validate() const
{
    uint32_t sum = 0;
    for (const uint16_t width : fieldBits)
    {
        if (width == 0)
        {
            return "a field of the format has no bits";
        }
        sum += width;
    }
    if (sum > EvFormatBits(format))
    {
        return "the fields of the format have " + Text(sum) + " bits: " + EvFormatName(format) +
               " has " + Text(EvFormatBits(format));
    }
    return "";
}

uint32_t
EvField::TakenBits() const
{
    return PopCount(mask);
}

uint32_t
EvField::Fill(uint32_t value) const
{
    uint32_t filled = initVal & ~mask;
    for (uint32_t left = mask; left != 0; left &= left - 1)
    {
        filled |= value & 1 ? left & -left : 0;
        value >>= 1;
    }
    return filled;
}

std::vector<EvField>
EvProfileConfig::EffectiveFields() const
{
    if (mode != EvMode::EXPLICIT || !fields.empty())
    {
        return fields;
    }
    std::vector<EvField> all;
    for (const uint16_t width : format.fieldBits)
    {
        const auto bits = static_cast<uint8_t>(std::min<uint32_t>(width, UINT8_MAX));
        const uint32_t taken = std::min<uint32_t>(width, MAX_FIELD_BITS);
        const auto ones = static_cast<uint32_t>((uint64_t{1} << taken) - 1);
        all.push_back({bits, 0, 0, ones, ones});
    }
    return all;
}

//= MRC-REF 3 Refuse a profile when
std::string
EvProfileConfig::Validate() const
{
    std::string problem = format.Validate();
    if (!problem.empty())
    {
        return problem;
    }
    const std::vector<EvField> used = EffectiveFields();
    if (used.size() > format.fieldBits.size())
    {
        return Text(used.size()) + " fields, but the format has " + Text(format.fieldBits.size());
    }
    const uint32_t sum =
        std::accumulate(used.begin(), used.end(), 0u, [](uint32_t bits, const EvField& field) {
            return bits + field.bits;
        });
    if (sum > EvFormatBits(format.format))
    {
        return "the fields have " + Text(sum) + " bits: " + EvFormatName(format.format) + " has " +
               Text(EvFormatBits(format.format));
    }
    for (size_t i = 0; i < used.size(); ++i)
    {
        problem = ValidateField(used[i]);
        if (problem.empty() && used[i].bits > format.fieldBits[i])
        {
            problem = Text(used[i].bits) + " bits do not fit the " + Text(format.fieldBits[i]) +
                      " bits of the format's field";
        }
        if (!problem.empty())
        {
            return "field " + Text(i) + ": " + problem;
        }
    }
    if (evCount == 0)
    {
        return "ev_count is 0: a QP needs an EV";
    }
    if (evMinActive > evCount)
    {
        return "ev_min_active " + Text(evMinActive) + " is above ev_count " + Text(evCount);
    }
    if (mode == EvMode::EXPLICIT && evs.empty())
    {
        return "the list of EVs is empty";
    }
    if (mode != EvMode::EXPLICIT && !evs.empty())
    {
        return "a list of EVs belongs to mode EXPLICIT";
    }
    if (mode == EvMode::AUTO && !fields.empty())
    {
        return "fields belong to modes EXPLICIT and GENERATED";
    }
    if (mode == EvMode::GENERATED && fields.empty())
    {
        return "no fields to generate EVs from";
    }
    if (Count() > MAX_GENERATED_EVS)
    {
        return Text(Count()) + " EVs are too many, at most " + Text(MAX_GENERATED_EVS) +
               ": narrow the masks or lower max_val";
    }
    for (size_t i = 0; i < evs.size(); ++i)
    {
        EvBits expanded;
        problem = Expand(evs[i], expanded);
        if (!problem.empty())
        {
            return "EV " + Text(i) + ": " + problem;
        }
    }
    return "";
}

uint64_t
EvProfileConfig::Count() const
{
    if (mode != EvMode::GENERATED)
    {
        return evs.size();
    }
    uint64_t count = fields.empty() ? 0 : 1;
    for (const EvField& field : fields)
    {
        const uint64_t values = uint64_t{field.maxVal} - field.minVal + 1;
        // Saturates: the product of 16 fields of 32 bits has no type.
        count = count > MAX_GENERATED_EVS ? count : count * values;
    }
    return count;
}

EvBits
EvProfileConfig::Compact(uint64_t number) const
{
    if (mode == EvMode::EXPLICIT)
    {
        return evs[number];
    }
    EvBits ev;
    uint32_t at =
        std::accumulate(fields.begin(), fields.end(), 0u, [](uint32_t bits, const EvField& field) {
            return bits + field.TakenBits();
        });
    for (auto field = fields.rbegin(); field != fields.rend(); ++field)
    {
        const uint64_t values = uint64_t{field->maxVal} - field->minVal + 1;
        at -= field->TakenBits();
        ev.Put(at, field->TakenBits(), field->minVal + static_cast<uint32_t>(number % values));
        number /= values;
    }
    return ev;
}

//= MRC-REF 3 Expansion of a compact EV
std::string
EvProfileConfig::Expand(const EvBits& compact, EvBits& expanded) const
{
    const std::vector<EvField> used = EffectiveFields();
    EvBits result;
    uint32_t from = 0;
    uint32_t end = 0;
    for (size_t i = 0; i < used.size(); ++i)
    {
        const uint32_t taken = used[i].TakenBits();
        end += format.fieldBits[i];
        result.Put(end - used[i].bits, used[i].bits, used[i].Fill(compact.Get(from, taken)));
        from += taken;
    }
    if (compact.HasOnesFrom(from))
    {
        return "bits are set behind the " + Text(from) + " that the masks take";
    }
    expanded = result;
    return "";
}

} // namespace mrc
