// SPDX-License-Identifier: GPL-2.0-only
// mrc-perf through the fabric of mrc-emu: between real hosts by uSIDs, and to a simulated NIC.
#include "mrc-perf-lab.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace mrc::test
{

namespace
{

/// h0 is nic-0, h1 is nic-2 below the other T0; the other NICs are simulated.
const char* const LAB = R"(
scale = 1
[fabric]
planes = 2
nics = 4
nics-per-t0 = 2
rate = "10Gbps"
[[host]]
[[host]]
nic = "nic-2"
)";

const std::string FABRIC = " --fabric nics=4,planes=2,nics-per-t0=2 --json ";

class PerfEmuTest : public PerfLab
{
  protected:
    /**
     * Run a script in the lab.
     *
     * It sees $PERF, $OUT, and the functions `on HOST CMD`, `ctl CMD`, and `flowing`, which waits
     * until h1 got 1000 packets on p1.
     *
     * @param script for bash
     * @return the client's JSON, $OUT/client
     */
    nlohmann::json RunInLab(const std::string& script)
    {
        const std::string emu = MRC_BIN "/mrc-emu";
        std::ofstream(m_folder + "/perf-" + std::to_string(getpid()) + ".toml") << LAB;
        std::ofstream(m_folder + "/script")
            << "set -e\nOUT=" << m_folder << "\nPERF=" MRC_BIN "/mrc-perf\n"
            << "on() { h=$1; shift; " << emu << " exec $h -- \"$@\"; }\nctl() { " << emu
            << " ctl \"$@\"; }\n"
            << R"(
listening() {
  for i in $(seq 400); do
    if on h1 ss -Hltn 'sport = :18515' | grep -q .; then return; fi
    sleep 0.02
  done
}
flowing() {
  for i in $(seq 500); do
    if [ $(on h1 awk '/p1:/ { print $3 }' /proc/net/dev) -gt 1000 ]; then return; fi
    sleep 0.01
  done
  exit 9
}
)" << script;
        const std::string command = emu + " run " + m_folder + "/perf-" + std::to_string(getpid()) +
                                    ".toml -- bash " + m_folder + "/script >" + m_folder +
                                    "/output 2>&1";
        const int status = std::system(command.c_str());
        std::ifstream output(m_folder + "/output");
        EXPECT_EQ(status, 0) << std::string(std::istreambuf_iterator<char>(output), {});
        return ReadJson("client");
    }

    /// @return whether this mrc-emu connects hosts with simulated NICs
    static bool HasSimulatedPeers()
    {
        return std::system(MRC_BIN "/mrc-emu commands | grep -q '^qp '") == 0;
    }

    /// @param options of the client @param meanwhile script while it runs
    /// @return the client's JSON
    nlohmann::json Transfer(const std::string& options, const std::string& meanwhile = "")
    {
        return RunInLab("on h1 $PERF --server" + FABRIC + ">$OUT/server & server=$!\nlistening\n" +
                        "on h0 $PERF h1-p0" + FABRIC + options + " >$OUT/client & client=$!\n" +
                        meanwhile + "\nwait $client\nwait $server\n");
    }
};

TEST_F(PerfEmuTest, RealHostsWriteToEachOtherByUsids)
{
    const auto result = Transfer("--size 100000 --iters 100 -b --verify --imm");
    ExpectVerified(result);
    EXPECT_EQ(result["srv6"], true);
    for (const auto& port : result["ports"])
    {
        EXPECT_GT(port["frames_sent"], 0);
        EXPECT_GT(port["frames_received"], 0);
    }
}

TEST_F(PerfEmuTest, LatencyThroughThreeSwitches)
{
    const auto result = Transfer("--lat --iters 100");
    EXPECT_EQ(result["iterations"], 100);
}

TEST_F(PerfEmuTest, AFifthIsLostOnOneLink)
{
    // p1/t0-0-t1-0 is one of two uplinks of h0's T0 in plane 1.
    const auto result = Transfer("--size 65536 --iters 300 --verify",
                                 "ctl loss p1/t0-0-t1-0 0.2 || { kill $client; exit 1; }");
    ExpectVerified(result);
    EXPECT_EQ(result["iterations"], 300);
    std::cout << "20 % loss on one of four paths: " << result["bw_average_gbps"] << " Gb/s, "
              << result["counters"]["retransmitted"] << " of " << result["counters"]["data_sent"]
              << " packets sent again\n";
}

TEST_F(PerfEmuTest, APlaneOfTheFabricGoesDownAndComesBack)
{
    const auto result = Transfer("--duration 4s --size 65536 --verify",
                                 "flowing\nctl plane p1 down\nsleep 1\nctl plane p1 up");
    ExpectVerified(result);
    ASSERT_EQ(result["links"].size(), 2u) << result.dump(2);
    EXPECT_EQ(result["links"][0]["plane"], 1);
    EXPECT_EQ(result["links"][0]["up"], false);
    EXPECT_EQ(result["links"][1]["up"], true);
    std::cout << "plane 1 down: at most " << result["links"][0]["longest_gap_ms"]
              << " ms between completions\n";
}

TEST_F(PerfEmuTest, ASimulatedNicTakesWhatARealHostWrites)
{
    if (!HasSimulatedPeers())
    {
        GTEST_SKIP() << "mrc-emu has no command 'qp'";
    }
    const auto result = RunInLab("on h0 $PERF nic-3 --size 30000 --iters 200 --qps 2 --verify" +
                                 FABRIC + ">$OUT/client");
    ExpectVerified(result);
    EXPECT_EQ(result["iterations"], 2 * 200);
}

TEST_F(PerfEmuTest, NoTestThatASimulatedNicCannotDo)
{
    if (!HasSimulatedPeers())
    {
        GTEST_SKIP() << "mrc-emu has no command 'qp'";
    }
    RunInLab("code=0\non h0 $PERF nic-3 --lat" + FABRIC +
             "2>$OUT/error || code=$?\n[ $code -eq 2 ]\ngrep -q 'only receives' $OUT/error\n"
             "code=0\non h0 $PERF nic-2 --verify" +
             FABRIC +
             "2>$OUT/error || code=$?\n[ $code -eq 1 ]\ngrep -q 'real host h1' $OUT/error\n"
             "echo '{}' >$OUT/client\n");
}

} // namespace

} // namespace mrc::test
