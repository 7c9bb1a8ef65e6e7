// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SEND_QUEUE_H
#define MRC_SEND_QUEUE_H

#include "mrc-ring.h"
#include "mrc-work-request.h"

#include <cstdint>

namespace mrc
{

/// A work request with the PSNs it occupies.
struct SendMessage
{
    WorkRequest request; ///< what was posted
    uint64_t firstPsn;   ///< PSN of its first packet
    uint32_t packets;    ///< one per MTU, at least one
    uint64_t rqmsn;      ///< number among the WRITEs with immediate

    /// @return one past the PSN of its last packet
    uint64_t EndPsn() const
    {
        return firstPsn + packets;
    }
};

/**
 * The messages of a requester from posting to completion, numbered by MSN.
 *
 * Messages occupy consecutive PSNs in the order of posting, so a PSN tells its message.
 */
class SendQueue
{
  public:
    /**
     * @param firstPsn the QP's initial PSN
     * @param mtuBytes payload of a full packet
     */
    SendQueue(uint64_t firstPsn, uint32_t mtuBytes);

    /// Append a message.
    void Post(const WorkRequest& request);

    /// @return payload of a full packet, bytes
    uint32_t MtuBytes() const
    {
        return m_mtuBytes;
    }

    /// @return one past the last PSN of all posted messages
    uint64_t EndPsn() const
    {
        return m_endPsn;
    }

    /// @return whether every posted message is complete
    bool IsEmpty() const
    {
        return m_messages.IsEmpty();
    }

    /// @return MSN of the oldest message that is not complete
    uint64_t BeginMsn() const
    {
        return m_messages.Begin();
    }

    /// @return one past the MSN of the newest message
    uint64_t EndMsn() const
    {
        return m_messages.End();
    }

    /// @param msn in [BeginMsn(), EndMsn())
    const SendMessage& At(uint64_t msn) const
    {
        return m_messages.At(msn);
    }

    /// @param psn of an incomplete message @return its MSN, in O(log messages)
    uint64_t Find(uint64_t psn) const;

    /// @param psn a packet of the message @return its payload in bytes
    uint32_t PayloadBytes(const SendMessage& message, uint64_t psn) const
    {
        const uint64_t offset = (psn - message.firstPsn) * m_mtuBytes;
        const uint64_t left = message.request.bytes - offset;
        return left < m_mtuBytes ? static_cast<uint32_t>(left) : m_mtuBytes;
    }

    /// Remove the oldest message.
    void Pop()
    {
        m_messages.Pop();
    }

  private:
    Ring<SendMessage> m_messages; //!< index = MSN
    uint64_t m_endPsn;            //!< next free PSN
    uint64_t m_immediates{0};     //!< WRITEs with immediate posted so far
    uint32_t m_mtuBytes;          //!< payload of a full packet
};

} // namespace mrc

#endif // MRC_SEND_QUEUE_H
