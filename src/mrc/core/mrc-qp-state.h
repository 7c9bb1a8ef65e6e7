// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_QP_STATE_H
#define MRC_QP_STATE_H

#include <cstdint>

namespace mrc
{

/// Where a QP is on its way from being made to being of use.
enum class QpState : uint8_t
{
    RESET, ///< made, nothing is known of the peer
    INIT,  ///< has its EV and congestion control profiles
    RTR,   ///< knows the peer: ready to receive
    RTS,   ///< the peer is ready to receive: ready to send
    ERROR  ///< failed or told to fail: flushes what is posted
};

/// @return the state's name
inline const char*
QpStateText(QpState state)
{
    switch (state)
    {
    case QpState::RESET:
        return "RESET";
    case QpState::INIT:
        return "INIT";
    case QpState::RTR:
        return "RTR";
    case QpState::RTS:
        return "RTS";
    case QpState::ERROR:
        return "ERROR";
    }
    return "unknown";
}

/**
 * The state of a QP and what it allows.
 *
 * A QP goes RESET, INIT, RTR, RTS, one step at a time. From all of these but RESET it can go to
 * ERROR, and from everywhere back to RESET.
 */
//= MRC-REF 1 QP states
class QpStateMachine
{
  public:
    /// @return the present state
    QpState State() const
    {
        return m_state;
    }

    /**
     * Go to another state.
     *
     * @param next the state wanted
     * @return false if no step leads there from the present one, which is kept then
     */
    bool Change(QpState next)
    {
        if (next == QpState::ERROR
                ? m_state == QpState::RESET
                : next != QpState::RESET && static_cast<int>(next) != static_cast<int>(m_state) + 1)
        {
            return false;
        }
        m_state = next;
        return true;
    }

    /// @return whether packets of the peer are taken
    bool MayReceive() const
    {
        return m_state == QpState::RTR || m_state == QpState::RTS;
    }

    /// @return whether packets may be sent
    bool MaySend() const
    {
        return m_state == QpState::RTS;
    }

  private:
    QpState m_state{QpState::RESET}; //!< present
};

} // namespace mrc

#endif // MRC_QP_STATE_H
