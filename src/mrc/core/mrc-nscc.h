// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_NSCC_H
#define MRC_NSCC_H

#include "mrc-congestion-control.h"

namespace mrc
{

/**
 * Settings of NSCC as a user gives them. Defaults are those of //= MRC-REF 4 NSCC.
 *
 * Increase constants are given for a reference network of 150 000 B bandwidth-delay product (BDP)
 * and 12 us target delay. They are scaled by a = BDP / 150 000 B and b = target / 12 us.
 */
struct NsccConfig
{
    /// Unloaded round trip of the longest path, ps, > 0.
    int64_t baseRttPs = 13'000'000;

    /// Sum of the rates of the NIC's ports, bit/s, > 0. BDP = this x base RTT.
    uint64_t lineRateBitsPerSecond = 800'000'000'000;

    /// Largest packet as it is counted in the bytes in flight, bytes, > 0; the smallest window.
    uint32_t mtuBytes = 4096;

    /// Whether switches trim. Only derived defaults depend on it.
    bool trimming = true;

    /// Queueing delay aimed at, ps; 0 = 0.75 x base RTT with trimming, 1.0 x without.
    int64_t targetDelayPs = 0;

    /// Largest window and the one to start with, bytes; 0 = 1.5 BDP, falling with the base RTT
    /// that is measured.
    uint64_t maxCwndBytes = 0;

    /// Part of the relative excess of delay by which a decrease shrinks the window, 0-1.
    double gamma = 0.8;

    /// Smallest factor of one decrease, 0-1.
    double maxMdJump = 0.5;

    /// Fair increase, in MTU x a.
    double fiMtus = 5;

    /// Fast increase: bytes of window per byte received, x a.
    double fiScale = 0.25;

    /// Increase in each adjustment period whatever the feedback is, in MTU x a.
    double etaMtus = 0.15;

    /// Proportional increase at zero delay, in MTU x a x b.
    double alphaMtus = 4;

    /// Increases are applied after this many MTU were received, or after the period below.
    double adjustMtus = 8;

    /// Adjustment period, ps; 0 = base RTT.
    int64_t adjustPeriodPs = 0;

    /// Quick-adapt acts if less than 2^-qaGate of the largest window was received, 0-31.
    uint8_t qaGate = 3;

    /// Delay that triggers quick-adapt, ps; 0 = never with trimming, 4 x target without.
    int64_t qaThresholdPs = 0;

    /// Delays below this count as none: fast increase, ps.
    int64_t fastIncreaseDelayPs = 1'000'000;

    /// Weight of a delay sample in the average is this x its share of the window, at most 1. So
    /// with 1 the average reaches back about one round trip, however often SACKs come (O).
    double delayAverageWeight = 1;
};

/**
 * What Nscc computes with: the settings with all derived values filled in. Immutable, and shared
 * by all QPs with the same settings.
 */
struct NsccParameters
{
    /// @param config the settings to derive from
    explicit NsccParameters(const NsccConfig& config);

    int64_t baseRttPs;           ///< initial base RTT, ps
    int64_t targetDelayPs;       ///< target delay, ps
    int64_t adjustPeriodPs;      ///< adjustment period, ps
    int64_t qaThresholdPs;       ///< delay that triggers quick-adapt, ps
    int64_t fastIncreaseDelayPs; ///< delay that counts as none, ps
    uint64_t maxCwndBytes;       ///< largest window at the initial base RTT, bytes
    uint64_t adjustBytes;        ///< bytes received per adjustment, bytes
    uint64_t etaBytes;           ///< increase per adjustment period, bytes
    double gamma;                ///< strength of a decrease
    double maxMdJump;            ///< smallest factor of a decrease
    double fiBytes;              ///< fair increase, bytes
    double fiScale;              ///< fast increase, bytes per byte
    double alphaBytesPerPs;      ///< proportional increase, bytes per ps below the target
    double delayAverageWeight;   ///< weight of a delay sample of a whole window
    uint32_t mtuBytes;           ///< largest packet and smallest window, bytes
    uint8_t qaGate;              ///< see NsccConfig
    bool maxCwndFollowsBaseRtt;  ///< whether maxCwndBytes was derived
};

/**
 * Network signal-based congestion control, as Ultra Ethernet describes it (//= MRC-REF 4 NSCC).
 *
 * Each SACK brings an ECN echo and a delay d = RTT - base RTT. ECN tells what the queue is like
 * now, the delay what it was like when the packet joined it:
 *
 *  - unmarked, d below target: proportional increase, or fast increase when there has been no
 *    delay at all for a whole window;
 *  - unmarked, d at target or above: fair increase;
 *  - marked, d below target: nothing, path selection deals with it;
 *  - marked, d at target or above: multiplicative decrease by the average delay, at most once
 *    per base RTT.
 *
 * Independently, quick-adapt measures what is received in each period of base RTT + target. If
 * the period saw a trim, a loss or an extreme delay, and little was received, then that amount
 * becomes the window. Marks of what is in flight at that moment say nothing about the new window,
 * so they are ignored; nothing else is.
 */
class Nscc final : public CongestionControl
{
  public:
    /// @param parameters shared values; must outlive this object
    explicit Nscc(const NsccParameters& parameters);
    explicit Nscc(NsccParameters&&) = delete;

    void OnSack(const SackFeedback& feedback) override;
    void OnLoss(LossKind kind, int64_t nowPs, uint32_t bytes) override;

    int64_t BaseRttPs() const override
    {
        return m_baseRttPs;
    }

    /// @return the largest window at the present base RTT, bytes
    uint64_t MaxCwndBytes() const
    {
        return m_maxCwndBytes;
    }

    /// @return the average queueing delay that decreases are computed from, ps
    double AverageDelayPs() const
    {
        return m_averageDelayPs;
    }

  private:
    /**
     * Obey the responder's penalty (rcv_cwnd_pen, r_c).
     *
     * A penalty p takes p/128 of each newly received byte off the window: 64 halves it and 127
     * leaves one packet within one round trip. The window before the first penalty comes back
     * when a SACK without penalty says so.
     *
     * @param feedback the SACK
     * @return whether the responder holds the window back, so that nothing may increase it
     */
    bool ApplyPenalty(const SackFeedback& feedback);

    /**
     * Give up the measuring period if the QP was idle after it: what was received in it has
     * nothing to do with what is happening now.
     *
     * @param nowPs the time, ps
     */
    void ForgetIdlePeriod(int64_t nowPs);

    /// @return length of the measuring period, ps
    int64_t QaPeriodPs() const
    {
        return m_baseRttPs + m_parameters.targetDelayPs;
    }

    /// @param rttPs a measured round trip, ps; lowers the base RTT and what depends on it
    void LowerBaseRtt(int64_t rttPs);

    /**
     * @param delayPs a queueing delay, ps
     * @param bytes how much data it speaks for
     */
    void AverageDelay(int64_t delayPs, uint64_t bytes);

    /**
     * Judge the measuring period if it is over.
     *
     * @param nowPs the time, ps
     * @return whether the window was set to what was achieved
     */
    bool QuickAdapt(int64_t nowPs);

    /**
     * Account for an unmarked SACK.
     *
     * @param delayPs its queueing delay, ps
     * @param bytes what it newly acknowledges
     */
    void Increase(int64_t delayPs, uint64_t bytes);

    /// There was a delay, a mark or a loss: a whole window without them has to come first.
    void EndFastIncrease();

    /// @param nowPs the time, ps; shrinks the window if that did not happen within a base RTT
    void Decrease(int64_t nowPs);

    /// @param nowPs the time, ps; applies the collected increases if it is time to
    void Adjust(int64_t nowPs);

    /// Forget increases that were collected and not yet applied.
    void DropCollected();

    /// @param cwndBytes the wanted window; the one set is within its limits
    void SetCwnd(uint64_t cwndBytes);

    const NsccParameters& m_parameters; ///< shared by QPs
    int64_t m_baseRttPs;                ///< smallest RTT seen, ps
    uint64_t m_maxCwndBytes;            ///< largest window at m_baseRttPs
    double m_averageDelayPs;            ///< see AverageDelayPs()
    double m_collected;                 ///< sum of increases x window, bytes^2
    int64_t m_lastDecreasePs;           ///< when the window was last decreased
    int64_t m_lastPeriodPs;             ///< when eta was last added; < 0: not started
    int64_t m_qaEndPs;                  ///< end of the measuring period; < 0: none yet
    uint64_t m_achievedBytes;           ///< received in the measuring period
    uint64_t m_receivedBytes;           ///< received since the last adjustment
    uint64_t m_undelayedBytes;          ///< received since the last delay, mark or loss
    uint32_t m_inflightBytes;           ///< in flight, as far as SACKs and losses tell
    uint32_t m_ignoreBytes;             ///< rest of what was in flight at quick-adapt
    uint32_t m_savedCwndBytes;          ///< window before a penalty; 0: none
    bool m_qaTriggered;                 ///< the measuring period saw a reason to act
    bool m_fastIncrease;                ///< a whole window had no delay, and none came since
};

static_assert(sizeof(Nscc) <= 128, "an idle QP's congestion control fits two cache lines");

} // namespace mrc

#endif // MRC_NSCC_H
