// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-host-clock.h"

#include <algorithm>
#include <ctime>

namespace mrc::perf
{

namespace
{
constexpr int64_t PS_PER_NS = 1000;

/// A frame that seems to have waited longer than this was stamped before the clock was set.
constexpr int64_t LONGEST_WAIT_PS = 1'000'000'000'000;

int64_t
ReadNs(clockid_t clock)
{
    timespec now{};
    clock_gettime(clock, &now);
    return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}
} // namespace

int64_t
HostNowPs()
{
    static const int64_t startNs = ReadNs(CLOCK_MONOTONIC);
    return (ReadNs(CLOCK_MONOTONIC) - startNs) * PS_PER_NS;
}

int64_t
ArrivalClock::ToHostPs(int64_t realtimeNs, int64_t nowPs)
{
    static const int64_t epochNs = ReadNs(CLOCK_REALTIME); // keeps the products within 63 bits
    if (nowPs >= m_refreshPs)
    {
        constexpr int64_t REFRESH_PS = 10'000'000'000;
        m_refreshPs = nowPs + REFRESH_PS;
        // An interruption in between makes arrivals later, never earlier than the frame was sent.
        const int64_t wallNs = ReadNs(CLOCK_REALTIME);
        m_offsetPs = HostNowPs() - (wallNs - epochNs) * PS_PER_NS;
    }
    const int64_t atPs = (realtimeNs - epochNs) * PS_PER_NS + m_offsetPs;
    return std::clamp<int64_t>(atPs, nowPs - LONGEST_WAIT_PS, nowPs);
}

} // namespace mrc::perf
