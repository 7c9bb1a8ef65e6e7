// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ev-controller.h"

#include "mrc-clock.h"
#include "mrc-qp-paths.h"

#include <ns3/abort.h>
#include <ns3/log.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MrcEvController");
NS_OBJECT_ENSURE_REGISTERED(MrcEvController);

namespace
{
/// @param evs an EV profile's EVs per plane @param random for the order
void
Shuffle(std::vector<std::vector<uint32_t>>& evs, mrc::Random& random)
{
    for (std::vector<uint32_t>& plane : evs)
    {
        for (size_t left = plane.size(); left > 1; --left)
        {
            std::swap(plane[left - 1], plane[random.Below(static_cast<uint32_t>(left))]);
        }
    }
}
} // namespace

TypeId
MrcEvController::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MrcEvController")
            .SetParent<Object>()
            .SetGroupName("Mrc")
            .AddConstructor<MrcEvController>()
            .AddAttribute("EventMask",
                          "EV states whose entry is reported for QPs without a profile of their "
                          "own: bit 0 GOOD, 2 ASSUMED_BAD, 3 DENIED.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&MrcEvController::m_eventMask),
                          MakeUintegerChecker<uint32_t>())
            .AddTraceSource("Event",
                            "An EV entered a state that ev_event_mask asks for.",
                            MakeTraceSourceAccessor(&MrcEvController::m_eventTrace),
                            "ns3::MrcEvController::EventTracedCallback");
    return tid;
}

MrcEvController::MrcEvController()
{
    NS_LOG_FUNCTION(this);
}

MrcEvController::~MrcEvController()
{
    NS_LOG_FUNCTION(this);
}

void
MrcEvController::DoDispose()
{
    NS_LOG_FUNCTION(this);
    if (m_nic != nullptr)
    {
        m_nic->SetEvPolicy(nullptr);
        m_nic = nullptr;
    }
    Object::DoDispose();
}

void
MrcEvController::Attach(MrcNic& nic)
{
    NS_LOG_FUNCTION(this << nic.Index());
    NS_ABORT_MSG_IF(m_nic != nullptr, "a controller has one NIC");
    m_nic = &nic;
    m_profiles = std::make_unique<mrc::EvProfileStore>(
        nic.Fabric().Plan(), nic.Profile().IsSrv6(), nic.Index());
    m_profiles->SetAutoEventMask(m_eventMask);
    nic.SetEvPolicy(this);
}

std::string
MrcEvController::AddOnline(const mrc::EvProfileConfig& config, uint32_t& id)
{
    using mrc::ProfileState;
    const uint32_t format = m_profiles->AddFormat(config.format);
    const uint32_t profile = m_profiles->Add(format, config);
    std::string problem;
    for (const ProfileState state : {ProfileState::OFFLINE, ProfileState::ONLINE})
    {
        problem = problem.empty() ? m_profiles->ChangeFormat(format, state) : problem;
        problem = problem.empty() ? m_profiles->Change(profile, state) : problem;
    }
    id = problem.empty() ? profile : id;
    return problem;
}

std::string
MrcEvController::Assign(uint32_t qp, uint32_t profile)
{
    NS_LOG_FUNCTION(this << qp << profile);
    if (!m_nic->HasQp(qp))
    {
        return "nic-" + std::to_string(m_nic->Index()) + " has no QP " + std::to_string(qp);
    }
    if (m_nic->Qp(qp).requester.Paths() != nullptr)
    {
        return "QP " + std::to_string(qp) +
               " has sent: its profile is fixed, deny and allow EVs of it instead";
    }
    const std::string problem = m_profiles->Use(profile, m_nic->Qp(qp).Peer());
    if (problem.empty())
    {
        const auto given = m_assigned.find(qp);
        if (given != m_assigned.end())
        {
            m_profiles->Leave(given->second.profile);
        }
        m_assigned[qp] = {profile, nullptr};
    }
    return problem;
}

uint32_t
MrcEvController::ProfileOf(uint32_t qp) const
{
    const auto given = m_assigned.find(qp);
    return given == m_assigned.end() ? mrc::EvProfileStore::AUTO_PROFILE : given->second.profile;
}

uint32_t
MrcEvController::CountAllowed(uint32_t profile, const mrc::EvDenials& denials) const
{
    uint32_t count = 0;
    for (const mrc::EvSet::Ev& ev : m_profiles->Evs(profile)->Evs())
    {
        count += !denials.IsDenied(profile, ev.value, ev.plane, ev.destination);
    }
    return count;
}

std::string
MrcEvController::CheckEv(const mrc::EvOrder& order, const mrc::EvDenials& denials) const
{
    if (m_profiles->State(order.profile) != mrc::ProfileState::ONLINE)
    {
        return "EV profile " + std::to_string(order.profile) + " is not ONLINE";
    }
    const mrc::EvSet* evs = m_profiles->Evs(order.profile);
    if (evs == nullptr)
    {
        return "";
    }
    const bool isKnown =
        std::any_of(evs->Evs().begin(), evs->Evs().end(), [&order](const mrc::EvSet::Ev& ev) {
            return ev.value == order.ev;
        });
    if (!isKnown)
    {
        return "EV profile " + std::to_string(order.profile) + " has no such EV";
    }
    //= MRC-REF 5 ev_min_active
    const mrc::EvProfileConfig& config = m_profiles->Config(order.profile);
    const auto listed = static_cast<uint32_t>(evs->Evs().size());
    const uint32_t used = std::min(config.evCount, listed);
    const uint32_t least =
        std::min(config.evMinActive > 0 ? config.evMinActive : std::max(1u, used / 4), listed);
    const uint32_t left = CountAllowed(order.profile, denials);
    if (order.isDenied && left < least)
    {
        return "EV profile " + std::to_string(order.profile) + " would keep " +
               std::to_string(left) + " EVs, its ev_min_active is " + std::to_string(least);
    }
    return "";
}

std::string
MrcEvController::Check(const mrc::EvOrder& order, const mrc::EvDenials& denials) const
{
    if (order.scope == mrc::EvOrder::Scope::EV)
    {
        const std::string problem = CheckEv(order, denials);
        if (!problem.empty())
        {
            return problem;
        }
    }
    else if (order.plane >= m_nic->PortCount())
    {
        return "there is no plane " + std::to_string(order.plane) + ": 0 to " +
               std::to_string(m_nic->PortCount() - 1);
    }
    if (!order.isDenied)
    {
        return "";
    }
    const uint32_t all = (uint64_t{1} << m_nic->PortCount()) - 1;
    if (denials.Planes(order.peer) == all)
    {
        return "plane " + std::to_string(order.plane) + " is the last one that is allowed";
    }
    for (uint32_t i = 0; i < m_nic->QpCount(); ++i)
    {
        const MrcQp& qp = m_nic->Qp(MrcNic::FIRST_QP + i);
        const mrc::PathSelector* paths = qp.requester.Paths();
        const uint32_t profile = ProfileOf(qp.Number());
        bool isAllowed = paths == nullptr;
        for (uint32_t ev = 0; !isAllowed && ev < paths->Size(); ++ev)
        {
            const auto index = static_cast<mrc::EvIndex>(ev);
            isAllowed =
                !denials.IsDenied(profile, paths->Value(index), paths->Plane(index), qp.Peer());
        }
        if (!isAllowed)
        {
            return "QP " + std::to_string(qp.Number()) + " would have no EV left";
        }
    }
    return "";
}

std::string
MrcEvController::Apply(const mrc::EvOrder& order)
{
    return Apply(std::vector<mrc::EvOrder>{order}).front();
}

std::vector<std::string>
MrcEvController::Apply(const std::vector<mrc::EvOrder>& orders)
{
    NS_LOG_FUNCTION(this << orders.size());
    std::vector<std::string> answers;
    for (const mrc::EvOrder& order : orders)
    {
        mrc::EvDenials after = m_denials;
        if (order.scope == mrc::EvOrder::Scope::EV || order.plane < m_nic->PortCount())
        {
            after.Apply(order);
        }
        answers.push_back(Check(order, after));
        if (answers.back().empty())
        {
            m_denials = std::move(after);
        }
    }
    const int64_t nowPs = MrcNowPs();
    for (uint32_t i = 0; i < m_nic->QpCount(); ++i)
    {
        MrcQp& qp = m_nic->Qp(MrcNic::FIRST_QP + i);
        if (qp.requester.Paths() != nullptr)
        {
            Sync(qp, *qp.requester.Paths(), nowPs);
            m_nic->Resume(qp);
        }
    }
    return answers;
}

void
MrcEvController::Sync(const MrcQp& qp, mrc::PathSelector& paths, int64_t nowPs) const
{
    const uint32_t profile = ProfileOf(qp.Number());
    for (uint32_t i = 0; i < paths.Size(); ++i)
    {
        const auto index = static_cast<mrc::EvIndex>(i);
        const bool isDenied =
            m_denials.IsDenied(profile, paths.Value(index), paths.Plane(index), qp.Peer());
        if (isDenied == paths.IsDenied(index))
        {
            continue;
        }
        if (isDenied)
        {
            paths.Deny(index, nowPs);
        }
        else
        {
            paths.Allow(index, nowPs);
        }
    }
}

mrc::EvTableConfig
MrcEvController::TableConfig(const mrc::EvProfileConfig& config,
                             const std::vector<std::vector<uint32_t>>& evs) const
{
    mrc::EvTableConfig table = m_nic->Profile().EvTable();
    uint32_t planes = 0;
    size_t largest = 0;
    for (const std::vector<uint32_t>& plane : evs)
    {
        planes += !plane.empty();
        largest = std::max(largest, plane.size());
    }
    if (planes == 0) // AUTO: to be drawn
    {
        planes = static_cast<uint32_t>(evs.size());
        largest = m_nic->Fabric().Plan().Usids().Clos().T0Uplinks() * size_t{UINT8_MAX};
    }
    const uint32_t perPlane = (config.evCount + planes - 1) / planes;
    largest = std::min<size_t>(largest, INT16_MAX);
    table.activePerPlane = static_cast<uint16_t>(std::min<size_t>(perPlane, largest));
    if (config.mode == mrc::EvMode::EXPLICIT)
    {
        table.backupPerPlane = static_cast<uint16_t>(largest); // all that is listed
    }
    table.evMinActive = static_cast<uint16_t>(std::min<uint32_t>(config.evMinActive, INT16_MAX));
    return table;
}

std::unique_ptr<mrc::PathSelector>
MrcEvController::CreateSelector(MrcQp& qp, uint64_t seed, mrc::EvCounters* counters)
{
    mrc::Random random(seed);
    const MrcProfile& parameters = m_nic->Profile();
    const uint32_t id = ProfileOf(qp.Number());
    const mrc::EvSet* set = m_profiles->Evs(id);
    const mrc::EvProfileConfig& config = m_profiles->Config(id);
    std::vector<std::vector<uint32_t>> evs(m_nic->PortCount());
    if (set != nullptr)
    {
        evs = set->EvsPerPlane(qp.Peer());
        if (config.mode == mrc::EvMode::GENERATED)
        {
            Shuffle(evs, random);
        }
        qp.SetExplicitPaths(set->Paths());
    }
    const mrc::EvTableConfig* tableConfig = &parameters.EvTable();
    if (id != mrc::EvProfileStore::AUTO_PROFILE)
    {
        Assignment& assignment = m_assigned.at(qp.Number());
        assignment.tableConfig = std::make_unique<mrc::EvTableConfig>(TableConfig(config, evs));
        tableConfig = assignment.tableConfig.get();
    }
    if (set == nullptr)
    {
        const auto isDenied = [&](uint32_t ev, uint8_t plane) {
            return m_denials.IsDenied(id, ev, plane, qp.Peer());
        };
        evs = MrcDrawEvs(parameters,
                         *tableConfig,
                         m_nic->Fabric().Plan(),
                         m_nic->Index(),
                         qp.Peer(),
                         random,
                         isDenied);
    }
    auto paths = MrcMakeSelector(parameters, *tableConfig, evs, random.Next(), &qp, counters);
    Sync(qp, *paths, MrcNowPs());
    return paths;
}

void
MrcEvController::OnTransition(const MrcQp& qp, uint32_t ev, const mrc::EvTransition& transition)
{
    const uint32_t profile = ProfileOf(qp.Number());
    const uint32_t mask = m_profiles->Config(profile).evEventMask;
    const bool isBackFromTurn = transition.from == mrc::EvState::SKIP && // no state of the API
                                transition.to == mrc::EvState::GOOD;
    if ((mask & mrc::EvEventBit(transition.to)) != 0 && !isBackFromTurn)
    {
        m_eventTrace({transition.nowPs, m_nic->Index(), qp.Number(), profile, ev, transition.to});
    }
}

} // namespace ns3
