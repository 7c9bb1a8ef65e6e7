// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_ENDPOINT_OPS_H
#define MRC_ENDPOINT_OPS_H

#include "mrc-endpoint-agent.h"
#include "mrc-random.h"

#include <ns3/ptr.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

class MrcNic;
class MrcQp;

/**
 * What a NIC does about ports and paths apart from its QPs: it sends and receives the endpoint
 * operations of mrc::EndpointAgent, tells its QPs which planes they can use, and keeps the reverse
 * EVs of those that only receive.
 */
class MrcEndpointOps final : public mrc::EndpointObserver
{
  public:
    /// @param nic the owner, configured, outlives this @param seed of paths that are drawn
    MrcEndpointOps(MrcNic& nic, uint64_t seed);
    ~MrcEndpointOps() override;

    /// An own port changed. @param plane of the port @param isUp whether it works @param nowPs when
    void OnPort(uint8_t plane, bool isUp, int64_t nowPs);

    /// A QP was made. @param qp the QP @param nowPs when
    void OnQp(MrcQp& qp, int64_t nowPs);

    /// A frame for QPN 2 arrived; takes it. @param frame it @param port its port @param nowPs when
    void Receive(mrc::Frame* frame, uint8_t port, int64_t nowPs);

    /// Have a random EV of a QP probed, to become a reverse EV. @param qp the QP @param nowPs when
    void ProbeReverse(const MrcQp& qp, int64_t nowPs);

    /// Probe an EV. @param probe which; a time-out of 0 is the profile's @return the request id
    uint16_t Probe(mrc::EvProbe probe);

    /**
     * Choose the path of an answer whose plane is down, or that takes the reverse EV anyway.
     *
     * @param qp whose answer
     * @param frame the answer; gets the EV
     * @param plane plane of the packet that is answered
     * @return plane to send it on
     */
    uint8_t Reroute(MrcQp& qp, mrc::Frame& frame, uint8_t plane);

    /// @return the state machine
    const mrc::EndpointAgent& Agent() const
    {
        return m_agent;
    }

    void OnEvProbeEnd(const mrc::EvProbeResult& result) override;
    void OnPeerPorts(uint32_t peer, uint32_t mask, int64_t nowPs) override;

  private:
    /// The event of the agent's deadlines.
    class Timer;

    /// Tell a QP which planes it can use. @param qp the QP @param nowPs when
    void RefreshPlanes(MrcQp& qp, int64_t nowPs);
    /// Send what is due and set the timer. @param nowPs when
    void Flush(int64_t nowPs);
    /// The timer ran. @param nowPs when
    void OnTimer(int64_t nowPs);
    /// @param peer a NIC @param plane a plane @return any EV of the plane
    uint32_t DrawEv(uint32_t peer, uint8_t plane);
    /// Address a frame and send it. @param frame with its EV @param peer to whom @param qp on whose
    /// behalf, may be null @param plane of the port @param nowPs when
    void Send(mrc::Frame* frame, uint32_t peer, const MrcQp* qp, uint8_t plane, int64_t nowPs);
    /// @param peer a NIC @return whether there is a QP with it
    bool IsPeer(uint32_t peer) const;

    MrcNic& m_nic;              //!< owner
    mrc::EndpointAgent m_agent; //!< state
    mrc::Random m_random;       //!< paths
    Ptr<Timer> m_timer;         //!< event
    int64_t m_armedPs;          //!< when it is due; NEVER = not pending
};

} // namespace ns3

#endif // MRC_ENDPOINT_OPS_H
