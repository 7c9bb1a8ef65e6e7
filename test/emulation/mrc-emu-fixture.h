// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_FIXTURE_H
#define MRC_EMU_FIXTURE_H

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/types.h>
#include <vector>

namespace mrc::emu::test
{

/// What a program left behind.
struct Outcome
{
    int exitCode{-1};   ///< 128 + signal if it died of one
    std::string output; ///< stdout
    std::string errors; ///< stderr
};

/**
 * A test with a folder of its own, in which its labs have their run folders too: so it does not see
 * those of other tests, and what is left over is easy to find.
 */
class EmuTest : public testing::Test
{
  protected:
    void SetUp() override;
    void TearDown() override;

    /// Skip the test if this machine cannot do namespaces at all.
    static void NeedNamespaces();

    /// @return a path in the folder
    std::string Path(const std::string& name) const
    {
        return m_folder + "/" + name;
    }

    /// Write a file. @param name in the folder @param text of it @return its path
    std::string Write(const std::string& name, const std::string& text) const;

    /// @param path of a file @return its text
    static std::string ReadFile(const std::string& path);

    /// Start mrc-emu. @param arguments of it @return process id
    pid_t Start(const std::vector<std::string>& arguments);

    /// Wait for what Start() started. @return what it did
    Outcome Finish(pid_t child);

    /// Run mrc-emu to its end. @param arguments of it @return what it did
    Outcome Emu(const std::vector<std::string>& arguments);

    /**
     * Run a lab with a shell script in it, in which $EMU is mrc-emu.
     *
     * @param lab text of the lab file
     * @param script for sh
     * @param options of mrc-emu run
     * @return what it did
     */
    Outcome RunLab(const std::string& lab,
                   const std::string& script,
                   const std::vector<std::string>& options = {"--userns"});

    /// Wait until a lab of this test answers, at most 20 s. @return whether it does
    bool WaitForLab(const std::string& name);

    /// @return process ids of all processes that were started by labs of this test
    std::vector<pid_t> Processes() const;

    /// Wait until no process and no run folder of this test is left, at most 10 s; complain if not.
    void ExpectNothingLeft();

    /// @return counters of a lab, from `mrc-emu ctl stats` @param lab name of it
    nlohmann::json Stats(const std::string& lab);

    std::string m_folder; //!< of this test
};

/// @param status of a lab @param name of a host port @param key of a counter @return it
uint64_t HostCount(const nlohmann::json& status, const std::string& name, const std::string& key);

/// @param status of a lab @param name of a port @return its counters
nlohmann::json PortCounts(const nlohmann::json& status, const std::string& name);

/// Two planes, two T0s and two T1s in each, a host at each of the first three places.
extern const char* const SMALL_LAB;

} // namespace mrc::emu::test

#endif // MRC_EMU_FIXTURE_H
