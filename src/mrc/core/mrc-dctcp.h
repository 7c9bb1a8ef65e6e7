// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_DCTCP_H
#define MRC_DCTCP_H

#include "mrc-congestion-control.h"

namespace mrc
{

/// Settings of Dctcp.
struct DctcpConfig
{
    /// Weight of the newest window in the estimate of the marked fraction, 0-1 (RFC 8257, g).
    double gain = 0.0625;

    /// Additive increase, MTU per window received.
    double increaseMtus = 1;
};

/**
 * A window that follows the fraction of marked bytes, as DCTCP does (RFC 8257): the controller
 * that others are compared with where switches mark and nobody looks at delays.
 *
 * An observation window is what was in flight when it began. Within it the window grows by
 * increaseMtus in all. At its end the estimate takes in the fraction F of bytes whose SACK echoed a
 * mark, alpha = (1 - g) alpha + g F, and the window shrinks by alpha / 2 if anything was marked. A
 * trim or a loss halves it, once per observation window; a timeout leaves one MTU.
 *
 * What differs from TCP: it starts with the largest window instead of a slow start, as NSCC does,
 * so that the two can be compared. One SACK speaks for several packets, whose bytes all count
 * as marked if the one that triggered it was. A responder's penalty (rcv_cwnd_pen) is ignored.
 */
class Dctcp final : public CongestionControl
{
  public:
    /**
     * @param config settings
     * @param mtuBytes largest packet and smallest window, bytes
     * @param maxCwndBytes largest window and the one to start with, bytes; at least one MTU
     * @param baseRttPs round trip of the empty network, ps, > 0
     */
    Dctcp(const DctcpConfig& config, uint32_t mtuBytes, uint64_t maxCwndBytes, int64_t baseRttPs);

    void OnSack(const SackFeedback& feedback) override;
    void OnLoss(LossKind kind, int64_t nowPs, uint32_t bytes) override;
    int64_t BaseRttPs() const override;

    /// @return estimate of the fraction of bytes that is marked, 0-1
    double MarkedFraction() const
    {
        return m_alpha;
    }

  private:
    /**
     * Count bytes towards the observation window, and end it if that was the last of it.
     *
     * @param bytes received or lost
     */
    void Observe(uint64_t bytes);

    /// @param cwndBytes the wanted window; the one set is within its limits
    void SetCwnd(double cwndBytes);

    double m_gain;            ///< see DctcpConfig
    double m_increaseBytes;   ///< additive increase, bytes per window
    double m_alpha;           ///< see MarkedFraction()
    double m_credit;          ///< increase of less than a byte
    int64_t m_baseRttPs;      ///< as given, ps
    uint64_t m_maxCwndBytes;  ///< largest window
    uint64_t m_windowBytes;   ///< length of the observation window; 0: begins with the next SACK
    uint64_t m_observedBytes; ///< received or lost in it
    uint64_t m_markedBytes;   ///< received and marked in it
    uint32_t m_mtuBytes;      ///< smallest window
    bool m_hasHalved;         ///< a loss shrank the window in this observation window
};

} // namespace mrc

#endif // MRC_DCTCP_H
