// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_MULTI_PLANE_CLOS_HELPER_H
#define MRC_MULTI_PLANE_CLOS_HELPER_H

#include "mrc-clos-network.h"

#include <ns3/attribute.h>
#include <ns3/data-rate.h>
#include <ns3/node-container.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>

#include <string>

namespace ns3
{

/**
 * @ingroup mrc
 * Builds multi-plane Clos networks of two or three tiers.
 *
 * @code
 * MrcMultiPlaneClosHelper::UseFastSimulator();
 * MrcMultiPlaneClosHelper clos;
 * clos.Config().nics = 128;
 * Ptr<MrcClosNetwork> network = clos.Install();
 * @endcode
 */
class MrcMultiPlaneClosHelper
{
  public:
    MrcMultiPlaneClosHelper();

    /**
     * Set ns3::Time to picoseconds, which a fabric needs. Call it first in main(): ns-3 cannot
     * change the resolution once the simulator has run.
     */
    static void UsePicoseconds();

    /**
     * UsePicoseconds(), and choose MrcSimulatorImpl with MrcLaneScheduler: the same results as with
     * any other simulator, about twice as fast. Call it before anything touches the simulator; a
     * simulator of another class that exists already is a fatal error.
     */
    static void UseFastSimulator();

    /// @return counts of NICs, planes, switches and links, to be changed before Install()
    mrc::ClosConfig& Config()
    {
        return m_config;
    }

    /// Set rate and propagation delay of every link. Default: 100 Gb/s, 75 ns.
    void SetLink(DataRate rate, Time delay);

    /// Set an attribute of every MrcTrimmingSwitch. @param name of it @param value to set
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);

    /// Set an attribute of every MrcNic. @param name of it @param value to set
    void SetNicAttribute(const std::string& name, const AttributeValue& value);

    /// Set an attribute of the MrcProfile that the NICs share. @param name of it @param value
    void SetProfileAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Fix the random numbers of the networks installed from now on.
     *
     * @param stream any number; networks of different numbers are independent
     * @return how many streams were used: 1
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * Build a network on new nodes.
     *
     * @return the network
     * @throws mrc::ClosConfigError if the counts do not make a network
     */
    Ptr<MrcClosNetwork> Install();

    /**
     * Build a network whose NICs are on nodes of the caller.
     *
     * @param nodes one for each NIC
     * @return the network
     * @throws mrc::ClosConfigError if the counts do not make a network
     */
    Ptr<MrcClosNetwork> Install(const NodeContainer& nodes);

  private:
    /// Make the switches of a plane. @param network to add to @param plane which
    void AddSwitches(MrcClosNetwork& network, uint32_t plane);
    /// Join all ends of the links of a plane. @param network to join @param plane which
    void ConnectPlane(MrcClosNetwork& network, uint32_t plane) const;

    mrc::ClosConfig m_config;       //!< counts
    DataRate m_rate{"100Gbps"};     //!< of every link
    Time m_delay;                   //!< of every link
    ObjectFactory m_switchFactory;  //!< makes switches
    ObjectFactory m_nicFactory;     //!< makes NICs
    ObjectFactory m_profileFactory; //!< makes the profile
    int64_t m_stream{0};            //!< of random numbers
    mrc::Random m_seeds{1};         //!< seeds of the parts of the network being built
};

} // namespace ns3

#endif // MRC_MULTI_PLANE_CLOS_HELPER_H
