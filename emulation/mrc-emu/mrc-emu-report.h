// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_REPORT_H
#define MRC_EMU_REPORT_H

#include "mrc-emu-socket-server.h"

#include <string>

namespace mrc::emu
{

class Engine;
struct EngineTotals;

/// @param value any @return with up to six significant digits
std::string NumberText(double value);

/// @return all that is known about a lab now, as JSON in one line
std::string StatusJson(Engine& engine);

/// @return a few lines for people: scale, times, lag, packets, drops
std::string SummaryText(Engine& engine);

/// @param before sums a second ago @param now sums @return what the second brought, one line
std::string SecondText(Engine& engine, const EngineTotals& before, const EngineTotals& now);

/// @return all counters in the text format of Prometheus
std::string MetricsText(Engine& engine);

/// Serve HTTP. @param engine whose metrics @param input a request, or the beginning of one
/// @return the answer, empty while the request is not complete
SocketReply AnswerMetrics(Engine& engine, std::string& input);

} // namespace mrc::emu

#endif // MRC_EMU_REPORT_H
