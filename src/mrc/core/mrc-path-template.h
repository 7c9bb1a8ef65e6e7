// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PATH_TEMPLATE_H
#define MRC_PATH_TEMPLATE_H

#include "mrc-usid-plan.h"

#include <cstdint>

namespace mrc
{

/**
 * What an entropy value of this fabric means: the plane and the uplinks of the path.
 *
 * EV[31:16] = 0xC000 | variant << 5 | plane (the UDP source port); EV[15:0] = T0 uplink in two
 * tiers, T1 uplink in bits 15:8 and T0 uplink in bits 7:0 in three tiers. The variant tells apart
 * EVs of paths that begin alike, it is 0 in the EVs that PathPlan makes.
 */
class EvLayout
{
  public:
    /// Upper half of an EV of plane 0: the lowest dynamic UDP source port.
    static constexpr uint32_t SOURCE_PORT_BASE = 0xc000;

    /// EVs that may share plane and uplinks.
    static constexpr uint32_t VARIANTS = 512;

    /// @param tiers tiers of the fabric, 2 or 3
    explicit EvLayout(uint32_t tiers)
        : m_u1Shift(tiers == 3 ? 8 : 16)
    {
    }

    /// @param plane plane, from 0
    /// @param u0 uplink of the source's T0
    /// @param u1 uplink of the T1, 0 when the path does not climb that far
    /// @return the EV
    uint32_t Make(uint32_t plane, uint32_t u0, uint32_t u1 = 0) const
    {
        return (SOURCE_PORT_BASE | plane) << 16 | u1 << m_u1Shift | u0;
    }

    /// @param ev an EV
    /// @return its plane
    static uint32_t Plane(uint32_t ev)
    {
        return (ev >> 16) & (MAX_PLANES - 1);
    }

    /// @param ev an EV of variant 0
    /// @param variant 0 to VARIANTS - 1
    /// @return another EV of the same plane and uplinks
    static uint32_t Variant(uint32_t ev, uint32_t variant)
    {
        return ev | variant * MAX_PLANES << 16;
    }

    /// @param ev an EV
    /// @return the uplink of the source's T0
    uint32_t U0(uint32_t ev) const
    {
        return ev & ((1U << m_u1Shift) - 1);
    }

    /// @param ev an EV
    /// @return the uplink of the T1; 0 in two tiers
    uint32_t U1(uint32_t ev) const
    {
        return (ev & 0xffff) >> m_u1Shift;
    }

    /// @return bits of an EV that hold the uplink of the source's T0
    uint32_t U0Bits() const
    {
        return m_u1Shift;
    }

  private:
    uint8_t m_u1Shift; ///< bits of u0
};

/**
 * The outer destination address from one NIC to another, all but what the EV decides.
 *
 * Computed once per pair of NICs; Apply() is what a packet costs. Carriers:
 *
 *   one T0      block : T0 : NIC
 *   through T1  block : T0 : T1 : T0' : NIC
 *   through T2  block : T0 : T1 : T2 : T1' : T0' : NIC
 */
class PathTemplate
{
  public:
    /**
     * Fill the template.
     *
     * @param usids the fabric
     * @param source NIC that sends
     * @param destination NIC that receives
     */
    PathTemplate(const UsidPlan& usids, uint32_t source, uint32_t destination);

    /**
     * Give a packet its outer destination address.
     *
     * @param ev an EV of this fabric (PathPlan::IsValid)
     * @param [out] daHigh bytes 0-7 of the address
     * @param [out] daLow bytes 8-15
     */
    void Apply(uint32_t ev, uint64_t& daHigh, uint64_t& daLow) const
    {
        //= MRC-REF 3 the plane goes into all uSIDs, the T0 uplink into the T1 uSID
        const uint64_t plane = static_cast<uint64_t>(EvLayout::Plane(ev)) << m_planeShift;
        daHigh = m_high + plane * 0x0000000000010001;
        daLow = m_low;
        if (m_reach == Reach::ONE_T0)
        {
            return;
        }
        const uint64_t u0 = ev & ((1U << m_u1Shift) - 1);
        daHigh += u0;
        const uint64_t t1 = m_parallelLinks == 1 ? u0 : u0 / m_parallelLinks;
        const uint64_t link = u0 - t1 * m_parallelLinks;
        if (m_reach == Reach::THROUGH_T1)
        {
            daLow += plane * 0x0001000100000000 + (link << 48);
            return;
        }
        const uint64_t t2 = t1 * m_t1Uplinks + ((ev & 0xffff) >> m_u1Shift);
        daLow +=
            plane * 0x0001000100010001 + (t2 << 48) + ((t1 * m_parallelLinks) << 32) + (link << 16);
    }

  private:
    /// How far a path climbs.
    enum class Reach : uint8_t
    {
        ONE_T0,
        THROUGH_T1,
        THROUGH_T2
    };

    uint64_t m_high;          ///< bytes 0-7 for plane 0 and uplink 0
    uint64_t m_low;           ///< bytes 8-15 for plane 0 and uplinks 0
    uint16_t m_parallelLinks; ///< T0-T1 links of a pair
    uint16_t m_t1Uplinks;     ///< uplinks of a T1
    uint8_t m_planeShift;     ///< lowest bit of the plane in a uSID
    uint8_t m_u1Shift;        ///< lowest bit of the T1 uplink in an EV
    Reach m_reach;            ///< how far the paths of this pair climb
};

static_assert(sizeof(PathTemplate) <= 24, "a QP holds one per peer");

/// The paths between NICs: how many there are, and which EVs name them.
class PathPlan
{
  public:
    /**
     * Plan the paths of a fabric.
     *
     * @param usids the fabric
     * @throws ClosConfigError if a switch has more uplinks than an EV can name
     */
    explicit PathPlan(const UsidPlan& usids);

    /// @return the fabric
    const UsidPlan& Usids() const
    {
        return m_usids;
    }

    /// @return the meaning of the fabric's EVs
    EvLayout Layout() const
    {
        return m_layout;
    }

    /// @param source NIC that sends
    /// @param destination NIC that receives
    /// @return the template of the outer address between the two
    PathTemplate Template(uint32_t source, uint32_t destination) const
    {
        return PathTemplate(m_usids, source, destination);
    }

    /// @param source NIC that sends
    /// @param destination NIC that receives
    /// @return distinct paths between the two in one plane
    uint32_t PathsPerPlane(uint32_t source, uint32_t destination) const;

    /**
     * Name a path.
     *
     * @param plane plane, from 0
     * @param path 0 to PathsPerPlane() - 1; uplinks of the T0 vary fastest
     * @return the EV
     */
    uint32_t EvOf(uint32_t plane, uint32_t path) const;

    /// @param ev an EV made by EvOf()
    /// @return the path that it names within its plane
    uint32_t PathOf(uint32_t ev) const;

    /// @param ev any 32 bits
    /// @return whether they name a plane and uplinks of this fabric
    bool IsValid(uint32_t ev) const;

  private:
    UsidPlan m_usids;  ///< the fabric
    EvLayout m_layout; ///< the meaning of its EVs
};

} // namespace mrc

#endif // MRC_PATH_TEMPLATE_H
