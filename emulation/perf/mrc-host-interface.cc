// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-host-interface.h"

#include "mrc-file-descriptor.h"
#include "mrc-netlink.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace mrc::perf
{

namespace
{

constexpr size_t MAC_BYTES = 6;

/// @param bytes of a MAC address @return as a number
uint64_t
MacOf(const void* bytes)
{
    uint64_t mac = 0;
    for (size_t i = 0; i < MAC_BYTES; ++i)
    {
        mac = mac << 8 | static_cast<const uint8_t*>(bytes)[i];
    }
    return mac;
}

/// Call a function for each IPv6 address of the host. @param function (interface name, address)
template <class F>
void
ForEachAddress(F function)
{
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0)
    {
        return;
    }
    for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next)
    {
        if (entry->ifa_addr != nullptr && entry->ifa_addr->sa_family == AF_INET6)
        {
            const auto* address = reinterpret_cast<const sockaddr_in6*>(entry->ifa_addr);
            function(entry->ifa_name, AddressFromBytes(address->sin6_addr.s6_addr));
        }
    }
    freeifaddrs(list);
}

/// @return next hop of a destination through an interface, or nothing without a route
std::optional<Ipv6Address>
FindGateway(NetlinkSocket& netlink, uint32_t interface, const Ipv6Address& destination)
{
    NetlinkRequest request(RTM_GETROUTE, 0);
    rtmsg route{};
    route.rtm_family = AF_INET6;
    route.rtm_dst_len = 128;
    request.Append(route);
    uint8_t bytes[16];
    AddressToBytes(destination, bytes);
    request.Attribute(RTA_DST, bytes, sizeof(bytes));
    request.Attribute(RTA_OIF, &interface, sizeof(interface));
    std::optional<Ipv6Address> gateway;
    netlink.Ask(request, [&](const nlmsghdr& message) {
        if (message.nlmsg_type != RTM_NEWROUTE)
        {
            return;
        }
        const auto* found = static_cast<const rtmsg*>(NLMSG_DATA(&message));
        if (found->rtm_type != RTN_UNICAST)
        {
            return;
        }
        gateway = destination;
        ForEachAttribute(message, sizeof(rtmsg), [&](const rtattr& attribute) {
            if (attribute.rta_type == RTA_GATEWAY && RTA_PAYLOAD(&attribute) == sizeof(bytes))
            {
                gateway = AddressFromBytes(static_cast<const uint8_t*>(RTA_DATA(&attribute)));
            }
        });
    });
    return gateway;
}

/// @return MAC address of a neighbour, or nothing if the kernel does not know it
std::optional<uint64_t>
FindNeighbour(NetlinkSocket& netlink, uint32_t interface, const Ipv6Address& address)
{
    NetlinkRequest request(RTM_GETNEIGH, NLM_F_DUMP);
    ndmsg wanted{};
    wanted.ndm_family = AF_INET6;
    request.Append(wanted);
    std::optional<uint64_t> mac;
    netlink.Ask(request, [&](const nlmsghdr& message) {
        if (message.nlmsg_type != RTM_NEWNEIGH)
        {
            return;
        }
        const auto* neighbour = static_cast<const ndmsg*>(NLMSG_DATA(&message));
        constexpr uint16_t USABLE =
            NUD_PERMANENT | NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE;
        if (neighbour->ndm_ifindex != static_cast<int>(interface) ||
            (neighbour->ndm_state & USABLE) == 0)
        {
            return;
        }
        bool isSame = false;
        std::optional<uint64_t> found;
        ForEachAttribute(message, sizeof(ndmsg), [&](const rtattr& attribute) {
            const void* data = RTA_DATA(&attribute);
            if (attribute.rta_type == NDA_DST && RTA_PAYLOAD(&attribute) == 16)
            {
                isSame = AddressFromBytes(static_cast<const uint8_t*>(data)) == address;
            }
            if (attribute.rta_type == NDA_LLADDR && RTA_PAYLOAD(&attribute) == MAC_BYTES)
            {
                found = MacOf(data);
            }
        });
        if (isSame)
        {
            mac = found;
        }
    });
    return mac;
}

/// Make the kernel look for a neighbour: send it an empty datagram to the discard port.
void
StartDiscovery(uint32_t interface, const Ipv6Address& address)
{
    constexpr uint16_t DISCARD_PORT = 9;
    const FileDescriptor fd(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in6 to{};
    to.sin6_family = AF_INET6;
    to.sin6_port = htons(DISCARD_PORT);
    to.sin6_scope_id = interface;
    AddressToBytes(address, to.sin6_addr.s6_addr);
    sendto(fd.Get(), nullptr, 0, MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&to), sizeof(to));
}

} // namespace

std::optional<HostInterface>
FindInterface(const std::string& name)
{
    const FileDescriptor fd(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    if (name.empty() || name.size() >= sizeof(request.ifr_name))
    {
        return std::nullopt;
    }
    std::memcpy(request.ifr_name, name.c_str(), name.size() + 1);
    HostInterface found{};
    found.name = name;
    if (ioctl(fd.Get(), SIOCGIFINDEX, &request) != 0)
    {
        return std::nullopt;
    }
    found.index = static_cast<uint32_t>(request.ifr_ifindex);
    if (ioctl(fd.Get(), SIOCGIFMTU, &request) == 0)
    {
        found.mtuBytes = static_cast<uint32_t>(request.ifr_mtu);
    }
    if (ioctl(fd.Get(), SIOCGIFHWADDR, &request) == 0)
    {
        found.mac = MacOf(request.ifr_hwaddr.sa_data);
    }
    if (ioctl(fd.Get(), SIOCGIFFLAGS, &request) == 0)
    {
        found.isUp = (request.ifr_flags & IFF_UP) != 0 && (request.ifr_flags & IFF_RUNNING) != 0;
    }
    ForEachAddress([&](const char* interface, const Ipv6Address& address) {
        if (name == interface)
        {
            found.addresses.push_back(address);
        }
    });
    std::stable_partition(found.addresses.begin(),
                          found.addresses.end(),
                          [](const Ipv6Address& address) { return !IsLinkLocal(address); });
    return found;
}

std::string
InterfaceOf(const Ipv6Address& address)
{
    std::string name;
    ForEachAddress([&](const char* interface, const Ipv6Address& own) {
        if (own == address)
        {
            name = interface;
        }
    });
    return name;
}

std::optional<uint64_t>
FindNextHop(const HostInterface& interface, const Ipv6Address& destination, int waitMs)
{
    NetlinkSocket netlink(0);
    const std::optional<Ipv6Address> gateway = FindGateway(netlink, interface.index, destination);
    if (!gateway)
    {
        return std::nullopt;
    }
    std::optional<uint64_t> mac = FindNeighbour(netlink, interface.index, *gateway);
    constexpr int STEP_MS = 20;
    for (; !mac && waitMs > 0; waitMs -= STEP_MS)
    {
        StartDiscovery(interface.index, *gateway);
        poll(nullptr, 0, STEP_MS);
        mac = FindNeighbour(netlink, interface.index, *gateway);
    }
    return mac;
}

} // namespace mrc::perf
