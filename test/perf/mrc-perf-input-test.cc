// SPDX-License-Identifier: GPL-2.0-only
// Bad input: one line that says what would be right, and exit code 2.
#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

namespace
{

/// @param arguments of mrc-perf @param[out] output what it wrote @return its exit code
int
Execute(const std::string& arguments, std::string& output)
{
    output.clear();
    FILE* const pipe = popen((MRC_BIN "/mrc-perf " + arguments + " 2>&1").c_str(), "r");
    char buffer[4096];
    for (size_t count; (count = fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    {
        output.append(buffer, count);
    }
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct BadInputCase
{
    const char* arguments; ///< of mrc-perf
    const char* complaint; ///< part of what it says
};

class PerfInputTest : public testing::TestWithParam<BadInputCase>
{
};

TEST_P(PerfInputTest, IsRefusedInOneLine)
{
    std::string output;
    EXPECT_EQ(Execute(GetParam().arguments, output), 2) << output;
    EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 1) << output;
    EXPECT_EQ(output.rfind("mrc-perf: ", 0), 0u) << output;
    EXPECT_NE(output.find(GetParam().complaint), std::string::npos) << output;
}

INSTANTIATE_TEST_SUITE_P(
    All,
    PerfInputTest,
    testing::Values(
        BadInputCase{"", "PEER is missing"},
        BadInputCase{"--server host", "--server takes no PEER"},
        BadInputCase{"host --nonsense", "--nonsense"},
        BadInputCase{"host --size 0", "--size: '0' should be bytes"},
        BadInputCase{"host --size 2GiB", "from 1 to 1073741824"},
        BadInputCase{"host --size 64kb", "such as 65536 or 64KiB"},
        BadInputCase{"host --iters -3", "--iters: '-3' should be a whole number from 1"},
        BadInputCase{"host --iters 1e3", "'1e3'"},
        BadInputCase{"host --qps 5000", "from 1 to 4096"},
        BadInputCase{"host --mtu 128", "from 256 to 4096"},
        BadInputCase{"host --duration 10", "has no unit"},
        BadInputCase{"host --duration 1s --iters 5", "exclude each other"},
        BadInputCase{"host --lat --bw", "exclude each other"},
        BadInputCase{"host --lat --qps 2", "--qps: not with --lat"},
        BadInputCase{"--server --size 5", "the client decides that"},
        BadInputCase{"host --keep", "only with --server"},
        BadInputCase{"host --cc cubic", "nscc or window"},
        BadInputCase{"host --carrier fd6d:7263:1::", "should be a plane and a uSID carrier"},
        BadInputCase{"host --carrier p0=fd6d:7263::", "has no uSID"},
        BadInputCase{"host --carrier p1=fd6d:7263:1::", "each of the 1 planes needs at least one"},
        BadInputCase{"host --fabric nics=8,plane=2", "'plane=2' should be a count"},
        BadInputCase{"host --fabric nics=8,planes=2,nics-per-t0=4 --nic 8 -i x -i y", "0 to 7"},
        BadInputCase{"host --fabric nics=8,planes=2,nics-per-t0=4 --nic 1 -i x", "2 planes"},
        BadInputCase{"host --fabric nics=7,planes=2,nics-per-t0=4 --nic 1 -i x -i y", "--fabric: "},
        BadInputCase{"host --nic 3", "only with --fabric"},
        BadInputCase{"host --address 10.1", "should be an IPv6 address"},
        BadInputCase{"no-such-host.invalid", "is no host"}));

TEST(PerfInputTest, HelpAndVersionAreNoFailures)
{
    std::string output;
    EXPECT_EQ(Execute("--help", output), 0);
    EXPECT_NE(output.find("--bidirectional"), std::string::npos);
    EXPECT_EQ(Execute("--version", output), 0);
    EXPECT_EQ(output.rfind("mrc-perf ", 0), 0u);
}

TEST(PerfInputTest, NobodyListensIsAFailureOfTheRun)
{
    std::string output;
    EXPECT_EQ(Execute("::1 -i lo --port 1", output), 1);
    EXPECT_NE(output.find("--server running there"), std::string::npos) << output;
}

} // namespace
