// SPDX-License-Identifier: GPL-2.0-only
// What a requester makes of SACKs, NACKs and transport ACKs.
#include "mrc-psn.h"
#include "mrc-requester.h"
#include "mrc-timestamp.h"

#include <algorithm>

namespace mrc
{

namespace
{
/// @return how a message ends that was refused with a NAK
CompletionStatus
NakStatus(uint8_t syndrome)
{
    switch (syndrome)
    {
    case AETH_NAK_REMOTE_ACCESS:
        return CompletionStatus::REMOTE_ACCESS;
    case AETH_NAK_INVALID_REQUEST:
        return CompletionStatus::REMOTE_INVALID;
    default:
        return CompletionStatus::REMOTE_OPERATION;
    }
}
} // namespace

int64_t
Requester::OldAgePs() const
{
    return m_active->ages.LimitPs(m_active->control->BaseRttPs() + m_config.targetDelayPs +
                                  m_config.reorderGuardPs);
}

void
Requester::Receive(uint64_t psn, uint64_t reportedFrom, int64_t nowPs)
{
    constexpr int64_t EPOCH_BASE_RTTS = 8;
    m_active->ages.OnReceived(
        nowPs, nowPs - m_active->window.At(psn).sentPs, EPOCH_BASE_RTTS * m_config.baseRttPs);
    if (m_active->window.LostCount() != 0 && m_active->window.IsLost(psn))
    {
        m_inflightBytes += m_queue.PayloadBytes(m_queue.At(m_queue.Find(psn)), psn);
    }
    m_active->window.MarkReceived(psn);
    m_active->detector.OnReceived(m_active->window, psn, reportedFrom, m_active->lost);
}

void
Requester::ReceiveBelow(uint64_t end, int64_t nowPs)
{
    SendWindow& window = m_active->window;
    for (uint64_t first = window.Base(); first < end; first += SACK_BITMAP_BITS)
    {
        const uint64_t width = std::min<uint64_t>(end - first, SACK_BITMAP_BITS);
        const uint64_t all = width == SACK_BITMAP_BITS ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
        for (uint64_t bits = window.NewlyReceived(first, all); bits != 0; bits &= bits - 1)
        {
            const uint64_t psn = first + static_cast<unsigned>(__builtin_ctzll(bits));
            m_active->paths->OnUnmarked(window.At(psn).path, 1, nowPs);
            Receive(psn, end, nowPs);
        }
    }
    window.AdvanceTo(end);
}

// In flight are the bytes of outstanding packets less what the responder counted before it said
// which packets they were. A packet taken for lost that had arrived makes the sum negative until
// its bit is seen, never by more than what is taken for lost and one unit.
uint64_t
Requester::OnReceivedUnits(uint32_t units256)
{
    // rcvd_bytes counts modulo 2^24; what seems to go backwards comes from an older SACK.
    uint32_t newUnits = (units256 - m_receivedUnits256) & PSN_MASK;
    if (newUnits > PSN_MASK / 2)
    {
        newUnits = 0;
        ++m_counters.staleFeedback;
    }
    m_receivedUnits256 = (m_receivedUnits256 + newUnits) & PSN_MASK;
    const uint64_t newBytes = uint64_t{newUnits} * SACK_RECEIVED_UNIT_BYTES;
    const int64_t surplus =
        int64_t{m_active->window.LostCount()} * m_queue.MtuBytes() + SACK_RECEIVED_UNIT_BYTES;
    m_inflightBytes = std::max(m_inflightBytes - static_cast<int64_t>(newBytes), -surplus);
    return newBytes;
}

// All that was sent has arrived, and the responder counts each byte once. A transport ACK may say
// so before the SACK that does; its bytes must not be taken off what is sent next.
void
Requester::SettleInflight()
{
    const auto units256 = static_cast<uint32_t>(
        (m_sentBytes + SACK_RECEIVED_UNIT_BYTES - 1) / SACK_RECEIVED_UNIT_BYTES & PSN_MASK);
    m_inflightBytes = 0;
    if (((units256 - m_receivedUnits256) & PSN_MASK) <= PSN_MASK / 2)
    {
        // What the last unit was rounded up by pays for the next bytes: no SACK will.
        m_receivedUnits256 = units256;
        const auto rest = static_cast<int64_t>(m_sentBytes % SACK_RECEIVED_UNIT_BYTES);
        m_inflightBytes = rest == 0 ? 0 : rest - int64_t{SACK_RECEIVED_UNIT_BYTES};
    }
}

void
Requester::OnSack(const Frame& frame, int64_t nowPs)
{
    const Sack& sack = frame.sack;
    if (!m_active || m_hasFailed)
    {
        ++m_counters.unexpected;
        return;
    }
    SendWindow& window = m_active->window;
    PathSelector& paths = *m_active->paths;
    const uint64_t end = ExtendPsn(window.Base(), sack.cackPsn) + 1;
    if (end > window.Next())
    {
        ++m_counters.unexpected; // acknowledges what was never sent
        return;
    }
    m_active->probes.OnFeedback(nowPs);

    int64_t sentPs = nowPs; // when what is acknowledged left, as far as that is known
    const uint64_t first = end - 1 + static_cast<int64_t>(sack.sackOffset);
    const EvIndex ev = paths.Find(sack.entropy);
    if (sack.probeResponse)
    {
        const ProbeScheduler::Probe probe =
            m_active->probes.Take(static_cast<uint16_t>(sack.ackPsnOffset));
        if (probe.sentPs >= 0)
        {
            sentPs = probe.sentPs;
            m_active->detector.OnHeard(probe.path, probe.sentPs);
            paths.OnProbeAnswered(probe.path, sack.mark != SackMark::NONE, nowPs);
        }
    }
    else
    {
        const uint64_t trigger = end - 1 + static_cast<int64_t>(sack.ackPsnOffset);
        if (window.NewlyReceived(trigger, 1) != 0)
        {
            const SentPacket& packet = window.At(trigger);
            sentPs = packet.sentPs;
            if (packet.isRetransmission && packet.path == ev)
            {
                m_active->detector.OnHeard(ev, packet.sentPs);
            }
            if (sack.mark == SackMark::NONE)
            {
                paths.OnUnmarked(packet.path, 1, nowPs);
            }
            // Beyond the bitmap, packets before the trigger may have arrived.
            Receive(trigger, trigger >= first + SACK_BITMAP_BITS ? trigger : first, nowPs);
        }
    }
    if (ev != NO_EV && sack.mark == SackMark::SKIP_ONCE)
    {
        paths.OnMarked(ev, nowPs);
    }
    else if (ev != NO_EV && sack.mark == SackMark::ALWAYS_SKIP)
    {
        paths.OnAlwaysSkip(ev, nowPs);
    }

    for (uint64_t bits = window.NewlyReceived(first, sack.bitmap); bits != 0; bits &= bits - 1)
    {
        // Each mark has a SACK of its own, so only the trigger can be marked.
        const uint64_t psn = first + static_cast<unsigned>(__builtin_ctzll(bits));
        paths.OnUnmarked(window.At(psn).path, 1, nowPs);
        Receive(psn, first, nowPs);
    }
    ReceiveBelow(end, nowPs);

    const uint64_t staleBefore = m_counters.staleFeedback;
    const uint64_t newBytes = OnReceivedUnits(sack.receivedUnits256);
    const bool isStale = m_counters.staleFeedback != staleBefore;
    // A SACK that was overtaken says less of the present than what overtook it.
    if (sack.mpr != 0 && m_setup.isDynamicMpr && !isStale)
    {
        m_windowPsns = sack.mpr * MPR_UNIT_PSNS;
    }
    // Beyond its range the time stamp would tell a long round trip as a short one.
    const bool isInRange = nowPs - sentPs < TIMESTAMP_RANGE_PS;
    const int64_t rttPs = isInRange ? TimestampAgePs(nowPs, sack.txTimestamp) : -1;
    m_active->control->OnSack({nowPs,
                               rttPs,
                               sack.mark == SackMark::SKIP_ONCE,
                               newBytes,
                               InflightBytes(),
                               sack.cwndPenalty,
                               sack.restoreCwnd});
    m_active->detector.FindLost(window,
                                nowPs - OldAgePs(),
                                {first, isStale ? first : first + SACK_BITMAP_BITS},
                                m_active->lost);
    LoseInferred(nowPs);
    if (window.IsEmpty())
    {
        SettleInflight();
    }
}

uint32_t
Requester::Lose(uint64_t psn)
{
    m_active->window.MarkLost(psn);
    const uint32_t bytes = m_queue.PayloadBytes(m_queue.At(m_queue.Find(psn)), psn);
    m_inflightBytes -= bytes;
    return bytes;
}

void
Requester::LoseInferred(int64_t nowPs)
{
    SendWindow& window = m_active->window;
    for (const uint64_t psn : m_active->lost)
    {
        // One SACK can name a packet twice, or name it before its own bit is read.
        if (psn >= window.Base() && window.At(psn).isOutstanding)
        {
            ++m_counters.inferredLosses;
            const EvIndex path = window.At(psn).path;
            const uint32_t bytes = Lose(psn);
            m_active->paths->OnLost(path, nowPs);
            m_active->control->OnLoss(LossKind::INFERRED, nowPs, bytes);
        }
    }
    if (!m_active->lost.empty())
    {
        m_active->lost.clear();
        m_wakeByPs = std::min(m_wakeByPs, m_active->paths->NextProbeDeadlinePs());
    }
}

uint64_t
Requester::MessageOf(uint64_t psn) const
{
    const uint64_t oldest = m_queue.BeginMsn();
    const bool isSent =
        !m_queue.IsEmpty() && psn >= m_queue.At(oldest).firstPsn && psn < m_active->window.Next();
    return isSent ? m_queue.Find(psn) : oldest;
}

void
Requester::OnNack(const Frame& frame, int64_t nowPs)
{
    const Nack& nack = frame.nack;
    if (!m_active || m_hasFailed)
    {
        ++m_counters.unexpected;
        return;
    }
    const SendWindow& window = m_active->window;
    const uint64_t psn = ExtendPsn(window.Base(), nack.nackPsn);
    if (nack.reason == NackCode::UNEXP_EVENT)
    {
        Fail(CompletionStatus::REMOTE_OPERATION, MessageOf(psn), nowPs);
        return;
    }
    if (!IsRetriable(nack.reason) || psn >= window.Next())
    {
        ++m_counters.unexpected;
        return;
    }
    const bool isTrim =
        nack.reason == NackCode::TRIMMED || nack.reason == NackCode::TRIMMED_LASTHOP;
    m_counters.trimNacks += isTrim;
    m_active->probes.OnFeedback(nowPs);
    const EvIndex ev = m_active->paths->Find(nack.entropy);
    if (ev != NO_EV && nack.reason == NackCode::TRIMMED)
    {
        m_active->paths->OnTrimmed(ev, nowPs);
    }
    // A NACK for a transmission that was already replaced must not lose its successor.
    if (psn < window.Base() || !window.At(psn).isOutstanding || window.At(psn).path != ev)
    {
        ++m_counters.staleFeedback;
        return;
    }
    const uint32_t bytes = Lose(psn);
    if (isTrim)
    {
        const bool isLastHop = nack.reason == NackCode::TRIMMED_LASTHOP;
        m_active->control->OnLoss(
            isLastHop ? LossKind::TRIM_LASTHOP : LossKind::TRIM, nowPs, bytes);
    }
}

//= MRC-REF 2 Request headers, AETH.MSN
void
Requester::OnAck(const Frame& frame, int64_t nowPs)
{
    if (!m_active || m_hasFailed)
    {
        ++m_counters.unexpected;
        return;
    }
    const uint64_t complete = ExtendMsn(m_queue.BeginMsn(), static_cast<uint16_t>(frame.ack.msn));
    if (complete > m_sendMsn)
    {
        ++m_counters.unexpected; // completes what was not sent in full
        return;
    }
    m_active->probes.OnFeedback(nowPs);
    const uint64_t psn = ExtendPsn(m_active->window.Base(), frame.psn);
    if (complete > m_queue.BeginMsn())
    {
        ReceiveBelow(std::max(m_active->window.Base(), m_queue.At(complete - 1).EndPsn()), nowPs);
        LoseInferred(nowPs);
        if (m_active->window.IsEmpty())
        {
            SettleInflight();
        }
        CompleteBelow(complete, nowPs);
    }
    if (frame.ack.syndrome != AETH_ACK)
    {
        // The PSN tells which message was refused, perhaps long after it was SACKed.
        Fail(NakStatus(frame.ack.syndrome), MessageOf(psn), nowPs);
    }
}

} // namespace mrc
