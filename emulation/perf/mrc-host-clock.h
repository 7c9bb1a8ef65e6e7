// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_HOST_CLOCK_H
#define MRC_HOST_CLOCK_H

#include <cstdint>

namespace mrc::perf
{

/**
 * The time of a real host as core/ counts it: CLOCK_MONOTONIC since the first call in this
 * process, so that 63 bits of picoseconds last for 106 days whatever the uptime is.
 *
 * @return ps, never less than before
 */
int64_t HostNowPs();

} // namespace mrc::perf

#endif // MRC_HOST_CLOCK_H
