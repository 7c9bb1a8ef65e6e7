// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-fabric-net-device-helper.h"

#include <ns3/abort.h>
#include <ns3/callback.h>

namespace ns3
{

namespace
{
/// @return an address of the protocol as one of ns-3
Ipv6Address
Convert(const mrc::Ipv6Address& address)
{
    uint8_t bytes[16];
    for (int i = 0; i < 8; ++i)
    {
        bytes[i] = static_cast<uint8_t>(address.high >> (56 - 8 * i));
        bytes[i + 8] = static_cast<uint8_t>(address.low >> (56 - 8 * i));
    }
    return Ipv6Address(bytes);
}

/// Trace sink of MrcNic::PortState. @param device of a plane @param plane that changed
void
NotifyDevice(Ptr<MrcFabricNetDevice> device, uint32_t plane, bool isUp)
{
    if (device->Plane() == plane)
    {
        device->NotifyLink(isUp);
    }
}
} // namespace

MrcFabricNetDeviceHelper::MrcFabricNetDeviceHelper(Ptr<MrcClosNetwork> network)
    : m_network(network)
{
    m_factory.SetTypeId(MrcFabricNetDevice::GetTypeId());
}

void
MrcFabricNetDeviceHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

NetDeviceContainer
MrcFabricNetDeviceHelper::Install(Ptr<Node> node, uint32_t nic)
{
    NS_ABORT_MSG_IF(nic >= m_network->NicCount(), "there is no nic-" << nic);
    MrcNic& place = m_network->Nic(nic);
    NS_ABORT_MSG_IF(place.QpCount() != 0, "nic-" << nic << " has QPs, a node cannot replace it");
    NetDeviceContainer devices;
    for (uint8_t plane = 0; plane < place.PortCount(); ++plane)
    {
        Ptr<MrcFabricNetDevice> device = m_factory.Create<MrcFabricNetDevice>();
        device->Attach(&m_network->Fabric(), &place.Port(plane), nic, plane);
        const mrc::Attachment end{mrc::NodeKind::NIC, nic, plane};
        m_network->Port(plane, m_network->Clos().Peer(plane, end))
            .SetSink(PeekPointer(device), plane);
        place.TraceConnectWithoutContext("PortState", MakeBoundCallback(&NotifyDevice, device));
        node->AddDevice(device);
        devices.Add(device);
    }
    return devices;
}

Ipv6Address
MrcFabricNetDeviceHelper::NicAddress(uint32_t nic) const
{
    return Convert(m_network->Fabric().Addresses().NicAddress(nic));
}

Ipv6Address
MrcFabricNetDeviceHelper::PortAddress(uint32_t nic, uint32_t plane) const
{
    return Convert(m_network->Fabric().Addresses().NicPortAddress(nic, plane));
}

} // namespace ns3
