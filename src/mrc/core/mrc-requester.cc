// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-requester.h"

#include "mrc-psn.h"
#include "mrc-timestamp.h"
#include "mrc-wire-size.h"

#include <algorithm>

namespace mrc
{

namespace
{
/// TransportConfig::exponentialRetries that never end.
constexpr uint8_t FOR_EVER = 25;

/// @return WRITEs with immediate that both ends allow in flight
uint16_t
MaxWimm(const TransportConfig& config, const QpSetup& setup)
{
    const uint32_t remote = setup.remoteMaxWimm != 0 ? setup.remoteMaxWimm : UINT16_MAX;
    return static_cast<uint16_t>(std::min(config.maxWimm, remote));
}
} // namespace

Requester::Active::Active(RequesterHost& host, uint64_t firstPsn)
    : control(host.CreateCongestionControl()),
      paths(host.CreatePathSelector()),
      window(firstPsn),
      detector(paths->Size(), firstPsn)
{
    lost.reserve(SACK_BITMAP_BITS);
}

Requester::Requester(const TransportConfig& config,
                     const QpSetup& setup,
                     EndpointCounters& counters,
                     RequesterHost& host)
    : m_config(config),
      m_counters(counters),
      m_host(host),
      m_setup(setup),
      m_queue(FirstPsn(setup.sendPsn), std::min<uint32_t>(config.mtuBytes, setup.mtuBytes)),
      m_windowPsns(setup.remoteMprUnits * MPR_UNIT_PSNS),
      m_maxWimm(MaxWimm(config, setup)),
      m_dataTrafficClass(
          MakeTrafficClass(setup.isTrimmable ? config.dscp.trimmable : config.dscp.noTrim, ECT0))
{
}

void
Requester::Post(const WorkRequest& request, int64_t nowPs)
{
    ++m_counters.messagesPosted;
    if (m_hasFailed)
    {
        ++m_counters.messagesFailed;
        m_host.OnCompletion({request.id, nowPs, CompletionStatus::FLUSHED});
        return;
    }
    m_queue.Post(request);
    if (m_active && m_wakeByPs == NEVER)
    {
        // Retired EVs are probed only while there is something to send.
        m_wakeByPs = std::max(nowPs, m_active->paths->NextProbeDeadlinePs());
    }
}

int64_t
Requester::OldAgePs() const
{
    return m_active->ages.LimitPs(m_active->control->BaseRttPs() + m_config.targetDelayPs +
                                  m_config.reorderGuardPs);
}

int64_t
Requester::SilencePs() const
{
    return m_config.probeAfterBaseRtts * m_active->control->BaseRttPs();
}

//= MRC-REF 4 Requester, window
bool
Requester::MaySendNew() const
{
    if (m_queue.EndPsn() == (m_active ? m_active->window.Next() : FirstPsn(m_setup.sendPsn)))
    {
        return false;
    }
    if (!m_active)
    {
        return true;
    }
    const SendWindow& window = m_active->window;
    if (window.Next() - window.Base() >= m_windowPsns)
    {
        return false;
    }
    const SendMessage& message = m_queue.At(m_sendMsn);
    return !message.request.hasImmediate || window.Next() != message.firstPsn ||
           m_wimmInFlight < m_maxWimm;
}

bool
Requester::HasWork() const
{
    if (m_hasFailed)
    {
        return false;
    }
    if (m_active)
    {
        const ProbeScheduler& probes = m_active->probes;
        if (probes.IsTailWanted() || probes.EvWanted() != NO_EV)
        {
            return true;
        }
        if (m_inflightBytes > 0 && InflightBytes() >= m_active->control->CwndBytes())
        {
            return false;
        }
        if (m_active->window.LostCount() != 0)
        {
            return true;
        }
    }
    return MaySendNew();
}

bool
Requester::IsLastBeforeSack(uint32_t bytes) const
{
    // With a small window the responder's byte counter may never reach the SACK threshold.
    return InflightBytes() <= m_config.sackThresholdBytes + bytes &&
           InflightBytes() + m_queue.MtuBytes() > m_active->control->CwndBytes();
}

bool
Requester::NextFrame(int64_t nowPs, uint8_t plane, Frame& frame)
{
    m_isSittingOut = false;
    if (!HasWork())
    {
        return false;
    }
    if (!m_active)
    {
        m_active = std::make_unique<Active>(m_host, FirstPsn(m_setup.sendPsn));
        m_sendMsn = m_queue.BeginMsn();
    }
    PathSelector& paths = *m_active->paths;
    ProbeScheduler& probes = m_active->probes;
    if (probes.EvWanted() != NO_EV && paths.Plane(probes.EvWanted()) == plane)
    {
        FillProbe(frame, probes.EvWanted(), nowPs);
        return true;
    }
    if (probes.IsTailWanted())
    {
        const EvIndex path = paths.Next(plane, NO_EV);
        if (path != NO_EV)
        {
            FillProbe(frame, path, nowPs);
            return true;
        }
    }

    SendWindow& window = m_active->window;
    const bool isLost = window.LostCount() != 0;
    if (!isLost && !MaySendNew())
    {
        return false;
    }
    const uint64_t psn = isLost ? window.FirstLost() : window.Next();
    const uint64_t msn = isLost ? m_queue.Find(psn) : m_sendMsn;
    const SendMessage& message = m_queue.At(msn);
    const uint32_t bytes = m_queue.PayloadBytes(message, psn);
    if (m_inflightBytes > 0 && InflightBytes() + bytes > m_active->control->CwndBytes())
    {
        return false;
    }
    if (paths.TakeTurnOff(plane))
    {
        m_isSittingOut = true;
        return false;
    }
    //= MRC-REF 4 Requester, retransmission takes another EV
    const EvIndex path = paths.Next(plane, isLost ? window.At(psn).path : NO_EV);
    if (path == NO_EV)
    {
        return false;
    }

    if (window.IsEmpty())
    {
        probes.OnFeedback(nowPs); // the silence starts now
    }
    SentPacket& packet = isLost ? window.Resend(psn) : window.Append();
    packet.sentPs = nowPs;
    packet.path = path;
    if (isLost)
    {
        m_active->detector.OnResent(psn);
        ++m_counters.retransmitted;
    }
    else
    {
        m_active->detector.OnSent(window, psn);
        m_wimmInFlight += message.request.hasImmediate && psn == message.firstPsn;
        m_sendMsn += psn + 1 == message.EndPsn();
    }
    ++m_counters.dataSent;
    m_inflightBytes += bytes;
    m_wakeByPs = std::min(m_wakeByPs, nowPs + std::min(SilencePs(), TimeoutPs(0)));
    FillWrite(frame, psn, msn, nowPs, paths.Value(path));
    if (IsLastBeforeSack(bytes))
    {
        frame.flags |= Frame::ACK_REQUEST;
    }
    if (isLost)
    {
        frame.flags |= Frame::RETRANSMISSION;
        if (m_setup.isTrimmable)
        {
            frame.trafficClass = MakeTrafficClass(m_config.dscp.trimmableRetx, ECT0);
        }
    }
    return true;
}

void
Requester::FillWrite(Frame& frame, uint64_t psn, uint64_t msn, int64_t nowPs, uint32_t ev) const
{
    const SendMessage& message = m_queue.At(msn);
    const WorkRequest& request = message.request;
    const uint64_t offset = (psn - message.firstPsn) * m_queue.MtuBytes();
    const uint32_t bytes = m_queue.PayloadBytes(message, psn);
    const bool isLast = psn + 1 == message.EndPsn();
    Opcode opcode = Opcode::WRITE_MIDDLE;
    if (message.packets == 1)
    {
        opcode = request.hasImmediate ? Opcode::WRITE_ONLY_IMM : Opcode::WRITE_ONLY;
    }
    else if (isLast)
    {
        opcode = request.hasImmediate ? Opcode::WRITE_LAST_IMM : Opcode::WRITE_LAST;
    }
    else if (psn == message.firstPsn)
    {
        opcode = Opcode::WRITE_FIRST;
    }

    frame.next = nullptr;
    frame.ev = ev;
    frame.destinationQp = m_setup.remoteQp;
    frame.psn = psn & PSN_MASK;
    frame.payloadBytes = static_cast<uint16_t>(bytes);
    frame.flags = Frame::HAS_TIMESTAMP;
    frame.flags |= isLast ? Frame::ACK_REQUEST : 0;
    frame.flags |= m_setup.isEncapsulated ? Frame::ENCAPSULATED : 0;
    frame.trafficClass = m_dataTrafficClass;
    frame.opcode = opcode;
    frame.wireBytes = FrameWireBytes(FrameL2Bytes(opcode, true, m_setup.isEncapsulated, bytes));
    frame.write.meth.msn = static_cast<uint16_t>(msn);
    frame.write.meth.rqmsn = static_cast<uint16_t>(message.rqmsn);
    frame.write.tseth = Tseth{MakeTimestamp(nowPs), 0, TIMESTAMP_FTYPE};
    frame.write.reth = Reth{request.remoteVa + offset, request.remoteKey, request.bytes};
    frame.write.immediate = request.immediate;
    frame.write.payload = request.payload == nullptr ? nullptr : request.payload + offset;
}

//= MRC-REF 2 PETH
void
Requester::FillProbe(Frame& frame, EvIndex path, int64_t nowPs)
{
    ++m_counters.probesSent;
    frame.next = nullptr;
    frame.ev = m_active->paths->Value(path);
    frame.destinationQp = m_setup.remoteQp;
    frame.psn = 0; // a probe consumes no PSN
    frame.payloadBytes = 0;
    frame.flags = m_setup.isEncapsulated ? Frame::ENCAPSULATED : 0;
    frame.trafficClass = MakeTrafficClass(m_config.dscp.noTrim, ECT0);
    frame.opcode = Opcode::RELIABILITY_PROBE;
    frame.wireBytes = FrameWireBytes(FrameL2Bytes(frame.opcode, false, m_setup.isEncapsulated, 0));
    frame.probe = Peth{0,
                       0,
                       TIMESTAMP_FTYPE,
                       m_active->probes.OnSent(nowPs, path),
                       static_cast<uint16_t>(m_setup.localQp),
                       static_cast<uint16_t>(m_setup.remoteQp),
                       MakeTimestamp(nowPs)};
    m_wakeByPs = std::min(m_wakeByPs, nowPs + SilencePs());
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
            Receive(first + static_cast<unsigned>(__builtin_ctzll(bits)), end, nowPs);
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

    const uint64_t first = end - 1 + static_cast<int64_t>(sack.sackOffset);
    const EvIndex ev = paths.Find(sack.entropy);
    if (sack.probeResponse)
    {
        const ProbeScheduler::Probe probe =
            m_active->probes.Take(static_cast<uint16_t>(sack.ackPsnOffset));
        if (probe.sentPs >= 0)
        {
            m_active->detector.OnProbeReceived(probe.path, probe.sentPs);
            paths.OnProbeAnswered(probe.path, sack.mark != SackMark::NONE, nowPs);
        }
    }
    else
    {
        const uint64_t trigger = end - 1 + static_cast<int64_t>(sack.ackPsnOffset);
        if (window.NewlyReceived(trigger, 1) != 0)
        {
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
        Receive(first + static_cast<unsigned>(__builtin_ctzll(bits)), first, nowPs);
    }
    ReceiveBelow(end, nowPs);

    const uint64_t newBytes = OnReceivedUnits(sack.receivedUnits256);
    if (sack.mpr != 0 && m_setup.isDynamicMpr)
    {
        m_windowPsns = sack.mpr * MPR_UNIT_PSNS;
    }
    m_active->control->OnSack({nowPs,
                               TimestampAgePs(nowPs, sack.txTimestamp),
                               sack.mark == SackMark::SKIP_ONCE,
                               newBytes,
                               InflightBytes(),
                               sack.cwndPenalty,
                               sack.restoreCwnd});
    m_active->detector.FindLost(window, nowPs - OldAgePs(), m_active->lost);
    LoseInferred(nowPs);
    if (window.IsEmpty())
    {
        m_inflightBytes = 0; // forget what was rounded
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

void
Requester::OnNack(const Frame& frame, int64_t nowPs)
{
    const Nack& nack = frame.nack;
    if (!m_active || m_hasFailed)
    {
        ++m_counters.unexpected;
        return;
    }
    if (nack.reason == NackCode::UNEXP_EVENT)
    {
        Fail(CompletionStatus::REMOTE_OPERATION, nowPs);
        return;
    }
    const SendWindow& window = m_active->window;
    const uint64_t psn = ExtendPsn(window.Base(), nack.nackPsn);
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
    if (complete > m_queue.BeginMsn())
    {
        ReceiveBelow(std::max(m_active->window.Base(), m_queue.At(complete - 1).EndPsn()), nowPs);
        LoseInferred(nowPs);
        if (m_active->window.IsEmpty())
        {
            m_inflightBytes = 0;
        }
        CompleteBelow(complete, nowPs);
    }
    switch (frame.ack.syndrome)
    {
    case AETH_ACK:
        break;
    case AETH_NAK_REMOTE_ACCESS:
        Fail(CompletionStatus::REMOTE_ACCESS, nowPs);
        break;
    case AETH_NAK_INVALID_REQUEST:
        Fail(CompletionStatus::REMOTE_INVALID, nowPs);
        break;
    default:
        Fail(CompletionStatus::REMOTE_OPERATION, nowPs);
        break;
    }
}

void
Requester::CompleteBelow(uint64_t msn, int64_t nowPs)
{
    while (m_queue.BeginMsn() < msn)
    {
        const WorkRequest request = m_queue.At(m_queue.BeginMsn()).request;
        m_wimmInFlight -= request.hasImmediate;
        m_queue.Pop();
        ++m_counters.messagesDone;
        m_host.OnCompletion({request.id, nowPs, CompletionStatus::SUCCESS});
    }
}

void
Requester::Fail(CompletionStatus status, int64_t nowPs)
{
    m_hasFailed = true;
    m_wakeByPs = NEVER;
    m_inflightBytes = 0;
    while (!m_queue.IsEmpty())
    {
        const uint64_t id = m_queue.At(m_queue.BeginMsn()).request.id;
        m_queue.Pop();
        ++m_counters.messagesFailed;
        m_host.OnCompletion({id, nowPs, status});
        status = CompletionStatus::FLUSHED;
    }
}

//= MRC-REF 1 ACK timeout
int64_t
Requester::TimeoutPs(uint16_t timeouts) const
{
    const int doublings = timeouts > m_config.linearRetries ? timeouts - m_config.linearRetries : 0;
    return m_config.AckTimeoutPs() << std::min(doublings, 20);
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
    ++packet.timeouts;
    const EvIndex path = packet.path;
    if (packet.timeouts > m_config.linearRetries + m_config.exponentialRetries &&
        m_config.exponentialRetries < FOR_EVER)
    {
        Fail(CompletionStatus::RETRY_EXCEEDED, nowPs);
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
    if (m_hasFailed || !m_active || m_queue.IsEmpty())
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

    // Something is in flight, or all of a message arrived and its transport ACK did not.
    const bool isWaiting = !window.IsEmpty() || m_sendMsn > m_queue.BeginMsn();
    if (isWaiting)
    {
        if (probes.TailDeadlinePs(SilencePs()) <= nowPs)
        {
            if (IsSilentForGood(nowPs))
            {
                Fail(CompletionStatus::RETRY_EXCEEDED, nowPs);
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
