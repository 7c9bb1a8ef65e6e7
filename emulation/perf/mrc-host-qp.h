// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_HOST_QP_H
#define MRC_HOST_QP_H

#include "mrc-host-route.h"
#include "mrc-requester.h"
#include "mrc-responder.h"

#include <cstdint>
#include <memory>

namespace mrc::perf
{

class HostEndpoint;

/// One end of a connection on a real host: requester, responder and the way to the peer.
class HostQp final : public RequesterHost, public ResponderHost
{
  public:
    /**
     * @param endpoint the owner, outlives the QP
     * @param index number of the QP in its endpoint
     * @param setup what both ends agreed on
     * @param way to the peer, shared by the QPs that have the same one
     */
    HostQp(HostEndpoint& endpoint,
           uint32_t index,
           const QpSetup& setup,
           std::shared_ptr<const HostRoute> way);

    Requester requester;                    //!< sends
    Responder responder;                    //!< receives
    std::shared_ptr<const HostRoute> route; //!< to the peer
    Frame trigger;                          //!< what `replies` answer
    uint8_t replies{0};                     //!< answers that wait for the end of a batch
    uint8_t merged{0};                      //!< packets whose answers wait
    bool isReady{false};                    //!< waits in the endpoint's round robin

    std::unique_ptr<CongestionControl> CreateCongestionControl() override;
    std::unique_ptr<PathSelector> CreatePathSelector() override;
    void OnCompletion(const Completion& completion) override;
    void OnQpError(int64_t nowPs) override;
    void OnReceiveCompletion(const ReceiveCompletion& completion) override;

  private:
    HostEndpoint& m_endpoint; //!< owner
    uint32_t m_index;         //!< number in it
};

} // namespace mrc::perf

#endif // MRC_HOST_QP_H
