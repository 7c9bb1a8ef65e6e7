// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-sim-config-file.h"
#include "mrc-sim-reports.h"

#include <algorithm>

namespace mrc::sim
{

namespace
{

/// @param value as on the command line @return as in TOML
std::string
TomlValue(const std::string& value)
{
    const bool isNumber = value.size() < 16 && !value.empty() &&
                          value.find_first_not_of("0123456789") == std::string::npos;
    return isNumber || value == "true" || value == "false" ? value : TomlString(value);
}

} // namespace

void
WriteRunToml(std::ostream& out, const Options& options)
{
    out << "# Written by mrc-sim " << MRC_VERSION << ". Repeats the run:\n"
        << "#   mrc-sim --config run.toml\n";
    for (const auto& [name, values] : EffectiveOptions(options))
    {
        const bool isList =
            name == "fault" || name == "set" || name == "ev-profile" || name == "deny";
        if (values.empty())
        {
            continue;
        }
        out << name << " = " << (isList ? "[" : "");
        for (size_t i = 0; i < values.size(); ++i)
        {
            out << (i ? ", " : "") << (isList ? TomlString(values[i]) : TomlValue(values[i]));
        }
        out << (isList ? "]\n" : "\n");
    }
}

} // namespace mrc::sim
