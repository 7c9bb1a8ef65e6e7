// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-source-route.h"

#include "mrc-ipv6.h"

#include <charconv>
#include <cstdio>

namespace mrc
{

namespace
{

/// @param usids the fabric @param plane of a node @param at the node @return its name
std::string
NodeName(uint32_t plane, const Attachment& at)
{
    return at.kind == NodeKind::NIC ? NicName(at.index) : SwitchName(plane, at.kind, at.index);
}

/// @param usids the fabric @param plane of a switch @param at the switch @param usid a uSID
/// @return the port that its table has for the uSID, or its number of ports
uint16_t
RouteOf(const UsidPlan& usids, uint32_t plane, const Attachment& at, uint16_t usid)
{
    for (const UsidRoute& route : usids.Routes(plane, at.kind, at.index))
    {
        if (route.Contains(usid))
        {
            return route.Port(usid);
        }
    }
    return static_cast<uint16_t>(usids.Clos().Ports(at.kind));
}

/// @param usids the fabric @param plane of the node @param name such as "t1-2#1" or "nic-25"
/// @return its uSID
uint16_t
UsidOf(const UsidPlan& usids, uint32_t plane, std::string_view name)
{
    const ClosPlan& clos = usids.Clos();
    if (name.rfind("nic-", 0) == 0)
    {
        return usids.NicUsid(plane, ParseNicName(clos, name));
    }
    const size_t hash = name.find('#');
    uint32_t link = 0;
    if (hash != std::string_view::npos)
    {
        const char* const end = name.data() + name.size();
        const auto [stop, error] = std::from_chars(name.data() + hash + 1, end, link);
        if (error != std::errc() || stop != end || link >= clos.ParallelLinks())
        {
            throw ClosNameError("'" + std::string(name) + "' names no parallel link: #0 to #" +
                                std::to_string(clos.ParallelLinks() - 1));
        }
    }
    const ClosSwitch node = ParseSwitchName(
        clos, "p" + std::to_string(plane) + "/" + std::string(name.substr(0, hash)));
    switch (node.kind)
    {
    case NodeKind::T0:
        return usids.T0Usid(plane, node.index, link);
    case NodeKind::T1:
        return usids.T1Usid(plane, node.index, link);
    default:
        return usids.T2Usid(plane, node.index);
    }
}

} // namespace

SourceRoute
PackUsids(uint32_t block, const std::vector<uint16_t>& usids)
{
    SourceRoute route;
    for (size_t at = 0; at < usids.size(); at += UsidCarrier::MAX_USIDS)
    {
        route.push_back(UsidCarrier::Build(block, usids.data() + at, usids.size() - at));
    }
    return route;
}

RouteTrace
TraceRoute(const UsidPlan& usids, uint32_t plane, uint32_t source, const SourceRoute& route)
{
    constexpr size_t MAX_SWITCHES = 63; // the hop limit of what NICs send
    RouteTrace trace;
    const ClosPlan& clos = usids.Clos();
    const auto fail = [&](const Attachment& at, const std::string& why) {
        trace.problem = NodeName(plane, at) + " " + why;
        return trace;
    };
    bool hasU0 = false;
    bool hasU1 = false;
    size_t segment = 0;
    UsidCarrier carrier = route.empty() ? UsidCarrier{0, 0} : route[0];
    Attachment at = clos.Peer(plane, {NodeKind::NIC, source, static_cast<uint16_t>(plane)});
    while (at.kind != NodeKind::NIC)
    {
        const bool isOwn = carrier.Block() == usids.Block() &&
                           usids.Own(plane, at.kind, at.index).Contains(carrier.ActiveUsid());
        if (isOwn)
        {
            carrier.Shift();
            if (carrier.IsUsedUp() && segment + 1 < route.size())
            {
                carrier = route[++segment];
            }
        }
        if (carrier.IsUsedUp())
        {
            return fail(at, "is where the path ends, not a NIC");
        }
        if (carrier.Block() != usids.Block())
        {
            return fail(at, "has no route to " + carrier.Print() + ": another block");
        }
        const uint16_t port = RouteOf(usids, plane, at, carrier.ActiveUsid());
        if (port >= clos.Ports(at.kind))
        {
            char usid[5];
            std::snprintf(usid, sizeof usid, "%04x", carrier.ActiveUsid());
            return fail(at, std::string("has no route to uSID ") + usid);
        }
        if (trace.egress.size() == MAX_SWITCHES)
        {
            return fail(at, "is where the hop limit ends the path");
        }
        at.port = port;
        trace.egress.push_back(at);
        if (at.kind == NodeKind::T0 && port >= clos.NicsPerT0() && !hasU0)
        {
            hasU0 = true;
            trace.u0 = port - clos.NicsPerT0();
        }
        if (at.kind == NodeKind::T1 && port >= clos.T1Downlinks() && !hasU1)
        {
            hasU1 = true;
            trace.u1 = port - clos.T1Downlinks();
        }
        at = clos.Peer(plane, at);
    }
    trace.destination = at.index;
    const bool isEnd = segment + 1 == route.size() && carrier.IsEndOfList();
    return isEnd ? trace : fail(at, "is in the middle of the path: a NIC forwards nothing");
}

std::vector<uint16_t>
ParseRoute(const UsidPlan& usids, std::string_view text, uint32_t& plane)
{
    const size_t slash = text.find('/');
    const char* const begin = text.data() + 1;
    const char* const end = text.data() + (slash == std::string_view::npos ? 0 : slash);
    uint32_t number = 0;
    const bool isPlane = slash != std::string_view::npos && slash > 1 && text[0] == 'p' &&
                         std::from_chars(begin, end, number).ptr == end;
    if (!isPlane || number >= usids.Clos().Planes())
    {
        throw ClosNameError("'" + std::string(text) +
                            "' should look like p0/t0-0,t1-2,t0-3,nic-25: a plane, 0 to " +
                            std::to_string(usids.Clos().Planes() - 1) + ", and the nodes");
    }
    plane = number;
    std::vector<uint16_t> path;
    for (size_t at = slash + 1; at <= text.size();)
    {
        const size_t comma = std::min(text.find(',', at), text.size());
        path.push_back(UsidOf(usids, plane, text.substr(at, comma - at)));
        at = comma + 1;
    }
    return path;
}

} // namespace mrc
