// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-netlink.h"

#include "mrc-perf-error.h"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>

namespace mrc::perf
{

Ipv6Address
AddressFromBytes(const uint8_t* bytes)
{
    Ipv6Address address{};
    for (int i = 0; i < 8; ++i)
    {
        address.high = address.high << 8 | bytes[i];
        address.low = address.low << 8 | bytes[i + 8];
    }
    return address;
}

void
AddressToBytes(const Ipv6Address& address, uint8_t* bytes)
{
    for (int i = 0; i < 8; ++i)
    {
        bytes[i] = static_cast<uint8_t>(address.high >> (56 - 8 * i));
        bytes[i + 8] = static_cast<uint8_t>(address.low >> (56 - 8 * i));
    }
}

NetlinkRequest::NetlinkRequest(uint16_t type, uint16_t flags)
{
    nlmsghdr header{};
    header.nlmsg_type = type;
    header.nlmsg_flags = NLM_F_REQUEST | flags;
    header.nlmsg_seq = 1;
    AppendBytes(&header, sizeof(header));
}

void
NetlinkRequest::AppendBytes(const void* data, size_t bytes)
{
    const size_t at = m_bytes.size();
    m_bytes.resize(at + NLMSG_ALIGN(bytes));
    std::memcpy(&m_bytes[at], data, bytes);
}

void
NetlinkRequest::Attribute(uint16_t type, const void* data, size_t bytes)
{
    rtattr header{};
    header.rta_type = type;
    header.rta_len = static_cast<uint16_t>(RTA_LENGTH(bytes));
    AppendBytes(&header, sizeof(header));
    AppendBytes(data, bytes);
}

const std::vector<uint8_t>&
NetlinkRequest::Bytes()
{
    nlmsghdr header{};
    std::memcpy(&header, m_bytes.data(), sizeof(header));
    header.nlmsg_len = static_cast<uint32_t>(m_bytes.size());
    std::memcpy(m_bytes.data(), &header, sizeof(header));
    return m_bytes;
}

NetlinkSocket::NetlinkSocket(uint32_t groups)
    : m_fd(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)),
      m_buffer(64 * 1024)
{
    sockaddr_nl address{};
    address.nl_family = AF_NETLINK;
    address.nl_groups = groups;
    if (m_fd.Get() < 0 ||
        bind(m_fd.Get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    {
        throw RunError(SystemText("opening the routing netlink"));
    }
}

bool
NetlinkSocket::Read(int flags, const Handler& handler)
{
    const ssize_t got = recv(m_fd.Get(), m_buffer.data(), m_buffer.size(), flags);
    if (got <= 0)
    {
        return got < 0 && errno == EINTR;
    }
    auto left = static_cast<uint32_t>(got);
    bool isMore = true;
    for (const auto* message = reinterpret_cast<const nlmsghdr*>(m_buffer.data());
         NLMSG_OK(message, left);
         message = NLMSG_NEXT(message, left))
    {
        if (message->nlmsg_type == NLMSG_DONE || message->nlmsg_type == NLMSG_ERROR)
        {
            return false;
        }
        handler(*message);
        isMore &= (message->nlmsg_flags & NLM_F_MULTI) != 0;
    }
    return isMore;
}

void
NetlinkSocket::Ask(NetlinkRequest& request, const Handler& handler)
{
    const std::vector<uint8_t>& bytes = request.Bytes();
    if (send(m_fd.Get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    {
        throw RunError(SystemText("asking the routing netlink"));
    }
    while (Read(0, handler))
    {
    }
}

void
NetlinkSocket::Drain(const Handler& handler)
{
    // Each datagram may be the last: only an empty socket ends it.
    for (;;)
    {
        pollfd ready{m_fd.Get(), POLLIN, 0};
        if (poll(&ready, 1, 0) <= 0 || (ready.revents & POLLIN) == 0)
        {
            return;
        }
        Read(MSG_DONTWAIT, handler);
    }
}

} // namespace mrc::perf
