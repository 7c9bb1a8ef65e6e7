// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PERF_CONNECTION_H
#define MRC_PERF_CONNECTION_H

#include "mrc-control-channel.h"
#include "mrc-host-endpoint.h"
#include "mrc-perf-buffers.h"
#include "mrc-perf-hello.h"
#include "mrc-perf-options.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace mrc::perf
{

/**
 * Two ends that found each other: the endpoint, its QPs connected to those of the peer, and
 * memory on both sides. The same for client and server.
 */
class PerfConnection
{
  public:
    /**
     * Agree with the peer and connect all QPs.
     *
     * @param options of this end
     * @param channel to the peer
     * @param sink gets what the endpoint reports
     * @throws BadInput if an interface is not there, RunError if ends or paths do not fit
     */
    PerfConnection(const Options& options, ControlChannel channel, HostSink& sink);

    /// @return what is to be done
    const TestParameters& Test() const
    {
        return m_own.test;
    }

    /// @return the endpoint
    HostEndpoint& Endpoint()
    {
        return *m_endpoint;
    }

    /// @return memory of this end
    PerfBuffers& Buffers()
    {
        return *m_buffers;
    }

    /// @return the channel to the peer
    ControlChannel& Channel()
    {
        return m_channel;
    }

    /// @return what this end said
    const Hello& Own() const
    {
        return m_own;
    }

    /// @return what the peer said
    const Hello& Peer() const
    {
        return m_peer;
    }

    /// @return payload of a full packet, bytes
    uint32_t MtuBytes() const
    {
        return m_mtuBytes;
    }

    /// Post message number `message` of a QP; its bytes are those of its slot.
    void PostMessage(uint32_t qp, uint64_t message);

    /// @param message number of a message of a QP @return the immediate that it carries
    static uint32_t ImmediateOf(uint64_t message)
    {
        return static_cast<uint32_t>(message);
    }

  private:
    /// Measure the round trip over TCP. @return ps
    int64_t MeasureRtt();
    /// Server: answer until the client says hello. @return it
    Hello AwaitHello();
    /// Find interfaces and addresses. @return ports, not open
    std::vector<HostPort> FindPorts() const;
    /// Find out which NIC of the fabric this end is. @param ports of this end
    void FindPlace(const std::vector<HostPort>& ports);
    /// Open ports, get memory, make offers.
    void Open(std::vector<HostPort> ports);
    /// Refuse a peer that does not fit.
    void CheckPeer() const;
    /// Find ways to the peer and make the QPs.
    void ConnectQps();

    const Options& m_options;                 //!< of this end
    ControlChannel m_channel;                 //!< to the peer
    HostSink& m_sink;                         //!< reports
    Hello m_own;                              //!< said
    Hello m_peer;                             //!< heard
    uint32_t m_mtuBytes{0};                   //!< payload of a full packet
    std::shared_ptr<FabricPaths> m_fabric;    //!< null without --fabric
    std::unique_ptr<PerfBuffers> m_buffers;   //!< memory, outlives the endpoint
    std::unique_ptr<HostEndpoint> m_endpoint; //!< the endpoint
};

} // namespace mrc::perf

#endif // MRC_PERF_CONNECTION_H
