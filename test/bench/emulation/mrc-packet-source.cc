// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-packet-source.h"

#include "mrc-emu-clock.h"
#include "mrc-emu-fd.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <stdexcept>
#include <sys/socket.h>
#include <time.h>
#include <vector>

namespace mrc::bench
{

namespace
{

/// Packets that are handed over at a time, at most.
constexpr uint32_t BATCH = 32;

/// @return a packet as the configuration asks for
std::vector<uint8_t>
MakePacket(const SourceConfig& config)
{
    std::vector<uint8_t> packet(config.bytes, 0);
    for (int i = 0; i < 6; ++i)
    {
        packet[static_cast<size_t>(i)] = static_cast<uint8_t>(config.macTo >> (40 - 8 * i));
    }
    packet[6] = 2;
    packet[12] = 0x86;
    packet[13] = 0xdd;
    packet[14] = 0x60;
    const auto body = static_cast<uint16_t>(config.bytes - 54);
    packet[18] = static_cast<uint8_t>(body >> 8);
    packet[19] = static_cast<uint8_t>(body);
    packet[20] = 59; // no next header
    packet[21] = 64;
    if (inet_pton(AF_INET6, config.source.c_str(), &packet[22]) != 1 ||
        inet_pton(AF_INET6, config.destination.c_str(), &packet[38]) != 1)
    {
        throw std::runtime_error("no IPv6 addresses: " + config.source + ", " + config.destination);
    }
    return packet;
}

} // namespace

uint64_t
SendPackets(const SourceConfig& config)
{
    constexpr int64_t SECOND_NS = 1'000'000'000;
    std::vector<uint8_t> packet = MakePacket(config);
    const emu::Fd fd(socket(AF_PACKET, SOCK_RAW, 0));
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_ifindex = static_cast<int>(if_nametoindex(config.interface.c_str()));
    if (bind(fd.Get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
    {
        throw std::runtime_error(config.interface + ": " + std::strerror(errno));
    }
    iovec part{packet.data(), packet.size()};
    std::vector<mmsghdr> messages(BATCH);
    for (mmsghdr& message : messages)
    {
        message.msg_hdr.msg_iov = &part;
        message.msg_hdr.msg_iovlen = 1;
    }
    const int64_t startNs = emu::MonotonicNs();
    const auto lengthNs = static_cast<int64_t>(config.seconds * SECOND_NS);
    uint64_t sent = 0;
    while (emu::MonotonicNs() - startNs < lengthNs)
    {
        uint32_t due = BATCH;
        if (config.perSecond != 0)
        {
            const int64_t elapsedNs = emu::MonotonicNs() - startNs;
            const auto target = static_cast<uint64_t>(static_cast<double>(elapsedNs) *
                                                      config.perSecond / SECOND_NS);
            due = static_cast<uint32_t>(std::min<uint64_t>(BATCH, target - std::min(target, sent)));
            if (due == 0)
            {
                const timespec pause{0, 200'000};
                nanosleep(&pause, nullptr);
                continue;
            }
        }
        const int count = sendmmsg(fd.Get(), messages.data(), due, 0);
        sent += count > 0 ? static_cast<uint64_t>(count) : 0;
        if (count <= 0)
        {
            const timespec pause{0, 100'000};
            nanosleep(&pause, nullptr);
        }
    }
    return sent;
}

} // namespace mrc::bench
