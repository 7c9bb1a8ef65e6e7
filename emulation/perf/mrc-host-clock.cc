// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-host-clock.h"

#include <ctime>

namespace mrc::perf
{

namespace
{
int64_t
MonotonicNs()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}
} // namespace

int64_t
HostNowPs()
{
    constexpr int64_t PS_PER_NS = 1000;
    static const int64_t startNs = MonotonicNs();
    return (MonotonicNs() - startNs) * PS_PER_NS;
}

} // namespace mrc::perf
