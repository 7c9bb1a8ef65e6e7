// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SEND_WINDOW_H
#define MRC_SEND_WINDOW_H

#include "mrc-path-selector.h"
#include "mrc-psn-bitmap.h"

#include <cstdint>
#include <vector>

namespace mrc
{

/// What a requester remembers of a packet between its transmission and cack.
struct SentPacket
{
    int64_t sentPs;          ///< when it was last sent
    EvIndex path;            ///< the EV it was last sent on
    uint16_t previousOnPath; ///< PSNs back to the packet first sent before it on the path; 0: none
    uint16_t timeouts;       ///< how often its timer ran out
    bool isRetransmission;   ///< it was sent more than once
    bool isOutstanding;      ///< sent, and neither received nor taken for lost
};

static_assert(sizeof(SentPacket) == 16, "four packets a cache line");

/**
 * The packets between the first unacknowledged PSN and the next one to be sent.
 *
 * Each is outstanding, received (its bit in the received set) or lost (its bit in the lost set,
 * to be sent again). The array grows with the number of packets in flight, not with the MPR.
 */
class SendWindow
{
  public:
    /// @param firstPsn the QP's initial PSN
    explicit SendWindow(uint64_t firstPsn);

    /// @return first PSN that is not acknowledged in order
    uint64_t Base() const
    {
        return m_base;
    }

    /// @return next PSN to be sent for the first time
    uint64_t Next() const
    {
        return m_next;
    }

    /// @return whether everything sent was acknowledged
    bool IsEmpty() const
    {
        return m_base == m_next;
    }

    /// @return number of packets that wait for retransmission
    uint32_t LostCount() const
    {
        return m_lostCount;
    }

    /// @param psn in [Base(), Next())
    SentPacket& At(uint64_t psn)
    {
        return m_packets[psn & (m_packets.size() - 1)];
    }

    /// @copydoc At
    const SentPacket& At(uint64_t psn) const
    {
        return m_packets[psn & (m_packets.size() - 1)];
    }

    /// Fetch the place of the next packet.
    void PrefetchNext() const
    {
        if (!m_packets.empty())
        {
            __builtin_prefetch(&At(m_next), 1);
        }
    }

    /// @return whether a PSN of the window was received
    bool IsReceived(uint64_t psn) const
    {
        return m_received.Test(psn);
    }

    /// @return whether a PSN of the window is to be sent again
    bool IsLost(uint64_t psn) const
    {
        return m_lost.Test(psn);
    }

    /// Take the next PSN for a first transmission. @return its packet, outstanding
    SentPacket& Append();

    /// @return the lowest lost PSN (LostCount() > 0)
    uint64_t FirstLost() const
    {
        return m_lost.Find(m_base, m_next, true);
    }

    /// A lost packet is sent again. @return its packet, outstanding
    SentPacket& Resend(uint64_t psn);

    /// An outstanding packet is taken for lost.
    void MarkLost(uint64_t psn);

    /// A packet was received that was not known to be.
    void MarkReceived(uint64_t psn);

    /**
     * Which PSNs of a SACK are news.
     *
     * @param first PSN of bit 0
     * @param bits the SACK's bitmap
     * @return the bits inside the window that were not yet received
     */
    uint64_t NewlyReceived(uint64_t first, uint64_t bits) const;

    /// Move the base over PSNs all of which are received. @param base at most Next()
    void AdvanceTo(uint64_t base);

  private:
    /// Make room for one more packet.
    void Grow();

    std::vector<SentPacket> m_packets; //!< power of two, at least 64 once in use
    PsnBitmap m_received;              //!< per PSN of the window
    PsnBitmap m_lost;                  //!< per PSN of the window
    uint64_t m_base;                   //!< first unacknowledged
    uint64_t m_next;                   //!< next new
    uint32_t m_lostCount{0};           //!< bits set in m_lost
};

} // namespace mrc

#endif // MRC_SEND_WINDOW_H
