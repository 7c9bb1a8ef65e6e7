// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-endpoint-ops.h"

#include "mrc-clock.h"
#include "mrc-fabric-event.h"
#include "mrc-nic.h"
#include "mrc-qp-paths.h"

#include <algorithm>

namespace ns3
{

namespace
{
/// Hop limit of the outer header.
//= MRC-REF 2 ICRC, trimming, encapsulation
constexpr uint8_t HOP_LIMIT = 64;
} // namespace

class MrcEndpointOps::Timer final : public MrcFabricEvent
{
  public:
    /// @param ops the owner
    explicit Timer(MrcEndpointOps& ops)
        : m_ops(ops)
    {
    }

    void Run(int64_t nowPs) override
    {
        m_ops.OnTimer(nowPs);
    }

    void Prefetch(uint32_t /* step */) const override
    {
    }

  private:
    MrcEndpointOps& m_ops; //!< owner
};

MrcEndpointOps::MrcEndpointOps(MrcNic& nic, uint64_t seed)
    : m_nic(nic),
      m_agent(nic.Profile().Endpoint(),
              nic.Profile().Transport().dscp,
              nic.PortCount(),
              nic.m_counters.op,
              *this),
      m_random(seed),
      m_timer(Create<Timer>(*this)),
      m_armedPs(mrc::EndpointAgent::NEVER)
{
}

MrcEndpointOps::~MrcEndpointOps() = default;

void
MrcEndpointOps::OnPort(uint8_t plane, bool isUp, int64_t nowPs)
{
    if ((m_agent.OwnMask() >> plane & 1) == uint32_t{isUp})
    {
        return;
    }
    std::vector<uint32_t> peers;
    for (const Ptr<MrcQp>& qp : m_nic.m_qps)
    {
        if (qp->Peer() != m_nic.m_index)
        {
            peers.push_back(qp->Peer());
        }
    }
    std::sort(peers.begin(), peers.end());
    peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
    m_agent.SetOwnPort(plane, isUp, peers, nowPs);
    for (const Ptr<MrcQp>& qp : m_nic.m_qps)
    {
        RefreshPlanes(*qp, nowPs);
    }
    Flush(nowPs);
}

void
MrcEndpointOps::OnQp(MrcQp& qp, int64_t nowPs)
{
    RefreshPlanes(qp, nowPs);
    if (m_agent.OwnMask() != m_agent.AllPlanes() && qp.Peer() != m_nic.m_index)
    {
        m_agent.Notify(qp.Peer(), nowPs);
        Flush(nowPs);
    }
}

void
MrcEndpointOps::RefreshPlanes(MrcQp& qp, int64_t nowPs)
{
    const uint32_t up = m_agent.OwnMask() & m_agent.PeerMask(qp.Peer());
    const uint32_t down = m_agent.AllPlanes() & ~up;
    const uint32_t changed = down ^ qp.reverse.DownPlanes();
    if (changed == 0)
    {
        return;
    }
    qp.reverse.SetDownPlanes(down);
    for (uint8_t plane = 0; plane < m_nic.PortCount(); ++plane)
    {
        if (changed >> plane & 1)
        {
            qp.requester.SetPlaneUp(plane, qp.reverse.IsPlaneUp(plane), nowPs);
        }
    }
    m_nic.Wake(qp, nowPs);
    qp.ArmTimer(nowPs);
}

bool
MrcEndpointOps::IsPeer(uint32_t peer) const
{
    return std::any_of(m_nic.m_qps.begin(), m_nic.m_qps.end(), [peer](const Ptr<MrcQp>& qp) {
        return qp->Peer() == peer;
    });
}

void
MrcEndpointOps::Receive(mrc::Frame* frame, uint8_t port, int64_t nowPs)
{
    if (frame->source >= m_nic.m_fabric->Plan().Usids().Clos().Nics())
    {
        ++m_nic.m_counters.unexpected; // from nobody to whom there is a path
        m_nic.m_fabric->Pool().Release(frame);
        return;
    }
    if (frame->opcode == mrc::Opcode::ENDPOINT_RESPONSE)
    {
        m_agent.OnResponse(*frame, nowPs);
        m_nic.m_fabric->Pool().Release(frame);
    }
    else if (m_agent.OnRequest(*frame, IsPeer(frame->source), nowPs))
    {
        const uint32_t peer = frame->source;
        const uint32_t usable = m_agent.OwnMask() & m_agent.PeerMask(peer);
        uint8_t plane = port;
        m_agent.FillAnswer(*frame, nowPs, nowPs, *frame);
        if (usable != 0 && (usable >> port & 1) == 0)
        {
            plane = static_cast<uint8_t>(__builtin_ctz(usable));
            frame->ev = DrawEv(peer, plane);
        }
        Send(frame, peer, nullptr, plane, nowPs);
    }
    else
    {
        m_nic.m_fabric->Pool().Release(frame);
    }
    Flush(nowPs);
}

void
MrcEndpointOps::ProbeReverse(const MrcQp& qp, int64_t nowPs)
{
    const uint8_t planes = m_nic.PortCount();
    const auto any = static_cast<uint8_t>(m_random.Below(planes));
    const uint8_t plane = qp.reverse.PlaneFor(any, planes);
    m_agent.Probe({qp.Peer(),
                   qp.Number(),
                   DrawEv(qp.Peer(), plane),
                   plane,
                   m_nic.Profile().Endpoint().evProbeTimeoutPs},
                  nowPs);
    Flush(nowPs);
}

uint16_t
MrcEndpointOps::Probe(mrc::EvProbe probe)
{
    const int64_t nowPs = MrcNowPs();
    if (probe.timeoutPs <= 0)
    {
        probe.timeoutPs = m_nic.Profile().Endpoint().evProbeTimeoutPs;
    }
    const uint16_t id = m_agent.Probe(probe, nowPs);
    Flush(nowPs);
    return id;
}

uint8_t
MrcEndpointOps::Reroute(MrcQp& qp, mrc::Frame& frame, uint8_t plane)
{
    const uint8_t planes = m_nic.PortCount();
    const uint8_t usable = qp.reverse.PlaneFor(plane, planes);
    if (qp.reverse.Ev(usable) == 0)
    {
        qp.reverse.Keep(usable, planes, DrawEv(qp.Peer(), usable));
    }
    frame.ev = qp.reverse.Ev(usable);
    return usable;
}

void
MrcEndpointOps::OnEvProbeEnd(const mrc::EvProbeResult& result)
{
    const mrc::EvProbe& probe = result.probe;
    if (result.rttPs >= 0 && probe.qp != 0)
    {
        m_nic.Qp(probe.qp).reverse.Keep(probe.plane, m_nic.PortCount(), probe.ev);
    }
    m_nic.m_evProbeTrace(m_nic.m_index, result);
}

void
MrcEndpointOps::OnPeerPorts(uint32_t peer, uint32_t mask, int64_t nowPs)
{
    m_nic.m_peerPortsTrace(m_nic.m_index, peer, mask, MrcTime(nowPs));
    for (const Ptr<MrcQp>& qp : m_nic.m_qps)
    {
        if (qp->Peer() == peer)
        {
            RefreshPlanes(*qp, nowPs);
        }
    }
}

uint32_t
MrcEndpointOps::DrawEv(uint32_t peer, uint8_t plane)
{
    const mrc::PathPlan& plan = m_nic.m_fabric->Plan();
    return MrcEvOf(m_nic.Profile(),
                   plan,
                   plane,
                   m_random.Below(MrcEvCount(m_nic.Profile(), plan, m_nic.m_index, peer)));
}

void
MrcEndpointOps::Send(
    mrc::Frame* frame, uint32_t peer, const MrcQp* qp, uint8_t plane, int64_t nowPs)
{
    frame->source = m_nic.m_index;
    frame->destination = peer;
    frame->plane = plane;
    frame->hopLimit = HOP_LIMIT;
    if (qp != nullptr)
    {
        qp->Route(*frame);
    }
    else if (frame->Has(mrc::Frame::ENCAPSULATED))
    {
        m_nic.m_fabric->Plan()
            .Template(m_nic.m_index, peer)
            .Apply(frame->ev, frame->daHigh, frame->daLow);
    }
    else
    {
        const mrc::Ipv6Address address = m_nic.m_fabric->Addresses().NicAddress(peer);
        frame->daHigh = address.high;
        frame->daLow = address.low;
    }
    m_nic.m_ports[plane].Enqueue(frame, nowPs);
}

void
MrcEndpointOps::Flush(int64_t nowPs)
{
    mrc::EndpointRequest request{};
    while (m_agent.NextRequest(nowPs, request))
    {
        mrc::Frame* frame = m_nic.m_fabric->Pool().Allocate();
        if (request.op != mrc::EndpointOp::EV_PROBE)
        {
            request.ev = DrawEv(request.peer, request.plane);
        }
        m_agent.Fill(request, nowPs, m_nic.Profile().IsSrv6(), *frame);
        const MrcQp* qp = request.qp != 0 ? &m_nic.Qp(request.qp) : nullptr;
        Send(frame, request.peer, qp, request.plane, nowPs);
    }
    const int64_t wantedPs = m_agent.NextDeadlinePs();
    if (wantedPs < m_armedPs)
    {
        m_armedPs = std::max(wantedPs, nowPs + 1);
        MrcSchedule(PeekPointer(m_timer), m_armedPs, nowPs);
    }
}

void
MrcEndpointOps::OnTimer(int64_t nowPs)
{
    if (nowPs == m_armedPs)
    {
        m_armedPs = mrc::EndpointAgent::NEVER;
    }
    m_agent.OnTimer(nowPs);
    Flush(nowPs);
}

} // namespace ns3
