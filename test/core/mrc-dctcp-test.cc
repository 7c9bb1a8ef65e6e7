// SPDX-License-Identifier: GPL-2.0-only
// Dctcp against windows worked out by hand: MTU 1000 B, largest window 100 000 B, g = 1/4.
#include "mrc-dctcp.h"

#include <gtest/gtest.h>

namespace mrc
{
namespace
{

constexpr uint32_t MTU = 1000;
constexpr uint64_t MAX_CWND = 100'000;
constexpr int64_t BASE_RTT = 12'000'000;

class DctcpTest : public ::testing::Test
{
  protected:
    static DctcpConfig Config(double increaseMtus)
    {
        DctcpConfig config;
        config.gain = 0.25;
        config.increaseMtus = increaseMtus;
        return config;
    }

    static void Sack(Dctcp& dctcp, bool marked, uint64_t bytes, uint64_t inflight)
    {
        dctcp.OnSack({0, BASE_RTT, marked, bytes, inflight, 0, false});
    }

    static void Lose(Dctcp& dctcp, LossKind kind)
    {
        dctcp.OnLoss(kind, 0, MTU);
    }
};

TEST_F(DctcpTest, StartsWithTheLargestWindow)
{
    const Dctcp dctcp(Config(1), MTU, MAX_CWND, BASE_RTT);
    EXPECT_EQ(dctcp.CwndBytes(), MAX_CWND);
    EXPECT_EQ(dctcp.BaseRttPs(), BASE_RTT);
    EXPECT_EQ(dctcp.MarkedFraction(), 1);
}

TEST_F(DctcpTest, TheWindowIsAtLeastOneMtu)
{
    EXPECT_EQ(Dctcp(Config(1), MTU, 10, BASE_RTT).CwndBytes(), MTU);
}

TEST_F(DctcpTest, AMarkedWindowShrinksByHalfTheEstimate)
{
    Dctcp dctcp(Config(0), MTU, MAX_CWND, BASE_RTT);
    Sack(dctcp, true, 25'000, 75'000); // opens a window of 100 000 B
    Sack(dctcp, false, 25'000, 75'000);
    Sack(dctcp, false, 49'999, 75'000);
    EXPECT_EQ(dctcp.CwndBytes(), MAX_CWND) << "one byte short of the window's end";
    Sack(dctcp, false, 1, 75'000);
    // F = 25 000 / 100 000 = 1/4; alpha = 3/4 x 1 + 1/4 x 1/4 = 13/16; x (1 - 13/32)
    EXPECT_DOUBLE_EQ(dctcp.MarkedFraction(), 0.8125);
    EXPECT_EQ(dctcp.CwndBytes(), 59'375U);
}

TEST_F(DctcpTest, AnUnmarkedWindowOnlyLowersTheEstimate)
{
    Dctcp dctcp(Config(0), MTU, MAX_CWND, BASE_RTT);
    Sack(dctcp, false, 10'000, 0);
    EXPECT_DOUBLE_EQ(dctcp.MarkedFraction(), 0.75);
    EXPECT_EQ(dctcp.CwndBytes(), MAX_CWND);
}

TEST_F(DctcpTest, GrowsByItsIncreasePerWindowReceived)
{
    Dctcp dctcp(Config(2), MTU, MAX_CWND, BASE_RTT);
    Lose(dctcp, LossKind::INFERRED); // 50 000 left
    ASSERT_EQ(dctcp.CwndBytes(), 50'000U);
    Sack(dctcp, false, 25'000, 100'000); // half a window: 2 x 1000 / 2
    EXPECT_EQ(dctcp.CwndBytes(), 51'000U);
}

TEST_F(DctcpTest, SmallIncreasesAddUp)
{
    Dctcp dctcp(Config(1), MTU, MAX_CWND, BASE_RTT);
    Lose(dctcp, LossKind::INFERRED);
    for (int i = 0; i < 4; ++i)
    {
        Sack(dctcp, false, 13, 100'000); // 1000 x 13 / 50 000 = 0.26 B each
    }
    EXPECT_EQ(dctcp.CwndBytes(), 50'001U);
}

TEST_F(DctcpTest, ALossHalvesOncePerWindow)
{
    Dctcp dctcp(Config(0), MTU, MAX_CWND, BASE_RTT);
    Sack(dctcp, false, 0, 10'000); // opens a window of 10 000 B
    Lose(dctcp, LossKind::TRIM);
    Lose(dctcp, LossKind::TRIM_LASTHOP);
    Lose(dctcp, LossKind::INFERRED);
    EXPECT_EQ(dctcp.CwndBytes(), 50'000U);
    Sack(dctcp, true, 7000, 3000); // ends it: 3000 lost, 7000 received; halved already
    EXPECT_EQ(dctcp.CwndBytes(), 50'000U);
    Lose(dctcp, LossKind::TRIM);
    EXPECT_EQ(dctcp.CwndBytes(), 25'000U);
}

TEST_F(DctcpTest, ATimeoutLeavesOnePacket)
{
    Dctcp dctcp(Config(0), MTU, MAX_CWND, BASE_RTT);
    Lose(dctcp, LossKind::TIMEOUT);
    EXPECT_EQ(dctcp.CwndBytes(), MTU);
    Lose(dctcp, LossKind::TIMEOUT);
    EXPECT_EQ(dctcp.CwndBytes(), MTU);
}

} // namespace
} // namespace mrc
