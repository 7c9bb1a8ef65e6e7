// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EV_CONTROLLER_HELPER_H
#define MRC_EV_CONTROLLER_HELPER_H

#include "mrc-clos-network.h"
#include "mrc-ev-controller.h"

#include <ns3/attribute.h>
#include <ns3/object-factory.h>

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mrc
 * Gives each NIC of a network a controller, aggregated to it, and gives QPs the paths that a user
 * names.
 *
 * @code
 * MrcEvControllerHelper controllers;
 * controllers.Install(network);
 * controllers.UseRoutes(connection.sourceQp, 0, {"p0/t0-0,t1-2,t0-3,nic-25"});
 * @endcode
 */
class MrcEvControllerHelper
{
  public:
    MrcEvControllerHelper();

    /// Set an attribute of the controllers made from now on. @param name of it @param value to set
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /// Make a controller for each NIC that has none. @param network whose NICs
    void Install(Ptr<MrcClosNetwork> network);

    /// @param nic index @return its controller
    MrcEvController& Get(uint32_t nic);

    /**
     * Give a QP that has not sent yet a list of STEV EVs.
     *
     * @param nic index of the NIC
     * @param qp its QPN
     * @param evs 32 bits each: upper half 0xc000 + plane, lower half uplinks
     * @return empty, or why not
     */
    std::string UseEvs(uint32_t nic, uint32_t qp, const std::vector<uint32_t>& evs);

    /**
     * Give a QP that has not sent yet a list of paths, up to 12 uSIDs each.
     *
     * @param nic index of the NIC
     * @param qp its QPN
     * @param routes names of nodes, "p0/t0-0,t1-2,t0-3,nic-25"
     * @return empty, or why not
     */
    std::string UseRoutes(uint32_t nic, uint32_t qp, const std::vector<std::string>& routes);

  private:
    ObjectFactory m_factory;       //!< makes controllers
    Ptr<MrcClosNetwork> m_network; //!< theirs
};

/**
 * Make an EV profile of a list of paths.
 *
 * @param usids the fabric
 * @param routes names of nodes, "p0/t0-0,t1-2,t0-3,nic-25"
 * @param[out] config mode EXPLICIT, format SRV6
 * @return empty, or what is wrong
 */
std::string MrcRouteProfile(const mrc::UsidPlan& usids,
                            const std::vector<std::string>& routes,
                            mrc::EvProfileConfig& config);

} // namespace ns3

#endif // MRC_EV_CONTROLLER_HELPER_H
