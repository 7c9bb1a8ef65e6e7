// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-send-window.h"

#include <algorithm>

namespace mrc
{

namespace
{
/// Packets of a window when a QP first sends.
constexpr uint32_t INITIAL_PACKETS = 64;
} // namespace

SendWindow::SendWindow(uint64_t firstPsn)
    : m_base(firstPsn),
      m_next(firstPsn)
{
}

void
SendWindow::Grow()
{
    const auto capacity = static_cast<uint32_t>(m_packets.size());
    const uint32_t larger = capacity == 0 ? INITIAL_PACKETS : 2 * capacity;
    std::vector<SentPacket> packets(larger);
    for (uint64_t psn = m_base; psn != m_next; ++psn)
    {
        packets[psn & (larger - 1)] = At(psn);
    }
    m_packets.swap(packets);
    m_received.Resize(larger, m_base, m_next);
    m_lost.Resize(larger, m_base, m_next);
}

SentPacket&
SendWindow::Append()
{
    if (m_next - m_base == m_packets.size())
    {
        Grow();
    }
    SentPacket& packet = At(m_next++);
    packet.timeouts = 0;
    packet.isRetransmission = false;
    packet.isOutstanding = true;
    return packet;
}

SentPacket&
SendWindow::Resend(uint64_t psn)
{
    m_lost.Clear(psn);
    --m_lostCount;
    SentPacket& packet = At(psn);
    packet.isRetransmission = true;
    packet.isOutstanding = true;
    return packet;
}

void
SendWindow::MarkLost(uint64_t psn)
{
    At(psn).isOutstanding = false;
    m_lost.Set(psn);
    ++m_lostCount;
}

void
SendWindow::MarkReceived(uint64_t psn)
{
    At(psn).isOutstanding = false;
    m_received.Set(psn);
    if (m_lost.Test(psn))
    {
        m_lost.Clear(psn);
        --m_lostCount;
    }
}

uint64_t
SendWindow::NewlyReceived(uint64_t first, uint64_t bits) const
{
    if (first >= m_next || m_packets.empty())
    {
        return 0;
    }
    if (first < m_base)
    {
        const uint64_t below = m_base - first;
        if (below >= 64)
        {
            return 0;
        }
        bits &= ~uint64_t{0} << below;
    }
    if (m_next - first < 64)
    {
        bits &= (uint64_t{1} << (m_next - first)) - 1;
    }
    return bits & ~m_received.Extract(first);
}

void
SendWindow::AdvanceTo(uint64_t base)
{
    if (base > m_base)
    {
        m_received.ClearRange(m_base, base);
        m_base = base;
    }
}

} // namespace mrc
