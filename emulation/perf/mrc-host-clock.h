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

/**
 * Turns times of CLOCK_REALTIME, by which the kernel stamps frames, into those of HostNowPs().
 *
 * The difference of the clocks is taken anew every now and then, since the wall clock may be set.
 */
class ArrivalClock
{
  public:
    /**
     * @param realtimeNs when a frame arrived
     * @param nowPs the present: no arrival is later
     * @return the arrival, ps
     */
    int64_t ToHostPs(int64_t realtimeNs, int64_t nowPs);

  private:
    int64_t m_offsetNs{0};  //!< to be added
    int64_t m_refreshPs{0}; //!< when to take it anew
};

} // namespace mrc::perf

#endif // MRC_HOST_CLOCK_H
