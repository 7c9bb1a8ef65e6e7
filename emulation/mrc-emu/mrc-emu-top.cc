// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-client.h"
#include "mrc-emu-lab.h"

#include <cstdio>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

namespace mrc::emu
{

namespace
{

using Json = nlohmann::json;

/// Megabits per second between two looks. @param now bytes @param before bytes @param seconds
double
Megabits(uint64_t now, uint64_t before, double seconds)
{
    return seconds <= 0 ? 0 : static_cast<double>(now - before) * 8 / 1e6 / seconds;
}

/// @param drops by reason @return their sum
uint64_t
Sum(const Json& drops)
{
    uint64_t sum = 0;
    for (const auto& [reason, count] : drops.items())
    {
        sum += count.get<uint64_t>();
    }
    return sum;
}

/// Counts of a plane.
struct PlaneSum
{
    uint64_t bytes{0};   ///< sent by its ports
    uint64_t trimmed{0}; ///< packets
    uint64_t marked{0};  ///< packets
    uint64_t drops{0};   ///< packets
    uint32_t down{0};    ///< ports that are down
};

/// @return sums of the ports of each plane
std::map<uint32_t, PlaneSum>
Planes(const Json& status)
{
    std::map<uint32_t, PlaneSum> planes;
    for (const Json& port : status["ports"])
    {
        PlaneSum& sum = planes[port["plane"].get<uint32_t>()];
        sum.bytes += port["sent_bytes"].get<uint64_t>();
        sum.trimmed += port["trimmed"].get<uint64_t>();
        sum.marked += port["marked"].get<uint64_t>();
        sum.drops += Sum(port["dropped"]);
        sum.down += !port["up"].get<bool>();
    }
    return planes;
}

/// Show a table. @param status now @param before status a moment ago, or null
void
Show(const Json& status, const Json& before)
{
    const double seconds =
        before.is_null() ? 0 : status["wall_s"].get<double>() - before["wall_s"].get<double>();
    const Json& lag = status["lag_of_second"];
    std::printf("lab %s  scale %g  %.1f s  CPU %.1f s  lag mean %.3f p99 %.3f max %.3f ms\n",
                status["lab"].get<std::string>().c_str(),
                status["scale"].get<double>(),
                status["wall_s"].get<double>(),
                status["cpu_s"].get<double>(),
                lag["mean_ms"].get<double>(),
                lag["p99_ms"].get<double>(),
                lag["max_ms"].get<double>());
    const auto planes = Planes(status);
    const auto old = before.is_null() ? planes : Planes(before);
    std::printf("%-8s %12s %10s %10s %10s %6s | EVs %7s %7s %7s %7s\n",
                "plane",
                "Mbit/s",
                "trimmed",
                "marked",
                "dropped",
                "down",
                "good",
                "skip",
                "bad",
                "denied");
    for (const auto& [plane, sum] : planes)
    {
        const Json& evs = status["evs"][plane];
        std::printf("p%-7u %12.1f %10lu %10lu %10lu %6u |     %7lu %7lu %7lu %7lu\n",
                    plane,
                    Megabits(sum.bytes, old.at(plane).bytes, seconds),
                    sum.trimmed,
                    sum.marked,
                    sum.drops,
                    sum.down,
                    evs["good"].get<uint64_t>(),
                    evs["skip"].get<uint64_t>(),
                    evs["assumed_bad"].get<uint64_t>(),
                    evs["denied"].get<uint64_t>());
    }
    std::printf(
        "%-20s %12s %12s %10s %10s\n", "host port", "in Mbit/s", "out Mbit/s", "late", "not taken");
    for (size_t i = 0; i < status["hosts"].size(); ++i)
    {
        const Json& host = status["hosts"][i];
        const Json& was = before.is_null() ? host : before["hosts"][i];
        std::printf("%-20s %12.1f %12.1f %10lu %10lu\n",
                    host["port"].get<std::string>().c_str(),
                    Megabits(host["received_bytes"], was["received_bytes"], seconds),
                    Megabits(host["sent_bytes"], was["sent_bytes"], seconds),
                    host["late"].get<uint64_t>(),
                    host["host_drops"].get<uint64_t>());
    }

    constexpr size_t MOST = 24;
    std::printf("%-24s %-5s %12s %10s %10s %10s %10s\n",
                "port",
                "link",
                "Mbit/s",
                "queue B",
                "trimmed",
                "marked",
                "dropped");
    size_t shown = 0;
    size_t quiet = 0;
    for (size_t i = 0; i < status["ports"].size(); ++i)
    {
        const Json& port = status["ports"][i];
        const Json& was = before.is_null() ? port : before["ports"][i];
        const uint64_t drops = Sum(port["dropped"]);
        const bool isQuiet = port["sent"] == was["sent"] && port["up"].get<bool>() && drops == 0;
        if (isQuiet || shown == MOST)
        {
            ++quiet;
            continue;
        }
        ++shown;
        std::printf("%-24s %-5s %12.1f %10lu %10lu %10lu %10lu\n",
                    port["port"].get<std::string>().c_str(),
                    port["up"].get<bool>() ? "up" : "DOWN",
                    Megabits(port["sent_bytes"], was["sent_bytes"], seconds),
                    port["queue_bytes"].get<uint64_t>(),
                    port["trimmed"].get<uint64_t>(),
                    port["marked"].get<uint64_t>(),
                    drops);
    }
    std::printf("%zu more ports\n", quiet);
    std::fflush(stdout);
}

} // namespace

int
RunTop(const std::string& lab, unsigned count)
{
    const std::string name = ChooseLab(lab);
    Json before;
    for (unsigned i = 0; count == 0 || i < count; ++i)
    {
        constexpr int SECOND_MS = 1000;
        const ClientAnswer answer = AskLab(name, "stats");
        const Json status = Json::parse(answer.text);
        if (isatty(STDOUT_FILENO))
        {
            std::printf("\033[H\033[J");
        }
        Show(status, before);
        before = status;
        if (i + 1 != count)
        {
            poll(nullptr, 0, SECOND_MS);
        }
    }
    return 0;
}

} // namespace mrc::emu
