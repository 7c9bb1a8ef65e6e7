// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_LOSS_DETECTOR_H
#define MRC_LOSS_DETECTOR_H

#include "mrc-send-window.h"

#include <cstdint>
#include <vector>

namespace mrc
{

/**
 * Tells from what was received which packets were lost, without a timer.
 *
 * Two rules (MRC-REF 4, loss inference): a packet is lost when one that was sent later on the
 * same EV was received, since a path keeps order; or when it is older than a limit and any packet
 * sent later was received.
 */
class LossDetector
{
  public:
    /**
     * @param paths number of EVs of the QP
     * @param firstPsn first PSN that will be sent
     */
    LossDetector(uint16_t paths, uint64_t firstPsn);

    /// A packet goes out for the first time: link it to the one before it on its path.
    void OnSent(SendWindow& window, uint64_t psn);

    /// A packet goes out again.
    void OnResent(uint64_t psn);

    /**
     * A packet, marked received in the window just now, arrived.
     *
     * @param window the packets in flight
     * @param psn what arrived
     * @param reportedFrom first PSN of the SACK's bitmap: what it does not cover may have arrived
     * @param[out] lost PSNs that were sent before it on the same EV and are still outstanding,
     *             appended
     */
    void OnReceived(const SendWindow& window,
                    uint64_t psn,
                    uint64_t reportedFrom,
                    std::vector<uint64_t>& lost);

    /**
     * What was sent at a time on a path is known to have taken it to the end: a probe that was
     * answered, or a retransmission whose EV the SACK reflects.
     *
     * @param path the EV
     * @param sentPs when, ps
     */
    void OnHeard(EvIndex path, int64_t sentPs);

    /// PSNs whose arrival a SACK reports, or reports not to have happened.
    struct Covered
    {
        uint64_t from; ///< first
        uint64_t end;  ///< one past the last; no more than `from`: none
    };

    /**
     * Apply what was received to the packets that OnReceived() did not name.
     *
     * @param window the packets in flight
     * @param sentBeforePs packets sent before this are old
     * @param covered what the SACK that was just taken in tells about. SACKs overtake each other,
     * so that a retransmission may have arrived before what this one reports although it does not
     * say so: those outside are not judged by their path
     * @param[out] lost PSNs now taken for lost, appended
     */
    void FindLost(const SendWindow& window,
                  int64_t sentBeforePs,
                  Covered covered,
                  std::vector<uint64_t>& lost);

    /**
     * Outstanding packets in order of their transmission.
     *
     * @return the oldest first transmission still outstanding, or window.Next() if there is none
     */
    uint64_t OldestFirstSend(const SendWindow& window);

    /// @return retransmitted PSNs that may still be outstanding
    const std::vector<uint64_t>& Resent() const
    {
        return m_resent;
    }

  private:
    /// What the detector knows of an EV.
    struct Path
    {
        uint64_t lastPsn;         //!< last first transmission
        int64_t newestReceivedPs; //!< transmission time of the newest packet that arrived
    };

    std::vector<Path> m_paths;      //!< by EvIndex
    std::vector<uint64_t> m_resent; //!< retransmissions in flight, oldest first
    uint64_t m_firstPsn;            //!< the QP's first PSN
    uint64_t m_oldest;              //!< no first transmission below is outstanding
    int64_t m_newestReceivedPs{-1}; //!< transmission time of the newest packet that arrived
};

} // namespace mrc

#endif // MRC_LOSS_DETECTOR_H
