// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_SOCKET_SERVER_H
#define MRC_EMU_SOCKET_SERVER_H

#include "mrc-emu-fd.h"

#include <functional>
#include <list>
#include <string>
#include <vector>

namespace mrc::emu
{

/// What a server answers to a piece of input.
struct SocketReply
{
    std::string text;     ///< to send
    std::vector<int> fds; ///< descriptors to send along; stay the server's
    bool isLast{false};   ///< close the connection behind it
};

/**
 * Serves clients of a listening socket without ever blocking: input that makes no sense, clients
 * that read nothing and clients that vanish cost a bounded amount of memory and nothing else.
 */
class SocketServer
{
  public:
    /// Takes complete requests off the input. @return what to answer
    using Handler = std::function<SocketReply(std::string& input)>;

    /// Longest request without an answer, bytes.
    static constexpr size_t MAX_INPUT = 16 * 1024;
    /// Answers that wait for a client that does not read, bytes.
    static constexpr size_t MAX_OUTPUT = 4 * 1024 * 1024;
    /// Clients at a time; the oldest makes room.
    static constexpr size_t MAX_CLIENTS = 64;

    /// @param listening non-blocking socket @param epoll to register with @param handler answers
    SocketServer(Fd listening, int epoll, Handler handler);

    /// @param fd that became ready @return whether it is one of this server's and was served
    bool Serve(int fd);

  private:
    /// A connection.
    struct Client
    {
        Fd fd;              //!< the connection
        std::string input;  //!< not yet handled
        std::string output; //!< not yet sent
        bool isLast{false}; //!< close when all is sent
    };

    /// Take a new client.
    void Accept();
    /// Read and answer. @return whether the client stays
    bool Read(Client& client);
    /// Send what waits. @return whether the client stays
    bool Write(Client& client);

    Fd m_listening;              //!< for new clients
    int m_epoll;                 //!< where all are registered
    Handler m_handler;           //!< answers
    std::list<Client> m_clients; //!< oldest first
};

} // namespace mrc::emu

#endif // MRC_EMU_SOCKET_SERVER_H
