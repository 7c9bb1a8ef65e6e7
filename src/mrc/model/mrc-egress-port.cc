// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-egress-port.h"

#include "mrc-clock.h"
#include "mrc-wire-size.h"

#include <ns3/abort.h>

#include <algorithm>

namespace ns3
{

namespace
{
/// @return ps per byte x 2^16 of a rate in b/s, and the other way round
uint64_t
PerByte16(uint64_t value)
{
    constexpr unsigned __int128 PS_BITS_PER_BYTE = 8'000'000'000'000;
    return static_cast<uint64_t>((PS_BITS_PER_BYTE << 16) / value);
}

/// @param bitsPerSecond rate of a link, checked @return ps per byte x 2^16
uint64_t
PsPerByte16(uint64_t bitsPerSecond)
{
    NS_ABORT_MSG_IF(bitsPerSecond < MrcEgressPort::MIN_BITS_PER_SECOND,
                    "a link of " << bitsPerSecond << " b/s is too slow: at least "
                                 << MrcEgressPort::MIN_BITS_PER_SECOND << " b/s");
    return PerByte16(bitsPerSecond);
}
} // namespace

MrcEgressPort::MrcEgressPort()
    : m_isPending(false),
      m_isUp(true),
      m_hasQueued(false),
      m_hasExtras(false)
{
}

void
MrcEgressPort::Connect(MrcPortContext* context,
                       uint16_t index,
                       MrcFrameSink* sink,
                       uint16_t sinkPort,
                       uint64_t bitsPerSecond,
                       int64_t delayPs,
                       uint64_t seed)
{
    if (m_extras != nullptr)
    {
        m_extras->context.reset(); // of the link before
    }
    m_context = context;
    m_index = index;
    m_sink = sink;
    m_sinkPort = sinkPort;
    m_random = mrc::Random(seed);
    const uint64_t psPerByte16 = PsPerByte16(bitsPerSecond);
    if (context->psPerByte16 == 0)
    {
        context->psPerByte16 = psPerByte16;
        context->delayPs = delayPs;
    }
    else if (context->psPerByte16 != psPerByte16 || context->delayPs != delayPs)
    {
        OwnContext().psPerByte16 = psPerByte16;
        OwnContext().delayPs = delayPs;
    }
}

void
MrcEgressPort::AdvanceQueued(int64_t nowPs)
{
    while (m_busyUntilPs <= nowPs)
    {
        // Strict priority: control before data.
        if (!m_control.IsEmpty())
        {
            mrc::Frame* frame = m_control.Pop();
            m_controlBytes -= frame->wireBytes;
            Commit(frame, m_busyUntilPs);
        }
        else if (!m_data.IsEmpty())
        {
            mrc::Frame* frame = m_data.Pop();
            m_dataBytes -= frame->wireBytes;
            Commit(frame, m_busyUntilPs);
        }
        else
        {
            m_hasQueued = false;
            break;
        }
    }
}

void
MrcEgressPort::Commit(mrc::Frame* frame, int64_t startPs)
{
    m_busyUntilPs = startPs + SerializationPs(frame->wireBytes);
    // A shortened delay must not let a frame overtake the one before it.
    m_lastArrivalPs = std::max(m_lastArrivalPs, m_busyUntilPs + m_context->delayPs);
    frame->whenPs = m_lastArrivalPs;
    m_wire.Push(frame);
    ++m_context->counters->sent;
    m_context->counters->sentBytes += frame->wireBytes;
    if (!m_context->traces->dequeue.IsEmpty())
    {
        m_context->traces->dequeue(m_index, *frame, MrcTime(startPs));
    }
    if (m_hasExtras && m_extras->tap != nullptr)
    {
        m_extras->tap->OnTransmit(*frame, startPs);
    }
}

void
MrcEgressPort::ScheduleArrival(int64_t nowPs)
{
    if (!m_isPending && !m_wire.IsEmpty())
    {
        m_isPending = true;
        MrcSchedule(this, m_wire.Front()->whenPs, nowPs);
    }
}

void
MrcEgressPort::Transmit(mrc::Frame* frame, int64_t nowPs)
{
    Commit(frame, nowPs);
    ScheduleArrival(nowPs);
}

void
MrcEgressPort::Enqueue(mrc::Frame* frame, int64_t nowPs)
{
    if (!m_isUp)
    {
        Drop(frame, MrcDropReason::LINK_DOWN, nowPs);
        return;
    }
    if (Advance(nowPs) <= nowPs)
    {
        Commit(frame, nowPs);
    }
    else
    {
        Queue(frame, nowPs);
    }
    ScheduleArrival(nowPs);
}

void
MrcEgressPort::Queue(mrc::Frame* frame, int64_t nowPs)
{
    const MrcQueueLimits& limits = m_context->limits;
    if (!frame->Has(mrc::Frame::CONTROL))
    {
        const uint32_t queued = m_dataBytes;
        const uint8_t dscp = frame->Dscp();
        const bool isTrimmable = limits.isTrimming && (dscp == limits.dscp.trimmable ||
                                                       dscp == limits.dscp.trimmableRetx);
        if (isTrimmable && queued + frame->wireBytes > limits.trimBytes)
        {
            Trim(frame, nowPs); // goes on as control
        }
        else if (queued + frame->wireBytes > limits.dataBytes)
        {
            Drop(frame, MrcDropReason::DATA_FULL, nowPs);
            return;
        }
        else
        {
            //= MRC-REF 4 Switch, RED by queue length at enqueue
            if (queued > limits.ecnMinBytes && limits.ecnMaxProbability != 0 &&
                mrc::EcnOf(frame->trafficClass) != mrc::NOT_ECT)
            {
                // At EcnMax and above, also when it equals EcnMin: the whole probability.
                const bool isFull = queued >= limits.ecnMaxBytes;
                const uint64_t over = isFull ? 1 : queued - limits.ecnMinBytes;
                const uint64_t span = isFull ? 1 : limits.ecnMaxBytes - limits.ecnMinBytes;
                const uint64_t draw = m_random.Below(UINT16_MAX + 1);
                if (draw * span < over * limits.ecnMaxProbability)
                {
                    frame->trafficClass |= mrc::CE;
                    ++m_context->counters->marked;
                    if (!m_context->traces->mark.IsEmpty())
                    {
                        m_context->traces->mark(m_index, *frame, MrcTime(nowPs));
                    }
                }
            }
            m_dataBytes += frame->wireBytes;
            m_data.Push(frame);
            m_hasQueued = true;
            if (!m_context->traces->enqueue.IsEmpty())
            {
                m_context->traces->enqueue(m_index, *frame, MrcTime(nowPs));
            }
            return;
        }
    }
    if (m_controlBytes + frame->wireBytes > limits.controlBytes)
    {
        Drop(frame, MrcDropReason::CONTROL_FULL, nowPs);
        return;
    }
    m_controlBytes += frame->wireBytes;
    m_control.Push(frame);
    m_hasQueued = true;
    if (!m_context->traces->enqueue.IsEmpty())
    {
        m_context->traces->enqueue(m_index, *frame, MrcTime(nowPs));
    }
}

//= MRC-REF 2 ICRC, trimming, encapsulation
void
MrcEgressPort::Trim(mrc::Frame* frame, int64_t nowPs)
{
    const MrcQueueLimits& limits = m_context->limits;
    frame->flags |= mrc::Frame::TRIMMED | mrc::Frame::CONTROL;
    uint8_t dscp = limits.dscp.trimmed;
    if (limits.isToHost)
    {
        frame->flags |= mrc::Frame::TRIMMED_LASTHOP;
        dscp = limits.dscp.trimmedLastHop;
    }
    frame->trafficClass = mrc::MakeTrafficClass(dscp, mrc::EcnOf(frame->trafficClass));
    frame->wireBytes = std::min(frame->wireBytes, mrc::FrameWireBytes(limits.trimToBytes));
    ++m_context->counters->trimmed;
    if (!m_context->traces->trim.IsEmpty())
    {
        m_context->traces->trim(m_index, *frame, MrcTime(nowPs));
    }
}

void
MrcEgressPort::Drop(mrc::Frame* frame, MrcDropReason reason, int64_t whenPs)
{
    m_context->counters->CountDrop(reason, *frame);
    if (!m_context->traces->drop.IsEmpty())
    {
        m_context->traces->drop(m_index, *frame, reason, MrcTime(whenPs));
    }
    m_context->pool->Release(frame);
}

void
MrcEgressPort::Run(int64_t nowPs)
{
    Advance(nowPs);
    mrc::Frame* frame = m_wire.Front();
    if (frame == nullptr || frame->whenPs != nowPs)
    {
        return; // what this event was for was lost with the link; later frames have their own
    }
    m_isPending = false;
    m_wire.Pop();
    ScheduleArrival(nowPs);
    if (!m_hasExtras || Survives(frame, nowPs))
    {
        m_sink->Receive(frame, m_sinkPort, nowPs);
    }
}

void
MrcEgressPort::Prefetch(uint32_t step) const
{
    constexpr size_t CACHE_LINE_BYTES = 64;
    const mrc::Frame* first = m_wire.Front();
    switch (step)
    {
    case 0:
        __builtin_prefetch(reinterpret_cast<const char*>(this) + CACHE_LINE_BYTES, 1);
        __builtin_prefetch(m_sink);
        __builtin_prefetch(reinterpret_cast<const char*>(m_sink) + CACHE_LINE_BYTES);
        if (first != nullptr)
        {
            __builtin_prefetch(first, 1);
            __builtin_prefetch(&first->write, 1);
        }
        return;
    case 1:
        if (m_hasQueued)
        {
            m_data.Prefetch();
            __builtin_prefetch(m_context);
        }
        if (first != nullptr)
        {
            __builtin_prefetch(first->next, 1);
            m_sink->Prefetch(*first, m_sinkPort, 0);
        }
        return;
    case 2:
        if (first != nullptr)
        {
            m_sink->Prefetch(*first, m_sinkPort, 1);
        }
        return;
    default:
        if (first != nullptr)
        {
            m_sink->Prefetch(*first, m_sinkPort, 2);
        }
    }
}

bool
MrcEgressPort::Survives(mrc::Frame* frame, int64_t nowPs)
{
    if (m_extras->lossThreshold != 0 && (m_extras->random.Next() >> 32) < m_extras->lossThreshold)
    {
        Drop(frame, MrcDropReason::LINK_LOSS, nowPs);
        return false;
    }
    if (m_extras->corruptThreshold != 0 &&
        (m_extras->random.Next() >> 32) < m_extras->corruptThreshold)
    {
        frame->flags |= mrc::Frame::CORRUPT;
    }
    return true;
}

void
MrcEgressPort::Flush(mrc::FrameFifo& fifo, int64_t nowPs)
{
    while (!fifo.IsEmpty())
    {
        Drop(fifo.Pop(), MrcDropReason::LINK_DOWN, nowPs);
    }
}

void
MrcEgressPort::SetUp(bool isUp, int64_t nowPs)
{
    if (isUp == m_isUp)
    {
        return;
    }
    Advance(nowPs);
    m_isUp = isUp;
    if (!isUp)
    {
        Flush(m_wire, nowPs);
        Flush(m_control, nowPs);
        Flush(m_data, nowPs);
        m_controlBytes = 0;
        m_dataBytes = 0;
        m_hasQueued = false;
        m_busyUntilPs = nowPs;
        m_lastArrivalPs = nowPs;
        // The event of the lost frames stays in the simulator and finds nothing to do: after the
        // link is up again, a frame can arrive before it.
        m_isPending = false;
    }
}

void
MrcEgressPort::SetRate(uint64_t bitsPerSecond, int64_t nowPs)
{
    Advance(nowPs);
    OwnContext().psPerByte16 = PsPerByte16(bitsPerSecond);
}

void
MrcEgressPort::SetDelay(int64_t delayPs, int64_t nowPs)
{
    Advance(nowPs);
    OwnContext().delayPs = delayPs;
}

uint64_t
MrcEgressPort::BitsPerSecond() const
{
    return PerByte16(m_context->psPerByte16);
}

void
MrcEgressPort::SetLimits(const MrcQueueLimits& limits)
{
    OwnContext().limits = limits;
}

void
MrcEgressPort::SetCounters(MrcPortCounters* counters)
{
    OwnContext().counters = counters;
}

MrcPortContext&
MrcEgressPort::OwnContext()
{
    if (Extras().context == nullptr)
    {
        Extras().context = std::make_unique<MrcPortContext>(*m_context);
        m_context = Extras().context.get();
    }
    return *m_context;
}

MrcPortExtras&
MrcEgressPort::Extras()
{
    if (m_extras == nullptr)
    {
        m_extras = std::make_unique<MrcPortExtras>();
        m_hasExtras = true;
    }
    return *m_extras;
}

void
MrcEgressPort::SetImpairment(double loss, double corrupt, uint64_t seed)
{
    constexpr double SCALE = 4294967296.0;
    Extras().lossThreshold = static_cast<uint64_t>(loss * SCALE);
    Extras().corruptThreshold = static_cast<uint64_t>(corrupt * SCALE);
    Extras().random = mrc::Random(seed);
}

void
MrcEgressPort::SetTap(MrcPortTap* tap)
{
    Extras().tap = tap;
}

} // namespace ns3
