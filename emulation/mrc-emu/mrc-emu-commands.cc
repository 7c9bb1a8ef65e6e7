// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-commands.h"

#include "mrc-clos-names.h"
#include "mrc-emu-engine.h"
#include "mrc-emu-host-setup.h"
#include "mrc-emu-report.h"
#include "mrc-pcap-port.h"
#include "mrc-psn.h"
#include "mrc-units.h"

#include <algorithm>
#include <sstream>

namespace mrc::emu
{

namespace
{

/// Words of a command line.
using Words = std::vector<std::string>;

/// A command.
struct Command
{
    const char* name;                                   ///< first word
    const char* usage;                                  ///< the words that follow
    const char* help;                                   ///< for people
    size_t least;                                       ///< words that follow, at least
    size_t most;                                        ///< words that follow, at most
    bool isChange;                                      ///< goes to the log
    void (*run)(Engine&, const Words&, CommandResult&); ///< carries it out; may throw
};

/// @param word "up" or "down" @return which
bool
ParseUp(const std::string& word)
{
    if (word != "up" && word != "down")
    {
        throw LabError("'" + word + "' should be up or down");
    }
    return word == "up";
}

/// @param word such as "5ms" @return wall time, ns
int64_t
ParseWallNs(const std::string& word)
{
    return mrc::ParseTimePs(word) / 1000;
}

/// @param word such as "p1" @return the plane
uint32_t
ParsePlane(const Engine& engine, const std::string& word)
{
    const uint32_t planes = engine.Description().clos.planes;
    for (uint32_t plane = 0; plane < planes; ++plane)
    {
        if (word == "p" + std::to_string(plane))
        {
            return plane;
        }
    }
    throw LabError("'" + word + "' is no plane: there are p0 to p" + std::to_string(planes - 1));
}

/// Take a link down and up again, a number of times. @param ns down for, then up for
void
Flap(Engine& engine, const mrc::ClosLink& link, int64_t downNs, int64_t upNs, uint64_t count)
{
    const std::string name = mrc::LinkName(engine.Fabric().Clos(), link);
    engine.Fabric().SetLink(link, false);
    engine.Log("link " + name + " down (flap)");
    engine.After(downNs, [&engine, link, name, downNs, upNs, count]() {
        engine.Fabric().SetLink(link, true);
        engine.Log("link " + name + " up (flap)");
        if (count > 1)
        {
            engine.After(upNs, [&engine, link, downNs, upNs, count]() {
                Flap(engine, link, downNs, upNs, count - 1);
            });
        }
    });
}

void
RunLink(Engine& engine, const Words& words, CommandResult&)
{
    const mrc::ClosLink link = mrc::ParseLinkName(engine.Fabric().Clos(), words[1]);
    if (words[2] != "flap")
    {
        if (words.size() != 3)
        {
            throw LabError("'" + words[3] + "' is too much behind " + words[2]);
        }
        engine.Fabric().SetLink(link, ParseUp(words[2]));
        return;
    }
    if (words.size() < 5)
    {
        throw LabError("flap needs two times: how long down, how long up, as in flap 100ms 400ms");
    }
    constexpr uint64_t MOST = 1'000'000;
    const int64_t downNs = ParseWallNs(words[3]);
    const int64_t upNs = ParseWallNs(words[4]);
    if (downNs == 0 || upNs == 0)
    {
        throw LabError("the times of a flap are above 0");
    }
    Flap(engine, link, downNs, upNs, words.size() > 5 ? mrc::ParseWhole(words[5], MOST) : 1);
}

void
RunPlane(Engine& engine, const Words& words, CommandResult&)
{
    engine.Fabric().SetPlane(ParsePlane(engine, words[1]), ParseUp(words[2]));
}

void
RunSwitch(Engine& engine, const Words& words, CommandResult&)
{
    engine.Fabric().SetSwitch(mrc::ParseSwitchName(engine.Fabric().Clos(), words[1]),
                              ParseUp(words[2]));
}

void
RunNicPort(Engine& engine, const Words& words, CommandResult&)
{
    const mrc::ClosPort port = mrc::ParsePortName(engine.Fabric().Clos(), words[1]);
    if (port.end.kind != mrc::NodeKind::NIC)
    {
        throw LabError("'" + words[1] + "' should be a port of a NIC, such as nic-3:p1");
    }
    engine.Fabric().SetLink(engine.Fabric().Clos().LinkOf(port.plane, port.end), ParseUp(words[2]));
}

void
RunLoss(Engine& engine, const Words& words, CommandResult&)
{
    engine.Fabric().SetLoss(mrc::ParseLinkName(engine.Fabric().Clos(), words[1]),
                            mrc::ParseProbability(words[2]));
}

void
RunCorrupt(Engine& engine, const Words& words, CommandResult&)
{
    engine.Fabric().SetCorruption(mrc::ParseLinkName(engine.Fabric().Clos(), words[1]),
                                  mrc::ParseProbability(words[2]));
}

void
RunDelay(Engine& engine, const Words& words, CommandResult&)
{
    engine.Fabric().SetDelay(mrc::ParseLinkName(engine.Fabric().Clos(), words[1]),
                             mrc::ParseTimePs(words[2]));
}

void
RunRate(Engine& engine, const Words& words, CommandResult&)
{
    engine.Fabric().SetRate(mrc::ParseLinkName(engine.Fabric().Clos(), words[1]),
                            mrc::ParseBitsPerSecond(words[2]));
}

void
RunTrim(Engine& engine, const Words& words, CommandResult& result)
{
    const mrc::ClosPort port = mrc::ParsePortName(engine.Fabric().Clos(), words[1]);
    if (port.end.kind == mrc::NodeKind::NIC)
    {
        throw LabError("'" + words[1] + "' should be a port of a switch: NICs trim nothing");
    }
    ns3::MrcEgressPort& egress = *engine.Fabric().Port(port).egress;
    ns3::MrcQueueLimits limits = egress.Limits();
    if (words.size() > 2)
    {
        limits.trimBytes = static_cast<uint32_t>(mrc::ParseWhole(words[2], UINT32_MAX));
        limits.isTrimming = true;
        egress.SetLimits(limits);
    }
    result.text = "trim threshold " + std::to_string(limits.trimBytes) + " bytes" +
                  (limits.isTrimming ? "" : ", trimming is off") + "\n";
}

void
RunBlackHole(Engine& engine, const Words& words, CommandResult&)
{
    const mrc::ClosSwitch node = mrc::ParseSwitchName(engine.Fabric().Clos(), words[1]);
    const uint64_t usid = words[2] == "none" ? 0 : mrc::ParseWhole(words[2], UINT16_MAX);
    engine.Fabric()
        .Network()
        .Switch(node.plane, node.kind, node.index)
        .Table()
        .SetBlackHole(static_cast<uint16_t>(usid));
}

void
RunPcap(Engine& engine, const Words& words, CommandResult& result)
{
    const mrc::ClosPort port = mrc::ParsePortName(engine.Fabric().Clos(), words[2]);
    if (words[1] == "start")
    {
        result.text = engine.PortCaptures().Start(port) + "\n";
    }
    else if (words[1] == "stop")
    {
        result.text = std::to_string(engine.PortCaptures().Stop(port)) + " packets\n";
    }
    else
    {
        throw LabError("'" + words[1] + "' should be start or stop");
    }
}

void
RunStats(Engine& engine, const Words&, CommandResult& result)
{
    result.text = StatusJson(engine) + "\n";
}

void
RunHosts(Engine& engine, const Words&, CommandResult& result)
{
    const mrc::AddressPlan& plan = engine.Fabric().Network().Fabric().Addresses();
    const mrc::UsidPlan& usids = engine.Fabric().Network().Plan().Usids();
    for (const LabHost& host : engine.Description().hosts)
    {
        result.text += host.name + " nic-" + std::to_string(host.nic) + " " +
                       plan.NicAddress(host.nic).Print() + "\n";
        for (uint32_t plane = 0; plane < host.ports.size(); ++plane)
        {
            const LabPort& port = host.ports[plane];
            const uint64_t own =
                uint64_t{usids.Block()} << 32 | uint64_t{usids.NicUsid(plane, host.nic)} << 16;
            result.text +=
                "  " + InterfaceName(plane) +
                (port.device.empty() ? std::string() : " (" + port.device + ")") + " address " +
                plan.NicPortAddress(host.nic, plane).Print() + " mac " +
                MacText(ns3::MrcPcapPort::MacAddress(host.nic, static_cast<uint8_t>(plane))) +
                " next hop fe80::1 at " + MacText(GatewayMac(plane)) + " uSID " +
                mrc::Ipv6Address{own, 0}.Print() + "/48\n";
        }
    }
}

void
RunLinks(Engine& engine, const Words&, CommandResult& result)
{
    const mrc::ClosPlan& plan = engine.Fabric().Clos();
    for (uint32_t plane = 0; plane < plan.Planes(); ++plane)
    {
        for (uint64_t number = 0; number < plan.LinksPerPlane(); ++number)
        {
            const mrc::ClosLink link = plan.LinkAt(plane, number);
            result.text +=
                mrc::LinkName(plan, link) + (engine.Fabric().IsUp(link) ? " up\n" : " down\n");
        }
    }
}

void
RunTable(Engine& engine, const Words& words, CommandResult& result)
{
    const mrc::ClosSwitch node = mrc::ParseSwitchName(engine.Fabric().Clos(), words[1]);
    ns3::MrcClosNetwork& network = engine.Fabric().Network();
    result.text = network.Plan().Usids().FormatTable(node.plane, node.kind, node.index) +
                  network.Fabric().Addresses().FormatTable(node.kind, node.index);
}

void
RunStatus(Engine& engine, const Words&, CommandResult& result)
{
    result.text = SummaryText(engine);
}

/// @param word such as "nic-3" @return the NIC
uint32_t
ParseNic(Engine& engine, const std::string& word)
{
    return mrc::ParseNicName(engine.Fabric().Clos(), word);
}

void
RunQp(Engine& engine, const Words& words, CommandResult& result)
{
    std::string offer;
    for (size_t i = 4; i < words.size(); ++i)
    {
        offer += (i > 4 ? " " : "") + words[i];
    }
    result.text =
        engine.SimulatedEndpoints().Connect(ParseNic(engine, words[1]),
                                            words[2],
                                            mrc::ParseWhole(words[3], Endpoints::MAX_MEMORY),
                                            offer);
}

void
RunWrite(Engine& engine, const Words& words, CommandResult&)
{
    constexpr uint64_t MAX_MESSAGE = uint64_t{1} << 31;
    engine.SimulatedEndpoints().Write(
        ParseNic(engine, words[1]),
        static_cast<uint32_t>(mrc::ParseWhole(words[2], mrc::PSN_MASK)),
        static_cast<uint32_t>(mrc::ParseWhole(words[3], UINT32_MAX)),
        mrc::ParseWhole(words[4], UINT64_MAX),
        static_cast<uint32_t>(mrc::ParseWhole(words[5], MAX_MESSAGE)));
}

void
RunMemory(Engine& engine, const Words& words, CommandResult& result)
{
    result.text = engine.SimulatedEndpoints().Describe(
        ParseNic(engine, words[1]),
        static_cast<uint32_t>(mrc::ParseWhole(words[2], mrc::PSN_MASK)));
}

/// The state of an EV of all QPs of a NIC.
void
RunEv(Engine& engine, const Words& words, CommandResult& result)
{
    if (words[1] != "deny" && words[1] != "allow")
    {
        throw LabError("'" + words[1] + "' should be deny or allow");
    }
    const uint32_t nic = ParseNic(engine, words[2]);
    const auto ev = static_cast<uint32_t>(mrc::ParseWhole(words[3], UINT32_MAX));
    const uint32_t count = engine.Fabric().DenyEv(nic, ev, words[1] == "deny");
    result.text = std::to_string(count) + " QPs have that EV\n";
}

void
RunNamespaces(Engine& engine, const Words& words, CommandResult& result)
{
    result.fds = engine.Namespaces();
    if (words.size() > 1)
    {
        result.fds.back() = engine.HostNetwork(words[1]).Get();
    }
    result.text = "descriptors follow the first byte of this line\n";
}

void
RunShutdown(Engine& engine, const Words&, CommandResult&)
{
    engine.Stop("shutdown by command");
}

void
RunHelp(Engine&, const Words&, CommandResult& result)
{
    result.text = CommandHelp();
}

/// All commands.
const Command COMMANDS[] = {
    {"help", "", "list the commands", 0, 0, false, RunHelp},
    {"status", "", "scale, lag and packets so far", 0, 0, false, RunStatus},
    {"stats", "", "all counters as one line of JSON", 0, 0, false, RunStats},
    {"hosts", "", "addresses of the hosts and what their ports need", 0, 0, false, RunHosts},
    {"links", "", "all links and their state", 0, 0, false, RunLinks},
    {"table", "SWITCH", "uSIDs and prefixes of a switch", 1, 1, false, RunTable},
    {"link",
     "LINK up|down|flap DOWN UP [COUNT]",
     "state of a link; flap: wall times",
     2,
     5,
     true,
     RunLink},
    {"plane", "pN up|down", "state of all links of a plane", 2, 2, true, RunPlane},
    {"switch", "SWITCH up|down", "state of all links of a switch", 2, 2, true, RunSwitch},
    {"nic-port",
     "PORT up|down",
     "state of a port of a NIC or host; it sees the cable",
     2,
     2,
     true,
     RunNicPort},
    {"loss", "LINK PROBABILITY", "lose packets, both ways", 2, 2, true, RunLoss},
    {"corrupt", "LINK PROBABILITY", "damage packets, both ways", 2, 2, true, RunCorrupt},
    {"delay", "LINK TIME", "simulated propagation delay", 2, 2, true, RunDelay},
    {"rate", "LINK RATE", "simulated rate, such as 40Gbps", 2, 2, true, RunRate},
    {"trim",
     "PORT [BYTES]",
     "data queue above which packets are trimmed; show or set",
     1,
     2,
     true,
     RunTrim},
    {"black-hole",
     "SWITCH USID|none",
     "a switch loses the route of a uSID",
     2,
     2,
     true,
     RunBlackHole},
    {"pcap", "start|stop PORT", "capture what a port sends and receives", 2, 2, true, RunPcap},
    {"ev",
     "deny|allow NIC EV",
     "the QPs of a simulated NIC do not use an entropy value",
     3,
     3,
     true,
     RunEv},
    {"qp",
     "NIC HOST BYTES OFFER...",
     "connect a simulated NIC with a program on a host",
     4,
     20,
     true,
     RunQp},
    {"write",
     "NIC QP RKEY VA BYTES",
     "a simulated NIC writes to the memory of its peer",
     5,
     5,
     true,
     RunWrite},
    {"memory",
     "NIC QP",
     "bytes placed and FNV-1a of the memory that its peer writes to",
     2,
     2,
     false,
     RunMemory},
    {"namespaces",
     "[HOST]",
     "descriptors of user, mount, process, network namespace",
     0,
     1,
     false,
     RunNamespaces},
    {"shutdown", "", "end the lab", 0, 0, true, RunShutdown},
};

/// @param line any bytes @return its words, and never an unprintable byte
Words
Split(const std::string& line)
{
    std::string clean = line;
    for (char& c : clean)
    {
        c = c == '\t' || c == '\r' ? ' ' : c;
        c = c < ' ' || c > '~' ? '?' : c;
    }
    std::istringstream stream(clean);
    Words words;
    for (std::string word; stream >> word;)
    {
        words.push_back(word);
    }
    return words;
}

} // namespace

CommandResult
RunCommand(Engine& engine, const std::string& line)
{
    CommandResult result;
    const Words words = Split(line);
    if (words.empty())
    {
        return result;
    }
    constexpr size_t SHOWN = 40;
    for (const Command& command : COMMANDS)
    {
        if (words[0] != command.name)
        {
            continue;
        }
        const size_t count = words.size() - 1;
        if (count < command.least || count > command.most)
        {
            result.error = std::string("usage: ") + command.name + " " + command.usage;
            return result;
        }
        try
        {
            command.run(engine, words, result);
        }
        catch (const std::exception& error)
        {
            result = CommandResult();
            result.error = error.what();
            return result;
        }
        if (command.isChange)
        {
            std::string text;
            for (const std::string& word : words)
            {
                text += (text.empty() ? "" : " ") + word;
            }
            engine.Log(text);
        }
        return result;
    }
    result.error = "there is no command '" + words[0].substr(0, SHOWN) + "': see help";
    return result;
}

std::string
CommandHelp()
{
    std::string text;
    for (const Command& command : COMMANDS)
    {
        std::string line = std::string(command.name) + " " + command.usage;
        line.resize(std::max<size_t>(line.size() + 1, 46), ' ');
        text += line + command.help + "\n";
    }
    return text;
}

} // namespace mrc::emu
