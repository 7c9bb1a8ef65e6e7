// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PERF_RESULTS_H
#define MRC_PERF_RESULTS_H

#include <cstdint>
#include <vector>

namespace mrc::perf
{

/// A link that went down or came up, and what it did to the traffic.
struct LinkEvent
{
    uint8_t plane;        ///< which
    bool isUp;            ///< came up
    int64_t atPs;         ///< since the start of the test
    int64_t longestGapPs; ///< between two completions, within a second from the event on
};

/// What one end measured.
struct PerfResults
{
    uint64_t messages{0};        ///< completed
    int64_t elapsedPs{0};        ///< first post to last completion
    double peakBitsPerSecond{0}; ///< of any `depth` messages in a row
    int64_t longestGapPs{0};     ///< between two completions

    std::vector<int64_t> latenciesPs; ///< lat: half round trips, sorted

    uint64_t verifiedMessages{0};  ///< whose bytes were checked at this end
    uint64_t wrongBytes{0};        ///< among them
    uint64_t wrongImmediates{0};   ///< value, order or length
    int64_t cpuPs{0};              ///< user and system time of the process during the test
    std::vector<LinkEvent> events; ///< links

    /// @param bytesPerMessage length @return average rate
    double BitsPerSecond(uint64_t bytesPerMessage) const
    {
        constexpr double BITS_AND_PS = 8e12;
        return elapsedPs == 0 ? 0
                              : static_cast<double>(messages * bytesPerMessage) * BITS_AND_PS /
                                    static_cast<double>(elapsedPs);
    }

    /// @return messages per second
    double MessageRate() const
    {
        return elapsedPs == 0
                   ? 0
                   : static_cast<double>(messages) * 1e12 / static_cast<double>(elapsedPs);
    }
};

} // namespace mrc::perf

#endif // MRC_PERF_RESULTS_H
