// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-clos-plan.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace mrc
{

namespace
{

/// Largest port count, so that port numbers and counts fit 16 bits.
constexpr uint64_t MAX_PORTS = 0xffff;

/// Largest count of any kind, so that products of two counts fit 64 bits.
constexpr uint32_t MAX_COUNT = 1U << 24;

/// What follows from a ClosConfig.
struct Shape
{
    uint64_t pods;
    uint64_t t0PerPod;
    uint64_t t1PerPod;
    uint64_t t1Uplinks;
};

/// @param parts what to write one after the other
/// @return the text
template <typename... Parts>
std::string
Text(const Parts&... parts)
{
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}

/// @param value a count
/// @param unit what it must be a multiple of, > 0
/// @return the multiples around the value, "8 or 16"
std::string
Multiples(uint64_t value, uint64_t unit)
{
    const uint64_t below = std::max<uint64_t>(value / unit, 1) * unit;
    return Text(below, " or ", below + unit);
}

/// @param config the counts
/// @return what is wrong with a single count, or empty
std::string
CheckRanges(const ClosConfig& config)
{
    if (config.tiers != 2 && config.tiers != 3)
    {
        return Text("a fabric of ", config.tiers, " tiers is not supported: tiers must be 2 or 3");
    }
    if (config.planes == 0 || config.planes > MAX_PLANES)
    {
        return Text(config.planes, " planes: planes must be 1 to ", MAX_PLANES);
    }

    const struct
    {
        const char* name;
        uint32_t value;
        bool mayBeZero;
    } counts[] = {
        {"nics", config.nics, false},
        {"nics-per-t0", config.nicsPerT0, false},
        {"parallel-links", config.parallelLinks, false},
        {"t1-per-plane", config.t1PerPlane, true},
        {"t0-per-pod", config.t0PerPod, true},
        {"t1-per-pod", config.t1PerPod, true},
        {"t2-per-plane", config.t2PerPlane, true},
    };

    for (const auto& count : counts)
    {
        if (count.value == 0 && !count.mayBeZero)
        {
            return Text(count.name, " is 0: it must be at least 1");
        }
        if (count.value > MAX_COUNT)
        {
            return Text(count.name, " ", count.value, " is too large: at most ", MAX_COUNT);
        }
    }
    if (config.nics % config.nicsPerT0 != 0)
    {
        return Text(config.nics,
                    " NICs do not fill T0s of ",
                    config.nicsPerT0,
                    " NICs: nics must be a multiple of nics-per-t0 (",
                    Multiples(config.nics, config.nicsPerT0),
                    ")");
    }
    if (config.tiers == 2 && (config.t0PerPod || config.t1PerPod || config.t2PerPlane))
    {
        return "t0-per-pod, t1-per-pod and t2-per-plane belong to three tiers: leave them 0, or "
               "set tiers to 3";
    }
    if (config.tiers == 3 && config.t1PerPlane)
    {
        return "t1-per-plane belongs to two tiers: with three, set t1-per-pod";
    }
    if (config.tiers == 3 && config.t0PerPod == 0)
    {
        return "three tiers need t0-per-pod: how many T0s share the T1s of a pod";
    }
    return {};
}

/**
 * Derive how many T1s each T0 has links to.
 *
 * @param config counts in range
 * @param [out] t1PerPod T1s of a pod
 * @return what is wrong, or empty
 */
std::string
DeriveT1(const ClosConfig& config, uint64_t& t1PerPod)
{
    t1PerPod = config.tiers == 2 ? config.t1PerPlane : config.t1PerPod;
    if (t1PerPod != 0)
    {
        return {};
    }
    const double uplinks = config.nicsPerT0 / config.oversubscription;
    if (!(config.oversubscription > 0) || !(uplinks <= MAX_COUNT))
    {
        return Text("oversubscription ",
                    config.oversubscription,
                    " is out of range: 1 gives a T0 as many uplinks as NICs, 2 half as many");
    }
    const double whole = std::round(uplinks);
    // A ratio such as 8/3 is not exact in binary.
    if (whole < 1 || std::fabs(uplinks - whole) > 1e-6 * uplinks)
    {
        return Text("oversubscription ",
                    config.oversubscription,
                    " gives a T0 of ",
                    config.nicsPerT0,
                    " NICs ",
                    uplinks,
                    " uplinks: nics-per-t0 / oversubscription must be a whole number");
    }
    const auto count = static_cast<uint64_t>(whole);
    if (count % config.parallelLinks != 0)
    {
        return Text(count,
                    " uplinks of a T0 cannot be bundled by ",
                    config.parallelLinks,
                    ": parallel-links must divide them, or set ",
                    config.tiers == 2 ? "t1-per-plane" : "t1-per-pod");
    }
    t1PerPod = count / config.parallelLinks;
    return {};
}

/**
 * Derive pods and the third tier.
 *
 * @param config counts in range
 * @param [in,out] shape t1PerPod is known, the rest is filled
 * @return what is wrong, or empty
 */
std::string
DerivePods(const ClosConfig& config, Shape& shape)
{
    const uint64_t t0Count = config.nics / config.nicsPerT0;
    if (config.tiers == 2)
    {
        shape.pods = 1;
        shape.t0PerPod = t0Count;
        shape.t1Uplinks = 0;
        return {};
    }
    if (t0Count % config.t0PerPod != 0)
    {
        return Text(t0Count,
                    " T0s do not fill pods of ",
                    config.t0PerPod,
                    ": nics / nics-per-t0 must be a multiple of t0-per-pod (",
                    Multiples(t0Count, config.t0PerPod),
                    ")");
    }
    if (config.t2PerPlane % shape.t1PerPod != 0)
    {
        return Text(config.t2PerPlane,
                    " T2s cannot be shared evenly by the ",
                    shape.t1PerPod,
                    " T1s of a pod: t2-per-plane must be a multiple of that (",
                    Multiples(config.t2PerPlane, shape.t1PerPod),
                    ")");
    }
    shape.t0PerPod = config.t0PerPod;
    shape.pods = t0Count / config.t0PerPod;
    shape.t1Uplinks = config.t2PerPlane ? config.t2PerPlane / shape.t1PerPod
                                        : shape.t0PerPod * config.parallelLinks;
    return {};
}

/**
 * Derive what a ClosConfig leaves open.
 *
 * @param config the counts
 * @param [out] shape the rest of them, if nothing is wrong
 * @return what is wrong, or empty
 */
std::string
Derive(const ClosConfig& config, Shape& shape)
{
    std::string error = CheckRanges(config);
    if (error.empty())
    {
        error = DeriveT1(config, shape.t1PerPod);
    }
    if (error.empty())
    {
        error = DerivePods(config, shape);
    }
    if (!error.empty())
    {
        return error;
    }
    const uint64_t links = config.parallelLinks;
    const uint64_t ports[] = {config.nicsPerT0 + shape.t1PerPod * links,
                              shape.t0PerPod * links + shape.t1Uplinks,
                              shape.pods};
    for (size_t tier = 0; tier < 3; ++tier)
    {
        if (ports[tier] > MAX_PORTS)
        {
            return Text("a T", tier, " would need ", ports[tier], " ports: at most ", MAX_PORTS);
        }
    }
    return {};
}

} // namespace

std::string
ClosConfig::Validate() const
{
    Shape shape;
    return Derive(*this, shape);
}

ClosPlan::ClosPlan(const ClosConfig& config)
    : m_tiers(config.tiers),
      m_planes(config.planes),
      m_nics(config.nics),
      m_nicsPerT0(config.nicsPerT0),
      m_parallelLinks(config.parallelLinks)
{
    Shape shape;
    const std::string error = Derive(config, shape);
    if (!error.empty())
    {
        throw ClosConfigError(error);
    }
    m_pods = static_cast<uint32_t>(shape.pods);
    m_t0PerPod = static_cast<uint32_t>(shape.t0PerPod);
    m_t1PerPod = static_cast<uint32_t>(shape.t1PerPod);
    m_t1Uplinks = static_cast<uint32_t>(shape.t1Uplinks);
}

uint32_t
ClosPlan::Count(NodeKind kind) const
{
    switch (kind)
    {
    case NodeKind::NIC:
        return m_nics;
    case NodeKind::T0:
        return m_pods * m_t0PerPod;
    case NodeKind::T1:
        return m_pods * m_t1PerPod;
    default:
        return m_t1PerPod * m_t1Uplinks;
    }
}

uint32_t
ClosPlan::Ports(NodeKind kind) const
{
    switch (kind)
    {
    case NodeKind::NIC:
        return m_planes;
    case NodeKind::T0:
        return m_nicsPerT0 + T0Uplinks();
    case NodeKind::T1:
        return T1Downlinks() + m_t1Uplinks;
    default:
        return m_tiers == 3 ? m_pods : 0;
    }
}

uint32_t
ClosPlan::SwitchesBetween(uint32_t source, uint32_t destination) const
{
    const uint32_t from = T0Of(source);
    const uint32_t to = T0Of(destination);
    if (from == to)
    {
        return 1;
    }
    return PodOfT0(from) == PodOfT0(to) ? 3 : 5;
}

uint32_t
ClosPlan::MaxSwitches() const
{
    return SwitchesBetween(0, m_nics - 1);
}

Attachment
ClosPlan::Peer(uint32_t plane, const Attachment& end) const
{
    const uint32_t index = end.index;
    const uint32_t links = m_parallelLinks;
    uint32_t port = end.port;
    switch (end.kind)
    {
    case NodeKind::NIC:
        return {NodeKind::T0, T0Of(index), static_cast<uint16_t>(HostPort(index))};
    case NodeKind::T0: {
        if (port < m_nicsPerT0)
        {
            return {NodeKind::NIC, index * m_nicsPerT0 + port, static_cast<uint16_t>(plane)};
        }
        port -= m_nicsPerT0;
        const uint32_t pod = PodOfT0(index);
        const uint32_t t0InPod = index % m_t0PerPod;
        return {NodeKind::T1,
                pod * m_t1PerPod + port / links,
                static_cast<uint16_t>(t0InPod * links + port % links)};
    }
    case NodeKind::T1: {
        const uint32_t pod = index / m_t1PerPod;
        const uint32_t t1InPod = index % m_t1PerPod;
        if (port < T1Downlinks())
        {
            return {NodeKind::T0,
                    pod * m_t0PerPod + port / links,
                    static_cast<uint16_t>(m_nicsPerT0 + t1InPod * links + port % links)};
        }
        port -= T1Downlinks();
        return {NodeKind::T2, t1InPod * m_t1Uplinks + port, static_cast<uint16_t>(pod)};
    }
    default:
        return {NodeKind::T1,
                port * m_t1PerPod + index / m_t1Uplinks,
                static_cast<uint16_t>(T1Downlinks() + index % m_t1Uplinks)};
    }
}

uint64_t
ClosPlan::LinksPerPlane() const
{
    return m_nics + uint64_t{Count(NodeKind::T0)} * T0Uplinks() +
           uint64_t{Count(NodeKind::T1)} * m_t1Uplinks;
}

ClosLink
ClosPlan::LinkAt(uint32_t plane, uint64_t number) const
{
    if (number < m_nics)
    {
        return LinkOf(plane,
                      {NodeKind::NIC, static_cast<uint32_t>(number), static_cast<uint16_t>(plane)});
    }
    number -= m_nics;
    const uint64_t t0Links = uint64_t{Count(NodeKind::T0)} * T0Uplinks();
    if (number < t0Links)
    {
        return LinkOf(plane,
                      {NodeKind::T0,
                       static_cast<uint32_t>(number / T0Uplinks()),
                       static_cast<uint16_t>(m_nicsPerT0 + number % T0Uplinks())});
    }
    number -= t0Links;
    return LinkOf(plane,
                  {NodeKind::T1,
                   static_cast<uint32_t>(number / m_t1Uplinks),
                   static_cast<uint16_t>(T1Downlinks() + number % m_t1Uplinks)});
}

ClosLink
ClosPlan::LinkOf(uint32_t plane, const Attachment& end) const
{
    const Attachment peer = Peer(plane, end);
    return end.kind < peer.kind ? ClosLink{plane, end, peer} : ClosLink{plane, peer, end};
}

uint64_t
ClosPlan::LinkNumber(const ClosLink& link) const
{
    const uint64_t index = link.lower.index;
    switch (link.lower.kind)
    {
    case NodeKind::NIC:
        return index;
    case NodeKind::T0:
        return m_nics + index * T0Uplinks() + (link.lower.port - m_nicsPerT0);
    default:
        return m_nics + uint64_t{Count(NodeKind::T0)} * T0Uplinks() + index * m_t1Uplinks +
               (link.lower.port - T1Downlinks());
    }
}

} // namespace mrc
