// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-loop-monitor.h"
#include "mrc-loop-probe.h"
#include "mrc-source-route.h"

#include <functional>
#include <gtest/gtest.h>

using namespace mrc;

namespace
{

constexpr uint32_t UPLINKS = 4;

/// A monitor, and rounds of loops some of which are lost.
class LoopMonitorTest : public testing::Test
{
  protected:
    /// Begin a round. @param isLost says which of its loops do not come back
    /// @return whether what is known changed with the loops of the round before
    bool Round(const std::function<bool(uint32_t)>& isLost)
    {
        const bool isChanged = monitor.BeginRound();
        for (uint32_t loop = 0; loop < monitor.LoopsPerRound(); ++loop)
        {
            if (!isLost(loop))
            {
                EXPECT_TRUE(monitor.OnReturned(monitor.RequestId(loop)));
            }
        }
        return isChanged;
    }

    bool CleanRound()
    {
        return Round([](uint32_t) { return false; });
    }

    LoopMonitorConfig config;
    LoopMonitor monitor{config, UPLINKS};
};

TEST_F(LoopMonitorTest, NothingIsLostOnACleanLink)
{
    for (int round = 0; round < 600; ++round)
    {
        EXPECT_FALSE(CleanRound());
    }
    EXPECT_EQ(monitor.NicLink(), LinkVerdict::CLEAN);
    EXPECT_EQ(monitor.Near().sent, 599u * 16);
    EXPECT_EQ(monitor.Near().lost, 0u);
    EXPECT_EQ(monitor.Far().sent, 599u * UPLINKS);
}

TEST_F(LoopMonitorTest, ThreeLostNearLoopsInAWindowCondemnTheNicLink)
{
    const auto loseOne = [](uint32_t loop) { return loop == 5; };
    Round(loseOne);
    CleanRound();
    Round(loseOne);
    CleanRound();
    Round(loseOne);
    EXPECT_EQ(monitor.NicLink(), LinkVerdict::CLEAN); // the third is known in the next round
    EXPECT_TRUE(CleanRound());
    EXPECT_EQ(monitor.NicLink(), LinkVerdict::LOSSY);
    EXPECT_EQ(monitor.Near().lost, 3u);
}

TEST_F(LoopMonitorTest, LossesThatAreFarApartCondemnNothing)
{
    for (int round = 0; round < 320; ++round)
    {
        Round([round](uint32_t loop) { return loop == 0 && round % 16 == 0; });
        EXPECT_EQ(monitor.NicLink(), LinkVerdict::CLEAN); // 2 in 32 rounds
    }
}

TEST_F(LoopMonitorTest, CleanRoundsBringTheLinkBackAndALossStartsThemAgain)
{
    Round([](uint32_t) { return true; }); // the link is down
    EXPECT_TRUE(CleanRound());
    EXPECT_EQ(monitor.NicLink(), LinkVerdict::LOSSY);
    for (int round = 0; round < 40; ++round)
    {
        CleanRound();
    }
    Round([](uint32_t loop) { return loop == 1; });
    for (uint32_t round = 0; round < config.cleanRounds; ++round)
    {
        CleanRound();
        EXPECT_EQ(monitor.NicLink(), LinkVerdict::LOSSY) << round;
    }
    EXPECT_TRUE(CleanRound());
    EXPECT_EQ(monitor.NicLink(), LinkVerdict::CLEAN);
}

TEST_F(LoopMonitorTest, LostFarLoopsOfOneUplinkCondemnTheUplinkOnly)
{
    const uint32_t lost = config.nearLoops + 2;
    for (int round = 0; round < 3; ++round)
    {
        Round([lost](uint32_t loop) { return loop == lost; });
    }
    EXPECT_TRUE(CleanRound());
    EXPECT_EQ(monitor.NicLink(), LinkVerdict::CLEAN);
    EXPECT_EQ(monitor.Uplink(2), LinkVerdict::LOSSY);
    EXPECT_EQ(monitor.Uplink(1), LinkVerdict::CLEAN);
    EXPECT_EQ(monitor.Far().lost, 3u);
}

TEST_F(LoopMonitorTest, ALossyNicLinkIsNotBlamedOnUplinks)
{
    // Everything is lost now and then, near and far loops alike.
    for (int round = 0; round < 8; ++round)
    {
        Round([](uint32_t) { return true; });
    }
    EXPECT_EQ(monitor.NicLink(), LinkVerdict::LOSSY);
    for (uint32_t uplink = 0; uplink < UPLINKS; ++uplink)
    {
        EXPECT_EQ(monitor.Uplink(uplink), LinkVerdict::CLEAN);
    }
}

TEST_F(LoopMonitorTest, AnswersOfOtherRoundsAndRepetitionsCountForNothing)
{
    monitor.BeginRound();
    const uint16_t late = monitor.RequestId(3);
    monitor.BeginRound();
    EXPECT_FALSE(monitor.OnReturned(late));
    EXPECT_TRUE(monitor.OnReturned(monitor.RequestId(3)));
    EXPECT_FALSE(monitor.OnReturned(monitor.RequestId(3)));
    EXPECT_FALSE(monitor.OnReturned(static_cast<uint16_t>(monitor.RequestId(0) | 0xfff)));
}

TEST(LoopProbe, CarriersLeadBackToTheSender)
{
    ClosConfig config;
    config.planes = 2;
    config.nics = 32;
    config.nicsPerT0 = 4;
    config.tiers = 3;
    config.t0PerPod = 2;
    config.parallelLinks = 2;
    const UsidPlan usids{ClosPlan(config)};
    for (uint32_t nic = 0; nic < 32; nic += 5)
    {
        for (uint32_t plane = 0; plane < 2; ++plane)
        {
            const RouteTrace near = TraceRoute(usids, plane, nic, {NearLoop(usids, plane, nic)});
            EXPECT_EQ(near.problem, "");
            EXPECT_EQ(near.destination, nic);
            EXPECT_EQ(near.egress.size(), 1u);
            for (uint32_t uplink = 0; uplink < usids.Clos().T0Uplinks(); ++uplink)
            {
                const RouteTrace far =
                    TraceRoute(usids, plane, nic, {FarLoop(usids, plane, nic, uplink)});
                EXPECT_EQ(far.problem, "");
                EXPECT_EQ(far.destination, nic);
                ASSERT_EQ(far.egress.size(), 3u);
                EXPECT_EQ(far.u0, uplink);
                // Down by the link that it came up.
                EXPECT_EQ(usids.Clos().Peer(plane, far.egress[0]), far.egress[1]);
            }
        }
    }
}

} // namespace
