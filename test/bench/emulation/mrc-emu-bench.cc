// SPDX-License-Identifier: GPL-2.0-only
// What a packet between two TAPs costs: mrc-emu and stock ns-3, through one and five switches.
#include "mrc-emu-client.h"
#include "mrc-emu-host-setup.h"
#include "mrc-emu-lab.h"
#include "mrc-emu-namespace.h"
#include "mrc-packet-source.h"
#include "mrc-stock-emulation.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace
{

using namespace mrc;

/// A run of the table.
struct Case
{
    uint32_t switches;  ///< that a packet crosses: 1 or 5
    uint32_t bytes;     ///< of a packet
    uint32_t perSecond; ///< packets; 0: as many as go
};

/// @return three tiers, one plane, two NICs a T0: h0 and h1 share one, h2 is in another pod
const char*
LabText()
{
    return R"(name = "bench"
scale = 1
[fabric]
tiers = 3
planes = 1
nics = 8
nics-per-t0 = 2
t0-per-pod = 2
[[host]]
nic = 0
[[host]]
nic = 1
[[host]]
nic = 7
)";
}

/// @return path of this program
std::string
OwnPath()
{
    return std::filesystem::read_symlink("/proc/self/exe").string();
}

/// Inside the lab: send, and print what it cost. @return exit code
int
Drive(const Case& what, double seconds)
{
    const std::string lab = emu::ChooseLab("");
    const std::string to = what.switches == 1 ? "fd6d:7264::2" : "fd6d:7264:1:1::2";
    const auto before = nlohmann::json::parse(emu::AskLab(lab, "stats").text);
    const int code = emu::RunExec(lab,
                                  "h0",
                                  {OwnPath(),
                                   "send",
                                   to,
                                   std::to_string(what.bytes),
                                   std::to_string(what.perSecond),
                                   std::to_string(seconds)});
    if (code != 0)
    {
        return code;
    }
    const auto after = nlohmann::json::parse(emu::AskLab(lab, "stats").text);
    const double cpuS = after["cpu_s"].get<double>() - before["cpu_s"].get<double>();
    const auto count = after["packets"]["to_hosts"].get<uint64_t>() -
                       before["packets"]["to_hosts"].get<uint64_t>();
    const auto dropped = after["packets"]["dropped"].get<uint64_t>();
    std::printf(
        "mrc-emu     %u switches %5u B %7.0f pps  %6.2f us/packet  lag mean %.3f p99 %.3f max "
        "%.3f ms, %lu dropped\n",
        what.switches,
        what.bytes,
        static_cast<double>(count) / seconds,
        cpuS * 1e6 / static_cast<double>(std::max<uint64_t>(count, 1)),
        after["lag"]["mean_ms"].get<double>(),
        after["lag"]["p99_ms"].get<double>(),
        after["lag"]["max_ms"].get<double>(),
        static_cast<unsigned long>(dropped));
    return count > 0 ? 0 : 1;
}

/// @return exit code
int
RunEmu(const Case& what, double seconds)
{
    const std::string file = (std::filesystem::temp_directory_path() /
                              ("mrc-emu-bench-" + std::to_string(getpid()) + ".toml"))
                                 .string();
    std::ofstream(file) << LabText();
    const std::string command = std::string(MRC_EMU) + " run --userns --lab bench-" +
                                std::to_string(getpid()) + " " + file + " -- " + OwnPath() +
                                " drive " + std::to_string(what.switches) + " " +
                                std::to_string(what.bytes) + " " + std::to_string(what.perSecond) +
                                " " + std::to_string(seconds) + " 2>/dev/null";
    std::fflush(stdout);
    const int status = std::system(command.c_str());
    std::filesystem::remove(file);
    return status;
}

/// @return exit code
int
RunStock(const Case& what, double seconds)
{
    std::fflush(stdout);
    return emu::WaitFor(emu::StartInNamespaces(true, [&]() {
        const bench::StockResult result =
            bench::RunStock(what.switches, what.bytes, what.perSecond, seconds);
        std::printf("stock ns-3  %u switches %5u B %7.0f pps  %6.2f us/packet\n",
                    what.switches,
                    what.bytes,
                    static_cast<double>(result.delivered) / seconds,
                    result.cpuS * 1e6 /
                        static_cast<double>(std::max<uint64_t>(result.delivered, 1)));
        std::fflush(stdout);
        return result.delivered > 0 ? 0 : 1;
    }));
}

/// @return exit code
int
Main(int argc, char** argv)
{
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "send" && argc == 6)
    {
        bench::SendPackets({"p0",
                            "fd6d:7264::1",
                            argv[2],
                            emu::GatewayMac(0),
                            static_cast<uint32_t>(std::atoi(argv[3])),
                            static_cast<uint32_t>(std::atoi(argv[4])),
                            std::atof(argv[5])});
        return 0;
    }
    if (mode == "drive" && argc == 6)
    {
        return Drive({static_cast<uint32_t>(std::atoi(argv[2])),
                      static_cast<uint32_t>(std::atoi(argv[3])),
                      static_cast<uint32_t>(std::atoi(argv[4]))},
                     std::atof(argv[5]));
    }
    if (argc > 2 || (argc == 2 && mode != "--smoke"))
    {
        std::cerr << "usage: mrc-emu-bench [--smoke]\n";
        return 2;
    }
    const std::string why = emu::WhyNoNamespaces();
    if (!why.empty())
    {
        std::cerr << "mrc-emu-bench: " << why << '\n';
        constexpr int SKIPPED = 77;
        return SKIPPED;
    }
    const bool isSmoke = mode == "--smoke";
    const double seconds = isSmoke ? 0.3 : 5;
    int failures = 0;
    const Case cases[] = {
        {1, 1514, 20'000}, {5, 1514, 20'000}, {5, 1514, 10'000}, {1, 4150, 20'000}};
    for (const Case& what : cases)
    {
        failures += RunEmu(what, seconds) != 0;
        if (!isSmoke)
        {
            failures += RunEmu({what.switches, what.bytes, 0}, seconds) != 0;
        }
    }
    const Case stock[] = {{1, 1514, 10'000}, {5, 1514, 10'000}};
    for (const Case& what : stock)
    {
        failures += RunStock(what, seconds) != 0;
    }
    return failures == 0 ? 0 : 1;
}

} // namespace

int
main(int argc, char** argv)
{
    try
    {
        return Main(argc, argv);
    }
    catch (const std::exception& error)
    {
        std::cerr << "mrc-emu-bench: " << error.what() << '\n';
        return 1;
    }
}
