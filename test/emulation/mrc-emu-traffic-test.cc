// SPDX-License-Identifier: GPL-2.0-only
// Traffic of real hosts over the simulated fabric.
#include "mrc-emu-fixture.h"

#include <sstream>

namespace mrc::emu::test
{

namespace
{

class EmuTrafficTest : public EmuTest
{
  protected:
    void SetUp() override
    {
        EmuTest::SetUp();
        NeedNamespaces();
    }
};

// h0 and h1 share their T0s, h2 is behind the T1s: 1 and 3 switches each take one off 64.
TEST_F(EmuTrafficTest, PingsGoOverEachPlaneAndOverAll)
{
    const Outcome outcome = RunLab(SMALL_LAB, R"(
for to in h1 h1-p0 h1-p1 h2 h2-p0 h2-p1; do
  $EMU exec h0 -- ping -c 5 -i 0.01 -W 5 $to || exit 9
done)");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    size_t near = 0;
    size_t far = 0;
    std::istringstream lines(outcome.output);
    for (std::string line; std::getline(lines, line);)
    {
        near += line.find("ttl=63") != std::string::npos;
        far += line.find("ttl=61") != std::string::npos;
    }
    EXPECT_EQ(near, 15u) << outcome.output;
    EXPECT_EQ(far, 15u) << outcome.output;
    ExpectNothingLeft();
}

TEST_F(EmuTrafficTest, RootNeedsNoUserNamespace)
{
    const Outcome outcome = RunLab(SMALL_LAB, "$EMU exec h0 -- ping -q -c 3 -i 0.01 -W 5 h2", {});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    ExpectNothingLeft();
}

// A packet as long as the MTU allows, and one byte more, which the host itself refuses.
TEST_F(EmuTrafficTest, TheMtuHoldsOnBothEnds)
{
    const Outcome outcome = RunLab(std::string("mtu = 4200\n") + SMALL_LAB, R"(
$EMU exec h0 -- ping -q -c 2 -i 0.01 -W 5 -M do -s 4152 h1 || exit 9
$EMU exec h0 -- ping -q -c 1 -W 1 -M do -s 4153 h1 2>&1 && exit 8
exit 0)");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.output << outcome.errors;
}

TEST_F(EmuTrafficTest, TcpAndUdpFlow)
{
    const Outcome outcome = RunLab(SMALL_LAB, R"(
$EMU exec h2 -- iperf3 -s -D || exit 9
for i in 1 2 3 4 5 6 7 8 9 10; do
  $EMU exec h0 -- iperf3 -c h2-p1 -t 1 -J >tcp.json && break; sleep 0.2
done
cat tcp.json; echo ---
$EMU exec h0 -- iperf3 -c h2-p0 -u -b 20M -l 1400 -t 1 -J
echo ---
$EMU ctl stats)");
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors << outcome.output;
    const size_t one = outcome.output.find("---\n");
    const size_t two = outcome.output.find("---\n", one + 4);
    const auto tcp = nlohmann::json::parse(outcome.output.substr(0, one));
    const auto udp = nlohmann::json::parse(outcome.output.substr(one + 4, two - one - 4));
    const auto stats = nlohmann::json::parse(outcome.output.substr(two + 4));
    EXPECT_GT(tcp["end"]["sum_received"]["bytes"], 1'000'000);
    // 20 Mbit/s for 1 s in packets of 1400 bytes are 1785 packets.
    EXPECT_GT(udp["end"]["sum"]["packets"], 1000);
    EXPECT_EQ(stats["packets"]["dropped"], 0) << outcome.output;
    EXPECT_EQ(HostCount(stats, "h0:p1", "super_frames"), 0u);
    EXPECT_GT(HostCount(stats, "h2:p0", "sent"), 1000u);
    ExpectNothingLeft();
}

// A link at a tenth of its rate and a small threshold: what does not fit is cut to 128 bytes,
// gets DSCP TRIMMED_LASTHOP (16) and arrives before what waits.
//= MRC-REF 2 ICRC, trimming, encapsulation
TEST_F(EmuTrafficTest, ABottleneckTrims)
{
    const Outcome outcome = RunLab(SMALL_LAB,
                                   R"(
$EMU exec h1 -- iperf3 -s -D || exit 9
sleep 0.3
$EMU ctl rate nic-1/p0 5Mbps && $EMU ctl trim p0/t0-0:nic-1 6000 || exit 8
$EMU ctl pcap start p0/t0-0:nic-1 || exit 7
# DSCP 8, TRIMMABLE, is traffic class 0x20. All its data packets may be cut: no report comes back.
$EMU exec h0 -- ping -q -f -l 50 -c 200 -W 1 -Q 0x20 -s 1400 h1-p0 >/dev/null
$EMU ctl pcap stop p0/t0-0:nic-1 && $EMU ctl stats)",
                                   {"--userns", "--out", Path("out")});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors << outcome.output;
    const auto stats = nlohmann::json::parse(outcome.output.substr(outcome.output.find('{')));
    const auto port = PortCounts(stats, "p0/t0-0:nic-1");
    EXPECT_GT(port["trimmed"], 0) << port;

    const std::string capture = Path("out/p0_t0-0_nic-1.pcapng");
    const std::string command = "tshark -n -r " + capture +
                                " -Y 'frame.len==128 && ipv6.tclass.dscp==16 && ipv6.plen==74' "
                                "2>" +
                                Path("tshark.err") + " | wc -l >" + Path("count");
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_GE(std::stoul(ReadFile(Path("count"))), port["trimmed"].get<size_t>());
}

// A VM without captures is no lab: packets of hosts at each port of a path decode without error.
TEST_F(EmuTrafficTest, CapturesDecode)
{
    const Outcome outcome = RunLab(SMALL_LAB,
                                   R"(
for port in nic-0:p0 p0/t0-0:t1-0 p0/t0-0:t1-1 nic-2:p0; do $EMU ctl pcap start $port || exit 9; done
$EMU exec h0 -- ping -q -c 20 -i 0.01 -W 5 h2-p0
for port in nic-0:p0 p0/t0-0:t1-0 p0/t0-0:t1-1 nic-2:p0; do $EMU ctl pcap stop $port || exit 8; done
)",
                                   {"--userns", "--out", Path("out")});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors << outcome.output;
    for (const char* file : {"nic-0_p0", "nic-2_p0"})
    {
        const std::string command =
            "tshark -n -r " + Path(std::string("out/") + file + ".pcapng") +
            " -o ipv6.use_geoip:FALSE -T fields -e icmpv6.type -e icmpv6.checksum.status "
            "-e _ws.expert.severity 2>" +
            Path("err") + " >" + Path("fields");
        ASSERT_EQ(std::system(command.c_str()), 0) << ReadFile(Path("err"));
        std::istringstream lines(ReadFile(Path("fields")));
        size_t requests = 0;
        size_t replies = 0;
        for (std::string line; std::getline(lines, line);)
        {
            requests += line.rfind("128\t1", 0) == 0; // echo request, good checksum
            replies += line.rfind("129\t1", 0) == 0;  // echo reply, good checksum
        }
        EXPECT_EQ(requests, 20u) << file << "\n" << ReadFile(Path("fields"));
        EXPECT_EQ(replies, 20u) << file;
    }
    const std::string log = ReadFile(Path("out/events.log"));
    EXPECT_NE(log.find(" pcap start nic-0:p0\n"), std::string::npos) << log;
}

} // namespace

} // namespace mrc::emu::test
