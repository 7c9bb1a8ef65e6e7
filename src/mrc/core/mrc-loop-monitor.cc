// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-loop-monitor.h"

#include <algorithm>

namespace mrc
{

LoopMonitor::Window::Window(uint32_t rounds)
    : m_lost(rounds, 0)
{
}

void
LoopMonitor::Window::Add(uint32_t lost)
{
    m_sum += lost - m_lost[m_next];
    m_lost[m_next] = static_cast<uint16_t>(lost);
    m_next = m_next + 1 == m_lost.size() ? 0 : m_next + 1;
}

LoopMonitor::LoopMonitor(const LoopMonitorConfig& config, uint32_t uplinks)
    : m_config(&config),
      m_uplinks(uplinks),
      m_isBack(config.nearLoops + uplinks, false),
      m_nearLosses(config.windowRounds),
      m_farLosses(uplinks, Window(config.farWindowRounds)),
      m_uplinkVerdicts(uplinks, LinkVerdict::CLEAN)
{
}

bool
LoopMonitor::BeginRound()
{
    const bool isChanged = m_round > 0 && Judge();
    ++m_round;
    std::fill(m_isBack.begin(), m_isBack.end(), false);
    return isChanged;
}

bool
LoopMonitor::OnReturned(uint16_t requestId)
{
    const uint32_t loop = requestId & ((1U << LOOP_BITS) - 1);
    if (loop >= LoopsPerRound() || RequestId(loop) != requestId || m_isBack[loop])
    {
        return false;
    }
    m_isBack[loop] = true;
    return true;
}

bool
LoopMonitor::IsLossy(const Window& window, uint32_t rounds, uint32_t perRound) const
{
    // Before the window has been filled its share is too small, never too large.
    return window.Lost() >= m_config->minLosses &&
           window.Lost() >= m_config->lossThreshold * rounds * perRound;
}

bool
LoopMonitor::Judge()
{
    const LinkVerdict nicLinkBefore = m_nicLink;
    const auto far = m_isBack.begin() + m_config->nearLoops;
    const auto nearLost = static_cast<uint32_t>(std::count(m_isBack.begin(), far, false));
    m_nearLosses.Add(nearLost);
    m_near.sent += m_config->nearLoops;
    m_near.lost += nearLost;
    m_cleanRounds = nearLost == 0 ? m_cleanRounds + 1 : 0;
    if (IsLossy(m_nearLosses, m_config->windowRounds, m_config->nearLoops))
    {
        m_nicLink = LinkVerdict::LOSSY;
    }
    else if (m_cleanRounds >= m_config->cleanRounds)
    {
        m_nicLink = LinkVerdict::CLEAN;
    }

    bool isChanged = m_nicLink != nicLinkBefore;
    for (uint32_t uplink = 0; uplink < m_uplinks; ++uplink)
    {
        const bool isBack = far[uplink];
        ++m_far.sent;
        m_far.lost += !isBack;
        // While near loops are lost as well, a far loop says nothing about its uplink.
        m_farLosses[uplink].Add(!isBack && m_nearLosses.Lost() == 0);
        const bool isLossy = IsLossy(m_farLosses[uplink], m_config->farWindowRounds, 1);
        const LinkVerdict verdict = isLossy ? LinkVerdict::LOSSY : LinkVerdict::CLEAN;
        isChanged |= m_uplinkVerdicts[uplink] != verdict;
        m_uplinkVerdicts[uplink] = verdict;
    }
    return isChanged;
}

} // namespace mrc
