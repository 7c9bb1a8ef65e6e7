// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-usid-plan.h"

#include "mrc-clos-names.h"
#include "mrc-usid.h"

#include <sstream>

namespace mrc
{

namespace
{

/// @param planes how many there are, > 0
/// @return bits that number them
uint32_t
PlaneBits(uint32_t planes)
{
    uint32_t bits = 0;
    while ((1U << bits) < planes)
    {
        ++bits;
    }
    return bits;
}

/**
 * Complain if a kind of node has more uSIDs than there are.
 *
 * @param what whose they are
 * @param needed uSIDs of one plane
 * @param planes planes of the fabric
 * @param available uSIDs of one plane and kind
 * @throws ClosConfigError if needed > available
 */
void
CheckSpace(const char* what, uint64_t needed, uint32_t planes, uint64_t available)
{
    if (needed > available)
    {
        std::ostringstream out;
        out << needed << " uSIDs for " << what << " of a plane are too many: " << planes
            << " planes leave " << available << " in 16 bits; use fewer planes or fewer switches "
            << "with more ports";
        throw ClosConfigError(out.str());
    }
}

} // namespace

UsidPlan::UsidPlan(const ClosPlan& plan, uint32_t block)
    : m_plan(plan),
      m_block(block),
      m_indexBits(14 - PlaneBits(plan.Planes()))
{
    if (block >> 25 != 0xfc >> 1)
    {
        std::ostringstream out;
        out << "uSID block " << UsidCarrier::Build(block, {}).Print()
            << "/32 is not a unique local prefix: it must be inside fc00::/7";
        throw ClosConfigError(out.str());
    }
    const uint64_t available = 1U << m_indexBits;
    const uint64_t links = plan.ParallelLinks();
    CheckSpace("the T0s", plan.Count(NodeKind::T0) * links, plan.Planes(), available);
    CheckSpace("the T1s", plan.Count(NodeKind::T1) * links, plan.Planes(), available);
    CheckSpace("the T2s", plan.Count(NodeKind::T2) + uint64_t{1}, plan.Planes(), available);
    CheckSpace("the NICs of a T0", plan.NicsPerT0(), plan.Planes(), available);
}

uint16_t
UsidPlan::Compose(uint32_t plane, UsidKind kind, uint32_t index) const
{
    return static_cast<uint16_t>(plane << PlaneShift() |
                                 static_cast<uint32_t>(kind) << m_indexBits | index);
}

uint16_t
UsidPlan::T0Usid(uint32_t plane, uint32_t t0, uint32_t link) const
{
    return Compose(plane, UsidKind::T0, t0 * m_plan.ParallelLinks() + link);
}

uint16_t
UsidPlan::T1Usid(uint32_t plane, uint32_t t1, uint32_t link) const
{
    return Compose(plane, UsidKind::T1, t1 * m_plan.ParallelLinks() + link);
}

uint16_t
UsidPlan::T2Usid(uint32_t plane, uint32_t t2) const
{
    return Compose(plane, UsidKind::T2, t2 + 1);
}

uint16_t
UsidPlan::NicUsid(uint32_t plane, uint32_t nic) const
{
    return Compose(plane, UsidKind::NIC, m_plan.HostPort(nic));
}

UsidRange
UsidPlan::Own(uint32_t plane, NodeKind kind, uint32_t index) const
{
    const auto links = static_cast<uint16_t>(m_plan.ParallelLinks());
    switch (kind)
    {
    case NodeKind::NIC:
        return {NicUsid(plane, index), 1};
    case NodeKind::T0:
        return {T0Usid(plane, index), links};
    case NodeKind::T1:
        return {T1Usid(plane, index), links};
    default:
        return {T2Usid(plane, index), 1};
    }
}

std::vector<UsidRoute>
UsidPlan::Routes(uint32_t plane, NodeKind kind, uint32_t index) const
{
    //= MRC-REF 3 Static table
    const auto nics = static_cast<uint16_t>(m_plan.NicsPerT0());
    const auto uplinks = static_cast<uint16_t>(m_plan.T0Uplinks());
    const auto downlinks = static_cast<uint16_t>(m_plan.T1Downlinks());
    const auto t1Uplinks = static_cast<uint16_t>(m_plan.T1Uplinks());
    std::vector<UsidRoute> routes;
    switch (kind)
    {
    case NodeKind::NIC:
        break;
    case NodeKind::T0: {
        const uint32_t pod = m_plan.PodOfT0(index);
        routes.push_back({Compose(plane, UsidKind::NIC, 0), nics, 0});
        routes.push_back({T1Usid(plane, pod * m_plan.T1PerPod()), uplinks, nics});
        break;
    }
    case NodeKind::T1: {
        const uint32_t pod = index / m_plan.T1PerPod();
        const uint32_t t1InPod = index % m_plan.T1PerPod();
        routes.push_back({T0Usid(plane, pod * m_plan.T0PerPod()), downlinks, 0});
        if (t1Uplinks != 0)
        {
            routes.push_back({T2Usid(plane, t1InPod * t1Uplinks), t1Uplinks, downlinks});
        }
        break;
    }
    case NodeKind::T2: {
        const uint32_t t1InPod = index / t1Uplinks;
        routes.reserve(m_plan.Pods());
        for (uint32_t pod = 0; pod < m_plan.Pods(); ++pod)
        {
            // A T2 has one link to a T1, so it knows the first of the T1's uSIDs only.
            routes.push_back(
                {T1Usid(plane, pod * m_plan.T1PerPod() + t1InPod), 1, static_cast<uint16_t>(pod)});
        }
        break;
    }
    }
    return routes;
}

std::string
UsidPlan::FormatTable(uint32_t plane, NodeKind kind, uint32_t index) const
{
    std::ostringstream out;
    const auto prefix = [this](uint32_t usid) {
        return UsidCarrier::Build(m_block, {static_cast<uint16_t>(usid)}).Print() + "/48";
    };
    const UsidRange own = Own(plane, kind, index);
    for (uint32_t i = 0; i < own.count; ++i)
    {
        out << prefix(own.first + i) << " -> shift\n";
    }
    for (const UsidRoute& route : Routes(plane, kind, index))
    {
        for (uint32_t i = 0; i < route.count; ++i)
        {
            const auto port = static_cast<uint16_t>(route.firstPort + i);
            const Attachment peer = m_plan.Peer(plane, {kind, index, port});
            out << prefix(route.first + i) << " -> port " << port << " ("
                << (peer.kind == NodeKind::NIC ? NicName(peer.index)
                                               : SwitchName(plane, peer.kind, peer.index))
                << ")\n";
        }
    }
    return out.str();
}

} // namespace mrc
