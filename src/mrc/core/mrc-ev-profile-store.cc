// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ev-profile-store.h"

#include <utility>

namespace mrc
{

namespace
{

/// @param what "EV profile 3" @param from its state @param to the wanted one
/// @return empty if that is a step up or down, else why not
std::string
CheckStep(const std::string& what, ProfileState from, ProfileState to)
{
    const int step = static_cast<int>(to) - static_cast<int>(from);
    if (step == 1 || step == -1)
    {
        return "";
    }
    return what + " is " + ProfileStateName(from) + ": it cannot become " + ProfileStateName(to) +
           " in one step";
}

/// @param id of a format @return "EV format 3"
std::string
FormatName(uint32_t id)
{
    return "EV format " + std::to_string(id);
}

/// @param id of a profile @return "EV profile 3"
std::string
ProfileName(uint32_t id)
{
    return "EV profile " + std::to_string(id);
}

} // namespace

const char*
ProfileStateName(ProfileState state)
{
    return state == ProfileState::INIT      ? "INIT"
           : state == ProfileState::OFFLINE ? "OFFLINE"
                                            : "ONLINE";
}

EvProfileStore::EvProfileStore(const PathPlan& plan, bool isSrv6, uint32_t nic)
    : m_plan(plan),
      m_nic(nic),
      m_isSrv6(isSrv6)
{
    m_profiles.push_back({EvProfileConfig(), nullptr, 0, 0, ProfileState::ONLINE});
}

uint32_t
EvProfileStore::AddFormat(EvFormatProfile format)
{
    m_formats.push_back({std::move(format), ProfileState::INIT});
    return static_cast<uint32_t>(m_formats.size() - 1);
}

std::string
EvProfileStore::SetFormat(uint32_t id, EvFormatProfile format)
{
    if (id >= m_formats.size() || m_formats[id].state != ProfileState::INIT)
    {
        return FormatName(id) + " is " + (id < m_formats.size() ? "not in INIT" : "unknown");
    }
    m_formats[id].format = std::move(format);
    return "";
}

std::string
EvProfileStore::ChangeFormat(uint32_t id, ProfileState to)
{
    if (id >= m_formats.size())
    {
        return FormatName(id) + " is unknown";
    }
    Format& format = m_formats[id];
    std::string problem = CheckStep(FormatName(id), format.state, to);
    if (problem.empty() && format.state == ProfileState::INIT)
    {
        problem = format.format.Validate();
    }
    for (uint32_t user = 0; user < Count() && problem.empty(); ++user)
    {
        const Profile& profile = m_profiles[user];
        if (format.state == ProfileState::ONLINE && profile.state == ProfileState::ONLINE &&
            profile.format == id && profile.config.mode != EvMode::AUTO)
        {
            problem = FormatName(id) + " stays ONLINE: " + ProfileName(user) + " is";
        }
    }
    if (problem.empty())
    {
        format.state = to;
    }
    return problem;
}

ProfileState
EvProfileStore::FormatState(uint32_t id) const
{
    return id < m_formats.size() ? m_formats[id].state : ProfileState::INIT;
}

uint32_t
EvProfileStore::Add(uint32_t format, EvProfileConfig config)
{
    m_profiles.push_back({std::move(config), nullptr, format, 0, ProfileState::INIT});
    return Count() - 1;
}

std::string
EvProfileStore::Set(uint32_t id, EvProfileConfig config)
{
    if (!Has(id) || m_profiles[id].state != ProfileState::INIT)
    {
        return ProfileName(id) + " is " + (Has(id) ? "not in INIT" : "unknown");
    }
    m_profiles[id].config = std::move(config);
    return "";
}

std::string
EvProfileStore::Change(uint32_t id, ProfileState to)
{
    if (!Has(id))
    {
        return ProfileName(id) + " is unknown";
    }
    if (id == AUTO_PROFILE)
    {
        return ProfileName(id) + " is always ONLINE";
    }
    Profile& profile = m_profiles[id];
    std::string problem = CheckStep(ProfileName(id), profile.state, to);
    if (!problem.empty())
    {
        return problem;
    }
    if (profile.users > 0)
    {
        return ProfileName(id) + " stays ONLINE: " + std::to_string(profile.users) + " QPs use it";
    }
    if (profile.state == ProfileState::INIT)
    {
        const bool hasFormat = profile.config.mode != EvMode::AUTO;
        if (hasFormat && profile.format >= m_formats.size())
        {
            return FormatName(profile.format) + " is unknown";
        }
        profile.config.format = hasFormat ? m_formats[profile.format].format : EvFormatProfile();
        problem = profile.config.Validate();
    }
    else if (to == ProfileState::ONLINE)
    {
        problem = Expand(profile);
    }
    else if (profile.evs)
    {
        m_retired.push_back(std::move(profile.evs));
    }
    if (problem.empty())
    {
        profile.state = to;
    }
    return problem;
}

std::string
EvProfileStore::Expand(Profile& profile)
{
    if (profile.config.mode == EvMode::AUTO)
    {
        return "";
    }
    if (FormatState(profile.format) != ProfileState::ONLINE)
    {
        return FormatName(profile.format) + " is " + ProfileStateName(FormatState(profile.format)) +
               ": it has to be ONLINE first";
    }
    auto evs = std::make_shared<EvSet>();
    std::string problem = evs->Build(profile.config, m_plan, m_isSrv6, m_nic);
    if (problem.empty())
    {
        profile.evs = std::move(evs);
    }
    return problem;
}

ProfileState
EvProfileStore::State(uint32_t id) const
{
    return Has(id) ? m_profiles[id].state : ProfileState::INIT;
}

std::string
EvProfileStore::Use(uint32_t id, uint32_t peer)
{
    if (State(id) != ProfileState::ONLINE)
    {
        return ProfileName(id) + " is " + (Has(id) ? ProfileStateName(State(id)) : "unknown") +
               ": QPs need one that is ONLINE";
    }
    Profile& profile = m_profiles[id];
    if (profile.evs)
    {
        bool isReachable = false;
        for (const std::vector<uint32_t>& plane : profile.evs->EvsPerPlane(peer))
        {
            isReachable |= !plane.empty();
        }
        if (!isReachable)
        {
            return "no EV of " + ProfileName(id) + " leads to nic-" + std::to_string(peer);
        }
    }
    ++profile.users;
    return "";
}

void
EvProfileStore::Leave(uint32_t id)
{
    --m_profiles[id].users;
}

} // namespace mrc
