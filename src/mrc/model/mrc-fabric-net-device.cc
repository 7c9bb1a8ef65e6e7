// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-fabric-net-device.h"

#include "mrc-clock.h"
#include "mrc-ethernet.h"

#include <ns3/abort.h>
#include <ns3/channel.h>
#include <ns3/log.h>
#include <ns3/simulator.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/uinteger.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MrcFabricNetDevice");
NS_OBJECT_ENSURE_REGISTERED(MrcFabricNetDevice);

namespace
{
/// @param address a MAC address @return as a number, low 48 bits
uint64_t
MacOf(const Mac48Address& address)
{
    uint8_t bytes[6];
    address.CopyTo(bytes);
    uint64_t mac = 0;
    for (const uint8_t byte : bytes)
    {
        mac = mac << 8 | byte;
    }
    return mac;
}
} // namespace

TypeId
MrcFabricNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MrcFabricNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("Mrc")
            .AddConstructor<MrcFabricNetDevice>()
            .AddAttribute("Mtu",
                          "Largest IPv6 packet, bytes.",
                          UintegerValue(9000),
                          MakeUintegerAccessor(&MrcFabricNetDevice::m_mtu),
                          MakeUintegerChecker<uint16_t>(1280, 9500))
            .AddAttribute("TxQueueBytes",
                          "Packets are dropped while more than this waits at the port.",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&MrcFabricNetDevice::m_queueBytes),
                          MakeUintegerChecker<uint32_t>(1500))
            .AddTraceSource("MacTx",
                            "A packet enters the fabric.",
                            MakeTraceSourceAccessor(&MrcFabricNetDevice::m_tx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A packet cannot be sent: no IPv6, of the link only, too long, or "
                            "the queue is full.",
                            MakeTraceSourceAccessor(&MrcFabricNetDevice::m_txDrop),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A packet came from the fabric.",
                            MakeTraceSourceAccessor(&MrcFabricNetDevice::m_rx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRxDrop",
                            "A packet from the fabric was damaged, or is MRC of a simulated NIC.",
                            MakeTraceSourceAccessor(&MrcFabricNetDevice::m_rxDrop),
                            "ns3::Packet::TracedCallback");
    return tid;
}

MrcFabricNetDevice::MrcFabricNetDevice()
    : m_address(Mac48Address::Allocate()),
      m_hostAddress(m_address)
{
    NS_LOG_FUNCTION(this);
}

MrcFabricNetDevice::~MrcFabricNetDevice()
{
    NS_LOG_FUNCTION(this);
}

void
MrcFabricNetDevice::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_node = nullptr;
    m_fabric = nullptr;
    m_egress = nullptr;
    m_receive.Nullify();
    m_promiscReceive.Nullify();
    NetDevice::DoDispose();
}

void
MrcFabricNetDevice::Attach(Ptr<MrcFabric> fabric,
                           MrcEgressPort* egress,
                           uint32_t nic,
                           uint8_t plane)
{
    NS_LOG_FUNCTION(this << nic << +plane);
    m_fabric = fabric;
    m_egress = egress;
    m_nic = nic;
    m_plane = plane;
    m_options.usidBlock = fabric->Plan().Usids().Block();
    m_options.dscp = egress->Limits().dscp;
}

void
MrcFabricNetDevice::NotifyLink(bool isUp)
{
    NS_LOG_FUNCTION(this << isUp);
    m_linkChange();
}

Mac48Address
MrcFabricNetDevice::SwitchAddress(uint8_t plane)
{
    const uint8_t bytes[] = {0x02, 0xfe, 0, 0, 0, plane};
    Mac48Address address;
    address.CopyFrom(bytes);
    return address;
}

bool
MrcFabricNetDevice::Send(Ptr<Packet> packet, const Address& destination, uint16_t protocol)
{
    return SendFrom(packet, m_address, destination, protocol);
}

bool
MrcFabricNetDevice::SendFrom(Ptr<Packet> packet,
                             const Address& source,
                             const Address& destination,
                             uint16_t protocol)
{
    NS_LOG_FUNCTION(this << packet << source << destination << protocol);
    NS_ABORT_MSG_IF(m_egress == nullptr, "the device is attached to no fabric");
    m_hostAddress = Mac48Address::ConvertFrom(source);
    const int64_t nowPs = MrcNowPs();
    m_egress->Advance(nowPs);
    if (packet->GetSize() > m_mtu ||
        m_egress->DataBytes() + m_egress->ControlBytes() > m_queueBytes)
    {
        m_txDrop(packet);
        return false;
    }
    mrc::FramePool& pool = m_fabric->Pool();
    mrc::RawBytes* raw = pool.AllocateRaw();
    mrc::ByteWriter writer(raw->data, mrc::ETHERNET_BYTES);
    mrc::EthernetHeader header{};
    header.sourceMac = MacOf(m_hostAddress);
    header.destinationMac = MacOf(Mac48Address::ConvertFrom(destination));
    header.etherType = protocol;
    mrc::EncodeEthernet(writer, header);
    raw->count = mrc::ETHERNET_BYTES + packet->CopyData(raw->data + mrc::ETHERNET_BYTES,
                                                        sizeof(raw->data) - mrc::ETHERNET_BYTES);
    mrc::Frame* frame = pool.Allocate();
    mrc::Ipv6Address innermost{};
    if (mrc::ReadRaw(raw, m_options, *frame, innermost) != mrc::RawVerdict::OK)
    {
        pool.ReleaseRaw(raw);
        pool.Release(frame);
        m_txDrop(packet);
        return false;
    }
    frame->source = m_nic;
    frame->destination = m_fabric->Addresses().FindNic(innermost).value_or(UINT32_MAX);
    frame->plane = m_plane;
    m_tx(packet);
    m_egress->Enqueue(frame, nowPs);
    return true;
}

void
MrcFabricNetDevice::Receive(mrc::Frame* frame, uint16_t /* port */, int64_t nowPs)
{
    NS_LOG_FUNCTION(this << nowPs);
    mrc::FramePool& pool = m_fabric->Pool();
    Ptr<Packet> packet;
    if (frame->Has(mrc::Frame::HAS_BYTES))
    {
        const size_t count = mrc::WriteRaw(*frame);
        packet = Create<Packet>(frame->raw->data + mrc::ETHERNET_BYTES,
                                static_cast<uint32_t>(count - mrc::ETHERNET_BYTES));
    }
    const bool isGood = packet && !frame->Has(mrc::Frame::CORRUPT); // or its FCS is wrong
    pool.Release(frame);
    if (!isGood)
    {
        m_rxDrop(packet ? packet : Create<Packet>());
        return;
    }
    // A callback may run for long; the node's context is that of its events.
    Simulator::ScheduleWithContext(m_node->GetId(),
                                   Time(0),
                                   &MrcFabricNetDevice::Deliver,
                                   Ptr<MrcFabricNetDevice>(this),
                                   packet);
}

void
MrcFabricNetDevice::Deliver(Ptr<Packet> packet)
{
    m_rx(packet);
    const Mac48Address from = SwitchAddress(m_plane);
    if (!m_promiscReceive.IsNull())
    {
        const bool isOther = m_hostAddress != m_address;
        m_promiscReceive(this,
                         packet->Copy(),
                         mrc::ETHERTYPE_IPV6,
                         from,
                         m_hostAddress,
                         isOther ? PACKET_OTHERHOST : PACKET_HOST);
        if (isOther)
        {
            return;
        }
    }
    if (!m_receive.IsNull())
    {
        m_receive(this, packet, mrc::ETHERTYPE_IPV6, from);
    }
}

void
MrcFabricNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
MrcFabricNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
MrcFabricNetDevice::GetChannel() const
{
    return nullptr; // the fabric is no channel between NetDevices
}

void
MrcFabricNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
    m_hostAddress = m_address;
}

Address
MrcFabricNetDevice::GetAddress() const
{
    return m_address;
}

bool
MrcFabricNetDevice::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return true;
}

uint16_t
MrcFabricNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
MrcFabricNetDevice::IsLinkUp() const
{
    return m_egress != nullptr && m_egress->IsUp();
}

void
MrcFabricNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChange.ConnectWithoutContext(callback);
}

bool
MrcFabricNetDevice::IsBroadcast() const
{
    return true;
}

Address
MrcFabricNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
MrcFabricNetDevice::IsMulticast() const
{
    return true; // the stack joins groups of the link; nobody else is on it
}

Address
MrcFabricNetDevice::GetMulticast(Ipv4Address group) const
{
    return Mac48Address::GetMulticast(group);
}

Address
MrcFabricNetDevice::GetMulticast(Ipv6Address group) const
{
    return Mac48Address::GetMulticast(group);
}

bool
MrcFabricNetDevice::IsBridge() const
{
    return false;
}

bool
MrcFabricNetDevice::IsPointToPoint() const
{
    return false;
}

Ptr<Node>
MrcFabricNetDevice::GetNode() const
{
    return m_node;
}

void
MrcFabricNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
MrcFabricNetDevice::NeedsArp() const
{
    return false;
}

void
MrcFabricNetDevice::SetReceiveCallback(ReceiveCallback callback)
{
    m_receive = callback;
}

void
MrcFabricNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback callback)
{
    m_promiscReceive = callback;
}

bool
MrcFabricNetDevice::SupportsSendFrom() const
{
    return true;
}

} // namespace ns3
