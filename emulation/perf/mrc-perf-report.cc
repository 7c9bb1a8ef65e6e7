// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-perf-report.h"

#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>

namespace mrc::perf
{

namespace
{

constexpr const char* RULE = "------------------------------------------------------------------"
                             "---------------------\n";
constexpr double BITS_PER_MIB = 8.0 * (1 << 20);
constexpr double BITS_PER_GBIT = 1e9;
constexpr double PS_PER_US = 1e6;
constexpr double PS_PER_MS = 1e9;
constexpr double PS_PER_S = 1e12;

/// @return text made as printf() does
template <class... T>
std::string
Format(const char* format, T... values)
{
    const int length = std::snprintf(nullptr, 0, format, values...);
    std::string text(static_cast<size_t>(length), ' ');
    std::snprintf(text.data(), text.size() + 1, format, values...);
    return text;
}

/// @return rank of a quantile in a sorted list, by the nearest-rank rule
size_t
Rank(size_t count, double quantile)
{
    const auto rank = static_cast<size_t>(std::ceil(static_cast<double>(count) * quantile));
    return rank == 0 ? 0 : rank - 1;
}

/// @return rate, peak or not, of both directions
double
Both(const PerfRun& run, double own, double peer, const TestParameters& test)
{
    (void)run;
    return own + (test.isBidirectional ? peer : 0);
}

/// @return messages checked on both sides, and what was wrong with them
PerfResults
Checked(const PerfRun& run)
{
    PerfResults sum;
    for (const PerfResults* one : {&run.Own(), &run.Peer()})
    {
        sum.verifiedMessages += one->verifiedMessages;
        sum.wrongBytes += one->wrongBytes;
        sum.wrongImmediates += one->wrongImmediates;
    }
    return sum;
}

/// @return results of the end that measures: the client, or a server that only receives
const PerfResults&
Measured(const Options& options, const PerfRun& run)
{
    return options.isServer ? run.Peer() : run.Own();
}

} // namespace

LatencySummary
Summarize(const std::vector<int64_t>& sortedPs)
{
    const size_t count = sortedPs.size();
    LatencySummary summary{};
    summary.minPs = sortedPs.front();
    summary.maxPs = sortedPs.back();
    summary.typicalPs = sortedPs[count / 2];
    summary.p99Ps = sortedPs[Rank(count, 0.99)];
    summary.p999Ps = sortedPs[Rank(count, 0.999)];
    const double sum = std::accumulate(sortedPs.begin(), sortedPs.end(), 0.0);
    summary.averagePs = sum / static_cast<double>(count);
    double squares = 0;
    for (const int64_t latencyPs : sortedPs)
    {
        const double difference = static_cast<double>(latencyPs) - summary.averagePs;
        squares += difference * difference;
    }
    summary.stdevPs = std::sqrt(squares / static_cast<double>(count));
    return summary;
}

void
PrintHeader(std::ostream& out, const Options& options, PerfConnection& connection)
{
    const TestParameters& test = connection.Test();
    const bool isBandwidth = test.kind == TestKind::BANDWIDTH;
    out << RULE << "                    MRC_Write "
        << (test.isBidirectional ? "Bidirectional " : "") << (isBandwidth ? "BW" : "Latency")
        << " Test\n";
    std::string interfaces;
    for (const HostPort& port : connection.Endpoint().Ports())
    {
        interfaces += (interfaces.empty() ? "" : ",") + port.interface.name;
    }
    out << Format(" Number of qps   : %-10u Device         : %s\n", test.qps, interfaces.c_str());
    out << Format(" Connection type : %-10s Planes         : %zu\n",
                  test.hasImmediate ? "MRC, imm" : "MRC",
                  connection.Own().ports.size());
    out << Format(" Mtu             : %-10s Encapsulation  : %s\n",
                  (std::to_string(connection.MtuBytes()) + "[B]").c_str(),
                  options.IsSrv6() ? "SRv6 uSID" : "none");
    out << Format(" Tx depth        : %-10u Congestion ctl : %s\n",
                  test.depth,
                  options.isNscc ? "nscc" : "window");
    out << Format(" Base RTT        : %.1f us\n",
                  static_cast<double>(connection.Own().baseRttPs) / PS_PER_US)
        << RULE;
    constexpr size_t MOST_QPS_SHOWN = 8;
    for (size_t qp = 0; qp < std::min<size_t>(test.qps, MOST_QPS_SHOWN); ++qp)
    {
        for (const auto& [name, end] :
             {std::pair("local", &connection.Own()), std::pair("remote", &connection.Peer())})
        {
            const QpOffer& offer = end->offers[qp];
            out << Format(" %6s address: QPN %#08x PSN %#08x RKey %#08x VAddr %#014lx %s\n",
                          name,
                          offer.qpn,
                          offer.psn,
                          offer.rKey,
                          offer.va,
                          end->address.Print().c_str());
        }
    }
    out << RULE << std::flush;
}

namespace
{

/// Print the line of a bandwidth test.
void
PrintBandwidth(std::ostream& out, const Options& options, PerfRun& run)
{
    const TestParameters& test = run.Connection().Test();
    const PerfResults& own = Measured(options, run);
    const PerfResults& peer = options.isServer ? run.Own() : run.Peer();
    const double unit = options.isGbits ? BITS_PER_GBIT : BITS_PER_MIB;
    const char* name = options.isGbits ? "Gb/sec" : "MiB/sec";
    const double rate = Both(run, own.MessageRate(), peer.MessageRate(), test);
    out << Format(
        " #bytes     #iterations    BW peak[%s]    BW average[%s]   MsgRate[Mpps]\n", name, name);
    out << Format(
        " %-10u %-14lu %-18.2f %-18.2f %.6f\n",
        test.sizeBytes,
        own.messages + (test.isBidirectional ? peer.messages : 0),
        Both(run, own.peakBitsPerSecond, peer.peakBitsPerSecond, test) / unit,
        Both(run, own.BitsPerSecond(test.sizeBytes), peer.BitsPerSecond(test.sizeBytes), test) /
            unit,
        rate / 1e6);
}

/// Print the line of a latency test.
void
PrintLatency(std::ostream& out, PerfRun& run)
{
    out << " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    "
           "t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]\n";
    const LatencySummary summary = Summarize(run.Own().latenciesPs);
    const auto us = [](auto ps) { return static_cast<double>(ps) / PS_PER_US; };
    out << Format(" %-6u %-14zu %-14.2f %-12.2f %-18.2f %-14.2f %-15.2f %-22.2f %.2f\n",
                  run.Connection().Test().sizeBytes,
                  run.Own().latenciesPs.size(),
                  us(summary.minPs),
                  us(summary.maxPs),
                  us(summary.typicalPs),
                  us(summary.averagePs),
                  us(summary.stdevPs),
                  us(summary.p99Ps),
                  us(summary.p999Ps));
}

} // namespace

void
PrintResults(std::ostream& out, const Options& options, PerfRun& run)
{
    const TestParameters& test = run.Connection().Test();
    if (test.kind == TestKind::BANDWIDTH)
    {
        PrintBandwidth(out, options, run);
    }
    else if (!options.isServer)
    {
        PrintLatency(out, run);
    }
    out << RULE;
    if (test.isVerified || test.hasImmediate)
    {
        const PerfResults checked = Checked(run);
        out << Format(" Checked         : %lu messages, %lu bytes: %lu bytes wrong, %lu immediates "
                      "wrong\n",
                      checked.verifiedMessages,
                      checked.verifiedMessages * test.sizeBytes,
                      checked.wrongBytes,
                      checked.wrongImmediates);
    }
    const EndpointCounters& counters = run.Connection().Endpoint().Counters();
    out << Format(
        " Packets         : %lu sent (%lu again), %lu placed (%lu duplicates), %lu corrupt\n",
        counters.dataSent,
        counters.retransmitted,
        counters.dataReceived,
        counters.duplicates,
        counters.corrupt);
    out << Format(
        " Losses          : %lu inferred, %lu timed out, %lu trimmed; %lu EVs retired, %lu "
        "restored\n",
        counters.inferredLosses,
        counters.timeouts,
        counters.trimNacks,
        counters.ev.retired,
        counters.ev.restored);
    for (const LinkEvent& event : run.Own().events)
    {
        out << Format(
            " Plane %u         : %s at %.3f s; then at most %.1f ms between completions\n",
            event.plane,
            event.isUp ? "up  " : "down",
            static_cast<double>(event.atPs) / PS_PER_S,
            static_cast<double>(event.longestGapPs) / PS_PER_MS);
    }
    out << std::flush;
}

void
PrintJson(std::ostream& out, const Options& options, PerfRun& run)
{
    PerfConnection& connection = run.Connection();
    const TestParameters& test = connection.Test();
    const PerfResults& own = Measured(options, run);
    const PerfResults& peer = options.isServer ? run.Own() : run.Peer();
    nlohmann::ordered_json json;
    json["test"] = test.kind == TestKind::BANDWIDTH ? "bw" : "lat";
    json["role"] = options.isServer ? "server" : "client";
    json["bytes"] = test.sizeBytes;
    json["qps"] = test.qps;
    json["mtu"] = connection.MtuBytes();
    json["planes"] = connection.Own().ports.size();
    json["srv6"] = options.IsSrv6();
    json["bidirectional"] = test.isBidirectional;
    json["imm"] = test.hasImmediate;
    json["verify"] = test.isVerified;
    json["base_rtt_us"] = static_cast<double>(connection.Own().baseRttPs) / PS_PER_US;
    if (test.kind == TestKind::BANDWIDTH)
    {
        json["iterations"] = own.messages + (test.isBidirectional ? peer.messages : 0);
        json["seconds"] = static_cast<double>(own.elapsedPs) / PS_PER_S;
        json["bw_peak_gbps"] =
            Both(run, own.peakBitsPerSecond, peer.peakBitsPerSecond, test) / BITS_PER_GBIT;
        json["bw_average_gbps"] =
            Both(run, own.BitsPerSecond(test.sizeBytes), peer.BitsPerSecond(test.sizeBytes), test) /
            BITS_PER_GBIT;
        json["messages_per_second"] = Both(run, own.MessageRate(), peer.MessageRate(), test);
        json["longest_gap_ms"] = static_cast<double>(run.Own().longestGapPs) / PS_PER_MS;
    }
    else if (!options.isServer)
    {
        const LatencySummary summary = Summarize(run.Own().latenciesPs);
        json["iterations"] = run.Own().latenciesPs.size();
        json["t_min_us"] = static_cast<double>(summary.minPs) / PS_PER_US;
        json["t_max_us"] = static_cast<double>(summary.maxPs) / PS_PER_US;
        json["t_typical_us"] = static_cast<double>(summary.typicalPs) / PS_PER_US;
        json["t_avg_us"] = summary.averagePs / PS_PER_US;
        json["t_stdev_us"] = summary.stdevPs / PS_PER_US;
        json["t_99_us"] = static_cast<double>(summary.p99Ps) / PS_PER_US;
        json["t_999_us"] = static_cast<double>(summary.p999Ps) / PS_PER_US;
    }
    json["cpu_seconds"] = static_cast<double>(run.Own().cpuPs) / PS_PER_S;
    json["peer_cpu_seconds"] = static_cast<double>(run.Peer().cpuPs) / PS_PER_S;
    const PerfResults checked = Checked(run);
    json["verified_messages"] = checked.verifiedMessages;
    json["verified_bytes"] = checked.verifiedMessages * test.sizeBytes;
    json["wrong_bytes"] = checked.wrongBytes;
    json["wrong_immediates"] = checked.wrongImmediates;
    const EndpointCounters& counters = connection.Endpoint().Counters();
    const HostCounters& host = connection.Endpoint().OwnCounters();
    json["counters"] = {{"data_sent", counters.dataSent},
                        {"retransmitted", counters.retransmitted},
                        {"data_received", counters.dataReceived},
                        {"duplicates", counters.duplicates},
                        {"sacks_sent", counters.sacksSent},
                        {"acks_sent", counters.acksSent},
                        {"nacks_sent", counters.nacksSent},
                        {"probes_sent", counters.probesSent},
                        {"corrupt", counters.corrupt},
                        {"unknown_qp", counters.unknownQp},
                        {"out_of_window", counters.outOfWindow},
                        {"access_errors", counters.accessErrors},
                        {"unexpected", counters.unexpected},
                        {"trim_nacks", counters.trimNacks},
                        {"inferred_losses", counters.inferredLosses},
                        {"timeouts", counters.timeouts},
                        {"evs_retired", counters.ev.retired},
                        {"evs_restored", counters.ev.restored},
                        {"malformed", host.malformed},
                        {"not_for_us", host.notForUs},
                        {"answers_lost", host.answersLost},
                        {"answers_merged", host.answersMerged}};
    json["ports"] = nlohmann::ordered_json::array();
    for (const HostPort& port : connection.Endpoint().Ports())
    {
        const PacketSocketCounters& frames = port.socket->Counters();
        json["ports"].push_back({{"interface", port.interface.name},
                                 {"frames_sent", frames.sent},
                                 {"frames_received", frames.received},
                                 {"ring_drops", frames.ringDrops},
                                 {"device_refused", frames.deviceRefused},
                                 {"link_changes", port.changes}});
    }
    json["links"] = nlohmann::ordered_json::array();
    for (const LinkEvent& event : run.Own().events)
    {
        json["links"].push_back(
            {{"plane", event.plane},
             {"up", event.isUp},
             {"at_seconds", static_cast<double>(event.atPs) / PS_PER_S},
             {"longest_gap_ms", static_cast<double>(event.longestGapPs) / PS_PER_MS}});
    }
    out << json.dump(2) << std::endl;
}

} // namespace mrc::perf
