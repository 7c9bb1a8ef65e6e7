// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-fabric.h"

#include "mrc-clock.h"
#include "mrc-ev-table.h"
#include "mrc-multi-plane-clos-helper.h"
#include "mrc-qp.h"
#include "mrc-sim-attributes.h"
#include "mrc-sim-bad-input.h"
#include "mrc-wire-size.h"

#include <ns3/rng-seed-manager.h>

#include <algorithm>
#include <cmath>

namespace mrc::emu
{

namespace
{

/// Put a key into a set or take it out. @param set which @param key of it @param isIn whether in
template <class T>
void
Mark(std::set<T>& set, const T& key, bool isIn)
{
    if (isIn)
    {
        set.insert(key);
    }
    else
    {
        set.erase(key);
    }
}

} // namespace

uint64_t
FabricPort::Drops() const
{
    uint64_t sum = 0;
    for (const uint64_t count : counters.drop)
    {
        sum += count;
    }
    return sum;
}

EmuFabric::EmuFabric(const Lab& lab)
    : m_lab(lab)
{
    ns3::MrcMultiPlaneClosHelper::UseFastSimulator();
    ns3::RngSeedManager::SetSeed(lab.seed);
    for (size_t i = 0; i < lab.set.size(); ++i)
    {
        try
        {
            sim::SetAttribute("set", lab.set[i]);
        }
        catch (const sim::BadInput& error)
        {
            throw LabError(lab.setWhere[i] + ": set: " + error.what());
        }
    }
    ns3::MrcMultiPlaneClosHelper helper;
    helper.Config() = lab.clos;
    helper.SetLink(ns3::DataRate(lab.bitsPerSecond), ns3::MrcTime(lab.delayPs));
    try
    {
        m_network = helper.Install();
    }
    catch (const mrc::ClosConfigError& error)
    {
        throw LabError(lab.name + ": [fabric]: " + error.what());
    }
    ListPorts();
}

void
EmuFabric::ListPorts()
{
    const mrc::ClosPlan& plan = Clos();
    for (uint32_t plane = 0; plane < plan.Planes(); ++plane)
    {
        for (uint64_t number = 0; number < plan.LinksPerPlane(); ++number)
        {
            const mrc::ClosLink link = plan.LinkAt(plane, number);
            for (const mrc::Attachment& end : {link.lower, link.upper})
            {
                auto port = std::make_unique<FabricPort>();
                port->name = mrc::PortName(plan, plane, end);
                port->plane = plane;
                port->end = end;
                port->egress = &m_network->Port(plane, end);
                port->egress->SetCounters(&port->counters);
                m_byEgress[port->egress] = port.get();
                m_ports.push_back(std::move(port));
            }
        }
    }
}

FabricPort&
EmuFabric::Port(const mrc::ClosPort& port)
{
    return *m_byEgress.at(&m_network->Port(port.plane, port.end));
}

EmuFabric::LinkKey
EmuFabric::KeyOf(const mrc::ClosLink& link) const
{
    return {link.plane, Clos().LinkNumber(link)};
}

bool
EmuFabric::IsUp(const mrc::ClosLink& link) const
{
    bool isUp = m_downPlanes.count(link.plane) == 0 && m_downLinks.count(KeyOf(link)) == 0;
    for (const mrc::Attachment& end : {link.lower, link.upper})
    {
        isUp = isUp && m_downSwitches.count({link.plane, {end.kind, end.index}}) == 0;
    }
    return isUp;
}

void
EmuFabric::Refresh(const mrc::ClosLink& link)
{
    const bool isUp = IsUp(link);
    m_network->SetLinkUp(link, isUp);
    if (link.lower.kind == mrc::NodeKind::NIC && m_onNicLink)
    {
        m_onNicLink(link.lower.index, link.plane, isUp);
    }
}

void
EmuFabric::SetLink(const mrc::ClosLink& link, bool isUp)
{
    Mark(m_downLinks, KeyOf(link), !isUp);
    Refresh(link);
}

void
EmuFabric::SetPlane(uint32_t plane, bool isUp)
{
    Mark(m_downPlanes, plane, !isUp);
    for (uint64_t number = 0; number < Clos().LinksPerPlane(); ++number)
    {
        Refresh(Clos().LinkAt(plane, number));
    }
}

void
EmuFabric::SetSwitch(const mrc::ClosSwitch& node, bool isUp)
{
    const SwitchKey key{node.plane, {node.kind, node.index}};
    Mark(m_downSwitches, key, !isUp);
    const uint16_t ports = m_network->Switch(node.plane, node.kind, node.index).PortCount();
    for (uint16_t port = 0; port < ports; ++port)
    {
        Refresh(Clos().LinkOf(node.plane, {node.kind, node.index, port}));
    }
}

void
EmuFabric::Impair(const mrc::ClosLink& link)
{
    const Impairment& impairment = m_impairments[KeyOf(link)];
    m_network->SetLinkLoss(link, impairment.loss, impairment.corrupt);
}

void
EmuFabric::SetLoss(const mrc::ClosLink& link, double probability)
{
    m_impairments[KeyOf(link)].loss = probability;
    Impair(link);
}

void
EmuFabric::SetCorruption(const mrc::ClosLink& link, double probability)
{
    m_impairments[KeyOf(link)].corrupt = probability;
    Impair(link);
}

void
EmuFabric::SetDelay(const mrc::ClosLink& link, int64_t delayPs)
{
    for (const mrc::Attachment& end : {link.lower, link.upper})
    {
        // The delay of a port includes the latency of the far node, and of a sending NIC: keep
        // them.
        const mrc::Attachment& far = end == link.lower ? link.upper : link.lower;
        int64_t latencyPs = 0;
        if (end.kind == mrc::NodeKind::NIC)
        {
            latencyPs += m_network->Nic(end.index).Latency().GetPicoSeconds();
        }
        latencyPs +=
            far.kind == mrc::NodeKind::NIC
                ? m_network->Nic(far.index).Latency().GetPicoSeconds()
                : m_network->Switch(link.plane, far.kind, far.index).Latency().GetPicoSeconds();
        ns3::MrcEgressPort& port = m_network->Port(link.plane, end);
        port.SetDelay(delayPs + latencyPs, ns3::MrcNowPs());
    }
}

void
EmuFabric::SetRate(const mrc::ClosLink& link, uint64_t bitsPerSecond)
{
    m_network->SetLinkRate(link, ns3::DataRate(bitsPerSecond));
}

uint32_t
EmuFabric::DenyEv(uint32_t nic, uint32_t ev, bool isDenied)
{
    uint32_t count = 0;
    ns3::MrcNic& node = m_network->Nic(nic);
    for (uint32_t i = 0; i < node.QpCount(); ++i)
    {
        ns3::MrcQp& qp = node.Qp(node.NextQp() - node.QpCount() + i);
        auto* table = dynamic_cast<mrc::EvTable*>(qp.requester.Paths());
        const mrc::EvIndex index = table == nullptr ? mrc::NO_EV : table->Find(ev);
        if (index != mrc::NO_EV)
        {
            const int64_t nowPs = ns3::MrcNowPs();
            isDenied ? table->Deny(index, nowPs) : table->Allow(index, nowPs);
            ++count;
        }
    }
    return count;
}

std::vector<EvCounts>
EmuFabric::CountEvs()
{
    std::vector<EvCounts> counts(Clos().Planes());
    for (uint32_t nic = 0; nic < m_network->NicCount(); ++nic)
    {
        ns3::MrcNic& node = m_network->Nic(nic);
        for (uint32_t i = 0; i < node.QpCount(); ++i)
        {
            ns3::MrcQp& qp = node.Qp(node.NextQp() - node.QpCount() + i);
            const auto* table = dynamic_cast<mrc::EvTable*>(qp.requester.Paths());
            for (mrc::EvIndex index = 0; table != nullptr && index < table->Size(); ++index)
            {
                ++counts[table->Plane(index)][static_cast<size_t>(table->State(index))];
            }
        }
    }
    return counts;
}

double
NeededScale(const Lab& lab)
{
    // What one core does at half load: packets of real hosts, and hops of simulated ones.
    constexpr double HOST_PACKET_S = 10e-6;
    constexpr double HOP_S = 0.4e-6;
    constexpr double LOAD = 0.5;
    constexpr double BITS = 8;
    const double planes = lab.clos.planes;
    const auto bitsPerSecond = static_cast<double>(lab.bitsPerSecond);
    const double hostPacketBits = BITS * FrameWireBytes(lab.mtu + ETHERNET_BYTES);
    const double hostLoad = static_cast<double>(lab.hosts.size()) * planes * bitsPerSecond /
                            hostPacketBits * HOST_PACKET_S;
    double nics = 0;
    for (const LabWorkload& workload : lab.workloads)
    {
        const double all = lab.clos.nics - static_cast<double>(lab.hosts.size());
        nics += workload.nics.empty() ? all : static_cast<double>(workload.nics.size());
    }
    constexpr double SIMULATED_BITS = BITS * 4200;
    const double hops = 2.0 * lab.clos.tiers;
    const double simulatedLoad = nics * planes * bitsPerSecond / SIMULATED_BITS * hops * HOP_S;
    const double scale = std::max(1.0, (hostLoad + simulatedLoad) / LOAD);
    const double digit = std::pow(10, std::floor(std::log10(scale)));
    return std::ceil(scale / digit) * digit;
}

} // namespace mrc::emu
