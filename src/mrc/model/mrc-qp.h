// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_QP_H
#define MRC_QP_H

#include "mrc-explicit-paths.h"
#include "mrc-fabric-event.h"
#include "mrc-ipv6.h"
#include "mrc-path-template.h"
#include "mrc-qp-state.h"
#include "mrc-requester.h"
#include "mrc-responder.h"
#include "mrc-reverse-path.h"

#include <cstdint>

namespace ns3
{

class MrcNic;

/**
 * One end of a connection inside a NIC: requester, responder, the route to the peer, and the
 * timer event, which is the object itself.
 */
class MrcQp final : public MrcFabricEvent,
                    public mrc::RequesterHost,
                    public mrc::EvObserver,
                    public mrc::ResponderHost
{
  public:
    /**
     * @param nic the owner, outlives the QP
     * @param setup what both ends agreed on
     * @param peer NIC of the other end
     * @param path route to it
     * @param peerAddress its address
     * @param seed of EV selection
     */
    MrcQp(MrcNic& nic,
          const mrc::QpSetup& setup,
          uint32_t peer,
          const mrc::PathTemplate& path,
          const mrc::Ipv6Address& peerAddress,
          uint64_t seed);

    mrc::Requester requester; //!< sends
    mrc::Responder responder; //!< receives
    mrc::ReversePath reverse; //!< paths of what it sends as a receiver, planes that are down

    /// @return NIC of the other end
    uint32_t Peer() const
    {
        return m_peer;
    }

    /// @return where it is between RESET and ERROR
    mrc::QpState State() const
    {
        return m_state.State();
    }

    /// @return own QPN
    uint32_t Number() const
    {
        return m_number;
    }

    /// Address a frame to the peer: the carrier of its EV, or the peer's own address.
    void Route(mrc::Frame& frame) const
    {
        if (frame.Has(mrc::Frame::ENCAPSULATED))
        {
            if (m_explicitPaths == nullptr || !m_explicitPaths->Apply(frame))
            {
                m_path.Apply(frame.ev, frame.daHigh, frame.daLow);
            }
        }
        else
        {
            frame.daHigh = m_peerAddress.high;
            frame.daLow = m_peerAddress.low;
        }
    }

    /// Send EVs on paths of their own. @param paths theirs, outlive all frames; null: none
    void SetExplicitPaths(const mrc::ExplicitPaths* paths)
    {
        m_explicitPaths = paths;
    }

    /// Wake the requester no later than it wants.
    void ArmTimer(int64_t nowPs);

    void Run(int64_t nowPs) override;

    void Prefetch(uint32_t step) const override
    {
        if (step == 1)
        {
            PrefetchRequester();
        }
    }

    /// Fetch the sending half; changes nothing.
    void PrefetchRequester() const
    {
        Fetch(&requester, sizeof(requester));
        __builtin_prefetch(&m_path);
        __builtin_prefetch(&nextReady, 1);
    }

    /// Fetch the receiving half; changes nothing.
    void PrefetchResponder() const
    {
        Fetch(&responder, sizeof(responder));
        __builtin_prefetch(&m_path);
        __builtin_prefetch(&m_peer);
        __builtin_prefetch(&reverse, 1);
    }

    MrcQp* nextReady{nullptr}; //!< see MrcReadyList
    bool isReady{false};       //!< waits in the NIC's round robin

    std::unique_ptr<mrc::CongestionControl> CreateCongestionControl() override;
    std::unique_ptr<mrc::PathSelector> CreatePathSelector() override;
    void OnCompletion(const mrc::Completion& completion) override;
    void OnQpError(int64_t nowPs) override;
    void OnEvTransition(const mrc::EvTransition& transition) override;
    void OnReceiveCompletion(const mrc::ReceiveCompletion& completion) override;

  private:
    /// Fetch an object. @param object where @param bytes its size
    static void Fetch(const void* object, size_t bytes)
    {
        constexpr size_t CACHE_LINE_BYTES = 64;
        for (size_t offset = 0; offset < bytes; offset += CACHE_LINE_BYTES)
        {
            __builtin_prefetch(static_cast<const char*>(object) + offset, 1);
        }
    }

    MrcNic& m_nic;                                      //!< owner
    mrc::PathTemplate m_path;                           //!< route to the peer
    const mrc::ExplicitPaths* m_explicitPaths{nullptr}; //!< of EVs that are addresses
    mrc::Ipv6Address m_peerAddress;                     //!< of the peer
    uint64_t m_seed;                                    //!< of EV selection
    int64_t m_armedPs;           //!< when the event is due; NEVER = not pending
    uint32_t m_peer;             //!< NIC of the other end
    uint32_t m_number;           //!< own QPN
    mrc::QpStateMachine m_state; //!< RTS once made
};

static_assert(sizeof(MrcQp) <= 640, "an idle QP fits 1 KiB with its bookkeeping");

} // namespace ns3

#endif // MRC_QP_H
