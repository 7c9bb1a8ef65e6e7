// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_CONTROL_CHANNEL_H
#define MRC_CONTROL_CHANNEL_H

#include "mrc-file-descriptor.h"
#include "mrc-ipv6.h"

#include <csignal>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace mrc::perf
{

/**
 * The connection beside the connection: JSON objects over TCP, one per line, by which two ends
 * find each other, agree and compare results.
 */
class ControlChannel
{
  public:
    /// @param fd a connected socket
    explicit ControlChannel(FileDescriptor fd);

    /// @param host name or address @param port of TCP @return connected @throws RunError
    static ControlChannel Connect(const std::string& host, uint16_t port);

    /// @return the descriptor, to be polled for input
    int Fd() const
    {
        return m_fd.Get();
    }

    /// @return own address of the connection, IPv4 mapped
    Ipv6Address OwnAddress() const;

    /// Send an object; waits while the peer does not read. @throws RunError if it is gone
    void Send(const nlohmann::json& message);

    /**
     * Take a received object; never waits.
     *
     * @return the object, or nothing if no line is complete
     * @throws RunError if the peer is gone, sends no objects or too long ones
     */
    std::optional<nlohmann::json> Poll();

    /// Wait for an object. @param timeoutMs at most so long @throws RunError as Poll(), or late
    nlohmann::json Receive(int timeoutMs);

  private:
    FileDescriptor m_fd;    //!< the socket
    std::string m_received; //!< not yet a line
    size_t m_searched{0};   //!< of it are known to hold no line feed
};

/// Waits for clients.
class ControlListener
{
  public:
    /// @param port of TCP, all addresses @throws RunError if it is taken
    explicit ControlListener(uint16_t port);

    /// Wait for a client. @param stop ends the wait when set @return it, or nothing if stopped
    std::optional<ControlChannel> Accept(const volatile sig_atomic_t& stop);

  private:
    FileDescriptor m_fd; //!< the socket
};

} // namespace mrc::perf

#endif // MRC_CONTROL_CHANNEL_H
