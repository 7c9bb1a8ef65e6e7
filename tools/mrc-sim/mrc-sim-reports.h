// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIM_REPORTS_H
#define MRC_SIM_REPORTS_H

#include "mrc-sim-options.h"
#include "mrc-sim-results.h"

#include <ostream>

namespace ns3
{
class MrcTraffic;
} // namespace ns3

namespace mrc::sim
{

/**
 * The option's values as they are in force, whether given or not: what decides a run's results.
 *
 * Each pair is an option without dashes and its values; a list that may be empty.
 */
std::vector<std::pair<std::string, std::vector<std::string>>> EffectiveOptions(
    const Options& options);

/// Write one JSON object. @param out where to @param options of the run @param results of it
void WriteJson(std::ostream& out, const Options& options, const Results& results);

/// Write a table that says what happened. @param out where to
void WriteTable(std::ostream& out, const Options& options, const Results& results);

/// Write what is known about the network before the run. @param out where to
void WriteTopology(std::ostream& out, const Options& options, const Results& results);

/// Write one line per message. @param out where to @param traffic that ran
void WriteMessagesCsv(std::ostream& out, const ns3::MrcTraffic& traffic);

/// Write a file for --config that repeats the run. @param out where to
void WriteRunToml(std::ostream& out, const Options& options);

} // namespace mrc::sim

#endif // MRC_SIM_REPORTS_H
