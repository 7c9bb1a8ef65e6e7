// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_CLOCK_H
#define MRC_EMU_CLOCK_H

#include <cstdint>
#include <ctime>

namespace mrc::emu
{

/// @return the machine's monotonic clock, ns
inline int64_t
MonotonicNs()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/**
 * Relates simulated to wall time: wall = start + scale x simulated.
 *
 * To the hosts a fabric with scale S has links of 1/S of the simulated rate and S times the
 * simulated delay, while everything inside it, timers included, stays as configured.
 */
class EmuClock
{
  public:
    /// @param scale S, > 0
    explicit EmuClock(double scale)
        : m_scale(scale)
    {
    }

    /// Simulated time 0 is now.
    void Start()
    {
        m_startNs = MonotonicNs();
    }

    /// @return S
    double Scale() const
    {
        return m_scale;
    }

    /// @return MonotonicNs() at simulated time 0
    int64_t StartNs() const
    {
        return m_startNs;
    }

    /// @param wallNs of MonotonicNs(), not before the start @return simulated time, ps
    int64_t SimulatedPs(int64_t wallNs) const
    {
        constexpr double PS_PER_NS = 1000;
        return static_cast<int64_t>(static_cast<double>(wallNs - m_startNs) * PS_PER_NS / m_scale);
    }

    /// @param simulatedPs simulated time @return when it is due by MonotonicNs()
    int64_t WallNs(int64_t simulatedPs) const
    {
        return m_startNs + WallSpanNs(simulatedPs);
    }

    /// @param spanPs span of simulated time @return span of wall time, ns
    int64_t WallSpanNs(int64_t spanPs) const
    {
        constexpr double PS_PER_NS = 1000;
        return static_cast<int64_t>(static_cast<double>(spanPs) * m_scale / PS_PER_NS);
    }

  private:
    double m_scale;       //!< S
    int64_t m_startNs{0}; //!< wall time of simulated time 0
};

} // namespace mrc::emu

#endif // MRC_EMU_CLOCK_H
