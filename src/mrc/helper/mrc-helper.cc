// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-helper.h"

namespace ns3
{

MrcHelper::MrcHelper(Ptr<MrcClosNetwork> network)
    : m_network(network)
{
}

uint32_t
MrcHelper::RegisterMemory(uint32_t nic, uint64_t va, uint64_t bytes, uint8_t* storage)
{
    mrc::MemoryTable& memory = m_network->Nic(nic).Memory();
    const uint32_t granule = m_network->Profile().Transport().mtuBytes;
    return memory.Region(memory.Register(va, bytes, storage, granule)).RKey();
}

MrcConnection
MrcHelper::Connect(uint32_t source, uint32_t destination)
{
    return m_network->Connect(source, destination);
}

uint64_t
MrcHelper::Write(
    uint32_t nic, uint32_t qp, uint32_t rKey, uint64_t va, uint32_t bytes, const uint8_t* payload)
{
    m_network->Nic(nic).Post(qp, {m_nextId, va, payload, bytes, rKey, 0, false});
    return m_nextId++;
}

void
MrcHelper::EnablePcap(const std::string& path, const std::vector<std::string>& ports)
{
    const mrc::ClosPlan& clos = m_network->Clos();
    std::vector<mrc::ClosPort> found;
    for (const std::string& name : ports)
    {
        found.push_back(mrc::ParsePortName(clos, name)); // before the file is made
    }
    Capture capture;
    capture.writer = std::make_unique<mrc::PcapngWriter>(path);
    for (const mrc::ClosPort& port : found)
    {
        const std::string name = mrc::PortName(clos, port.plane, port.end);
        capture.ports.push_back(std::make_unique<MrcPcapPort>(
            *capture.writer,
            mrc::PcapngInterface{name, ""},
            Ptr<MrcEgressPort>(&m_network->Port(port.plane, port.end)),
            Ptr<MrcEgressPort>(&m_network->Port(port.plane, clos.Peer(port.plane, port.end))),
            m_network->Fabric().Addresses()));
    }
    m_captures.push_back(std::move(capture));
}

} // namespace ns3
