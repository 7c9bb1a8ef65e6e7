// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_STATIC_TABLE_H
#define MRC_STATIC_TABLE_H

#include "mrc-address-plan.h"
#include "mrc-usid-plan.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * The forwarding table of a switch, written once: uSIDs, and prefixes for traffic without them.
 */
class MrcStaticTable
{
  public:
    /// Lookup() of a destination that has no entry.
    static constexpr uint16_t NO_PORT = 0xffff;

    /**
     * @param block the locator block of the fabric, 32 bits
     * @param own uSIDs of this switch
     * @param usids ports of the next uSIDs
     * @param prefixes ports of destination prefixes, the longest first
     */
    void Set(uint32_t block,
             mrc::UsidRange own,
             std::vector<mrc::UsidRoute> usids,
             std::vector<mrc::PrefixRoute> prefixes);

    /// @return whether the first 48 bits of an address are the block and a uSID of this switch
    bool IsOwn(uint64_t daHigh) const
    {
        return daHigh >> 32 == m_block && m_own.Contains(static_cast<uint16_t>(daHigh >> 16));
    }

    /// @return the port of the active uSID of an address, or NO_PORT
    uint16_t LookupUsid(uint64_t daHigh) const
    {
        const auto usid = static_cast<uint16_t>(daHigh >> 16);
        return usid == m_blackHole ? NO_PORT : RouteOf(static_cast<uint32_t>(daHigh >> 32), usid);
    }

    /// @param block a locator block @param usid a uSID @return the port the table has for it
    uint16_t RouteOf(uint32_t block, uint16_t usid) const
    {
        if (block == m_block)
        {
            for (const mrc::UsidRoute& route : m_usids)
            {
                if (route.Contains(usid))
                {
                    return route.Port(usid);
                }
            }
        }
        return NO_PORT;
    }

    /// Lose the route of one uSID. @param usid which; 0 = none, all routes are back
    void SetBlackHole(uint16_t usid)
    {
        m_blackHole = usid;
    }

    /**
     * @param address a destination
     * @param hash of the 5-tuple: chooses among several ports
     * @return the port of the first prefix that covers it, or NO_PORT
     */
    uint16_t LookupPrefix(const mrc::Ipv6Address& address, uint32_t hash) const;

  private:
    uint32_t m_block{0};                      //!< locator block
    mrc::UsidRange m_own{0, 0};               //!< own uSIDs
    uint16_t m_blackHole{0};                  //!< uSID without a route; 0 = none
    std::vector<mrc::UsidRoute> m_usids;      //!< few ranges
    std::vector<mrc::PrefixRoute> m_prefixes; //!< longest first
};

} // namespace ns3

#endif // MRC_STATIC_TABLE_H
