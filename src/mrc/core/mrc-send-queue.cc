// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-send-queue.h"

#include <algorithm>

namespace mrc
{

SendQueue::SendQueue(uint64_t firstPsn, uint32_t mtuBytes)
    : m_endPsn(firstPsn),
      m_mtuBytes(mtuBytes)
{
}

void
SendQueue::Post(const WorkRequest& request)
{
    const uint32_t packets = std::max(1u, (request.bytes + m_mtuBytes - 1) / m_mtuBytes);
    const uint64_t rqmsn = request.hasImmediate ? m_immediates++ : 0;
    m_messages.Push(SendMessage{request, m_endPsn, packets, rqmsn});
    m_endPsn += packets;
}

uint64_t
SendQueue::Find(uint64_t psn) const
{
    uint64_t low = m_messages.Begin();
    uint64_t high = m_messages.End();
    while (high - low > 1)
    {
        const uint64_t middle = low + (high - low) / 2;
        (m_messages.At(middle).firstPsn <= psn ? low : high) = middle;
    }
    return low;
}

} // namespace mrc
