// SPDX-License-Identifier: GPL-2.0-only
// The fixed window: no feedback moves it.
#include "mrc-fixed-window.h"

#include <gtest/gtest.h>

namespace mrc
{
namespace
{

TEST(FixedWindow, IsWhatItWasGiven)
{
    const FixedWindow window(100'000, 12'000'000);
    EXPECT_EQ(window.CwndBytes(), 100'000U);
    EXPECT_EQ(window.BaseRttPs(), 12'000'000);
}

TEST(FixedWindow, IgnoresFeedback)
{
    FixedWindow window(100'000, 12'000'000);
    // A shorter round trip than the base, an ECN mark, and a penalty.
    window.OnSack({1000, 5'000'000, true, 50'000, 0, 127, false});
    for (const LossKind kind :
         {LossKind::TRIM, LossKind::TRIM_LASTHOP, LossKind::INFERRED, LossKind::TIMEOUT})
    {
        window.OnLoss(kind, 2000, 4096);
    }
    EXPECT_EQ(window.CwndBytes(), 100'000U);
    EXPECT_EQ(window.BaseRttPs(), 12'000'000);
}

} // namespace
} // namespace mrc
