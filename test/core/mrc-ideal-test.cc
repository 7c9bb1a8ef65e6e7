// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ideal.h"

#include <gtest/gtest.h>

using namespace mrc;

TEST(Ideal, Serialization)
{
    constexpr uint64_t G100 = 100'000'000'000;
    EXPECT_EQ(SerializationPs(170, G100), 13'600);
    EXPECT_EQ(SerializationPs(1, 800'000'000'000), 10);
    EXPECT_EQ(SerializationPs(1, 3'000'000'000), 2667); // 8000 / 3 = 2666.67, rounded up
    // 1 TB at 100 Gb/s: 80 s, whose product with 10^12 passes 64 bits.
    EXPECT_EQ(SerializationPs(1'000'000'000'000, G100), 80'000'000'000'000);
}

//= MRC-REF 4 Latencies
TEST(Ideal, TheTableOfP1)
{
    const FabricLatency latency;
    // 2 x 2138.2 + 636.4 + 2 x (75 + 13.6) ns
    EXPECT_EQ(OneWayPs(latency, 1, 170), 5'090'000);
    // 2 x 2138.2 + 3 x 636.4 + 4 x (75 + 13.6) ns
    EXPECT_EQ(OneWayPs(latency, 3, 170), 6'540'000);
    // Two NICs back to back: 4276.4 + 75 + 13.6
    EXPECT_EQ(OneWayPs(latency, 0, 170), 4'365'000);
}

// Full packet: 142 + 4096 + 24 = 4262 B = 340.96 ns; SACK: 114 + 40 + 24 = 178 B = 14.24 ns.
TEST(Ideal, BaseRtt)
{
    IdealConfig config;
    // There 4276.4 + 1909.2 + 4 x (75 + 340.96) = 7849.44; back 6185.6 + 4 x 89.24 = 6542.56.
    EXPECT_EQ(BaseRttPs(config), 14'392'000);
    // 14392 ns x 12.5 B/ns
    EXPECT_EQ(PlaneBdpBytes(config), 179'900u);
    config.switches = 1;
    // 4276.4 + 636.4 + 2 x 415.96 = 5744.72; 4912.8 + 2 x 89.24 = 5091.28
    EXPECT_EQ(BaseRttPs(config), 10'836'000);
    EXPECT_EQ(PlaneBdpBytes(config), 135'450u);
    // Plain IPv6 saves 40 B = 3.2 ns on two links each way; no TSETH 4 B = 0.32 ns there.
    config.encapsulated = false;
    config.hasTimestamps = false;
    EXPECT_EQ(BaseRttPs(config), 10'836'000 - 4 * 3'200 - 2 * 320);
}

TEST(Ideal, MessageWireBytes)
{
    const IdealConfig config;
    EXPECT_EQ(MessageWireBytes(config, 0, false), 166u); // headers only
    EXPECT_EQ(MessageWireBytes(config, 2, false), 170u); // and 2 + 2 of pad
    EXPECT_EQ(MessageWireBytes(config, 2, true), 174u);  // and an immediate
    EXPECT_EQ(MessageWireBytes(config, 4096, false), 4262u);
    EXPECT_EQ(MessageWireBytes(config, 4097, false), 4262u + 170);
    EXPECT_EQ(MessageWireBytes(config, 8192, true), 2 * 4262u + 4);
    EXPECT_EQ(MessageWireBytes(config, 2'097'152, false), 512 * 4262u);
    EXPECT_EQ(MessageWireBytes(config, uint64_t{1} << 40, false), (uint64_t{1} << 28) * 4262);
}

TEST(Ideal, CompletionOfOnePacketIsItsLatencyAndTheSack)
{
    IdealConfig config;
    EXPECT_EQ(IdealFctPs(config, 2), 6'540'000 + 6'542'560);
    EXPECT_EQ(IdealFctPs(config, 2, true), 6'540'000 + 4 * 320 + 6'542'560);
    EXPECT_EQ(IdealFctPs(config, 4096), BaseRttPs(config));
    config.switches = 1;
    EXPECT_EQ(IdealFctPs(config, 2), 5'090'000 + 5'091'280);
}

// 2 MiB = 512 packets of 4262 B = 2182144 B at 4 x 12.5 B/ns = 43642.88 ns; then the last packet:
// 4276.4 + 1909.2 + 4 x 75 + 3 x 340.96 = 7508.48; SACK 6542.56.
TEST(Ideal, CompletionOfALongMessage)
{
    IdealConfig config;
    EXPECT_EQ(IdealFctPs(config, 2'097'152), 43'642'880 + 7'508'480 + 6'542'560);
    // A plane less: 2182144 B at 37.5 B/ns = 58190506.67 ps.
    config.planes = 3;
    EXPECT_EQ(IdealFctPs(config, 2'097'152), 58'190'507 + 7'508'480 + 6'542'560);
    // Twice the rate: serialisations halve: 21821.44 (4 planes), 6485.6 + 3 x 170.48 = 6997.04,
    // 6485.6 + 4 x 7.12 = 6514.08.
    config.planes = 4;
    config.latency.portBitsPerSecond = 200'000'000'000;
    EXPECT_EQ(IdealFctPs(config, 2'097'152), 21'821'440 + 6'997'040 + 6'514'080);
}

// Two packets on four ports take one port's time for one packet, not half of it. The small one,
// 170 B, may leave last: 6485.6 + 3 x 13.6 after the 340.96 of the large one.
TEST(Ideal, APacketLeavesThroughOnePort)
{
    const IdealConfig config;
    EXPECT_EQ(IdealFctPs(config, 4098), 340'960 + 6'526'400 + 6'542'560);
    // An immediate makes the last packet 4266 B; the other one, 4262 B, may leave last.
    EXPECT_EQ(IdealFctPs(config, 8192, true), 341'280 + 7'508'480 + 6'542'560);
}
