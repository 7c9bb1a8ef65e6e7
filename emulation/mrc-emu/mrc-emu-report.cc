// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-report.h"

#include "mrc-emu-engine.h"
#include "mrc-ev-table.h"

#include <nlohmann/json.hpp>
#include <sstream>

namespace mrc::emu
{

namespace
{

/// ns in a ms.
constexpr double MS = 1e6;

/// @param lag values @return them as JSON, ms
nlohmann::ordered_json
LagJson(const LagStatistics& lag)
{
    return {{"samples", lag.Count()},
            {"mean_ms", lag.MeanNs() / MS},
            {"p99_ms", static_cast<double>(lag.PercentileNs(0.99)) / MS},
            {"max_ms", static_cast<double>(lag.MaxNs()) / MS}};
}

/// @param lag values @return them as words
std::string
LagText(const LagStatistics& lag)
{
    return "mean " + NumberText(lag.MeanNs() / MS) + " ms, p99 " +
           NumberText(static_cast<double>(lag.PercentileNs(0.99)) / MS) + " ms, max " +
           NumberText(static_cast<double>(lag.MaxNs()) / MS) + " ms";
}

/// @param counters of a port @return drops by reason, those that there were
nlohmann::ordered_json
DropsJson(const ns3::MrcPortCounters& counters)
{
    nlohmann::ordered_json drops = nlohmann::ordered_json::object();
    for (size_t i = 0; i < ns3::MRC_DROP_REASONS; ++i)
    {
        if (counters.drop[i] != 0)
        {
            drops[ns3::MrcDropReasonName(static_cast<ns3::MrcDropReason>(i))] = counters.drop[i];
        }
    }
    return drops;
}

} // namespace

std::string
NumberText(double value)
{
    std::ostringstream out;
    out << value;
    return out.str();
}

std::string
StatusJson(Engine& engine)
{
    const Lab& lab = engine.Description();
    const EngineTotals totals = engine.Totals();
    nlohmann::ordered_json json;
    json["lab"] = lab.name;
    json["scale"] = lab.scale;
    json["wall_s"] = engine.WallS();
    json["simulated_us"] = static_cast<double>(engine.NowPs()) / 1e6;
    json["cpu_s"] = Engine::CpuS();
    json["lag"] = LagJson(engine.Lag());
    json["lag_of_second"] = LagJson(engine.LagOfSecond());
    json["packets"] = {{"from_hosts", totals.hostPackets},
                       {"to_hosts", totals.delivered},
                       {"late", totals.late},
                       {"dropped", totals.drops},
                       {"hops", totals.hops}};
    if (ns3::MrcTraffic* traffic = engine.Traffic())
    {
        json["workload"] = {{"messages", traffic->Total()},
                            {"completed", traffic->Completed()},
                            {"failed", traffic->Failed()},
                            {"verified", traffic->Verify()}};
    }
    json["evs"] = nlohmann::ordered_json::array();
    for (const EvCounts& counts : engine.Fabric().CountEvs())
    {
        json["evs"].push_back({{"good", counts[size_t(mrc::EvState::GOOD)]},
                               {"skip", counts[size_t(mrc::EvState::SKIP)]},
                               {"assumed_bad", counts[size_t(mrc::EvState::ASSUMED_BAD)]},
                               {"denied", counts[size_t(mrc::EvState::DENIED)]}});
    }
    json["hosts"] = nlohmann::ordered_json::array();
    for (const auto& port : engine.HostPorts())
    {
        const HostPortCounters& counters = port->Counters();
        json["hosts"].push_back({{"port", port->Name()},
                                 {"plane", port->Plane()},
                                 {"received", counters.received},
                                 {"received_bytes", counters.receivedBytes},
                                 {"sent", counters.sent},
                                 {"sent_bytes", counters.sentBytes},
                                 {"late", counters.late},
                                 {"lag", LagJson(port->Lag())},
                                 {"local", counters.local},
                                 {"not_ipv6", counters.notIpv6},
                                 {"malformed", counters.malformed},
                                 {"super_frames", counters.superFrames},
                                 {"host_drops", counters.hostDrops},
                                 {"unencodable", counters.unencodable}});
    }
    json["ports"] = nlohmann::ordered_json::array();
    for (const auto& port : engine.Fabric().Ports())
    {
        json["ports"].push_back(
            {{"port", port->name},
             {"plane", port->plane},
             {"up", port->egress->IsUp()},
             {"sent", port->counters.sent},
             {"sent_bytes", port->counters.sentBytes},
             {"queue_bytes", port->egress->DataBytes() + port->egress->ControlBytes()},
             {"marked", port->counters.marked},
             {"trimmed", port->counters.trimmed},
             {"dropped", DropsJson(port->counters)}});
    }
    return json.dump();
}

std::string
SummaryText(Engine& engine)
{
    const EngineTotals totals = engine.Totals();
    std::ostringstream out;
    out << "lab " << engine.Description().name << ": scale " << engine.Description().scale
        << " (1 s of wall time is " << 1 / engine.Description().scale << " s simulated), "
        << engine.WallS() << " s, CPU " << Engine::CpuS() << " s\n"
        << "lag " << LagText(engine.Lag()) << "\n"
        << totals.hostPackets << " packets from hosts, " << totals.delivered << " to hosts, "
        << totals.late << " late, " << totals.drops << " dropped\n";
    if (ns3::MrcTraffic* traffic = engine.Traffic())
    {
        out << "workloads: " << traffic->Completed() << " of " << traffic->Total()
            << " messages completed, " << traffic->Verify() << " verified, " << traffic->Failed()
            << " failed\n";
    }
    for (const auto& port : engine.HostPorts())
    {
        const HostPortCounters& counters = port->Counters();
        if (counters.late + counters.hostDrops + counters.superFrames + counters.malformed != 0)
        {
            out << "  " << port->Name() << ": " << counters.late << " late ("
                << LagText(port->Lag()) << "), " << counters.hostDrops << " not taken by the host, "
                << counters.superFrames << " super-frames, " << counters.malformed
                << " malformed\n";
        }
    }
    for (const auto& port : engine.Fabric().Ports())
    {
        if (port->Drops() != 0)
        {
            out << "  " << port->name << ": dropped " << DropsJson(port->counters).dump() << "\n";
        }
    }
    return out.str();
}

std::string
SecondText(Engine& engine, const EngineTotals& before, const EngineTotals& now)
{
    return "second: lag " + LagText(engine.LagOfSecond()) + "; " +
           std::to_string(now.delivered - before.delivered) + " packets to hosts, " +
           std::to_string(now.late - before.late) + " late, " +
           std::to_string(now.drops - before.drops) + " dropped";
}

std::string
MetricsText(Engine& engine)
{
    std::ostringstream out;
    out << "# TYPE mrc_emu_scale gauge\nmrc_emu_scale " << engine.Description().scale
        << "\n# TYPE mrc_emu_wall_seconds counter\nmrc_emu_wall_seconds " << engine.WallS()
        << "\n# TYPE mrc_emu_cpu_seconds counter\nmrc_emu_cpu_seconds " << Engine::CpuS()
        << "\n# TYPE mrc_emu_lag_seconds gauge\n";
    const LagStatistics& lag = engine.LagOfSecond();
    out << "mrc_emu_lag_seconds{value=\"mean\"} " << lag.MeanNs() / 1e9 << "\n"
        << "mrc_emu_lag_seconds{value=\"p99\"} "
        << static_cast<double>(lag.PercentileNs(0.99)) / 1e9 << "\n"
        << "mrc_emu_lag_seconds{value=\"max\"} " << static_cast<double>(lag.MaxNs()) / 1e9 << "\n";
    using HostCount = uint64_t HostPortCounters::*;
    const std::pair<const char*, HostCount> hostCounts[] = {
        {"mrc_emu_host_received_packets", &HostPortCounters::received},
        {"mrc_emu_host_received_bytes", &HostPortCounters::receivedBytes},
        {"mrc_emu_host_sent_packets", &HostPortCounters::sent},
        {"mrc_emu_host_sent_bytes", &HostPortCounters::sentBytes},
        {"mrc_emu_host_late_packets", &HostPortCounters::late},
        {"mrc_emu_host_dropped_packets", &HostPortCounters::hostDrops},
    };
    for (const auto& [name, member] : hostCounts)
    {
        out << "# TYPE " << name << " counter\n";
        for (const auto& port : engine.HostPorts())
        {
            out << name << "{port=\"" << port->Name() << "\",plane=\"" << port->Plane() << "\"} "
                << port->Counters().*member << "\n";
        }
    }
    using PortCount = uint64_t ns3::MrcPortCounters::*;
    const std::pair<const char*, PortCount> portCounts[] = {
        {"mrc_emu_port_packets", &ns3::MrcPortCounters::sent},
        {"mrc_emu_port_bytes", &ns3::MrcPortCounters::sentBytes},
        {"mrc_emu_port_marked_packets", &ns3::MrcPortCounters::marked},
        {"mrc_emu_port_trimmed_packets", &ns3::MrcPortCounters::trimmed},
    };
    for (const auto& [name, member] : portCounts)
    {
        out << "# TYPE " << name << " counter\n";
        for (const auto& port : engine.Fabric().Ports())
        {
            out << name << "{port=\"" << port->name << "\",plane=\"" << port->plane << "\"} "
                << port->counters.*member << "\n";
        }
    }
    out << "# TYPE mrc_emu_port_dropped_packets counter\n";
    for (const auto& port : engine.Fabric().Ports())
    {
        for (size_t i = 0; i < ns3::MRC_DROP_REASONS; ++i)
        {
            if (port->counters.drop[i] != 0)
            {
                out << "mrc_emu_port_dropped_packets{port=\"" << port->name << "\",plane=\""
                    << port->plane << "\",reason=\""
                    << ns3::MrcDropReasonName(static_cast<ns3::MrcDropReason>(i)) << "\"} "
                    << port->counters.drop[i] << "\n";
            }
        }
    }
    return out.str();
}

SocketReply
AnswerMetrics(Engine& engine, std::string& input)
{
    SocketReply reply;
    if (input.find("\r\n\r\n") == std::string::npos && input.find("\n\n") == std::string::npos)
    {
        return reply;
    }
    const bool isKnown = input.rfind("GET /metrics ", 0) == 0 || input.rfind("GET / ", 0) == 0;
    const std::string body = isKnown ? MetricsText(engine) : "there is GET /metrics only\n";
    input.clear();
    reply.text = std::string("HTTP/1.0 ") + (isKnown ? "200 OK" : "404 Not Found") +
                 "\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: " +
                 std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
    reply.isLast = true;
    return reply;
}

} // namespace mrc::emu
