// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-receive-window.h"

#include <algorithm>

namespace mrc
{

ReceiveWindow::ReceiveWindow(uint64_t firstPsn, uint32_t windowPsns)
    : m_expected(firstPsn),
      m_highestEnd(firstPsn),
      m_windowPsns(windowPsns),
      m_targetPsns(windowPsns)
{
}

namespace
{
/// @return the bits that a window takes
uint32_t
CapacityFor(uint32_t windowPsns)
{
    uint32_t capacity = 128;
    while (capacity < windowPsns)
    {
        capacity *= 2;
    }
    return capacity;
}
} // namespace

void
ReceiveWindow::SetWidth(uint32_t windowPsns)
{
    m_targetPsns = windowPsns;
    m_windowPsns = std::max(m_windowPsns, windowPsns);
    const uint32_t capacity = CapacityFor(m_windowPsns);
    if (m_received.Capacity() != 0 && m_received.Capacity() < capacity)
    {
        m_received.Resize(capacity, m_expected, m_highestEnd);
        m_ends.Resize(capacity, m_expected, m_highestEnd);
    }
}

//= MRC-REF 4 Responder, accept ePSN <= PSN < ePSN + window
ReceiveWindow::Verdict
ReceiveWindow::Check(uint64_t psn) const
{
    if (psn < m_expected)
    {
        return Verdict::DUPLICATE;
    }
    if (psn - m_expected >= m_windowPsns)
    {
        return Verdict::OUTSIDE;
    }
    const bool isKnown = m_received.Capacity() != 0 && m_received.Test(psn);
    return isKnown ? Verdict::DUPLICATE : Verdict::FRESH;
}

uint32_t
ReceiveWindow::Receive(uint64_t psn, bool endsMessage)
{
    if (m_received.Capacity() == 0)
    {
        const uint32_t capacity = CapacityFor(m_windowPsns);
        m_received.Resize(capacity, 0, 0);
        m_ends.Resize(capacity, 0, 0);
    }
    m_highestEnd = std::max(m_highestEnd, psn + 1);
    if (psn == m_expected && psn + 1 == m_highestEnd)
    {
        AdvanceTo(psn + 1); // in order with nothing waiting beyond it: no bit is needed
        return endsMessage;
    }
    m_received.Set(psn);
    ++m_outOfOrder;
    if (endsMessage)
    {
        m_ends.Set(psn);
    }
    if (psn != m_expected)
    {
        return 0;
    }
    const uint64_t expected = m_received.Find(psn, m_highestEnd, false);
    m_outOfOrder -= m_received.ClearRange(psn, expected);
    AdvanceTo(expected);
    return m_ends.ClearRange(psn, expected);
}

uint64_t
ReceiveWindow::Bitmap(uint64_t first) const
{
    uint64_t bits = 0;
    if (m_received.Capacity() != 0 && first < m_highestEnd)
    {
        bits = m_received.Extract(first);
    }
    if (first < m_expected)
    {
        const uint64_t below = m_expected - first;
        bits |= below >= 64 ? ~uint64_t{0} : (uint64_t{1} << below) - 1;
    }
    return bits;
}

} // namespace mrc
