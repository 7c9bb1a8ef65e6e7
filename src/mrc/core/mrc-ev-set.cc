// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ev-set.h"

#include <algorithm>
#include <cstdio>

namespace mrc
{

namespace
{

/// @param bits of an SRV6 EV @param first where an address begins @return the address
UsidCarrier
CarrierAt(const EvBits& bits, uint32_t first)
{
    return {uint64_t{bits.Get(first, 32)} << 32 | bits.Get(first + 32, 32),
            uint64_t{bits.Get(first + 64, 32)} << 32 | bits.Get(first + 96, 32)};
}

/// @param ev 32 bits @return them as "0xc0010003"
std::string
Hex(uint32_t ev)
{
    char text[11];
    std::snprintf(text, sizeof text, "0x%08x", ev);
    return text;
}

/// @param plan the fabric @param ev an EV that it does not have @return what exists
std::string
WhyInvalid(const PathPlan& plan, uint32_t ev)
{
    const ClosPlan& clos = plan.Usids().Clos();
    std::string text = Hex(ev) + " names no path: its upper half is 0xc000 + plane, planes 0 to " +
                       std::to_string(clos.Planes() - 1) + ", ";
    const std::string uplinks = "T0 uplinks 0 to " + std::to_string(clos.T0Uplinks() - 1);
    if (clos.Tiers() == 3)
    {
        return text + "then 8 bits of T1 uplink, 0 to " + std::to_string(clos.T1Uplinks() - 1) +
               ", and " + uplinks;
    }
    return text + "its lower half the " + uplinks;
}

} // namespace

std::string
EvSet::Build(const EvProfileConfig& config, const PathPlan& plan, bool isSrv6, uint32_t source)
{
    const EvFormat format = config.format.format;
    m_planes = plan.Usids().Clos().Planes();
    if (format != EvFormat::STEV && isSrv6 != (format == EvFormat::SRV6))
    {
        return std::string(EvFormatName(format)) +
               (isSrv6 ? " EVs are for NICs that do not source-route"
                       : " EVs are for NICs that source-route");
    }
    if (format == EvFormat::SRV6)
    {
        m_paths = std::make_unique<ExplicitPaths>();
        m_shared.assign(size_t{m_planes} << 16, 0);
    }
    const uint64_t count = config.Count();
    m_evs.reserve(count);
    for (uint64_t number = 0; number < count; ++number)
    {
        EvBits expanded;
        std::string problem = config.Expand(config.Compact(number), expanded);
        if (problem.empty() && format == EvFormat::SRV6)
        {
            problem = AddPath(expanded, plan, source);
        }
        else if (problem.empty())
        {
            const uint32_t value = expanded.Get(0, 32);
            const bool isNamed = format == EvFormat::STEV && isSrv6;
            if (isNamed && !plan.IsValid(value))
            {
                problem = WhyInvalid(plan, value);
            }
            const uint32_t plane =
                isNamed ? EvLayout::Plane(value) : static_cast<uint32_t>(number % m_planes);
            m_evs.push_back({value, ANY_NIC, static_cast<uint8_t>(plane)});
        }
        if (!problem.empty())
        {
            return "EV " + std::to_string(number) + ": " + problem;
        }
    }
    std::vector<uint32_t> values;
    values.reserve(count);
    for (const Ev& ev : m_evs)
    {
        values.push_back(ev.value);
    }
    std::sort(values.begin(), values.end());
    const auto twice = std::adjacent_find(values.begin(), values.end());
    if (twice != values.end())
    {
        return "EV " + Hex(*twice) + " occurs twice";
    }
    if (m_paths)
    {
        m_paths->Sort();
        m_shared = {};
    }
    return "";
}

//= MRC-REF 3 Expansion of a compact EV, SRV6
std::string
EvSet::AddPath(const EvBits& expanded, const PathPlan& plan, uint32_t source)
{
    const UsidPlan& usids = plan.Usids();
    SourceRoute route{CarrierAt(expanded, 0)};
    if (expanded.HasOnesFrom(128))
    {
        route.push_back(CarrierAt(expanded, 128));
    }
    const uint32_t plane = uint32_t{route[0].ActiveUsid()} >> usids.PlaneShift();
    if (plane >= m_planes)
    {
        return route[0].Print() + " begins with a uSID of plane " + std::to_string(plane) +
               ": planes 0 to " + std::to_string(m_planes - 1);
    }
    const RouteTrace trace = TraceRoute(usids, plane, source, route);
    if (!trace.problem.empty())
    {
        return route[0].PrintPath() + ": " + trace.problem;
    }
    const EvLayout layout = plan.Layout();
    const uint32_t plain = layout.Make(plane, trace.u0, trace.u1);
    uint16_t& shared = m_shared[size_t{plane} << 16 | (plain & 0xffff)];
    if (shared == EvLayout::VARIANTS)
    {
        return "more than " + std::to_string(EvLayout::VARIANTS) + " paths begin with uplink " +
               std::to_string(trace.u0) + " of plane " + std::to_string(plane);
    }
    const uint32_t value = EvLayout::Variant(plain, shared++);
    m_evs.push_back({value, trace.destination, static_cast<uint8_t>(plane)});
    m_paths->Add(value, route);
    return "";
}

std::vector<std::vector<uint32_t>>
EvSet::EvsPerPlane(uint32_t peer) const
{
    std::vector<std::vector<uint32_t>> evs(m_planes);
    for (const Ev& ev : m_evs)
    {
        if (ev.destination == ANY_NIC || ev.destination == peer)
        {
            evs[ev.plane].push_back(ev.value);
        }
    }
    return evs;
}

} // namespace mrc
