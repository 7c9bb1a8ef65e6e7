// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_HOST_ENDPOINT_H
#define MRC_HOST_ENDPOINT_H

#include "mrc-ev-table.h"
#include "mrc-frame-codec.h"
#include "mrc-host-clock.h"
#include "mrc-host-port.h"
#include "mrc-host-qp.h"
#include "mrc-memory.h"
#include "mrc-netlink.h"
#include "mrc-nscc.h"
#include "mrc-random.h"
#include "mrc-ring.h"
#include "mrc-transport-config.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <poll.h>
#include <vector>

namespace mrc::perf
{

/// Parameters of an endpoint on a real host.
struct HostEndpointConfig
{
    TransportConfig transport;           ///< of requesters and responders, nothing left at 0
    EvTableConfig evs;                   ///< of EV tables
    NsccConfig nscc;                     ///< of NSCC
    bool isNscc;                         ///< NSCC, or a fixed window
    uint64_t windowBytes;                ///< the fixed window
    uint64_t portBitsPerSecond;          ///< what a port is taken to carry: length of a missed turn
    uint32_t ringFrames;                 ///< frames that each port's receive ring holds
    uint64_t seed;                       ///< of EV selection
    Ipv6Address address;                 ///< of the endpoint, inner source when encapsulated
    std::shared_ptr<FabricPaths> fabric; ///< checks the uSID of what arrives; may be null
    EncodeOptions encode;                ///< of sent packets
    DecodeOptions decode;                ///< of received ones
};

/// What an endpoint counted besides EndpointCounters.
struct HostCounters
{
    uint64_t malformed;     ///< frames that are not MRC, or broken
    uint64_t notForUs;      ///< frames to other addresses, or from unexpected ones
    uint64_t answersLost;   ///< answers dropped because a port took no more
    uint64_t answersMerged; ///< answers that a later one of the same batch made needless
};

/// Takes what an endpoint reports; indices count its QPs from 0.
class HostSink
{
  public:
    virtual ~HostSink() = default;

    /// A work request ended. More may be posted from here.
    virtual void OnCompletion(uint32_t qp, const Completion& completion) = 0;

    /// A message with an immediate arrived, in order.
    virtual void OnReceive(uint32_t qp, const ReceiveCompletion& completion) = 0;

    /// The link of a port went down or came up.
    virtual void OnPort(uint8_t plane, bool isUp, int64_t nowPs) = 0;
};

/**
 * A network adapter that speaks MRC, in user space: what ns3::MrcNic is in the simulator.
 *
 * One thread. Progress() takes what arrived, lets timers fire, asks the QPs in turn for frames
 * for each port and sends them, and never waits; Wait() sleeps until something is to be done.
 */
class HostEndpoint
{
  public:
    /**
     * @param config parameters
     * @param planes interface and own address of each plane
     * @param sink gets completions
     * @throws RunError if an interface cannot be opened
     */
    HostEndpoint(const HostEndpointConfig& config, std::vector<HostPort> planes, HostSink& sink);
    ~HostEndpoint();

    /// @return QPN that the next QP will have
    uint32_t NextQpn() const
    {
        return m_firstQpn + QpCount();
    }

    /// @param setup localQp is NextQpn() @param route to the peer @return index of the QP
    uint32_t CreateQp(const QpSetup& setup, std::shared_ptr<const HostRoute> route);

    /// @return number of QPs
    uint32_t QpCount() const
    {
        return static_cast<uint32_t>(m_qps.size());
    }

    /// @param index of a QP @return the QP
    const HostQp& Qp(uint32_t index) const
    {
        return m_qps[index];
    }

    /// Post a work request to a QP.
    void Post(uint32_t index, const WorkRequest& request);

    /// @return memory that peers may write to
    MemoryTable& Memory()
    {
        return m_memory;
    }

    /// Do what can be done without waiting. @return whether frames came or went
    bool Progress();

    /**
     * Sleep until a frame arrives, a timer is due, a descriptor is ready or time is up.
     *
     * @param other descriptor of the caller, negative = none
     * @param untilPs latest end of the sleep
     */
    void Wait(int other, int64_t untilPs);

    /// @return what the QPs counted
    const EndpointCounters& Counters() const
    {
        return m_counters;
    }

    /// @return what the endpoint counted itself
    const HostCounters& OwnCounters() const
    {
        return m_hostCounters;
    }

    /// @return ports by plane
    const std::vector<HostPort>& Ports() const
    {
        return m_ports;
    }

  private:
    friend class HostQp;

    /// Open the packet socket of a port.
    void Open(HostPort& port) const;
    /**
     * Take frames of all ports in the order of their arrival, and answer them. That order matters
     * when this process is late: a SACK must not tell of one plane what is unread of another.
     *
     * @return how many, RECEIVE_BATCH if there may be more
     */
    uint32_t Receive();
    /// Decode what arrived at a port and give it to its QP.
    void Take(uint8_t plane, const uint8_t* raw, uint32_t bytes, int64_t arrivalPs);
    /// A frame of MRC arrived.
    void Dispatch(Frame& frame, const FrameAddresses& addresses, int64_t arrivalPs);
    /// @return whether a frame is addressed to us and comes from where the QP's peer is
    bool IsExpected(const HostQp& qp, const Frame& frame, const FrameAddresses& addresses) const;
    /// Remember answers until the batch ends.
    void Owe(HostQp& qp, uint8_t replies, const Frame& trigger);
    /// Write the answers that a QP owes.
    void Answer(HostQp& qp);
    /// Write the answers of all QPs.
    void AnswerAll();
    /// Write a frame into a slot of a port. @return false if there is none
    bool Send(const HostQp& qp, uint8_t plane, Frame& frame);
    /// Ask QPs for frames for a port until it takes no more or they have none.
    bool Fill(uint8_t plane, int64_t nowPs);
    /// Let due timers fire.
    void RunTimers(int64_t nowPs);
    /// A QP changed: it may have something to send, or another timer.
    void Touch(HostQp& qp);
    /// Take news about links from the kernel.
    void CheckLinks();
    /// A port's link went down or came up.
    void SetUp(uint8_t plane, bool isUp);

    HostEndpointConfig m_config;   //!< parameters
    NsccParameters m_nscc;         //!< derived
    HostSink& m_sink;              //!< completions
    std::vector<HostPort> m_ports; //!< by plane
    std::deque<HostQp> m_qps;      //!< by index
    Ring<HostQp*> m_ready;         //!< QPs that may have something to send
    std::vector<HostQp*> m_owing;  //!< QPs with answers of the present batch
    MemoryTable m_memory;          //!< regions
    EndpointCounters m_counters;   //!< of the QPs
    HostCounters m_hostCounters;   //!< own
    NetlinkSocket m_links;         //!< news about links
    ArrivalClock m_arrivals;       //!< of frames
    Random m_random;               //!< EVs and QPNs
    int64_t m_wakeByPs;            //!< earliest timer
    int64_t m_checkLinksPs{0};     //!< when to ask for news about links
    int64_t m_missedTurnPs;        //!< a full packet on a port
    uint32_t m_firstQpn;           //!< QPN of the first QP
    uint8_t m_firstPort{0};        //!< port that is asked first
};

} // namespace mrc::perf

#endif // MRC_HOST_ENDPOINT_H
