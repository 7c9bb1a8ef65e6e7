// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-fault-spec.h"

#include "mrc-units.h"
#include "mrc-usid-plan.h"

#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace mrc
{

namespace
{
/// Names of kinds, and the keys each takes.
struct KindRow
{
    std::string_view name; ///< as written
    FaultKind kind;        ///< what it means
    std::string_view keys; ///< its keys, space-separated
};

constexpr KindRow KINDS[] = {
    {"link-down", FaultKind::LINK_DOWN, ""},
    {"nic-port-down", FaultKind::LINK_DOWN, ""},
    {"link-flap", FaultKind::LINK_FLAP, "period count"},
    {"loss", FaultKind::LOSS, "rate corrupt"},
    {"slow", FaultKind::SLOW, "rate"},
    {"switch-down", FaultKind::SWITCH_DOWN, ""},
    {"black-hole", FaultKind::BLACK_HOLE, "usid"},
};

[[noreturn]] void
Refuse(const std::string& text, const std::string& why)
{
    throw FaultError("fault '" + text + "': " + why);
}

/// @return the text before a mark, which is removed with it; all of it if there is no mark
std::string_view
Cut(std::string_view& text, char mark)
{
    const size_t at = text.find(mark);
    const std::string_view head = text.substr(0, at);
    text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
    return head;
}

/// Set the value of one key.
void
SetKey(FaultSpec& spec, std::string_view key, std::string_view value)
{
    if (key == "period")
    {
        spec.periodPs = ParseTimePs(value);
    }
    else if (key == "count")
    {
        spec.count = static_cast<uint32_t>(ParseWhole(value, 1000000));
    }
    else if (key == "corrupt")
    {
        spec.corrupt = ParseProbability(value);
    }
    else if (key == "usid")
    {
        spec.usid = static_cast<uint16_t>(ParseWhole(value, UINT16_MAX));
    }
    else if (spec.kind == FaultKind::LOSS)
    {
        spec.loss = ParseProbability(value);
    }
    else
    {
        spec.bitsPerSecond = ParseBitsPerSecond(value);
    }
}

/// Refuse a black hole for a uSID that the switch does not route.
void
CheckRoute(const ClosPlan& plan, const FaultSpec& spec)
{
    const auto [plane, kind, index] = spec.node;
    std::ostringstream known;
    known << std::hex << std::showbase;
    for (const UsidRoute& route : UsidPlan(plan).Routes(plane, kind, index))
    {
        if (route.Contains(spec.usid))
        {
            return;
        }
        known << (known.tellp() == 0 ? "" : ", ") << route.first;
        if (route.count > 1)
        {
            known << " to " << route.first + route.count - 1;
        }
    }
    std::ostringstream usid;
    usid << std::hex << std::showbase << spec.usid;
    Refuse(spec.text,
           SwitchName(plane, kind, index) + " has no route for uSID " + usid.str() + ", only for " +
               known.str());
}

/// Refuse times that the simulator cannot count.
void
CheckTimes(const FaultSpec& spec)
{
    constexpr double MOST_PS = 9e18; // the largest int64_t is a little more
    const double startsPs = static_cast<double>(spec.startPs) +
                            static_cast<double>(spec.periodPs) * (spec.count > 0 ? spec.count : 1);
    if (startsPs + static_cast<double>(spec.durationPs) > MOST_PS)
    {
        Refuse(spec.text, "ends too late: at most 9000000s");
    }
}

/// Refuse what is missing.
void
CheckComplete(const FaultSpec& spec)
{
    constexpr uint64_t LEAST_BITS_PER_SECOND = 1'000'000;
    if (spec.kind == FaultKind::LOSS && spec.loss == 0 && spec.corrupt == 0)
    {
        Refuse(spec.text, "loss needs rate=0.01 or corrupt=0.01");
    }
    if (spec.kind == FaultKind::SLOW && spec.bitsPerSecond == 0)
    {
        Refuse(spec.text, "slow needs rate=25Gbps");
    }
    if (spec.kind == FaultKind::SLOW && spec.bitsPerSecond < LEAST_BITS_PER_SECOND)
    {
        Refuse(spec.text, "the rate is too low: at least 1Mbps");
    }
    if (spec.kind == FaultKind::BLACK_HOLE && spec.usid == 0)
    {
        Refuse(spec.text, "black-hole needs usid=0x2003");
    }
    if (spec.kind == FaultKind::LINK_FLAP &&
        (spec.durationPs == 0 || spec.count == 0 || spec.periodPs <= spec.durationPs))
    {
        Refuse(spec.text,
               "link-flap needs the time down, a longer period and a count: "
               "@1ms+50us,period=200us,count=4");
    }
}
} // namespace

FaultSpec
ParseFault(const ClosPlan& plan, const std::string& text)
{
    FaultSpec spec{};
    spec.text = text;
    std::string_view rest = text;
    const std::string_view kind = Cut(rest, ' ');
    const KindRow* row = nullptr;
    for (const KindRow& candidate : KINDS)
    {
        if (candidate.name == kind)
        {
            row = &candidate;
        }
    }
    if (row == nullptr)
    {
        std::string names;
        for (const KindRow& candidate : KINDS)
        {
            names += (names.empty() ? "" : ", ") + std::string(candidate.name);
        }
        Refuse(text, "no kind '" + std::string(kind) + "': " + names);
    }
    spec.kind = row->kind;
    const std::string_view target = Cut(rest, '@');
    if (rest.empty())
    {
        Refuse(text, "no start: write '" + std::string(kind) + " TARGET@START', as in @100us");
    }
    if (rest.back() == ',')
    {
        Refuse(text, "ends with a comma");
    }
    std::string_view times = Cut(rest, ',');
    const bool hasDuration = times.find('+') != std::string_view::npos;
    std::string seen = " ";
    try
    {
        if (spec.IsSwitch())
        {
            spec.node = ParseSwitchName(plan, target);
        }
        else
        {
            spec.link = ParseLinkName(plan, target);
        }
        if (kind == "nic-port-down" && spec.link.lower.kind != NodeKind::NIC)
        {
            Refuse(text, "nic-port-down needs a port of a NIC such as nic-3/p0");
        }
        spec.startPs = ParseTimePs(Cut(times, '+'));
        if (hasDuration)
        {
            spec.durationPs = ParseTimePs(times);
            if (spec.durationPs == 0)
            {
                Refuse(text, "a duration of 0: leave it out for a fault that lasts for ever");
            }
        }
        while (!rest.empty())
        {
            std::string_view value = Cut(rest, ',');
            const std::string_view key = Cut(value, '=');
            const std::string keys = " " + std::string(row->keys) + " ";
            if (keys.find(" " + std::string(key) + " ") == std::string::npos)
            {
                Refuse(
                    text,
                    "no key '" + std::string(key) + "' for " + std::string(kind) +
                        (row->keys.empty() ? ", which has none" : ": " + std::string(row->keys)));
            }
            if (seen.find(" " + std::string(key) + " ") != std::string::npos)
            {
                Refuse(text, "key '" + std::string(key) + "' is given twice");
            }
            seen += std::string(key) + " ";
            SetKey(spec, key, value);
        }
    }
    catch (const FaultError&)
    {
        throw;
    }
    catch (const std::invalid_argument& error)
    {
        Refuse(text, error.what());
    }
    CheckComplete(spec);
    CheckTimes(spec);
    if (spec.kind == FaultKind::BLACK_HOLE)
    {
        CheckRoute(plan, spec);
    }
    return spec;
}

std::string
FaultHelp()
{
    return "A fault is written KIND TARGET@START[+DURATION][,key=value...]; without a duration it\n"
           "lasts for ever. Links are named p2/t0-3-t1-7 or nic-41/p2, switches p2/t1-7.\n"
           "\n"
           "  link-down p0/t0-3-t1-2@100us+1ms             a link carries nothing\n"
           "  nic-port-down nic-41/p2@100us                the same, said of a NIC's port\n"
           "  link-flap p0/t0-3-t1-2@100us+50us,period=200us,count=4\n"
           "                                               down for 50 us every 200 us, 4 times\n"
           "  loss p0/t0-3-t1-2@0us,rate=0.01,corrupt=0.001\n"
           "                                               loses 1 %, damages 0.1 % of its frames\n"
           "  slow p0/t0-3-t1-2@100us,rate=25Gbps          has another rate\n"
           "  switch-down p0/t1-2@100us+1ms                all links of a switch, as in a reboot\n"
           "  black-hole p0/t0-3@100us,usid=0x2002         a switch has no route for a uSID\n";
}

} // namespace mrc
