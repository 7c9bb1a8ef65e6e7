// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_USID_PLAN_H
#define MRC_USID_PLAN_H

#include "mrc-clos-plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mrc
{

/// Default uSID block, fd6d:7263::/32 (a unique local prefix that spells "mrc").
inline constexpr uint32_t DEFAULT_USID_BLOCK = 0xfd6d7263;

/// A run of uSIDs.
struct UsidRange
{
    uint16_t first; ///< lowest uSID
    uint16_t count; ///< how many

    /// @param usid a uSID
    /// @return whether it is in the run
    bool Contains(uint16_t usid) const
    {
        return static_cast<uint16_t>(usid - first) < count;
    }
};

/// Consecutive uSIDs that leave through consecutive ports: one row of a static table.
struct UsidRoute
{
    uint16_t first;     ///< lowest uSID
    uint16_t count;     ///< how many
    uint16_t firstPort; ///< port of the lowest uSID

    /// @param usid a uSID
    /// @return whether this row is about it
    bool Contains(uint16_t usid) const
    {
        return static_cast<uint16_t>(usid - first) < count;
    }

    /// @param usid a uSID of this row
    /// @return the port it leaves through
    uint16_t Port(uint16_t usid) const
    {
        return firstPort + (usid - first);
    }
};

/**
 * The uSIDs of a fabric's switches and NICs, and the static tables of its switches.
 *
 * A uSID is 16 bits: plane (as many bits as the planes need), kind (2 bits), index (the rest).
 * No uSID is 0, because zero ends the list in a carrier
 * (mrc-usid.h).
 *
 * | kind  | index                                                                         |
 * |-------|-------------------------------------------------------------------------------|
 * | 0 T2  | T2 number + 1                                                                 |
 * | 1 T0  | T0 number * L + k: the T0 reached through the parallel link k of a T1         |
 * | 2 T1  | T1 number * L + k: the T1 reached through the parallel link k of a T0; within  |
 * |       | a pod that is the number of the T0's uplink                                   |
 * | 3 NIC | its port on its T0: of local meaning                                          |
 *
 * with L parallel links. A T0 or T1 answers to its L uSIDs alike.
 */
class UsidPlan
{
  public:
    /**
     * Number a fabric.
     *
     * @param plan the fabric
     * @param block first 32 bits of every carrier, inside fc00::/7
     * @throws ClosConfigError if the fabric needs more uSIDs than 16 bits hold, or the block
     *         is not a unique local prefix
     */
    explicit UsidPlan(const ClosPlan& plan, uint32_t block = DEFAULT_USID_BLOCK);

    /// @return the fabric
    const ClosPlan& Clos() const
    {
        return m_plan;
    }

    /// @return first 32 bits of every carrier
    uint32_t Block() const
    {
        return m_block;
    }

    /// @return bits of a uSID below its plane, 16 with a single plane
    uint32_t PlaneShift() const
    {
        return m_indexBits + 2;
    }

    /// @return bits of a uSID's index
    uint32_t IndexBits() const
    {
        return m_indexBits;
    }

    /// @param plane the plane
    /// @param t0 a T0
    /// @param link which of the parallel links of a T1 to it
    /// @return the T0's uSID
    uint16_t T0Usid(uint32_t plane, uint32_t t0, uint32_t link = 0) const;

    /// @param plane the plane
    /// @param t1 a T1
    /// @param link which of the parallel links of a T0 to it
    /// @return the T1's uSID
    uint16_t T1Usid(uint32_t plane, uint32_t t1, uint32_t link = 0) const;

    /// @param plane the plane
    /// @param t2 a T2
    /// @return the T2's uSID
    uint16_t T2Usid(uint32_t plane, uint32_t t2) const;

    /// @param plane the plane
    /// @param nic NIC of the fabric
    /// @return the uSID by which the NIC's T0 knows it
    uint16_t NicUsid(uint32_t plane, uint32_t nic) const;

    /**
     * List a node's own uSIDs.
     *
     * @param plane the plane
     * @param kind kind of node
     * @param index number of its kind
     * @return the uSIDs that the node consumes (switch) or ends (NIC)
     */
    UsidRange Own(uint32_t plane, NodeKind kind, uint32_t index) const;

    /**
     * Compute a switch's static table.
     *
     * @param plane the plane
     * @param kind T0, T1 or T2
     * @param index number of its kind
     * @return the rows: NICs and uplinks of a T0, T0s and uplinks of a T1, a row per pod of a T2
     */
    std::vector<UsidRoute> Routes(uint32_t plane, NodeKind kind, uint32_t index) const;

    /**
     * Print a switch's static table, a line per uSID:
     * "fd6d:7263:2003::/48 -> port 11 (p0/t1-3)".
     *
     * @param plane the plane
     * @param kind T0, T1 or T2
     * @param index number of its kind
     * @return the lines, own uSIDs first, each ending in a line feed
     */
    std::string FormatTable(uint32_t plane, NodeKind kind, uint32_t index) const;

  private:
    /// Values of a uSID's kind bits.
    enum class UsidKind : uint16_t
    {
        T2,
        T0,
        T1,
        NIC
    };

    /// @param plane the plane
    /// @param kind the kind
    /// @param index the index
    /// @return the uSID made of the three
    uint16_t Compose(uint32_t plane, UsidKind kind, uint32_t index) const;

    ClosPlan m_plan;      ///< the fabric
    uint32_t m_block;     ///< first 32 bits of every carrier
    uint32_t m_indexBits; ///< bits left by plane and kind
};

} // namespace mrc

#endif // MRC_USID_PLAN_H
