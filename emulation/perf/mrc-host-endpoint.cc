// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-host-endpoint.h"

#include "mrc-host-clock.h"
#include "mrc-perf-error.h"

#include <algorithm>
#include <array>
#include <net/if.h>
#include <utility>

namespace mrc::perf
{

namespace
{

/// Frames taken before something is sent.
constexpr uint32_t RECEIVE_BATCH = 64;

/// Packets that one answer stands for at most: all of them fit in the bitmap of a SACK.
constexpr uint8_t MOST_MERGED = 32;

/// Room for a segment routing header with a few segments, bytes.
constexpr uint32_t SRH_ROOM_BYTES = 8 + 4 * 16;

/// How often a busy endpoint asks for news about links; an idle one is woken by them.
constexpr int64_t LINK_CHECK_PS = 1'000'000'000;

constexpr int64_t PS_PER_SECOND = 1'000'000'000'000;
constexpr int64_t PS_PER_NS = 1000;
constexpr int64_t NS_PER_SECOND = 1'000'000'000;

/// Take the pending error off a socket: a device that went down leaves one.
void
ClearSocketError(int fd)
{
    int error = 0;
    socklen_t length = sizeof(error);
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
}

} // namespace

HostEndpoint::HostEndpoint(const HostEndpointConfig& config,
                           std::vector<HostPort> planes,
                           HostSink& sink)
    : m_config(config),
      m_nscc(config.nscc),
      m_sink(sink),
      m_ports(std::move(planes)),
      m_counters{},
      m_hostCounters{},
      m_links(RTMGRP_LINK),
      m_random(config.seed),
      m_wakeByPs(Requester::NEVER)
{
    const uint32_t fullBytes =
        FrameWireBytes(FrameL2Bytes(Opcode::WRITE_MIDDLE, true, true, config.transport.mtuBytes));
    m_missedTurnPs = static_cast<int64_t>(fullBytes * 8.0 * PS_PER_SECOND /
                                          static_cast<double>(config.portBitsPerSecond));
    // Random, so that two programs on one interface are unlikely to take each other's packets.
    constexpr uint32_t FIRST_QPN = 0x100;
    constexpr uint32_t LAST_QPN = 0xff0000;
    m_firstQpn = FIRST_QPN + m_random.Below(LAST_QPN - FIRST_QPN);
    for (HostPort& port : m_ports)
    {
        Open(port);
    }
}

HostEndpoint::~HostEndpoint() = default;

void
HostEndpoint::Open(HostPort& port) const
{
    port.socket.reset();
    PacketSocket::Config config{};
    config.interface = port.interface.name;
    config.index = port.interface.index;
    config.udpPort = m_config.decode.udpPort;
    config.otherUdpPort = m_config.decode.otherUdpPort;
    config.maxFrameBytes =
        FrameL2Bytes(Opcode::WRITE_ONLY_IMM, true, true, m_config.transport.mtuBytes) +
        SRH_ROOM_BYTES;
    config.ringFrames = m_config.ringFrames;
    port.socket = std::make_unique<PacketSocket>(config);
}

uint32_t
HostEndpoint::CreateQp(const QpSetup& setup, std::shared_ptr<const HostRoute> route)
{
    m_qps.emplace_back(*this, QpCount(), setup, std::move(route));
    return QpCount() - 1;
}

void
HostEndpoint::Post(uint32_t index, const WorkRequest& request)
{
    HostQp& qp = m_qps[index];
    qp.requester.Post(request, HostNowPs());
    Touch(qp);
}

void
HostEndpoint::Touch(HostQp& qp)
{
    if (!qp.isReady && qp.requester.HasWork())
    {
        qp.isReady = true;
        m_ready.Push(&qp);
    }
    m_wakeByPs = std::min(m_wakeByPs, qp.requester.WakeByPs());
}

bool
HostEndpoint::Progress()
{
    const uint32_t taken = Receive();
    const int64_t nowPs = HostNowPs();
    if (nowPs >= m_checkLinksPs)
    {
        m_checkLinksPs = nowPs + LINK_CHECK_PS;
        CheckLinks();
    }
    if (taken < RECEIVE_BATCH)
    {
        RunTimers(nowPs); // not before all is read that may have arrived in time
    }
    bool hasMoved = taken != 0;
    const auto count = static_cast<uint8_t>(m_ports.size());
    for (uint8_t i = 0; i < count && !m_ready.IsEmpty(); ++i)
    {
        hasMoved |= Fill(static_cast<uint8_t>((m_firstPort + i) % count), nowPs);
    }
    m_firstPort = static_cast<uint8_t>((m_firstPort + 1) % count);
    for (HostPort& port : m_ports)
    {
        if (port.interface.isUp && port.socket)
        {
            port.socket->Flush();
        }
    }
    return hasMoved;
}

uint32_t
HostEndpoint::Receive()
{
    /// The oldest frame of a port.
    struct Head
    {
        const uint8_t* raw;
        uint32_t bytes;
        int64_t arrivalNs;
    };

    std::array<Head, MAX_PLANES> heads;
    const size_t count = m_ports.size();
    const auto peek = [&](size_t plane) {
        PacketSocket* const socket = m_ports[plane].socket.get();
        Head& head = heads[plane];
        head.raw = socket == nullptr ? nullptr : socket->Peek(head.bytes, head.arrivalNs);
    };
    for (size_t plane = 0; plane < count; ++plane)
    {
        peek(plane);
    }
    const int64_t nowPs = HostNowPs();
    uint32_t taken = 0;
    for (; taken < RECEIVE_BATCH; ++taken)
    {
        size_t first = count;
        for (size_t plane = 0; plane < count; ++plane)
        {
            if (heads[plane].raw != nullptr &&
                (first == count || heads[plane].arrivalNs < heads[first].arrivalNs))
            {
                first = plane;
            }
        }
        if (first == count)
        {
            break;
        }
        // Feedback counts from when it arrived, however late this process runs: else what waits
        // behind it in the ring would look lost.
        const Head& head = heads[first];
        Take(static_cast<uint8_t>(first),
             head.raw,
             head.bytes,
             m_arrivals.ToHostPs(head.arrivalNs, nowPs));
        m_ports[first].socket->Release();
        peek(first);
    }
    AnswerAll();
    return taken;
}

void
HostEndpoint::Take(uint8_t plane, const uint8_t* raw, uint32_t bytes, int64_t arrivalPs)
{
    Frame frame;
    FrameAddresses addresses;
    DecodeInfo info;
    if (DecodeFrame(raw, bytes, frame, addresses, info, m_config.decode) == DecodeError::OK)
    {
        frame.plane = plane;
        Dispatch(frame, addresses, arrivalPs);
    }
    else
    {
        ++m_hostCounters.malformed;
    }
}

bool
HostEndpoint::IsExpected(const HostQp& qp,
                         const Frame& frame,
                         const FrameAddresses& addresses) const
{
    const uint8_t plane = frame.plane;
    const HostRoute& route = *qp.route;
    if (frame.Has(Frame::ENCAPSULATED) != route.isEncapsulated)
    {
        return false;
    }
    if (!route.isEncapsulated)
    {
        return addresses.innerDestination == m_ports[plane].address &&
               addresses.innerSource == route.planes[plane].peerPort;
    }
    if (m_config.fabric)
    {
        //= MRC-REF 3 the NIC decapsulates: its own uSID is the last of the list
        const UsidPlan& usids = m_config.fabric->plan.Usids();
        const UsidCarrier own =
            UsidCarrier::Build(usids.Block(), {usids.NicUsid(plane, m_config.fabric->ownNic)});
        if (UsidCarrier{frame.daHigh, frame.daLow} != own)
        {
            return false;
        }
    }
    return addresses.innerDestination == m_config.address &&
           addresses.innerSource == route.peerAddress;
}

void
HostEndpoint::Dispatch(Frame& frame, const FrameAddresses& addresses, int64_t arrivalPs)
{
    const uint32_t index = frame.destinationQp - m_firstQpn;
    if (index >= m_qps.size())
    {
        ++m_counters.unknownQp;
        return;
    }
    HostQp& qp = m_qps[index];
    if (!IsExpected(qp, frame, addresses))
    {
        ++m_hostCounters.notForUs;
        return;
    }
    if (frame.Has(Frame::CORRUPT) && !frame.Has(Frame::TRIMMED))
    {
        ++m_counters.corrupt;
        return;
    }
    if (IsWrite(frame.opcode))
    {
        Owe(qp, qp.responder.OnWrite(frame, arrivalPs), frame);
        return;
    }
    switch (frame.opcode)
    {
    case Opcode::RELIABILITY_PROBE:
        Owe(qp, qp.responder.OnProbe(frame), frame);
        return;
    case Opcode::SACK:
        qp.requester.OnSack(frame, arrivalPs);
        break;
    case Opcode::NACK:
        qp.requester.OnNack(frame, arrivalPs);
        break;
    case Opcode::ACKNOWLEDGE:
        qp.requester.OnAck(frame, arrivalPs);
        break;
    default:
        ++m_counters.unexpected;
        return;
    }
    Touch(qp);
}

void
HostEndpoint::Owe(HostQp& qp, uint8_t replies, const Frame& trigger)
{
    if (replies == Responder::REPLY_NONE)
    {
        if (qp.replies != Responder::REPLY_NONE && ++qp.merged >= MOST_MERGED)
        {
            Answer(qp);
        }
        return;
    }
    // SACKs and ACKs are cumulative: of those that a batch of plain writes causes the last one of
    // a kind says all. What tells about one packet alone is answered for itself. (O)
    const bool isPlain = IsWrite(trigger.opcode) && (replies & Responder::REPLY_NACK) == 0 &&
                         !trigger.IsMarked() && !trigger.Has(Frame::RETRANSMISSION);
    if (qp.replies != 0)
    {
        if (isPlain)
        {
            m_hostCounters.answersMerged += static_cast<unsigned>(
                __builtin_popcount(static_cast<unsigned>(qp.replies & replies)));
        }
        else
        {
            Answer(qp);
        }
    }
    else if (isPlain)
    {
        m_owing.push_back(&qp);
    }
    qp.replies |= replies;
    qp.trigger = trigger;
    if (!isPlain || ++qp.merged >= MOST_MERGED)
    {
        Answer(qp);
    }
}

void
HostEndpoint::Answer(HostQp& qp)
{
    qp.merged = 0;
    while (qp.replies != Responder::REPLY_NONE)
    {
        const auto reply = static_cast<Responder::Reply>(qp.replies & (0u - unsigned{qp.replies}));
        qp.replies &= static_cast<uint8_t>(qp.replies - 1);
        Frame answer;
        qp.responder.Fill(reply, qp.trigger, answer);
        if (!Send(qp, qp.trigger.plane, answer))
        {
            ++m_hostCounters.answersLost;
        }
    }
}

void
HostEndpoint::AnswerAll()
{
    for (HostQp* const qp : m_owing)
    {
        Answer(*qp);
    }
    m_owing.clear();
}

bool
HostEndpoint::Send(const HostQp& qp, uint8_t plane, Frame& frame)
{
    HostPort& port = m_ports[plane];
    if (!port.socket || !port.interface.isUp)
    {
        return false;
    }
    uint8_t* slot = port.socket->Slot();
    if (slot == nullptr)
    {
        port.socket->Flush();
        slot = port.socket->Slot();
        if (slot == nullptr)
        {
            return false;
        }
    }
    const HostRoute& route = *qp.route;
    frame.plane = plane;
    frame.hopLimit = DEFAULT_HOP_LIMIT;
    route.Apply(frame, plane);
    FrameAddresses addresses;
    addresses.outerSource = port.address;
    addresses.innerSource = route.isEncapsulated ? m_config.address : port.address;
    addresses.innerDestination = route.peerAddress;
    addresses.sourceMac = port.interface.mac;
    addresses.destinationMac = route.planes[plane].nextHopMac;
    const size_t bytes =
        EncodeFrame(frame, addresses, m_config.encode, slot, port.socket->SlotBytes());
    if (bytes == 0)
    {
        return false;
    }
    port.socket->Commit(bytes);
    return true;
}

bool
HostEndpoint::Fill(uint8_t plane, int64_t nowPs)
{
    HostPort& port = m_ports[plane];
    if (!port.socket || !port.interface.isUp || nowPs < port.idleUntilPs)
    {
        return false;
    }
    port.idleUntilPs = 0;
    bool hasSent = false;
    size_t refusals = 0; // QPs in a row that had nothing for this plane
    while (refusals < m_ready.Size() && port.socket->Slot() != nullptr)
    {
        HostQp& qp = *m_ready.Front();
        m_ready.Pop();
        Frame frame;
        const bool hasFrame = qp.requester.NextFrame(nowPs, plane, frame);
        qp.isReady = qp.requester.HasWork();
        if (qp.isReady)
        {
            m_ready.Push(&qp); // round robin
        }
        if (hasFrame)
        {
            Send(qp, plane, frame);
            m_wakeByPs = std::min(m_wakeByPs, qp.requester.WakeByPs());
            hasSent = true;
            refusals = 0;
            continue;
        }
        refusals += qp.isReady;
        if (qp.requester.IsSittingOut())
        {
            port.idleUntilPs = nowPs + m_missedTurnPs;
            break;
        }
    }
    return hasSent;
}

void
HostEndpoint::RunTimers(int64_t nowPs)
{
    if (nowPs < m_wakeByPs)
    {
        return;
    }
    m_wakeByPs = Requester::NEVER;
    for (HostQp& qp : m_qps)
    {
        if (qp.requester.WakeByPs() <= nowPs)
        {
            qp.requester.OnTimer(nowPs);
        }
        Touch(qp);
    }
}

void
HostEndpoint::CheckLinks()
{
    m_links.Drain([this](const nlmsghdr& message) {
        if (message.nlmsg_type != RTM_NEWLINK && message.nlmsg_type != RTM_DELLINK)
        {
            return;
        }
        const auto* link = static_cast<const ifinfomsg*>(NLMSG_DATA(&message));
        for (uint8_t plane = 0; plane < m_ports.size(); ++plane)
        {
            if (m_ports[plane].interface.index == static_cast<uint32_t>(link->ifi_index))
            {
                SetUp(plane,
                      message.nlmsg_type == RTM_NEWLINK && (link->ifi_flags & IFF_UP) != 0 &&
                          (link->ifi_flags & IFF_RUNNING) != 0);
            }
        }
    });
}

void
HostEndpoint::SetUp(uint8_t plane, bool isUp)
{
    HostPort& port = m_ports[plane];
    if (port.interface.isUp == isUp)
    {
        return;
    }
    port.interface.isUp = isUp;
    ++port.changes;
    if (!isUp && port.socket)
    {
        port.socket->Discard();
    }
    m_sink.OnPort(plane, isUp, HostNowPs());
}

void
HostEndpoint::Wait(int other, int64_t untilPs)
{
    std::array<pollfd, MAX_PLANES + 2> fds{};
    nfds_t count = 0;
    int64_t wakePs = std::min(untilPs, m_wakeByPs);
    for (const HostPort& port : m_ports)
    {
        if (!port.socket || !port.interface.isUp)
        {
            continue;
        }
        const short blocked = port.socket->Queued() != 0 ? POLLOUT : 0;
        fds[count++] = {port.socket->Fd(), static_cast<short>(POLLIN | blocked), 0};
        if (!m_ready.IsEmpty() && port.idleUntilPs != 0)
        {
            wakePs = std::min(wakePs, port.idleUntilPs);
        }
    }
    const nfds_t sockets = count;
    fds[count++] = {m_links.Fd(), POLLIN, 0};
    if (other >= 0)
    {
        fds[count++] = {other, POLLIN, 0};
    }
    const int64_t leftNs = std::max<int64_t>(0, (wakePs - HostNowPs()) / PS_PER_NS);
    const timespec timeout{leftNs / NS_PER_SECOND, leftNs % NS_PER_SECOND};
    ppoll(fds.data(), count, &timeout, nullptr);
    for (nfds_t i = 0; i < sockets; ++i)
    {
        if ((fds[i].revents & POLLERR) != 0)
        {
            ClearSocketError(fds[i].fd); // or it would end every sleep from now on
        }
    }
    if (fds[sockets].revents != 0)
    {
        m_checkLinksPs = 0;
    }
}

} // namespace mrc::perf
