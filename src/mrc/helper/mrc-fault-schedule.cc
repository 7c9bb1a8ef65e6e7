// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-fault-schedule.h"

#include "mrc-clock.h"

namespace ns3
{

MrcFaultSchedule::MrcFaultSchedule(Ptr<MrcClosNetwork> network)
    : m_network(network)
{
}

void
MrcFaultSchedule::Add(const std::string& spec)
{
    m_faults.push_back(mrc::ParseFault(m_network->Clos(), spec));
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
MrcFaultSchedule::Apply(size_t fault, bool isOnset)
{
    const mrc::FaultSpec& spec = m_faults[fault];
    MrcClosNetwork& network = *m_network;
    switch (spec.kind)
    {
    case mrc::FaultKind::LINK_DOWN:
    case mrc::FaultKind::LINK_FLAP:
        network.SetLinkUp(spec.link, !isOnset);
        break;
    case mrc::FaultKind::LOSS:
        network.SetLinkLoss(spec.link, isOnset ? spec.loss : 0, isOnset ? spec.corrupt : 0);
        break;
    case mrc::FaultKind::SLOW: {
        const uint64_t normal = network.Ideal().latency.portBitsPerSecond;
        network.SetLinkRate(spec.link, DataRate(isOnset ? spec.bitsPerSecond : normal));
        break;
    }
    case mrc::FaultKind::SWITCH_DOWN:
        network.SetSwitchUp(spec.node.plane, spec.node.kind, spec.node.index, !isOnset);
        break;
    case mrc::FaultKind::BLACK_HOLE:
        network.Switch(spec.node.plane, spec.node.kind, spec.node.index)
            .Table()
            .SetBlackHole(isOnset ? spec.usid : 0);
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
