// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIMULATED_PEER_H
#define MRC_SIMULATED_PEER_H

#include "mrc-control-channel.h"
#include "mrc-perf-hello.h"
#include "mrc-perf-options.h"

#include <cstdint>
#include <optional>
#include <string>
#include <thread>

namespace mrc::perf
{

/**
 * A simulated NIC of mrc-emu as the peer of a test.
 *
 * Nobody runs mrc-perf --server there. A thread stands in for it: it speaks the language of
 * ControlChannel with this process, and commands of `mrc-emu ctl` with the lab ("qp" connects,
 * "memory" tells what arrived). Packets go between this host and the NIC itself.
 */
class SimulatedPeer
{
  public:
    /// @param peer what the user wrote as PEER @return number of the NIC if it is "nic-N"
    static std::optional<uint32_t> ParseName(const std::string& peer);

    /**
     * @param options of this end; the depth is raised so that no slot is used twice when messages
     * are checked, since their memory is only looked at in the end
     * @param nic number of the NIC
     * @throws BadInput if the test cannot be done with a simulated NIC
     * @throws RunError if no lab is there
     */
    SimulatedPeer(Options& options, uint32_t nic);
    ~SimulatedPeer();
    SimulatedPeer(const SimulatedPeer&) = delete;
    SimulatedPeer& operator=(const SimulatedPeer&) = delete;

    /// @return the channel on which the peer answers, once
    ControlChannel TakeChannel()
    {
        return std::move(*m_ours);
    }

  private:
    /// What the thread does.
    void Serve();
    /// Serve until the test is over. @throws RunError
    void Converse();
    /// Connect QPs. @param hello of the client @return that of the NIC
    Hello Connect(const Hello& hello);
    /// Compare the NIC's memory with what was sent. @return results for the client
    nlohmann::json CheckMemory();
    /// Give the lab a command. @param command a line @return its answer @throws RunError
    std::string Ask(const std::string& command) const;

    const Options& m_options;             //!< of this end
    uint32_t m_nic;                       //!< the peer
    FileDescriptor m_lab;                 //!< control socket of mrc-emu
    std::optional<ControlChannel> m_ours; //!< the client's end
    std::optional<ControlChannel> m_end;  //!< the thread's end
    Hello m_hello;                        //!< of the NIC
    std::thread m_thread;                 //!< runs Serve()
};

} // namespace mrc::perf

#endif // MRC_SIMULATED_PEER_H
