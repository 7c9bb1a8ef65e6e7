// SPDX-License-Identifier: GPL-2.0-only
// ns-3's own IPv6 stack and applications on ports of the fabric.
#include "mrc-clock.h"
#include "mrc-fabric-net-device-helper.h"
#include "mrc-multi-plane-clos-helper.h"

#include <ns3/boolean.h>
#include <ns3/bulk-send-helper.h>
#include <ns3/config.h>
#include <ns3/inet6-socket-address.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv6-static-routing-helper.h>
#include <ns3/ipv6.h>
#include <ns3/node-container.h>
#include <ns3/packet-sink-helper.h>
#include <ns3/packet-sink.h>
#include <ns3/ping6-helper.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>

namespace ns3
{

namespace
{

/// Two planes, 2 x 2 NICs, with nodes in the places of nic-0 and nic-3, which are on different T0s.
class FabricNetDeviceTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        MrcMultiPlaneClosHelper::UsePicoseconds();
        Config::SetDefault("ns3::Icmpv6L4Protocol::DAD", BooleanValue(false));
        MrcMultiPlaneClosHelper clos;
        clos.Config().planes = 2;
        clos.Config().nics = 4;
        clos.Config().nicsPerT0 = 2;
        clos.SetLink(DataRate("10Gbps"), NanoSeconds(75));
        network = clos.Install();
        nodes.Create(2);
        InternetStackHelper stack;
        stack.SetIpv4StackInstall(false);
        stack.Install(nodes);
        helper = std::make_unique<MrcFabricNetDeviceHelper>(network);
        for (uint32_t i = 0; i < 2; ++i)
        {
            devices[i] = helper->Install(nodes.Get(i), NICS[i]);
            for (uint32_t plane = 0; plane < 2; ++plane)
            {
                Ptr<Ipv6> ipv6 = nodes.Get(i)->GetObject<Ipv6>();
                const auto interface = ipv6->AddInterface(devices[i].Get(plane));
                ipv6->AddAddress(
                    interface,
                    Ipv6InterfaceAddress(helper->PortAddress(NICS[i], plane), Ipv6Prefix(128)));
                ipv6->SetUp(interface);
                // What is behind the same port number is on the same plane.
                Ipv6StaticRoutingHelper().GetStaticRouting(ipv6)->AddHostRouteTo(
                    helper->PortAddress(NICS[1 - i], plane), interface);
            }
        }
    }

    void TearDown() override
    {
        network->Dispose();
        Simulator::Destroy();
    }

    /// @return the device of a node in a plane
    Ptr<MrcFabricNetDevice> Device(uint32_t node, uint32_t plane) const
    {
        return DynamicCast<MrcFabricNetDevice>(devices[node].Get(plane));
    }

    static constexpr uint32_t NICS[] = {0, 3};        ///< places of the nodes
    Ptr<MrcClosNetwork> network;                      ///< the fabric
    NodeContainer nodes;                              ///< the nodes
    std::unique_ptr<MrcFabricNetDeviceHelper> helper; ///< put them there
    NetDeviceContainer devices[2];                    ///< by node
};

/// Counts packets of a trace source.
struct PacketCounter
{
    void Count(Ptr<const Packet> packet)
    {
        ++packets;
        bytes += packet->GetSize();
    }

    uint64_t packets{0}; ///< so far
    uint64_t bytes{0};   ///< of them
};

TEST_F(FabricNetDeviceTest, Ping6CrossesTheFabric)
{
    Ping6Helper ping;
    ping.SetLocal(helper->PortAddress(0, 1));
    ping.SetRemote(helper->PortAddress(3, 1));
    ping.SetAttribute("MaxPackets", UintegerValue(5));
    ping.SetAttribute("Interval", TimeValue(MilliSeconds(1)));
    ping.SetAttribute("PacketSize", UintegerValue(100));
    ApplicationContainer apps = ping.Install(nodes.Get(0));
    apps.Start(MilliSeconds(1));

    PacketCounter sent;
    PacketCounter received;
    Device(0, 1)->TraceConnectWithoutContext("MacTx", MakeCallback(&PacketCounter::Count, &sent));
    Device(0, 1)->TraceConnectWithoutContext("MacRx",
                                             MakeCallback(&PacketCounter::Count, &received));
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    EXPECT_EQ(sent.packets, 5u);
    EXPECT_EQ(received.packets, 5u);
    // 40 IPv6 and an echo of 100 bytes with its 8 of header (ns-3 counts 4 of them as data)
    EXPECT_EQ(received.bytes, sent.bytes);
}

TEST_F(FabricNetDeviceTest, TcpTransfersThroughFiveHops)
{
    constexpr uint16_t PORT = 5000;
    constexpr uint64_t BYTES = 5'000'000;
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(8900));
    const Inet6SocketAddress there(helper->PortAddress(3, 0), PORT);
    PacketSinkHelper sinkHelper("ns3::TcpSocketFactory",
                                Inet6SocketAddress(Ipv6Address::GetAny(), PORT));
    ApplicationContainer sinks = sinkHelper.Install(nodes.Get(1));
    BulkSendHelper source("ns3::TcpSocketFactory", there);
    source.SetAttribute("MaxBytes", UintegerValue(BYTES));
    source.Install(nodes.Get(0)).Start(MilliSeconds(1));
    Simulator::Stop(Seconds(5));
    Simulator::Run();
    EXPECT_EQ(DynamicCast<PacketSink>(sinks.Get(0))->GetTotalRx(), BYTES);
}

TEST_F(FabricNetDeviceTest, LinkChangesAreSeenAndTold)
{
    struct Listener
    {
        void Note()
        {
            states.push_back(device->IsLinkUp());
        }

        Ptr<NetDevice> device;
        std::vector<bool> states;
    };

    Listener listener{Device(0, 1), {}};
    Device(0, 1)->AddLinkChangeCallback(MakeCallback(&Listener::Note, &listener));
    EXPECT_TRUE(Device(0, 1)->IsLinkUp());
    const mrc::ClosLink link = network->Clos().LinkOf(1, {mrc::NodeKind::NIC, 0, 1});
    Simulator::Schedule(MilliSeconds(1), [&] { network->SetLinkUp(link, false); });
    Simulator::Schedule(MilliSeconds(2), [&] { network->SetLinkUp(link, true); });
    Simulator::Stop(MilliSeconds(3));
    Simulator::Run();
    EXPECT_EQ(listener.states, (std::vector<bool>{false, true}));
    EXPECT_TRUE(Device(0, 0)->IsLinkUp());
}

TEST_F(FabricNetDeviceTest, WhatIsOfTheLinkOnlyIsCountedAndDropped)
{
    PacketCounter dropped;
    Ptr<MrcFabricNetDevice> device = Device(0, 0);
    device->TraceConnectWithoutContext("MacTxDrop", MakeCallback(&PacketCounter::Count, &dropped));
    constexpr uint16_t ARP = 0x0806;
    constexpr uint16_t IPV6 = 0x86dd;
    EXPECT_FALSE(device->Send(Create<Packet>(46), device->GetBroadcast(), ARP));
    EXPECT_FALSE(device->Send(Create<Packet>(10), device->GetBroadcast(), IPV6));   // too short
    EXPECT_FALSE(device->Send(Create<Packet>(60), device->GetBroadcast(), IPV6));   // version 0
    EXPECT_FALSE(device->Send(Create<Packet>(9001), device->GetBroadcast(), IPV6)); // MTU
    EXPECT_EQ(dropped.packets, 4u);
}

TEST_F(FabricNetDeviceTest, ABridgeGetsPacketsForTheHostBehindIt)
{
    struct Bridge
    {
        bool Take(Ptr<NetDevice>,
                  Ptr<const Packet> packet,
                  uint16_t protocol,
                  const Address& from,
                  const Address& to,
                  NetDevice::PacketType type)
        {
            EXPECT_EQ(protocol, 0x86dd);
            EXPECT_EQ(Mac48Address::ConvertFrom(from), MrcFabricNetDevice::SwitchAddress(0));
            EXPECT_EQ(Mac48Address::ConvertFrom(to), Mac48Address("02:00:00:00:00:99"));
            EXPECT_EQ(type, NetDevice::PACKET_OTHERHOST);
            bytes += packet->GetSize();
            return true;
        }

        uint32_t bytes{0};
    };

    // A packet of 40 + 4 bytes without next header, from nic-0 to nic-3 and back.
    const auto packet = [this](uint32_t from, uint32_t to) {
        uint8_t bytes[44] = {0x60, 0, 0, 0, 0, 4, 59, 64};
        helper->PortAddress(from, 0).GetBytes(bytes + 8);
        helper->PortAddress(to, 0).GetBytes(bytes + 24);
        return Create<Packet>(bytes, sizeof(bytes));
    };
    Bridge bridge;
    Device(1, 0)->SetPromiscReceiveCallback(MakeCallback(&Bridge::Take, &bridge));
    Simulator::Schedule(MicroSeconds(1), [&] {
        EXPECT_TRUE(Device(1, 0)->SendFrom(
            packet(3, 0), Mac48Address("02:00:00:00:00:99"), Mac48Address(), 0x86dd));
    });
    Simulator::Schedule(MicroSeconds(100), [&] {
        EXPECT_TRUE(Device(0, 0)->Send(packet(0, 3), Device(0, 0)->GetBroadcast(), 0x86dd));
    });
    Simulator::Stop(MilliSeconds(1));
    Simulator::Run();
    EXPECT_EQ(bridge.bytes, 44u);
}

} // namespace

} // namespace ns3
