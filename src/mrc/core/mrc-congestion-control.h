// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_CONGESTION_CONTROL_H
#define MRC_CONGESTION_CONTROL_H

#include <cstdint>

namespace mrc
{

/// What one SACK tells a congestion controller.
struct SackFeedback
{
    int64_t nowPs;          ///< when the SACK arrived, ps
    int64_t rttPs;          ///< round trip it measured, ps, service time removed; < 0: unknown
    bool marked;            ///< ECN echo: the forward path was CE-marked
    uint64_t newBytes;      ///< increase of rcvd_bytes since the last SACK, bytes; may be 0
    uint64_t inflightBytes; ///< bytes in flight once this SACK is accounted for
    uint8_t cwndPenalty;    ///< rcv_cwnd_pen, 0-127
    bool restoreCwnd;       ///< r_c: the responder lifts its penalty
};

/// Why a packet has to be sent again.
enum class LossKind : uint8_t
{
    TRIM,         ///< NACK: a switch cut it
    TRIM_LASTHOP, ///< NACK: the port to the receiver cut it
    INFERRED,     ///< SACKs of later packets show that it was lost
    TIMEOUT       ///< its timer ran out
};

/**
 * Decides how many bytes a QP may have in flight.
 *
 * A controller is told events in the order of their times and answers with one number. It has
 * no clock, sends nothing and sets no timer. One object serves one QP.
 */
class CongestionControl
{
  public:
    virtual ~CongestionControl() = default;

    /**
     * The congestion window. Asked before each packet, so it is not virtual: implementations
     * keep m_cwndBytes up to date in the verbs below.
     *
     * @return bytes that may be in flight, at least one MTU
     */
    uint64_t CwndBytes() const
    {
        return m_cwndBytes;
    }

    /**
     * A SACK of this QP arrived.
     *
     * Called once for every SACK, duplicates and answers to reliability probes included, after
     * the requester took the newly received bytes off its bytes in flight and before it sends
     * anything because of them. newBytes is 0 when an older or equal rcvd_bytes arrived. A round
     * trip that cannot be trusted (the acknowledged packet was a retransmission without a time
     * stamp) is given as negative. Losses inferred from the same SACK follow as OnLoss() calls
     * with the same time.
     *
     * @param feedback what the SACK said
     */
    virtual void OnSack(const SackFeedback& feedback) = 0;

    /**
     * A packet will be sent again.
     *
     * Called once per lost transmission, not once per signal: when a retriable NACK says that
     * it was trimmed, when loss detection infers from SACKs that it is lost, or when its timer
     * runs out, whichever comes first. The requester has taken the packet off its bytes in
     * flight already. NACKs for other reasons than trimming are no sign of congestion and are
     * not reported. A lost retransmission is a new call.
     *
     * @param kind how the loss became known
     * @param nowPs when, ps
     * @param bytes what the packet counted for in the bytes in flight
     */
    virtual void OnLoss(LossKind kind, int64_t nowPs, uint32_t bytes) = 0;

    /**
     * The round trip of an empty network, as far as the controller knows.
     *
     * Asked whenever a timer or a loss threshold is derived from it, so it has to be cheap. The
     * answer may fall over the life of a QP and never rises.
     *
     * @return base RTT, ps, > 0
     */
    virtual int64_t BaseRttPs() const = 0;

  protected:
    /// @param cwndBytes the initial window, bytes
    explicit CongestionControl(uint64_t cwndBytes)
        : m_cwndBytes(cwndBytes)
    {
    }

    CongestionControl(const CongestionControl&) = default;
    CongestionControl& operator=(const CongestionControl&) = default;

    uint64_t m_cwndBytes; ///< the window that CwndBytes() answers with
};

} // namespace mrc

#endif // MRC_CONGESTION_CONTROL_H
