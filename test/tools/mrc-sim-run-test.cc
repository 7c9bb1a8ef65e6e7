// SPDX-License-Identifier: GPL-2.0-only
// Whole runs of mrc-sim: what it reports, writes and returns.
#include "mrc-sim-process.h"

#include <algorithm>
#include <fstream>

namespace mrc::test
{

namespace
{

class SimRunTest : public SimTest
{
};

TEST_F(SimRunTest, JsonHoldsWhatIsPromised)
{
    const ProcessResult result =
        RunSim({"permutation", "--nics", "16", "--size", "256KiB", "--json", "--quiet"});
    ASSERT_EQ(result.exitCode, 0) << result.errorOutput;
    EXPECT_EQ(result.errorOutput, "");
    const nlohmann::json json = result.Json();
    for (const char* pointer : {"/parameters/seed",
                                "/parameters/version",
                                "/parameters/nics",
                                "/parameters/ns3::MrcProfile/Gamma",
                                "/parameters/ns3::MrcTrimmingSwitch/TrimThreshold",
                                "/parameters/ns3::MrcNic/Latency",
                                "/messages/total",
                                "/messages/completed",
                                "/messages/verified",
                                "/fct_us/mean",
                                "/fct_us/p50",
                                "/fct_us/p99",
                                "/fct_us/max",
                                "/fct_us/ideal",
                                "/goodput_gbps",
                                "/packets/data",
                                "/packets/control",
                                "/packets/hops",
                                "/packets/trimmed",
                                "/packets/dropped",
                                "/packets/retransmitted",
                                "/packets/ecn_marked",
                                "/packets/duplicates",
                                "/ev/retired",
                                "/ev/restored",
                                "/ev/skips",
                                "/faults",
                                "/events",
                                "/events_per_hop",
                                "/cpu_s",
                                "/setup_cpu_s",
                                "/hops_per_cpu_s",
                                "/rss_mib",
                                "/conservation/data_sent"})
    {
        EXPECT_TRUE(json.contains(nlohmann::json::json_pointer(pointer))) << pointer;
    }
    // 16 NICs send 64 packets of 4096 bytes each
    EXPECT_EQ(json["messages"]["verified"], 16);
    EXPECT_EQ(json["packets"]["data"], 16 * 64 + json["packets"]["retransmitted"].get<int>());
    EXPECT_EQ(json["conservation"]["delivered"], 16 * 64);
    EXPECT_EQ(json["conservation"]["holds"], true);
    EXPECT_GE(json["fct_us"]["max"], json["fct_us"]["ideal"]);
    EXPECT_GT(json["goodput_gbps"], 0);
}

// 2-byte writes: 5.09 us on one T0 and 6.54 us across a T1 to the destination's memory; the
// requester sees its completion after the SACK's way back.
TEST_F(SimRunTest, SlowMemoryOfTheReceiverSetsTheGoodput)
{
    // Memory takes 50 of 200 Gb/s. Whatever the packet buffer refuses goes again, and is accounted.
    const ProcessResult result = RunSim({"permutation",
                                         "--nics",
                                         "16",
                                         "--planes",
                                         "2",
                                         "--size",
                                         "1MiB",
                                         "--set",
                                         "ns3::MrcProfile::PacketBuffer=262144",
                                         "--set",
                                         "ns3::MrcProfile::MemoryRate=50000000000",
                                         "--json",
                                         "--quiet"});
    ASSERT_EQ(result.exitCode, 0) << result.errorOutput;
    const nlohmann::json json = result.Json();
    EXPECT_GT(json["packets"]["retransmitted"], 0);
    EXPECT_TRUE(json["conservation"]["holds"]);
    // 1 MiB less what the buffer still holds at the end takes 125.8 us at 50 Gb/s.
    EXPECT_GT(json["fct_us"]["max"], 125.8);
    EXPECT_LT(json["fct_us"]["max"], 250);
}

TEST_F(SimRunTest, LatencyOfAShortWriteIsTheIdeal)
{
    for (const char* destination : {"nic-1", "nic-15"})
    {
        const nlohmann::json json =
            RunSim({"p2p", "--nics", "16", "--size", "2", "--destination", destination, "--json"})
                .Json();
        const double fctUs = json["fct_us"]["max"];
        EXPECT_GE(fctUs,
                  2 * (destination[4] == '1' && destination[5] == '\0' ? 5.09 : 6.54) - 0.01);
        EXPECT_NEAR(fctUs, json["fct_us"]["ideal"].get<double>(), 0.02);
    }
}

TEST_F(SimRunTest, EveryWorkloadCompletes)
{
    const std::vector<std::vector<std::string>> cases{
        {"permutation", "--messages", "3"},
        {"incast", "--senders", "4", "--receiver", "nic-5"},
        {"ring-allreduce", "--stride", "8"},
        {"all-to-all", "--concurrency", "2"},
        {"p2p", "--messages", "2", "--qps", "2", "--source", "3", "--destination", "nic-4"},
    };
    for (std::vector<std::string> arguments : cases)
    {
        SCOPED_TRACE(arguments.front());
        arguments.insert(arguments.end(),
                         {"--nics", "16", "--size", "64KiB", "--json", "--no-timing"});
        const ProcessResult result = RunSim(arguments);
        EXPECT_EQ(result.exitCode, 0) << result.errorOutput;
        const nlohmann::json json = result.Json();
        EXPECT_EQ(json["messages"]["verified"], json["messages"]["total"]);
        EXPECT_EQ(json["conservation"]["holds"], true);
        EXPECT_FALSE(json.contains("cpu_s"));
    }
}

TEST_F(SimRunTest, OptionsReachTheNetwork)
{
    const nlohmann::json json = RunSim({"incast",    "--nics",    "16",
                                        "--senders", "8",         "--size",
                                        "256KiB",    "--no-trim", "--no-ecn",
                                        "--spray",   "random",    "--cc",
                                        "window",    "--mtu",     "1024",
                                        "--planes",  "2",         "--encap",
                                        "none",      "--set",     "ns3::MrcNic::Latency=1us",
                                        "--verify",  "placement", "--json"})
                                    .Json();
    EXPECT_EQ(json["packets"]["trimmed"], 0);
    EXPECT_EQ(json["packets"]["ecn_marked"], 0);
    EXPECT_GE(json["packets"]["data"], 8 * 256); // 256 packets of 1024 bytes each
    const nlohmann::json& parameters = json["parameters"];
    EXPECT_EQ(parameters["trim"], false);
    EXPECT_EQ(parameters["spray"], "random");
    EXPECT_EQ(parameters["encap"], "none");
    EXPECT_EQ(parameters["verified_by"], "placement");
    EXPECT_EQ(parameters["ns3::MrcNic"]["Latency"], "1us");
    EXPECT_EQ(parameters["ns3::MrcProfile"]["CongestionControl"], "window");
    EXPECT_EQ(parameters["ns3::MrcProfile"]["Mtu"], 1024);
    EXPECT_EQ(parameters["ns3::MrcTrimmingSwitch"]["Ecn"], false);
}

TEST_F(SimRunTest, SameSeedSameBytesWithEachScheduler)
{
    const std::vector<std::string> base{
        "incast", "--nics", "32", "--senders", "16", "--size", "128KiB", "--json", "--no-timing"};
    const std::string first = RunSim(base).output;
    for (const char* scheduler : {"lane", "map", "priority-queue"})
    {
        std::vector<std::string> arguments = base;
        arguments.insert(arguments.end(), {"--scheduler", scheduler});
        EXPECT_EQ(RunSim(arguments).output, first) << scheduler;
    }
    std::vector<std::string> other = base;
    other.insert(other.end(), {"--seed", "2"});
    EXPECT_NE(RunSim(other).output, first);
}

TEST_F(SimRunTest, RunTomlRepeatsTheRun)
{
    const std::vector<std::string> arguments{
        "incast", "--nics",   "24",     "--senders", "3",      "--receiver",
        "nic-20", "--rate",   "50Gbps", "--delay",   "1500ps", "--oversubscription",
        "2",      "--evs",    "16",     "--no-ecn",  "--set",  "ns3::MrcProfile::Gamma=0.7",
        "--size", "100000",   "--seed", "9",         "--json", "--no-timing",
        "--out",  Path("out")};
    const ProcessResult result = RunSim(arguments);
    ASSERT_EQ(result.exitCode, 0) << result.errorOutput;
    EXPECT_EQ(ReadFile(Path("out/result.json")), result.output);

    const ProcessResult again =
        RunSim({"--config", Path("out/run.toml"), "--json", "--no-timing", "--out", Path("2")});
    EXPECT_EQ(again.output, result.output);
    EXPECT_EQ(ReadFile(Path("2/run.toml")), ReadFile(Path("out/run.toml")));
    EXPECT_EQ(ReadFile(Path("2/messages.csv")), ReadFile(Path("out/messages.csv")));

    // with the subcommand too; and the command line goes before the file
    const nlohmann::json changed =
        RunSim({"incast", "--config", Path("out/run.toml"), "--seed", "10", "--json"}).Json();
    EXPECT_EQ(changed["parameters"]["seed"], 10);
    EXPECT_EQ(changed["parameters"]["size"], 100000);
}

TEST_F(SimRunTest, ConfigFileKeepsStringsWhole)
{
    std::ofstream(Path("run.toml")) << "workload = 'p2p' # the subcommand\n"
                                       "nics = 16\n"
                                       "parallel-links = 2\n"
                                       "fault = [\n"
                                       "  \"link-down p0/t0-0-t1-1#1@1us\", # '#' is no comment\n"
                                       "]\n";
    const ProcessResult good = RunSim({"--config", Path("run.toml"), "--json"});
    ASSERT_EQ(good.exitCode, 0) << good.errorOutput;
    EXPECT_EQ(good.Json()["parameters"]["fault"][0], "link-down p0/t0-0-t1-1#1@1us");
}

TEST_F(SimRunTest, FilesAreWritten)
{
    const ProcessResult result = RunSim({"p2p",
                                         "--nics",
                                         "16",
                                         "--size",
                                         "64KiB",
                                         "--quiet",
                                         "--out",
                                         Path("a/b"),
                                         "--pcap",
                                         "nic-0:p1,p0/t0-0:t1-0"});
    ASSERT_EQ(result.exitCode, 0) << result.errorOutput;
    for (const char* name :
         {"result.json", "messages.csv", "run.toml", "capture.pcapng", "mrc_usid_names"})
    {
        const std::string path = Path(std::string("a/b/") + name);
        EXPECT_GT(std::filesystem::file_size(path), 0U) << name;
        EXPECT_NE(result.output.find(path), std::string::npos) << name;
    }
    const std::string csv = ReadFile(Path("a/b/messages.csv"));
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2) << "a header and one message";
    const std::string capture = ReadFile(Path("a/b/capture.pcapng"));
    EXPECT_NE(capture.find("nic-0:p1"), std::string::npos);
    EXPECT_NE(capture.find("p0/t0-0:t1-0"), std::string::npos);
}

TEST_F(SimRunTest, TableSaysWhatHappened)
{
    const ProcessResult result = RunSim({"permutation", "--nics", "16", "--size", "64KiB"});
    ASSERT_EQ(result.exitCode, 0) << result.errorOutput;
    for (const char* part : {"16 NICs, 2 tiers, 4 planes of 2 T0 + 8 T1",
                             "8 ports to NICs, 8 uplinks",
                             "all messages completed and verified",
                             "FCT ideal",
                             "goodput",
                             "trimmed",
                             "retransmitted",
                             "brought back"})
    {
        EXPECT_NE(result.output.find(part), std::string::npos) << part << "\n" << result.output;
    }
}

TEST_F(SimRunTest, UnfinishedMessagesAreNamedOldestFirst)
{
    const ProcessResult result = RunSim(
        {"permutation", "--nics", "16", "--duration", "5us", "--json", "--out", Path("out")});
    EXPECT_EQ(result.exitCode, 1);
    EXPECT_EQ(result.errorOutput.substr(0, 17), "message 0 nic-0 -");
    const nlohmann::json json = result.Json();
    EXPECT_EQ(json["ending"], "time_limit");
    EXPECT_EQ(json["success"], false);
    EXPECT_EQ(json["messages"]["completed"], 0);
    EXPECT_EQ(json["conservation"]["holds"], true);
    EXPECT_GT(json["conservation"]["in_flight"], 0);
    EXPECT_TRUE(std::filesystem::exists(Path("out/result.json")));
}

// A T1 of 8 in one of 4 planes dies 10 us into a run of at least 54 us and returns 20 us later.
TEST_F(SimRunTest, FaultsAreReported)
{
    const std::vector<std::string> arguments{"permutation",
                                             "--nics",
                                             "32",
                                             "--fault",
                                             "switch-down p1/t1-3@10us+20us",
                                             "--fault",
                                             "link-down p0/t0-0-t1-0@9s",
                                             "--json",
                                             "--no-timing"};
    const ProcessResult result = RunSim(arguments);
    ASSERT_EQ(result.exitCode, 0) << result.errorOutput;
    const nlohmann::json json = result.Json();
    ASSERT_EQ(json["faults"].size(), 2U);
    const nlohmann::json& fault = json["faults"][0];
    EXPECT_EQ(fault["spec"], "switch-down p1/t1-3@10us+20us");
    EXPECT_EQ(fault["onset_us"], 10.0);
    EXPECT_EQ(fault["has_begun"], true);
    EXPECT_GT(fault["time_to_route_around_us"], 0.0);
    EXPECT_LE(fault["time_to_route_around_us"], 100.0);
    EXPECT_GT(fault["packets_lost"], 0);
    EXPECT_EQ(json["fault_log"].size(), 2U) << "it began and ended";
    EXPECT_EQ(json["faults"][1]["has_begun"], false);
    EXPECT_EQ(json["faults"][1]["time_to_route_around_us"], nullptr);
    EXPECT_GT(json["packets"]["dropped_by_reason"]["link_down"], 0);
    EXPECT_GT(json["ev"]["retired"], 0);
    EXPECT_EQ(json["conservation"]["holds"], true);
    std::vector<std::string> other = arguments;
    other.insert(other.end(), {"--scheduler", "map"});
    EXPECT_EQ(RunSim(other).output, result.output);
}

// A NIC without any link: nothing moves, and the run ends long before the limit of 10 s.
TEST_F(SimRunTest, AStallEndsTheRun)
{
    const ProcessResult result = RunSim({"p2p",
                                         "--nics",
                                         "16",
                                         "--size",
                                         "64KiB",
                                         "--stall-after",
                                         "5ms",
                                         "--json",
                                         "--fault",
                                         "nic-port-down nic-0/p0@1us",
                                         "--planes",
                                         "1"});
    EXPECT_EQ(result.exitCode, 1);
    const nlohmann::json json = result.Json();
    EXPECT_EQ(json["ending"], "stalled");
    EXPECT_LT(json["simulated_us"], 20'000.0);
    EXPECT_NE(result.errorOutput.find("message 0 nic-0 -> nic-15"), std::string::npos);
}

TEST_F(SimRunTest, AnInterruptKeepsTheResults)
{
    const ProcessResult result = RunSim({"all-to-all",
                                         "--nics",
                                         "256",
                                         "--size",
                                         "1MiB",
                                         "--verify",
                                         "placement",
                                         "--json",
                                         "--quiet",
                                         "--out",
                                         Path("out")},
                                        2000);
    EXPECT_EQ(result.exitCode, 1);
    EXPECT_EQ(result.Json()["ending"], "interrupted");
    EXPECT_EQ(nlohmann::json::parse(ReadFile(Path("out/result.json")))["success"], false);
}

TEST_F(SimRunTest, HelpAndVersion)
{
    const ProcessResult help = RunSim({"permutation", "--help"});
    EXPECT_EQ(help.exitCode, 0);
    for (const char* option : {"--nics", "--fault", "--set", "--config", "--no-timing"})
    {
        EXPECT_NE(help.output.find(option), std::string::npos) << option;
    }
    const ProcessResult faults = RunSim({"--help-faults"});
    EXPECT_EQ(faults.exitCode, 0);
    EXPECT_NE(faults.output.find("link-down"), std::string::npos);
    EXPECT_EQ(RunSim({"--version"}).output.substr(0, 8), "mrc-sim ");
}

TEST_F(SimRunTest, ControllersActAndTheRunRepeats)
{
    const ProcessResult first = RunSim({"p2p",
                                        "--nics",
                                        "16",
                                        "--size",
                                        "4MiB",
                                        "--ev-profile",
                                        "nic=nic-0 field=16:0xc000:0x3:0-3 field=16:0:0x7:0-7",
                                        "--deny",
                                        "nic-0/p1@20us+30us",
                                        "--deny",
                                        "nic-0:0xc0020003@30us",
                                        "--prober",
                                        "--json",
                                        "--quiet",
                                        "--no-timing",
                                        "--out",
                                        Path("out")});
    ASSERT_EQ(first.exitCode, 0) << first.errorOutput;
    const nlohmann::json log = first.Json()["fault_log"];
    EXPECT_EQ(log,
              (nlohmann::json{"20.00 us: deny nic-0/p1",
                              "30.00 us: deny nic-0:0xc0020003",
                              "50.00 us: allow nic-0/p1"}));
    EXPECT_EQ(first.Json()["parameters"]["prober"], true);
    const ProcessResult again =
        RunSim({"--config", Path("out/run.toml"), "--json", "--quiet", "--no-timing"});
    ASSERT_EQ(again.exitCode, 0) << again.errorOutput;
    EXPECT_EQ(again.output, first.output);
}

} // namespace

} // namespace mrc::test
