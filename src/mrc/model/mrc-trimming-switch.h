// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_TRIMMING_SWITCH_H
#define MRC_TRIMMING_SWITCH_H

#include "mrc-fabric.h"
#include "mrc-port-array.h"
#include "mrc-static-table.h"

#include <ns3/data-rate.h>
#include <ns3/nstime.h>
#include <ns3/object.h>

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mrc
 * An Ethernet switch with static SRv6 uSID forwarding, ECN marking and packet trimming.
 *
 * Each port has a control queue with strict priority and a data queue. A WRITE that the data
 * queue has no room for is cut to its headers and goes on in the control class. A packet whose
 * destination starts with the block and a uSID of the switch has its uSIDs shifted; the next uSID
 * is looked up in a static table. When a carrier is used up the next one of the SRH takes its
 * place. Other packets are forwarded by destination prefix, with a hash over equal uplinks. There
 * is no routing protocol: a port that is down stays in the tables.
 *
 * Thresholds are attributes in units of the plane's bandwidth-delay product (PlaneBdp), which the
 * helper computes. Change them before Configure().
 */
class MrcTrimmingSwitch : public Object, public MrcPortTraces, public MrcFrameSink
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    MrcTrimmingSwitch();
    ~MrcTrimmingSwitch() override;

    /**
     * Make the ports.
     *
     * @param fabric shared state
     * @param name for traces, tables and messages, as in "p2/t0-3"
     * @param ports how many
     * @param hostPorts how many of them, from the first on, lead to NICs
     * @param planeBdpBytes rate of a link x base RTT, bytes, unless attribute PlaneBdp is set
     * @param dscp DSCP of each class
     * @param seed of the random numbers of marking
     */
    void Configure(Ptr<MrcFabric> fabric,
                   const std::string& name,
                   uint16_t ports,
                   uint16_t hostPorts,
                   uint64_t planeBdpBytes,
                   const mrc::DscpMap& dscp,
                   uint64_t seed);

    /// @return whether what does not fit is trimmed (attribute Trimming)
    bool IsTrimming() const
    {
        return m_isTrimming;
    }

    /// @return the forwarding table, to be filled in once
    MrcStaticTable& Table()
    {
        return m_table;
    }

    /**
     * Connect a port.
     *
     * @param port which
     * @param sink the far end
     * @param sinkPort the far end's port
     * @param rate of the link
     * @param delay propagation delay and latency of the far end
     */
    void Connect(uint16_t port, MrcFrameSink* sink, uint16_t sinkPort, DataRate rate, Time delay);

    /// @param port which @return its egress side
    MrcEgressPort& Port(uint16_t port)
    {
        return m_ports[port];
    }

    /// @return number of ports
    uint16_t PortCount() const
    {
        return m_ports.Size();
    }

    /// @return the name given to Configure()
    const std::string& Name() const
    {
        return m_name;
    }

    /// @return from the arrival of a frame's last bit to its place in the egress queue
    Time Latency() const
    {
        return m_latency;
    }

    /// @return what the ports counted
    const MrcPortCounters& Counters() const
    {
        return m_counters;
    }

    void Receive(mrc::Frame* frame, uint16_t port, int64_t nowPs) override;
    void Prefetch(const mrc::Frame& frame, uint16_t port, uint32_t step) const override;

  protected:
    void DoDispose() override;

  private:
    /// @return thresholds from the attributes
    MrcQueueLimits Limits(bool isToHost) const;
    /// Count and release a frame that cannot be forwarded.
    void Drop(mrc::Frame* frame, uint16_t port, MrcDropReason reason, int64_t nowPs);

    MrcStaticTable m_table;         //!< where to
    MrcPortArray m_ports;           //!< egress sides
    MrcPortContext m_fabricPorts;   //!< ports to switches
    MrcPortContext m_hostPorts;     //!< ports to NICs
    MrcPortCounters m_counters;     //!< of all ports
    Ptr<MrcFabric> m_fabric;        //!< shared state
    std::string m_name;             //!< "p2/t0-3"
    uint64_t m_seed{0};             //!< of marking
    mrc::DscpMap m_dscp;            //!< of each class
    uint16_t m_hostPortCount{0};    //!< ports to NICs
    Time m_latency;                 //!< attribute Latency
    uint64_t m_planeBdpBytes{0};    //!< attribute PlaneBdp
    double m_ecnMin{0};             //!< attribute EcnMin
    double m_ecnMax{0};             //!< attribute EcnMax
    double m_ecnMaxProbability{0};  //!< attribute EcnMaxProbability
    double m_trim{0};               //!< attribute TrimThreshold
    double m_trimLastHop{0};        //!< attribute TrimThresholdLastHop
    double m_controlLimit{0};       //!< attribute ControlQueue
    double m_dataLimit{0};          //!< attribute DataQueue
    uint32_t m_trimToBytes{0};      //!< attribute TrimSize
    bool m_isTrimming{true};        //!< attribute Trimming
    bool m_isMarking{true};         //!< attribute Ecn
    bool m_isMarkingLastHop{false}; //!< attribute LastHopEcn
};

} // namespace ns3

#endif // MRC_TRIMMING_SWITCH_H
