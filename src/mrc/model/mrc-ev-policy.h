// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EV_POLICY_H
#define MRC_EV_POLICY_H

#include "mrc-frame.h"
#include "mrc-path-selector.h"

#include <cstdint>
#include <memory>

namespace ns3
{

class MrcQp;

/// Who decides about the EVs of a NIC's QPs instead of the NIC: a controller.
class MrcEvPolicy
{
  public:
    virtual ~MrcEvPolicy() = default;

    /**
     * A QP is about to send for the first time: choose its EVs.
     *
     * @param qp which
     * @param seed of its random choices
     * @param counters counts transitions
     * @return its selector; the QP is its observer
     */
    virtual std::unique_ptr<mrc::PathSelector> CreateSelector(MrcQp& qp,
                                                              uint64_t seed,
                                                              mrc::EvCounters* counters) = 0;

    /// An EV of a QP changed its state. @param qp which @param ev its value @param transition how
    virtual void OnTransition(const MrcQp& qp,
                              uint32_t ev,
                              const mrc::EvTransition& transition) = 0;
};

/// Takes the packets that a NIC sent to itself.
class MrcLoopSink
{
  public:
    virtual ~MrcLoopSink() = default;

    /// An endpoint request that this NIC sent to itself came back.
    /// @param nic which NIC @param plane of the port @param frame what came @param nowPs when
    virtual void OnLoop(uint32_t nic, uint8_t plane, const mrc::Frame& frame, int64_t nowPs) = 0;
};

} // namespace ns3

#endif // MRC_EV_POLICY_H
