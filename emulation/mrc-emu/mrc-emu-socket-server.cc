// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-socket-server.h"

#include <cerrno>
#include <cstring>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace mrc::emu
{

namespace
{

/// Let epoll report a descriptor. @param epoll where @param fd which @param events what
void
Watch(int epoll, int fd, uint32_t events)
{
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0 && errno == EEXIST)
    {
        epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event);
    }
}

/// Send descriptors with one byte. @param socket where to @param fds which @param byte with them
/// @return whether it was sent
bool
SendFds(int socket, const std::vector<int>& fds, char byte)
{
    constexpr size_t MOST = 8;
    alignas(cmsghdr) char control[CMSG_SPACE(MOST * sizeof(int))]{};
    const size_t bytes = std::min(fds.size(), MOST) * sizeof(int);
    iovec part{&byte, 1};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(bytes);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(bytes);
    std::memcpy(CMSG_DATA(header), fds.data(), bytes);
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

} // namespace

SocketServer::SocketServer(Fd listening, int epoll, Handler handler)
    : m_listening(std::move(listening)),
      m_epoll(epoll),
      m_handler(std::move(handler))
{
    Watch(m_epoll, m_listening.Get(), EPOLLIN);
}

bool
SocketServer::Serve(int fd)
{
    if (fd == m_listening.Get())
    {
        Accept();
        return true;
    }
    for (auto client = m_clients.begin(); client != m_clients.end(); ++client)
    {
        if (client->fd.Get() == fd)
        {
            if (!Write(*client) || !Read(*client))
            {
                m_clients.erase(client);
            }
            return true;
        }
    }
    return false;
}

void
SocketServer::Accept()
{
    Fd fd(accept4(m_listening.Get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd)
    {
        return;
    }
    if (m_clients.size() == MAX_CLIENTS)
    {
        m_clients.pop_front();
    }
    Watch(m_epoll, fd.Get(), EPOLLIN);
    m_clients.emplace_back();
    m_clients.back().fd = std::move(fd);
}

bool
SocketServer::Read(Client& client)
{
    if (client.isLast)
    {
        return true;
    }
    char buffer[4096];
    const ssize_t count = recv(client.fd.Get(), buffer, sizeof(buffer), MSG_DONTWAIT);
    if (count <= 0)
    {
        return count < 0 && (errno == EAGAIN || errno == EINTR);
    }
    client.input.append(buffer, static_cast<size_t>(count));
    SocketReply reply = m_handler(client.input);
    client.isLast = reply.isLast || client.input.size() > MAX_INPUT;
    if (!reply.fds.empty() && !reply.text.empty())
    {
        if (!Write(client) || !client.output.empty() ||
            !SendFds(client.fd.Get(), reply.fds, reply.text.front()))
        {
            return false;
        }
        reply.text.erase(0, 1);
    }
    client.output += reply.text;
    return client.output.size() <= MAX_OUTPUT && Write(client);
}

bool
SocketServer::Write(Client& client)
{
    while (!client.output.empty())
    {
        const ssize_t count = send(client.fd.Get(),
                                   client.output.data(),
                                   client.output.size(),
                                   MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0)
        {
            if (errno != EAGAIN)
            {
                return false;
            }
            Watch(m_epoll, client.fd.Get(), EPOLLIN | EPOLLOUT);
            return true;
        }
        client.output.erase(0, static_cast<size_t>(count));
    }
    Watch(m_epoll, client.fd.Get(), EPOLLIN);
    return !client.isLast;
}

} // namespace mrc::emu
