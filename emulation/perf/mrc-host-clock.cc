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
constexpr int64_t LONGEST_WAIT_NS = 1'000'000'000;

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
    if (nowPs >= m_refreshPs)
    {
        constexpr int64_t REFRESH_PS = 10'000'000'000;
        m_refreshPs = nowPs + REFRESH_PS;
        // An interruption in between makes arrivals later, never earlier than the frame was sent.
        const int64_t wallNs = ReadNs(CLOCK_REALTIME);
        m_offsetNs = HostNowPs() / PS_PER_NS - wallNs;
    }
    const int64_t nowNs = nowPs / PS_PER_NS;
    const int64_t atNs = std::clamp(realtimeNs + m_offsetNs, nowNs - LONGEST_WAIT_NS, nowNs);
    return atNs * PS_PER_NS;
}

} // namespace mrc::perf
