// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_NIC_H
#define MRC_NIC_H

#include "mrc-endpoint-ops.h"
#include "mrc-ev-policy.h"
#include "mrc-fabric.h"
#include "mrc-memory.h"
#include "mrc-port-array.h"
#include "mrc-profile.h"
#include "mrc-qp.h"
#include "mrc-ready-list.h"
#include "mrc-usid.h"

#include <ns3/data-rate.h>
#include <ns3/nstime.h>
#include <ns3/object.h>

#include <memory>
#include <vector>

namespace ns3
{

/// Takes completions from a NIC: the application.
class MrcApplicationSink
{
  public:
    virtual ~MrcApplicationSink() = default;

    /// A work request of a QP ended. More may be posted from here.
    virtual void OnCompletion(uint32_t nic, uint32_t qp, const mrc::Completion& completion) = 0;

    /// A message with an immediate arrived at a QP, in order.
    virtual void OnReceive(uint32_t nic, uint32_t qp, const mrc::ReceiveCompletion& completion) = 0;
};

/**
 * @ingroup mrc
 * A network adapter that speaks MRC: one port per plane, many QPs.
 *
 * When a port is free it sends waiting control frames first, then asks the QPs that have something
 * to send in turn. Frames of a QP leave through whatever port is free, so planes are balanced by
 * their speed.
 */
class MrcNic : public Object, public MrcPortTraces, public MrcFrameSink
{
  public:
    /// First QPN that a NIC gives out; 0 to 2 are reserved.
    static constexpr uint32_t FIRST_QP = 3;

    /// @param nic index of the NIC @param qp QPN @param completion how a work request ended
    typedef void (*CompletionTracedCallback)(uint32_t nic,
                                             uint32_t qp,
                                             const mrc::Completion& completion);
    /// @param nic index of the NIC @param qp QPN @param ev the EV's value @param transition change
    typedef void (*EvTracedCallback)(uint32_t nic,
                                     uint32_t qp,
                                     uint32_t ev,
                                     const mrc::EvTransition& transition);

    /// @param plane of a port @param isUp its new state
    typedef void (*PortStateTracedCallback)(uint32_t plane, bool isUp);
    /// @param nic index of the NIC @param result what came of an EV_PROBE
    typedef void (*EvProbeTracedCallback)(uint32_t nic, const mrc::EvProbeResult& result);
    /// @param nic index of the NIC @param peer index of the peer
    /// @param mask bit p: the peer's port of plane p is reachable @param when the time
    typedef void (*PeerPortsTracedCallback)(uint32_t nic, uint32_t peer, uint32_t mask, Time when);

    /// @return the TypeId
    static TypeId GetTypeId();

    MrcNic();
    ~MrcNic() override;

    /**
     * Make the ports.
     *
     * @param fabric shared state
     * @param profile parameters, resolved
     * @param index number of the NIC in the fabric
     * @param seed of all random numbers of the NIC
     */
    void Configure(Ptr<MrcFabric> fabric, Ptr<MrcProfile> profile, uint32_t index, uint64_t seed);

    /**
     * Connect the port of a plane.
     *
     * @param plane which
     * @param sink the T0
     * @param sinkPort its port
     * @param rate of the link
     * @param delay own latency, propagation delay and latency of the T0
     */
    void Connect(uint8_t plane, MrcFrameSink* sink, uint16_t sinkPort, DataRate rate, Time delay);

    /// @return memory that peers may write to
    mrc::MemoryTable& Memory()
    {
        return m_memory;
    }

    /**
     * Make one end of a connection. MrcHelper::Connect() makes both.
     *
     * @param peer index of the other NIC
     * @param setup the connection; localQp must be NextQp()
     * @return the QPN
     */
    uint32_t CreateQp(uint32_t peer, const mrc::QpSetup& setup);

    /// @return QPN that CreateQp() gives next
    uint32_t NextQp() const
    {
        return FIRST_QP + static_cast<uint32_t>(m_qps.size());
    }

    /// @param qp any number @return whether it is a QPN of this NIC
    bool HasQp(uint32_t qp) const
    {
        return qp - FIRST_QP < m_qps.size();
    }

    /// @param qp a QPN of this NIC @return the QP
    MrcQp& Qp(uint32_t qp)
    {
        return *m_qps[qp - FIRST_QP];
    }

    /// @return number of QPs
    uint32_t QpCount() const
    {
        return static_cast<uint32_t>(m_qps.size());
    }

    /// Post a work request to a QP and start to send it.
    void Post(uint32_t qp, const mrc::WorkRequest& request);

    /**
     * Post a receive work request to a QP, for a profile with PostedReceives.
     *
     * @param qp a QPN of this NIC
     * @param id returned with the WRITE with immediate that takes it
     * @return false if the QP is in ERROR
     */
    bool PostReceive(uint32_t qp, uint64_t id)
    {
        return Qp(qp).responder.PostReceive(id);
    }

    /// Who gets completions; null = nobody but the trace sources.
    void SetApplication(MrcApplicationSink* application)
    {
        m_application = application;
    }

    /// Who chooses the EVs of QPs that have not sent yet; null = the NIC.
    void SetEvPolicy(MrcEvPolicy* policy)
    {
        m_evPolicy = policy;
    }

    /// Who gets endpoint requests that this NIC sent to itself; null = nobody.
    void SetLoopSink(MrcLoopSink* sink)
    {
        m_loopSink = sink;
    }

    /**
     * Send an endpoint request EV_PROBE to this NIC itself.
     *
     * @param plane of the port
     * @param requestId comes back with it
     * @param path whose end is this NIC
     */
    void SendLoop(uint8_t plane, uint16_t requestId, const mrc::UsidCarrier& path);

    /// Let a QP go on whose EVs were changed from outside. @param qp of this NIC
    void Resume(MrcQp& qp);

    /**
     * Ask another NIC whether an EV works. Trace source EvProbe has the answer.
     *
     * @param peer index of the other NIC
     * @param plane plane of the EV
     * @param ev the EV
     * @param timeout after which it counts as unanswered; 0 = EvProbeTimeout of the profile
     * @return the request id
     */
    uint16_t ProbeEv(uint32_t peer, uint8_t plane, uint32_t ev, Time timeout);

    /// @return ports and endpoint operations
    const MrcEndpointOps& EndpointOps() const
    {
        return *m_endpointOps;
    }

    /// Change the state of a port and its link's outgoing direction, and tell the peers.
    void SetPortUp(uint8_t plane, bool isUp);

    /// @param plane which @return the egress side of the port
    MrcEgressPort& Port(uint8_t plane)
    {
        return m_ports[plane];
    }

    /// @return number of ports
    uint8_t PortCount() const
    {
        return static_cast<uint8_t>(m_ports.Size());
    }

    /// @return number in the fabric
    uint32_t Index() const
    {
        return m_index;
    }

    /// @return time between memory and wire, each way
    Time Latency() const
    {
        return m_latency;
    }

    /// @return what the QPs counted
    const mrc::EndpointCounters& Counters() const
    {
        return m_counters;
    }

    /// @return what the ports counted
    const MrcPortCounters& PortCounters() const
    {
        return m_portCounters;
    }

    /// @return parameters
    const MrcProfile& Profile() const
    {
        return *m_profile;
    }

    /// @return shared state
    MrcFabric& Fabric()
    {
        return *m_fabric;
    }

    void Receive(mrc::Frame* frame, uint16_t port, int64_t nowPs) override;
    void Prefetch(const mrc::Frame& frame, uint16_t port, uint32_t step) const override;

  protected:
    void DoDispose() override;

  private:
    friend class MrcQp;
    friend class MrcEndpointOps;

    /// The event of a port that becomes free with more to send.
    class PortFree;

    /// A QP may have something to send: put it into the round robin, and idle ports to work.
    void Wake(MrcQp& qp, int64_t nowPs);
    /// Put ports that are not waiting for their event to work.
    void Pump(int64_t nowPs);
    /**
     * Send the next frame of the QPs through a free port.
     *
     * @param plane of the port
     * @param nowPs the time
     * @param[out] isSittingOut set if a QP would send but its plane misses a turn
     * @return false if nothing was sent
     */
    bool Pull(uint8_t plane, int64_t nowPs, bool& isSittingOut);
    /// Put a port to work: send if it is free, and arm its event if there is more.
    void Drive(uint8_t plane, int64_t nowPs);
    /// Send the answers to a frame through the port it came from; takes the frame.
    void Answer(MrcQp& qp, uint8_t replies, mrc::Frame* trigger, uint16_t port, int64_t nowPs);
    /// Fill in what the transport left to the NIC.
    void Address(MrcQp& qp, mrc::Frame& frame, uint8_t plane) const;
    /// Count and release a frame that cannot be received.
    void Drop(mrc::Frame* frame, uint16_t port, MrcDropReason reason, int64_t nowPs);
    /// Receive a packet of a real host: decode it first. Takes the frame.
    void ReceiveRaw(mrc::Frame* frame, uint16_t port, int64_t nowPs);
    /// Take a frame that is for no QP; releases it.
    void ReceiveWithoutQp(mrc::Frame* frame, uint16_t port, int64_t nowPs);
    /// @return whether a frame's destination is this NIC
    bool IsForUs(const mrc::Frame& frame, uint16_t port) const;

    // What each frame touches comes first, in the cache lines that MrcEgressPort fetches.
    std::vector<Ptr<MrcQp>> m_qps;         //!< by QPN - FIRST_QP
    Ptr<MrcFabric> m_fabric;               //!< shared state
    MrcPortArray m_ports;                  //!< by plane
    std::vector<Ptr<PortFree>> m_portFree; //!< by plane
    MrcReadyList m_ready;                  //!< QPs that may have something to send
    uint32_t m_index{0};                   //!< number in the fabric
    uint32_t m_fullFrameBytes{0};          //!< a full WRITE on the wire
    uint8_t m_firstPort{0};                //!< port that Pump() looks at first
    mrc::MemoryTable m_memory;             //!< regions
    mrc::EndpointCounters m_counters{};    //!< of all QPs
    MrcPortCounters m_portCounters;        //!< of all ports
    MrcPortContext m_context;              //!< of all ports
    Ptr<MrcProfile> m_profile;             //!< parameters
    /// ports and endpoint operations
    std::unique_ptr<MrcEndpointOps> m_endpointOps;
    MrcApplicationSink* m_application{nullptr}; //!< completions
    MrcEvPolicy* m_evPolicy{nullptr};           //!< chooses EVs
    MrcLoopSink* m_loopSink{nullptr};           //!< gets loops
    uint64_t m_seed{0};                         //!< of all random numbers
    Time m_latency;                             //!< attribute Latency
    /// trace source Completion
    TracedCallback<uint32_t, uint32_t, const mrc::Completion&> m_completionTrace;
    /// trace source PortState
    TracedCallback<uint32_t, bool> m_portStateTrace;
    /// trace source EvState
    TracedCallback<uint32_t, uint32_t, uint32_t, const mrc::EvTransition&> m_evTrace;
    /// trace source EvProbe
    TracedCallback<uint32_t, const mrc::EvProbeResult&> m_evProbeTrace;
    /// trace source PeerPorts
    TracedCallback<uint32_t, uint32_t, uint32_t, Time> m_peerPortsTrace;
};

} // namespace ns3

#endif // MRC_NIC_H
