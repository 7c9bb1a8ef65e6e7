// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_REQUESTER_H
#define MRC_REQUESTER_H

#include "mrc-age-limit.h"
#include "mrc-congestion-control.h"
#include "mrc-endpoint-counters.h"
#include "mrc-frame.h"
#include "mrc-loss-detector.h"
#include "mrc-path-selector.h"
#include "mrc-probe-scheduler.h"
#include "mrc-qp-setup.h"
#include "mrc-send-queue.h"
#include "mrc-send-window.h"
#include "mrc-transport-config.h"
#include "mrc-work-request.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace mrc
{

/// What a requester needs of its surroundings.
class RequesterHost
{
  public:
    virtual ~RequesterHost() = default;

    /// @return the window controller of a QP that is about to send for the first time
    virtual std::unique_ptr<CongestionControl> CreateCongestionControl() = 0;

    /// @return the EVs of a QP that is about to send for the first time
    virtual std::unique_ptr<PathSelector> CreatePathSelector() = 0;

    /// A work request ended. The host may post another one from here.
    virtual void OnCompletion(const Completion& completion) = 0;

    /// The requester failed; completions of what was posted follow. The QP is to go to ERROR, so
    /// the responder has to be told.
    virtual void OnQpError(int64_t /* nowPs */)
    {
    }
};

/**
 * The sending half of a QP: cuts messages into packets, keeps them within the windows, and sends
 * again what was lost.
 *
 * It has no clock and sends nothing by itself: the NIC asks NextFrame() when a port is free, tells
 * it what arrived, and calls OnTimer() at WakeByPs(). A QP that never sent holds no window, EVs or
 * controller.
 */
class Requester
{
  public:
    /// WakeByPs() of a requester that waits for nothing.
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    /**
     * @param config parameters, kept by reference
     * @param setup the connection
     * @param counters counts what happens, kept by reference
     * @param host surroundings, kept by reference
     */
    Requester(const TransportConfig& config,
              const QpSetup& setup,
              EndpointCounters& counters,
              RequesterHost& host);

    /// Append a message. A QP in ERROR completes it as FLUSHED, in OnTimer().
    void Post(const WorkRequest& request, int64_t nowPs);

    /**
     * Fill in the next frame for a port.
     *
     * @param nowPs when it would leave
     * @param plane plane of the port
     * @param[out] frame transport fields and sizes; addresses and route are the NIC's
     * @return false if nothing may be sent on this plane now; the frame is unchanged then
     */
    bool NextFrame(int64_t nowPs, uint8_t plane, Frame& frame);

    /// @return whether the last NextFrame() offered nothing only because the plane misses a turn
    bool IsSittingOut() const
    {
        return m_isSittingOut;
    }

    /// @return whether NextFrame() would have something for some plane
    bool HasWork() const;

    /// A SACK for this QP arrived.
    void OnSack(const Frame& frame, int64_t nowPs);

    /// A NACK for this QP arrived.
    void OnNack(const Frame& frame, int64_t nowPs);

    /// A transport ACK or NAK for this QP arrived.
    void OnAck(const Frame& frame, int64_t nowPs);

    /**
     * A port of a plane went down or came back, here or at the peer.
     *
     * A requester that has not sent yet takes the planes from the selector that its host creates.
     *
     * @param plane the plane
     * @param isUp whether both ports of the plane are up now
     * @param nowPs when
     */
    //= MRC-REF 4 Reverse path and ports
    void SetPlaneUp(uint8_t plane, bool isUp, int64_t nowPs)
    {
        if (m_active)
        {
            m_active->paths->SetPlaneUp(plane, isUp, nowPs);
            m_wakeByPs = std::min(m_wakeByPs, m_active->paths->NextProbeDeadlinePs());
        }
    }

    /// Time passed: act on what is due and set WakeByPs() anew.
    void OnTimer(int64_t nowPs);

    /// @return when OnTimer() is wanted at the latest, never later than what is due; NEVER if not
    int64_t WakeByPs() const
    {
        return m_wakeByPs;
    }

    /// The QP goes to ERROR for another reason: everything that is posted is flushed. The host
    /// knows and is not told.
    void ToError(int64_t nowPs);

    /// @return whether the QP is in ERROR
    bool HasFailed() const
    {
        return m_hasFailed;
    }

    /// @return messages that are posted and not complete
    const SendQueue& Messages() const
    {
        return m_queue;
    }

    /// @return payload bytes in flight
    uint64_t InflightBytes() const
    {
        return m_inflightBytes > 0 ? static_cast<uint64_t>(m_inflightBytes) : 0;
    }

    /// @return the EVs, or null before the first transmission
    PathSelector* Paths() const
    {
        return m_active ? m_active->paths.get() : nullptr;
    }

    /// @return the congestion window in bytes, 0 before the first transmission
    uint64_t CwndBytes() const
    {
        return m_active ? m_active->control->CwndBytes() : 0;
    }

    /// @return packets in flight or lost, null before the first transmission
    const SendWindow* Window() const
    {
        return m_active ? &m_active->window : nullptr;
    }

    /**
     * Fetch what NextFrame() and OnSack() touch beside this object; changes nothing.
     *
     * @param step 0, and some time later 1, which follows what 0 asked for
     */
    void Prefetch(uint32_t step) const
    {
        if (!m_active)
        {
            return;
        }
        if (step == 0)
        {
            constexpr size_t CACHE_LINE_BYTES = 64;
            for (size_t offset = 0; offset < sizeof(Active); offset += CACHE_LINE_BYTES)
            {
                __builtin_prefetch(reinterpret_cast<const char*>(m_active.get()) + offset, 1);
            }
            return;
        }
        m_active->window.PrefetchNext();
        __builtin_prefetch(m_active->paths.get());
        __builtin_prefetch(m_active->control.get());
    }

  private:
    /// What only a QP that has sent needs.
    struct Active
    {
        Active(RequesterHost& host, uint64_t firstPsn);

        std::unique_ptr<CongestionControl> control; //!< window
        std::unique_ptr<PathSelector> paths;        //!< EVs
        SendWindow window;                          //!< packets in flight
        LossDetector detector;                      //!< what was lost
        AgeLimit ages;                              //!< how long packets take
        ProbeScheduler probes;                      //!< when to ask
        std::vector<uint64_t> lost;                 //!< scratch of OnSack()
    };

    /// @return whether a lost packet waits that the peer's window allows
    bool MayResend() const
    {
        const SendWindow& window = m_active->window;
        return window.LostCount() != 0 &&
               (window.Next() - window.Base() <= m_windowPsns ||
                window.FirstLost() - window.Base() < m_windowPsns); // the peer narrowed it
    }

    /// @return whether windows allow the next new packet
    bool MaySendNew() const;
    /// @return whether the packet just sent fills a window too small for the SACK threshold
    bool IsLastBeforeSack(uint32_t bytes) const;
    /// Build the WRITE packet of a PSN.
    void FillWrite(Frame& frame, uint64_t psn, uint64_t msn, int64_t nowPs, uint32_t ev) const;
    /// Build a reliability probe.
    void FillProbe(Frame& frame, EvIndex path, int64_t nowPs);
    /// Nothing is in flight any more: settle what SACKs have not told yet.
    void SettleInflight();
    /// A packet that was not known to have arrived did.
    void Receive(uint64_t psn, uint64_t reportedFrom, int64_t nowPs);
    /// Take what rcvd_bytes grew by off the bytes in flight. @return the growth in bytes
    uint64_t OnReceivedUnits(uint32_t units256);
    /// All packets below a PSN arrived.
    void ReceiveBelow(uint64_t end, int64_t nowPs);
    /// A packet in flight is lost. @return its bytes
    uint32_t Lose(uint64_t psn);
    /// Act on the PSNs in Active::lost.
    void LoseInferred(int64_t nowPs);
    /// A packet's timer ran out.
    void TimeOut(uint64_t psn, int64_t nowPs);
    /// @return how long to wait for a packet before it times out
    int64_t TimeoutPs(uint16_t timeouts) const;
    /// Complete messages up to an MSN.
    void CompleteBelow(uint64_t msn, int64_t nowPs);
    /// @return the message of a PSN, the oldest one if the PSN is of none
    uint64_t MessageOf(uint64_t psn) const;
    /// A message fails, the others are flushed, the QP goes to ERROR.
    void Fail(CompletionStatus status, uint64_t msn, int64_t nowPs);
    /// End what is posted by now: a message with a status, the others as FLUSHED.
    void Flush(CompletionStatus status, uint64_t msn, int64_t nowPs);
    /// @return age after which a packet counts as lost once later ones arrived
    int64_t OldAgePs() const;
    /// @return whether nothing was heard for as long as all retries of a packet take
    bool IsSilentForGood(int64_t nowPs) const;
    /// @return silence after which a probe asks for a SACK
    int64_t SilencePs() const;

    const TransportConfig& m_config;  //!< shared
    EndpointCounters& m_counters;     //!< shared
    RequesterHost& m_host;            //!< surroundings
    QpSetup m_setup;                  //!< the connection
    SendQueue m_queue;                //!< messages
    std::unique_ptr<Active> m_active; //!< once something was sent
    uint64_t m_sendMsn{0};            //!< message of the next new packet
    uint64_t m_sentBytes{0};          //!< payload sent, each packet once
    int64_t m_inflightBytes{0};       //!< payload in flight, see OnReceivedUnits()
    int64_t m_wakeByPs{NEVER};        //!< when OnTimer() is wanted
    uint32_t m_receivedUnits256{0};   //!< last rcvd_bytes
    uint32_t m_windowPsns;            //!< window that the peer grants
    uint32_t m_wimmInFlight{0};       //!< WRITEs with immediate begun and not complete
    uint16_t m_maxWimm;               //!< most that may be in flight
    uint8_t m_dataTrafficClass;       //!< of first transmissions
    bool m_hasFailed{false};          //!< ERROR
    bool m_isSittingOut{false};       //!< the plane asked for missed a turn
};

} // namespace mrc

#endif // MRC_REQUESTER_H
