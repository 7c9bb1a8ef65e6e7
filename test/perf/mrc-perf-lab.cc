// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-perf-lab.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace mrc::test
{

namespace
{

/// Run as root of new user, network and mount namespaces; all processes end with the script.
const char* const UNSHARE =
    "unshare --user --map-root-user --net --mount --pid --fork --kill-child";

const char* const PRELUDE = R"(
set -e
mount -t tmpfs none /run
mkdir /run/netns
ip netns add a
ip netns add b
a() { ip netns exec a "$@"; }
b() { ip netns exec b "$@"; }
plug() { # host, interface, plane, number, MTU
  $1 sysctl -qw net.ipv6.conf.$2.accept_dad=0
  ip -n $1 link set $2 mtu $5
  ip -n $1 addr add fd00:0:0:$3::$4/64 dev $2 nodad
  ip -n $1 link set $2 up
}
join() { # plane, MTU
  ip link add a$1 netns a type veth peer name b$1 netns b
  plug a a$1 $1 1 $2
  plug b b$1 $1 2 $2
}
flowing() { # until so many packets arrived at host b's plane: plane, packets
  for i in $(seq 1000); do
    if [ $(b cat /sys/class/net/b$1/statistics/rx_packets) -gt $2 ]; then return; fi
    sleep 0.01
  done
  exit 9
}
listening() { # until host b listens
  for i in $(seq 400); do
    if b ss -Hltn 'sport = :18515' | grep -q .; then return; fi
    sleep 0.02
  done
}
)";

} // namespace

void
PerfLab::SetUp()
{
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    m_folder = (std::filesystem::temp_directory_path() /
                ("mrc-perf-" + std::to_string(getpid()) + "-" + test))
                   .string();
    std::filesystem::create_directories(m_folder);
    const std::string probe = std::string(UNSHARE) +
                              " bash -c 'mount -t tmpfs none /run && mkdir /run/netns && "
                              "ip netns add x && ip link add type veth' >/dev/null 2>&1";
    if (std::system(probe.c_str()) != 0)
    {
        GTEST_SKIP() << "no user namespaces with veth here";
    }
}

void
PerfLab::TearDown()
{
    std::filesystem::remove_all(m_folder);
}

PerfLab::Outcome
PerfLab::Run(const std::string& script)
{
    const std::string path = m_folder + "/script";
    std::ofstream(path) << "PERF=" MRC_BIN "/mrc-perf\nWIRE=" MRC_BIN "/mrc-lossy-wire\nOUT="
                        << m_folder << '\n'
                        << PRELUDE << script;
    FILE* const pipe = popen((std::string(UNSHARE) + " bash " + path + " 2>&1").c_str(), "r");
    Outcome outcome{};
    char buffer[4096];
    for (size_t count; (count = fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    {
        outcome.output.append(buffer, count);
    }
    const int status = pclose(pipe);
    outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome;
}

std::string
PerfLab::Join(int planes)
{
    std::string script;
    for (int plane = 0; plane < planes; ++plane)
    {
        script += "join " + std::to_string(plane) + " 9000\n";
    }
    return script;
}

std::string
PerfLab::Transfer(int planes, const std::string& options, const std::string& meanwhile)
{
    std::string ofA;
    std::string ofB;
    for (int plane = 0; plane < planes; ++plane)
    {
        ofA += " -i a" + std::to_string(plane);
        ofB += " -i b" + std::to_string(plane);
    }
    return "b $PERF --server --json" + ofB +
           " >$OUT/server & server=$!\nlistening\na $PERF fd00::2" + ofA + " --json " + options +
           " >$OUT/client & client=$!\n" + meanwhile + "\nwait $client\nwait $server\n";
}

nlohmann::json
PerfLab::Measure(int planes, const std::string& options, const std::string& meanwhile)
{
    const Outcome outcome = Run(Join(planes) + Transfer(planes, options, meanwhile));
    EXPECT_EQ(outcome.exitCode, 0) << outcome.output;
    return ReadJson("client");
}

nlohmann::json
PerfLab::ReadJson(const std::string& name) const
{
    std::ifstream file(m_folder + "/" + name);
    nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
    EXPECT_TRUE(json.is_object()) << name;
    return json.is_object() ? json : nlohmann::json::object();
}

void
PerfLab::ExpectVerified(const nlohmann::json& result)
{
    EXPECT_GT(result.value("iterations", 0), 0);
    EXPECT_EQ(result.value("verified_messages", 0), result.value("iterations", -1));
    EXPECT_EQ(result.value("wrong_bytes", -1), 0);
    EXPECT_EQ(result.value("wrong_immediates", -1), 0);
}

} // namespace mrc::test
