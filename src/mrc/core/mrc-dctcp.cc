// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-dctcp.h"

#include <algorithm>

namespace mrc
{

Dctcp::Dctcp(const DctcpConfig& config, uint32_t mtuBytes, uint64_t maxCwndBytes, int64_t baseRttPs)
    : CongestionControl(std::max<uint64_t>(maxCwndBytes, mtuBytes)),
      m_gain(config.gain),
      m_increaseBytes(config.increaseMtus * mtuBytes),
      m_alpha(1), // until proven otherwise, as RFC 8257 has it
      m_credit(0),
      m_baseRttPs(baseRttPs),
      m_maxCwndBytes(CwndBytes()),
      m_windowBytes(0),
      m_observedBytes(0),
      m_markedBytes(0),
      m_mtuBytes(mtuBytes),
      m_hasHalved(false)
{
}

void
Dctcp::OnSack(const SackFeedback& feedback)
{
    if (m_windowBytes == 0)
    {
        m_windowBytes = feedback.inflightBytes + feedback.newBytes;
    }
    const auto bytes = static_cast<double>(feedback.newBytes);
    m_markedBytes += feedback.marked ? feedback.newBytes : 0;
    m_credit += m_increaseBytes * bytes / static_cast<double>(m_cwndBytes);
    const auto whole = static_cast<uint64_t>(m_credit);
    m_credit -= static_cast<double>(whole);
    SetCwnd(static_cast<double>(m_cwndBytes + whole));
    Observe(feedback.newBytes);
}

void
Dctcp::OnLoss(LossKind kind, int64_t, uint32_t bytes)
{
    if (kind == LossKind::TIMEOUT)
    {
        SetCwnd(m_mtuBytes);
        m_hasHalved = true;
    }
    else if (!m_hasHalved)
    {
        SetCwnd(static_cast<double>(m_cwndBytes) / 2);
        m_hasHalved = true;
    }
    Observe(bytes);
}

int64_t
Dctcp::BaseRttPs() const
{
    return m_baseRttPs;
}

void
Dctcp::Observe(uint64_t bytes)
{
    m_observedBytes += bytes;
    if (m_windowBytes == 0 || m_observedBytes < m_windowBytes)
    {
        return;
    }
    const double fraction =
        static_cast<double>(m_markedBytes) / static_cast<double>(m_observedBytes);
    m_alpha = (1 - m_gain) * m_alpha + m_gain * fraction;
    if (m_markedBytes > 0 && !m_hasHalved)
    {
        SetCwnd(static_cast<double>(m_cwndBytes) * (1 - m_alpha / 2));
    }
    m_windowBytes = 0;
    m_observedBytes = 0;
    m_markedBytes = 0;
    m_hasHalved = false;
}

void
Dctcp::SetCwnd(double cwndBytes)
{
    const auto wanted = static_cast<uint64_t>(cwndBytes);
    m_cwndBytes = std::clamp<uint64_t>(wanted, m_mtuBytes, m_maxCwndBytes);
}

} // namespace mrc
