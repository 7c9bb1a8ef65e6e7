// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-responder.h"

#include "mrc-psn.h"
#include "mrc-timestamp.h"
#include "mrc-wire-size.h"

#include <algorithm>

namespace mrc
{

namespace
{
/// A packet counts at least this much towards the SACK threshold, bytes.
//= MRC-REF 4 Responder, SACK triggers
constexpr uint32_t MIN_SACK_COUNT_BYTES = 1024;

/// @return when a WRITE or a probe was sent
uint16_t
Timestamp(const Frame& trigger)
{
    return trigger.opcode == Opcode::RELIABILITY_PROBE ? trigger.probe.txTimestamp
                                                       : trigger.write.tseth.txTimestamp;
}
} // namespace

Responder::Responder(const TransportConfig& config,
                     const QpSetup& setup,
                     MemoryTable& memory,
                     EndpointCounters& counters,
                     ResponderHost& host)
    : m_config(config),
      m_counters(counters),
      m_memory(memory),
      m_host(host),
      m_setup(setup),
      m_window(FirstPsn(setup.receivePsn), config.mprUnits * MPR_UNIT_PSNS),
      m_unreportedPsn(m_window.Expected()),
      m_isLimited(config.maxBitmaps != 0 || config.maxStash != 0 || config.packetBufferBytes != 0),
      m_mprUnits(config.mprUnits),
      m_mtuBytes(static_cast<uint16_t>(std::min<uint32_t>(config.mtuBytes, setup.mtuBytes)))
{
}

bool
Responder::PostReceive(uint64_t id)
{
    if (!m_hasFailed)
    {
        m_immediates.Push(Stashed{id, 0, 0, 0, false, false});
    }
    return !m_hasFailed;
}

void
Responder::SetMpr(uint8_t units)
{
    m_mprUnits = units;
    m_window.SetWidth(units * MPR_UNIT_PSNS);
}

uint8_t
Responder::OnWrite(const Frame& frame, int64_t nowPs)
{
    const uint64_t psn = ExtendPsn(m_window.Expected(), frame.psn);
    const ReceiveWindow::Verdict verdict = m_window.Check(psn);
    if (verdict == ReceiveWindow::Verdict::OUTSIDE)
    {
        //= MRC-REF 2 NACK, out-of-window packets: silent drop by default
        ++m_counters.outOfWindow;
        m_nackReason = NackCode::PSN_OOR_WINDOW;
        return m_config.nackOutOfWindow && !m_hasFailed ? REPLY_NACK : REPLY_NONE;
    }
    if (m_hasFailed)
    {
        m_counters.unknownQp += !frame.Has(Frame::TRIMMED); // which was counted by the switch
        return ReplyInError();
    }
    if (frame.Has(Frame::TRIMMED))
    {
        ++m_counters.trimsReceived;
        if (!m_config.trimNack)
        {
            return REPLY_NONE; // the peer was told; it learns of the loss from SACKs
        }
        m_nackReason =
            frame.Has(Frame::TRIMMED_LASTHOP) ? NackCode::TRIMMED_LASTHOP : NackCode::TRIMMED;
        return verdict == ReceiveWindow::Verdict::FRESH ? REPLY_NACK : REPLY_SACK;
    }
    if (verdict == ReceiveWindow::Verdict::DUPLICATE)
    {
        //= MRC-REF 4 Responder, duplicates are not written
        ++m_counters.duplicates;
        return psn < m_window.Expected() ? REPLY_SACK | REPLY_ACK : REPLY_SACK;
    }

    if (m_isLimited && !TakeResources(frame, psn, nowPs))
    {
        ++m_counters.resourceNacks;
        return REPLY_NACK;
    }
    if (frame.payloadBytes > m_mtuBytes)
    {
        ++m_counters.accessErrors;
        return Refuse(AETH_NAK_INVALID_REQUEST, frame.psn, nowPs);
    }
    const bool hasImmediate = HasImmediate(frame.opcode);
    const uint64_t rqmsn =
        hasImmediate ? ExtendMsn(m_immediates.Begin(), frame.write.meth.rqmsn) : 0;
    if (hasImmediate && !CanStash(rqmsn))
    {
        //= MRC-REF 2 WriteIMM overflow = NAK invalid request, fatal
        ++m_counters.accessErrors;
        return Refuse(AETH_NAK_INVALID_REQUEST, frame.psn, nowPs);
    }
    const Reth& reth = frame.write.reth;
    if (frame.payloadBytes != 0)
    {
        const AccessResult access = m_memory.Write(
            reth.rKey, reth.va, reth.dmaBytes, frame.write.payload, frame.payloadBytes);
        if (access != AccessResult::OK)
        {
            ++m_counters.accessErrors;
            const bool isFault = access == AccessResult::FAULT;
            return Refuse(
                isFault ? AETH_NAK_REMOTE_OPERATION : AETH_NAK_REMOTE_ACCESS, frame.psn, nowPs);
        }
    }
    if (hasImmediate)
    {
        Stash(frame, psn, rqmsn);
    }
    ++m_counters.dataReceived;
    // Not duplicates: the requester took a packet off its bytes in flight when it sent it again.
    m_receivedBytes += frame.payloadBytes;
    const uint32_t completed = m_window.Receive(psn, IsLast(frame.opcode));
    m_completed += completed;
    m_counters.messagesArrived += completed;
    if (completed != 0 && !m_immediates.IsEmpty())
    {
        DeliverImmediates(nowPs);
    }
    if (m_holdsBitmap && m_window.OutOfOrderCount() == 0)
    {
        m_holdsBitmap = false;
        m_memory.Pool().ReturnBitmap();
    }

    //= MRC-REF 4 Responder, SACK triggers
    m_sackBytes += std::max<uint32_t>(frame.payloadBytes, MIN_SACK_COUNT_BYTES);
    uint8_t replies = REPLY_NONE;
    if (m_sackBytes > m_config.sackThresholdBytes || frame.Has(Frame::ACK_REQUEST) ||
        frame.IsMarked() || frame.Has(Frame::RETRANSMISSION))
    {
        replies |= REPLY_SACK;
    }
    if (completed != 0)
    {
        replies |= REPLY_SACK | REPLY_ACK;
    }
    if ((replies & REPLY_SACK) == 0)
    {
        // A SACK names its trigger. If retransmissions took the bitmap back to their old PSNs,
        // newer arrivals would stay unreported as long as there are any, and look lost.
        m_unreportedPsn = std::min(m_unreportedPsn, psn);
    }
    return replies;
}

uint8_t
Responder::OnProbe(const Frame& frame)
{
    (void)frame;
    if (m_hasFailed)
    {
        return ReplyInError();
    }
    return m_completed != 0 ? REPLY_SACK | REPLY_ACK : REPLY_SACK;
}

//= MRC-REF 4 Responder, a packet may be SACKed and its message NAKed later
uint8_t
Responder::Refuse(uint8_t syndrome, uint32_t psn, int64_t nowPs)
{
    m_nakSyndrome = syndrome;
    m_nakPsn = psn;
    Close(nowPs);
    m_host.OnQpError(nowPs);
    return REPLY_ACK;
}

void
Responder::ToError(int64_t nowPs)
{
    if (!m_hasFailed)
    {
        Close(nowPs);
    }
}

void
Responder::Close(int64_t nowPs)
{
    m_hasFailed = true; // nothing can be posted from here on
    ReturnResources();
    while (!m_immediates.IsEmpty())
    {
        const uint64_t rqmsn = m_immediates.Begin();
        const uint64_t id = m_immediates.Front().id;
        m_immediates.Pop();
        if (m_config.postedReceives)
        {
            m_host.OnReceiveCompletion({nowPs, rqmsn, 0, 0, id, CompletionStatus::FLUSHED});
        }
    }
}

bool
Responder::TakeResources(const Frame& frame, uint64_t psn, int64_t nowPs)
{
    //= MRC-REF 2 NACK, NO_BITMAP, NO_PKT_BUFFER and NO_RESOURCE are retriable
    ReceivePool& pool = m_memory.Pool();
    const bool isAhead = psn != m_window.Expected();
    const bool needsBitmap = isAhead && !m_holdsBitmap;
    const bool needsStash = isAhead && HasImmediate(frame.opcode);
    if (needsBitmap && !pool.TakeBitmap(m_config))
    {
        m_nackReason = NackCode::NO_BITMAP;
        Press(nowPs);
        return false;
    }
    m_holdsBitmap |= needsBitmap;
    bool isEnough = !needsStash || pool.TakeStash(m_config);
    m_nackReason = NackCode::NO_RESOURCE;
    if (isEnough)
    {
        m_stashed += needsStash;
        isEnough = pool.TakeBuffer(m_config, frame.payloadBytes, nowPs);
        m_nackReason = NackCode::NO_PKT_BUFFER;
        if (!isEnough)
        {
            m_stashed -= needsStash;
            pool.ReturnStash(needsStash);
        }
    }
    if (!isEnough && needsBitmap)
    {
        m_holdsBitmap = false;
        pool.ReturnBitmap();
    }
    if (!isEnough || pool.IsBufferFilling(m_config, nowPs))
    {
        Press(nowPs);
    }
    else if (m_pressedPs >= 0)
    {
        Relax(nowPs);
    }
    return isEnough;
}

void
Responder::ReturnResources()
{
    ReceivePool& pool = m_memory.Pool();
    pool.ReturnStash(m_stashed);
    m_stashed = 0;
    if (m_holdsBitmap)
    {
        m_holdsBitmap = false;
        pool.ReturnBitmap();
    }
}

//= MRC-REF 2 SACK, rcv_cwnd_pen and r_c
void
Responder::Press(int64_t nowPs)
{
    if (m_config.cwndPenalty != 0)
    {
        m_pressedPs = nowPs;
        m_cwndPenalty = m_config.cwndPenalty;
        m_isRestoring = false;
    }
}

void
Responder::Relax(int64_t nowPs)
{
    // A penalty holds for a round trip without shortage; r_c is said until it cannot get lost.
    constexpr int64_t RESTORE_BASE_RTTS = 8;
    const int64_t agePs = nowPs - m_pressedPs;
    if (m_cwndPenalty != 0 && agePs >= m_config.baseRttPs)
    {
        m_pressedPs = nowPs;
        m_cwndPenalty = 0;
        m_isRestoring = true;
    }
    else if (m_cwndPenalty == 0 && agePs >= RESTORE_BASE_RTTS * m_config.baseRttPs)
    {
        m_pressedPs = -1;
        m_isRestoring = false;
    }
}

// The NAK may be lost, so it is said again; without one the peer learns that the QP is gone.
uint8_t
Responder::ReplyInError()
{
    m_nackReason = NackCode::UNEXP_EVENT;
    return m_nakSyndrome != AETH_ACK ? REPLY_ACK : REPLY_NACK;
}

bool
Responder::CanStash(uint64_t rqmsn) const
{
    const uint64_t begin = m_immediates.Begin();
    if (rqmsn < begin || rqmsn - begin >= m_config.maxWimm)
    {
        return false;
    }
    return rqmsn < m_immediates.End() ? !m_immediates.At(rqmsn).isPresent
                                      : !m_config.postedReceives;
}

void
Responder::Stash(const Frame& frame, uint64_t psn, uint64_t rqmsn)
{
    while (m_immediates.End() <= rqmsn)
    {
        m_immediates.Push(Stashed{0, 0, 0, 0, false, false}); // implied
    }
    Stashed& entry = m_immediates.At(rqmsn);
    entry.endPsn = psn + 1;
    entry.immediate = frame.write.immediate;
    entry.bytes = frame.write.reth.dmaBytes;
    entry.isPresent = true;
    entry.isPooled = m_isLimited && psn != m_window.Expected();
}

//= MRC-REF 4 Responder, WriteIMM completes in RQMSN order after all earlier messages
void
Responder::DeliverImmediates(int64_t nowPs)
{
    while (!m_immediates.IsEmpty() && m_immediates.Front().isPresent &&
           m_immediates.Front().endPsn <= m_window.Expected())
    {
        const Stashed stashed = m_immediates.Front();
        const uint64_t rqmsn = m_immediates.Begin();
        m_immediates.Pop();
        if (stashed.isPooled)
        {
            --m_stashed;
            m_memory.Pool().ReturnStash(1);
        }
        m_host.OnReceiveCompletion({nowPs,
                                    rqmsn,
                                    stashed.immediate,
                                    stashed.bytes,
                                    stashed.id,
                                    CompletionStatus::SUCCESS});
    }
}

void
Responder::Fill(Reply reply, const Frame& trigger, Frame& answer, int64_t servicePs)
{
    switch (reply)
    {
    case REPLY_SACK:
        FillSack(trigger, answer, servicePs);
        break;
    case REPLY_NACK: {
        ++m_counters.nacksSent;
        const uint16_t timestamp = Timestamp(trigger); // the answer may take the trigger's place
        FillCommon(Opcode::NACK, trigger, answer);
        answer.nack = Nack{m_nackReason,
                           0,
                           NACK_CC_TYPE,
                           0,
                           trigger.ev,
                           trigger.psn,
                           static_cast<uint16_t>(m_setup.localQp),
                           static_cast<uint16_t>(m_setup.remoteQp),
                           timestamp};
        break;
    }
    case REPLY_ACK:
        ++m_counters.acksSent;
        FillCommon(Opcode::ACKNOWLEDGE, trigger, answer);
        if (m_nakSyndrome != AETH_ACK)
        {
            answer.psn = m_nakPsn;
        }
        answer.ack = Aeth{m_nakSyndrome, static_cast<uint32_t>(m_completed & PSN_MASK)};
        break;
    default:
        break;
    }
}

void
Responder::FillCommon(Opcode opcode, const Frame& trigger, Frame& answer) const
{
    answer.next = nullptr;
    answer.ev = trigger.ev;
    answer.destinationQp = m_setup.remoteQp;
    answer.psn = trigger.psn;
    answer.payloadBytes = 0;
    answer.flags = Frame::CONTROL;
    answer.flags |= m_setup.isEncapsulated ? Frame::ENCAPSULATED : 0;
    answer.trafficClass = MakeTrafficClass(m_config.dscp.control, NOT_ECT);
    answer.opcode = opcode;
    answer.wireBytes = FrameWireBytes(FrameL2Bytes(opcode, false, m_setup.isEncapsulated, 0));
}

//= MRC-REF 2 SACK
void
Responder::FillSack(const Frame& trigger, Frame& answer, int64_t servicePs)
{
    ++m_counters.sacksSent;
    const bool isProbe = trigger.opcode == Opcode::RELIABILITY_PROBE;
    const uint64_t expected = m_window.Expected();
    const uint64_t highestEnd = m_window.HighestEnd();
    const uint64_t triggerPsn = isProbe ? expected - 1 : ExtendPsn(expected, trigger.psn);
    // A very late duplicate may lie further back than the field reaches.
    const auto triggerOffset =
        std::max<int64_t>(static_cast<int64_t>(triggerPsn - (expected - 1)), INT16_MIN);
    Sack sack{};
    sack.mark = trigger.IsMarked() ? SackMark::SKIP_ONCE : SackMark::NONE;
    sack.probeResponse = isProbe;
    sack.ackPsnOffset =
        isProbe ? static_cast<int16_t>(trigger.probe.probeId) : static_cast<int16_t>(triggerOffset);
    sack.entropy = trigger.ev;
    sack.spdcid = static_cast<uint16_t>(m_setup.localQp);
    sack.dpdcid = static_cast<uint16_t>(m_setup.remoteQp);
    sack.cackPsn = (expected - 1) & PSN_MASK;
    sack.mpr = m_config.dynamicMpr && m_setup.isDynamicMpr ? m_mprUnits : 0;
    //= MRC-REF 2 SACK, tx_timestamp reflected, service time removed
    sack.txTimestamp = Timestamp(trigger);
    if (m_config.serviceTime)
    {
        sack.txTimestamp += static_cast<uint16_t>(servicePs / TIMESTAMP_UNIT_PS);
    }
    sack.cwndPenalty = m_cwndPenalty;
    sack.restoreCwnd = m_isRestoring;
    sack.oooCount = static_cast<uint16_t>(std::min(m_window.OutOfOrderCount(), 0x7fffu));
    sack.receivedUnits256 =
        ((m_receivedBytes + SACK_RECEIVED_UNIT_BYTES - 1) / SACK_RECEIVED_UNIT_BYTES) & PSN_MASK;

    uint64_t base = expected;
    m_sackBytes = 0;
    if (highestEnd > expected + SACK_BITMAP_BITS)
    {
        const uint64_t newest = highestEnd - SACK_BITMAP_BITS;
        base = m_config.sackReportsAll ? std::clamp(m_unreportedPsn, expected, newest) : newest;
    }
    m_unreportedPsn = m_window.NextReceived(base + SACK_BITMAP_BITS);
    if (m_unreportedPsn < highestEnd)
    {
        m_sackBytes = m_config.sackThresholdBytes; // the next arrival reports the rest
    }
    sack.sackOffset = static_cast<int16_t>(base - (expected - 1));
    sack.bitmap = m_window.Bitmap(base);

    FillCommon(Opcode::SACK, trigger, answer);
    answer.psn = sack.cackPsn;
    answer.sack = sack;
}

} // namespace mrc
