// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_RESPONDER_H
#define MRC_RESPONDER_H

#include "mrc-endpoint-counters.h"
#include "mrc-frame.h"
#include "mrc-memory.h"
#include "mrc-qp-setup.h"
#include "mrc-receive-window.h"
#include "mrc-ring.h"
#include "mrc-transport-config.h"
#include "mrc-work-request.h"

#include <cstdint>

namespace mrc
{

/// What a responder tells its surroundings.
class ResponderHost
{
  public:
    virtual ~ResponderHost() = default;

    /// A message with an immediate is complete, and so are all before it.
    virtual void OnReceiveCompletion(const ReceiveCompletion& completion) = 0;

    /// The responder refused something for good. The QP is to go to ERROR, so the requester has to
    /// be told.
    virtual void OnQpError(int64_t /* nowPs */)
    {
    }
};

/**
 * The receiving half of a QP: places payloads, tracks PSNs and messages, and says which answers
 * are due.
 *
 * The NIC passes in what arrived, gets the set of answers that are due, and asks for each to be
 * filled in. Answers travel on the EV of the packet that caused them: that path works.
 */
class Responder
{
  public:
    /// Answers that are due, to be sent in this order.
    enum Reply : uint8_t
    {
        REPLY_NONE = 0,
        REPLY_SACK = 1,
        REPLY_NACK = 2,
        REPLY_ACK = 4
    };

    /**
     * @param config parameters, kept by reference
     * @param setup the connection
     * @param memory what the peer may write to, kept by reference
     * @param counters counts what happens, kept by reference
     * @param host surroundings, kept by reference
     */
    Responder(const TransportConfig& config,
              const QpSetup& setup,
              MemoryTable& memory,
              EndpointCounters& counters,
              ResponderHost& host);

    /// A WRITE arrived, perhaps trimmed. @return Reply bits
    uint8_t OnWrite(const Frame& frame, int64_t nowPs);

    /**
     * Post a receive work request: the next WRITE with immediate takes it. Needed only with
     * TransportConfig::postedReceives, where a WRITE with immediate that finds none is refused for
     * good.
     *
     * @param id the application's own name for it, returned in the completion
     * @return false if the QP is in ERROR; nothing is posted then
     */
    bool PostReceive(uint64_t id);

    /// Grant another window from now on, where both ends have DYNAMIC_MPR. @param units of 128 PSNs
    void SetMpr(uint8_t units);

    /// The QP goes to ERROR for another reason: posted receives are flushed, and what comes from
    /// now on is an unexpected event. The host knows and is not told.
    void ToError(int64_t nowPs);

    /// A reliability probe arrived. @return Reply bits
    uint8_t OnProbe(const Frame& frame);

    /**
     * Fill in an answer that OnWrite() or OnProbe() called for.
     *
     * @param reply one Reply bit
     * @param trigger the frame that was passed to OnWrite() or OnProbe()
     * @param[out] answer the frame to send; may be the same object as the trigger
     * @param servicePs how long the trigger has been here, ps; with SVC_TIME the peer does not
     *        count it as time on the way
     */
    void Fill(Reply reply, const Frame& trigger, Frame& answer, int64_t servicePs = 0);

    /// Fetch what OnWrite() will touch beside this object; changes nothing.
    void Prefetch(const Frame& frame) const
    {
        m_window.Prefetch(frame.psn);
        m_memory.Prefetch(frame.write.reth.rKey);
    }

    /// @return PSNs received and missing
    const ReceiveWindow& Window() const
    {
        return m_window;
    }

    /// @return messages complete in order
    uint64_t CompletedMessages() const
    {
        return m_completed;
    }

  private:
    /// A receive, posted or implied, and the immediate that it got.
    struct Stashed
    {
        uint64_t id;        //!< of the receive work request
        uint64_t endPsn;    //!< one past its message's last PSN
        uint32_t immediate; //!< the value
        uint32_t bytes;     //!< message length
        bool isPresent;     //!< arrived
        bool isPooled;      //!< holds a stash entry of the endpoint
    };

    /// Refuse a packet for good. @return Reply bits
    uint8_t Refuse(uint8_t syndrome, uint32_t psn, int64_t nowPs);
    /// @return Reply bits to whatever comes once the QP is in ERROR
    uint8_t ReplyInError();
    /// @return whether an immediate's RQMSN is new and within the limit
    bool CanStash(uint64_t rqmsn) const;
    /// Keep an immediate until all before it is complete.
    void Stash(const Frame& frame, uint64_t psn, uint64_t rqmsn);
    /// Report immediates whose messages are complete.
    void DeliverImmediates(int64_t nowPs);
    /// Fill in what SACK, NACK and ACK share.
    void FillCommon(Opcode opcode, const Frame& trigger, Frame& answer) const;
    /// Fill in a SACK.
    void FillSack(const Frame& trigger, Frame& answer, int64_t servicePs);
    /// Take what a fresh packet needs. @return whether there was enough; else a NACK is due
    bool TakeResources(const Frame& frame, uint64_t psn, int64_t nowPs);
    /// Ask the peer to send less, as something ran out or is about to.
    void Press(int64_t nowPs);
    /// Nothing was short: let the peer have its window back after a while.
    void Relax(int64_t nowPs);
    /// Give back what the QP holds.
    void ReturnResources();
    /// Go to ERROR.
    void Close(int64_t nowPs);

    const TransportConfig& m_config; //!< shared
    EndpointCounters& m_counters;    //!< shared
    MemoryTable& m_memory;           //!< of the NIC
    ResponderHost& m_host;           //!< surroundings
    QpSetup m_setup;                 //!< the connection
    ReceiveWindow m_window;          //!< PSNs
    Ring<Stashed> m_immediates;      //!< by RQMSN
    uint64_t m_receivedBytes{0};     //!< payload of WRITEs, each counted once
    uint64_t m_completed{0};         //!< messages complete in order
    uint64_t m_unreportedPsn;        //!< every PSN received below is in some SACK sent
    uint32_t m_sackBytes{0};         //!< towards the SACK threshold
    int64_t m_pressedPs{-1};         //!< when SACKs last began to say m_cwndPenalty or r_c; or -1
    uint32_t m_stashed{0};           //!< of the endpoint's stash entries
    uint32_t m_nakPsn{0};            //!< what was refused, 24 bits
    uint8_t m_nakSyndrome{AETH_ACK}; //!< set once the QP refused something for good
    NackCode m_nackReason{NackCode::TRIMMED}; //!< of the NACK that is due
    bool m_hasFailed{false};                  //!< ERROR
    bool m_isLimited;                         //!< resources can run out
    bool m_holdsBitmap{false};                //!< of the endpoint's
    bool m_isRestoring{false};                //!< SACKs say r_c
    uint8_t m_cwndPenalty{0};                 //!< SACKs say rcv_cwnd_pen
    uint8_t m_mprUnits;                       //!< window that is granted
    uint16_t m_mtuBytes;                      //!< longest payload
};

} // namespace mrc

#endif // MRC_RESPONDER_H
