// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_FABRIC_NET_DEVICE_H
#define MRC_FABRIC_NET_DEVICE_H

#include "mrc-egress-port.h"
#include "mrc-fabric.h"
#include "mrc-raw-bytes.h"

#include <ns3/mac48-address.h>
#include <ns3/net-device.h>
#include <ns3/node.h>
#include <ns3/packet.h>
#include <ns3/traced-callback.h>

namespace ns3
{

/**
 * @ingroup mrc
 * A port of the fabric as an ns-3 NetDevice: any node with the internet stack, or a TapBridge, can
 * stand in the place of a NIC. MrcFabricNetDeviceHelper makes one per plane.
 *
 * The fabric routes IPv6, by uSID or by address, and nothing else. So there is no neighbour
 * discovery (NeedsArp() is false): each packet's next hop is the switch, whatever its MAC address
 * is. Multicast, link-local and other protocols' packets are of the link only, on whose other end
 * is a switch that does not answer; they are counted and dropped.
 *
 * A bridge that sends frames of another host (SendFrom()) gets what comes back addressed to that
 * host.
 */
class MrcFabricNetDevice : public NetDevice, public MrcFrameSink
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    MrcFabricNetDevice();
    ~MrcFabricNetDevice() override;

    /**
     * Take the place of a NIC's port. Frames to the port must be led here (MrcEgressPort::SetSink).
     *
     * @param fabric shared state
     * @param egress the NIC's port, outlives the device
     * @param nic index of the NIC
     * @param plane of the port
     */
    void Attach(Ptr<MrcFabric> fabric, MrcEgressPort* egress, uint32_t nic, uint8_t plane);

    /// The link changed: tell those who asked. @param isUp its state
    void NotifyLink(bool isUp);

    /// @return index of the NIC in whose place the device is
    uint32_t Nic() const
    {
        return m_nic;
    }

    /// @return plane of the port
    uint8_t Plane() const
    {
        return m_plane;
    }

    /// @return MAC address of the switch at the other end of a plane's links
    static Mac48Address SwitchAddress(uint8_t plane);

    void Receive(mrc::Frame* frame, uint16_t port, int64_t nowPs) override;

    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address group) const override;
    Address GetMulticast(Ipv6Address group) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& destination, uint16_t protocol) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& destination,
                  uint16_t protocol) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(ReceiveCallback callback) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback callback) override;
    bool SupportsSendFrom() const override;

  protected:
    void DoDispose() override;

  private:
    /// Give a packet to the node. @param packet without Ethernet header
    void Deliver(Ptr<Packet> packet);

    Ptr<MrcFabric> m_fabric;                    //!< shared state
    MrcEgressPort* m_egress{nullptr};           //!< into the fabric
    Ptr<Node> m_node;                           //!< where the device is
    Mac48Address m_address;                     //!< own
    Mac48Address m_hostAddress;                 //!< where packets from the fabric go
    mrc::RawOptions m_options{};                //!< of the fabric
    ReceiveCallback m_receive;                  //!< the node
    PromiscReceiveCallback m_promiscReceive;    //!< sees all, such as a bridge
    TracedCallback<> m_linkChange;              //!< link callbacks
    TracedCallback<Ptr<const Packet>> m_txDrop; //!< trace source MacTxDrop
    TracedCallback<Ptr<const Packet>> m_tx;     //!< trace source MacTx
    TracedCallback<Ptr<const Packet>> m_rx;     //!< trace source MacRx
    TracedCallback<Ptr<const Packet>> m_rxDrop; //!< trace source MacRxDrop
    uint32_t m_queueBytes;                      //!< attribute TxQueueBytes
    uint32_t m_ifIndex{0};                      //!< in the node
    uint32_t m_nic{0};                          //!< place
    uint16_t m_mtu;                             //!< attribute Mtu
    uint8_t m_plane{0};                         //!< plane
};

} // namespace ns3

#endif // MRC_FABRIC_NET_DEVICE_H
