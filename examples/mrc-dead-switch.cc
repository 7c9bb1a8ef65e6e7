// SPDX-License-Identifier: GPL-2.0-only
//
// What does a permutation notice of a T1 switch that dies and returns?
//
//    plane 0              plane 1          (and so on)
//   t1-0 ... t1-7        t1-0 ... t1-7     t1-2 of plane 0 is down for a while
//     |  \  /  |           |  \  /  |
//   t0-0 ... t0-7        t0-0 ... t0-7
//     |        |           |        |
//   nic-0 ... nic-63 have a port in each plane
//
// Prints each EV that a NIC retires or takes back, summed up per 20 us, and when messages ended.

#include "ns3/mrc-fault-schedule.h"
#include "ns3/mrc-multi-plane-clos-helper.h"
#include "ns3/mrc-route-around.h"
#include "ns3/mrc-traffic.h"
#include <ns3/command-line.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <algorithm>
#include <iostream>
#include <map>

using namespace ns3;

namespace
{

/// Transitions in one slot of time.
struct Slot
{
    uint32_t retired{0};  ///< EVs that went to ASSUMED_BAD
    uint32_t restored{0}; ///< EVs that came back
};

constexpr int64_t SLOT_PS = 20'000'000;

std::map<int64_t, Slot> g_slots; ///< by number

/// Trace sink of MrcNic::EvState.
void
OnEvState(uint32_t /* nic */, uint32_t /* qp */, uint32_t /* ev */, const mrc::EvTransition& change)
{
    Slot& slot = g_slots[change.nowPs / SLOT_PS];
    slot.retired += change.to == mrc::EvState::ASSUMED_BAD;
    slot.restored += change.from == mrc::EvState::ASSUMED_BAD && change.to == mrc::EvState::GOOD;
}

} // namespace

int
main(int argc, char* argv[])
{
    MrcMultiPlaneClosHelper::UseFastSimulator();
    uint32_t nics = 64;
    uint32_t planes = 4;
    uint32_t mebibytes = 16;
    std::string fault = "switch-down p0/t1-2@100us+100us";
    CommandLine cmd(__FILE__);
    cmd.AddValue("nics", "number of NICs, a multiple of 8", nics);
    cmd.AddValue("planes", "number of planes", planes);
    cmd.AddValue("mebibytes", "length of each message, MiB", mebibytes);
    cmd.AddValue("fault", "what fails, see mrc-sim --help-faults", fault);
    cmd.Parse(argc, argv);

    MrcMultiPlaneClosHelper clos;
    clos.Config().nics = nics;
    clos.Config().nicsPerT0 = 8;
    clos.Config().planes = planes;
    clos.SetProfileAttribute("ProbeInterval", StringValue("20us"));
    Ptr<MrcClosNetwork> network = clos.Install();
    for (uint32_t nic = 0; nic < nics; ++nic)
    {
        network->Nic(nic).TraceConnectWithoutContext("EvState", MakeCallback(&OnEvState));
    }

    MrcTraffic traffic(
        network, mrc::Permutation(nics, uint64_t{mebibytes} << 20, 1, 1), MrcVerify::PLACEMENT);
    MrcFaultSchedule faults(network);
    faults.Add(fault);
    MrcRouteAroundMonitor monitor(network, faults.Faults());
    faults.Install();
    monitor.Install();
    traffic.SetDoneCallback([] { Simulator::Stop(); });
    traffic.Start();
    Simulator::Stop(Seconds(1));
    Simulator::Run();

    std::cout << "from_us retired restored\n";
    for (const auto& [number, slot] : g_slots)
    {
        if (slot.retired + slot.restored != 0)
        {
            std::cout << number * SLOT_PS / 1'000'000 << ' ' << slot.retired << ' ' << slot.restored
                      << '\n';
        }
    }
    int64_t lastPs = 0;
    for (const auto& record : traffic.Records())
    {
        lastPs = std::max(lastPs, record.completedPs);
    }
    std::cout << "the last WRITE left for a failed path "
              << static_cast<double>(monitor.Results()[0].TimePs()) / 1e6
              << " us after the failure\n"
              << traffic.Completed() << " of " << traffic.Total() << " messages, the last by "
              << static_cast<double>(lastPs) / 1e6 << " us\n";
    const bool isRight =
        traffic.Completed() == traffic.Total() && traffic.Verify() == traffic.Total();
    Simulator::Destroy();
    return isRight ? 0 : 1;
}
