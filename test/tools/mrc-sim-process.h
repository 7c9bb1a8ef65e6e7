// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIM_PROCESS_H
#define MRC_SIM_PROCESS_H

#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mrc::test
{

/// What a program left behind.
struct ProcessResult
{
    int exitCode;            ///< 128 + signal if it died of one
    std::string output;      ///< stdout
    std::string errorOutput; ///< stderr

    /// @return stdout as JSON
    nlohmann::json Json() const
    {
        return nlohmann::json::parse(output);
    }
};

/**
 * Run mrc-sim to its end.
 *
 * @param arguments without the program's name
 * @param interruptAfterMs send SIGINT after so long; 0 = never
 * @return what it did
 */
ProcessResult RunSim(const std::vector<std::string>& arguments, unsigned interruptAfterMs = 0);

/// @param path of a file @return its bytes
std::string ReadFile(const std::filesystem::path& path);

/// A test with a folder of its own, which is empty before and gone afterwards.
class SimTest : public testing::Test
{
  protected:
    void SetUp() override;
    void TearDown() override;

    /// @return a path in the folder
    std::string Path(const std::string& name) const
    {
        return (m_folder / name).string();
    }

    /// @return number of files and folders in the folder
    size_t Entries() const;

    std::filesystem::path m_folder; //!< of this test
};

} // namespace mrc::test

#endif // MRC_SIM_PROCESS_H
