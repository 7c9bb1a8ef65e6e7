// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_FABRIC_H
#define MRC_EMU_FABRIC_H

#include "mrc-clos-network.h"
#include "mrc-emu-lab.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace mrc::emu
{

/// An egress port of the fabric, with counters of its own.
struct FabricPort
{
    std::string name;              ///< "p0/t0-1:nic-3"
    uint32_t plane;                ///< plane
    mrc::Attachment end;           ///< which
    ns3::MrcEgressPort* egress;    ///< the port
    ns3::MrcPortCounters counters; ///< what it counted

    /// @return frames dropped for any reason
    uint64_t Drops() const;
};

/// EVs by state, in the order of mrc::EvState.
using EvCounts = std::array<uint64_t, 4>;

/**
 * The simulated fabric of a lab: built from the lab file, changed by commands.
 *
 * A link carries packets unless it, its plane or a switch at one of its ends is down.
 */
class EmuFabric
{
  public:
    /// @param lab what to build @throws LabError naming file and line
    explicit EmuFabric(const Lab& lab);

    /// @return the network
    ns3::MrcClosNetwork& Network()
    {
        return *m_network;
    }

    /// @return wiring
    const mrc::ClosPlan& Clos() const
    {
        return m_network->Clos();
    }

    /// @return all egress ports
    std::vector<std::unique_ptr<FabricPort>>& Ports()
    {
        return m_ports;
    }

    /// @return the record of a port of the fabric
    FabricPort& Port(const mrc::ClosPort& port);

    /// @param callback called after a link of a NIC went up or down: NIC, plane, state
    void SetNicLinkCallback(std::function<void(uint32_t, uint32_t, bool)> callback)
    {
        m_onNicLink = std::move(callback);
    }

    /// Change the state of a link.
    void SetLink(const mrc::ClosLink& link, bool isUp);

    /// Change the state of all links of a plane.
    void SetPlane(uint32_t plane, bool isUp);

    /// Change the state of all links of a switch.
    void SetSwitch(const mrc::ClosSwitch& node, bool isUp);

    /// Lose frames of a link, both ways. @param link which @param probability 0 to 1
    void SetLoss(const mrc::ClosLink& link, double probability);

    /// Damage frames of a link, both ways. @param link which @param probability 0 to 1
    void SetCorruption(const mrc::ClosLink& link, double probability);

    /// Change the simulated propagation delay of a link, both ways.
    void SetDelay(const mrc::ClosLink& link, int64_t delayPs);

    /// Change the simulated rate of a link, both ways.
    void SetRate(const mrc::ClosLink& link, uint64_t bitsPerSecond);

    /// @param link which @return whether it carries packets
    bool IsUp(const mrc::ClosLink& link) const;

    /**
     * Take an EV out of use, or back, in the QPs of a simulated NIC that have sent something.
     *
     * @param nic the NIC
     * @param ev the entropy value
     * @param isDenied which
     * @return number of QPs that have the EV
     */
    uint32_t DenyEv(uint32_t nic, uint32_t ev, bool isDenied);

    /// @return by plane: EVs of all simulated QPs in each state, in the order of mrc::EvState
    std::vector<EvCounts> CountEvs();

  private:
    /// A link as a key: plane and number.
    using LinkKey = std::pair<uint32_t, uint64_t>;
    /// A switch as a key: plane, kind and index.
    using SwitchKey = std::pair<uint32_t, std::pair<mrc::NodeKind, uint32_t>>;

    /// Losses of a link.
    struct Impairment
    {
        double loss{0};    ///< probability
        double corrupt{0}; ///< probability
    };

    /// @return the link as a key
    LinkKey KeyOf(const mrc::ClosLink& link) const;
    /// Bring a link into the state that all commands together mean.
    void Refresh(const mrc::ClosLink& link);
    /// Hand losses to the ports of a link.
    void Impair(const mrc::ClosLink& link);
    /// Give each port counters of its own.
    void ListPorts();

    const Lab& m_lab;                                            //!< what was asked for
    ns3::Ptr<ns3::MrcClosNetwork> m_network;                     //!< the network
    std::vector<std::unique_ptr<FabricPort>> m_ports;            //!< all egress ports
    std::map<const ns3::MrcEgressPort*, FabricPort*> m_byEgress; //!< the same
    std::set<LinkKey> m_downLinks;                               //!< by command
    std::set<uint32_t> m_downPlanes;                             //!< by command
    std::set<SwitchKey> m_downSwitches;                          //!< by command
    std::map<LinkKey, Impairment> m_impairments;                 //!< by command
    std::function<void(uint32_t, uint32_t, bool)> m_onNicLink;   //!< told of NIC links
};

/**
 * Compute a scale at which one core can keep up with what the lab may offer, all hosts and
 * simulated NICs sending at the rate of their links.
 *
 * @param lab the lab
 * @return at least 1, one or two significant digits
 */
double NeededScale(const Lab& lab);

} // namespace mrc::emu

#endif // MRC_EMU_FABRIC_H
