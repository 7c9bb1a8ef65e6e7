// SPDX-License-Identifier: GPL-2.0-only
//
// Two Linux network namespaces joined by a simulated fabric, with stock parts of ns-3 only:
// TapBridge and RealtimeSimulatorImpl.
//
//   h0: tap0 = TapBridge = nic-0 --- t0-0 --- t1-0 --- t0-1 --- nic-3 = TapBridge = tap1 :h1
//
// The TAPs must exist. A script runs once they are open; examples/mrc-tap-bridge.sh makes them,
// moves them into namespaces and pings from one to the other. mrc-emu does all that by itself,
// faster, and with several planes.

#include "ns3/mrc-fabric-net-device-helper.h"
#include "ns3/mrc-multi-plane-clos-helper.h"
#include <ns3/command-line.h>
#include <ns3/global-value.h>
#include <ns3/node-container.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/tap-bridge-helper.h>
#include <ns3/tap-bridge.h>

#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace ns3;

namespace
{

/// Exit code for "cannot be done here", as CTest knows it.
constexpr int SKIPPED = 77;

/// @return the helper program that this ns-3's TapBridge starts, as compiled into its library
std::string
FindCreator()
{
    Dl_info info{};
    const auto where = reinterpret_cast<void*>(&TapBridge::GetTypeId);
    std::ifstream library(dladdr(where, &info) != 0 ? info.dli_fname : "", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(library), {}};
    const std::string suffix = "tap-creator";
    for (size_t at = bytes.find(suffix); at != std::string::npos; at = bytes.find(suffix, at + 1))
    {
        const size_t begin = bytes.rfind('\0', at) + 1;
        const size_t end = at + suffix.size();
        if (bytes[begin] == '/' && bytes[end] == '\0')
        {
            return bytes.substr(begin, end - begin);
        }
    }
    return "";
}

/// @return whether TapBridge can start its helper; says what to do if not
bool
HasCreator()
{
    const std::string creator = FindCreator();
    if (creator.empty() || access(creator.c_str(), X_OK) == 0)
    {
        return true; // not found in the library: let TapBridge try
    }
    std::cerr << "mrc-tap-bridge: TapBridge of this ns-3 starts the program\n  " << creator
              << "\nwhich is not there: the path is that of the machine where ns-3 was built.\n"
                 "On Debian the program is in package ns3. As root:\n"
                 "  apt-get install ns3\n  mkdir -p "
              << creator.substr(0, creator.rfind('/')) << "\n  ln -s /usr/libexec/ns3/"
              << creator.substr(creator.rfind('/') + 1) << ' ' << creator
              << "\nOr use mrc-emu, which needs no helper.\n";
    return false;
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string taps[] = {"tap0", "tap1"};
    std::string script;
    bool isCheck = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("tap0", "TAP of the first host", taps[0]);
    cmd.AddValue("tap1", "TAP of the second host", taps[1]);
    cmd.AddValue("script",
                 "program to run once the TAPs are open, with the hosts' addresses in $HOST0 and "
                 "$HOST1 and no arguments; the simulation ends with it",
                 script);
    cmd.AddValue("check", "only see whether TapBridge finds its helper program", isCheck);
    cmd.Parse(argc, argv);
    if (!HasCreator())
    {
        return SKIPPED;
    }
    if (isCheck)
    {
        return 0;
    }
    if (script.empty())
    {
        std::cerr << "mrc-tap-bridge: --script: name a program, see examples/mrc-tap-bridge.sh\n";
        return 2;
    }

    MrcMultiPlaneClosHelper::UsePicoseconds();
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::RealtimeSimulatorImpl"));
    MrcMultiPlaneClosHelper clos;
    clos.Config().planes = 1;
    clos.Config().nics = 4;
    clos.Config().nicsPerT0 = 2;
    clos.SetLink(DataRate("1Gbps"), MicroSeconds(1));
    Ptr<MrcClosNetwork> network = clos.Install();

    const uint32_t nics[] = {0, 3};
    NodeContainer nodes;
    nodes.Create(2);
    MrcFabricNetDeviceHelper helper(network);
    TapBridgeHelper bridge;
    bridge.SetAttribute("Mode", StringValue("UseBridge"));
    for (uint32_t i = 0; i < 2; ++i)
    {
        const NetDeviceContainer devices = helper.Install(nodes.Get(i), nics[i]);
        bridge.SetAttribute("DeviceName", StringValue(taps[i]));
        bridge.Install(nodes.Get(i), devices.Get(0));
        std::ostringstream address;
        address << helper.PortAddress(nics[i], 0);
        setenv(i == 0 ? "HOST0" : "HOST1", address.str().c_str(), 1);
    }

    int status = -1;
    std::thread runner;
    Simulator::Schedule(MilliSeconds(100), [&] {
        runner = std::thread([&] {
            status = std::system(script.c_str());
            Simulator::ScheduleWithContext(0, Time(0), [] { Simulator::Stop(); });
        });
    });
    Simulator::Run();
    runner.join();
    Simulator::Destroy();
    return status == 0 ? 0 : 1;
}
