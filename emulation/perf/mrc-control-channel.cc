// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-control-channel.h"

#include "mrc-netlink.h"
#include "mrc-perf-error.h"

#include <cerrno>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

namespace mrc::perf
{

namespace
{

/// Longest line; offers of MAX_QPS QPs fit.
constexpr size_t MAX_LINE_BYTES = 2 << 20;

/// How long a peer may refuse to read.
constexpr int SEND_TIMEOUT_MS = 30'000;

/// How long a connection may take.
constexpr int CONNECT_TIMEOUT_MS = 10'000;

} // namespace

ControlChannel::ControlChannel(FileDescriptor fd)
    : m_fd(std::move(fd))
{
    const int yes = 1;
    setsockopt(m_fd.Get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
}

ControlChannel
ControlChannel::Connect(const std::string& host, uint16_t port)
{
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (error != 0)
    {
        throw BadInput("'" + host + "' is no host: " + gai_strerror(error));
    }
    int reason = 0;
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next)
    {
        FileDescriptor fd(
            socket(one->ai_family, one->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        reason = 0;
        if (connect(fd.Get(), one->ai_addr, one->ai_addrlen) != 0)
        {
            reason = errno;
            pollfd ready{fd.Get(), POLLOUT, 0};
            socklen_t length = sizeof(reason);
            if (reason == EINPROGRESS)
            {
                reason = ETIMEDOUT;
                if (poll(&ready, 1, CONNECT_TIMEOUT_MS) == 1)
                {
                    getsockopt(fd.Get(), SOL_SOCKET, SO_ERROR, &reason, &length);
                }
            }
        }
        if (reason == 0)
        {
            freeaddrinfo(found);
            return ControlChannel(std::move(fd));
        }
    }
    freeaddrinfo(found);
    errno = reason;
    throw RunError(SystemText("connecting to " + host + " port " + std::to_string(port)) +
                   " (is mrc-perf --server running there?)");
}

Ipv6Address
ControlChannel::OwnAddress() const
{
    sockaddr_storage address{};
    socklen_t length = sizeof(address);
    getsockname(m_fd.Get(), reinterpret_cast<sockaddr*>(&address), &length);
    if (address.ss_family == AF_INET)
    {
        const auto& ipv4 = reinterpret_cast<const sockaddr_in&>(address);
        return Ipv6Address::FromIpv4(ntohl(ipv4.sin_addr.s_addr));
    }
    return AddressFromBytes(reinterpret_cast<const sockaddr_in6&>(address).sin6_addr.s6_addr);
}

void
ControlChannel::Send(const nlohmann::json& message)
{
    const std::string line = message.dump() + '\n';
    size_t done = 0;
    while (done < line.size())
    {
        const ssize_t sent =
            send(m_fd.Get(), line.data() + done, line.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0)
        {
            done += static_cast<size_t>(sent);
            continue;
        }
        pollfd ready{m_fd.Get(), POLLOUT, 0};
        if ((errno != EAGAIN && errno != EINTR) || poll(&ready, 1, SEND_TIMEOUT_MS) == 0)
        {
            throw RunError(SystemText("telling the peer"));
        }
    }
}

std::optional<nlohmann::json>
ControlChannel::Poll()
{
    for (;;)
    {
        const size_t end = m_received.find('\n', m_searched);
        if (end != std::string::npos)
        {
            nlohmann::json message =
                nlohmann::json::parse(m_received.substr(0, end), nullptr, false);
            m_received.erase(0, end + 1);
            m_searched = 0;
            if (!message.is_object())
            {
                throw RunError("the peer does not speak the language of mrc-perf");
            }
            return message;
        }
        m_searched = m_received.size();
        if (m_searched > MAX_LINE_BYTES)
        {
            throw RunError("the peer sends lines without end");
        }
        char buffer[16384];
        const ssize_t got = recv(m_fd.Get(), buffer, sizeof(buffer), MSG_DONTWAIT);
        if (got > 0)
        {
            m_received.append(buffer, static_cast<size_t>(got));
        }
        else if (got == 0)
        {
            throw RunError("the peer closed the connection");
        }
        else if (errno == EAGAIN)
        {
            return std::nullopt;
        }
        else if (errno != EINTR)
        {
            throw RunError(SystemText("listening to the peer"));
        }
    }
}

nlohmann::json
ControlChannel::Receive(int timeoutMs)
{
    for (;;)
    {
        if (auto message = Poll())
        {
            return std::move(*message);
        }
        pollfd ready{m_fd.Get(), POLLIN, 0};
        const int count = poll(&ready, 1, timeoutMs);
        if (count == 0 || (count < 0 && errno == EINTR))
        {
            throw RunError(count == 0 ? "the peer does not answer" : "interrupted");
        }
    }
}

ControlListener::ControlListener(uint16_t port)
    : m_fd(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
    const int yes = 1;
    const int no = 0;
    setsockopt(m_fd.Get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    setsockopt(m_fd.Get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    if (bind(m_fd.Get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
        listen(m_fd.Get(), 4) != 0)
    {
        throw RunError(SystemText("listening on TCP port " + std::to_string(port)));
    }
}

std::optional<ControlChannel>
ControlListener::Accept(const volatile sig_atomic_t& stop)
{
    while (!stop)
    {
        FileDescriptor fd(accept4(m_fd.Get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (fd.Get() >= 0)
        {
            return ControlChannel(std::move(fd));
        }
        if (errno != EINTR && errno != ECONNABORTED)
        {
            throw RunError(SystemText("waiting for a client"));
        }
    }
    return std::nullopt;
}

} // namespace mrc::perf
