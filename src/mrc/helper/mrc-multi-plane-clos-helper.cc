// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-multi-plane-clos-helper.h"

#include "mrc-lane-scheduler.h"
#include "mrc-simulator-impl.h"

#include <ns3/abort.h>
#include <ns3/global-value.h>
#include <ns3/log.h>
#include <ns3/node.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MrcMultiPlaneClosHelper");

MrcMultiPlaneClosHelper::MrcMultiPlaneClosHelper()
    : m_delay(PicoSeconds(mrc::FabricLatency().linkDelayPs))
{
    m_switchFactory.SetTypeId(MrcTrimmingSwitch::GetTypeId());
    m_nicFactory.SetTypeId(MrcNic::GetTypeId());
    m_profileFactory.SetTypeId(MrcProfile::GetTypeId());
}

void
MrcMultiPlaneClosHelper::UsePicoseconds()
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
}

void
MrcMultiPlaneClosHelper::UseFastSimulator()
{
    UsePicoseconds();
    GlobalValue::Bind("SimulatorImplementationType",
                      StringValue(MrcSimulatorImpl::GetTypeId().GetName()));
    GlobalValue::Bind("SchedulerType", StringValue(MrcLaneScheduler::GetTypeId().GetName()));
    Simulator::GetImplementation();
    NS_ABORT_MSG_IF(MrcSimulatorImpl::Current() == nullptr,
                    "the simulator exists already: call UseFastSimulator() first in main()");
}

void
MrcMultiPlaneClosHelper::SetLink(DataRate rate, Time delay)
{
    m_rate = rate;
    m_delay = delay;
}

void
MrcMultiPlaneClosHelper::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switchFactory.Set(name, value);
}

void
MrcMultiPlaneClosHelper::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    m_nicFactory.Set(name, value);
}

void
MrcMultiPlaneClosHelper::SetProfileAttribute(const std::string& name, const AttributeValue& value)
{
    m_profileFactory.Set(name, value);
}

int64_t
MrcMultiPlaneClosHelper::AssignStreams(int64_t stream)
{
    m_stream = stream;
    return 1;
}

Ptr<MrcClosNetwork>
MrcMultiPlaneClosHelper::Install()
{
    NodeContainer nodes;
    const mrc::ClosPlan plan(m_config); // refuses bad counts before anything is made
    nodes.Create(plan.Nics());
    return Install(nodes);
}

Ptr<MrcClosNetwork>
MrcMultiPlaneClosHelper::Install(const NodeContainer& nodes)
{
    const mrc::ClosPlan plan(m_config);
    NS_ABORT_MSG_IF(nodes.GetN() != plan.Nics(),
                    nodes.GetN() << " nodes for " << plan.Nics() << " NICs");
    const mrc::PathPlan paths{mrc::UsidPlan(plan)};
    m_seeds = mrc::Random((uint64_t{RngSeedManager::GetSeed()} << 32) +
                          (RngSeedManager::GetRun() << 16) + static_cast<uint64_t>(m_stream));

    auto network = CreateObject<MrcClosNetwork>();
    network->m_fabric = CreateObject<MrcFabric>();
    network->m_fabric->SetPlan(paths);
    network->m_profile = m_profileFactory.Create<MrcProfile>();
    network->m_random = mrc::Random(m_seeds.Next());

    const auto sampleSwitch = m_switchFactory.Create<MrcTrimmingSwitch>();
    const auto sampleNic = m_nicFactory.Create<MrcNic>();
    mrc::IdealConfig& ideal = network->m_ideal;
    ideal.latency.switchLatencyPs = sampleSwitch->Latency().GetPicoSeconds();
    ideal.latency.nicLatencyPs = sampleNic->Latency().GetPicoSeconds();
    ideal.latency.linkDelayPs = m_delay.GetPicoSeconds();
    ideal.latency.portBitsPerSecond = m_rate.GetBitRate();
    ideal.switches = plan.MaxSwitches();
    ideal.planes = plan.Planes();
    ideal.mtuBytes = network->m_profile->Transport().mtuBytes;
    ideal.encapsulated = network->m_profile->IsSrv6();
    const uint32_t mostPaths = paths.PathsPerPlane(0, plan.Nics() - 1);
    network->m_profile->Resolve({PicoSeconds(mrc::BaseRttPs(ideal)),
                                 m_rate.GetBitRate() * plan.Planes(),
                                 plan.Planes(),
                                 mostPaths,
                                 sampleSwitch->IsTrimming()});

    for (uint32_t index = 0; index < plan.Nics(); ++index)
    {
        auto nic = m_nicFactory.Create<MrcNic>();
        nic->Configure(network->m_fabric, network->m_profile, index, m_seeds.Next());
        nodes.Get(index)->AggregateObject(nic);
        network->m_nics.push_back(nic);
    }
    network->m_switches.resize(plan.Planes());
    for (uint32_t plane = 0; plane < plan.Planes(); ++plane)
    {
        AddSwitches(*network, plane);
        ConnectPlane(*network, plane);
    }
    return network;
}

void
MrcMultiPlaneClosHelper::AddSwitches(MrcClosNetwork& network, uint32_t plane)
{
    const mrc::ClosPlan& plan = network.Clos();
    const mrc::UsidPlan& usids = network.Plan().Usids();
    const uint64_t bdpBytes = mrc::PlaneBdpBytes(network.Ideal());
    for (const mrc::NodeKind kind : {mrc::NodeKind::T0, mrc::NodeKind::T1, mrc::NodeKind::T2})
    {
        const auto ports = static_cast<uint16_t>(plan.Ports(kind));
        const auto hostPorts =
            static_cast<uint16_t>(kind == mrc::NodeKind::T0 ? plan.NicsPerT0() : 0);
        for (uint32_t index = 0; index < plan.Count(kind); ++index)
        {
            auto node = m_switchFactory.Create<MrcTrimmingSwitch>();
            node->Configure(network.m_fabric,
                            mrc::SwitchName(plane, kind, index),
                            ports,
                            hostPorts,
                            bdpBytes,
                            network.Profile().Transport().dscp,
                            m_seeds.Next());
            node->Table().Set(usids.Block(),
                              usids.Own(plane, kind, index),
                              usids.Routes(plane, kind, index),
                              network.Fabric().Addresses().Routes(kind, index));
            CreateObject<Node>()->AggregateObject(node);
            network.m_switches[plane][static_cast<size_t>(kind)].push_back(node);
        }
    }
}

void
MrcMultiPlaneClosHelper::ConnectPlane(MrcClosNetwork& network, uint32_t plane) const
{
    const mrc::ClosPlan& plan = network.Clos();
    auto connect = [&](const mrc::Attachment& from, const mrc::Attachment& to) {
        MrcFrameSink* sink = nullptr;
        Time delay = m_delay;
        if (to.kind == mrc::NodeKind::NIC)
        {
            sink = &network.Nic(to.index);
            delay += network.Nic(to.index).Latency();
        }
        else
        {
            sink = &network.Switch(plane, to.kind, to.index);
            delay += network.Switch(plane, to.kind, to.index).Latency();
        }
        if (from.kind == mrc::NodeKind::NIC)
        {
            MrcNic& nic = network.Nic(from.index);
            nic.Connect(static_cast<uint8_t>(plane), sink, to.port, m_rate, delay + nic.Latency());
        }
        else
        {
            network.Switch(plane, from.kind, from.index)
                .Connect(from.port, sink, to.port, m_rate, delay);
        }
    };
    for (uint64_t number = 0; number < plan.LinksPerPlane(); ++number)
    {
        const mrc::ClosLink link = plan.LinkAt(plane, number);
        connect(link.lower, link.upper);
        connect(link.upper, link.lower);
    }
}

} // namespace ns3
