// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_CLOS_NETWORK_H
#define MRC_CLOS_NETWORK_H

#include "mrc-clos-names.h"
#include "mrc-ideal.h"
#include "mrc-nic.h"
#include "mrc-trimming-switch.h"

#include <ns3/object.h>

#include <array>
#include <vector>

namespace ns3
{

/// The two ends of a connection.
struct MrcConnection
{
    uint32_t sourceQp;      ///< QPN at the first NIC
    uint32_t destinationQp; ///< QPN at the second
};

/// What all NICs and switches of a network counted.
struct MrcNetworkCounters
{
    mrc::EndpointCounters endpoint; ///< sum over NICs
    MrcPortCounters nicPorts;       ///< sum over the ports of NICs
    MrcPortCounters switchPorts;    ///< sum over the ports of switches
};

/**
 * @ingroup mrc
 * A multi-plane Clos network with NICs: made by MrcMultiPlaneClosHelper, changed while it runs.
 */
class MrcClosNetwork : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    MrcClosNetwork();
    ~MrcClosNetwork() override;

    /// @return wiring, names, uSIDs and paths
    const mrc::PathPlan& Plan() const
    {
        return m_fabric->Plan();
    }

    /// @return counts and wiring
    const mrc::ClosPlan& Clos() const
    {
        return Plan().Usids().Clos();
    }

    /// @return state shared by NICs and switches
    MrcFabric& Fabric()
    {
        return *m_fabric;
    }

    /// @return transport parameters, resolved
    const MrcProfile& Profile() const
    {
        return *m_profile;
    }

    /// @return what the ideal transfer time depends on
    const mrc::IdealConfig& Ideal() const
    {
        return m_ideal;
    }

    /// @return number of NICs
    uint32_t NicCount() const
    {
        return static_cast<uint32_t>(m_nics.size());
    }

    /// @param index below NicCount() @return the NIC
    MrcNic& Nic(uint32_t index)
    {
        return *m_nics[index];
    }

    /// @return the switch of a kind, in a plane, by its index there
    MrcTrimmingSwitch& Switch(uint32_t plane, mrc::NodeKind kind, uint32_t index)
    {
        return *m_switches[plane][static_cast<size_t>(kind)][index];
    }

    /// @return the egress side of a port of a NIC or switch
    MrcEgressPort& Port(uint32_t plane, const mrc::Attachment& end);

    /**
     * Connect two NICs with a QP each.
     *
     * @param source one NIC
     * @param destination another NIC
     * @return the QPNs
     */
    MrcConnection Connect(uint32_t source, uint32_t destination);

    /// Change the state of both directions of a link, now.
    void SetLinkUp(const mrc::ClosLink& link, bool isUp);

    /// Change the rate of both directions of a link, now.
    void SetLinkRate(const mrc::ClosLink& link, DataRate rate);

    /// Lose and damage frames on both directions of a link, from now on; probabilities 0 to 1.
    void SetLinkLoss(const mrc::ClosLink& link, double loss, double corrupt);

    /// Change the state of all links of a switch, now.
    void SetSwitchUp(uint32_t plane, mrc::NodeKind kind, uint32_t index, bool isUp);

    /// @return sums over all NICs and switches
    MrcNetworkCounters Counters() const;

  protected:
    void DoDispose() override;

  private:
    friend class MrcMultiPlaneClosHelper;

    /// Switches of one kind in one plane.
    using Tier = std::vector<Ptr<MrcTrimmingSwitch>>;

    Ptr<MrcFabric> m_fabric;                     //!< shared state
    Ptr<MrcProfile> m_profile;                   //!< parameters
    std::vector<Ptr<MrcNic>> m_nics;             //!< by index
    std::vector<std::array<Tier, 4>> m_switches; //!< by plane, kind, index
    mrc::IdealConfig m_ideal;                    //!< unloaded network
    mrc::Random m_random{1};                     //!< initial PSNs, link losses
};

} // namespace ns3

#endif // MRC_CLOS_NETWORK_H
