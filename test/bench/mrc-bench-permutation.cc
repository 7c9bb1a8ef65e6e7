// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-bench-permutation.h"

#include "mrc-multi-plane-clos-helper.h"
#include "mrc-traffic.h"

#include <ns3/data-rate.h>
#include <ns3/drop-tail-queue.h>
#include <ns3/global-value.h>
#include <ns3/mac48-address.h>
#include <ns3/node-container.h>
#include <ns3/point-to-point-channel.h>
#include <ns3/point-to-point-net-device.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <ctime>
#include <functional>
#include <memory>
#include <vector>

namespace mrc::bench
{

using namespace ns3;

namespace
{
/// A node that forwards raw packets: three bytes of destination and one that spreads them.
class StockForwarder
{
  public:
    /// @param node leaf, spine or NIC whose devices it serves
    explicit StockForwarder(Ptr<Node> node)
        : m_node(node)
    {
    }

    /// Join two nodes by a link. @return device number at the first node
    static uint32_t Link(StockForwarder& a, StockForwarder& b)
    {
        auto channel = CreateObject<PointToPointChannel>();
        channel->SetAttribute("Delay", TimeValue(NanoSeconds(711)));
        for (StockForwarder* end : {&a, &b})
        {
            auto device = CreateObject<PointToPointNetDevice>();
            device->SetAddress(Mac48Address::Allocate());
            device->SetDataRate(DataRate("100Gbps"));
            device->SetMtu(9000);
            auto queue = CreateObject<DropTailQueue<Packet>>();
            queue->SetMaxSize(QueueSize("100000p"));
            device->SetQueue(queue);
            end->m_node->AddDevice(device);
            device->Attach(channel);
            device->SetReceiveCallback(MakeCallback(&StockForwarder::Receive, end));
            end->m_devices.push_back(device);
        }
        return static_cast<uint32_t>(a.m_devices.size() - 1);
    }

    /// Send a packet through a device; counts a hop.
    void Send(uint32_t device, Ptr<Packet> packet)
    {
        ++g_hops;
        m_devices[device]->Send(packet, m_devices[device]->GetBroadcast(), 0x0800);
    }

    /// Called for each packet that arrives. @return number of the device to forward it through
    std::function<int(uint8_t spray, uint32_t destination)> route;

    static inline uint64_t g_hops = 0;     ///< packets serialised
    static inline uint64_t g_received = 0; ///< packets at their destination

  private:
    bool Receive(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address&)
    {
        uint8_t head[5];
        packet->CopyData(head, sizeof(head));
        const uint32_t destination = head[0] | head[1] << 8 | head[2] << 16;
        const int device = route(head[4], destination);
        if (device < 0)
        {
            ++g_received;
            return true;
        }
        Send(static_cast<uint32_t>(device), packet->Copy());
        return true;
    }

    Ptr<Node> m_node;                                  //!< whose devices
    std::vector<Ptr<PointToPointNetDevice>> m_devices; //!< in the order of Link()
};

/**
 * Sends packets to one destination at line rate, spread over all spines.
 *
 * It has one event pending: with all packets scheduled beforehand, a long event list would make
 * stock ns-3 look slower than it is.
 */
class StockSource
{
  public:
    /// @param nic sends @param index of it @param destination receives @param packets how many
    StockSource(StockForwarder& nic, uint32_t index, uint32_t destination, uint32_t packets)
        : m_nic(nic),
          m_destination(destination),
          m_packets(packets),
          m_spray(index)
    {
    }

    /// Send the next packet, and plan the one after it.
    void Send()
    {
        // Neighbours start at different spines, so that they do not queue behind each other.
        const uint8_t head[5] = {static_cast<uint8_t>(m_destination),
                                 static_cast<uint8_t>(m_destination >> 8),
                                 static_cast<uint8_t>(m_destination >> 16),
                                 0,
                                 static_cast<uint8_t>(m_spray++)};
        auto packet = Create<Packet>(head, sizeof(head));
        packet->AddPaddingAtEnd(FRAME_BYTES - sizeof(head));
        m_nic.Send(0, packet);
        if (--m_packets > 0)
        {
            Simulator::Schedule(NanoSeconds(340), &StockSource::Send, this);
        }
    }

  private:
    static constexpr uint32_t FRAME_BYTES = 4242; //!< a full WRITE; 340 ns at 100 Gb/s

    StockForwarder& m_nic;  //!< where packets leave
    uint32_t m_destination; //!< where they go
    uint32_t m_packets;     //!< left to send
    uint32_t m_spray;       //!< spine of the next one, modulo their number
};
} // namespace

double
CpuSeconds()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

RunCost
RunMrcPermutation(uint32_t nics, uint32_t nicsPerT0, uint32_t planes, uint64_t bytes)
{
    RunCost cost{};
    MrcMultiPlaneClosHelper::UseFastSimulator();
    const double startS = CpuSeconds();
    MrcMultiPlaneClosHelper clos;
    clos.Config().nics = nics;
    clos.Config().nicsPerT0 = nicsPerT0;
    clos.Config().planes = planes;
    Ptr<MrcClosNetwork> network = clos.Install();
    MrcTraffic traffic(network, mrc::Permutation(nics, bytes, 1, 1), MrcVerify::PLACEMENT);
    traffic.SetDoneCallback([] { Simulator::Stop(); });
    traffic.Start();
    const double runS = CpuSeconds();
    Simulator::Run();
    cost.cpuS = CpuSeconds() - runS;
    cost.setupCpuS = runS - startS;
    const MrcNetworkCounters counters = network->Counters();
    cost.hops = counters.nicPorts.sent + counters.switchPorts.sent;
    cost.events = Simulator::GetEventCount();
    cost.isComplete = traffic.Verify() == traffic.Total();
    Simulator::Destroy();
    return cost;
}

RunCost
RunStockPermutation(uint32_t nics, uint32_t nicsPerLeaf, uint32_t packets)
{
    RunCost cost{};
    MrcMultiPlaneClosHelper::UsePicoseconds();
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
    GlobalValue::Bind("SchedulerType", StringValue("ns3::PriorityQueueScheduler"));
    const double startS = CpuSeconds();
    const uint32_t leaves = nics / nicsPerLeaf;
    NodeContainer nodes;
    nodes.Create(nics + leaves + nicsPerLeaf);
    std::vector<std::unique_ptr<StockForwarder>> forwarders;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        forwarders.push_back(std::make_unique<StockForwarder>(nodes.Get(i)));
    }
    auto leafOf = [&](uint32_t nic) { return nic / nicsPerLeaf; };
    for (uint32_t nic = 0; nic < nics; ++nic)
    {
        StockForwarder::Link(*forwarders[nics + leafOf(nic)], *forwarders[nic]);
        forwarders[nic]->route = [](uint8_t, uint32_t) { return -1; };
    }
    for (uint32_t leaf = 0; leaf < leaves; ++leaf)
    {
        for (uint32_t spine = 0; spine < nicsPerLeaf; ++spine)
        {
            StockForwarder::Link(*forwarders[nics + leaf], *forwarders[nics + leaves + spine]);
        }
        forwarders[nics + leaf]->route = [=](uint8_t spray, uint32_t destination) {
            return static_cast<int>(leafOf(destination) == leaf
                                        ? destination % nicsPerLeaf
                                        : nicsPerLeaf + spray % nicsPerLeaf);
        };
    }
    for (uint32_t spine = 0; spine < nicsPerLeaf; ++spine)
    {
        forwarders[nics + leaves + spine]->route = [=](uint8_t, uint32_t destination) {
            return static_cast<int>(leafOf(destination));
        };
    }
    StockForwarder::g_hops = 0;
    StockForwarder::g_received = 0;
    const mrc::Workload permutation = mrc::Permutation(nics, 1, 1, 1);
    std::vector<StockSource> sources;
    sources.reserve(permutation.messages.size());
    for (const mrc::Message& message : permutation.messages)
    {
        sources.emplace_back(
            *forwarders[message.source], message.source, message.destination, packets);
        Simulator::ScheduleNow(&StockSource::Send, &sources.back());
    }
    const double runS = CpuSeconds();
    Simulator::Run();
    cost.cpuS = CpuSeconds() - runS;
    cost.setupCpuS = runS - startS;
    cost.hops = StockForwarder::g_hops;
    cost.events = Simulator::GetEventCount();
    cost.isComplete = StockForwarder::g_received == permutation.messages.size() * packets;
    Simulator::Destroy();
    return cost;
}

} // namespace mrc::bench
