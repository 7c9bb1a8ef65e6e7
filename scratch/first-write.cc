// SPDX-License-Identifier: GPL-2.0-only
// The shortest useful script: one NIC writes 1 MiB to another one across four planes.

#include "ns3/mrc-helper.h"
#include "ns3/mrc-multi-plane-clos-helper.h"
#include <ns3/simulator.h>

#include <iostream>

using namespace ns3;

int
main()
{
    MrcMultiPlaneClosHelper::UseFastSimulator();
    MrcMultiPlaneClosHelper clos;
    clos.Config().nics = 16;
    clos.Config().nicsPerT0 = 8;
    Ptr<MrcClosNetwork> network = clos.Install();

    MrcHelper mrc(network);
    constexpr uint32_t BYTES = 1 << 20;
    const uint32_t key = mrc.RegisterMemory(9, 0, BYTES);
    const MrcConnection connection = mrc.Connect(0, 9);
    mrc.Write(0, connection.sourceQp, key, 0, BYTES);

    Simulator::Run();
    const bool isDone = network->Nic(0).Counters().messagesDone == 1;
    std::cout << (isDone ? "done: " : "not done: ")
              << network->Nic(9).Memory().Region(0).PlacedBytes() << " bytes placed by "
              << Simulator::Now().GetMicroSeconds() << " us\n";
    Simulator::Destroy();
    return isDone ? 0 : 1;
}
