// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_FIXED_WINDOW_H
#define MRC_FIXED_WINDOW_H

#include "mrc-congestion-control.h"

namespace mrc
{

/**
 * A window that never changes: the yardstick for congestion control, and what remains when a
 * fabric is to be studied without it.
 */
class FixedWindow final : public CongestionControl
{
  public:
    /**
     * @param cwndBytes the window, bytes; at least one MTU
     * @param baseRttPs round trip of the empty network, ps, > 0
     */
    FixedWindow(uint64_t cwndBytes, int64_t baseRttPs);

    void OnSack(const SackFeedback& feedback) override;
    void OnLoss(LossKind kind, int64_t nowPs, uint32_t bytes) override;
    int64_t BaseRttPs() const override;

  private:
    int64_t m_baseRttPs; ///< as given, ps
};

} // namespace mrc

#endif // MRC_FIXED_WINDOW_H
