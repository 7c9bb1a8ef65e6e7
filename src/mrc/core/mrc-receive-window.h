// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_RECEIVE_WINDOW_H
#define MRC_RECEIVE_WINDOW_H

#include "mrc-psn-bitmap.h"

#include <algorithm>
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

    /**
     * Change the width. A wider window counts at once; a narrower one takes nothing back, it
     * closes as the first missing PSN advances.
     *
     * @param windowPsns PSNs accepted from Expected() on
     */
    void SetWidth(uint32_t windowPsns);

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
    /// Move Expected() on, closing a window that is to be narrower.
    void AdvanceTo(uint64_t expected)
    {
        if (m_windowPsns != m_targetPsns)
        {
            const uint64_t surplus = m_windowPsns - m_targetPsns;
            m_windowPsns -= static_cast<uint32_t>(std::min(surplus, expected - m_expected));
        }
        m_expected = expected;
    }

    PsnBitmap m_received;     //!< PSNs beyond Expected()
    PsnBitmap m_ends;         //!< those that end a message
    uint64_t m_expected;      //!< cack + 1
    uint64_t m_highestEnd;    //!< one past the highest
    uint32_t m_windowPsns;    //!< width
    uint32_t m_targetPsns;    //!< width that is wanted, not above m_windowPsns
    uint32_t m_outOfOrder{0}; //!< bits set in m_received
};

} // namespace mrc

#endif // MRC_RECEIVE_WINDOW_H
