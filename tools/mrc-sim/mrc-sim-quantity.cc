// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-sim-quantity.h"

#include "mrc-sim-bad-input.h"
#include "mrc-units.h"

#include <charconv>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace mrc::sim
{

namespace
{

/// A unit and what it multiplies with.
using Unit = std::pair<const char*, double>;

/// @param text number and unit @param units allowed @param[out] value in base units
/// @return whether text is one of these, not negative
bool
ParseWithUnit(const std::string& text, std::initializer_list<Unit> units, double& value)
{
    const char* end = text.data() + text.size();
    double number = 0;
    const auto parsed = std::from_chars(text.data(), end, number);
    if (parsed.ec != std::errc() || !(number >= 0))
    {
        return false;
    }
    for (const auto& [name, factor] : units)
    {
        if (std::string(parsed.ptr, end) == name)
        {
            value = std::round(number * factor);
            return true;
        }
    }
    return false;
}

} // namespace

uint32_t
ParseCount(const std::string& option, const std::string& text, uint32_t min)
{
    uint32_t value = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end || value < min)
    {
        throw BadInput(option,
                       "'" + text + "' should be a whole number, at least " + std::to_string(min));
    }
    return value;
}

double
ParseRatio(const std::string& option, const std::string& text)
{
    double value = 0;
    if (!ParseWithUnit(text, {{"", 1e6}}, value) || value <= 0)
    {
        throw BadInput(option, "'" + text + "' should be a number above 0");
    }
    return value / 1e6;
}

uint32_t
ParseNic(const std::string& option, const std::string& text)
{
    const std::string prefix = "nic-";
    const bool hasPrefix = text.compare(0, prefix.size(), prefix) == 0;
    uint32_t value = 0;
    const char* begin = text.data() + (hasPrefix ? prefix.size() : 0);
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(begin, end, value);
    if (begin == end || parsed.ec != std::errc() || parsed.ptr != end)
    {
        throw BadInput(option, "'" + text + "' should be a NIC, such as nic-41");
    }
    return value;
}

uint64_t
ParseRate(const std::string& option, const std::string& text)
{
    try
    {
        return mrc::ParseBitsPerSecond(text);
    }
    catch (const mrc::UnitError& error)
    {
        throw BadInput(option, error.what());
    }
}

uint64_t
ParseSize(const std::string& option, const std::string& text)
{
    try
    {
        return mrc::ParseBytes(text);
    }
    catch (const mrc::UnitError&)
    {
        throw BadInput(option, "'" + text + "' should be bytes, such as 65536 or 2MiB");
    }
}

double
ParseProbability(const std::string& option, const std::string& text)
{
    try
    {
        return mrc::ParseProbability(text);
    }
    catch (const mrc::UnitError&)
    {
        throw BadInput(option, "'" + text + "' should be a number from 0 to 1");
    }
}

int64_t
ParseTime(const std::string& option, const std::string& text)
{
    try
    {
        return mrc::ParseTimePs(text);
    }
    catch (const mrc::UnitError& error)
    {
        throw BadInput(option, error.what());
    }
}

std::string
TimeText(int64_t ps)
{
    const std::pair<int64_t, const char*> units[] = {
        {1'000'000'000'000, "s"}, {1'000'000'000, "ms"}, {1'000'000, "us"}, {1'000, "ns"}};
    for (const auto& [factor, unit] : units)
    {
        if (ps >= factor && ps % factor == 0)
        {
            return std::to_string(ps / factor) + unit;
        }
    }
    return std::to_string(ps) + "ps";
}

std::string
RateText(uint64_t bitsPerSecond)
{
    const std::pair<uint64_t, const char*> units[] = {
        {1'000'000'000'000, "Tbps"}, {1'000'000'000, "Gbps"}, {1'000'000, "Mbps"}, {1'000, "kbps"}};
    for (const auto& [factor, unit] : units)
    {
        if (bitsPerSecond % factor == 0)
        {
            return std::to_string(bitsPerSecond / factor) + unit;
        }
    }
    return std::to_string(bitsPerSecond) + "bps";
}

} // namespace mrc::sim
