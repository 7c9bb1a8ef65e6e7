// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_CLOS_PLAN_H
#define MRC_CLOS_PLAN_H

#include <cstdint>
#include <stdexcept>
#include <string>

namespace mrc
{

/// What stands at the end of a link. The value order is the order of the tiers, bottom up.
enum class NodeKind : uint8_t
{
    NIC, ///< network adapter, one port per plane
    T0,  ///< switch of the first tier, its NICs below
    T1,  ///< switch of the second tier
    T2   ///< switch of the third tier
};

/// Planes that a port_status_mask of 32 bits can name.
inline constexpr uint32_t MAX_PLANES = 32;

/// A fabric that cannot be built as asked; what() is one line for the user.
class ClosConfigError : public std::invalid_argument
{
  public:
    using std::invalid_argument::invalid_argument;
};

/// The counts that describe a multi-plane Clos fabric. All planes are alike.
struct ClosConfig
{
    uint32_t tiers = 2;            ///< tiers of switches: 2 or 3
    uint32_t planes = 4;           ///< 1 to MAX_PLANES; each NIC has a port in each
    uint32_t nics = 128;           ///< NICs in the fabric, a multiple of nicsPerT0
    uint32_t nicsPerT0 = 8;        ///< NIC ports of a T0
    uint32_t parallelLinks = 1;    ///< links between a T0 and each of its T1s
    double oversubscription = 1.0; ///< NICs to uplinks of a T0, used when the T1 count is 0

    uint32_t t1PerPlane = 0; ///< two tiers: T1s of a plane; 0 derives it from oversubscription
    uint32_t t0PerPod = 0;   ///< three tiers: T0s of a pod and plane
    uint32_t t1PerPod = 0;   ///< three tiers: T1s of a pod; 0 derives it from oversubscription
    uint32_t t2PerPlane = 0; ///< three tiers: T2s of a plane; 0 = a T1 has as many links up as down

    /**
     * Check that the counts fit together.
     *
     * @return empty when a ClosPlan can be made of it, else one line: what is wrong and what
     *         would be right
     */
    std::string Validate() const;
};

/// One end of a link: a port of a NIC or of a switch of a known plane.
struct Attachment
{
    NodeKind kind;  ///< whose port
    uint32_t index; ///< NIC of the fabric, or switch of its kind in the plane
    uint16_t port;  ///< port of the switch; of a NIC, the plane

    /// @param other the end to compare with
    /// @return whether both are the same port of the same plane
    bool operator==(const Attachment& other) const
    {
        return kind == other.kind && index == other.index && port == other.port;
    }
};

/// A link of a plane, named by its two ends.
struct ClosLink
{
    uint32_t plane;   ///< plane, from 0
    Attachment lower; ///< the end nearer to the NICs
    Attachment upper; ///< the end nearer to the top
};

/**
 * Who is connected to whom in a multi-plane Clos fabric, by arithmetic: nothing is stored per
 * switch or link.
 *
 * Switches are numbered per plane and kind from 0. A two-tier plane is one pod.
 *
 * | switch | ports                                                                         |
 * |--------|-------------------------------------------------------------------------------|
 * | T0     | [0, N) NICs, then uplink u: link u % L to T1 u / L of the pod                   |
 * | T1     | t0InPod * L + k for link k to a T0 of the pod, then (three tiers) uplinks to T2 |
 * | T2     | port = pod; T2 number j * U1 + u is uplink u of T1 number j of each pod          |
 *
 * with N NICs per T0, L parallel links, U1 uplinks per T1.
 */
class ClosPlan
{
  public:
    /**
     * Plan the fabric.
     *
     * @param config the counts
     * @throws ClosConfigError if config.Validate() has something to say
     */
    explicit ClosPlan(const ClosConfig& config);

    /// @return tiers of switches, 2 or 3
    uint32_t Tiers() const
    {
        return m_tiers;
    }

    /// @return planes, and so ports of a NIC
    uint32_t Planes() const
    {
        return m_planes;
    }

    /// @return NICs in the fabric
    uint32_t Nics() const
    {
        return m_nics;
    }

    /// @return NIC ports of a T0; uplinks follow from this port number on
    uint32_t NicsPerT0() const
    {
        return m_nicsPerT0;
    }

    /// @return links between a T0 and each of its T1s
    uint32_t ParallelLinks() const
    {
        return m_parallelLinks;
    }

    /// @return pods of a plane; 1 in two tiers
    uint32_t Pods() const
    {
        return m_pods;
    }

    /// @return T0s of a pod and plane
    uint32_t T0PerPod() const
    {
        return m_t0PerPod;
    }

    /// @return T1s of a pod and plane
    uint32_t T1PerPod() const
    {
        return m_t1PerPod;
    }

    /// @return uplinks of a T0
    uint32_t T0Uplinks() const
    {
        return m_t1PerPod * m_parallelLinks;
    }

    /// @return links of a T1 to its T0s; uplinks follow from this port number on
    uint32_t T1Downlinks() const
    {
        return m_t0PerPod * m_parallelLinks;
    }

    /// @return uplinks of a T1; 0 in two tiers
    uint32_t T1Uplinks() const
    {
        return m_t1Uplinks;
    }

    /**
     * Count the nodes of a kind.
     *
     * @param kind the kind
     * @return switches of one plane, or NICs of the fabric
     */
    uint32_t Count(NodeKind kind) const;

    /**
     * Count the ports of a node.
     *
     * @param kind the kind; all nodes of a kind have as many
     * @return ports; the planes for a NIC; 0 for a T2 in two tiers
     */
    uint32_t Ports(NodeKind kind) const;

    /// @param nic NIC of the fabric
    /// @return its T0 (the same number in each plane)
    uint32_t T0Of(uint32_t nic) const
    {
        return nic / m_nicsPerT0;
    }

    /// @param nic NIC of the fabric
    /// @return its port on its T0
    uint32_t HostPort(uint32_t nic) const
    {
        return nic % m_nicsPerT0;
    }

    /// @param t0 T0 of a plane
    /// @return its pod; 0 in two tiers
    uint32_t PodOfT0(uint32_t t0) const
    {
        return t0 / m_t0PerPod;
    }

    /**
     * Count the switches between two NICs.
     *
     * @param source a NIC
     * @param destination a NIC
     * @return 1 on one T0, 3 through a T1, 5 through a T2
     */
    uint32_t SwitchesBetween(uint32_t source, uint32_t destination) const;

    /// @return the switches on the longest path of this fabric: 1, 3 or 5
    uint32_t MaxSwitches() const;

    /**
     * Follow a link.
     *
     * @param plane the plane of the port
     * @param end an existing port
     * @return the port at the other end
     */
    Attachment Peer(uint32_t plane, const Attachment& end) const;

    /// @return links of one plane, those to the NICs included
    uint64_t LinksPerPlane() const;

    /**
     * Enumerate the links of a plane: first those of the NICs, then the uplinks of the T0s, then
     * those of the T1s.
     *
     * @param plane the plane
     * @param number 0 to LinksPerPlane() - 1
     * @return the link
     */
    ClosLink LinkAt(uint32_t plane, uint64_t number) const;

    /**
     * Name the link at a port.
     *
     * @param plane the plane of the port
     * @param end either end of the link
     * @return the link, its lower end first
     */
    ClosLink LinkOf(uint32_t plane, const Attachment& end) const;

    /**
     * Invert LinkAt().
     *
     * @param link a link of this fabric
     * @return its number within its plane
     */
    uint64_t LinkNumber(const ClosLink& link) const;

  private:
    uint32_t m_tiers;         ///< 2 or 3
    uint32_t m_planes;        ///< planes
    uint32_t m_nics;          ///< NICs
    uint32_t m_nicsPerT0;     ///< NICs of a T0
    uint32_t m_parallelLinks; ///< T0-T1 links of a pair
    uint32_t m_t0Count;       ///< T0s of a plane
    uint32_t m_pods;          ///< pods of a plane
    uint32_t m_t0PerPod;      ///< T0s of a pod
    uint32_t m_t1PerPod;      ///< T1s of a pod
    uint32_t m_t1Uplinks;     ///< uplinks of a T1
};

} // namespace mrc

#endif // MRC_CLOS_PLAN_H
