// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_NETLINK_H
#define MRC_NETLINK_H

#include "mrc-file-descriptor.h"
#include "mrc-ipv6.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <vector>

namespace mrc::perf
{

/// @param bytes 16 in network order @return the address
Ipv6Address AddressFromBytes(const uint8_t* bytes);

/// @param address what to write @param[out] bytes 16 in network order
void AddressToBytes(const Ipv6Address& address, uint8_t* bytes);

/// A request to the kernel's routing netlink.
class NetlinkRequest
{
  public:
    /// @param type RTM_* @param flags NLM_F_* besides NLM_F_REQUEST
    NetlinkRequest(uint16_t type, uint16_t flags);

    /// Append the fixed part. @param body such as an rtmsg
    template <class T>
    void Append(const T& body)
    {
        AppendBytes(&body, sizeof(body));
    }

    /// Append an attribute. @param type such as RTA_DST @param data its value @param bytes of it
    void Attribute(uint16_t type, const void* data, size_t bytes);

    /// @return the message, with its length
    const std::vector<uint8_t>& Bytes();

  private:
    /// Append and pad.
    void AppendBytes(const void* data, size_t bytes);

    std::vector<uint8_t> m_bytes; //!< header and what follows
};

/// A socket of the kernel's routing netlink.
class NetlinkSocket
{
  public:
    /// Takes a message of the kernel.
    using Handler = std::function<void(const nlmsghdr&)>;

    /// @param groups RTMGRP_* to listen to @throws RunError if the system refuses
    explicit NetlinkSocket(uint32_t groups);

    /// @return the descriptor, to be polled for input
    int Fd() const
    {
        return m_fd.Get();
    }

    /// Send a request and wait for its answers. @param request what @param handler takes each
    void Ask(NetlinkRequest& request, const Handler& handler);

    /// Take what the kernel told without being asked; never waits. @param handler takes each
    void Drain(const Handler& handler);

  private:
    /// @param flags of recv() @param handler takes each
    /// @return whether more is to be read
    bool Read(int flags, const Handler& handler);

    FileDescriptor m_fd;           //!< the socket
    std::vector<uint8_t> m_buffer; //!< for reading
};

/// Call a function for each attribute of a message. @param fixedBytes before the first one
template <class F>
void
ForEachAttribute(const nlmsghdr& message, size_t fixedBytes, F function)
{
    if (message.nlmsg_len < NLMSG_LENGTH(fixedBytes))
    {
        return;
    }
    auto left = static_cast<uint32_t>(message.nlmsg_len - NLMSG_LENGTH(fixedBytes));
    const auto* attribute = reinterpret_cast<const rtattr*>(
        reinterpret_cast<const uint8_t*>(&message) + NLMSG_SPACE(fixedBytes));
    for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left))
    {
        function(*attribute);
    }
}

} // namespace mrc::perf

#endif // MRC_NETLINK_H
