// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-endpoints.h"

#include "mrc-psn.h"
#include "mrc-qp-exchange.h"

#include <algorithm>

namespace mrc::emu
{

Endpoints::Endpoints(EmuFabric& fabric, const Lab& lab)
    : m_fabric(fabric),
      m_lab(lab),
      m_random(lab.seed)
{
}

//= MRC-REF 1 Connection set-up is out of band
std::string
Endpoints::Connect(uint32_t nic, const std::string& host, uint64_t bytes, const std::string& offer)
{
    const auto isHost = [&](const LabHost& one) { return one.name == host; };
    const auto found = std::find_if(m_lab.hosts.begin(), m_lab.hosts.end(), isHost);
    if (found == m_lab.hosts.end())
    {
        throw LabError("there is no host '" + host + "'");
    }
    for (const LabHost& one : m_lab.hosts)
    {
        if (one.nic == nic)
        {
            throw LabError("nic-" + std::to_string(nic) + " is the real host " + one.name);
        }
    }
    const mrc::QpMessage message = mrc::DecodeQpMessage(offer);
    if (message.kind != mrc::QpMessage::Kind::OFFER)
    {
        throw LabError("the offer is refused: " + message.reason);
    }
    ns3::MrcClosNetwork& network = m_fabric.Network();
    ns3::MrcNic& node = network.Nic(nic);
    const mrc::TransportConfig& transport = network.Profile().Transport();
    Connection connection{nic, node.NextQp(), 0, bytes, mrc::HugeBlock()};
    mrc::QpOffer own = mrc::MakeQpOffer(
        transport, connection.qp, static_cast<uint32_t>(m_random.Next() & mrc::PSN_MASK));
    if (bytes > 0)
    {
        connection.memory = mrc::MakeZeroBlock(bytes);
        if (connection.memory == nullptr)
        {
            throw LabError("there is not enough memory for " + std::to_string(bytes) + " bytes");
        }
        auto storage = reinterpret_cast<uint8_t*>(connection.memory.get());
        connection.region = node.Memory().Register(0, bytes, storage, 0);
        own.rKey = node.Memory().Region(connection.region).RKey();
        own.bytes = bytes;
    }
    node.CreateQp(found->nic, mrc::NegotiateQp(own, message.offer, network.Profile().IsSrv6()));
    m_connections.push_back(std::move(connection));
    return mrc::EncodeQpOffer(own);
}

const Endpoints::Connection&
Endpoints::Find(uint32_t nic, uint32_t qp) const
{
    for (const Connection& connection : m_connections)
    {
        if (connection.nic == nic && connection.qp == qp)
        {
            return connection;
        }
    }
    throw LabError("nic-" + std::to_string(nic) + " has no QP " + std::to_string(qp) +
                   " that a host connected to");
}

void
Endpoints::Write(uint32_t nic, uint32_t qp, uint32_t rKey, uint64_t va, uint32_t bytes)
{
    const Connection& connection = Find(nic, qp);
    if (bytes > connection.bytes)
    {
        throw LabError("the connection has " + std::to_string(connection.bytes) +
                       " bytes of memory to send from");
    }
    const auto* payload = reinterpret_cast<const uint8_t*>(connection.memory.get());
    m_fabric.Network().Nic(nic).Post(qp, {m_nextId++, va, payload, bytes, rKey, 0, false});
}

std::string
Endpoints::Describe(uint32_t nic, uint32_t qp) const
{
    const Connection& connection = Find(nic, qp);
    const mrc::MemoryRegion& region =
        m_fabric.Network().Nic(nic).Memory().Region(connection.region);
    // FNV-1a: whoever wrote the memory can compute what it should be.
    uint64_t hash = 0xcbf29ce484222325;
    const auto* bytes = reinterpret_cast<const uint8_t*>(connection.memory.get());
    for (uint64_t i = 0; i < connection.bytes; ++i)
    {
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    }
    return "placed=" + std::to_string(connection.bytes == 0 ? 0 : region.PlacedBytes()) +
           " fnv1a=" + std::to_string(hash) + "\n";
}

} // namespace mrc::emu
