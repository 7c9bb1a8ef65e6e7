// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIM_CONFIG_FILE_H
#define MRC_SIM_CONFIG_FILE_H

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace mrc::sim
{

/**
 * Reads options from a flat TOML file: `option = value`, where a value is a string, a number, a
 * boolean, or an array of those over one or more lines.
 *
 * CLI11's own reader takes a '#' or ',' inside a string for a comment or a separator, which fault
 * specifications are full of, and knows no line numbers.
 */
class ConfigFile : public CLI::Config
{
  public:
    /**
     * @param app whose options the keys must be, outlives this
     * @param[out] origin gets "FILE:LINE" of each option read, outlives this
     */
    ConfigFile(const CLI::App& app, std::map<std::string, std::string>& origin);

    /// @return the options in a file @throws CLI::ConfigError with file and line
    std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

    /// @return nothing: see WriteRunToml()
    std::string to_config(const CLI::App*, bool, bool, std::string) const override;

  private:
    const CLI::App& m_app;                        //!< options
    std::map<std::string, std::string>& m_origin; //!< where each was found
};

/**
 * Read the value of a key.
 *
 * @param text what stands behind '='; may hold several lines
 * @param[out] values the elements of an array, or the only value
 * @param[out] isOpen whether an array is not closed yet, so that a further line is wanted
 * @return empty, or what is wrong
 */
std::string ParseTomlValue(const std::string& text, std::vector<std::string>& values, bool& isOpen);

/// @return text as a TOML basic string
std::string TomlString(const std::string& text);

} // namespace mrc::sim

#endif // MRC_SIM_CONFIG_FILE_H
