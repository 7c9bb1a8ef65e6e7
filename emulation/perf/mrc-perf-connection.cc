// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-perf-connection.h"

#include "mrc-address-plan.h"
#include "mrc-host-clock.h"
#include "mrc-perf-error.h"
#include "mrc-psn.h"

#include <algorithm>
#include <random>

namespace mrc::perf
{

namespace
{

/// Least payload of a full packet.
constexpr uint32_t MIN_MTU_BYTES = 256;

/// How long the peer may take for an answer while both set up.
constexpr int ANSWER_TIMEOUT_MS = 20'000;

/// @return bytes that an IP packet of the largest payload has besides it
uint32_t
IpOverheadBytes(bool isEncapsulated)
{
    return FrameL2Bytes(Opcode::WRITE_ONLY_IMM, true, isEncapsulated, 0) - ETHERNET_BYTES;
}

/// @return random bits that no other process has
uint64_t
RandomSeed()
{
    std::random_device device;
    return uint64_t{device()} << 32 | device();
}

} // namespace

PerfConnection::PerfConnection(const Options& options, ControlChannel channel, HostSink& sink)
    : m_options(options),
      m_channel(std::move(channel)),
      m_sink(sink)
{
    std::vector<HostPort> ports = FindPorts();
    if (options.isServer)
    {
        m_peer = AwaitHello();
        m_own.test = m_peer.test;
        m_own.baseRttPs = m_peer.baseRttPs;
    }
    else
    {
        m_own.test = options.test;
        m_own.test.seed = RandomSeed();
        m_own.baseRttPs = options.baseRttPs != 0 ? options.baseRttPs : MeasureRtt();
    }
    try
    {
        Open(std::move(ports));
        if (options.isServer)
        {
            CheckPeer();
        }
    }
    catch (const std::runtime_error& error)
    {
        m_channel.Send({{"refused", error.what()}});
        throw;
    }
    m_channel.Send(EncodeHello(m_own));
    if (!options.isServer)
    {
        m_peer = DecodeHello(m_channel.Receive(ANSWER_TIMEOUT_MS));
        CheckPeer();
    }
    ConnectQps();
    // Nobody sends before both are ready to receive.
    m_channel.Send({{"type", "ready"}});
    const nlohmann::json answer = m_channel.Receive(ANSWER_TIMEOUT_MS);
    if (answer.value("type", "") != "ready")
    {
        throw RunError("the peer gave up: " + answer.value("text", "no reason given"));
    }
}

int64_t
PerfConnection::MeasureRtt()
{
    constexpr int TRIES = 8;
    // Less is not to be had between processes, more than this is not the network.
    constexpr int64_t LEAST_PS = 50'000'000;
    constexpr int64_t MOST_PS = 1'000'000'000'000;
    int64_t bestPs = MOST_PS;
    for (int i = 0; i < TRIES; ++i)
    {
        const int64_t startPs = HostNowPs();
        m_channel.Send({{"type", "ping"}});
        m_channel.Receive(ANSWER_TIMEOUT_MS);
        bestPs = std::min(bestPs, HostNowPs() - startPs);
    }
    return std::max(bestPs, LEAST_PS);
}

Hello
PerfConnection::AwaitHello()
{
    for (;;)
    {
        const nlohmann::json message = m_channel.Receive(ANSWER_TIMEOUT_MS);
        if (message.value("type", "") != "ping")
        {
            return DecodeHello(message);
        }
        m_channel.Send({{"type", "pong"}});
    }
}

std::vector<HostPort>
PerfConnection::FindPorts() const
{
    std::vector<std::string> names = m_options.interfaces;
    if (names.empty())
    {
        names.push_back(InterfaceOf(m_channel.OwnAddress()));
        if (names[0].empty())
        {
            throw BadInput("--interface: name one, the peer is not reached over IPv6");
        }
    }
    std::vector<HostPort> ports;
    for (const std::string& name : names)
    {
        const std::optional<HostInterface> interface = FindInterface(name);
        if (!interface)
        {
            throw BadInput("--interface: there is no interface '" + name + "'");
        }
        if (interface->addresses.empty())
        {
            throw BadInput("--interface: '" + name + "' has no IPv6 address");
        }
        const uint32_t overhead = IpOverheadBytes(m_options.IsSrv6());
        if (interface->mtuBytes < overhead + MIN_MTU_BYTES)
        {
            throw BadInput("--interface: the MTU of '" + name + "' is " +
                           std::to_string(interface->mtuBytes) + ", MRC needs " +
                           std::to_string(overhead + MIN_MTU_BYTES));
        }
        HostPort port;
        port.interface = *interface;
        port.address = interface->addresses[0];
        ports.push_back(std::move(port));
    }
    return ports;
}

void
PerfConnection::Open(std::vector<HostPort> ports)
{
    uint32_t mtuBytes = MAX_MTU_BYTES;
    for (const HostPort& port : ports)
    {
        mtuBytes =
            std::min(mtuBytes, port.interface.mtuBytes - IpOverheadBytes(m_options.IsSrv6()));
    }
    mtuBytes &= ~3u; // full packets need no pad
    if (m_options.test.mtuBytes > mtuBytes)
    {
        throw BadInput("--mtu: the interfaces carry " + std::to_string(mtuBytes) + " at most");
    }
    m_own.address = m_options.address.value_or(ports[0].address);
    m_own.isEncapsulated = m_options.IsSrv6();
    if (m_options.fabric)
    {
        FindPlace(ports);
    }
    for (const HostPort& port : ports)
    {
        m_own.ports.push_back({port.address, port.interface.mac});
    }

    HostEndpointConfig config{};
    config.transport.mtuBytes = m_options.test.mtuBytes != 0 ? m_options.test.mtuBytes : mtuBytes;
    config.transport.mprUnits = m_options.mprUnits;
    config.transport.ackTimeoutExponent = m_options.ackTimeoutExponent;
    config.transport.sackThresholdBytes = 4 * config.transport.mtuBytes;
    // How long a great age of a packet is remembered depends on it.
    config.transport.baseRttPs = std::max(m_own.baseRttPs, m_options.jitterPs);
    config.transport.targetDelayPs = m_own.baseRttPs;
    config.transport.reorderGuardPs = std::max(m_own.baseRttPs, m_options.jitterPs);
    // A host that is late is silent: probes then would make it later.
    config.transport.probeAfterBaseRtts =
        std::max(config.transport.probeAfterBaseRtts,
                 static_cast<uint32_t>(m_options.jitterPs / m_own.baseRttPs));
    config.evs.activePerPlane = m_options.evsPerPlane;
    config.nscc.baseRttPs = m_own.baseRttPs;
    config.nscc.lineRateBitsPerSecond = m_options.portBitsPerSecond * ports.size();
    // Below the jitter of hosts a delay says nothing about queues.
    config.nscc.targetDelayPs = std::max(m_own.baseRttPs, m_options.jitterPs);
    config.nscc.mtuBytes = config.transport.mtuBytes;
    config.nscc.maxCwndBytes = m_options.windowBytes;
    config.isNscc = m_options.isNscc;
    config.windowBytes = m_options.windowBytes;
    config.portBitsPerSecond = m_options.portBitsPerSecond;
    config.ringFrames = m_options.ringFrames;
    config.seed = RandomSeed();
    config.address = m_own.address;
    config.encode.udpPort = m_options.udpPort;
    config.decode.udpPort = m_options.udpPort;
    config.fabric = m_fabric;
    m_buffers = std::make_unique<PerfBuffers>(m_own.test);
    m_endpoint = std::make_unique<HostEndpoint>(config, std::move(ports), m_sink);
    for (uint32_t qp = 0; qp < m_own.test.qps; ++qp)
    {
        uint8_t* const target = m_buffers->Target() + qp * m_buffers->BytesPerQp();
        const auto va = reinterpret_cast<uint64_t>(target);
        MemoryTable& memory = m_endpoint->Memory();
        const uint32_t region = memory.Register(va, m_buffers->BytesPerQp(), target, 0);
        QpOffer offer = MakeQpOffer(config.transport,
                                    m_endpoint->NextQpn() + qp,
                                    static_cast<uint32_t>(RandomSeed()) & PSN_MASK);
        offer.rKey = memory.Region(region).RKey();
        offer.va = va;
        offer.bytes = m_buffers->BytesPerQp();
        m_own.offers.push_back(offer);
    }
}

void
PerfConnection::FindPlace(const std::vector<HostPort>& ports)
{
    const ClosPlan clos(*m_options.fabric);
    const AddressPlan addresses(clos);
    const std::optional<uint32_t> found = addresses.FindNic(ports[0].address);
    if (!m_options.nic && !found)
    {
        throw BadInput("--nic: give it, the address of '" + ports[0].interface.name + "', " +
                       ports[0].address.Print() + ", is none of this fabric");
    }
    m_own.nic = m_options.nic ? *m_options.nic : *found;
    if (!m_options.address)
    {
        m_own.address = addresses.NicAddress(m_own.nic);
    }
    const PathPlan plan(UsidPlan(clos, m_options.usidBlock));
    m_fabric = std::make_shared<FabricPaths>(
        FabricPaths{plan, m_own.nic, m_own.nic, plan.Template(m_own.nic, m_own.nic)});
}

void
PerfConnection::CheckPeer() const
{
    if (m_peer.ports.size() != m_own.ports.size())
    {
        throw RunError("one end has " + std::to_string(m_peer.ports.size()) +
                       " planes, the other one " + std::to_string(m_own.ports.size()) +
                       ": give both as many --interface");
    }
    if (m_peer.isEncapsulated != m_own.isEncapsulated)
    {
        throw RunError("only one end speaks SRv6: give both --fabric or --carrier, or none");
    }
    if (m_fabric && (m_peer.nic >= m_options.fabric->nics || m_peer.nic == m_own.nic))
    {
        throw RunError("one end is NIC " + std::to_string(m_peer.nic) + ", the other one NIC " +
                       std::to_string(m_own.nic) + " of " + std::to_string(m_options.fabric->nics) +
                       ": --nic must differ");
    }
    for (const QpOffer& offer : m_peer.offers)
    {
        if (offer.bytes < m_buffers->BytesPerQp())
        {
            throw RunError("the peer offers less memory than the test needs");
        }
    }
}

void
PerfConnection::ConnectQps()
{
    constexpr int DISCOVERY_MS = 2000;
    auto route = std::make_shared<HostRoute>();
    route->isEncapsulated = m_own.isEncapsulated;
    route->peerAddress = m_peer.address;
    if (m_fabric)
    {
        m_fabric->peerNic = m_peer.nic;
        m_fabric->route = m_fabric->plan.Template(m_own.nic, m_peer.nic);
        route->paths = m_fabric;
    }
    for (size_t plane = 0; plane < m_peer.ports.size(); ++plane)
    {
        HostRoute::Plane way;
        way.peerPort = m_peer.ports[plane].address;
        Ipv6Address destination = way.peerPort;
        int waitMs = DISCOVERY_MS;
        if (!m_options.carriers.empty())
        {
            way.carriers = m_options.carriers[plane];
            destination = Ipv6Address{way.carriers[0].high, way.carriers[0].low};
        }
        else if (m_fabric)
        {
            Frame first{};
            m_fabric->route.Apply(
                m_fabric->plan.EvOf(static_cast<uint32_t>(plane), 0), first.daHigh, first.daLow);
            destination = Ipv6Address{first.daHigh, first.daLow};
        }
        // Without a route the peer is taken to be on the same link.
        way.nextHopMac = FindNextHop(m_endpoint->Ports()[plane].interface, destination, waitMs)
                             .value_or(m_peer.ports[plane].mac);
        route->planes.push_back(std::move(way));
    }
    m_mtuBytes = std::min(m_own.offers[0].mtuBytes, m_peer.offers[0].mtuBytes);
    for (uint32_t qp = 0; qp < m_own.test.qps; ++qp)
    {
        m_endpoint->CreateQp(NegotiateQp(m_own.offers[qp], m_peer.offers[qp], m_own.isEncapsulated),
                             route);
    }
}

void
PerfConnection::PostMessage(uint32_t qp, uint64_t message)
{
    const uint64_t offset = m_buffers->Offset(qp, message);
    WorkRequest request{};
    request.id = message;
    request.payload = m_buffers->Source() + offset;
    request.bytes = Test().sizeBytes;
    request.remoteVa = m_peer.offers[qp].va + (offset - qp * m_buffers->BytesPerQp());
    request.remoteKey = m_peer.offers[qp].rKey;
    request.hasImmediate = Test().hasImmediate;
    request.immediate = ImmediateOf(message);
    m_endpoint->Post(qp, request);
}

} // namespace mrc::perf
