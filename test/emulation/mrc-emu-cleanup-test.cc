// SPDX-License-Identifier: GPL-2.0-only
// However a lab ends, nothing is left over; what cannot be cleaned up is named.
#include "mrc-emu-fixture.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <set>

namespace mrc::emu::test
{

namespace
{

namespace fs = std::filesystem;

class EmuCleanupTest : public EmuTest
{
  protected:
    void SetUp() override
    {
        EmuTest::SetUp();
        NeedNamespaces();
        m_lab = Write("lab.toml", SMALL_LAB);
        m_interfaces = Interfaces();
    }

    void TearDown() override
    {
        EXPECT_EQ(Interfaces(), m_interfaces);
        EmuTest::TearDown();
    }

    /// @return interfaces of this machine
    static std::set<std::string> Interfaces()
    {
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator("/sys/class/net"))
        {
            names.insert(entry.path().filename().string());
        }
        return names;
    }

    /// @return process ids of the running lab: first the one that was started
    std::vector<pid_t> StartLab(pid_t& supervisor)
    {
        supervisor = Start({"up", m_lab, "--userns"});
        EXPECT_TRUE(WaitForLab("small"));
        return Processes();
    }

    std::string m_lab;                  //!< lab file
    std::set<std::string> m_interfaces; //!< before
};

TEST_F(EmuCleanupTest, EachEndingSignal)
{
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    {
        pid_t supervisor = 0;
        StartLab(supervisor);
        kill(supervisor, signal);
        const Outcome outcome = Finish(supervisor);
        EXPECT_EQ(outcome.exitCode, 128 + signal) << outcome.errors;
        EXPECT_NE(outcome.errors.find("lag mean"), std::string::npos) << "no summary";
        ExpectNothingLeft();
    }
}

// The program that stays, and so keeps the lab busy, on a host and in the background.
TEST_F(EmuCleanupTest, ProgramsOnHostsEndWithTheLab)
{
    pid_t supervisor = 0;
    StartLab(supervisor);
    const Outcome started =
        Emu({"exec", "h0", "--", "sh", "-c", "sleep 1000 & setsid sleep 1000 &"});
    EXPECT_EQ(started.exitCode, 0) << started.errors;
    EXPECT_EQ(Emu({"down"}).exitCode, 0);
    EXPECT_EQ(Finish(supervisor).exitCode, 0);
    ExpectNothingLeft();
}

TEST_F(EmuCleanupTest, KillOfTheProcessThatWasStarted)
{
    pid_t supervisor = 0;
    StartLab(supervisor);
    Emu({"exec", "h0", "--", "sh", "-c", "sleep 1000 &"});
    kill(supervisor, SIGKILL);
    EXPECT_EQ(Finish(supervisor).exitCode, 128 + SIGKILL);
    ExpectNothingLeft();
}

TEST_F(EmuCleanupTest, KillOfTheLabItself)
{
    pid_t supervisor = 0;
    for (const pid_t pid : StartLab(supervisor))
    {
        if (pid != supervisor)
        {
            kill(pid, SIGKILL);
        }
    }
    const Outcome outcome = Finish(supervisor);
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_NE(outcome.errors.find("the lab died of signal 9"), std::string::npos) << outcome.errors;
    ExpectNothingLeft();
}

TEST_F(EmuCleanupTest, DeathOfTheParent)
{
    const pid_t parent = fork();
    if (parent == 0)
    {
        Start({"up", m_lab, "--userns"});
        pause();
    }
    ASSERT_TRUE(WaitForLab("small"));
    kill(parent, SIGKILL);
    waitpid(parent, nullptr, 0);
    ExpectNothingLeft();
}

// With both processes killed at once the files stay: the next run names the command that helps.
TEST_F(EmuCleanupTest, LeftoversAreNamedAndRemoved)
{
    pid_t supervisor = 0;
    const std::vector<pid_t> processes = StartLab(supervisor);
    for (const int signal : {SIGSTOP, SIGKILL}) // stopped first, so that none cleans up in between
    {
        for (const pid_t pid : processes)
        {
            kill(pid, signal);
        }
    }
    Finish(supervisor);
    while (!Processes().empty()) // the kernel takes the namespaces down
    {
        constexpr int LOOK_MS = 20;
        poll(nullptr, 0, LOOK_MS);
    }
    ASSERT_TRUE(fs::exists(Path("run/small")));
    const Outcome refused = Emu({"up", m_lab, "--userns"});
    EXPECT_EQ(refused.exitCode, 2);
    EXPECT_NE(refused.errors.find("mrc-emu down --lab small"), std::string::npos) << refused.errors;
    const Outcome status = Emu({"status"});
    EXPECT_NE(status.output.find("not running"), std::string::npos)
        << status.exitCode << status.output << status.errors;
    EXPECT_EQ(Emu({"down", "--lab", "small"}).exitCode, 0);
    ExpectNothingLeft();
}

TEST_F(EmuCleanupTest, ASecondLabOfTheSameNameIsRefused)
{
    pid_t supervisor = 0;
    StartLab(supervisor);
    const Outcome refused = Emu({"up", m_lab, "--userns"});
    EXPECT_EQ(refused.exitCode, 2);
    EXPECT_NE(refused.errors.find("runs already"), std::string::npos) << refused.errors;
    EXPECT_EQ(Emu({"down", "--lab", "small"}).exitCode, 0);
    Finish(supervisor);
    ExpectNothingLeft();
}

TEST_F(EmuCleanupTest, ADetachedLabGoesOn)
{
    const Outcome started = Emu({"up", m_lab, "--userns", "--detach"});
    ASSERT_EQ(started.exitCode, 0) << started.errors;
    const Outcome pinged = Emu({"exec", "h0", "--", "ping", "-q", "-c", "2", "-i", "0.01", "h1"});
    EXPECT_EQ(pinged.exitCode, 0) << pinged.errors << pinged.output;
    EXPECT_NE(Emu({"status"}).output.find("lab small"), std::string::npos);
    EXPECT_EQ(Emu({"down"}).exitCode, 0);
    ExpectNothingLeft();
}

TEST_F(EmuCleanupTest, TheCommandsExitCodeIsThatOfTheRun)
{
    EXPECT_EQ(RunLab(SMALL_LAB, "exit 7").exitCode, 7);
    EXPECT_EQ(RunLab(SMALL_LAB, "kill -TERM $$").exitCode, 128 + SIGTERM);
    EXPECT_EQ(RunLab(SMALL_LAB, "$EMU exec h1 -- sh -c 'exit 5'").exitCode, 5);
    EXPECT_EQ(Emu({"run", m_lab, "--userns", "--", "no-such-program"}).exitCode, 127);
    ExpectNothingLeft();
}

// Any event is later than 1 ps: only the bound decides.
TEST_F(EmuCleanupTest, LagBeyondItsBoundIsExitCode3)
{
    const std::string script = "$EMU exec h0 -- ping -q -c 3 -i 0.01 h2 >/dev/null; sleep 0.1";
    const Outcome beyond = RunLab(SMALL_LAB, script, {"--userns", "--max-lag", "1ns"});
    EXPECT_EQ(beyond.exitCode, 3) << beyond.errors;
    EXPECT_NE(beyond.errors.find("beyond max-lag"), std::string::npos);
    EXPECT_EQ(RunLab(SMALL_LAB, script, {"--userns", "--max-lag", "100s"}).exitCode, 0);
}

} // namespace

} // namespace mrc::emu::test
