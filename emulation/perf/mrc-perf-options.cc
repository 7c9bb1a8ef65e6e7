// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-perf-options.h"

#include "mrc-perf-error.h"
#include "mrc-units.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <functional>
#include <iostream>

namespace mrc::perf
{

namespace
{

/// @return the bytes that a text such as "64KiB" means @throws BadInput
uint64_t
ParseBytes(const std::string& text, uint64_t least, uint64_t most)
{
    constexpr std::pair<const char*, uint64_t> UNITS[] = {{"", 1},
                                                          {"B", 1},
                                                          {"KiB", 1 << 10},
                                                          {"K", 1 << 10},
                                                          {"MiB", 1 << 20},
                                                          {"M", 1 << 20},
                                                          {"GiB", 1 << 30},
                                                          {"G", 1 << 30}};
    uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    for (const auto& [name, factor] : UNITS)
    {
        if (error == std::errc() && std::string(rest, end) == name && number <= most / factor &&
            number * factor >= least)
        {
            return number * factor;
        }
    }
    throw BadInput("'" + text + "' should be bytes, such as 65536 or 64KiB, from " +
                   std::to_string(least) + " to " + std::to_string(most));
}

/// @return a whole number @throws BadInput
uint64_t
ParseNumber(const std::string& text, uint64_t least, uint64_t most)
{
    uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end || number < least || number > most)
    {
        throw BadInput("'" + text + "' should be a whole number from " + std::to_string(least) +
                       " to " + std::to_string(most));
    }
    return number;
}

/// Adds options that complain with their own name.
class Adder
{
  public:
    /// @param app to add to
    explicit Adder(CLI::App& app)
        : m_app(app)
    {
    }

    /// Options added from now on are listed under a title.
    void Group(const std::string& title)
    {
        m_group = title;
    }

    /// Add an option with a value. @param take called with it; throws BadInput or UnitError
    CLI::Option* Add(const std::string& names,
                     const std::string& type,
                     const std::string& help,
                     const std::function<void(const std::string&)>& take)
    {
        const std::string name = names.substr(names.find("--"));
        const auto checked = [name, take](const std::vector<std::string>& values) {
            for (const std::string& value : values)
            {
                try
                {
                    take(value);
                }
                catch (const std::invalid_argument& error)
                {
                    throw BadInput(name + ": " + error.what());
                }
                catch (const BadInput& error)
                {
                    throw BadInput(name + ": " + error.what());
                }
            }
        };
        return m_app.add_option_function<std::vector<std::string>>(names, checked, help)
            ->type_name(type)
            ->group(m_group)
            ->allow_extra_args(false);
    }

    /// Add an option that is a whole number.
    template <class T>
    CLI::Option* Number(
        const std::string& names, T& field, uint64_t least, uint64_t most, const std::string& help)
    {
        return Add(names,
                   "N [" + std::to_string(field) + "]",
                   help,
                   [&field, least, most](const std::string& text) {
                       field = static_cast<T>(ParseNumber(text, least, most));
                   });
    }

    /// Add a switch.
    CLI::Option* Flag(const std::string& names, bool& field, const std::string& help)
    {
        return m_app.add_flag(names, field, help)->group(m_group);
    }

  private:
    CLI::App& m_app;     //!< to add to
    std::string m_group; //!< title
};

/// Read "p1=fd6d:7263:1001:2001::". @param[out] carriers by plane
void
ParseCarrier(const std::string& text, std::vector<std::vector<UsidCarrier>>& carriers)
{
    const size_t equals = text.find('=');
    Ipv6Address address{};
    if (text.empty() || text[0] != 'p' || equals == std::string::npos ||
        !Ipv6Address::Parse(text.substr(equals + 1), address))
    {
        throw BadInput("'" + text +
                       "' should be a plane and a uSID carrier, such as "
                       "p0=fd6d:7263:1001:2001::");
    }
    const uint64_t plane = ParseNumber(text.substr(1, equals - 1), 0, MAX_PLANES - 1);
    const UsidCarrier carrier{address.high, address.low};
    if (carrier.Count() == 0)
    {
        throw BadInput("'" + text + "' has no uSID behind its 32-bit block");
    }
    carriers.resize(std::max<size_t>(carriers.size(), plane + 1));
    carriers[plane].push_back(carrier);
}

/// Read "nics=8,planes=2,nics-per-t0=4". @throws BadInput
ClosConfig
ParseFabric(const std::string& text)
{
    ClosConfig clos;
    const std::pair<const char*, uint32_t*> keys[] = {{"tiers", &clos.tiers},
                                                      {"planes", &clos.planes},
                                                      {"nics", &clos.nics},
                                                      {"nics-per-t0", &clos.nicsPerT0},
                                                      {"parallel-links", &clos.parallelLinks},
                                                      {"t1", &clos.t1PerPlane},
                                                      {"t0-per-pod", &clos.t0PerPod},
                                                      {"t1-per-pod", &clos.t1PerPod},
                                                      {"t2", &clos.t2PerPlane}};
    for (const std::string& word : CLI::detail::split(text, ','))
    {
        const size_t equals = std::min(word.find('='), word.size());
        bool isKnown = false;
        for (const auto& [key, field] : keys)
        {
            if (word.compare(0, equals, key) == 0)
            {
                isKnown = true;
                const std::string value = equals < word.size() ? word.substr(equals + 1) : "";
                *field = static_cast<uint32_t>(ParseNumber(value, 0, UINT32_MAX));
            }
        }
        if (!isKnown)
        {
            throw BadInput("'" + word +
                           "' should be a count of the fabric, such as nics=8: tiers, "
                           "planes, nics, nics-per-t0, parallel-links, t1, "
                           "t0-per-pod, t1-per-pod or t2");
        }
    }
    const std::string wrong = clos.Validate();
    if (!wrong.empty())
    {
        throw BadInput(wrong);
    }
    return clos;
}

/// Options about what is measured.
void
AddTestOptions(Adder& add, TestParameters& test, bool& isLatency, bool& isBandwidth)
{
    add.Group("Test (the client decides)");
    add.Flag("--bw", isBandwidth, "measure bandwidth (default)");
    add.Flag("--lat", isLatency, "measure latency: half of a round trip of two messages");
    add.Add("-s,--size",
            "BYTES [65536 for bw, 2 for lat]",
            "length of a message",
            [&test](const std::string& text) {
                test.sizeBytes = static_cast<uint32_t>(ParseBytes(text, 1, MAX_SIZE_BYTES));
            });
    add.Add("-n,--iters",
            "N [5000 for bw, 1000 for lat]",
            "messages of each QP",
            [&test](const std::string& text) {
                test.iterations = ParseNumber(text, 1, MAX_ITERATIONS);
            });
    add.Add("-D,--duration",
            "TIME",
            "bw: send for so long, such as 10s, whatever the number of messages",
            [&test](const std::string& text) {
                test.durationPs = ParseTimePs(text);
                if (test.durationPs <= 0)
                {
                    throw BadInput("'" + text + "' should be more than 0");
                }
            });
    add.Number("-q,--qps", test.qps, 1, MAX_QPS, "QPs");
    add.Number("-t,--depth", test.depth, 1, MAX_DEPTH, "messages posted to a QP at a time");
    add.Flag("-b,--bidirectional", test.isBidirectional, "bw: the server sends as well");
    add.Flag("--imm", test.hasImmediate, "WRITE with immediate instead of plain WRITE");
    add.Flag("--verify", test.isVerified, "check each byte of each message");
}

/// Options about interfaces and paths.
void
AddNetworkOptions(Adder& add, Options& options)
{
    add.Group("Network");
    add.Add(
        "-i,--interface",
        "NAME ...",
        "interface of a plane, repeat for each plane in order; [the one towards the peer; p0, p1 "
        "... with --fabric]",
        [&options](const std::string& text) { options.interfaces.push_back(text); });
    add.Add("--address",
            "IPV6",
            "address of this endpoint inside SRv6; [that of the first interface]",
            [&options](const std::string& text) {
                Ipv6Address address{};
                if (!Ipv6Address::Parse(text, address))
                {
                    throw BadInput("'" + text + "' should be an IPv6 address");
                }
                options.address = address;
            });
    add.Add("--carrier",
            "pN=IPV6 ...",
            "SRv6: a path of plane N as a uSID carrier, such as p0=fd6d:7263:1001:2001::; "
            "repeatable",
            [&options](const std::string& text) { ParseCarrier(text, options.carriers); });
    add.Add("--fabric",
            "KEY=N,...",
            "SRv6: paths of a planned fabric, such as nics=8,planes=2,nics-per-t0=4",
            [&options](const std::string& text) { options.fabric = ParseFabric(text); });
    add.Add("--nic",
            "N",
            "SRv6: number of this NIC in the fabric; [by the address of the first interface]",
            [&options](const std::string& text) {
                options.nic = static_cast<uint32_t>(ParseNumber(text, 0, UINT32_MAX));
            });
    add.Add("--usid-block",
            "IPV6",
            "SRv6: first 32 bits of the fabric's carriers [fd6d:7263::]",
            [&options](const std::string& text) {
                Ipv6Address address{};
                if (!Ipv6Address::Parse(text, address) || address.low != 0 ||
                    (address.high & UINT32_MAX) != 0)
                {
                    throw BadInput("'" + text + "' should be 32 bits, such as fd6d:7263::");
                }
                options.usidBlock = static_cast<uint32_t>(address.high >> 32);
            });
    add.Add("--mtu",
            "BYTES [what the interfaces carry]",
            "payload of a full packet, 256 to 4096",
            [&options](const std::string& text) {
                options.test.mtuBytes = static_cast<uint32_t>(ParseNumber(text, 256, 4096));
            });
    add.Number("-p,--port", options.tcpPort, 1, UINT16_MAX, "TCP port of the set-up");
    add.Number("--udp-port", options.udpPort, 1, UINT16_MAX, "UDP port of MRC");
}

/// Options about the transport.
void
AddTransportOptions(Adder& add, Options& options)
{
    add.Group("Transport");
    add.Number(
        "--evs", options.evsPerPlane, 1, 1024, "entropy values of a QP that take turns, per plane");
    add.Add(
        "--cc", "nscc|window [nscc]", "congestion control", [&options](const std::string& text) {
            if (text != "nscc" && text != "window")
            {
                throw BadInput("'" + text + "' should be nscc or window");
            }
            options.isNscc = text == "nscc";
        });
    add.Add("--window",
            "BYTES [1MiB]",
            "bytes in flight of a QP: fixed for window, most for nscc",
            [&options](const std::string& text) {
                options.windowBytes = ParseBytes(text, 4096, UINT32_MAX);
            });
    add.Add("--base-rtt",
            "TIME",
            "round trip without load; [measured over TCP]",
            [&options](const std::string& text) {
                constexpr int64_t LEAST_PS = 1'000'000;
                options.baseRttPs = ParseTimePs(text);
                if (options.baseRttPs < LEAST_PS)
                {
                    throw BadInput("'" + text + "' should be at least 1us");
                }
            });
    add.Add("--rate", "RATE [10Gbps]", "what a port carries", [&options](const std::string& text) {
        options.portBitsPerSecond = ParseBitsPerSecond(text);
    });
    add.Number(
        "--timeout", options.ackTimeoutExponent, 1, 24, "packets time out after 1.024us x 2^N");
    add.Number("--mpr", options.mprUnits, 8, 255, "receive window granted, units of 128 PSNs");
    add.Number("--ring", options.ringFrames, 64, 65536, "frames of each receive ring");
    add.Add("--jitter",
            "TIME [4ms]",
            "how late a host may run: slack before a hole is a loss, silence before a probe",
            [&options](const std::string& text) { options.jitterPs = ParseTimePs(text); });
    add.Add("--spin",
            "TIME",
            "look for frames so long before sleeping: needs a core of its own",
            [&options](const std::string& text) { options.spinPs = ParseTimePs(text); });
}

/// Fill in defaults that depend on others, and refuse what does not go together.
void
Complete(const CLI::App& app, Options& options, bool isLatency, bool isBandwidth)
{
    TestParameters& test = options.test;
    const auto isGiven = [&app](const char* name) { return app.count(name) != 0; };
    if (options.isServer == !options.peer.empty())
    {
        throw BadInput(options.isServer ? "--server takes no PEER"
                                        : "PEER is missing: a host, or --server to wait for one");
    }
    for (const char* name : {"--bw",
                             "--lat",
                             "--size",
                             "--iters",
                             "--duration",
                             "--qps",
                             "--depth",
                             "--bidirectional",
                             "--imm",
                             "--verify"})
    {
        if (options.isServer && isGiven(name))
        {
            throw BadInput(std::string(name) + ": the client decides that, not --server");
        }
    }
    if (options.isKept && !options.isServer)
    {
        throw BadInput("--keep: only with --server");
    }
    if (isLatency && isBandwidth)
    {
        throw BadInput("--lat and --bw exclude each other");
    }
    if (isLatency)
    {
        test.kind = TestKind::LATENCY;
        for (const char* name : {"--bidirectional", "--duration", "--qps", "--depth"})
        {
            if (isGiven(name))
            {
                throw BadInput(std::string(name) + ": not with --lat");
            }
        }
        test.depth = 1;
        test.sizeBytes = isGiven("--size") ? test.sizeBytes : 2;
        test.iterations = isGiven("--iters") ? test.iterations : 1000;
    }
    if (test.durationPs != 0)
    {
        if (isGiven("--iters"))
        {
            throw BadInput("--duration and --iters exclude each other");
        }
        test.iterations = 0;
    }
    if (!options.carriers.empty() && options.fabric)
    {
        throw BadInput("--carrier and --fabric exclude each other");
    }
    if (options.fabric)
    {
        if (options.nic && *options.nic >= options.fabric->nics)
        {
            throw BadInput("--nic: '" + std::to_string(*options.nic) +
                           "' should be the number of a NIC of the fabric, 0 to " +
                           std::to_string(options.fabric->nics - 1));
        }
        for (uint32_t plane = 0;
             options.interfaces.size() < options.fabric->planes && !isGiven("--interface");
             ++plane)
        {
            options.interfaces.push_back("p" + std::to_string(plane)); // as mrc-emu calls them
        }
    }
    else if (isGiven("--nic") || isGiven("--usid-block"))
    {
        throw BadInput(std::string(isGiven("--nic") ? "--nic" : "--usid-block") +
                       ": only with --fabric");
    }
    const size_t planes = std::max<size_t>(1, options.interfaces.size());
    if (planes > MAX_PLANES)
    {
        throw BadInput("--interface: at most " + std::to_string(MAX_PLANES) + " planes");
    }
    if (options.fabric && options.fabric->planes != planes)
    {
        throw BadInput("--interface: the fabric has " + std::to_string(options.fabric->planes) +
                       " planes, so it takes as many interfaces, not " + std::to_string(planes));
    }
    if (!options.carriers.empty() &&
        (options.carriers.size() != planes ||
         std::any_of(options.carriers.begin(), options.carriers.end(), [](const auto& list) {
             return list.empty();
         })))
    {
        throw BadInput("--carrier: each of the " + std::to_string(planes) +
                       " planes needs at least one");
    }
    if (isGiven("--window") && options.windowBytes < test.mtuBytes)
    {
        throw BadInput("--window: less than a packet");
    }
}

/// @param what a message @return it as one line
std::string
OneLine(std::string what)
{
    std::replace(what.begin(), what.end(), '\n', ' ');
    return what;
}

} // namespace

bool
ParseCommandLine(int argc, char** argv, Options& options)
{
    CLI::App app("Measures MRC between two hosts: run it with --server on one and with the name\n"
                 "of that host on the other.",
                 "mrc-perf");
    app.set_version_flag("--version", std::string("mrc-perf ") + MRC_VERSION);
    app.get_formatter()->column_width(40);
    options.test.mtuBytes = 0;
    bool isLatency = false;
    bool isBandwidth = false;
    Adder add(app);
    add.Group("");
    app.add_option("PEER",
                   options.peer,
                   "client: host where mrc-perf --server runs, or a\n"
                   "simulated NIC of mrc-emu such as nic-5")
        ->type_name("");
    add.Group("Role");
    add.Flag("--server", options.isServer, "wait for a client");
    add.Flag("--keep", options.isKept, "server: serve one client after the other");
    AddTestOptions(add, options.test, isLatency, isBandwidth);
    AddNetworkOptions(add, options);
    AddTransportOptions(add, options);
    add.Group("Output");
    add.Flag("--json", options.isJson, "print one JSON object instead of the table");
    add.Flag("--report_gbits,--report-gbits", options.isGbits, "Gb/s instead of MiB/s");
    try
    {
        app.parse(argc, argv);
    }
    catch (const CLI::ParseError& error)
    {
        if (error.get_exit_code() == 0)
        {
            app.exit(error);
            return false;
        }
        throw BadInput(OneLine(error.what()));
    }
    Complete(app, options, isLatency, isBandwidth);
    return true;
}

} // namespace mrc::perf
