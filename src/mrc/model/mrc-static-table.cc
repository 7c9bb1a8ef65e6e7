// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-static-table.h"

#include <utility>

namespace ns3
{

void
MrcStaticTable::Set(uint32_t block,
                    mrc::UsidRange own,
                    std::vector<mrc::UsidRoute> usids,
                    std::vector<mrc::PrefixRoute> prefixes)
{
    m_block = block;
    m_own = own;
    m_usids = std::move(usids);
    m_prefixes = std::move(prefixes);
}

uint16_t
MrcStaticTable::LookupPrefix(const mrc::Ipv6Address& address, uint32_t hash) const
{
    for (const mrc::PrefixRoute& route : m_prefixes)
    {
        const mrc::PortGroup group = route.Lookup(address);
        if (group.portCount != 0)
        {
            return group.firstPort + (uint64_t{hash} * group.portCount >> 32);
        }
    }
    return NO_PORT;
}

} // namespace ns3
