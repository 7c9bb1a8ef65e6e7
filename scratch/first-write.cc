// SPDX-License-Identifier: GPL-2.0-only
// The shortest useful script: one NIC writes 1 MiB to another one across four planes.

#include "ns3/mrc-multi-plane-clos-helper.h"

#include <ns3/simulator.h>

#include <iostream>

using namespace ns3;

int
main()
{
    MrcMultiPlaneClosHelper::UsePicoseconds();
    MrcMultiPlaneClosHelper clos;
    clos.Config().nics = 16;
    clos.Config().nicsPerT0 = 8;
    Ptr<MrcClosNetwork> network = clos.Install();

    constexpr uint32_t BYTES = 1 << 20;
    mrc::MemoryTable& memory = network->Nic(9).Memory();
    const uint32_t key = memory.Region(memory.Register(0, BYTES, nullptr, 4096)).RKey();
    const MrcConnection connection = network->Connect(0, 9);
    network->Nic(0).Post(connection.sourceQp, {1, 0, nullptr, BYTES, key, 0, false});

    Simulator::Run();
    const bool isDone = network->Nic(0).Counters().messagesDone == 1;
    std::cout << (isDone ? "done: " : "not done: ") << memory.Region(0).PlacedBytes()
              << " bytes placed by " << Simulator::Now().GetMicroSeconds() << " us\n";
    Simulator::Destroy();
    return isDone ? 0 : 1;
}
