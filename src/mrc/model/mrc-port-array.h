// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PORT_ARRAY_H
#define MRC_PORT_ARRAY_H

#include "mrc-egress-port.h"

#include <ns3/ptr.h>

#include <vector>

namespace ns3
{

/**
 * The ports of a switch or NIC.
 *
 * Each is reference-counted for itself, since a pending event outlives the node. As MrcSlab hands
 * out neighbours, they nearly always lie in a row: then a port is found without a look at a table,
 * which in a large fabric would not be in the cache.
 */
class MrcPortArray
{
  public:
    /// @param count ports to make
    void Make(uint16_t count)
    {
        m_ports.reserve(count);
        for (uint16_t port = 0; port < count; ++port)
        {
            m_ports.push_back(Create<MrcEgressPort>());
        }
        m_row = count > 0 ? PeekPointer(m_ports[0]) : nullptr;
        for (uint16_t port = 0; port < count; ++port)
        {
            if (PeekPointer(m_ports[port]) != PeekPointer(m_ports[0]) + port)
            {
                m_row = nullptr;
            }
        }
    }

    /// @param port below Size() @return the port
    MrcEgressPort& operator[](uint16_t port) const
    {
        return m_row != nullptr ? m_row[port] : *m_ports[port];
    }

    /// @return number of ports
    uint16_t Size() const
    {
        return static_cast<uint16_t>(m_ports.size());
    }

    /// Let go of the ports.
    void Clear()
    {
        m_ports.clear();
        m_row = nullptr;
    }

  private:
    MrcEgressPort* m_row{nullptr};           //!< the first of all in a row, or null
    std::vector<Ptr<MrcEgressPort>> m_ports; //!< references
};

} // namespace ns3

#endif // MRC_PORT_ARRAY_H
