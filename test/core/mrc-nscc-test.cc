// SPDX-License-Identifier: GPL-2.0-only
// NSCC against cases that are worked out by hand (type=test of //= MRC-REF 4 NSCC).
//
// The network of these tests makes both scaling factors 1:
//   100 Gb/s x 12 us = 150 000 B, so a = 1; target 12 us, so b = 1; MTU 1000 B. Hence
//   fi = 5 x 1000 = 5000 B, fi_scale = 0.25, eta = 0.15 x 1000 = 150 B,
//   alpha = 4 x 1000 B / 12 us, adjustments every 8000 B or 12 us, quick-adapt every 24 us.
// Windows of 100 000 B then grow by (sum of increases x bytes) / 100 000.
#include "mrc-nscc.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <memory>

namespace mrc
{
namespace
{

constexpr int64_t US = 1'000'000; // in ps
constexpr int64_t BASE = 12 * US;

NsccConfig
ReferenceNetwork()
{
    NsccConfig config;
    config.baseRttPs = BASE;
    config.lineRateBitsPerSecond = 100'000'000'000;
    config.mtuBytes = 1000;
    config.targetDelayPs = 12 * US;
    config.maxCwndBytes = 200'000;
    return config;
}

/// An Nscc and a short way to feed it.
class NsccTest : public ::testing::Test
{
  protected:
    /**
     * Start with quick-adapt off (nothing is less than 2^-31 of the window) and a given window,
     * which one large loss before time 0 leaves.
     */
    void Start(uint64_t cwndBytes, NsccConfig config = ReferenceNetwork())
    {
        config.qaGate = 31;
        Start(config);
        const auto excess = static_cast<uint32_t>(nscc->CwndBytes() - cwndBytes);
        nscc->OnLoss(LossKind::INFERRED, 0, excess);
        ASSERT_EQ(nscc->CwndBytes(), cwndBytes);
    }

    void Start(const NsccConfig& config)
    {
        parameters = std::make_unique<NsccParameters>(config);
        nscc = std::make_unique<Nscc>(*parameters);
    }

    void Sack(int64_t nowPs, int64_t delayPs, bool marked, uint64_t bytes, uint64_t inflight = 1)
    {
        nscc->OnSack({nowPs, nscc->BaseRttPs() + delayPs, marked, bytes, inflight, 0, false});
    }

    void Unmarked(int64_t nowPs, int64_t delayPs, uint64_t bytes, uint64_t inflight = 1)
    {
        Sack(nowPs, delayPs, false, bytes, inflight);
    }

    void Marked(int64_t nowPs, int64_t delayPs, uint64_t bytes, uint64_t inflight = 1)
    {
        Sack(nowPs, delayPs, true, bytes, inflight);
    }

    std::unique_ptr<NsccParameters> parameters;
    std::unique_ptr<Nscc> nscc;
};

// --- Parameters ---------------------------------------------------------------------------

TEST_F(NsccTest, DerivesParametersWithTrimming)
{
    NsccConfig config = ReferenceNetwork();
    config.targetDelayPs = 0;
    config.maxCwndBytes = 0;
    const NsccParameters p(config);
    EXPECT_EQ(p.targetDelayPs, 9 * US);  // 0.75 x 12
    EXPECT_EQ(p.maxCwndBytes, 225'000U); // 1.5 x 150 000
    EXPECT_EQ(p.qaThresholdPs, std::numeric_limits<int64_t>::max());
    EXPECT_EQ(p.adjustBytes, 8000U);
    EXPECT_EQ(p.adjustPeriodPs, BASE);
    EXPECT_EQ(p.etaBytes, 150U);
    EXPECT_DOUBLE_EQ(p.fiBytes, 5000);
    EXPECT_DOUBLE_EQ(p.fiScale, 0.25);
    // b = 9/12: 4 x 0.75 x 1000 B / 9 us = 1000 B / 3 us
    EXPECT_DOUBLE_EQ(p.alphaBytesPerPs, 1000.0 / 3e6);
}

TEST_F(NsccTest, DerivesParametersWithoutTrimming)
{
    NsccConfig config = ReferenceNetwork();
    config.targetDelayPs = 0;
    config.trimming = false;
    const NsccParameters p(config);
    EXPECT_EQ(p.targetDelayPs, 12 * US);
    EXPECT_EQ(p.qaThresholdPs, 48 * US); // 4 x target
}

TEST_F(NsccTest, ScalesIncreasesWithTheBdp)
{
    NsccConfig config = ReferenceNetwork();
    config.lineRateBitsPerSecond *= 2; // a = 2
    const NsccParameters p(config);
    EXPECT_EQ(p.etaBytes, 300U);
    EXPECT_DOUBLE_EQ(p.fiBytes, 10'000);
    EXPECT_DOUBLE_EQ(p.fiScale, 0.5);
    EXPECT_DOUBLE_EQ(p.alphaBytesPerPs, 8000.0 / 12e6);
}

TEST_F(NsccTest, ExplicitValuesWin)
{
    NsccConfig config = ReferenceNetwork();
    config.qaThresholdPs = 7 * US;
    config.adjustPeriodPs = 5 * US;
    config.adjustMtus = 2;
    const NsccParameters p(config);
    EXPECT_EQ(p.targetDelayPs, 12 * US);
    EXPECT_EQ(p.maxCwndBytes, 200'000U);
    EXPECT_EQ(p.qaThresholdPs, 7 * US);
    EXPECT_EQ(p.adjustPeriodPs, 5 * US);
    EXPECT_EQ(p.adjustBytes, 2000U);
}

TEST_F(NsccTest, StartsWithTheLargestWindow)
{
    Start(ReferenceNetwork());
    EXPECT_EQ(nscc->CwndBytes(), 200'000U);
    EXPECT_EQ(nscc->BaseRttPs(), BASE);
}

TEST_F(NsccTest, AWindowIsNeverBelowTheMtu)
{
    NsccConfig config = ReferenceNetwork();
    config.maxCwndBytes = 10;
    EXPECT_EQ(NsccParameters(config).maxCwndBytes, 1000U);
}

// --- The four rows of the table -----------------------------------------------------------

struct Row
{
    const char* name;
    int64_t delayPs;
    bool marked;
    uint64_t cwndBytes; ///< from 100 000 after one SACK of 8000 B
};

class NsccRowTest : public NsccTest, public ::testing::WithParamInterface<Row>
{
};

TEST_P(NsccRowTest, MovesTheWindow)
{
    NsccConfig config = ReferenceNetwork();
    config.delayAverageWeight = 1000; // the average is the last sample
    Start(100'000, config);
    Sack(0, GetParam().delayPs, GetParam().marked, 8000);
    EXPECT_EQ(nscc->CwndBytes(), GetParam().cwndBytes);
}

INSTANTIATE_TEST_SUITE_P(Table,
                         NsccRowTest,
                         ::testing::Values(
                             // 4000 x 8000 x (12 - 6)/12 / 100 000 = 160
                             Row{"ProportionalAtHalfTheTarget", 6 * US, false, 100'160},
                             // 4000 x 8000 x 1/12 / 100 000 = 26.7
                             Row{"ProportionalNearTheTarget", 11 * US, false, 100'027},
                             // 5000 x 8000 / 100 000 = 400
                             Row{"FairAtTheTarget", 12 * US, false, 100'400},
                             Row{"FairFarAboveTheTarget", 99 * US, false, 100'400},
                             Row{"NothingWhenMarkedWithoutDelay", 0, true, 100'000},
                             Row{"NothingWhenMarkedBelowTheTarget", 12 * US - 1, true, 100'000},
                             // the average has no excess over the target
                             Row{"NoDecreaseAtTheTarget", 12 * US, true, 100'000},
                             // 1 - 0.8 x (16 - 12)/16 = 0.8
                             Row{"DecreaseByTheExcess", 16 * US, true, 80'000},
                             // 1 - 0.8 x (24 - 12)/24 = 0.6
                             Row{"DecreaseAtTwiceTheTarget", 24 * US, true, 60'000},
                             // 1 - 0.8 x (120 - 12)/120 = 0.28, but not below 0.5
                             Row{"DecreaseIsLimited", 120 * US, true, 50'000}),
                         [](const ::testing::TestParamInfo<Row>& info) { return info.param.name; });

TEST_F(NsccTest, DecreaseIsComputedFromTheAverage)
{
    Start(100'000);
    // Half a window at 24 us: average 0 + 0.5 x 24 = 12 us, no excess.
    Marked(0, 24 * US, 50'000);
    EXPECT_DOUBLE_EQ(nscc->AverageDelayPs(), 12.0 * US);
    EXPECT_EQ(nscc->CwndBytes(), 100'000U);
    // Again: 12 + 0.5 x (24 - 12) = 18 us; 1 - 0.8 x 6/18 = 0.7333
    Marked(1, 24 * US, 50'000);
    EXPECT_DOUBLE_EQ(nscc->AverageDelayPs(), 18.0 * US);
    EXPECT_EQ(nscc->CwndBytes(), 73'333U);
}

TEST_F(NsccTest, AverageDelayWeightIsAFactor)
{
    NsccConfig config = ReferenceNetwork();
    config.delayAverageWeight = 0.5;
    Start(100'000, config);
    Unmarked(0, 8 * US, 25'000); // weight 0.5 x 0.25
    EXPECT_DOUBLE_EQ(nscc->AverageDelayPs(), 1.0 * US);
    // More than two windows at once: the weight is 1 at most.
    Unmarked(1, 8 * US, 500'000);
    EXPECT_DOUBLE_EQ(nscc->AverageDelayPs(), 8.0 * US);
}

TEST_F(NsccTest, ATrimmedPacketCountsAsADelayOfOneBaseRtt)
{
    Start(100'000);
    nscc->OnLoss(LossKind::INFERRED, 1, 10'000);
    EXPECT_EQ(nscc->AverageDelayPs(), 0);
    // 9 000 of 90 000: 0.1 x 12 us
    nscc->OnLoss(LossKind::TRIM, 2, 9000);
    EXPECT_DOUBLE_EQ(nscc->AverageDelayPs(), 1.2 * US);
}

TEST_F(NsccTest, DecreasesAtMostOncePerBaseRtt)
{
    NsccConfig config = ReferenceNetwork();
    config.delayAverageWeight = 1000;
    config.etaMtus = 0;
    Start(100'000, config);
    Marked(0, 24 * US, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 60'000U);
    Marked(1, 24 * US, 1000);
    Marked(BASE - 1, 24 * US, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 60'000U);
    Marked(BASE, 24 * US, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 36'000U);
}

// --- When increases are applied -----------------------------------------------------------

TEST_F(NsccTest, CollectsIncreasesOverTheAdjustmentBytes)
{
    Start(100'000);
    Unmarked(0, 6 * US, 4000);
    Unmarked(1, 12 * US, 3999);
    EXPECT_EQ(nscc->CwndBytes(), 100'000U);
    // 4000 x 0.5 x 4000 + 5000 x 3999 + 4000 x 0.5 x 1 = 27 997 000; / 100 000 = 280
    Unmarked(2, 6 * US, 1);
    EXPECT_EQ(nscc->CwndBytes(), 100'280U);
    // The sum starts again: nothing is left to apply.
    Marked(3, 0, 8000);
    EXPECT_EQ(nscc->CwndBytes(), 100'280U);
}

TEST_F(NsccTest, AppliesIncreasesAndEtaAfterAPeriod)
{
    Start(100'000);
    Unmarked(0, 6 * US, 1000);
    Unmarked(BASE - 1, 6 * US, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 100'000U);
    // 3 x 4000 x 0.5 x 1000 / 100 000 = 60, and eta 150
    Unmarked(BASE, 6 * US, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 100'210U);
}

TEST_F(NsccTest, EtaComesOncePerPeriodWhateverTheFeedback)
{
    Start(100'000);
    const int64_t start = 5 * US; // the first period begins with the first SACK
    for (const int64_t nowPs : {0 * US, 6 * US, 11 * US})
    {
        Marked(start + nowPs, 0, 1000);
        EXPECT_EQ(nscc->CwndBytes(), 100'000U);
    }
    Marked(start + 13 * US, 0, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 100'150U);
    // The next period ends 12 us after the last adjustment, at 25 us.
    Marked(start + 24 * US, 0, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 100'150U);
    Marked(start + 25 * US, 0, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 100'300U);
    // Five silent periods earn one eta.
    Marked(start + 85 * US, 0, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 100'450U);
}

// --- Fast increase ------------------------------------------------------------------------

/// Fast increase with the proportional one switched off, so that it can be seen alone.
class NsccFastTest : public NsccTest
{
  protected:
    void SetUp() override
    {
        NsccConfig config = ReferenceNetwork();
        config.alphaMtus = 0;
        config.etaMtus = 0;
        Start(100'000, config);
    }
};

TEST_F(NsccFastTest, StartsAfterAWholeWindowWithoutDelay)
{
    Unmarked(0, US - 1, 60'000);
    Unmarked(1, 0, 39'999);
    EXPECT_EQ(nscc->CwndBytes(), 100'000U);
    Unmarked(2, 0, 4000); // 103 999 >= 100 000: 0.25 x 4000
    EXPECT_EQ(nscc->CwndBytes(), 101'000U);
    Unmarked(3, 0, 1000); // and on
    EXPECT_EQ(nscc->CwndBytes(), 101'250U);
}

TEST_F(NsccFastTest, ADelayEndsIt)
{
    Unmarked(0, 0, 100'000); // + 25 000
    EXPECT_EQ(nscc->CwndBytes(), 125'000U);
    Unmarked(1, US, 1000);
    Unmarked(2, 0, 124'999);
    EXPECT_EQ(nscc->CwndBytes(), 125'000U);
    Unmarked(3, 0, 4); // 125 003 >= 125 000: + 1
    EXPECT_EQ(nscc->CwndBytes(), 125'001U);
}

TEST_F(NsccFastTest, AMarkEndsIt)
{
    Unmarked(0, 0, 100'000);
    Marked(1, 0, 1000);
    Unmarked(2, 0, 124'999);
    EXPECT_EQ(nscc->CwndBytes(), 125'000U);
}

TEST_F(NsccFastTest, ALossEndsIt)
{
    Unmarked(0, 0, 100'000);
    nscc->OnLoss(LossKind::INFERRED, 1, 1000);
    Unmarked(2, 0, 100'000);
    EXPECT_EQ(nscc->CwndBytes(), 124'000U);
}

TEST_F(NsccTest, FastIncreaseGoesOnWhenTheWindowOutgrowsTheCount)
{
    NsccConfig config = ReferenceNetwork();
    config.fiScale = 4; // the window grows four times as fast as the count
    config.alphaMtus = 0;
    Start(1000, config);
    Unmarked(0, 0, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 5000U);
    Unmarked(1, 0, 1000); // 2000 counted, window 5000
    EXPECT_EQ(nscc->CwndBytes(), 9000U);
}

TEST_F(NsccTest, FastIncreaseReplacesTheProportionalOne)
{
    Start(100'000);
    Unmarked(0, 0, 100'000); // 0.25 x 100 000, and nothing from the sum
    EXPECT_EQ(nscc->CwndBytes(), 125'000U);
}

// --- Limits and base RTT ------------------------------------------------------------------

TEST_F(NsccTest, TheWindowStaysWithinItsLimits)
{
    Start(199'900);
    Unmarked(0, 12 * US, 80'000); // 5000 x 80 000 / 199 900 = 2001
    EXPECT_EQ(nscc->CwndBytes(), 200'000U);
    nscc->OnLoss(LossKind::INFERRED, 1, 199'500);
    EXPECT_EQ(nscc->CwndBytes(), 1000U);
    nscc->OnLoss(LossKind::INFERRED, 2, 4'000'000);
    EXPECT_EQ(nscc->CwndBytes(), 1000U);
}

TEST_F(NsccTest, BaseRttFallsAndNeverRises)
{
    Start(100'000);
    nscc->OnSack({0, 10 * US, true, 0, 1, 0, false});
    EXPECT_EQ(nscc->BaseRttPs(), 10 * US);
    nscc->OnSack({1, 30 * US, true, 0, 1, 0, false});
    EXPECT_EQ(nscc->BaseRttPs(), 10 * US);
    // Delay is counted from the new base: 16 - 10 = 6 us, half the target, + 160 as above.
    nscc->OnSack({2, 16 * US, false, 8000, 1, 0, false});
    EXPECT_EQ(nscc->CwndBytes(), 100'160U);
    EXPECT_EQ(nscc->MaxCwndBytes(), 200'000U); // explicit: stays
}

TEST_F(NsccTest, ADerivedMaximumFollowsTheBaseRtt)
{
    NsccConfig config = ReferenceNetwork();
    config.maxCwndBytes = 0;
    Start(config);
    EXPECT_EQ(nscc->CwndBytes(), 225'000U);
    nscc->OnSack({0, 8 * US, true, 0, 1, 0, false}); // x 8/12
    EXPECT_EQ(nscc->MaxCwndBytes(), 150'000U);
    EXPECT_EQ(nscc->CwndBytes(), 150'000U);
}

TEST_F(NsccTest, AnUnknownRoundTripChangesNothing)
{
    Start(100'000);
    nscc->OnSack({0, -1, false, 8000, 1, 0, false});
    nscc->OnSack({1, -1, true, 8000, 1, 0, false});
    EXPECT_EQ(nscc->CwndBytes(), 100'000U);
    EXPECT_EQ(nscc->BaseRttPs(), BASE);
    EXPECT_EQ(nscc->AverageDelayPs(), 0);
}

// --- Losses and quick-adapt ---------------------------------------------------------------

/// Quick-adapt with its gate at 200 000 / 2^3 = 25 000 B; the first SACK at 0 opens a period of
/// 24 us. Increases are off.
class NsccAdaptTest : public NsccTest
{
  protected:
    void SetUp() override
    {
        Start(Config());
        Unmarked(0, 6 * US, 5000); // arrived before the period
    }

    static NsccConfig Config()
    {
        NsccConfig config = ReferenceNetwork();
        config.alphaMtus = 0;
        config.fiMtus = 0;
        config.fiScale = 0;
        config.etaMtus = 0;
        config.delayAverageWeight = 1000;
        return config;
    }
};

TEST_F(NsccAdaptTest, EachLossTakesAPacketOff)
{
    uint64_t cwnd = 200'000;
    for (const LossKind kind :
         {LossKind::TRIM, LossKind::TRIM_LASTHOP, LossKind::INFERRED, LossKind::TIMEOUT})
    {
        nscc->OnLoss(kind, 1, 1000);
        cwnd -= 1000;
        EXPECT_EQ(nscc->CwndBytes(), cwnd);
    }
    nscc->OnLoss(LossKind::TRIM, 1, 300); // a short one
    EXPECT_EQ(nscc->CwndBytes(), 195'700U);
}

TEST_F(NsccAdaptTest, SetsTheWindowToWhatWasAchieved)
{
    nscc->OnLoss(LossKind::TRIM, 1 * US, 1000);
    Unmarked(10 * US, 6 * US, 6000);
    EXPECT_EQ(nscc->CwndBytes(), 199'000U);
    Unmarked(24 * US - 1, 6 * US, 3000); // not over yet
    EXPECT_EQ(nscc->CwndBytes(), 199'000U);
    Unmarked(24 * US, 6 * US, 4000); // 6000 + 3000 + 4000 < 25 000
    EXPECT_EQ(nscc->CwndBytes(), 13'000U);
}

TEST_F(NsccAdaptTest, ALossAtTheEndOfThePeriodTakesNoPacketOffAsWell)
{
    Unmarked(10 * US, 6 * US, 6000);
    nscc->OnLoss(LossKind::INFERRED, 24 * US, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 6000U);
}

TEST_F(NsccAdaptTest, NothingAchievedLeavesOneMtu)
{
    nscc->OnLoss(LossKind::TRIM, 24 * US, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 1000U);
}

TEST_F(NsccAdaptTest, TheGateKeepsItOff)
{
    Unmarked(10 * US, 6 * US, 24'999);
    Unmarked(11 * US, 6 * US, 1); // 25 000 is not less than 25 000
    nscc->OnLoss(LossKind::TRIM, 24 * US, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 199'000U);
}

TEST_F(NsccAdaptTest, JustBelowTheGateActs)
{
    Unmarked(10 * US, 6 * US, 24'999);
    nscc->OnLoss(LossKind::TRIM, 24 * US, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 24'999U);
}

TEST_F(NsccAdaptTest, NeedsAReason)
{
    Unmarked(24 * US, 500 * US, 1000); // trimming: no delay is a reason
    EXPECT_EQ(nscc->CwndBytes(), 200'000U);
}

TEST_F(NsccAdaptTest, AReasonCountsForItsPeriodOnly)
{
    nscc->OnLoss(LossKind::TRIM, 1 * US, 1000);
    Unmarked(24 * US, 6 * US, 30'000); // above the gate: judged, and forgotten
    Unmarked(48 * US, 6 * US, 2000);   // little achieved, no reason
    EXPECT_EQ(nscc->CwndBytes(), 199'000U);
}

TEST_F(NsccAdaptTest, ActsOncePerPeriod)
{
    nscc->OnLoss(LossKind::TRIM, 24 * US, 1000); // acts; nothing was in flight but 1 B
    EXPECT_EQ(nscc->CwndBytes(), 1000U);
    Unmarked(25 * US, 6 * US, 7000);
    nscc->OnLoss(LossKind::TRIM, 48 * US - 1, 1000); // a packet off: at the minimum already
    EXPECT_EQ(nscc->CwndBytes(), 1000U);
    nscc->OnLoss(LossKind::TRIM, 48 * US, 1000); // 7000 were achieved since
    EXPECT_EQ(nscc->CwndBytes(), 7000U);
}

TEST_F(NsccAdaptTest, ExtremeDelayIsAReasonWithoutTrimming)
{
    NsccConfig config = Config();
    config.trimming = false; // threshold 4 x 12 us
    Start(config);
    Unmarked(0, 6 * US, 5000);
    Unmarked(24 * US, 48 * US, 2000); // at the threshold: not above
    EXPECT_EQ(nscc->CwndBytes(), 200'000U);
    Unmarked(30 * US, 48 * US + 1, 2000); // remembered until the period ends
    EXPECT_EQ(nscc->CwndBytes(), 200'000U);
    Unmarked(48 * US, 6 * US, 3000);
    EXPECT_EQ(nscc->CwndBytes(), 5000U);
}

TEST_F(NsccAdaptTest, MarksOfWhatWasInFlightAreIgnored)
{
    Unmarked(10 * US, 6 * US, 10'000);
    nscc->OnLoss(LossKind::TRIM, 11 * US, 1000);
    Unmarked(24 * US, 6 * US, 10'000, 30'000); // acts with 30 000 B in flight
    ASSERT_EQ(nscc->CwndBytes(), 20'000U);
    for (int sack = 0; sack < 3; ++sack)
    {
        Marked(25 * US, 24 * US, 10'000); // those 30 000
        EXPECT_EQ(nscc->CwndBytes(), 20'000U);
    }
    Marked(25 * US, 24 * US, 10'000); // sent afterwards: x 0.6
    EXPECT_EQ(nscc->CwndBytes(), 12'000U);
}

TEST_F(NsccTest, UnmarkedSacksOfWhatWasInFlightIncrease)
{
    Start(ReferenceNetwork());
    Unmarked(0, 6 * US, 0);
    nscc->OnLoss(LossKind::TRIM, 1 * US, 1000);
    Unmarked(24 * US, 6 * US, 10'000, 30'000);
    ASSERT_EQ(nscc->CwndBytes(), 10'000U);
    // 5000 x 8000 / 10 000 = 4000, and eta 150: the first period began at 0.
    Unmarked(25 * US, 12 * US, 8000);
    EXPECT_EQ(nscc->CwndBytes(), 14'150U);
}

TEST_F(NsccAdaptTest, LossesOfWhatWasInFlightCount)
{
    //= MRC-REF 4 NSCC: marks of bytes in flight at quick-adapt are ignored, nothing else
    nscc->OnLoss(LossKind::TRIM, 11 * US, 1000);
    Unmarked(24 * US, 6 * US, 10'000, 3000);
    ASSERT_EQ(nscc->CwndBytes(), 10'000U);
    nscc->OnLoss(LossKind::TRIM, 25 * US, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 9000U);
    nscc->OnLoss(LossKind::INFERRED, 25 * US, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 8000U);
    // They are also the next period's reason to act: 24 + 24 us, 2000 achieved.
    Unmarked(47 * US, 6 * US, 1000);
    Unmarked(48 * US, 6 * US, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 2000U);
}

TEST_F(NsccAdaptTest, AnIgnoredMarkEndsAPeriodAllTheSame)
{
    nscc->OnLoss(LossKind::TRIM, 11 * US, 1000);
    Unmarked(24 * US, 6 * US, 10'000, 30'000); // acts with 30 000 B in flight
    ASSERT_EQ(nscc->CwndBytes(), 10'000U);
    nscc->OnLoss(LossKind::TRIM, 30 * US, 1000);
    Marked(48 * US, 24 * US, 4000);
    EXPECT_EQ(nscc->CwndBytes(), 4000U);
}

TEST_F(NsccAdaptTest, LossesCountAgainstWhatIsInFlight)
{
    Unmarked(10 * US, 6 * US, 10'000, 5000);
    nscc->OnLoss(LossKind::TRIM, 11 * US, 1000);
    nscc->OnLoss(LossKind::TRIM, 24 * US, 1000); // acts; 5000 - 2 x 1000 are in flight
    ASSERT_EQ(nscc->CwndBytes(), 10'000U);
    Marked(25 * US, 24 * US, 3000);
    EXPECT_EQ(nscc->CwndBytes(), 10'000U);
    Marked(25 * US, 24 * US, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 6000U);
}

TEST_F(NsccTest, CollectedIncreasesDoNotSurviveQuickAdapt)
{
    Start(ReferenceNetwork());
    Unmarked(0, 6 * US, 0);
    Unmarked(11 * US, 12 * US, 7999);            // 5000 x 7999 collected, one byte short
    nscc->OnLoss(LossKind::TRIM, 24 * US, 1000); // achieved: 7999
    EXPECT_EQ(nscc->CwndBytes(), 7999U);
    // An adjustment that would add 5000 x 7999 / 7999 = 5000. Only eta is left.
    Marked(24 * US + 1, 0, 8000);
    EXPECT_EQ(nscc->CwndBytes(), 8149U);
}

TEST_F(NsccAdaptTest, APeriodBeforeAnIdleTimeIsNotJudged)
{
    nscc->OnLoss(LossKind::TRIM, 1 * US, 1000);
    Unmarked(20 * US, 6 * US, 4000, 0); // nothing left in flight: idle
    // 24 us after the end of the period the QP sends again and a packet is trimmed.
    nscc->OnLoss(LossKind::TRIM, 48 * US, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 198'000U);
    // That opened a period: 48 to 72 us.
    Unmarked(60 * US, 6 * US, 3000);
    Unmarked(72 * US, 6 * US, 4000);
    EXPECT_EQ(nscc->CwndBytes(), 7000U);
}

TEST_F(NsccAdaptTest, ALatePeriodWithPacketsInFlightIsJudged)
{
    Unmarked(20 * US, 6 * US, 4000, 9000);
    nscc->OnLoss(LossKind::TIMEOUT, 1000 * US, 1000);
    EXPECT_EQ(nscc->CwndBytes(), 4000U);
}

// --- The responder's penalty --------------------------------------------------------------

class NsccPenaltyTest : public NsccTest
{
  protected:
    /// Acknowledge a full window of 64 000 B in 64 SACKs, each with the penalty.
    void OneRoundTrip(uint8_t penalty)
    {
        uint64_t inflight = 64'000;
        for (int sack = 0; sack < 64; ++sack)
        {
            inflight -= 1000;
            nscc->OnSack({sack, BASE, false, 1000, inflight, penalty, false});
            inflight = std::max(inflight, nscc->CwndBytes()); // sends what it may
        }
    }
};

TEST_F(NsccPenaltyTest, SixtyFourHalvesTheWindowInARoundTrip)
{
    Start(64'000);
    OneRoundTrip(64); // 64 x 1000 x 64/128 = 32 000 off, and no increase
    EXPECT_EQ(nscc->CwndBytes(), 32'000U);
}

TEST_F(NsccPenaltyTest, TheLargestLeavesOneMtu)
{
    Start(64'000);
    OneRoundTrip(127); // 64 x 992 = 63 488 off: 512 are left
    EXPECT_EQ(nscc->CwndBytes(), 1000U);
}

TEST_F(NsccPenaltyTest, AppliesToWhatIsUsed)
{
    Start(64'000);
    // 10 000 were in flight when it arrived; 64/128 of 2000 comes off.
    nscc->OnSack({0, BASE, false, 2000, 8000, 64, false});
    EXPECT_EQ(nscc->CwndBytes(), 9000U);
}

TEST_F(NsccPenaltyTest, TheWindowBeforeItComesBackWhenToldSo)
{
    Start(64'000);
    nscc->OnSack({0, BASE, true, 2000, 8000, 64, false});
    nscc->OnSack({1, BASE, true, 1000, 8000, 64, true}); // not while there is a penalty
    EXPECT_EQ(nscc->CwndBytes(), 8500U);
    nscc->OnSack({2, BASE, true, 0, 8000, 0, false}); // the penalty is over
    EXPECT_EQ(nscc->CwndBytes(), 8500U);
    nscc->OnSack({3, BASE, true, 0, 8000, 0, true});
    EXPECT_EQ(nscc->CwndBytes(), 64'000U);
    nscc->OnLoss(LossKind::INFERRED, 4, 1000);
    nscc->OnSack({5, BASE, true, 0, 8000, 0, true}); // restored once only
    EXPECT_EQ(nscc->CwndBytes(), 63'000U);
}

TEST_F(NsccPenaltyTest, DecreasesGoOn)
{
    NsccConfig config = ReferenceNetwork();
    config.delayAverageWeight = 1000;
    Start(64'000, config);
    // 128 x 64/128 = 64 off, then x 0.6
    nscc->OnSack({0, BASE + 24 * US, true, 128, 63'872, 64, false});
    EXPECT_EQ(nscc->CwndBytes(), 38'362U); // 63 936 x 0.6 = 38 361.6
}

} // namespace
} // namespace mrc
