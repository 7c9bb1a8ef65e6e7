// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-units.h"

#include <charconv>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace mrc
{

namespace
{
/// A number and what stands behind it.
struct Quantity
{
    double number;         ///< >= 0
    std::string_view unit; ///< the rest of the text
};

/// @return the number at the start of a text @throws UnitError that ends with `right`
Quantity
Split(std::string_view text, const char* right)
{
    Quantity quantity{};
    const char* end = text.data() + text.size();
    const auto result =
        std::from_chars(text.data(), end, quantity.number, std::chars_format::fixed);
    if (result.ec != std::errc() || std::signbit(quantity.number) ||
        !std::isfinite(quantity.number))
    {
        throw UnitError("'" + std::string(text) + "' is no quantity: write " + right);
    }
    quantity.unit = text.substr(static_cast<size_t>(result.ptr - text.data()));
    return quantity;
}

/// @return the quantity in the base unit @throws UnitError for other units and absurd sizes
double
Scale(std::string_view text,
      std::initializer_list<std::pair<std::string_view, double>> units,
      const char* right)
{
    const Quantity quantity = Split(text, right);
    for (const auto& [name, factor] : units)
    {
        constexpr double MOST = 9e18;
        if (quantity.unit == name && quantity.number * factor <= MOST)
        {
            return quantity.number * factor;
        }
    }
    const char* fault =
        quantity.unit.empty() ? "' has no unit: write " : "' is out of place: write ";
    throw UnitError("'" + std::string(text) + fault + right);
}
} // namespace

int64_t
ParseTimePs(std::string_view text)
{
    const double ps = Scale(text,
                            {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}},
                            "a time such as 50us (ps, ns, us, ms, s)");
    return static_cast<int64_t>(std::llround(ps));
}

uint64_t
ParseBitsPerSecond(std::string_view text)
{
    const char* right = "a rate such as 100Gbps (bps, kbps, Mbps, Gbps, Tbps)";
    const double rate = Scale(text,
                              {{"bps", 1},
                               {"kbps", 1e3},
                               {"Mbps", 1e6},
                               {"Gbps", 1e9},
                               {"Tbps", 1e12},
                               {"Gb/s", 1e9},
                               {"Mb/s", 1e6}},
                              right);
    if (rate < 1)
    {
        throw UnitError("'" + std::string(text) + "' is no rate: write " + right);
    }
    return static_cast<uint64_t>(std::llround(rate));
}

uint64_t
ParseBytes(std::string_view text)
{
    const double bytes = Scale(text,
                               {{"", 1},
                                {"B", 1},
                                {"KiB", 0x1p10},
                                {"MiB", 0x1p20},
                                {"GiB", 0x1p30},
                                {"TiB", 0x1p40},
                                {"KB", 1e3},
                                {"kB", 1e3},
                                {"MB", 1e6},
                                {"GB", 1e9}},
                               "bytes such as 65536 or 2MiB (B, KiB, MiB, GiB, TiB, kB, MB, GB)");
    return static_cast<uint64_t>(bytes);
}

double
ParseProbability(std::string_view text)
{
    const char* right = "a probability from 0 to 1 such as 0.01";
    const Quantity quantity = Split(text, right);
    if (!quantity.unit.empty() || quantity.number > 1)
    {
        throw UnitError("'" + std::string(text) + "' is no probability: write " + right);
    }
    return quantity.number;
}

uint64_t
ParseWhole(std::string_view text, uint64_t most)
{
    const bool isHex = text.substr(0, 2) == "0x";
    const std::string_view digits = isHex ? text.substr(2) : text;
    uint64_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value, isHex ? 16 : 10);
    if (result.ec != std::errc() || result.ptr != end || value > most)
    {
        throw UnitError("'" + std::string(text) + "' is no whole number up to " +
                        std::to_string(most));
    }
    return value;
}

} // namespace mrc
