// SPDX-License-Identifier: GPL-2.0-only
// Each bad input: exit code 2, exactly one line on stderr that names the culprit, nothing on
// stdout, nothing written.
#include "mrc-sim-process.h"

#include <algorithm>
#include <fstream>

namespace mrc::test
{

namespace
{

/// A command line and a part of the line it must be answered with.
struct BadCase
{
    std::vector<std::string> arguments; ///< of mrc-sim
    std::string part;                   ///< of the message
};

class SimBadInputTest : public SimTest
{
  protected:
    /// Run a case with an output folder and check the answer.
    void Expect(BadCase bad)
    {
        std::string line;
        for (const std::string& argument : bad.arguments)
        {
            line += ' ' + argument;
        }
        SCOPED_TRACE("mrc-sim" + line);
        const size_t before = Entries();
        if (std::find(bad.arguments.begin(), bad.arguments.end(), "--out") == bad.arguments.end())
        {
            bad.arguments.insert(bad.arguments.end(), {"--out", Path("out")});
        }
        const ProcessResult result = RunSim(bad.arguments);
        EXPECT_EQ(result.exitCode, 2);
        EXPECT_EQ(result.output, "");
        const std::string& error = result.errorOutput;
        EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
        EXPECT_EQ(error.substr(0, 9), "mrc-sim: ");
        EXPECT_NE(error.find(bad.part), std::string::npos) << error;
        EXPECT_EQ(Entries(), before) << "something was written";
    }

    /// Write a configuration file. @return its path
    std::string Config(const std::string& text)
    {
        std::ofstream(Path("run.toml")) << text;
        return Path("run.toml");
    }
};

TEST_F(SimBadInputTest, Options)
{
    const std::vector<BadCase> cases{
        {{}, "a workload is missing"},
        {{"gossip"}, "'gossip' is neither a workload"},
        {{"permutation", "--nics", "0"}, "nics is 0"},
        {{"permutation", "--nics", "7"}, "7 NICs do not fill T0s of 8"},
        {{"permutation", "--nics", "-8"}, "--nics: '-8' should be a whole number"},
        {{"permutation", "--nics", "8.5"}, "--nics: '8.5' should be a whole number"},
        {{"permutation", "--nics"}, "--nics"},
        {{"permutation", "--planes", "33"}, "planes must be 1 to 32"},
        {{"permutation", "--tiers", "4"}, "tiers must be 2 or 3"},
        {{"permutation", "--size", "-1"}, "--size: '-1' should be bytes"},
        {{"permutation", "--size", "3GiB"}, "0 to 2GiB long"},
        {{"permutation", "--rate", "100"}, "--rate: '100' "},
        {{"permutation", "--rate", "0Gbps"}, "--rate: '0Gbps'"},
        {{"permutation", "--delay", "75"}, "--delay: '75' "},
        {{"permutation", "--delay", "-1ns"}, "--delay: '-1ns'"},
        {{"permutation", "--nic", "8"}, "there is no option --nic, did you mean --nics?"},
        {{"permutation", "--frobnicate"}, "there is no option --frobnicate"},
        {{"permutation", "--seed", "0"}, "--seed: '0' should be a whole number, at least 1"},
        {{"permutation", "--mtu", "100"}, "--mtu: '100' does not suit"},
        {{"permutation", "--cc", "cubic"}, "--cc: 'cubic' does not suit"},
        {{"permutation", "--encap", "gre"}, "--encap: 'gre' is none of srv6, none"},
        {{"permutation", "--scheduler", "heap"}, "none of lane, priority-queue, map"},
        {{"permutation", "--verify", "no"}, "none of auto, bytes, placement"},
        {{"permutation", "--senders", "4"}, "--senders: means nothing to permutation"},
        {{"permutation", "--pcap", "nic-0:p9"}, "--pcap: no p9"},
        {{"permutation", "--pcap", "nic-0:p0,p0/t0-0:nic-0"}, "nic-0/p0 is captured twice"},
        {{"incast", "--senders", "128"}, "128 senders"},
        {{"incast", "--receiver", "nic-128"}, "--receiver: there is no nic-128"},
        {{"p2p", "--source", "x"}, "--source: 'x' should be a NIC"},
        {{"p2p", "--source", "nic-127"}, "nic-127"},
    };
    for (const BadCase& bad : cases)
    {
        Expect(bad);
    }
}

TEST_F(SimBadInputTest, Attributes)
{
    const std::vector<BadCase> cases{
        {{"permutation", "--set", "Gamma=1"}, "--set: 'Gamma=1' should look like"},
        {{"permutation", "--set", "ns3::Foo::Bar=1"}, "--set: no class 'ns3::Foo'"},
        {{"permutation", "--set", "ns3::MrcNic::Bar=1"}, "ns3::MrcNic has no attribute 'Bar'"},
        {{"permutation", "--set", "ns3::MrcNic::Latency=2"}, "it takes a time such as 10us"},
        {{"permutation", "--set", "ns3::MrcNic::Latency=-2us"}, "it takes a time"},
        {{"permutation", "--set", "ns3::MrcProfile::Gamma=2"}, "'2' does not suit"},
        {{"permutation", "--set", "ns3::MrcProfile::Mpr=many"}, "'many' does not suit"},
    };
    for (const BadCase& bad : cases)
    {
        Expect(bad);
    }
}

TEST_F(SimBadInputTest, Faults)
{
    const std::vector<BadCase> cases{
        {{"permutation", "--fault", "link-down p2/t0-3-t1-99@10us"}, "--fault: "},
        {{"permutation", "--fault", "switch-down p9/t1-0@10us"}, "--fault: "},
        {{"permutation", "--fault", "meteor p2/t1-0@10us"}, "meteor"},
        {{"permutation", "--fault", ""}, "--fault: "},
    };
    for (const BadCase& bad : cases)
    {
        Expect(bad);
    }
}

TEST_F(SimBadInputTest, OutputFolder)
{
    std::ofstream(Path("file")) << "in the way";
    Expect({{"permutation", "--out", Path("file")}, "--out: folder"});
    Expect({{"permutation", "--out", Path("file") + "/below"}, "--out: folder"});
    Expect({{"permutation", "--out", "/proc/mrc-sim"}, "--out: folder /proc/mrc-sim"});
    const ProcessResult result = RunSim({"permutation", "--pcap", "nic-0:p0"});
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_EQ(result.errorOutput, "mrc-sim: --pcap: captures need a folder: give --out DIR\n");
}

TEST_F(SimBadInputTest, ConfigFile)
{
    Expect({{"permutation", "--config", Path("absent.toml")}, "absent.toml"});
    const std::vector<std::pair<std::string, std::string>> cases{
        {"# a comment\nnics = 16\ncolour = \"red\"\n", "run.toml:3: there is no option 'colour'"},
        {"nics = 16\nnics = 32\n", "run.toml:2: 'nics' is set twice, first in "},
        {"[network]\nnics = 16\n", "run.toml:1: '[network]' should look like: option = value"},
        {"nics\n", "run.toml:1: 'nics' should look like"},
        {"rate = 100Gbps\n", "run.toml:1: '100Gbps' needs quotes"},
        {"rate = \"100Gbps\n", "run.toml:1: a string has no end"},
        {"\nrate = \"100\"\n", "run.toml:2: rate: '100' "},
        {"nics = [8, 16]\n", "run.toml:1: 'nics' takes one value"},
        {"fault = [\"a\",\n\"b\"\n", "an array has no end"},
        {"seed = \n", "run.toml:1: a value is missing"},
        {"seed = 1 2\n", "run.toml:1: there is something behind the value"},
        {"out = \"x\"\n", "run.toml:1: there is no option 'out'"},
        {"workload = \"gossip\"\n", "run.toml:1: workload: 'gossip' is none of"},
    };
    for (const auto& [text, part] : cases)
    {
        Expect({{"--config", Config(text)}, part});
    }
}

TEST_F(SimBadInputTest, EvProfilesAndDenials)
{
    const auto with = [](const char* option, const char* spec) {
        return std::vector<std::string>{"permutation", "--nics", "16", option, spec};
    };
    const std::vector<BadCase> cases{
        {with("--ev-profile", "evs"), "should look like key=value"},
        {with("--ev-profile", "colour=red evs=1"), "is none of nic=, peer="},
        {with("--ev-profile", "count=4"), "needs one of evs=, route= and field="},
        {with("--ev-profile", "evs=0xc0000001 field=16:0:0:0-0"), "needs one of"},
        {with("--ev-profile", "evs=12x"), "'12x' is not a number"},
        {with("--ev-profile", "evs=0xc0090000"), "EV 0: 0xc0090000 names no path"},
        {with("--ev-profile", "field=16:0:3"), "should look like 16:0xc000:0x1f:0-3"},
        {with("--ev-profile", "field=16:0xc000:0x3:0-4"), "max_val 4 is wider than the 2 bits"},
        {with("--ev-profile", "nic=nic-99 evs=0xc0000000"), "nic-99"},
        {with("--ev-profile", "nic=nic-0 route=p0/t0-0,t0-1,nic-9"), "p0/t0-0 has no route"},
        {with("--ev-profile", "nic=nic-0 peer=nic-0 evs=0xc0000000"), "no QP of this workload"},
        {with("--deny", "p1"), "should look like p1@5ms+10ms"},
        {with("--deny", "p9@1ms"), "'p9' is no plane: p0 to p3"},
        {with("--deny", "nic-99/p1@1ms"), "nic-99"},
        {with("--deny", "p1@soon"), "soon"},
        {{"permutation", "--nics", "16", "--prober", "--encap", "none"}, "source routing"},
    };
    for (const BadCase& bad : cases)
    {
        Expect(bad);
    }
    Expect({{"--config", Config("workload = \"permutation\"\nev-profil = [\"evs=1\"]\n")},
            "run.toml:2: there is no option 'ev-profil'"});
}

} // namespace

} // namespace mrc::test
