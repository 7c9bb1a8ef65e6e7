// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-fixed-window.h"

namespace mrc
{

FixedWindow::FixedWindow(uint64_t cwndBytes, int64_t baseRttPs)
    : CongestionControl(cwndBytes),
      m_baseRttPs(baseRttPs)
{
}

void
FixedWindow::OnSack(const SackFeedback&)
{
}

void
FixedWindow::OnLoss(LossKind, int64_t, uint32_t)
{
}

int64_t
FixedWindow::BaseRttPs() const
{
    return m_baseRttPs;
}

} // namespace mrc
