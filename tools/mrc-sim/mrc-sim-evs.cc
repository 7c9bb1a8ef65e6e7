// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-sim-evs.h"

#include "mrc-clos-names.h"
#include "mrc-sim-bad-input.h"
#include "mrc-sim-quantity.h"

#include <ns3/callback.h>
#include <ns3/simulator.h>

#include <charconv>
#include <numeric>
#include <sstream>

namespace mrc::sim
{

namespace
{

constexpr char PROFILE[] = "ev-profile";
constexpr char DENY[] = "deny";

/// @param text to cut @param separator where @return the parts, empty ones included
std::vector<std::string>
Split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);)
    {
        parts.push_back(part);
    }
    return parts;
}

/// @param text a whole number, hexadecimal behind "0x" @param option for messages @return it
uint32_t
ParseNumber(const char* option, const std::string& text)
{
    const bool isHex = text.rfind("0x", 0) == 0;
    const char* const begin = text.data() + (isHex ? 2 : 0);
    const char* const end = text.data() + text.size();
    uint32_t value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value, isHex ? 16 : 10);
    if (error != std::errc() || stop != end)
    {
        throw BadInput(option,
                       "'" + text + "' is not a number of 32 bits such as 12 or 0xc0010003");
    }
    return value;
}

/// @param text "16:0xc000:0x1f:0-3" @return the field
mrc::EvField
ParseField(const std::string& text)
{
    const std::vector<std::string> parts = Split(text, ':');
    const std::vector<std::string> range = parts.size() == 4 ? Split(parts[3], '-') : parts;
    if (parts.size() != 4 || range.size() != 2)
    {
        throw BadInput(PROFILE,
                       "field '" + text +
                           "' should look like 16:0xc000:0x1f:0-3: width, initial "
                           "value, mask, smallest and largest value under the mask");
    }
    return {static_cast<uint8_t>(std::min(ParseNumber(PROFILE, parts[0]), 255u)),
            ParseNumber(PROFILE, parts[1]),
            ParseNumber(PROFILE, range[0]),
            ParseNumber(PROFILE, range[1]),
            ParseNumber(PROFILE, parts[2])};
}

/// A profile as it was written.
struct ProfileSpec
{
    mrc::EvProfileConfig config;     ///< what it says, but for routes
    std::vector<std::string> routes; ///< paths by names
    std::string nic;                 ///< whose QPs; empty: all
    std::string peer;                ///< to whom; empty: all
    bool hasCount{};                 ///< whether the number of EVs was given
};

/// @param spec as written @return what it says
ProfileSpec
ParseProfile(const std::string& spec)
{
    ProfileSpec profile;
    mrc::EvProfileConfig& config = profile.config;
    config.format = {mrc::EvFormat::STEV, {16, 16}};
    for (const std::string& word : Split(spec, ' '))
    {
        if (word.empty())
        {
            continue;
        }
        const size_t equals = word.find('=');
        const std::string key = word.substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
        if (value.empty())
        {
            throw BadInput(PROFILE, "'" + word + "' should look like key=value");
        }
        if (key == "nic" || key == "peer")
        {
            (key == "nic" ? profile.nic : profile.peer) = value;
        }
        else if (key == "evs")
        {
            for (const std::string& ev : Split(value, ','))
            {
                config.evs.push_back(mrc::EvBits::Of(ParseNumber(PROFILE, ev), 32));
            }
        }
        else if (key == "route")
        {
            profile.routes.push_back(value);
        }
        else if (key == "field")
        {
            config.fields.push_back(ParseField(value));
        }
        else if (key == "format" && (value == "stev" || value == "udp"))
        {
            config.format = value == "stev" ? mrc::EvFormatProfile{mrc::EvFormat::STEV, {16, 16}}
                                            : mrc::EvFormatProfile{mrc::EvFormat::UDP, {16}};
        }
        else if (key == "count")
        {
            config.evCount = ParseCount(PROFILE, value, 1);
            profile.hasCount = true;
        }
        else if (key == "min-active")
        {
            config.evMinActive = ParseCount(PROFILE, value, 1);
        }
        else
        {
            throw BadInput(PROFILE,
                           "'" + word +
                               "' is none of nic=, peer=, evs=, route=, field=, "
                               "format=stev, format=udp, count=, min-active=");
        }
    }
    if (!config.evs.empty() + !profile.routes.empty() + !config.fields.empty() != 1)
    {
        throw BadInput(PROFILE, "'" + spec + "' needs one of evs=, route= and field=");
    }
    config.mode = config.fields.empty() ? mrc::EvMode::EXPLICIT : mrc::EvMode::GENERATED;
    if (!config.evs.empty() && !profile.hasCount)
    {
        config.evCount = static_cast<uint32_t>(config.evs.size());
    }
    return profile;
}

} // namespace

Controllers::Controllers(const Options& options, ns3::Ptr<ns3::MrcClosNetwork> network)
    : m_network(network)
{
    if (options.evProfiles.empty() && options.denials.empty() && !options.hasProber)
    {
        return; // NICs without controllers
    }
    m_controllers.Install(network);
    for (const std::string& spec : options.evProfiles)
    {
        UseProfile(spec);
    }
    for (const std::string& spec : options.denials)
    {
        m_orders.push_back(ParseOrder(spec));
    }
    if (options.hasProber)
    {
        if (!network->Profile().IsSrv6())
        {
            throw BadInput("prober", "loops need source routing: leave out --encap none");
        }
        m_prober = ns3::CreateObject<ns3::MrcFabricProber>();
        m_prober->TraceConnectWithoutContext("Verdict",
                                             ns3::MakeCallback(&Controllers::OnVerdict, this));
    }
}

Controllers::~Controllers()
{
    if (m_prober)
    {
        m_prober->Dispose();
    }
}

void
Controllers::UseProfile(const std::string& spec)
{
    ProfileSpec profile = ParseProfile(spec);
    const mrc::ClosPlan& clos = m_network->Clos();
    const uint32_t given = profile.config.evCount;
    uint32_t users = 0;
    std::string problem;
    try
    {
        if (!profile.routes.empty())
        {
            problem =
                ns3::MrcRouteProfile(m_network->Plan().Usids(), profile.routes, profile.config);
            profile.config.evCount = profile.hasCount ? given : profile.config.evCount;
        }
        const bool isForAll = profile.nic.empty();
        const uint32_t first = isForAll ? 0 : mrc::ParseNicName(clos, profile.nic);
        const uint32_t last = isForAll ? m_network->NicCount() - 1 : first;
        const bool hasPeer = !profile.peer.empty();
        const uint32_t peer = hasPeer ? mrc::ParseNicName(clos, profile.peer) : 0;
        for (uint32_t nic = first; nic <= last && problem.empty(); ++nic)
        {
            uint32_t id = 0;
            problem = m_controllers.Get(nic).AddOnline(profile.config, id);
            for (uint32_t i = 0; i < m_network->Nic(nic).QpCount() && problem.empty(); ++i)
            {
                const uint32_t qp = ns3::MrcNic::FIRST_QP + i;
                if (!hasPeer || m_network->Nic(nic).Qp(qp).Peer() == peer)
                {
                    problem = m_controllers.Get(nic).Assign(qp, id);
                    ++users;
                }
            }
        }
    }
    catch (const mrc::ClosNameError& error)
    {
        problem = error.what();
    }
    if (problem.empty() && users == 0)
    {
        problem = "no QP of this workload is meant";
    }
    if (!problem.empty())
    {
        throw BadInput(PROFILE, "'" + spec + "': " + problem);
    }
}

Controllers::Timed
Controllers::ParseOrder(const std::string& spec) const
{
    Timed timed{spec, {}, {}, 0, 0};
    const size_t at = spec.find('@');
    if (at == std::string::npos)
    {
        throw BadInput(DENY,
                       "'" + spec +
                           "' should look like p1@5ms+10ms, nic-3/p1@5ms or "
                           "nic-3:0xc0010003@5ms");
    }
    const std::string target = spec.substr(0, at);
    const std::string times = spec.substr(at + 1);
    const size_t plus = times.find('+');
    timed.startPs = ParseTime(DENY, times.substr(0, plus));
    timed.durationPs = plus == std::string::npos ? 0 : ParseTime(DENY, times.substr(plus + 1));
    const size_t end = target.find_first_of("/:");
    const bool hasNic = target.rfind("nic-", 0) == 0;
    const std::string what = hasNic && end != std::string::npos ? target.substr(end + 1) : target;
    if (hasNic)
    {
        try
        {
            timed.nics.push_back(mrc::ParseNicName(m_network->Clos(), target.substr(0, end)));
        }
        catch (const mrc::ClosNameError& error)
        {
            throw BadInput(DENY, error.what());
        }
    }
    else
    {
        timed.nics.resize(m_network->NicCount());
        std::iota(timed.nics.begin(), timed.nics.end(), 0u);
    }
    if (hasNic && end != std::string::npos && target[end] == ':')
    {
        timed.order = mrc::EvOrder::Ev(0, ParseNumber(DENY, what), true);
        return timed;
    }
    const bool isPlane = what.size() > 1 && what[0] == 'p';
    const uint32_t plane = isPlane ? ParseNumber(DENY, what.substr(1)) : UINT32_MAX;
    if (plane >= m_network->Clos().Planes())
    {
        throw BadInput(DENY,
                       "'" + spec + "': '" + what + "' is no plane: p0 to p" +
                           std::to_string(m_network->Clos().Planes() - 1));
    }
    timed.order = mrc::EvOrder::Plane(static_cast<uint8_t>(plane), true);
    return timed;
}

void
Controllers::Start()
{
    for (size_t index = 0; index < m_orders.size(); ++index)
    {
        const Timed& timed = m_orders[index];
        ns3::Simulator::Schedule(
            ns3::PicoSeconds(timed.startPs), &Controllers::Carry, this, index, true);
        if (timed.durationPs != 0)
        {
            ns3::Simulator::Schedule(ns3::PicoSeconds(timed.startPs + timed.durationPs),
                                     &Controllers::Carry,
                                     this,
                                     index,
                                     false);
        }
    }
    if (m_prober)
    {
        m_prober->Start(m_network);
    }
}

void
Controllers::Carry(size_t index, bool isDenied)
{
    const Timed& timed = m_orders[index];
    mrc::EvOrder order = timed.order;
    order.isDenied = isDenied;
    std::string refusal;
    for (const uint32_t nic : timed.nics)
    {
        ns3::MrcEvController& controller = m_controllers.Get(nic);
        std::vector<mrc::EvOrder> orders{order};
        if (order.scope == mrc::EvOrder::Scope::EV)
        {
            orders.clear();
            for (order.profile = 0; order.profile < controller.Profiles().Count(); ++order.profile)
            {
                orders.push_back(order); // those that do not have the EV refuse
            }
        }
        bool isDone = false;
        std::string answer;
        for (const std::string& one : controller.Apply(orders))
        {
            isDone |= one.empty();
            answer = one.empty() ? answer : one;
        }
        refusal = isDone || !refusal.empty() ? refusal : ": " + answer;
    }
    const std::string target = timed.text.substr(0, timed.text.find('@'));
    m_log.push_back(
        {ns3::Simulator::Now().GetPicoSeconds(),
         (isDenied ? "deny " : "allow ") + target + (refusal.empty() ? "" : " refused" + refusal)});
}

void
Controllers::OnVerdict(const ns3::MrcProberVerdict& verdict)
{
    const uint32_t t0 = m_network->Clos().T0Of(verdict.nic);
    const std::string plane = "p" + std::to_string(verdict.plane);
    const std::string link = verdict.isNicLink
                                 ? mrc::NicName(verdict.nic) + "/" + plane
                                 : mrc::SwitchName(verdict.plane, mrc::NodeKind::T0, t0) +
                                       " uplink " + std::to_string(verdict.uplink) + ", seen by " +
                                       mrc::NicName(verdict.nic);
    const bool isLossy = verdict.verdict == mrc::LinkVerdict::LOSSY;
    m_log.push_back(
        {verdict.timePs,
         "prober: " + link + (isLossy ? " is lossy" : " is clean again") +
             (verdict.isNicLink ? (isLossy ? ", plane denied" : ", plane allowed") : "")});
}

std::string
EvHelp()
{
    return "An EV profile is written as words key=value:\n"
           "  evs=0xc0000001,0xc0010003    list of EVs: upper half 0xc000 + plane, lower half the\n"
           "                               uplink of the T0 (3 tiers: T1 uplink 8 bits, T0 uplink\n"
           "                               8 bits)\n"
           "  route=p0/t0-0,t1-2,t0-3,nic-25\n"
           "                               a path by its nodes, up to 12; may be repeated\n"
           "  field=16:0xc000:0x1f:0-3     EVs are generated: width, initial value, mask, range "
           "of\n"
           "                               the bits under the mask; repeated for each field\n"
           "  format=stev                  of fields: 16 bits of source port and 16 of flow "
           "label;\n"
           "                               or udp, 16 bits of source port, for --encap none\n"
           "  count=64 min-active=8        EVs that take turns, and that stay in use though bad\n"
           "  nic=nic-0 peer=nic-9         QPs that get it; else all\n"
           "\n"
           "What is denied is written TARGET@START[+DURATION]:\n"
           "  p1@5ms+10ms                  a plane, at all NICs\n"
           "  nic-3/p1@5ms                 a plane, at one NIC\n"
           "  nic-3:0xc0010003@5ms         an EV, at one NIC\n";
}

} // namespace mrc::sim
