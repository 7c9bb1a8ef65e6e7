// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-fault-schedule.h"

#include "mrc-clock.h"

namespace ns3
{

namespace
{
/// @return whether two links are the same
bool
IsSame(const mrc::ClosLink& one, const mrc::ClosLink& other)
{
    return one.plane == other.plane && one.lower == other.lower && one.upper == other.upper;
}

/// @return whether two switches are the same
bool
IsSame(const mrc::ClosSwitch& one, const mrc::ClosSwitch& other)
{
    return one.plane == other.plane && one.kind == other.kind && one.index == other.index;
}

/// @return whether a fault, while it lasts, keeps a link down
bool
HoldsDown(const mrc::FaultSpec& fault, const mrc::ClosLink& link)
{
    switch (fault.kind)
    {
    case mrc::FaultKind::LINK_DOWN:
    case mrc::FaultKind::LINK_FLAP:
        return IsSame(fault.link, link);
    case mrc::FaultKind::SWITCH_DOWN:
        return IsSame(fault.node, {link.plane, link.lower.kind, link.lower.index}) ||
               IsSame(fault.node, {link.plane, link.upper.kind, link.upper.index});
    default:
        return false;
    }
}
} // namespace

MrcFaultSchedule::MrcFaultSchedule(Ptr<MrcClosNetwork> network)
    : m_network(network)
{
}

void
MrcFaultSchedule::Add(const std::string& spec)
{
    m_faults.push_back(mrc::ParseFault(m_network->Clos(), spec));
    m_isPresent.push_back(false);
}

void
MrcFaultSchedule::Schedule(size_t fault, bool isOnset, int64_t timePs)
{
    Simulator::Schedule(MrcTime(timePs), &MrcFaultSchedule::Apply, this, fault, isOnset);
}

void
MrcFaultSchedule::Install()
{
    for (size_t fault = 0; fault < m_faults.size(); ++fault)
    {
        const mrc::FaultSpec& spec = m_faults[fault];
        const uint32_t times = spec.kind == mrc::FaultKind::LINK_FLAP ? spec.count : 1;
        for (uint32_t i = 0; i < times; ++i)
        {
            const int64_t startPs = spec.startPs + i * spec.periodPs;
            Schedule(fault, true, startPs);
            if (spec.durationPs != 0)
            {
                Schedule(fault, false, startPs + spec.durationPs);
            }
        }
    }
}

void
MrcFaultSchedule::RefreshLink(const mrc::ClosLink& link)
{
    bool isUp = true;
    for (size_t fault = 0; fault < m_faults.size(); ++fault)
    {
        isUp = isUp && !(m_isPresent[fault] && HoldsDown(m_faults[fault], link));
    }
    m_network->SetLinkUp(link, isUp);
}

const mrc::FaultSpec*
MrcFaultSchedule::Present(const mrc::FaultSpec& like) const
{
    for (size_t fault = m_faults.size(); fault-- > 0;)
    {
        const mrc::FaultSpec& spec = m_faults[fault];
        const bool isSameTarget =
            like.IsSwitch() ? IsSame(spec.node, like.node) : IsSame(spec.link, like.link);
        if (m_isPresent[fault] && spec.kind == like.kind && isSameTarget)
        {
            return &spec;
        }
    }
    return nullptr;
}

void
MrcFaultSchedule::Apply(size_t fault, bool isOnset)
{
    const mrc::FaultSpec& spec = m_faults[fault];
    MrcClosNetwork& network = *m_network;
    m_isPresent[fault] = isOnset;
    const mrc::FaultSpec* present = Present(spec);
    switch (spec.kind)
    {
    case mrc::FaultKind::LINK_DOWN:
    case mrc::FaultKind::LINK_FLAP:
        RefreshLink(spec.link);
        break;
    case mrc::FaultKind::LOSS:
        network.SetLinkLoss(spec.link, present ? present->loss : 0, present ? present->corrupt : 0);
        break;
    case mrc::FaultKind::SLOW: {
        const uint64_t normal = network.Ideal().latency.portBitsPerSecond;
        network.SetLinkRate(spec.link, DataRate(present ? present->bitsPerSecond : normal));
        break;
    }
    case mrc::FaultKind::SWITCH_DOWN: {
        const auto [plane, kind, index] = spec.node;
        const uint16_t ports = network.Switch(plane, kind, index).PortCount();
        for (uint16_t port = 0; port < ports; ++port)
        {
            RefreshLink(network.Clos().LinkOf(plane, {kind, index, port}));
        }
        break;
    }
    case mrc::FaultKind::BLACK_HOLE:
        network.Switch(spec.node.plane, spec.node.kind, spec.node.index)
            .Table()
            .SetBlackHole(present ? present->usid : 0);
        break;
    }
    const std::string target =
        spec.IsSwitch() ? mrc::SwitchName(spec.node.plane, spec.node.kind, spec.node.index)
                        : mrc::LinkName(network.Clos(), spec.link);
    const std::string kind = spec.text.substr(0, spec.text.find(' '));
    m_log.push_back(
        {MrcNowPs(), fault, isOnset, kind + " " + target + (isOnset ? " begins" : " ends")});
}

} // namespace ns3
