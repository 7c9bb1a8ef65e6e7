// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_RECEIVE_WINDOW_H
#define MRC_RECEIVE_WINDOW_H

#include "mrc-psn-bitmap.h"

#include <cstdint>

namespace mrc
{

/**
 * Which PSNs a responder has received, and where messages end among them.
 *
 * PSNs below Expected() are all received. Nothing is allocated before the first packet.
 */
class ReceiveWindow
{
  public:
    /// What Receive() found.
    enum class Verdict : uint8_t
    {
        FRESH,     ///< first time, inside the window
        DUPLICATE, ///< received before
        OUTSIDE    ///< beyond the window
    };

    /**
     * @param firstPsn the QP's initial PSN
     * @param windowPsns PSNs accepted from Expected() on
     */
    ReceiveWindow(uint64_t firstPsn, uint32_t windowPsns);

    /// @return first PSN that is still missing (cack + 1)
    uint64_t Expected() const
    {
        return m_expected;
    }

    /// @return one past the highest PSN received
    uint64_t HighestEnd() const
    {
        return m_highestEnd;
    }

    /// @return packets received beyond Expected()
    uint32_t OutOfOrderCount() const
    {
        return m_outOfOrder;
    }

    /// @return what Receive() would say of a PSN
    Verdict Check(uint64_t psn) const;

    /// Fetch what a PSN's Check() and Receive() touch, given its low bits; changes nothing.
    void Prefetch(uint64_t psn) const
    {
        m_received.Prefetch(psn);
    }

    /**
     * Record a packet for which Check() said FRESH.
     *
     * @param psn its PSN
     * @param endsMessage whether it is the last of its message
     * @return messages that are now complete in order and were not before
     */
    uint32_t Receive(uint64_t psn, bool endsMessage);

    /// @param psn beyond Expected() @return the first PSN received from there on, or HighestEnd()
    uint64_t NextReceived(uint64_t psn) const
    {
        return psn < m_highestEnd ? m_received.Find(psn, m_highestEnd, true) : m_highestEnd;
    }

    /// @return bits of 64 PSNs, those below Expected() set, the first in bit 0
    uint64_t Bitmap(uint64_t first) const;

  private:
    PsnBitmap m_received;     //!< PSNs beyond Expected()
    PsnBitmap m_ends;         //!< those that end a message
    uint64_t m_expected;      //!< cack + 1
    uint64_t m_highestEnd;    //!< one past the highest
    uint32_t m_windowPsns;    //!< width
    uint32_t m_outOfOrder{0}; //!< bits set in m_received
};

} // namespace mrc

#endif // MRC_RECEIVE_WINDOW_H
