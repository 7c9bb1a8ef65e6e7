// SPDX-License-Identifier: GPL-2.0-only
// What a requester does when time passed and nothing was heard.
#include "mrc-requester.h"

#include <algorithm>

namespace mrc
{

namespace
{
/// TransportConfig::exponentialRetries that never end.
constexpr uint8_t FOR_EVER = 25;

/// From here on waits stay the same: 52 days if T is the longest there is.
constexpr int MAX_DOUBLINGS = 18;
} // namespace

//= MRC-REF 1 ACK timeout
int64_t
Requester::TimeoutPs(uint16_t timeouts) const
{
    const int doublings = timeouts > m_config.linearRetries ? timeouts - m_config.linearRetries : 0;
    return m_config.AckTimeoutPs() << std::min(doublings, MAX_DOUBLINGS);
}

bool
Requester::IsSilentForGood(int64_t nowPs) const
{
    if (m_config.exponentialRetries >= FOR_EVER)
    {
        return false;
    }
    const auto retries =
        static_cast<uint16_t>(m_config.linearRetries + m_config.exponentialRetries);
    int64_t leftPs = nowPs - m_active->probes.LastFeedbackPs();
    for (uint16_t timeouts = 0; timeouts <= retries && leftPs >= 0; ++timeouts)
    {
        leftPs -= TimeoutPs(timeouts);
    }
    return leftPs >= 0;
}

void
Requester::TimeOut(uint64_t psn, int64_t nowPs)
{
    SentPacket& packet = m_active->window.At(psn);
    ++m_counters.timeouts;
    packet.timeouts += packet.timeouts != UINT16_MAX;
    const EvIndex path = packet.path;
    if (packet.timeouts > m_config.linearRetries + m_config.exponentialRetries &&
        m_config.exponentialRetries < FOR_EVER)
    {
        Fail(CompletionStatus::RETRY_EXCEEDED, m_queue.Find(psn), nowPs);
        return;
    }
    const uint32_t bytes = Lose(psn);
    m_active->paths->OnLost(path, nowPs);
    m_active->control->OnLoss(LossKind::TIMEOUT, nowPs, bytes);
}

void
Requester::OnTimer(int64_t nowPs)
{
    m_wakeByPs = NEVER;
    if (m_hasFailed)
    {
        Flush(CompletionStatus::FLUSHED, m_queue.BeginMsn(), nowPs);
        return;
    }
    if (!m_active || m_queue.IsEmpty())
    {
        return;
    }
    SendWindow& window = m_active->window;
    LossDetector& detector = m_active->detector;
    ProbeScheduler& probes = m_active->probes;
    int64_t wakeByPs = NEVER;

    for (uint64_t psn = detector.OldestFirstSend(window); psn != window.Next() && !m_hasFailed;
         psn = detector.OldestFirstSend(window))
    {
        const int64_t deadlinePs = window.At(psn).sentPs + TimeoutPs(0);
        if (deadlinePs > nowPs)
        {
            wakeByPs = std::min(wakeByPs, deadlinePs);
            break;
        }
        TimeOut(psn, nowPs);
    }
    bool isOutstanding = wakeByPs != NEVER;
    for (const uint64_t psn : detector.Resent())
    {
        if (m_hasFailed)
        {
            break;
        }
        if (psn < window.Base() || !window.At(psn).isOutstanding)
        {
            continue;
        }
        const int64_t deadlinePs = window.At(psn).sentPs + TimeoutPs(window.At(psn).timeouts);
        if (deadlinePs > nowPs)
        {
            wakeByPs = std::min(wakeByPs, deadlinePs);
            isOutstanding = true;
        }
        else
        {
            TimeOut(psn, nowPs);
        }
    }
    if (m_hasFailed)
    {
        return;
    }

    if (!isOutstanding)
    {
        // A responder that counts otherwise must not keep what is lost from being sent again.
        m_inflightBytes = std::min<int64_t>(m_inflightBytes, 0);
    }

    // Something is in flight, or all of a message arrived and its transport ACK did not.
    const bool isWaiting = !window.IsEmpty() || m_sendMsn > m_queue.BeginMsn();
    if (isWaiting)
    {
        if (probes.TailDeadlinePs(SilencePs()) <= nowPs)
        {
            if (IsSilentForGood(nowPs))
            {
                Fail(CompletionStatus::RETRY_EXCEEDED, m_queue.BeginMsn(), nowPs);
                return;
            }
            probes.WantTail();
        }
        wakeByPs = std::min(wakeByPs, probes.TailDeadlinePs(SilencePs()));
    }
    // A plane that is down must not keep the EVs of others from being probed.
    if (probes.EvWanted() == NO_EV || nowPs - probes.EvWantedPs() >= TimeoutPs(0))
    {
        const EvIndex path = m_active->paths->NextProbe(nowPs);
        if (path != NO_EV)
        {
            probes.WantEv(path, nowPs);
        }
    }
    wakeByPs =
        std::min(wakeByPs, std::max(m_active->paths->NextProbeDeadlinePs(), nowPs + SilencePs()));
    m_wakeByPs = wakeByPs;
}

} // namespace mrc
