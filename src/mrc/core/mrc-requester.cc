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
/// How long a work request that is posted in ERROR waits to be flushed, ps. An application that
/// posts again from each completion lets time go on.
constexpr int64_t FLUSH_DELAY_PS = 1'000'000;

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
    m_queue.Post(request);
    if (m_hasFailed)
    {
        m_wakeByPs = std::min(m_wakeByPs, nowPs + FLUSH_DELAY_PS);
    }
    else if (m_active && m_wakeByPs == NEVER)
    {
        // Retired EVs are probed only while there is something to send.
        m_wakeByPs = std::max(nowPs, m_active->paths->NextProbeDeadlinePs());
    }
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
        if (MayResend())
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
    if (!paths.IsPlaneUp(plane))
    {
        return false;
    }
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
    const bool isLost = MayResend();
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
        m_sentBytes += bytes;
        m_wimmInFlight += message.request.hasImmediate && psn == message.firstPsn;
        m_sendMsn += psn + 1 == message.EndPsn();
    }
    ++m_counters.dataSent;
    m_inflightBytes += bytes;
    m_wakeByPs = std::min(m_wakeByPs, nowPs + std::min(SilencePs(), m_config.AckTimeoutPs()));
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
Requester::Fail(CompletionStatus status, uint64_t msn, int64_t nowPs)
{
    if (m_hasFailed)
    {
        return;
    }
    m_hasFailed = true;
    m_inflightBytes = 0;
    m_host.OnQpError(nowPs);
    Flush(status, msn, nowPs);
}

// What completions post is flushed in OnTimer(): neither a recursion nor a loop without end.
void
Requester::Flush(CompletionStatus status, uint64_t msn, int64_t nowPs)
{
    m_wakeByPs = NEVER;
    const uint64_t end = m_queue.EndMsn();
    while (m_queue.BeginMsn() < end)
    {
        const bool isCause = m_queue.BeginMsn() == msn;
        const uint64_t id = m_queue.At(m_queue.BeginMsn()).request.id;
        m_queue.Pop();
        ++m_counters.messagesFailed;
        m_host.OnCompletion({id, nowPs, isCause ? status : CompletionStatus::FLUSHED});
    }
}

void
Requester::ToError(int64_t nowPs)
{
    if (!m_hasFailed)
    {
        m_hasFailed = true;
        m_inflightBytes = 0;
        Flush(CompletionStatus::FLUSHED, m_queue.BeginMsn(), nowPs);
    }
}

} // namespace mrc
