// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EGRESS_PORT_H
#define MRC_EGRESS_PORT_H

#include "mrc-fabric-event.h"
#include "mrc-frame-fifo.h"
#include "mrc-port-context.h"
#include "mrc-random.h"
#include "mrc-slab.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/// The far end of a link.
class MrcFrameSink
{
  public:
    virtual ~MrcFrameSink() = default;

    /**
     * A frame arrived; the sink owns it now.
     *
     * @param frame the frame
     * @param port the sink's port
     * @param nowPs the simulation's time, ps
     */
    virtual void Receive(mrc::Frame* frame, uint16_t port, int64_t nowPs) = 0;

    /**
     * Fetch what Receive() will touch; changes nothing.
     *
     * @param frame what will arrive
     * @param port where
     * @param step 0, then 1: see MrcFabricEvent::Prefetch(). The start of the sink was fetched
     */
    virtual void Prefetch(const mrc::Frame& /* frame */,
                          uint16_t /* port */,
                          uint32_t /* step */) const
    {
    }
};

/// Sees each frame that a port starts to send: captures.
class MrcPortTap
{
  public:
    virtual ~MrcPortTap() = default;

    /**
     * @param frame what is sent
     * @param startPs when its first bit leaves; not in order between ports, see MrcPortTraces
     */
    virtual void OnTransmit(const mrc::Frame& frame, int64_t startPs) = 0;
};

/// What only some ports need.
struct MrcPortExtras
{
    MrcPortTap* tap{nullptr};                ///< sees what is sent
    uint64_t lossThreshold{0};               ///< probability of loss x 2^32
    uint64_t corruptThreshold{0};            ///< probability of damage x 2^32
    mrc::Random random{1};                   ///< draws losses
    std::unique_ptr<MrcPortContext> context; ///< if its rate or delay is its own
};

/**
 * One direction of a link: the queues in front of it, its transmitter, and the wire.
 *
 * The port is evaluated lazily. It takes every decision that an eager model would take (control
 * before data, marking, trimming), at the same instants, but computes them only when somebody
 * looks: Advance(now) commits all transmissions that started by now. The wire is a FIFO of
 * committed frames with their arrival times and has one event in the simulator, the port itself,
 * which is scheduled again and again and never allocated. So a hop costs one event.
 *
 * The link's delay includes the latency of the node at its far end.
 */
class MrcEgressPort final : public MrcFabricEvent
{
  public:
    /// Slowest link: at less, times of large frames leave the range of the arithmetic.
    static constexpr uint64_t MIN_BITS_PER_SECOND = 1'000'000;

    MrcEgressPort();

    /// @return memory beside that of other ports
    static void* operator new(size_t)
    {
        return MrcSlab<MrcEgressPort>::Allocate();
    }

    /// Give the memory back.
    static void operator delete(void* memory)
    {
        MrcSlab<MrcEgressPort>::Free(memory);
    }

    /**
     * Join the port to the far end of its link.
     *
     * @param context shared state, outlives the port; takes rate and delay of the first port
     *        that is connected with it
     * @param index index of the port in its switch or NIC
     * @param sink the far end
     * @param sinkPort the far end's port
     * @param bitsPerSecond rate of the link
     * @param delayPs propagation delay and latency of the far end, ps
     * @param seed of the random numbers for marking
     */
    void Connect(MrcPortContext* context,
                 uint16_t index,
                 MrcFrameSink* sink,
                 uint16_t sinkPort,
                 uint64_t bitsPerSecond,
                 int64_t delayPs,
                 uint64_t seed);

    /**
     * Lead the link to another far end, such as a real host in the place of a NIC. Nothing may be
     * under way.
     *
     * @param sink the far end
     * @param sinkPort the far end's port
     */
    void SetSink(MrcFrameSink* sink, uint16_t sinkPort)
    {
        m_sink = sink;
        m_sinkPort = sinkPort;
    }

    /// Hand a frame to the queues; it may be marked, trimmed or dropped.
    void Enqueue(mrc::Frame* frame, int64_t nowPs);

    /// Send a frame at once, past the queues. The port must be idle (see Advance()).
    void Transmit(mrc::Frame* frame, int64_t nowPs);

    /// Commit the transmissions that started by now. @return when the port is free
    int64_t Advance(int64_t nowPs)
    {
        if (m_hasQueued)
        {
            AdvanceQueued(nowPs);
        }
        return m_busyUntilPs;
    }

    /// @return whether the link is up
    bool IsUp() const
    {
        return m_isUp;
    }

    /**
     * Change the state of the link. Going down loses what is queued and under way.
     *
     * @param isUp the new state
     * @param nowPs the time
     */
    void SetUp(bool isUp, int64_t nowPs);

    /// Change the rate from the next frame on.
    void SetRate(uint64_t bitsPerSecond, int64_t nowPs);

    /// Change the delay of frames sent from now on; arrivals stay in order.
    void SetDelay(int64_t delayPs, int64_t nowPs);

    /**
     * Lose or damage frames at random.
     *
     * @param loss probability of loss, 0 to 1
     * @param corrupt probability that a frame that is not lost is damaged, 0 to 1
     * @param seed of the draws
     */
    void SetImpairment(double loss, double corrupt, uint64_t seed);

    /// @return thresholds
    const MrcQueueLimits& Limits() const
    {
        return m_context->limits;
    }

    /// Change the thresholds of this port alone, for frames that come from now on.
    void SetLimits(const MrcQueueLimits& limits);

    /// Count into an object of the caller's instead of that of the switch or NIC. @param counters
    /// outlive the port
    void SetCounters(MrcPortCounters* counters);

    /// Watch what is sent; null to stop.
    void SetTap(MrcPortTap* tap);

    /// @return bytes in the data queue as of the last Advance()
    uint32_t DataBytes() const
    {
        return m_dataBytes;
    }

    /// @return bytes in the control queue as of the last Advance()
    uint32_t ControlBytes() const
    {
        return m_controlBytes;
    }

    /// @return rate of the link, bit/s, rounded
    uint64_t BitsPerSecond() const;

    /// @return how long a frame occupies the link, ps
    int64_t SerializationPs(uint32_t wireBytes) const
    {
        return static_cast<int64_t>(wireBytes * m_context->psPerByte16 >> 16);
    }

    /// @return propagation delay and latency of the far end, ps
    int64_t DelayPs() const
    {
        return m_context->delayPs;
    }

    void Run(int64_t nowPs) override;

    void Prefetch(uint32_t step) const override;

    /// Fetch what Enqueue() will touch beside the port itself, which was fetched; changes nothing.
    void PrefetchQueues() const
    {
        __builtin_prefetch(m_context);
        m_wire.PrefetchTail();
        if (m_hasQueued)
        {
            m_data.Prefetch();
        }
    }

  private:
    /// Start to send a frame.
    void Commit(mrc::Frame* frame, int64_t startPs);
    /// Set off the event of the frame at the head of the wire.
    void ScheduleArrival(int64_t nowPs);
    /// Wait for the transmitter, or be trimmed or dropped.
    void Queue(mrc::Frame* frame, int64_t nowPs);
    /// Cut a frame to its headers.
    void Trim(mrc::Frame* frame, int64_t nowPs);
    /// Count and release a frame.
    void Drop(mrc::Frame* frame, MrcDropReason reason, int64_t whenPs);
    /// Commit what waits, as long as the transmitter is free by now.
    void AdvanceQueued(int64_t nowPs);
    /// Drop everything in a queue.
    void Flush(mrc::FrameFifo& fifo, int64_t nowPs);
    /// @return whether a lossy link delivers a frame; drops it if not
    bool Survives(mrc::Frame* frame, int64_t nowPs);
    /// @return the extras, made when first needed
    MrcPortExtras& Extras();

    /// @return parameters that only this port has
    MrcPortContext& OwnContext();

    // The first cache line, together with the base class whose padding the first members fill, is
    // all that a frame touches which finds the port idle.
    bool m_isPending : 1;               //!< the head of the wire has its event
    bool m_isUp : 1;                    //!< the link carries frames
    bool m_hasQueued : 1;               //!< a frame waits in m_control or m_data
    bool m_hasExtras : 1;               //!< m_extras is there
    uint16_t m_sinkPort{0};             //!< the far end's
    int64_t m_busyUntilPs{0};           //!< when the last committed transmission ends
    mrc::FrameFifo m_wire;              //!< committed frames, by arrival
    int64_t m_lastArrivalPs{0};         //!< when the last committed frame arrives
    MrcPortContext* m_context{nullptr}; //!< shared
    MrcFrameSink* m_sink{nullptr};      //!< far end

    mrc::FrameFifo m_control;                //!< waiting control frames
    mrc::FrameFifo m_data;                   //!< waiting data frames
    uint16_t m_index{0};                     //!< own index
    uint32_t m_controlBytes{0};              //!< in m_control
    uint32_t m_dataBytes{0};                 //!< in m_data
    mrc::Random m_random{1};                 //!< draws marks
    std::unique_ptr<MrcPortExtras> m_extras; //!< rarely there
};

static_assert(sizeof(MrcEgressPort) <= 128, "a fabric has millions of ports");

} // namespace ns3

#endif // MRC_EGRESS_PORT_H
