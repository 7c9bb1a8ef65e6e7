// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_FABRIC_NET_DEVICE_HELPER_H
#define MRC_FABRIC_NET_DEVICE_HELPER_H

#include "mrc-clos-network.h"
#include "mrc-fabric-net-device.h"

#include <ns3/ipv6-address.h>
#include <ns3/net-device-container.h>
#include <ns3/node.h>
#include <ns3/object-factory.h>

#include <string>

namespace ns3
{

/**
 * @ingroup mrc
 * Puts ns-3 nodes in the places of NICs of a fabric.
 *
 * @code
 * MrcFabricNetDeviceHelper helper(network);
 * NetDeviceContainer planes = helper.Install(node, 3); // instead of nic-3, a device per plane
 * @endcode
 *
 * Addresses are the user's to assign, since the module does not need ns-3's internet stack: give
 * the device of plane p PortAddress(nic, p) / 32, so that all of the fabric is on its link, or
 * route to it.
 */
class MrcFabricNetDeviceHelper
{
  public:
    /// @param network made by MrcMultiPlaneClosHelper
    explicit MrcFabricNetDeviceHelper(Ptr<MrcClosNetwork> network);

    /// Set an attribute of devices made from now on. @param name of it @param value of it
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Put a node in the place of a NIC.
     *
     * @param node gets a device per plane, in order
     * @param nic the NIC, which must have no QPs
     * @return the devices
     */
    NetDeviceContainer Install(Ptr<Node> node, uint32_t nic);

    /// @param nic a NIC @return its address, reached over any plane
    Ipv6Address NicAddress(uint32_t nic) const;

    /// @param nic a NIC @param plane of its port @return address of the port
    Ipv6Address PortAddress(uint32_t nic, uint32_t plane) const;

  private:
    Ptr<MrcClosNetwork> m_network; //!< the fabric
    ObjectFactory m_factory;       //!< makes devices
};

} // namespace ns3

#endif // MRC_FABRIC_NET_DEVICE_HELPER_H
