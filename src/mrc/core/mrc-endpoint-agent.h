// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_ENDPOINT_AGENT_H
#define MRC_ENDPOINT_AGENT_H

#include "mrc-endpoint-config.h"
#include "mrc-endpoint-counters.h"
#include "mrc-frame.h"
#include "mrc-traffic-class.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace mrc
{

/// @param opcode any opcode @return whether it is one of endpoint operations
constexpr bool
IsEndpointOp(Opcode opcode)
{
    return opcode == Opcode::ENDPOINT_REQUEST || opcode == Opcode::ENDPOINT_RESPONSE;
}

/// Asks whether a path works and how long it takes.
struct EvProbe
{
    uint32_t peer;     ///< NIC at the other end
    uint32_t qp;       ///< QPN on whose behalf; 0 = nobody's
    uint32_t ev;       ///< the path
    uint8_t plane;     ///< plane of the path
    int64_t timeoutPs; ///< after so long it counts as unanswered, > 0
};

/// What came of an EvProbe.
struct EvProbeResult
{
    EvProbe probe;    ///< what was asked
    int64_t rttPs;    ///< round trip without the peer's service time; -1: no answer in time
    uint16_t id;      ///< request id
    int64_t answerPs; ///< when this was known
};

/// An endpoint request that is to be sent.
struct EndpointRequest
{
    EndpointOp op;     ///< which
    uint8_t plane;     ///< of the port to send it through
    uint16_t id;       ///< request id
    uint32_t peer;     ///< to which NIC
    uint32_t qp;       ///< EV_PROBE: see EvProbe
    uint32_t ev;       ///< EV_PROBE: on which path; else any path of the plane
    uint32_t portMask; ///< PORT_STATUS_UPDATE: bit p = port of plane p, 1 = reachable
};

/// Is told what the agent learnt.
class EndpointObserver
{
  public:
    virtual ~EndpointObserver() = default;

    /// A probe was answered, or nobody did in time. Another one may be started from here.
    virtual void OnEvProbeEnd(const EvProbeResult& result) = 0;

    /// The ports of a peer changed. @param mask bit p: port of plane p is reachable
    virtual void OnPeerPorts(uint32_t peer, uint32_t mask, int64_t nowPs) = 0;
};

/**
 * The endpoint operations of a NIC, QPN 2 (//= MRC-REF 2 PETH, ERTH, EETH and 4 Reverse path and
 * ports): it asks peers whether an EV works, tells them which of its ports are reachable, repeats
 * that until they answer, and remembers what they said of theirs.
 *
 * It has no clock and sends nothing: after each verb the NIC takes what is due from NextRequest()
 * and calls OnTimer() at NextDeadlinePs(). Requests and answers belong to the control class: they
 * test the paths of control packets, and an update must not wait behind what it is to stop (O).
 * An update carries the mask of the time when it is sent; its id counts the updates to that peer,
 * so one that was overtaken is known to be old.
 */
class EndpointAgent
{
  public:
    /// NextDeadlinePs() of an agent that waits for nothing.
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    /**
     * @param config settings, kept by reference
     * @param dscp of the classes, kept by reference
     * @param planes ports of the NIC, 1 to 32
     * @param counters counted into, kept by reference
     * @param observer told what was learnt, kept by reference
     */
    EndpointAgent(const EndpointConfig& config,
                  const DscpMap& dscp,
                  uint8_t planes,
                  EndpointOpCounters& counters,
                  EndpointObserver& observer);

    /**
     * Start to probe an EV.
     *
     * @param probe what to ask
     * @param nowPs when
     * @return the request id
     */
    uint16_t Probe(const EvProbe& probe, int64_t nowPs);

    /**
     * An own port changed.
     *
     * @param plane of the port
     * @param isUp whether it works
     * @param peers who is to be told, each once
     * @param nowPs when
     */
    void SetOwnPort(uint8_t plane, bool isUp, const std::vector<uint32_t>& peers, int64_t nowPs);

    /// Tell a peer of the own ports. @param peer which @param nowPs when
    void Notify(uint32_t peer, int64_t nowPs);

    /// @return bit p: own port of plane p is up
    uint32_t OwnMask() const
    {
        return m_ownMask;
    }

    /// @param peer a NIC @return bit p: its port of plane p is reachable, as far as it said
    uint32_t PeerMask(uint32_t peer) const;

    /// @return all planes as a mask
    uint32_t AllPlanes() const
    {
        return m_allPlanes;
    }

    /**
     * Take what is to be sent, until there is no more.
     *
     * @param nowPs when
     * @param[out] request what to send
     * @return false if nothing is due
     */
    bool NextRequest(int64_t nowPs, EndpointRequest& request);

    /**
     * Build a request.
     *
     * @param request from NextRequest()
     * @param nowPs when it leaves
     * @param isEncapsulated whether it gets an outer header
     * @param[out] frame transport fields and sizes; addresses, EV and route are the NIC's
     */
    void Fill(const EndpointRequest& request,
              int64_t nowPs,
              bool isEncapsulated,
              Frame& frame) const;

    /**
     * A request arrived.
     *
     * @param frame of opcode ENDPOINT_REQUEST
     * @param isPeer whether there is a QP with the sender; others have no say about ports
     * @param nowPs when
     * @return whether it is to be answered
     */
    bool OnRequest(const Frame& frame, bool isPeer, int64_t nowPs);

    /**
     * Build the answer to a request.
     *
     * @param request the frame passed to OnRequest()
     * @param receivedPs when that was
     * @param nowPs when the answer leaves: the time between is taken out of the round trip
     * @param[out] answer the frame to send, on the EV of the request; may be the same object
     */
    void FillAnswer(const Frame& request, int64_t receivedPs, int64_t nowPs, Frame& answer) const;

    /// An answer arrived. @param frame of opcode ENDPOINT_RESPONSE @param nowPs when
    void OnResponse(const Frame& frame, int64_t nowPs);

    /// Time passed: end probes that nobody answered. @param nowPs the time
    void OnTimer(int64_t nowPs);

    /// @return when OnTimer() or NextRequest() has something to do; NEVER if not
    int64_t NextDeadlinePs() const;

  private:
    /// A port status update that was not answered yet.
    struct Update
    {
        uint32_t peer;      ///< to whom
        uint32_t attempts;  ///< how often it was sent
        int64_t deadlinePs; ///< when it is to be sent next
        uint16_t first;     ///< id of the first one sent with the present mask
        uint16_t serial;    ///< id of the last one sent
        uint8_t plane;      ///< over which plane that was
    };

    /// What is known of a peer: its ports, and the updates that went both ways.
    struct Peer
    {
        uint32_t peer;  ///< which
        uint32_t mask;  ///< ports that are reachable
        uint16_t heard; ///< id of the newest update that it sent
        uint16_t sent;  ///< id of the newest update sent to it
        bool hasHeard;  ///< whether it sent one
    };

    /// A probe that waits for its answer, or whose slot is free.
    struct Pending
    {
        EvProbe probe{};       ///< what was asked
        int64_t sentPs{-1};    ///< when; -1: free
        int64_t deadlinePs{0}; ///< when it counts as unanswered
        uint16_t id{0};        ///< request id
        uint16_t stamp{0};     ///< time stamp that it carried
        bool isQueued{false};  ///< not taken by NextRequest() yet
    };

    /// @param peer which @return its record, made if need be
    Peer& Know(uint32_t peer);
    /// Make room for a request id. @param id the id @param nowPs when @return its slot
    Pending& Slot(uint16_t id, int64_t nowPs);
    /// A probe ends. @param slot its slot, free then @param rttPs -1: unanswered @param nowPs when
    void End(Pending& slot, int64_t rttPs, int64_t nowPs);
    /// Choose the plane of an update. @param update which @return false if all ports are down
    bool ChoosePlane(Update& update) const;
    /// @param attempts how often an update was sent @return how long to wait for the answer, ps
    int64_t BackOffPs(uint32_t attempts) const;
    /// @param peer which @return its pending update, or the end
    std::vector<Update>::iterator FindUpdate(uint32_t peer);

    const EndpointConfig& m_config; ///< shared
    const DscpMap& m_dscp;          ///< shared
    EndpointOpCounters& m_counters; ///< of the NIC
    EndpointObserver& m_observer;   ///< the NIC
    std::vector<Update> m_updates;  ///< sorted by peer
    std::vector<Peer> m_peers;      ///< sorted by peer; only those with whom updates went
    std::vector<Pending> m_pending; ///< by request id, as many as a power of two
    std::vector<uint16_t> m_queue;  ///< ids of probes to send
    int64_t m_probeWakePs{NEVER};   ///< no probe ends before
    uint32_t m_allPlanes;           ///< a bit for each plane
    uint32_t m_ownMask;             ///< bit p: own port of plane p is up
    uint16_t m_nextId{1};           ///< of the next probe
};

} // namespace mrc

#endif // MRC_ENDPOINT_AGENT_H
