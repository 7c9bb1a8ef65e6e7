// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-tap.h"

#include "mrc-emu-lab.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace mrc::emu
{

namespace
{

/// @param name of an interface @param what could not be done; errno says why
[[noreturn]] void
Fail(const std::string& name, const std::string& what)
{
    std::string text = name + ": " + what + ": " + std::strerror(errno);
    if (errno == EPERM)
    {
        text += " (needs root or CAP_NET_RAW, or for a TAP to be its owner)";
    }
    else if (errno == EBUSY)
    {
        text += " (another program has it)";
    }
    throw LabError(text);
}

/// Connect a descriptor of /dev/net/tun with an interface. @return whether it could be done
bool
Attach(const Fd& tap, const std::string& name)
{
    ifreq request{};
    std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    return ioctl(tap.Get(), TUNSETIFF, &request) == 0 && ioctl(tap.Get(), TUNSETOFFLOAD, 0UL) == 0;
}

/// Get all packets of an interface, whoever they are for. @return whether it could be done
bool
Listen(const Fd& device, uint32_t index)
{
    packet_mreq promiscuous{};
    promiscuous.mr_ifindex = static_cast<int>(index);
    promiscuous.mr_type = PACKET_MR_PROMISC;
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_ALL);
    address.sll_ifindex = static_cast<int>(index);
    return bind(device.Get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
           setsockopt(device.Get(),
                      SOL_PACKET,
                      PACKET_ADD_MEMBERSHIP,
                      &promiscuous,
                      sizeof(promiscuous)) == 0;
}

} // namespace

Fd
OpenTap(const std::string& name)
{
    Fd tap(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (!tap)
    {
        if (errno == EACCES)
        {
            throw LabError("/dev/net/tun: this user may not open it: chmod 666 /dev/net/tun, "
                           "which is what distributions set");
        }
        Fail("/dev/net/tun", "cannot be opened");
    }
    if (!Attach(tap, name))
    {
        Fail(name, "cannot be made or attached to");
    }
    return tap;
}

Fd
OpenExistingTap(const std::string& name)
{
    if (if_nametoindex(name.c_str()) == 0)
    {
        throw LabError(name + ": there is no such TAP: 'ip tuntap add " + name +
                       " mode tap user NAME' makes one");
    }
    return OpenTap(name);
}

void
SetTapCarrier(const Fd& tap, bool isUp)
{
    int carrier = isUp;
    ioctl(tap.Get(), TUNSETCARRIER, &carrier);
}

Fd
OpenDevice(const std::string& name)
{
    const unsigned index = if_nametoindex(name.c_str());
    if (index == 0)
    {
        Fail(name, "there is no such interface");
    }
    Fd device(socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!device)
    {
        Fail(name, "cannot open a packet socket");
    }
    const int on = 1;
    if (setsockopt(device.Get(), SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)) != 0 ||
        setsockopt(device.Get(), SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) != 0 ||
        !Listen(device, index))
    {
        Fail(name, "cannot listen to it");
    }
    return device;
}

uint32_t
InterfaceIndex(const Fd& socket, const std::string& name)
{
    ifreq request{};
    std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
    return ioctl(socket.Get(), SIOCGIFINDEX, &request) == 0
               ? static_cast<uint32_t>(request.ifr_ifindex)
               : 0;
}

bool
ReattachTap(const Fd& tap, const std::string& name)
{
    return Attach(tap, name);
}

bool
ReattachDevice(const Fd& device, uint32_t index)
{
    return Listen(device, index);
}

} // namespace mrc::emu
