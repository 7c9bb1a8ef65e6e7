// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-clos-names.h"

#include <algorithm>
#include <charconv>

namespace mrc
{

namespace
{

/// @param kind the kind
/// @param index number of its kind
/// @return the name within a plane, "t1-7" or "nic-41"
std::string
LocalName(NodeKind kind, uint32_t index)
{
    if (kind == NodeKind::NIC)
    {
        return NicName(index);
    }
    const int tier = static_cast<int>(kind) - static_cast<int>(NodeKind::T0);
    return "t" + std::to_string(tier) + "-" + std::to_string(index);
}

/// @param kind the kind
/// @param first lowest number
/// @param count how many, > 0
/// @return "t1-0 to t1-7"
std::string
LocalRange(NodeKind kind, uint32_t first, uint32_t count)
{
    const std::string low = LocalName(kind, first);
    return count == 1 ? "only " + low : low + " to " + LocalName(kind, first + count - 1);
}

/// @param plane the plane
/// @return "p2"
std::string
PlaneName(uint32_t plane)
{
    return "p" + std::to_string(plane);
}

/// @param plan the fabric
/// @param link a link of it
/// @return "#1", or nothing if there is only one link between the two or it is the first
std::string
ParallelSuffix(const ClosPlan& plan, const ClosLink& link)
{
    if (link.lower.kind != NodeKind::T0)
    {
        return {};
    }
    const uint32_t number = (link.lower.port - plan.NicsPerT0()) % plan.ParallelLinks();
    return number ? "#" + std::to_string(number) : std::string();
}

/// Reads a name from left to right, and knows how to complain about it.
class NameReader
{
  public:
    /// @param plan the fabric
    /// @param name what to read
    /// @param expected what the name should look like
    NameReader(const ClosPlan& plan, std::string_view name, const char* expected)
        : m_plan(plan),
          m_name(name),
          m_rest(name),
          m_expected(expected)
    {
    }

    /// Complain that the name does not look like one. @throws ClosNameError always
    [[noreturn]] void Malformed() const
    {
        throw ClosNameError("'" + std::string(m_name) + "' is not " + m_expected);
    }

    /// @param text what may come next
    /// @return whether it did; it is consumed then
    bool Accept(std::string_view text)
    {
        if (m_rest.substr(0, text.size()) != text)
        {
            return false;
        }
        m_rest.remove_prefix(text.size());
        return true;
    }

    /// @param text what must come next
    void Expect(std::string_view text)
    {
        if (!Accept(text))
        {
            Malformed();
        }
    }

    /// @return the decimal number that must come next
    uint32_t Number()
    {
        uint32_t value = 0;
        const char* end = m_rest.data() + m_rest.size();
        const auto [stop, error] = std::from_chars(m_rest.data(), end, value);
        if (error != std::errc())
        {
            Malformed();
        }
        m_rest.remove_prefix(static_cast<size_t>(stop - m_rest.data()));
        return value;
    }

    /// @return the plane "p2" that must come next
    uint32_t Plane()
    {
        Expect("p");
        const uint32_t plane = Number();
        if (plane >= m_plan.Planes())
        {
            throw ClosNameError("no " + PlaneName(plane) + " in this fabric: planes p0 to " +
                                PlaneName(m_plan.Planes() - 1));
        }
        return plane;
    }

    /// @return the NIC whose number must come next
    uint32_t Nic()
    {
        const uint32_t nic = Number();
        if (nic >= m_plan.Nics())
        {
            throw ClosNameError("no " + NicName(nic) +
                                " in this fabric: " + LocalRange(NodeKind::NIC, 0, m_plan.Nics()));
        }
        return nic;
    }

    /// @param plane the plane that was read
    /// @return the switch "t1-7" that must come next
    ClosSwitch Switch(uint32_t plane)
    {
        Expect("t");
        const uint32_t tier = Number();
        Expect("-");
        const uint32_t index = Number();
        if (tier >= m_plan.Tiers())
        {
            throw ClosNameError("no t" + std::to_string(tier) + " in this fabric: tiers t0 to t" +
                                std::to_string(m_plan.Tiers() - 1));
        }
        const auto kind = static_cast<NodeKind>(static_cast<uint32_t>(NodeKind::T0) + tier);
        if (index >= m_plan.Count(kind))
        {
            throw ClosNameError("no " + LocalName(kind, index) + " in plane " +
                                std::to_string(plane) + ": " +
                                LocalRange(kind, 0, m_plan.Count(kind)));
        }
        return {plane, kind, index};
    }

    /// @return the number of a parallel link, "#1", that may come next; else 0
    uint32_t Parallel()
    {
        return Accept("#") ? Number() : 0;
    }

    /// The name must end here.
    void End() const
    {
        if (!m_rest.empty())
        {
            Malformed();
        }
    }

    /// @return whether the next character is a digit
    bool IsDigitNext() const
    {
        return !m_rest.empty() && m_rest[0] >= '0' && m_rest[0] <= '9';
    }

  private:
    const ClosPlan& m_plan;  ///< the fabric
    std::string_view m_name; ///< the whole name
    std::string_view m_rest; ///< what is left to read
    const char* m_expected;  ///< what the name should look like
};

/**
 * Find the link between two switches.
 *
 * @param plan the fabric
 * @param a a switch
 * @param b another of the same plane
 * @param parallel number of the parallel link
 * @return the link
 * @throws ClosNameError if there is none
 */
ClosLink
FindLink(const ClosPlan& plan, const ClosSwitch& a, const ClosSwitch& b, uint32_t parallel)
{
    const ClosSwitch& lower = a.kind < b.kind ? a : b;
    const ClosSwitch& upper = a.kind < b.kind ? b : a;
    const std::string lowerName = LocalName(lower.kind, lower.index);
    const std::string upperName = LocalName(upper.kind, upper.index);
    const bool isT0 = lower.kind == NodeKind::T0;
    if (lower.kind == NodeKind::T2 ||
        static_cast<int>(upper.kind) != static_cast<int>(lower.kind) + 1)
    {
        throw ClosNameError("no link between " + lowerName + " and " + upperName +
                            ": links join neighbouring tiers");
    }
    const uint32_t firstPort = isT0 ? plan.NicsPerT0() : plan.T1Downlinks();
    const uint32_t links = isT0 ? plan.ParallelLinks() : 1;
    const uint32_t uppers = isT0 ? plan.T1PerPod() : plan.T1Uplinks();
    const uint32_t firstUpper =
        plan.Peer(lower.plane, {lower.kind, lower.index, static_cast<uint16_t>(firstPort)}).index;
    if (upper.index < firstUpper || upper.index >= firstUpper + uppers)
    {
        throw ClosNameError("no link between " + lowerName + " and " + upperName + ": " +
                            lowerName + " has links to " +
                            LocalRange(upper.kind, firstUpper, uppers));
    }
    if (parallel >= links)
    {
        throw ClosNameError("no link #" + std::to_string(parallel) + " between " + lowerName +
                            " and " + upperName + ": " +
                            (links == 1 ? "only #0" : "#0 to #" + std::to_string(links - 1)));
    }
    const uint32_t port = firstPort + (upper.index - firstUpper) * links + parallel;
    return plan.LinkOf(lower.plane, {lower.kind, lower.index, static_cast<uint16_t>(port)});
}

} // namespace

std::string
NicName(uint32_t nic)
{
    return "nic-" + std::to_string(nic);
}

std::string
SwitchName(uint32_t plane, NodeKind kind, uint32_t index)
{
    return PlaneName(plane) + "/" + LocalName(kind, index);
}

std::string
LinkName(const ClosPlan& plan, const ClosLink& link)
{
    if (link.lower.kind == NodeKind::NIC)
    {
        return NicName(link.lower.index) + "/" + PlaneName(link.plane);
    }
    return SwitchName(link.plane, link.lower.kind, link.lower.index) + "-" +
           LocalName(link.upper.kind, link.upper.index) + ParallelSuffix(plan, link);
}

std::string
PortName(const ClosPlan& plan, uint32_t plane, const Attachment& end)
{
    if (end.kind == NodeKind::NIC)
    {
        return NicName(end.index) + ":" + PlaneName(plane);
    }
    const Attachment peer = plan.Peer(plane, end);
    return SwitchName(plane, end.kind, end.index) + ":" + LocalName(peer.kind, peer.index) +
           ParallelSuffix(plan, plan.LinkOf(plane, end));
}

uint32_t
ParseNicName(const ClosPlan& plan, std::string_view name)
{
    NameReader reader(plan, name, "a NIC: write for example nic-3");
    reader.Expect("nic-");
    const uint32_t nic = reader.Nic();
    reader.End();
    return nic;
}

ClosSwitch
ParseSwitchName(const ClosPlan& plan, std::string_view name)
{
    NameReader reader(plan, name, "a switch: write for example p0/t1-3");
    const uint32_t plane = reader.Plane();
    reader.Expect("/");
    const ClosSwitch found = reader.Switch(plane);
    reader.End();
    return found;
}

ClosLink
ParseLinkName(const ClosPlan& plan, std::string_view name)
{
    NameReader reader(plan, name, "a link: write for example p0/t0-2-t1-3 or nic-3/p0");
    if (reader.Accept("nic-"))
    {
        const uint32_t nic = reader.Nic();
        reader.Expect("/");
        const uint32_t plane = reader.Plane();
        reader.End();
        return plan.LinkOf(plane, {NodeKind::NIC, nic, static_cast<uint16_t>(plane)});
    }
    const uint32_t plane = reader.Plane();
    reader.Expect("/");
    const ClosSwitch first = reader.Switch(plane);
    reader.Expect("-");
    const ClosSwitch second = reader.Switch(plane);
    const uint32_t parallel = reader.Parallel();
    reader.End();
    return FindLink(plan, first, second, parallel);
}

ClosPort
ParsePortName(const ClosPlan& plan, std::string_view name)
{
    NameReader reader(
        plan, name, "a port: write for example p0/t0-2:t1-3, p0/t0-2:nic-16 or nic-3:p0");
    if (reader.Accept("nic-"))
    {
        const uint32_t nic = reader.Nic();
        reader.Expect(":");
        const uint32_t plane = reader.Plane();
        reader.End();
        return {plane, {NodeKind::NIC, nic, static_cast<uint16_t>(plane)}};
    }
    const uint32_t plane = reader.Plane();
    reader.Expect("/");
    const ClosSwitch owner = reader.Switch(plane);
    const std::string ownerName = LocalName(owner.kind, owner.index);
    reader.Expect(":");
    if (reader.IsDigitNext())
    {
        const uint32_t port = reader.Number();
        reader.End();
        if (port >= plan.Ports(owner.kind))
        {
            throw ClosNameError("no port " + std::to_string(port) + " at " + ownerName +
                                ": ports 0 to " + std::to_string(plan.Ports(owner.kind) - 1));
        }
        return {plane, {owner.kind, owner.index, static_cast<uint16_t>(port)}};
    }
    if (reader.Accept("nic-"))
    {
        const uint32_t nic = reader.Nic();
        reader.End();
        if (owner.kind != NodeKind::T0)
        {
            throw ClosNameError("no port to a NIC at " + ownerName + ": NICs are at T0s");
        }
        if (plan.T0Of(nic) != owner.index)
        {
            throw ClosNameError(
                "no port to " + NicName(nic) + " at " + ownerName + ", which has " +
                LocalRange(NodeKind::NIC, owner.index * plan.NicsPerT0(), plan.NicsPerT0()));
        }
        return {plane, {owner.kind, owner.index, static_cast<uint16_t>(plan.HostPort(nic))}};
    }
    const ClosSwitch other = reader.Switch(plane);
    const uint32_t parallel = reader.Parallel();
    reader.End();
    const ClosLink link = FindLink(plan, owner, other, parallel);
    return {plane, owner.kind == link.lower.kind ? link.lower : link.upper};
}

} // namespace mrc
