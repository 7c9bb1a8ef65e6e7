// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-route-around.h"

#include "mrc-clock.h"

#include <algorithm>

namespace ns3
{

MrcPathPortList
MrcPathPorts(
    const mrc::PathPlan& plan, uint32_t plane, uint32_t source, uint32_t destination, uint32_t ev)
{
    using mrc::NodeKind;
    const mrc::ClosPlan& clos = plan.Usids().Clos();
    const uint32_t first = clos.T0Of(source);
    const uint32_t last = clos.T0Of(destination);
    MrcPathPortList ports;
    ports.Add({NodeKind::NIC, source, static_cast<uint16_t>(plane)});
    if (first != last)
    {
        const uint32_t u0 = plan.Layout().U0(ev);
        const uint32_t link = u0 % clos.ParallelLinks();
        const uint32_t t1 = u0 / clos.ParallelLinks();
        const uint32_t firstPod = clos.PodOfT0(first);
        const uint32_t lastPod = clos.PodOfT0(last);
        ports.Add({NodeKind::T0, first, static_cast<uint16_t>(clos.NicsPerT0() + u0)});
        if (firstPod != lastPod)
        {
            const uint32_t u1 = plan.Layout().U1(ev);
            const auto up = static_cast<uint16_t>(clos.T1Downlinks() + u1);
            const mrc::Attachment port{NodeKind::T1, firstPod * clos.T1PerPod() + t1, up};
            ports.Add(port);
            const mrc::Attachment t2 = clos.Peer(plane, port);
            ports.Add({NodeKind::T2, t2.index, static_cast<uint16_t>(lastPod)});
        }
        const uint32_t down = last % clos.T0PerPod() * clos.ParallelLinks() + link;
        ports.Add({NodeKind::T1, lastPod * clos.T1PerPod() + t1, static_cast<uint16_t>(down)});
    }
    ports.Add({NodeKind::T0, last, static_cast<uint16_t>(clos.HostPort(destination))});
    return ports;
}

MrcRouteAroundMonitor::MrcRouteAroundMonitor(Ptr<MrcClosNetwork> network,
                                             const std::vector<mrc::FaultSpec>& faults)
    : m_network(network),
      m_faults(faults),
      m_results(faults.size(), Result{false, 0, 0, 0, 0, {}})
{
}

void
MrcRouteAroundMonitor::Install()
{
    if (!m_network->Profile().IsSrv6())
    {
        return;
    }
    for (size_t fault = 0; fault < m_faults.size(); ++fault)
    {
        const mrc::FaultSpec& spec = m_faults[fault];
        if (spec.kind == mrc::FaultKind::LOSS || spec.kind == mrc::FaultKind::SLOW)
        {
            continue; // the paths still work
        }
        const uint32_t times = spec.kind == mrc::FaultKind::LINK_FLAP ? spec.count : 1;
        for (uint32_t i = 0; i < times; ++i)
        {
            const int64_t startPs = spec.startPs + i * spec.periodPs;
            Simulator::Schedule(MrcTime(startPs), &MrcRouteAroundMonitor::Begin, this, fault);
            if (spec.durationPs != 0)
            {
                Simulator::Schedule(
                    MrcTime(startPs + spec.durationPs), &MrcRouteAroundMonitor::End, this, fault);
            }
        }
    }
}

void
MrcRouteAroundMonitor::Begin(size_t fault)
{
    const int64_t durationPs = m_faults[fault].durationPs;
    const int64_t endPs = durationPs == 0 ? INT64_MAX : MrcNowPs() + durationPs;
    m_results[fault] = {true, MrcNowPs(), endPs, MrcNowPs(), 0, {}};
    if (m_active.empty())
    {
        for (uint32_t nic = 0; nic < m_network->NicCount(); ++nic)
        {
            m_network->Nic(nic).TraceConnectWithoutContext(
                "Dequeue", MakeCallback(&MrcRouteAroundMonitor::OnSent, this));
        }
    }
    m_active.push_back(fault);
}

void
MrcRouteAroundMonitor::End(size_t fault)
{
    m_active.erase(std::remove(m_active.begin(), m_active.end(), fault), m_active.end());
    if (m_active.empty())
    {
        for (uint32_t nic = 0; nic < m_network->NicCount(); ++nic)
        {
            m_network->Nic(nic).TraceDisconnectWithoutContext(
                "Dequeue", MakeCallback(&MrcRouteAroundMonitor::OnSent, this));
        }
    }
}

void
MrcRouteAroundMonitor::OnSent(uint32_t plane, const mrc::Frame& frame, Time when)
{
    if (!mrc::IsWrite(frame.opcode))
    {
        return;
    }
    for (const size_t fault : m_active)
    {
        Result& result = m_results[fault];
        if (when.GetTimeStep() >= result.onsetPs && when.GetTimeStep() < result.endPs &&
            IsCut(m_faults[fault], plane, frame))
        {
            result.lastSentPs = std::max(result.lastSentPs, when.GetTimeStep());
            ++result.packetsSent;
            QpResult& qp = result.qps[{frame.source, frame.destinationQp}];
            qp.lastSentPs = std::max(qp.lastSentPs, when.GetTimeStep());
            ++qp.packetsSent;
        }
    }
}

bool
MrcRouteAroundMonitor::IsCut(const mrc::FaultSpec& fault,
                             uint32_t plane,
                             const mrc::Frame& frame) const
{
    if (plane != (fault.IsSwitch() ? fault.node.plane : fault.link.plane))
    {
        return false;
    }
    const mrc::PathPlan& plan = m_network->Plan();
    const auto ports = MrcPathPorts(plan, plane, frame.source, frame.destination, frame.ev);
    for (const mrc::Attachment& port : ports)
    {
        const bool isNode = port.kind == fault.node.kind && port.index == fault.node.index;
        switch (fault.kind)
        {
        case mrc::FaultKind::SWITCH_DOWN:
            if (isNode)
            {
                return true;
            }
            break;
        case mrc::FaultKind::BLACK_HOLE: {
            const uint16_t routed = m_network->Switch(plane, fault.node.kind, fault.node.index)
                                        .Table()
                                        .RouteOf(plan.Usids().Block(), fault.usid);
            if (isNode && port.port == routed)
            {
                return true;
            }
            break;
        }
        default: {
            const mrc::ClosLink link = plan.Usids().Clos().LinkOf(plane, port);
            if (link.lower == fault.link.lower && link.upper == fault.link.upper)
            {
                return true;
            }
        }
        }
    }
    return false;
}

} // namespace ns3
