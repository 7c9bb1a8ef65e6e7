// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-nic.h"

#include "mrc-bth.h"
#include "mrc-clock.h"
#include "mrc-frame-codec.h"
#include "mrc-frame-srh.h"
#include "mrc-loop-probe.h"
#include "mrc-raw-bytes.h"
#include "mrc-wire-size.h"

#include <ns3/abort.h>
#include <ns3/log.h>
#include <ns3/string.h>
#include <ns3/trace-source-accessor.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MrcNic");
NS_OBJECT_ENSURE_REGISTERED(MrcNic);

namespace
{
/// Hop limit of the outer header.
//= MRC-REF 2 ICRC, trimming, encapsulation
constexpr uint8_t HOP_LIMIT = 64;
} // namespace

/// The event of a port that becomes free with more to send.
class MrcNic::PortFree final : public MrcFabricEvent
{
  public:
    /// @param nic the owner @param port the port @param plane of the port
    PortFree(MrcNic& nic, const MrcEgressPort* port, uint8_t plane)
        : m_nic(nic),
          m_port(port),
          m_plane(plane)
    {
    }

    /// @return whether the event waits for the port
    bool IsPending() const
    {
        return m_isPending;
    }

    /// Run when the port is free. @param whenPs that time @param nowPs the present
    void Schedule(int64_t whenPs, int64_t nowPs)
    {
        m_isPending = true;
        MrcSchedule(this, whenPs, nowPs);
    }

    void Run(int64_t nowPs) override
    {
        m_isPending = false;
        m_nic.Drive(m_plane, nowPs);
    }

    void Prefetch(uint32_t step) const override
    {
        constexpr size_t CACHE_LINE_BYTES = 64;
        const MrcQp* next = step == 0 ? nullptr : m_nic.m_ready.Front();
        switch (step)
        {
        case 0:
            __builtin_prefetch(m_port, 1);
            __builtin_prefetch(reinterpret_cast<const char*>(m_port) + CACHE_LINE_BYTES, 1);
            __builtin_prefetch(&m_nic.m_ports);
            __builtin_prefetch(&m_nic.m_ready, 1);
            return;
        case 1:
            m_port->PrefetchQueues();
            if (next != nullptr)
            {
                next->PrefetchRequester();
            }
            return;
        default:
            if (next != nullptr)
            {
                next->requester.Prefetch(step - 2);
            }
        }
    }

  private:
    MrcNic& m_nic;               //!< owner
    const MrcEgressPort* m_port; //!< fetched without a look at the owner
    uint8_t m_plane;             //!< of the port
    bool m_isPending{false};     //!< in the simulator
};

TypeId
MrcNic::GetTypeId()
{
    static TypeId tid = MrcPortTraces::AddTo(
        TypeId("ns3::MrcNic")
            .SetParent<Object>()
            .SetGroupName("Mrc")
            .AddConstructor<MrcNic>()
            .AddAttribute("Latency",
                          "Between memory and wire, once when sending and once when receiving.",
                          // text: read when an object is made, at picosecond resolution
                          StringValue("2138200ps"),
                          MakeTimeAccessor(&MrcNic::m_latency),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("Completion",
                            "A work request ended.",
                            MakeTraceSourceAccessor(&MrcNic::m_completionTrace),
                            "ns3::MrcNic::CompletionTracedCallback")
            .AddTraceSource("PortState",
                            "A port went down or came up.",
                            MakeTraceSourceAccessor(&MrcNic::m_portStateTrace),
                            "ns3::MrcNic::PortStateTracedCallback")
            .AddTraceSource("EvState",
                            "An EV of a QP changed its state.",
                            MakeTraceSourceAccessor(&MrcNic::m_evTrace),
                            "ns3::MrcNic::EvTracedCallback")
            .AddTraceSource("EvProbe",
                            "An EV_PROBE was answered, or not in time.",
                            MakeTraceSourceAccessor(&MrcNic::m_evProbeTrace),
                            "ns3::MrcNic::EvProbeTracedCallback")
            .AddTraceSource("PeerPorts",
                            "A peer said which of its ports are reachable, and that is new.",
                            MakeTraceSourceAccessor(&MrcNic::m_peerPortsTrace),
                            "ns3::MrcNic::PeerPortsTracedCallback"));
    return tid;
}

MrcNic::MrcNic()
{
    NS_LOG_FUNCTION(this);
}

MrcNic::~MrcNic()
{
    NS_LOG_FUNCTION(this);
}

void
MrcNic::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_ports.Clear();
    m_portFree.clear();
    m_qps.clear();
    m_endpointOps.reset();
    m_fabric = nullptr;
    m_profile = nullptr;
    m_application = nullptr;
    Object::DoDispose();
}

void
MrcNic::Configure(Ptr<MrcFabric> fabric, Ptr<MrcProfile> profile, uint32_t index, uint64_t seed)
{
    NS_LOG_FUNCTION(this << index << seed);
    m_fabric = fabric;
    m_profile = profile;
    m_index = index;
    m_seed = seed;
    m_context.pool = &fabric->Pool();
    m_context.counters = &m_portCounters;
    m_context.traces = this;
    m_fullFrameBytes = mrc::FrameWireBytes(mrc::FrameL2Bytes(
        mrc::Opcode::WRITE_MIDDLE, true, profile->IsSrv6(), profile->Transport().mtuBytes));
    const uint32_t planes = fabric->Plan().Usids().Clos().Planes();
    m_ports.Make(static_cast<uint16_t>(planes));
    for (uint8_t plane = 0; plane < planes; ++plane)
    {
        m_portFree.push_back(Create<PortFree>(*this, &m_ports[plane], plane));
    }
    m_firstPort = static_cast<uint8_t>(index % planes);
    m_endpointOps = std::make_unique<MrcEndpointOps>(*this, seed);
}

void
MrcNic::Connect(uint8_t plane, MrcFrameSink* sink, uint16_t sinkPort, DataRate rate, Time delay)
{
    NS_ABORT_MSG_IF(plane >= m_ports.Size(), "nic-" << m_index << " has no plane " << +plane);
    m_ports[plane].Connect(&m_context,
                           plane,
                           sink,
                           sinkPort,
                           rate.GetBitRate(),
                           delay.GetPicoSeconds(),
                           m_seed + plane);
}

uint32_t
MrcNic::CreateQp(uint32_t peer, const mrc::QpSetup& setup)
{
    NS_LOG_FUNCTION(this << peer << setup.localQp << setup.remoteQp);
    NS_ABORT_MSG_IF(setup.localQp != NextQp(), "QPNs are given out in order");
    m_qps.push_back(Create<MrcQp>(*this,
                                  setup,
                                  peer,
                                  m_fabric->Plan().Template(m_index, peer),
                                  m_fabric->Addresses().NicAddress(peer),
                                  m_seed * 0x100000001b3 + setup.localQp));
    m_endpointOps->OnQp(*m_qps.back(), MrcNowPs());
    return setup.localQp;
}

void
MrcNic::Post(uint32_t qp, const mrc::WorkRequest& request)
{
    NS_LOG_FUNCTION(this << qp << request.id << request.bytes);
    const int64_t nowPs = MrcNowPs();
    MrcQp& pair = Qp(qp);
    pair.requester.Post(request, nowPs);
    Wake(pair, nowPs);
    pair.ArmTimer(nowPs);
}

void
MrcNic::SetPortUp(uint8_t plane, bool isUp)
{
    const int64_t nowPs = MrcNowPs();
    m_ports[plane].SetUp(isUp, nowPs);
    m_portStateTrace(plane, isUp);
    m_endpointOps->OnPort(plane, isUp, nowPs);
    Pump(nowPs);
}

uint16_t
MrcNic::ProbeEv(uint32_t peer, uint8_t plane, uint32_t ev, Time timeout)
{
    return m_endpointOps->Probe({peer, 0, ev, plane, timeout.GetPicoSeconds()});
}

void
MrcNic::Wake(MrcQp& qp, int64_t nowPs)
{
    if (qp.requester.HasWork())
    {
        if (!qp.isReady)
        {
            qp.isReady = true;
            m_ready.Push(qp);
        }
        Pump(nowPs);
    }
}

void
MrcNic::Pump(int64_t nowPs)
{
    const auto count = static_cast<uint8_t>(m_ports.Size());
    for (uint8_t i = 0; i < count && !m_ready.IsEmpty(); ++i)
    {
        const uint8_t plane = m_firstPort;
        m_firstPort = plane + 1 == count ? 0 : plane + 1;
        if (!m_portFree[plane]->IsPending() && m_ports[plane].IsUp())
        {
            Drive(plane, nowPs);
        }
    }
}

void
MrcNic::Drive(uint8_t plane, int64_t nowPs)
{
    MrcEgressPort& port = m_ports[plane];
    if (!port.IsUp() || m_ready.IsEmpty())
    {
        return;
    }
    int64_t freePs = port.Advance(nowPs);
    if (freePs <= nowPs)
    {
        bool isSittingOut = false;
        if (Pull(plane, nowPs, isSittingOut))
        {
            freePs = port.Advance(nowPs);
        }
        else if (isSittingOut)
        {
            freePs = nowPs + port.SerializationPs(m_fullFrameBytes);
        }
        else
        {
            return;
        }
    }
    if (!m_ready.IsEmpty())
    {
        m_portFree[plane]->Schedule(freePs, nowPs);
    }
}

bool
MrcNic::Pull(uint8_t plane, int64_t nowPs, bool& isSittingOut)
{
    mrc::Frame* frame = m_fabric->Pool().Allocate();
    for (size_t left = m_ready.Size(); left > 0; --left)
    {
        MrcQp& qp = *m_ready.Front();
        m_ready.Pop();
        const bool hasFrame = qp.requester.NextFrame(nowPs, plane, *frame);
        qp.isReady = qp.requester.HasWork();
        if (qp.isReady)
        {
            m_ready.Push(qp); // round robin
        }
        if (hasFrame)
        {
            qp.reverse.OnSent();
            Address(qp, *frame, plane);
            m_ports[plane].Transmit(frame, nowPs);
            qp.ArmTimer(nowPs);
            return true;
        }
        isSittingOut |= qp.requester.IsSittingOut();
    }
    m_fabric->Pool().Release(frame);
    return false;
}

void
MrcNic::Address(MrcQp& qp, mrc::Frame& frame, uint8_t plane) const
{
    frame.source = m_index;
    frame.destination = qp.Peer();
    frame.plane = plane;
    frame.hopLimit = HOP_LIMIT;
    qp.Route(frame);
}

bool
MrcNic::IsForUs(const mrc::Frame& frame, uint16_t port) const
{
    const mrc::UsidPlan& usids = m_fabric->Plan().Usids();
    if (frame.Has(mrc::Frame::ENCAPSULATED))
    {
        //= MRC-REF 3 the NIC decapsulates: its own uSID is the last of the list
        const uint64_t own = uint64_t{usids.Block()} << 32 | uint64_t{usids.NicUsid(port, m_index)}
                                                                 << 16;
        const bool isLastSegment = !frame.Has(mrc::Frame::HAS_SRH) || frame.segmentsLeft == 0;
        return frame.daHigh == own && frame.daLow == 0 && isLastSegment &&
               frame.destination == m_index;
    }
    return frame.destination == m_index;
}

void
MrcNic::Drop(mrc::Frame* frame, uint16_t port, MrcDropReason reason, int64_t nowPs)
{
    m_portCounters.CountDrop(reason, *frame);
    drop(port, *frame, reason, MrcTime(nowPs));
    m_fabric->Pool().Release(frame);
}

void
MrcNic::Receive(mrc::Frame* frame, uint16_t port, int64_t nowPs)
{
    if (!IsForUs(*frame, port))
    {
        Drop(frame, port, MrcDropReason::NOT_FOR_US, nowPs);
        return;
    }
    if (frame->Has(mrc::Frame::HAS_BYTES))
    {
        ReceiveRaw(frame, port, nowPs);
        return;
    }
    if (frame->Has(mrc::Frame::TRIMMED) && !mrc::IsTrimAnswerable(*frame))
    {
        Drop(frame, port, MrcDropReason::CUT_SHORT, nowPs);
        return;
    }
    if (frame->Has(mrc::Frame::CORRUPT) && !frame->Has(mrc::Frame::TRIMMED))
    {
        ++m_counters.corrupt;
        Drop(frame, port, MrcDropReason::BAD_ICRC, nowPs);
        return;
    }
    const uint32_t index = frame->destinationQp - FIRST_QP;
    if (frame->destinationQp == mrc::ENDPOINT_QP && mrc::IsEndpointOp(frame->opcode) &&
        frame->source != m_index)
    {
        m_endpointOps->Receive(frame, static_cast<uint8_t>(port), nowPs);
        return;
    }
    if (index >= m_qps.size() || m_qps[index]->Peer() != frame->source)
    {
        ReceiveWithoutQp(frame, port, nowPs);
        return;
    }
    MrcQp& qp = *m_qps[index];
    if (mrc::IsWrite(frame->opcode))
    {
        // The QPs of a NIC share one probe per base RTT: 32 answers each RTT would take 3 % of a
        // port under incast.
        const auto share = static_cast<int64_t>(m_qps.size());
        if (m_profile->Endpoint().reverseProbes &&
            qp.reverse.OnReceived(nowPs, m_profile->Transport().baseRttPs * share))
        {
            m_endpointOps->ProbeReverse(qp, nowPs);
        }
        Answer(qp, qp.responder.OnWrite(*frame, nowPs), frame, port, nowPs);
        return;
    }
    switch (frame->opcode)
    {
    case mrc::Opcode::RELIABILITY_PROBE:
        Answer(qp, qp.responder.OnProbe(*frame), frame, port, nowPs);
        return;
    case mrc::Opcode::SACK:
        qp.requester.OnSack(*frame, nowPs);
        break;
    case mrc::Opcode::NACK:
        qp.requester.OnNack(*frame, nowPs);
        break;
    case mrc::Opcode::ACKNOWLEDGE:
        qp.requester.OnAck(*frame, nowPs);
        break;
    default:
        ++m_counters.unexpected;
        break;
    }
    m_fabric->Pool().Release(frame);
    Wake(qp, nowPs);
    qp.ArmTimer(nowPs);
}

void
MrcNic::ReceiveRaw(mrc::Frame* frame, uint16_t port, int64_t nowPs)
{
    mrc::Frame* decoded = m_fabric->Pool().Allocate();
    mrc::FrameAddresses addresses{};
    mrc::DecodeInfo info{};
    mrc::DecodeOptions options;
    options.dscp = m_profile->Transport().dscp;
    const size_t count = mrc::WriteRaw(*frame);
    mrc::DamageRaw(*frame, count);
    const mrc::DecodeError error =
        mrc::DecodeFrame(frame->raw->data, count, *decoded, addresses, info, options);
    const mrc::AddressPlan& plan = m_fabric->Addresses();
    const auto source = plan.FindNic(addresses.innerSource);
    if (error != mrc::DecodeError::OK || plan.FindNic(addresses.innerDestination) != m_index ||
        !source)
    {
        ++m_counters.unexpected;
        decoded->flags = 0; // decoding may have stopped anywhere
        m_fabric->Pool().Release(decoded);
        m_fabric->Pool().Release(frame);
        return;
    }
    decoded->source = *source;
    decoded->destination = m_index;
    decoded->plane = static_cast<uint8_t>(port);
    Receive(decoded, port, nowPs); // its payload is in the bytes of the other
    m_fabric->Pool().Release(frame);
}

void
MrcNic::ReceiveWithoutQp(mrc::Frame* frame, uint16_t port, int64_t nowPs)
{
    if (m_loopSink != nullptr && mrc::IsLoopProbe(*frame))
    {
        m_loopSink->OnLoop(m_index, static_cast<uint8_t>(port), *frame, nowPs);
    }
    else
    {
        ++m_counters.unknownQp;
    }
    m_fabric->Pool().Release(frame);
}

void
MrcNic::SendLoop(uint8_t plane, uint16_t requestId, const mrc::UsidCarrier& path)
{
    const int64_t nowPs = MrcNowPs();
    mrc::Frame* frame = m_fabric->Pool().Allocate();
    mrc::FillLoopProbe(*frame, requestId, path, plane, m_profile->Transport().dscp, nowPs);
    frame->source = m_index;
    frame->destination = m_index;
    frame->plane = plane;
    frame->hopLimit = HOP_LIMIT;
    m_ports[plane].Enqueue(frame, nowPs);
}

void
MrcNic::Resume(MrcQp& qp)
{
    const int64_t nowPs = MrcNowPs();
    Wake(qp, nowPs);
    qp.ArmTimer(nowPs);
}

void
MrcNic::Prefetch(const mrc::Frame& frame, uint16_t /* port */, uint32_t step) const
{
    const uint32_t index = frame.destinationQp - FIRST_QP;
    if (index >= m_qps.size())
    {
        return;
    }
    if (step == 0)
    {
        __builtin_prefetch(&m_qps[index]);
        return;
    }
    const MrcQp& qp = *m_qps[index];
    const bool isRequest = mrc::IsWrite(frame.opcode);
    if (step == 1)
    {
        isRequest ? qp.PrefetchResponder() : qp.PrefetchRequester();
    }
    else if (isRequest)
    {
        qp.responder.Prefetch(frame);
    }
    else
    {
        qp.requester.Prefetch(0);
    }
}

void
MrcNic::Answer(MrcQp& qp, uint8_t replies, mrc::Frame* trigger, uint16_t port, int64_t nowPs)
{
    while (replies != mrc::Responder::REPLY_NONE)
    {
        const auto reply = static_cast<mrc::Responder::Reply>(replies & (0u - replies));
        replies &= replies - 1;
        mrc::Frame* answer = trigger;
        if (replies != mrc::Responder::REPLY_NONE)
        {
            answer = m_fabric->Pool().Allocate();
        }
        else
        {
            trigger = nullptr; // the last answer takes its place
        }
        qp.responder.Fill(reply, trigger == nullptr ? *answer : *trigger, *answer);
        auto plane = static_cast<uint8_t>(port);
        if (m_profile->Endpoint().keepReverseEv || !qp.reverse.IsPlaneUp(plane))
        {
            plane = m_endpointOps->Reroute(qp, *answer, plane);
        }
        Address(qp, *answer, plane);
        m_ports[plane].Enqueue(answer, nowPs);
    }
    if (trigger != nullptr)
    {
        m_fabric->Pool().Release(trigger);
    }
}

} // namespace ns3
