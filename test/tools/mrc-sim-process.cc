// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-sim-process.h"

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace mrc::test
{

namespace
{

/// Give the child a file in place of a standard stream. @param file name @param stream its number
void
Redirect(const std::string& file, int stream)
{
    if (std::freopen(file.c_str(), "w", stream == STDOUT_FILENO ? stdout : stderr) == nullptr)
    {
        _exit(126);
    }
}

} // namespace

std::string
ReadFile(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

ProcessResult
RunSim(const std::vector<std::string>& arguments, unsigned interruptAfterMs)
{
    const std::string base =
        (std::filesystem::temp_directory_path() / ("mrc-sim-" + std::to_string(getpid()))).string();
    std::vector<char*> argv{const_cast<char*>(MRC_SIM)};
    for (const std::string& argument : arguments)
    {
        argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0)
    {
        Redirect(base + ".out", STDOUT_FILENO);
        Redirect(base + ".err", STDERR_FILENO);
        execv(MRC_SIM, argv.data());
        _exit(127);
    }
    if (interruptAfterMs)
    {
        std::this_thread::sleep_for(std::chrono::milliseconds(interruptAfterMs));
        kill(child, SIGINT);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ProcessResult result;
    result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.output = ReadFile(base + ".out");
    result.errorOutput = ReadFile(base + ".err");
    std::filesystem::remove(base + ".out");
    std::filesystem::remove(base + ".err");
    return result;
}

void
SimTest::SetUp()
{
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    m_folder = std::filesystem::temp_directory_path() /
               ("mrc-sim-test-" + std::to_string(getpid()) + "-" + name);
    std::filesystem::remove_all(m_folder);
    std::filesystem::create_directories(m_folder);
}

void
SimTest::TearDown()
{
    std::filesystem::remove_all(m_folder);
}

size_t
SimTest::Entries() const
{
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(m_folder),
                                             std::filesystem::directory_iterator()));
}

} // namespace mrc::test
