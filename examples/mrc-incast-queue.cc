// SPDX-License-Identifier: GPL-2.0-only
//
// What happens in the queue of the last hop when many NICs write to one?
//
//   nic-8 ... nic-8+n-1 --- t0 --- t1 --- t0-0 ===> nic-0     the queue of this port
//
// Samples the data queue of each plane's port to nic-0 and counts trims and marks there, with the
// last hop's ECN off (as MRC clusters run it) or on, and with trimming or tail drop.

#include "ns3/mrc-multi-plane-clos-helper.h"
#include "ns3/mrc-traffic.h"
#include <ns3/boolean.h>
#include <ns3/command-line.h>
#include <ns3/simulator.h>

#include <iostream>

using namespace ns3;

namespace
{

/// What happened at the ports to nic-0.
struct LastHop
{
    /// Trace sink of MrcTrimmingSwitch::Trim.
    void OnTrim(uint32_t port, const mrc::Frame& /* frame */, Time /* when */)
    {
        trims += port == 0;
    }

    /// Trace sink of MrcTrimmingSwitch::Mark.
    void OnMark(uint32_t port, const mrc::Frame& /* frame */, Time /* when */)
    {
        marks += port == 0;
    }

    /// Print the queues, and come back.
    void Sample()
    {
        std::cout << Simulator::Now().GetMicroSeconds();
        for (uint32_t plane = 0; plane < network->Clos().Planes(); ++plane)
        {
            MrcEgressPort& port = network->Switch(plane, mrc::NodeKind::T0, 0).Port(0);
            port.Advance(Simulator::Now().GetTimeStep());
            std::cout << ' ' << port.DataBytes();
        }
        std::cout << '\n';
        Simulator::Schedule(interval, &LastHop::Sample, this);
    }

    Ptr<MrcClosNetwork> network; ///< what is watched
    Time interval;               ///< between samples
    uint64_t trims{0};           ///< so far
    uint64_t marks{0};           ///< so far
};

} // namespace

int
main(int argc, char* argv[])
{
    MrcMultiPlaneClosHelper::UseFastSimulator();
    uint32_t senders = 16;
    uint32_t kibibytes = 1024;
    bool lastHopEcn = false;
    bool trimming = true;
    double sampleUs = 10;
    CommandLine cmd(__FILE__);
    cmd.AddValue("senders", "NICs that write to nic-0, up to 56", senders);
    cmd.AddValue("kibibytes", "length of each message, KiB", kibibytes);
    cmd.AddValue("lastHopEcn", "mark on the last hop too", lastHopEcn);
    cmd.AddValue("trimming", "trim instead of dropping", trimming);
    cmd.AddValue("sampleUs", "time between samples, us", sampleUs);
    cmd.Parse(argc, argv);

    MrcMultiPlaneClosHelper clos;
    clos.Config().nics = 64;
    clos.Config().nicsPerT0 = 8;
    clos.Config().planes = 2;
    clos.SetSwitchAttribute("LastHopEcn", BooleanValue(lastHopEcn));
    clos.SetSwitchAttribute("Trimming", BooleanValue(trimming));

    LastHop watch;
    watch.network = clos.Install();
    watch.interval = MicroSeconds(1) * sampleUs;
    for (uint32_t plane = 0; plane < watch.network->Clos().Planes(); ++plane)
    {
        MrcTrimmingSwitch& t0 = watch.network->Switch(plane, mrc::NodeKind::T0, 0);
        t0.TraceConnectWithoutContext("Trim", MakeCallback(&LastHop::OnTrim, &watch));
        t0.TraceConnectWithoutContext("Mark", MakeCallback(&LastHop::OnMark, &watch));
    }

    mrc::Workload incast;
    for (uint32_t sender = 0; sender < senders && sender < 56; ++sender)
    {
        mrc::Message message{};
        message.bytes = uint64_t{kibibytes} << 10;
        message.source = 8 + sender;
        message.destination = 0;
        incast.messages.push_back(message);
    }
    MrcTraffic traffic(watch.network, incast, MrcVerify::PLACEMENT);
    traffic.SetDoneCallback([] { Simulator::Stop(); });
    traffic.Start();
    std::cout << "us queue_bytes_plane_0 queue_bytes_plane_1\n";
    watch.Sample();
    Simulator::Stop(Seconds(1));
    Simulator::Run();

    const MrcNetworkCounters counters = watch.network->Counters();
    std::cout << traffic.Completed() << " of " << traffic.Total() << " messages, " << watch.trims
              << " trims and " << watch.marks << " marks at the last hop, "
              << counters.endpoint.retransmitted << " packets sent again\n";
    const bool isRight =
        traffic.Completed() == traffic.Total() && traffic.Verify() == traffic.Total();
    Simulator::Destroy();
    return isRight ? 0 : 1;
}
