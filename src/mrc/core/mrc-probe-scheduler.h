// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PROBE_SCHEDULER_H
#define MRC_PROBE_SCHEDULER_H

#include "mrc-path-selector.h"

#include <array>
#include <cstdint>

namespace mrc
{

/**
 * When a requester sends a reliability probe, and which probe an answer belongs to.
 *
 * Two reasons to probe: nothing was heard for some base RTTs while something is in flight (the
 * tail of a message has no later packet that would reveal its loss), and an EV that was retired
 * is due for a test.
 */
class ProbeScheduler
{
  public:
    /// A probe that was sent.
    struct Probe
    {
        int64_t sentPs{-1};  ///< when; -1: none
        uint16_t id{0};      ///< probe_id on the wire
        EvIndex path{NO_EV}; ///< on which EV
    };

    /// Something was heard of the responder, or the QP was idle until now.
    void OnFeedback(int64_t nowPs)
    {
        m_lastFeedbackPs = nowPs;
        m_unanswered = 0;
        m_isTailWanted = false;
    }

    /**
     * @param silencePs silence after which the first probe is sent; each further waits twice as
     * long
     * @return when the next probe for the tail is due
     */
    int64_t TailDeadlinePs(int64_t silencePs) const
    {
        constexpr uint32_t MAX_DOUBLINGS = 20;
        const uint32_t doublings = m_unanswered < MAX_DOUBLINGS ? m_unanswered : MAX_DOUBLINGS;
        // From then on each waits as long as the one before: the deadline has to move on.
        const int64_t waits = 1 + int64_t{m_unanswered - doublings};
        return m_lastFeedbackPs + (silencePs << doublings) * waits;
    }

    /// The tail's deadline passed: ask for a probe.
    void WantTail()
    {
        m_isTailWanted = true;
        ++m_unanswered;
    }

    /// @return when something was heard, or the QP was idle, ps
    int64_t LastFeedbackPs() const
    {
        return m_lastFeedbackPs;
    }

    /// @return whether a probe on any EV is to be sent
    bool IsTailWanted() const
    {
        return m_isTailWanted;
    }

    /// An EV is to be probed as soon as its plane has room.
    void WantEv(EvIndex path, int64_t nowPs)
    {
        m_evWanted = path;
        m_evWantedPs = nowPs;
    }

    /// @return the EV that is to be probed, or NO_EV
    EvIndex EvWanted() const
    {
        return m_evWanted;
    }

    /// @return since when EvWanted() is to be probed, ps
    int64_t EvWantedPs() const
    {
        return m_evWantedPs;
    }

    /**
     * A probe goes out, for the EV that was asked for or for the tail.
     *
     * @param nowPs when
     * @param path on which EV
     * @return the probe's id
     */
    uint16_t OnSent(int64_t nowPs, EvIndex path)
    {
        if (path == m_evWanted)
        {
            m_evWanted = NO_EV;
        }
        else
        {
            m_isTailWanted = false;
        }
        const uint16_t id = m_nextId++;
        m_recent[id % m_recent.size()] = Probe{nowPs, id, path};
        return id;
    }

    /**
     * Look up an answer.
     *
     * @param id the reflected probe id
     * @return the probe, with sentPs < 0 if it is unknown, too old or was answered before
     */
    Probe Take(uint16_t id)
    {
        Probe& probe = m_recent[id % m_recent.size()];
        if (probe.id != id || probe.sentPs < 0)
        {
            return Probe{};
        }
        const Probe found = probe;
        probe.sentPs = -1;
        return found;
    }

  private:
    std::array<Probe, 8> m_recent{}; //!< the last probes, by id
    int64_t m_lastFeedbackPs{0};     //!< when something was heard
    int64_t m_evWantedPs{0};         //!< since when m_evWanted is to be probed
    uint32_t m_unanswered{0};        //!< probes for the tail since
    uint16_t m_nextId{0};            //!< id of the next probe
    EvIndex m_evWanted{NO_EV};       //!< EV to be probed
    bool m_isTailWanted{false};      //!< a probe on any EV is to be sent
};

} // namespace mrc

#endif // MRC_PROBE_SCHEDULER_H
