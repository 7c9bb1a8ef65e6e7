// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-packet-socket.h"

#include "mrc-header-size.h"
#include "mrc-ipv6.h"
#include "mrc-perf-error.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <sys/mman.h>

namespace mrc::perf
{

namespace
{

/// Bytes before a frame in its place in the ring: headers of the kernel, rounded up.
constexpr uint32_t RING_HEAD_BYTES = 128;

/// A block is what the kernel allocates at a time.
constexpr uint32_t RING_BLOCK_BYTES = 64 * 1024;

/**
 * Pass IPv6 that carries UDP to one of two ports, directly or inside IPv6, and IPv6 with a
 * routing header, which the decoder looks into. Everything else stays out of the ring.
 *
 * @param fd a packet socket
 * @param port destination port
 * @param other destination port as well
 * @return whether the kernel took it
 */
bool
AttachFilter(int fd, uint16_t port, uint16_t other)
{
    constexpr uint32_t NEXT_HEADER = ETHERNET_BYTES + 6;
    constexpr uint32_t UDP_PORT = ETHERNET_BYTES + IPV6_BYTES + 2;
    constexpr uint32_t INNER_UDP_PORT = UDP_PORT + IPV6_BYTES;
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, NEXT_HEADER),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROTOCOL_ROUTING, 7, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROTOCOL_UDP, 0, 2),
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, UDP_PORT),
        BPF_JUMP(BPF_JMP | BPF_JA, 2, 0, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROTOCOL_IPV6, 0, 4),
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, INNER_UDP_PORT),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, port, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    const sock_fprog program{sizeof(code) / sizeof(code[0]), code};
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) == 0;
}

} // namespace

PacketSocket::PacketSocket(const Config& config)
    : m_fd(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      m_maxFrameBytes(config.maxFrameBytes),
      m_txBytes(size_t{TX_SLOTS} * config.maxFrameBytes),
      m_txPieces(TX_SLOTS),
      m_txHeaders(TX_SLOTS)
{
    if (m_fd.Get() < 0)
    {
        throw RunError(SystemText("opening a packet socket on " + config.interface) +
                       (errno == EPERM ? ": it needs CAP_NET_RAW; run as root or in a user "
                                         "namespace (unshare -Urn)"
                                       : ""));
    }
    // The filter comes before the address: nothing unwanted arrives in between.
    if (!AttachFilter(m_fd.Get(), config.udpPort, config.otherUdpPort))
    {
        throw RunError(SystemText("attaching a filter on " + config.interface));
    }
    OpenRing(config);
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_IPV6);
    address.sll_ifindex = static_cast<int>(config.index);
    if (bind(m_fd.Get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    {
        throw RunError(SystemText("binding a packet socket to " + config.interface));
    }
    const int yes = 1;
    setsockopt(m_fd.Get(), SOL_PACKET, PACKET_QDISC_BYPASS, &yes, sizeof(yes));
    for (uint32_t i = 0; i < TX_SLOTS; ++i)
    {
        m_txPieces[i].iov_base = &m_txBytes[size_t{i} * m_maxFrameBytes];
        m_txHeaders[i] = {};
        m_txHeaders[i].msg_hdr.msg_iov = &m_txPieces[i];
        m_txHeaders[i].msg_hdr.msg_iovlen = 1;
    }
}

PacketSocket::~PacketSocket()
{
    if (m_ring != nullptr)
    {
        munmap(m_ring, m_ringBytes);
    }
}

void
PacketSocket::OpenRing(const Config& config)
{
    const int version = TPACKET_V2;
    if (setsockopt(m_fd.Get(), SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) != 0)
    {
        throw RunError(SystemText("asking for a receive ring on " + config.interface));
    }
    constexpr uint32_t ALIGN = 64;
    m_blockBytes = RING_BLOCK_BYTES;
    m_frameBytes = (config.maxFrameBytes + RING_HEAD_BYTES + ALIGN - 1) / ALIGN * ALIGN;
    m_framesPerBlock = m_blockBytes / m_frameBytes;
    const uint32_t blocks = (config.ringFrames + m_framesPerBlock - 1) / m_framesPerBlock;
    m_frames = blocks * m_framesPerBlock;
    m_ringBytes = size_t{blocks} * m_blockBytes;
    tpacket_req request{};
    request.tp_block_size = m_blockBytes;
    request.tp_block_nr = blocks;
    request.tp_frame_size = m_frameBytes;
    request.tp_frame_nr = m_frames;
    if (setsockopt(m_fd.Get(), SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)) != 0)
    {
        throw RunError(SystemText("making a receive ring on " + config.interface));
    }
    void* const ring = mmap(
        nullptr, m_ringBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, m_fd.Get(), 0);
    if (ring == MAP_FAILED)
    {
        throw RunError(SystemText("mapping the receive ring of " + config.interface));
    }
    m_ring = static_cast<uint8_t*>(ring);
}

uint8_t*
PacketSocket::RingFrame(uint32_t index) const
{
    return m_ring + size_t{index / m_framesPerBlock} * m_blockBytes +
           size_t{index % m_framesPerBlock} * m_frameBytes;
}

const uint8_t*
PacketSocket::Peek(uint32_t& bytes, int64_t& arrivalNs)
{
    for (;;)
    {
        uint8_t* const place = RingFrame(m_next);
        const auto* header = reinterpret_cast<const tpacket2_hdr*>(place);
        if ((__atomic_load_n(&header->tp_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER) == 0)
        {
            return nullptr;
        }
        if (header->tp_snaplen == header->tp_len && header->tp_len <= m_maxFrameBytes)
        {
            ++m_counters.received;
            bytes = header->tp_snaplen;
            arrivalNs = int64_t{header->tp_sec} * 1'000'000'000 + header->tp_nsec;
            return place + header->tp_mac;
        }
        ++m_counters.tooLong;
        Release();
    }
}

void
PacketSocket::Release()
{
    auto* header = reinterpret_cast<tpacket2_hdr*>(RingFrame(m_next));
    __atomic_store_n(&header->tp_status, uint32_t{TP_STATUS_KERNEL}, __ATOMIC_RELEASE);
    m_next = m_next + 1 == m_frames ? 0 : m_next + 1;
}

void
PacketSocket::Commit(size_t bytes)
{
    m_txPieces[m_queued++].iov_len = bytes;
}

bool
PacketSocket::Flush()
{
    uint32_t first = 0;
    bool isWaiting = false;
    while (first < m_queued && !isWaiting)
    {
        const int sent = sendmmsg(m_fd.Get(), &m_txHeaders[first], m_queued - first, MSG_DONTWAIT);
        if (sent > 0)
        {
            first += static_cast<uint32_t>(sent);
            m_counters.sent += static_cast<uint32_t>(sent);
        }
        else if (errno == EAGAIN)
        {
            isWaiting = true;
        }
        else if (errno != EINTR)
        {
            // Down, or its queue is full: the frame is lost, as on a wire.
            ++first;
            ++m_counters.deviceRefused;
        }
    }
    // What waits moves to the front; the slots' addresses move with it.
    for (uint32_t i = first; first != 0 && i < m_queued; ++i)
    {
        std::swap(m_txPieces[i - first], m_txPieces[i]);
    }
    m_queued -= first;
    return m_queued == 0;
}

const PacketSocketCounters&
PacketSocket::Counters()
{
    tpacket_stats statistics{};
    socklen_t length = sizeof(statistics);
    if (getsockopt(m_fd.Get(), SOL_PACKET, PACKET_STATISTICS, &statistics, &length) == 0)
    {
        m_counters.ringDrops += statistics.tp_drops; // reading them sets them to 0
    }
    return m_counters;
}

} // namespace mrc::perf
