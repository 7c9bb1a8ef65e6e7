// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-stock-emulation.h"

#include "mrc-emu-host-setup.h"
#include "mrc-emu-namespace.h"
#include "mrc-emu-tap.h"
#include "mrc-packet-source.h"

#include <ns3/bridge-helper.h>
#include <ns3/csma-helper.h>
#include <ns3/fd-net-device.h>
#include <ns3/global-value.h>
#include <ns3/node-container.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <atomic>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

namespace mrc::bench
{

namespace
{

/// @return CPU time of this process, s
double
CpuS()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/// A host behind a TAP.
struct Host
{
    emu::Fd network; ///< its namespace
    emu::Fd tap;     ///< to it
};

/// @param mac of its interface @return the host
Host
MakeHost(const char* mac)
{
    Host host;
    host.network = emu::MakeNetwork([&]() {
        host.tap = emu::OpenTap("p0");
        for (const char* name : {"accept_dad", "accept_ra", "router_solicitations"})
        {
            std::ofstream(std::string("/proc/sys/net/ipv6/conf/p0/") + name) << 0;
        }
        emu::RunIpBatch(std::string("link set p0 addrgenmode none address ") + mac + " up\n");
    });
    return host;
}

/// @return packets that a host's interface received
uint64_t
Received(const Host& host)
{
    uint64_t packets = 0;
    emu::InNetwork(host.network, [&]() {
        std::ifstream file("/proc/thread-self/net/dev");
        for (std::string line; std::getline(file, line);)
        {
            const size_t colon = line.find(':');
            if (colon != std::string::npos && line.find("p0") < colon)
            {
                unsigned long long bytes = 0;
                unsigned long long count = 0;
                std::sscanf(line.c_str() + colon + 1, "%llu %llu", &bytes, &count);
                packets = count;
            }
        }
    });
    return packets;
}

/// Put a TAP on a node. @return the device
ns3::Ptr<ns3::FdNetDevice>
AddTap(const ns3::Ptr<ns3::Node>& node, const Host& host)
{
    auto device = ns3::CreateObject<ns3::FdNetDevice>();
    device->SetAddress(ns3::Mac48Address::Allocate());
    device->SetAttribute("RxQueueSize", ns3::UintegerValue(200000));
    node->AddDevice(device);
    // A reader thread of its own blocks in read().
    fcntl(host.tap.Get(), F_SETFL, fcntl(host.tap.Get(), F_GETFL) & ~O_NONBLOCK);
    device->SetFileDescriptor(dup(host.tap.Get()));
    device->Start(ns3::Seconds(0));
    return device;
}

} // namespace

StockResult
RunStock(uint32_t switches, uint32_t bytes, uint32_t perSecond, double seconds)
{
    ns3::GlobalValue::Bind("SimulatorImplementationType",
                           ns3::StringValue("ns3::RealtimeSimulatorImpl"));
    Host from = MakeHost("02:00:00:00:00:01");
    Host to = MakeHost("02:00:00:00:00:02");

    ns3::NodeContainer nodes;
    nodes.Create(switches);
    std::vector<ns3::NetDeviceContainer> ports(switches);
    ports.front().Add(AddTap(nodes.Get(0), from));
    ns3::CsmaHelper csma;
    csma.SetChannelAttribute("DataRate", ns3::StringValue("100Gbps"));
    csma.SetChannelAttribute("Delay", ns3::StringValue("725ns"));
    csma.SetDeviceAttribute("Mtu", ns3::UintegerValue(9000));
    for (uint32_t i = 0; i + 1 < switches; ++i)
    {
        const auto pair = csma.Install(ns3::NodeContainer(nodes.Get(i), nodes.Get(i + 1)));
        ports[i].Add(pair.Get(0));
        ports[i + 1].Add(pair.Get(1));
    }
    ports.back().Add(AddTap(nodes.Get(switches - 1), to));
    ns3::BridgeHelper bridge;
    for (uint32_t i = 0; i < switches; ++i)
    {
        bridge.Install(nodes.Get(i), ports[i]);
    }

    const pid_t source = fork();
    if (source == 0)
    {
        usleep(300'000); // until the event loop runs
        emu::InNetwork(from.network, [&]() {
            SendPackets({"p0", "fd00::1", "fd00::2", 0x020000000002, bytes, perSecond, seconds});
        });
        _exit(0);
    }
    ns3::Simulator::Stop(ns3::Seconds(seconds + 0.6));
    const uint64_t before = Received(to);
    const double beforeS = CpuS();
    ns3::Simulator::Run();
    StockResult result;
    result.cpuS = CpuS() - beforeS;
    emu::WaitFor(source);
    result.delivered = Received(to) - before;
    return result;
}

} // namespace mrc::bench
