// SPDX-License-Identifier: GPL-2.0-only
// A wire between two interfaces that loses MRC frames at random: the kernel at hand has no netem.
// Other frames, such as those of neighbour discovery, all pass.
#include "mrc-file-descriptor.h"
#include "mrc-host-interface.h"
#include "mrc-random.h"
#include "mrc-udp.h"

#include <arpa/inet.h>
#include <array>
#include <cstdlib>
#include <iostream>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <sys/socket.h>

namespace
{

using namespace mrc;
using namespace mrc::perf;

constexpr size_t MAX_FRAME_BYTES = 16384;

/// @return a packet socket for all frames that arrive at an interface
FileDescriptor
Open(const char* name)
{
    const auto interface = FindInterface(name);
    FileDescriptor fd(socket(AF_PACKET, SOCK_RAW, 0));
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_ALL);
    address.sll_ifindex = interface ? static_cast<int>(interface->index) : 0;
    const int yes = 1;
    const int buffer = 16 << 20;
    setsockopt(fd.Get(), SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof(buffer));
    setsockopt(fd.Get(), SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof(yes));
    packet_mreq all{};
    all.mr_ifindex = address.sll_ifindex;
    all.mr_type = PACKET_MR_PROMISC;
    setsockopt(fd.Get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all));
    if (!interface ||
        bind(fd.Get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    {
        std::cerr << "mrc-lossy-wire: cannot open " << name << '\n';
        std::exit(1);
    }
    return fd;
}

/// @return whether a frame carries UDP to the port of MRC over IPv6
bool
IsMrc(const uint8_t* frame, ssize_t bytes)
{
    constexpr size_t NEXT_HEADER = 20;
    constexpr size_t PORT = 56;
    return bytes > 60 && frame[12] == 0x86 && frame[13] == 0xdd &&
           frame[NEXT_HEADER] == PROTOCOL_UDP &&
           (frame[PORT] << 8 | frame[PORT + 1]) == DEFAULT_UDP_PORT;
}

} // namespace

int
main(int argc, char** argv)
{
    if (argc != 5)
    {
        std::cerr << "usage: mrc-lossy-wire INTERFACE INTERFACE PERCENT SEED\n";
        return 2;
    }
    const std::array<FileDescriptor, 2> ends = {Open(argv[1]), Open(argv[2])};
    const auto percent = static_cast<uint32_t>(std::atoi(argv[3]));
    Random random(static_cast<uint64_t>(std::atoll(argv[4])));
    std::array<pollfd, 2> fds = {pollfd{ends[0].Get(), POLLIN, 0},
                                 pollfd{ends[1].Get(), POLLIN, 0}};
    std::array<uint8_t, MAX_FRAME_BYTES> frame;
    while (poll(fds.data(), fds.size(), -1) >= 0)
    {
        for (size_t from = 0; from < ends.size(); ++from)
        {
            for (;;)
            {
                const ssize_t bytes =
                    recv(ends[from].Get(), frame.data(), frame.size(), MSG_DONTWAIT);
                if (bytes <= 0)
                {
                    break;
                }
                if (!IsMrc(frame.data(), bytes) || random.Below(100) >= percent)
                {
                    send(ends[1 - from].Get(), frame.data(), static_cast<size_t>(bytes), 0);
                }
            }
        }
    }
    return 0;
}
