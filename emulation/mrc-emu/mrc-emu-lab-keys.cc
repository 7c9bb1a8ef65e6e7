// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-lab-keys.h"

#include "mrc-sim-bad-input.h"
#include "mrc-sim-quantity.h"

#include <cstring>
#include <set>

namespace mrc::emu
{

namespace
{

/// @param text such as "5ms" @return ns, >= 0
int64_t
ParseNs(const std::string& key, const std::string& text)
{
    return sim::ParseTime(key, text) / 1000;
}

/// @param text "true" or "false" @return which
bool
ParseBool(const std::string& key, const std::string& text)
{
    if (text != "true" && text != "false")
    {
        throw sim::BadInput(key, "'" + text + "' should be true or false");
    }
    return text == "true";
}

/// @return text, if it is a name
const std::string&
ParseName(const std::string& key, const std::string& text)
{
    if (!IsLabName(text))
    {
        throw sim::BadInput(
            key, "'" + text + "' should be a name of up to 32 letters, digits, '-', '_' and '.'");
    }
    return text;
}

/// @param text "tap", "tap:NAME" or "dev:NAME" @return the port
LabPort
ParsePort(const std::string& text)
{
    constexpr size_t PREFIX = 4;
    constexpr size_t MAX_DEVICE = 15;
    const std::string kind = text.substr(0, PREFIX);
    const std::string device = text.size() > PREFIX ? text.substr(PREFIX) : "";
    if (text == "tap")
    {
        return {LabPort::Kind::TAP, ""};
    }
    if ((kind != "tap:" && kind != "dev:") || device.empty() || device.size() > MAX_DEVICE ||
        device.find_first_of("/ \t") != std::string::npos)
    {
        throw sim::BadInput("ports",
                            "'" + text +
                                "' should be \"tap\" (of its own), \"tap:NAME\" (a persistent TAP) "
                                "or \"dev:NAME\" (a veth or a NIC of this machine)");
    }
    return {kind == "tap:" ? LabPort::Kind::EXISTING_TAP : LabPort::Kind::DEVICE, device};
}

/// @param least smallest value @param most largest value @return a whole number
uint32_t
ParseRange(const std::string& key, const std::string& text, uint32_t least, uint32_t most)
{
    const uint32_t value = sim::ParseCount(key, text, least);
    if (value > most)
    {
        throw sim::BadInput(key, "'" + text + "' should be at most " + std::to_string(most));
    }
    return value;
}

/// @return a key that sets a count of the fabric
LabKey
Count(const char* name,
      const char* standard,
      uint32_t mrc::ClosConfig::*member,
      uint32_t least,
      const char* help)
{
    return {LabSection::FABRIC, name, standard, help, false, [=](Lab& lab, const LabValues& v) {
                lab.clos.*member = sim::ParseCount(name, v[0], least);
            }};
}

} // namespace

bool
IsLabName(const std::string& text)
{
    constexpr size_t MAX_NAME = 32;
    const char* allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    return !text.empty() && text.size() <= MAX_NAME && text.front() != '.' && text.front() != '-' &&
           text.find_first_not_of(allowed) == std::string::npos;
}

const std::vector<LabKey>&
LabKeys()
{
    static const std::vector<LabKey> KEYS{
        {LabSection::TOP,
         "name",
         "the file's name",
         "name of the lab, for --lab",
         false,
         [](Lab& lab, const LabValues& v) { lab.name = ParseName("name", v[0]); }},
        {LabSection::TOP,
         "scale",
         "\"auto\"",
         "wall time for a unit of simulated time; auto: computed from the load that may come",
         false,
         [](Lab& lab, const LabValues& v) {
             lab.scale = v[0] == "auto" ? 0 : sim::ParseRatio("scale", v[0]);
         }},
        {LabSection::TOP,
         "max-lag",
         "none",
         "exit code 3 if an event ran later than this (wall time)",
         false,
         [](Lab& lab, const LabValues& v) { lab.maxLagNs = ParseNs("max-lag", v[0]); }},
        {LabSection::TOP,
         "late",
         "\"1ms\"",
         "packets that leave later than this are counted as late",
         false,
         [](Lab& lab, const LabValues& v) { lab.lateNs = ParseNs("late", v[0]); }},
        {LabSection::TOP,
         "early",
         "\"20us\"",
         "events may run this much before their time, which saves a wake-up per hop",
         false,
         [](Lab& lab, const LabValues& v) { lab.earlyNs = ParseNs("early", v[0]); }},
        {LabSection::TOP,
         "duration",
         "none",
         "stop after this wall time",
         false,
         [](Lab& lab, const LabValues& v) { lab.durationNs = ParseNs("duration", v[0]); }},
        {LabSection::TOP,
         "cpu",
         "none",
         "CPU to run on",
         false,
         [](Lab& lab, const LabValues& v) {
             lab.cpu = static_cast<int>(ParseRange("cpu", v[0], 0, 1023));
         }},
        {LabSection::TOP,
         "fifo",
         "none",
         "real-time priority (SCHED_FIFO, 1 to 99); needs root",
         false,
         [](Lab& lab, const LabValues& v) {
             lab.fifoPriority = static_cast<int>(ParseRange("fifo", v[0], 1, 99));
         }},
        {LabSection::TOP,
         "out",
         "none",
         "folder for events.log, captures and result.json",
         false,
         [](Lab& lab, const LabValues& v) { lab.out = v[0]; }},
        {LabSection::TOP,
         "metrics",
         "none",
         "Prometheus metrics on \"unix:PATH\" or \"127.0.0.1:PORT\"",
         false,
         [](Lab& lab, const LabValues& v) { lab.metrics = v[0]; }},
        {LabSection::TOP,
         "mtu",
         "9000",
         "of the hosts' interfaces, 1280 to 9500",
         false,
         [](Lab& lab, const LabValues& v) { lab.mtu = ParseRange("mtu", v[0], 1280, 9500); }},
        {LabSection::TOP,
         "seed",
         "1",
         "of all random numbers",
         false,
         [](Lab& lab, const LabValues& v) { lab.seed = sim::ParseCount("seed", v[0], 1); }},

        Count("tiers", "2", &mrc::ClosConfig::tiers, 2, "tiers of switches: 2 or 3"),
        Count("planes",
              "2",
              &mrc::ClosConfig::planes,
              1,
              "planes; each NIC and host has a port in each"),
        Count("nics", "4", &mrc::ClosConfig::nics, 1, "places for NICs and hosts"),
        Count("nics-per-t0", "2", &mrc::ClosConfig::nicsPerT0, 1, "of them on a T0"),
        Count("parallel-links",
              "1",
              &mrc::ClosConfig::parallelLinks,
              1,
              "links between a T0 and each of its T1s"),
        Count("t1-per-plane",
              "derived",
              &mrc::ClosConfig::t1PerPlane,
              0,
              "two tiers: T1s of a plane"),
        Count("t0-per-pod", "none", &mrc::ClosConfig::t0PerPod, 0, "three tiers: T0s of a pod"),
        Count("t1-per-pod", "derived", &mrc::ClosConfig::t1PerPod, 0, "three tiers: T1s of a pod"),
        Count("t2-per-plane",
              "derived",
              &mrc::ClosConfig::t2PerPlane,
              0,
              "three tiers: T2s of a plane"),
        {LabSection::FABRIC,
         "oversubscription",
         "1",
         "hosts to uplinks of a T0",
         false,
         [](Lab& lab, const LabValues& v) {
             lab.clos.oversubscription = sim::ParseRatio("oversubscription", v[0]);
         }},
        {LabSection::FABRIC,
         "rate",
         "\"100Gbps\"",
         "simulated rate of each link",
         false,
         [](Lab& lab, const LabValues& v) { lab.bitsPerSecond = sim::ParseRate("rate", v[0]); }},
        {LabSection::FABRIC,
         "delay",
         "\"75ns\"",
         "simulated propagation delay of each link",
         false,
         [](Lab& lab, const LabValues& v) { lab.delayPs = sim::ParseTime("delay", v[0]); }},
        {LabSection::FABRIC,
         "set",
         "none",
         "attributes, such as [\"ns3::MrcTrimmingSwitch::TrimThreshold=0.5\"]",
         true,
         [](Lab& lab, const LabValues& v) { lab.set.insert(lab.set.end(), v.begin(), v.end()); }},

        {LabSection::HOST,
         "name",
         "\"h0\", \"h1\" ...",
         "of the host, for exec and /etc/hosts",
         false,
         [](Lab& lab, const LabValues& v) { lab.hosts.back().name = ParseName("name", v[0]); }},
        {LabSection::HOST,
         "nic",
         "the next free one",
         "NIC whose place it takes",
         false,
         [](Lab& lab, const LabValues& v) {
             lab.hosts.back().nic = sim::ParseNic("nic", v[0]);
             lab.hosts.back().hasNic = true;
         }},
        {LabSection::HOST,
         "ports",
         "a \"tap\" each",
         "by plane: \"tap\", \"tap:NAME\" (persistent TAP), \"dev:NAME\" (veth, physical NIC)",
         true,
         [](Lab& lab, const LabValues& v) {
             for (const std::string& text : v)
             {
                 lab.hosts.back().ports.push_back(ParsePort(text));
             }
         }},
        {LabSection::HOST,
         "srv6-decap",
         "false",
         "its kernel takes SRv6 off (seg6local End.DT6 on its own uSIDs)",
         false,
         [](Lab& lab, const LabValues& v) {
             lab.hosts.back().isDecapsulating = ParseBool("srv6-decap", v[0]);
         }},
        {LabSection::HOST,
         "forwarding",
         "false",
         "its kernel routes",
         false,
         [](Lab& lab, const LabValues& v) {
             lab.hosts.back().isForwarding = ParseBool("forwarding", v[0]);
         }},

        {LabSection::WORKLOAD,
         "kind",
         "\"permutation\"",
         "permutation, incast, ring-allreduce, all-to-all or p2p, among simulated NICs",
         false,
         [](Lab& lab, const LabValues& v) {
             static const std::set<std::string> KINDS{
                 "permutation", "incast", "ring-allreduce", "all-to-all", "p2p"};
             if (KINDS.count(v[0]) == 0)
             {
                 throw sim::BadInput(
                     "kind",
                     "'" + v[0] +
                         "' is none of permutation, incast, ring-allreduce, all-to-all, p2p");
             }
             lab.workloads.back().kind = v[0];
         }},
        {LabSection::WORKLOAD,
         "size",
         "\"2MiB\"",
         "bytes of a message",
         false,
         [](Lab& lab, const LabValues& v) {
             lab.workloads.back().bytes = sim::ParseSize("size", v[0]);
         }},
        {LabSection::WORKLOAD,
         "messages",
         "1",
         "of a pair, one after the other",
         false,
         [](Lab& lab, const LabValues& v) {
             lab.workloads.back().messages = sim::ParseCount("messages", v[0], 1);
         }},
        {LabSection::WORKLOAD,
         "senders",
         "all others",
         "incast: how many send to the first NIC",
         false,
         [](Lab& lab, const LabValues& v) {
             lab.workloads.back().senders = sim::ParseCount("senders", v[0], 1);
         }},
        {LabSection::WORKLOAD,
         "concurrency",
         "8",
         "all-to-all: peers at a time",
         false,
         [](Lab& lab, const LabValues& v) {
             lab.workloads.back().concurrency = sim::ParseCount("concurrency", v[0], 1);
         }},
        {LabSection::WORKLOAD,
         "nics",
         "all simulated",
         "who takes part, [\"nic-4\", \"nic-7\"]",
         true,
         [](Lab& lab, const LabValues& v) {
             for (const std::string& text : v)
             {
                 lab.workloads.back().nics.push_back(sim::ParseNic("nics", text));
             }
         }},
        {LabSection::WORKLOAD,
         "start",
         "\"0s\"",
         "wall time after the start",
         false,
         [](Lab& lab, const LabValues& v) {
             lab.workloads.back().startNs = ParseNs("start", v[0]);
         }},

        {LabSection::AT,
         "time",
         "\"0s\"",
         "wall time after the start",
         false,
         [](Lab& lab, const LabValues& v) { lab.actions.back().atNs = ParseNs("time", v[0]); }},
        {LabSection::AT,
         "command",
         "",
         "what `mrc-emu ctl` would be given",
         false,
         [](Lab& lab, const LabValues& v) { lab.actions.back().command = v[0]; }},
    };
    return KEYS;
}

const char*
SectionHeader(LabSection section)
{
    switch (section)
    {
    case LabSection::FABRIC:
        return "[fabric]";
    case LabSection::HOST:
        return "[[host]]";
    case LabSection::WORKLOAD:
        return "[[workload]]";
    case LabSection::AT:
        return "[[at]]";
    default:
        return "";
    }
}

std::string
LabHelp()
{
    std::string text;
    const char* header = "";
    for (const LabKey& key : LabKeys())
    {
        if (std::strcmp(header, SectionHeader(key.section)) != 0)
        {
            header = SectionHeader(key.section);
            text += std::string("\n") + header + "\n";
        }
        std::string line = std::string(key.name) + " = " + key.standard;
        line.resize(std::max<size_t>(line.size() + 2, 34), ' ');
        text += line + "# " + key.help + "\n";
    }
    return text;
}

} // namespace mrc::emu
