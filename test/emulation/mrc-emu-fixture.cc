// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-fixture.h"

#include "mrc-emu-namespace.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace mrc::emu::test
{

namespace fs = std::filesystem;

const char* const SMALL_LAB = R"(
name = "small"
scale = 1
[fabric]
planes = 2
nics = 4
nics-per-t0 = 2
[[host]]
[[host]]
[[host]]
)";

namespace
{

/// Time between two looks, ms.
constexpr int LOOK_MS = 20;

/// Give this process a file in place of a standard stream.
void
Redirect(const std::string& file, FILE* stream)
{
    if (std::freopen(file.c_str(), "w", stream) == nullptr)
    {
        _exit(126);
    }
}

} // namespace

void
EmuTest::SetUp()
{
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    m_folder = (fs::temp_directory_path() / ("mrc-emu-test-" + std::to_string(getpid()) + "-" +
                                             std::string(info->name()).substr(0, 24)))
                   .string();
    fs::remove_all(m_folder);
    fs::create_directories(m_folder);
    setenv("MRC_EMU_BASE", Path("run").c_str(), 1);
    unsetenv("MRC_EMU_LAB");
    setenv("EMU", MRC_EMU, 1);
}

void
EmuTest::TearDown()
{
    fs::remove_all(m_folder);
}

void
EmuTest::NeedNamespaces()
{
    const std::string why = WhyNoNamespaces();
    if (!why.empty())
    {
        GTEST_SKIP() << why;
    }
}

std::string
EmuTest::Write(const std::string& name, const std::string& text) const
{
    std::ofstream(Path(name)) << text;
    return Path(name);
}

std::string
EmuTest::ReadFile(const std::string& path)
{
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

pid_t
EmuTest::Start(const std::vector<std::string>& arguments)
{
    std::vector<char*> argv{const_cast<char*>(MRC_EMU)};
    for (const std::string& argument : arguments)
    {
        argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0)
    {
        const std::string base = Path("process-" + std::to_string(getpid()));
        Redirect("/dev/null", stdin);
        Redirect(base + ".out", stdout);
        Redirect(base + ".err", stderr);
        execv(MRC_EMU, argv.data());
        _exit(127);
    }
    return child;
}

Outcome
EmuTest::Finish(pid_t child)
{
    Outcome outcome;
    outcome.exitCode = WaitFor(child);
    const std::string base = Path("process-" + std::to_string(child));
    outcome.output = ReadFile(base + ".out");
    outcome.errors = ReadFile(base + ".err");
    return outcome;
}

Outcome
EmuTest::Emu(const std::vector<std::string>& arguments)
{
    return Finish(Start(arguments));
}

Outcome
EmuTest::RunLab(const std::string& lab,
                const std::string& script,
                const std::vector<std::string>& options)
{
    std::vector<std::string> arguments{"run", Write("lab.toml", lab)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {"--", "sh", "-c", script});
    return Emu(arguments);
}

bool
EmuTest::WaitForLab(const std::string& name)
{
    constexpr int LOOKS = 1000;
    for (int i = 0; i < LOOKS; ++i)
    {
        if (fs::exists(Path("run/" + name + "/control")) &&
            Emu({"ctl", "--lab", name, "status"}).exitCode == 0)
        {
            return true;
        }
        poll(nullptr, 0, LOOK_MS);
    }
    return false;
}

std::vector<pid_t>
EmuTest::Processes() const
{
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc"))
    {
        const pid_t pid = std::atoi(entry.path().filename().c_str());
        if (pid == 0 || pid == getpid())
        {
            continue;
        }
        // Environment and arguments alike name the folder of this test.
        const std::string about = ReadFile(entry.path().string() + "/environ") +
                                  ReadFile(entry.path().string() + "/cmdline");
        if (about.find(m_folder) != std::string::npos)
        {
            found.push_back(pid);
        }
    }
    return found;
}

void
EmuTest::ExpectNothingLeft()
{
    constexpr int LOOKS = 500;
    for (int i = 0; i < LOOKS && (fs::exists(Path("run")) || !Processes().empty()); ++i)
    {
        poll(nullptr, 0, LOOK_MS);
    }
    EXPECT_FALSE(fs::exists(Path("run"))) << "files are left over";
    for (const pid_t pid : Processes())
    {
        ADD_FAILURE() << "process " << pid
                      << " is left over: " << ReadFile("/proc/" + std::to_string(pid) + "/cmdline");
    }
}

nlohmann::json
EmuTest::Stats(const std::string& lab)
{
    const Outcome outcome = Emu({"ctl", "--lab", lab, "stats"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    return nlohmann::json::parse(outcome.output);
}

uint64_t
HostCount(const nlohmann::json& status, const std::string& name, const std::string& key)
{
    for (const auto& host : status["hosts"])
    {
        if (host["port"] == name)
        {
            return host[key];
        }
    }
    ADD_FAILURE() << "no host port " << name;
    return 0;
}

nlohmann::json
PortCounts(const nlohmann::json& status, const std::string& name)
{
    for (const auto& port : status["ports"])
    {
        if (port["port"] == name)
        {
            return port;
        }
    }
    ADD_FAILURE() << "no port " << name;
    return {};
}

} // namespace mrc::emu::test
