// SPDX-License-Identifier: GPL-2.0-only
// mrc-perf between two hosts over plain veth, without an emulator.
#include "mrc-perf-lab.h"

namespace mrc::test
{

using PerfTransferTest = PerfLab;

TEST_F(PerfTransferTest, EachByteOfEachMessageArrives)
{
    // 64 KiB and 300 bytes are 17 packets, the last one of 300 bytes.
    const auto result = Measure(1, "--size 65836 --iters 300 --verify");
    ExpectVerified(result);
    EXPECT_EQ(result["iterations"], 300);
    EXPECT_EQ(result["mtu"], 4096);
    EXPECT_EQ(result["counters"]["data_sent"].get<int>() -
                  result["counters"]["retransmitted"].get<int>(),
              300 * 17);
}

TEST_F(PerfTransferTest, ManyQpsOverSeveralPlanesInBothDirections)
{
    const auto result = Measure(3, "--size 20000 --iters 100 --qps 8 -b --verify --imm");
    ExpectVerified(result);
    EXPECT_EQ(result["iterations"], 2 * 8 * 100);
    for (const auto& port : result["ports"])
    {
        // 8 QPs x 100 messages x 5 packets, a third each if planes are used alike
        EXPECT_GT(port["frames_sent"], 8 * 100 * 5 / 6);
    }
}

TEST_F(PerfTransferTest, LatencyIsMeasuredAndChecked)
{
    const auto result = Measure(1, "--lat --size 9000 --iters 200 --verify --imm");
    EXPECT_EQ(result["iterations"], 200);
    // 200 and 16 that are not counted, at both ends
    EXPECT_EQ(result["verified_messages"], 2 * 216);
    EXPECT_EQ(result["wrong_bytes"], 0);
    EXPECT_EQ(result["wrong_immediates"], 0);
    EXPECT_LE(result["t_min_us"], result["t_typical_us"]);
    EXPECT_LE(result["t_typical_us"], result["t_99_us"]);
    EXPECT_LE(result["t_99_us"], result["t_999_us"]);
    EXPECT_LE(result["t_999_us"], result["t_max_us"]);
}

TEST_F(PerfTransferTest, SmallMtuGivesSmallPackets)
{
    // 1500 - 40 IPv6 - 8 UDP - 12 BTH - 4 METH - 4 TSETH - 16 RETH - 4 ImmDt - 4 ICRC = 1408
    const Outcome outcome =
        Run("join 0 1500\n" + Transfer(1, "--size 14080 --iters 50 --verify", ""));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.output;
    const auto result = ReadJson("client");
    ExpectVerified(result);
    EXPECT_EQ(result["mtu"], 1408);
}

TEST_F(PerfTransferTest, AFifthOfThePacketsOfOnePlaneIsLost)
{
    const std::string lossy = R"(
join 0 9000
for h in a b; do
  ip link add $h'1' netns $h type veth peer name wire$h
  ip link set wire$h mtu 9000 up
done
plug a a1 1 1 9000
plug b b1 1 2 9000
$WIRE wirea wireb 20 1 & wire=$!
)";
    const Outcome outcome =
        Run(lossy + Transfer(2, "--size 65536 --iters 300 --verify --imm", "") + "kill $wire\n");
    ASSERT_EQ(outcome.exitCode, 0) << outcome.output;
    const auto result = ReadJson("client");
    ExpectVerified(result);
    EXPECT_EQ(result["iterations"], 300);
    EXPECT_GT(result["counters"]["retransmitted"], 0);
    EXPECT_GT(result["counters"]["evs_retired"], 0);
    std::cout << "20 % loss on one of two planes: " << result["bw_average_gbps"] << " Gb/s, "
              << result["counters"]["retransmitted"] << " of " << result["counters"]["data_sent"]
              << " packets sent again\n";
}

TEST_F(PerfTransferTest, APlaneGoesDownAndComesBack)
{
    const auto result = Measure(2,
                                "--duration 4s --size 65536 --verify",
                                "flowing 1 1000\n"
                                "ip -n b link set b1 down\n"
                                "sleep 1\n"
                                "ip -n b link set b1 up\n");
    ExpectVerified(result);
    // Both ends of a veth lose their carrier.
    ASSERT_EQ(result["links"].size(), 2u) << result.dump(2);
    EXPECT_EQ(result["links"][0]["plane"], 1);
    EXPECT_EQ(result["links"][0]["up"], false);
    EXPECT_EQ(result["links"][1]["up"], true);
    for (const auto& event : result["links"])
    {
        std::cout << "plane 1 " << (event["up"] ? "up  " : "down") << " at " << event["at_seconds"]
                  << " s, then at most " << event["longest_gap_ms"] << " ms between completions\n";
    }
}

TEST_F(PerfTransferTest, ForeignPacketsHarmNothing)
{
    // Datagrams to the port of MRC that are none, and TCP on both sides of the set-up.
    const auto result =
        Measure(1,
                "--duration 1s --size 16384 --verify",
                "for i in $(seq 100); do\n"
                "  head -c $((i * 13)) /dev/urandom >/dev/udp/fd00::2/4791 || true\n"
                "done 2>/dev/null\n");
    ExpectVerified(result);
    EXPECT_EQ(result["counters"]["access_errors"], 0);
}

TEST_F(PerfTransferTest, ServerOutlivesClientsThatTalkNonsense)
{
    const Outcome outcome = Run(Join(1) + R"(
b $PERF --server --keep -i b0 2>$OUT/errors >/dev/null & server=$!
listening
for line in 'GET / HTTP/1.0' '{}' '[1]' '{"mrc-perf":1}' '{"mrc-perf":7}'; do
  a bash -c "exec 3<>/dev/tcp/fd00::2/18515; echo '$line' >&3; cat <&3 >/dev/null"
done
a $PERF fd00::2 -i a0 --iters 10 --json >$OUT/client
kill $server
wait $server || true
)");
    ASSERT_EQ(outcome.exitCode, 0) << outcome.output;
    EXPECT_EQ(ReadJson("client")["iterations"], 10);
}

} // namespace mrc::test
