// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-usid-names.h"

#include "mrc-clos-names.h"
#include "mrc-ipv6.h"

#include <cstdio>

namespace mrc
{

namespace
{

/// Four hexadecimal digits.
struct Hex16
{
    /// @param value to print
    explicit Hex16(uint16_t value)
    {
        std::snprintf(text, sizeof(text), "%04x", value);
    }

    char text[5]; ///< digits and a zero
};

/// Writes the rows of one fabric.
class RowWriter
{
  public:
    /// @param out gets the rows
    /// @param block first 32 bits of every carrier
    RowWriter(std::ostream& out, uint32_t block)
        : m_out(out),
          m_block(Ipv6Address{static_cast<uint64_t>(block) << 32, 0}.Print())
    {
    }

    /// @param usid the uSID @param after uSID before it, 0 = any
    /// @param destination inner destination, empty = any @param name of the node
    void Row(uint16_t usid, uint16_t after, const std::string& destination, const std::string& name)
    {
        m_out << '"' << m_block << "\",\"" << Hex16(usid).text << "\",\"" << Hex16(after).text
              << "\",\"" << destination << "\",\"" << name << "\"\n";
    }

  private:
    std::ostream& m_out; ///< gets the rows
    std::string m_block; ///< such as "fd6d:7263::"
};

} // namespace

void
WriteUsidNames(std::ostream& out, const UsidPlan& usids, const AddressPlan& addresses)
{
    const ClosPlan& clos = usids.Clos();
    RowWriter writer(out, usids.Block());
    for (uint32_t plane = 0; plane < clos.Planes(); ++plane)
    {
        for (const NodeKind kind : {NodeKind::T0, NodeKind::T1, NodeKind::T2})
        {
            for (uint32_t index = 0; index < clos.Count(kind); ++index)
            {
                const UsidRange own = usids.Own(plane, kind, index);
                for (uint16_t i = 0; i < own.count; ++i)
                {
                    writer.Row(own.first + i, 0, "", SwitchName(plane, kind, index));
                }
            }
        }
        for (uint32_t nic = 0; nic < clos.Nics(); ++nic)
        {
            const UsidRange t0 = usids.Own(plane, NodeKind::T0, clos.T0Of(nic));
            for (uint16_t i = 0; i < t0.count; ++i)
            {
                writer.Row(usids.NicUsid(plane, nic),
                           t0.first + i,
                           addresses.NicAddress(nic).Print(),
                           NicName(nic));
            }
        }
    }
}

} // namespace mrc
