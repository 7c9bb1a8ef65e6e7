// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EAGER_PORT_H
#define MRC_EAGER_PORT_H

#include "mrc-port-context.h"
#include "mrc-random.h"
#include "mrc-wire-size.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <ostream>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/// What happened to a frame at a port, as far as two models of the port must agree.
struct PortRecord
{
    int64_t whenPs;       ///< the decision's own time
    uint32_t id;          ///< of the frame
    uint32_t wireBytes;   ///< of the frame after the decision
    uint16_t flags;       ///< of the frame after the decision
    uint8_t trafficClass; ///< of the frame after the decision
    uint8_t reason;       ///< of a drop

    /// @param other another record @return whether all is equal
    bool operator==(const PortRecord& other) const
    {
        return std::tie(whenPs, id, wireBytes, flags, trafficClass, reason) ==
               std::tie(other.whenPs,
                        other.id,
                        other.wireBytes,
                        other.flags,
                        other.trafficClass,
                        other.reason);
    }
};

/// Print a record for a failed comparison. @param out where to @param r what @return out
inline std::ostream&
operator<<(std::ostream& out, const PortRecord& r)
{
    return out << "frame " << r.id << " at " << r.whenPs << " ps, " << r.wireBytes << " B, flags "
               << r.flags << ", class " << int{r.trafficClass} << ", reason " << int{r.reason};
}

/// All that happened at one port: a list per kind, each in the order of its happening.
struct PortLog
{
    /// Kinds of happening. Losses on the wire are apart from drops at the queue, because the order
    /// of an arrival at the far end and an arrival at the port at one instant means nothing.
    enum Kind
    {
        ENQUEUE,
        DEQUEUE,
        MARK,
        TRIM,
        DROP,
        LOSS,
        DELIVER,
        QUEUED_BYTES, ///< asked in between: wireBytes = data queue, id = control queue
        KINDS
    };

    std::array<std::vector<PortRecord>, KINDS> lists; ///< by Kind

    /// @param kind of happening @param frame which @param whenPs time @param reason of a drop
    void Add(Kind kind, const mrc::Frame& frame, int64_t whenPs, uint8_t reason = 0)
    {
        lists[kind].push_back(
            {whenPs, frame.psn, frame.wireBytes, frame.flags, frame.trafficClass, reason});
    }
};

/// Clock and events of the reference model. Among the events of an instant the kind decides.
class EagerLoop
{
  public:
    /// Kinds of event, in the order in which they run at one instant.
    enum Kind
    {
        TRANSMITTED, ///< a transmission is complete
        OPERATION,   ///< the test does something
        ARRIVAL      ///< a frame is at the far end of its link
    };

    /// @param whenPs time @param kind of event @param action what to do
    void At(int64_t whenPs, Kind kind, std::function<void()> action)
    {
        m_events.emplace(std::make_tuple(whenPs, kind, m_number++), std::move(action));
    }

    /// Run until nothing is left.
    void Run()
    {
        while (!m_events.empty())
        {
            auto event = m_events.extract(m_events.begin());
            m_nowPs = std::get<0>(event.key());
            event.mapped()();
        }
    }

    /// @return the time
    int64_t NowPs() const
    {
        return m_nowPs;
    }

  private:
    std::map<std::tuple<int64_t, Kind, uint64_t>, std::function<void()>> m_events; //!< to come
    uint64_t m_number{0};                                                          //!< made
    int64_t m_nowPs{0};                                                            //!< the time
};

/**
 * The reference for MrcEgressPort: every decision is an event at its own instant.
 *
 * Two events a frame: transmission complete, arrival. It is written to be evidently right, with
 * frames by value and one step after the other, and shares with the port under test only the
 * generator of random numbers, so that both draw the same.
 */
class EagerPort
{
  public:
    /// Gets the frames that arrive.
    using Sink = std::function<void(const mrc::Frame&)>;

    /**
     * @param loop clock and events
     * @param limits thresholds
     * @param psPerByte rate of the link
     * @param delayPs delay of the link
     * @param seed of marking
     * @param log what happens is added here
     * @param sink the far end
     */
    EagerPort(EagerLoop& loop,
              const MrcQueueLimits& limits,
              int64_t psPerByte,
              int64_t delayPs,
              uint64_t seed,
              PortLog& log,
              Sink sink)
        : m_loop(loop),
          m_limits(limits),
          m_psPerByte(psPerByte),
          m_delayPs(delayPs),
          m_marking(seed),
          m_log(log),
          m_sink(std::move(sink))
    {
    }

    /// A frame comes to the port. @param arrived it
    void Enqueue(const mrc::Frame& arrived)
    {
        mrc::Frame frame = arrived;
        if (!m_isUp)
        {
            Drop(frame, MrcDropReason::LINK_DOWN);
        }
        else if (!m_isBusy)
        {
            Start(frame);
        }
        else if ((frame.flags & mrc::Frame::CONTROL) != 0)
        {
            EnqueueControl(frame);
        }
        else if (MayTrim(frame) && Bytes(m_data) + frame.wireBytes > m_limits.trimBytes)
        {
            EnqueueControl(Trimmed(frame));
        }
        else if (Bytes(m_data) + frame.wireBytes > m_limits.dataBytes)
        {
            Drop(frame, MrcDropReason::DATA_FULL);
        }
        else
        {
            if (DrawMark(frame))
            {
                frame.trafficClass |= 3;
                ++counters.marked;
                m_log.Add(PortLog::MARK, frame, m_loop.NowPs());
            }
            m_data.push_back(frame);
            m_log.Add(PortLog::ENQUEUE, frame, m_loop.NowPs());
        }
    }

    /// @param isUp whether the link is up from now on
    void SetUp(bool isUp)
    {
        if (m_isUp && !isUp)
        {
            for (auto* lost : {&m_underWay, &m_control, &m_data})
            {
                for (const mrc::Frame& frame : *lost)
                {
                    Drop(frame, MrcDropReason::LINK_DOWN);
                }
                lost->clear();
            }
            m_isBusy = false;
            m_latestPs = 0;
            ++m_life;
        }
        m_isUp = isUp;
    }

    /// @param psPerByte the rate of transmissions that start from now on
    void SetRate(int64_t psPerByte)
    {
        m_psPerByte = psPerByte;
    }

    /// @param delayPs the delay of frames whose transmission starts from now on
    void SetDelay(int64_t delayPs)
    {
        m_delayPs = delayPs;
    }

    /// @param loss probability @param corrupt probability @param seed of the draws
    void SetImpairment(double loss, double corrupt, uint64_t seed)
    {
        m_loss = loss;
        m_corrupt = corrupt;
        m_impairment = mrc::Random(seed);
    }

    /// Log the bytes that wait.
    void LogQueuedBytes()
    {
        mrc::Frame frame{};
        frame.wireBytes = Bytes(m_data);
        frame.psn = Bytes(m_control);
        m_log.Add(PortLog::QUEUED_BYTES, frame, m_loop.NowPs());
    }

    MrcPortCounters counters; ///< what happened

  private:
    /// @param queue frames @return their bytes, added up anew
    static uint32_t Bytes(const std::deque<mrc::Frame>& queue)
    {
        uint32_t bytes = 0;
        for (const mrc::Frame& frame : queue)
        {
            bytes += frame.wireBytes;
        }
        return bytes;
    }

    //= MRC-REF 2 Already-trimmed and control packets are never trimmed
    /// @param frame a data frame @return whether it may be trimmed here
    bool MayTrim(const mrc::Frame& frame) const
    {
        const int dscp = frame.trafficClass / 4;
        return m_limits.isTrimming &&
               (dscp == m_limits.dscp.trimmable || dscp == m_limits.dscp.trimmableRetx);
    }

    /// @param whole a data frame @return what is left of it
    mrc::Frame Trimmed(const mrc::Frame& whole)
    {
        mrc::Frame frame = whole;
        const int ecn = frame.trafficClass % 4;
        const int dscp = m_limits.isToHost ? m_limits.dscp.trimmedLastHop : m_limits.dscp.trimmed;
        frame.trafficClass = static_cast<uint8_t>(dscp * 4 + ecn);
        frame.flags |= mrc::Frame::TRIMMED | mrc::Frame::CONTROL;
        if (m_limits.isToHost)
        {
            frame.flags |= mrc::Frame::TRIMMED_LASTHOP;
        }
        // FCS 4, preamble 8, gap 12; no frame is shorter than 64 with the FCS.
        const uint32_t left = std::max(m_limits.trimToBytes, 60U) + 4 + 8 + 12;
        if (frame.wireBytes > left)
        {
            frame.wireBytes = left;
        }
        ++counters.trimmed;
        m_log.Add(PortLog::TRIM, frame, m_loop.NowPs());
        return frame;
    }

    //= MRC-REF 4 Switch, RED by queue length at enqueue
    /// @param frame a data frame that will be queued @return whether to mark it
    bool DrawMark(const mrc::Frame& frame)
    {
        const double queued = Bytes(m_data);
        const double min = m_limits.ecnMinBytes;
        const double max = m_limits.ecnMaxBytes;
        if (queued <= min || m_limits.ecnMaxProbability == 0 || frame.trafficClass % 4 == 0)
        {
            return false;
        }
        const double share = queued >= max ? 1.0 : (queued - min) / (max - min);
        return m_marking.Below(65536) < share * m_limits.ecnMaxProbability;
    }

    /// @param frame of the control class, waits or is dropped
    void EnqueueControl(const mrc::Frame& frame)
    {
        if (Bytes(m_control) + frame.wireBytes > m_limits.controlBytes)
        {
            Drop(frame, MrcDropReason::CONTROL_FULL);
            return;
        }
        m_control.push_back(frame);
        m_log.Add(PortLog::ENQUEUE, frame, m_loop.NowPs());
    }

    /// Occupy the transmitter. @param frame what is sent
    void Start(const mrc::Frame& frame)
    {
        const int64_t endPs = m_loop.NowPs() + frame.wireBytes * m_psPerByte;
        m_latestPs = std::max(m_latestPs, endPs + m_delayPs);
        m_isBusy = true;
        m_underWay.push_back(frame);
        ++counters.sent;
        counters.sentBytes += frame.wireBytes;
        m_log.Add(PortLog::DEQUEUE, frame, m_loop.NowPs());
        const uint32_t life = m_life;
        m_loop.At(endPs, EagerLoop::TRANSMITTED, [this, life, arrivalPs = m_latestPs] {
            if (life == m_life)
            {
                m_loop.At(arrivalPs, EagerLoop::ARRIVAL, [this, life] { Arrive(life); });
                TakeNext();
            }
        });
    }

    /// The transmitter is free: control before data.
    void TakeNext()
    {
        m_isBusy = false;
        for (auto* queue : {&m_control, &m_data})
        {
            if (!queue->empty())
            {
                const mrc::Frame frame = queue->front();
                queue->pop_front();
                Start(frame);
                return;
            }
        }
    }

    /// The oldest frame under way is there. @param life of the link when it was sent
    void Arrive(uint32_t life)
    {
        if (life != m_life)
        {
            return;
        }
        mrc::Frame frame = m_underWay.front();
        m_underWay.pop_front();
        if (m_loss > 0 && DrawUniform() < m_loss)
        {
            Drop(frame, MrcDropReason::LINK_LOSS);
            return;
        }
        if (m_corrupt > 0 && DrawUniform() < m_corrupt)
        {
            frame.flags |= mrc::Frame::CORRUPT;
        }
        m_log.Add(PortLog::DELIVER, frame, m_loop.NowPs());
        m_sink(frame);
    }

    /// @return a number from 0 to less than 1
    double DrawUniform()
    {
        return static_cast<double>(m_impairment.Next() >> 32) / 4294967296.0;
    }

    /// @param frame what is dropped @param reason why
    void Drop(const mrc::Frame& frame, MrcDropReason reason)
    {
        const auto number = static_cast<uint8_t>(reason);
        ++counters.drop[number];
        if (mrc::IsWrite(frame.opcode) && (frame.flags & mrc::Frame::TRIMMED) == 0)
        {
            ++counters.dataDrop[number];
        }
        m_log.Add(reason == MrcDropReason::LINK_LOSS ? PortLog::LOSS : PortLog::DROP,
                  frame,
                  m_loop.NowPs(),
                  number);
    }

    EagerLoop& m_loop;                 //!< clock and events
    MrcQueueLimits m_limits;           //!< thresholds
    int64_t m_psPerByte;               //!< rate
    int64_t m_delayPs;                 //!< delay
    mrc::Random m_marking;             //!< draws marks
    PortLog& m_log;                    //!< what happened
    Sink m_sink;                       //!< far end
    std::deque<mrc::Frame> m_control;  //!< waiting
    std::deque<mrc::Frame> m_data;     //!< waiting
    std::deque<mrc::Frame> m_underWay; //!< being sent, or on the wire
    bool m_isBusy{false};              //!< a frame is being sent
    bool m_isUp{true};                 //!< the link carries frames
    uint32_t m_life{0};                //!< how often the link went down
    int64_t m_latestPs{0};             //!< arrival of the newest frame under way
    double m_loss{0};                  //!< probability
    double m_corrupt{0};               //!< probability
    mrc::Random m_impairment{1};       //!< draws losses
};

} // namespace ns3

#endif // MRC_EAGER_PORT_H
