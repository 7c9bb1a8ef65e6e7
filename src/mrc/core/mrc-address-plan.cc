// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-address-plan.h"

#include <sstream>

namespace mrc
{

namespace
{

/// Groups of an address that the plan gives a meaning.
enum AddressGroup : uint8_t
{
    POD = 2,
    T0_IN_POD = 3,
    HOST = 7
};

/// @param address an address
/// @param group 0 to 7
/// @return that 16-bit group of it
uint16_t
Group(const Ipv6Address& address, uint32_t group)
{
    const uint64_t half = group < 4 ? address.high : address.low;
    return static_cast<uint16_t>(half >> (16 * (3 - group % 4)));
}

/// @param half 64 bits of an address
/// @param bits of a prefix that fall into it, any number
/// @return the half with all bits after them cleared
uint64_t
Masked(uint64_t half, int bits)
{
    if (bits <= 0)
    {
        return 0;
    }
    return bits >= 64 ? half : half & ~(~uint64_t{0} >> bits);
}

} // namespace

PortGroup
PrefixRoute::Lookup(const Ipv6Address& address) const
{
    if (Masked(address.high, prefixBits) != prefix.high ||
        Masked(address.low, prefixBits - 64) != prefix.low)
    {
        return {0, 0};
    }
    if (indexGroup == NO_GROUP)
    {
        return {firstPort, portCount};
    }
    const uint32_t value = Group(address, indexGroup);
    if (value < firstIndex || value - firstIndex >= indexCount)
    {
        return {0, 0};
    }
    return {static_cast<uint16_t>(firstPort + (value - firstIndex) * portCount), portCount};
}

AddressPlan::AddressPlan(const ClosPlan& plan, uint32_t block)
    : m_plan(plan),
      m_block(block)
{
    if (block >> 25 != 0xfc >> 1)
    {
        std::ostringstream out;
        out << "address block " << std::hex << (block >> 16) << ":" << (block & 0xffff)
            << "::/32 is not a unique local prefix: it must be inside fc00::/7";
        throw ClosConfigError(out.str());
    }
}

Ipv6Address
AddressPlan::NicAddress(uint32_t nic) const
{
    const uint32_t t0 = m_plan.T0Of(nic);
    const uint64_t t0InPod = t0 % m_plan.T0PerPod();
    return {uint64_t{m_block} << 32 | uint64_t{m_plan.PodOfT0(t0)} << 16 | t0InPod,
            m_plan.HostPort(nic) + uint64_t{1}};
}

Ipv6Address
AddressPlan::NicPortAddress(uint32_t nic, uint32_t plane) const
{
    Ipv6Address address = NicAddress(nic);
    address.low |= uint64_t{plane + 1} << 48;
    return address;
}

std::optional<uint32_t>
AddressPlan::FindNic(const Ipv6Address& address) const
{
    const uint32_t pod = Group(address, POD);
    const uint32_t t0InPod = Group(address, T0_IN_POD);
    const uint64_t port = address.low >> 48;
    const uint64_t host = address.low & 0xffffffffffff;
    if (address.high >> 32 != m_block || pod >= m_plan.Pods() || t0InPod >= m_plan.T0PerPod() ||
        port > m_plan.Planes() || host < 1 || host > m_plan.NicsPerT0())
    {
        return std::nullopt;
    }
    const uint32_t t0 = pod * m_plan.T0PerPod() + t0InPod;
    return t0 * m_plan.NicsPerT0() + static_cast<uint32_t>(host) - 1;
}

std::vector<PrefixRoute>
AddressPlan::Routes(NodeKind kind, uint32_t index) const
{
    //= MRC-REF 3 Non-MRC traffic of real hosts
    const auto plain = PrefixRoute::NO_GROUP;
    const auto nics = static_cast<uint16_t>(m_plan.NicsPerT0());
    const auto t0Uplinks = static_cast<uint16_t>(m_plan.T0Uplinks());
    const auto t1Uplinks = static_cast<uint16_t>(m_plan.T1Uplinks());
    const auto downlinks = static_cast<uint16_t>(m_plan.T1Downlinks());
    const auto links = static_cast<uint16_t>(m_plan.ParallelLinks());
    const auto pods = static_cast<uint16_t>(m_plan.Pods());
    const auto t0PerPod = static_cast<uint16_t>(m_plan.T0PerPod());
    const uint64_t block = uint64_t{m_block} << 32;
    switch (kind)
    {
    case NodeKind::T0: {
        const uint64_t subnet = NicAddress(index * m_plan.NicsPerT0()).high;
        return {{{subnet, 0}, 64, HOST, 1, nics, 0, 1}, {{0, 0}, 0, plain, 0, 1, nics, t0Uplinks}};
    }
    case NodeKind::T1: {
        const uint64_t pod = block | uint64_t{index / m_plan.T1PerPod()} << 16;
        std::vector<PrefixRoute> routes{{{pod, 0}, 48, T0_IN_POD, 0, t0PerPod, 0, links}};
        if (t1Uplinks != 0)
        {
            routes.push_back({{0, 0}, 0, plain, 0, 1, downlinks, t1Uplinks});
        }
        return routes;
    }
    case NodeKind::T2:
        return {{{block, 0}, 32, POD, 0, pods, 0, 1}};
    default:
        return {};
    }
}

std::string
AddressPlan::FormatTable(NodeKind kind, uint32_t index) const
{
    std::ostringstream out;
    for (const PrefixRoute& route : Routes(kind, index))
    {
        const bool isPlain = route.indexGroup == PrefixRoute::NO_GROUP;
        // The group ends a longer prefix; a host's address is complete.
        const uint32_t bits = isPlain ? route.prefixBits : 16 * (route.indexGroup + 1);
        for (uint32_t i = 0; i < route.indexCount; ++i)
        {
            Ipv6Address prefix = route.prefix;
            if (!isPlain)
            {
                const uint64_t value = uint64_t{route.firstIndex} + i;
                (route.indexGroup < 4 ? prefix.high : prefix.low) |=
                    value << (16 * (3 - route.indexGroup % 4));
            }
            const uint32_t first = route.firstPort + i * route.portCount;
            out << prefix.Print() << "/" << bits << " -> port" << (route.portCount > 1 ? "s " : " ")
                << first;
            if (route.portCount > 1)
            {
                out << "-" << first + route.portCount - 1;
            }
            out << "\n";
        }
    }
    return out.str();
}

} // namespace mrc
