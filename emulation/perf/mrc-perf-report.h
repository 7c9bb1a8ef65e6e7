// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PERF_REPORT_H
#define MRC_PERF_REPORT_H

#include "mrc-perf-run.h"

#include <cstdint>
#include <ostream>
#include <vector>

namespace mrc::perf
{

/// What a latency test reports, ps.
struct LatencySummary
{
    int64_t minPs;     ///< smallest
    int64_t maxPs;     ///< greatest
    int64_t typicalPs; ///< median
    double averagePs;  ///< mean
    double stdevPs;    ///< standard deviation of the population
    int64_t p99Ps;     ///< 99 % are not greater
    int64_t p999Ps;    ///< 99.9 % are not greater
};

/// @param sortedPs at least one latency @return what to report
LatencySummary Summarize(const std::vector<int64_t>& sortedPs);

/// Print what is about to be measured, as perftest does.
void PrintHeader(std::ostream& out, const Options& options, PerfConnection& connection);

/// Print the results.
void PrintResults(std::ostream& out, const Options& options, PerfRun& run);

/// Print the results as one JSON object.
void PrintJson(std::ostream& out, const Options& options, PerfRun& run);

} // namespace mrc::perf

#endif // MRC_PERF_REPORT_H
