// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-nscc.h"

#include <algorithm>
#include <limits>

namespace mrc
{

namespace
{

/// The network on which the increase constants are defined.
constexpr double REFERENCE_BDP_BYTES = 150'000;
constexpr double REFERENCE_TARGET_PS = 12e6;

constexpr double PS_PER_SECOND = 1e12;
constexpr double BITS_PER_BYTE = 8;

/// Derived defaults of //= MRC-REF 4 NSCC
constexpr double TARGET_BASE_RTTS_TRIMMING = 0.75;
constexpr double TARGET_BASE_RTTS_DROPPING = 1.0;
constexpr double MAX_CWND_BDPS = 1.5;
constexpr int64_t QA_THRESHOLD_TARGETS = 4;

/// rcv_cwnd_pen is a fraction of this.
constexpr uint64_t PENALTY_ONE = 128;

/// Long before any time that a caller may give, and far enough from the limit to subtract from.
constexpr int64_t LONG_AGO_PS = std::numeric_limits<int64_t>::min() / 2;

/// Bytes in flight are bounded by the PSN window, far below 4 GiB.
uint32_t
Narrow(uint64_t bytes)
{
    constexpr uint64_t most = std::numeric_limits<uint32_t>::max();
    return static_cast<uint32_t>(std::min(bytes, most));
}

uint64_t
Round(double bytes)
{
    return static_cast<uint64_t>(bytes + 0.5);
}

} // namespace

NsccParameters::NsccParameters(const NsccConfig& config)
    : baseRttPs(config.baseRttPs),
      targetDelayPs(config.targetDelayPs),
      adjustPeriodPs(config.adjustPeriodPs > 0 ? config.adjustPeriodPs : config.baseRttPs),
      qaThresholdPs(config.qaThresholdPs),
      fastIncreaseDelayPs(config.fastIncreaseDelayPs),
      maxCwndBytes(config.maxCwndBytes),
      adjustBytes(Round(config.adjustMtus * config.mtuBytes)),
      gamma(config.gamma),
      maxMdJump(config.maxMdJump),
      delayAverageWeight(config.delayAverageWeight),
      mtuBytes(config.mtuBytes),
      qaGate(config.qaGate),
      maxCwndFollowsBaseRtt(config.maxCwndBytes == 0)
{
    const double baseRtt = static_cast<double>(config.baseRttPs);
    const double bdp =
        static_cast<double>(config.lineRateBitsPerSecond) / BITS_PER_BYTE * baseRtt / PS_PER_SECOND;
    if (targetDelayPs == 0)
    {
        targetDelayPs = static_cast<int64_t>(
            baseRtt * (config.trimming ? TARGET_BASE_RTTS_TRIMMING : TARGET_BASE_RTTS_DROPPING));
    }
    if (maxCwndBytes == 0)
    {
        maxCwndBytes = Round(MAX_CWND_BDPS * bdp);
    }
    maxCwndBytes = std::max<uint64_t>(maxCwndBytes, mtuBytes);
    if (qaThresholdPs == 0)
    {
        qaThresholdPs = config.trimming ? std::numeric_limits<int64_t>::max()
                                        : QA_THRESHOLD_TARGETS * targetDelayPs;
    }

    const double mtu = config.mtuBytes;
    const double target = static_cast<double>(targetDelayPs);
    const double a = bdp / REFERENCE_BDP_BYTES;
    const double b = target / REFERENCE_TARGET_PS;
    etaBytes = Round(config.etaMtus * a * mtu);
    fiBytes = config.fiMtus * a * mtu;
    fiScale = config.fiScale * a;
    alphaBytesPerPs = config.alphaMtus * a * b * mtu / target;
}

Nscc::Nscc(const NsccParameters& parameters)
    : CongestionControl(parameters.maxCwndBytes),
      m_parameters(parameters),
      m_baseRttPs(parameters.baseRttPs),
      m_maxCwndBytes(parameters.maxCwndBytes),
      m_averageDelayPs(0),
      m_collected(0),
      m_lastDecreasePs(LONG_AGO_PS),
      m_lastPeriodPs(-1),
      m_qaEndPs(-1),
      m_achievedBytes(0),
      m_receivedBytes(0),
      m_undelayedBytes(0),
      m_inflightBytes(Narrow(parameters.maxCwndBytes)),
      m_ignoreBytes(0),
      m_savedCwndBytes(0),
      m_qaTriggered(false),
      m_fastIncrease(false)
{
}

void
Nscc::OnSack(const SackFeedback& feedback)
{
    ForgetIdlePeriod(feedback.nowPs);
    const bool sentBeforeAdapt = m_ignoreBytes > 0;
    m_ignoreBytes -= std::min(m_ignoreBytes, Narrow(feedback.newBytes));
    m_receivedBytes += feedback.newBytes;
    m_achievedBytes += feedback.newBytes;
    m_inflightBytes = Narrow(feedback.inflightBytes);
    if (m_lastPeriodPs < 0)
    {
        m_lastPeriodPs = feedback.nowPs;
    }

    const bool heldBack = ApplyPenalty(feedback);
    if (feedback.rttPs < 0)
    {
        return;
    }
    LowerBaseRtt(feedback.rttPs);
    const int64_t delayPs = feedback.rttPs - m_baseRttPs;
    AverageDelay(delayPs, feedback.newBytes);
    if (feedback.marked || delayPs >= m_parameters.fastIncreaseDelayPs)
    {
        EndFastIncrease();
    }

    m_qaTriggered |= delayPs > m_parameters.qaThresholdPs;
    if (QuickAdapt(feedback.nowPs) || (feedback.marked && sentBeforeAdapt))
    {
        return;
    }

    //= MRC-REF 4 NSCC
    if (feedback.marked && delayPs >= m_parameters.targetDelayPs)
    {
        Decrease(feedback.nowPs);
    }
    if (heldBack)
    {
        return;
    }
    if (!feedback.marked)
    {
        Increase(delayPs, feedback.newBytes);
    }
    Adjust(feedback.nowPs);
}

void
Nscc::OnLoss(LossKind kind, int64_t nowPs, uint32_t bytes)
{
    ForgetIdlePeriod(nowPs);
    EndFastIncrease();
    m_inflightBytes -= std::min(m_inflightBytes, bytes);
    if (kind == LossKind::TRIM || kind == LossKind::TRIM_LASTHOP)
    {
        // A queue that trims is one base RTT long or more (//= MRC-REF 4 Switch).
        AverageDelay(m_parameters.baseRttPs, bytes);
    }
    m_ignoreBytes -= std::min(m_ignoreBytes, bytes);
    m_qaTriggered = true;
    if (!QuickAdapt(nowPs))
    {
        SetCwnd(m_cwndBytes - std::min<uint64_t>(m_cwndBytes, bytes));
    }
}

bool
Nscc::ApplyPenalty(const SackFeedback& feedback)
{
    if (feedback.cwndPenalty > 0)
    {
        if (m_savedCwndBytes == 0)
        {
            m_savedCwndBytes = Narrow(m_cwndBytes);
        }
        // A window larger than what was in flight would let the penalty pass unnoticed.
        const uint64_t used = std::min(m_cwndBytes, feedback.inflightBytes + feedback.newBytes);
        const uint64_t cut = feedback.newBytes * feedback.cwndPenalty / PENALTY_ONE;
        SetCwnd(used - std::min(used, cut));
        return true;
    }
    if (feedback.restoreCwnd && m_savedCwndBytes > 0)
    {
        SetCwnd(m_savedCwndBytes);
        m_savedCwndBytes = 0;
    }
    return false;
}

void
Nscc::ForgetIdlePeriod(int64_t nowPs)
{
    if (m_inflightBytes == 0 && m_qaEndPs >= 0 && nowPs - m_qaEndPs >= QaPeriodPs())
    {
        m_qaEndPs = -1;
        m_qaTriggered = false;
    }
}

void
Nscc::LowerBaseRtt(int64_t rttPs)
{
    if (rttPs >= m_baseRttPs)
    {
        return;
    }
    m_baseRttPs = std::max<int64_t>(rttPs, 1);
    if (m_parameters.maxCwndFollowsBaseRtt)
    {
        const double share =
            static_cast<double>(m_baseRttPs) / static_cast<double>(m_parameters.baseRttPs);
        const auto bytes = Round(static_cast<double>(m_parameters.maxCwndBytes) * share);
        m_maxCwndBytes = std::max<uint64_t>(bytes, m_parameters.mtuBytes);
        SetCwnd(m_cwndBytes);
    }
}

void
Nscc::AverageDelay(int64_t delayPs, uint64_t bytes)
{
    const double share = static_cast<double>(bytes) / static_cast<double>(m_cwndBytes);
    const double weight = std::min(1.0, m_parameters.delayAverageWeight * share);
    m_averageDelayPs += weight * (static_cast<double>(delayPs) - m_averageDelayPs);
}

bool
Nscc::QuickAdapt(int64_t nowPs)
{
    if (nowPs < m_qaEndPs)
    {
        return false;
    }
    const bool measured = m_qaEndPs >= 0;
    const bool little = m_achievedBytes < (m_maxCwndBytes >> m_parameters.qaGate);
    const bool adapt = measured && m_qaTriggered && little;
    if (adapt)
    {
        SetCwnd(m_achievedBytes);
        m_ignoreBytes = m_inflightBytes;
        DropCollected();
    }
    if (measured)
    {
        m_qaTriggered = false;
    }
    m_achievedBytes = 0;
    m_qaEndPs = nowPs + QaPeriodPs();
    return adapt;
}

void
Nscc::Increase(int64_t delayPs, uint64_t bytes)
{
    const double newBytes = static_cast<double>(bytes);
    if (delayPs >= m_parameters.targetDelayPs)
    {
        m_collected += m_parameters.fiBytes * newBytes;
        return;
    }
    if (delayPs < m_parameters.fastIncreaseDelayPs)
    {
        m_undelayedBytes += bytes;
        m_fastIncrease |= m_undelayedBytes >= m_cwndBytes;
        if (m_fastIncrease)
        {
            SetCwnd(m_cwndBytes + Round(m_parameters.fiScale * newBytes));
            return;
        }
    }
    m_collected += m_parameters.alphaBytesPerPs * newBytes *
                   static_cast<double>(m_parameters.targetDelayPs - delayPs);
}

void
Nscc::EndFastIncrease()
{
    m_undelayedBytes = 0;
    m_fastIncrease = false;
}

void
Nscc::Decrease(int64_t nowPs)
{
    const double target = static_cast<double>(m_parameters.targetDelayPs);
    if (m_averageDelayPs <= target || nowPs - m_lastDecreasePs < m_baseRttPs)
    {
        return;
    }
    const double excess = (m_averageDelayPs - target) / m_averageDelayPs;
    const double factor = std::max(1 - m_parameters.gamma * excess, m_parameters.maxMdJump);
    SetCwnd(Round(static_cast<double>(m_cwndBytes) * factor));
    m_lastDecreasePs = nowPs;
}

void
Nscc::Adjust(int64_t nowPs)
{
    const bool periodOver = nowPs - m_lastPeriodPs >= m_parameters.adjustPeriodPs;
    if (!periodOver && m_receivedBytes < m_parameters.adjustBytes)
    {
        return;
    }
    uint64_t cwnd = m_cwndBytes;
    cwnd += Round(m_collected / static_cast<double>(m_cwndBytes));
    if (periodOver)
    {
        cwnd += m_parameters.etaBytes;
        m_lastPeriodPs = nowPs;
    }
    SetCwnd(cwnd);
    DropCollected();
}

void
Nscc::DropCollected()
{
    m_collected = 0;
    m_receivedBytes = 0;
}

void
Nscc::SetCwnd(uint64_t cwndBytes)
{
    m_cwndBytes = std::clamp<uint64_t>(cwndBytes, m_parameters.mtuBytes, m_maxCwndBytes);
}

} // namespace mrc
