// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-loss-detector.h"

#include <algorithm>

namespace mrc
{

LossDetector::LossDetector(uint16_t paths, uint64_t firstPsn)
    : m_paths(paths, Path{UINT64_MAX, -1}),
      m_firstPsn(firstPsn),
      m_oldest(firstPsn)
{
}

void
LossDetector::OnSent(SendWindow& window, uint64_t psn)
{
    SentPacket& packet = window.At(psn);
    Path& path = m_paths[packet.path];
    const bool linked = path.lastPsn != UINT64_MAX && path.lastPsn >= window.Base();
    packet.previousOnPath = linked ? static_cast<uint16_t>(psn - path.lastPsn) : 0;
    path.lastPsn = psn;
}

void
LossDetector::OnResent(uint64_t psn)
{
    m_resent.push_back(psn);
}

//= MRC-REF 4 Requester, loss inference: sent later on the same EV
void
LossDetector::OnReceived(const SendWindow& window,
                         uint64_t psn,
                         uint64_t reportedFrom,
                         std::vector<uint64_t>& lost)
{
    const SentPacket& packet = window.At(psn);
    if (packet.isRetransmission)
    {
        return; // which transmission arrived, and on which path, is not known
    }
    OnHeard(packet.path, packet.sentPs);
    uint64_t earlier = psn;
    uint16_t back = packet.previousOnPath;
    while (back != 0 && earlier - back >= std::max(window.Base(), reportedFrom))
    {
        earlier -= back;
        const SentPacket& candidate = window.At(earlier);
        if (candidate.isRetransmission)
        {
            // Sent again since, so no longer ordered on this path; what is before it is.
        }
        else if (candidate.isOutstanding)
        {
            lost.push_back(earlier);
        }
        else if (window.IsReceived(earlier))
        {
            return; // its own arrival has settled all before it
        }
        back = candidate.previousOnPath;
    }
}

void
LossDetector::OnHeard(EvIndex path, int64_t sentPs)
{
    m_paths[path].newestReceivedPs = std::max(m_paths[path].newestReceivedPs, sentPs);
    m_newestReceivedPs = std::max(m_newestReceivedPs, sentPs);
}

uint64_t
LossDetector::OldestFirstSend(const SendWindow& window)
{
    m_oldest = std::max(m_oldest, window.Base());
    while (m_oldest != window.Next())
    {
        const SentPacket& packet = window.At(m_oldest);
        if (packet.isOutstanding && !packet.isRetransmission)
        {
            break;
        }
        ++m_oldest;
    }
    return m_oldest;
}

//= MRC-REF 4 Requester, loss inference: old, and a later-sent packet was received
void
LossDetector::FindLost(const SendWindow& window,
                       int64_t sentBeforePs,
                       Covered covered,
                       std::vector<uint64_t>& lost)
{
    const int64_t limitPs = std::min(sentBeforePs, m_newestReceivedPs);
    for (uint64_t psn = OldestFirstSend(window); psn != window.Next(); ++psn)
    {
        const SentPacket& packet = window.At(psn);
        if (packet.isRetransmission)
        {
            continue;
        }
        if (packet.sentPs >= limitPs)
        {
            break; // first transmissions leave in PSN order
        }
        if (packet.isOutstanding)
        {
            lost.push_back(psn);
        }
    }
    auto gone = [&](uint64_t psn) {
        if (psn < window.Base() || !window.At(psn).isOutstanding)
        {
            return true;
        }
        const SentPacket& packet = window.At(psn);
        const bool isCovered = psn >= covered.from && psn < covered.end;
        if (packet.sentPs < limitPs ||
            (isCovered && packet.sentPs < m_paths[packet.path].newestReceivedPs))
        {
            lost.push_back(psn);
            return true;
        }
        return false;
    };
    if (!m_resent.empty())
    {
        m_resent.erase(std::remove_if(m_resent.begin(), m_resent.end(), gone), m_resent.end());
    }
}

} // namespace mrc
