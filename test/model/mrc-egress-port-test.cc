// SPDX-License-Identifier: GPL-2.0-only
// MrcEgressPort decides what an eager port would decide, and at the same instants: cases worked out
// by hand, and random traffic against the two-event reference model of mrc-eager-port.h.
#include "mrc-clock.h"
#include "mrc-eager-port.h"
#include "mrc-egress-port.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace
{

using mrc::Frame;

constexpr uint64_t GBPS = 1'000'000'000;
constexpr uint8_t DATA_CLASS = 8 << 2 | mrc::ECT0;        ///< TRIMMABLE, ECT(0)
constexpr uint8_t RETX_CLASS = 10 << 2 | mrc::ECT0;       ///< TRIMMABLE_RETX, ECT(0)
constexpr uint8_t NO_TRIM_CLASS = 0 << 2 | mrc::ECT0;     ///< NO_TRIM, ECT(0)
constexpr uint8_t CONTROL_CLASS = 46 << 2 | mrc::NOT_ECT; ///< CONTROL, Not-ECT

/// The fabric counts picoseconds; a process sets them once, before its first event.
void
UsePicoseconds()
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
}

/// A port under test with a context of its own, and a far end that logs and gives frames back or
/// passes them on.
class PortRig : public MrcFrameSink
{
  public:
    /**
     * @param pool memory of frames
     * @param limits thresholds
     * @param bitsPerSecond rate
     * @param delayPs delay
     * @param seed of marking
     */
    PortRig(mrc::FramePool& pool,
            const MrcQueueLimits& limits,
            uint64_t bitsPerSecond,
            int64_t delayPs,
            uint64_t seed = 1)
        : m_pool(pool)
    {
        context.limits = limits;
        context.pool = &pool;
        context.counters = &counters;
        context.traces = &traces;
        port->Connect(&context, INDEX, this, SINK_PORT, bitsPerSecond, delayPs, seed);
        traces.enqueue.ConnectWithoutContext(MakeCallback(&PortRig::OnEnqueue, this));
        traces.dequeue.ConnectWithoutContext(MakeCallback(&PortRig::OnDequeue, this));
        traces.mark.ConnectWithoutContext(MakeCallback(&PortRig::OnMark, this));
        traces.trim.ConnectWithoutContext(MakeCallback(&PortRig::OnTrim, this));
        traces.drop.ConnectWithoutContext(MakeCallback(&PortRig::OnDrop, this));
    }

    PortRig(const PortRig&) = delete;
    PortRig& operator=(const PortRig&) = delete;

    void Receive(Frame* frame, uint16_t sinkPort, int64_t nowPs) override
    {
        EXPECT_EQ(sinkPort, SINK_PORT);
        EXPECT_EQ(nowPs, MrcNowPs());
        log.Add(PortLog::DELIVER, *frame, nowPs);
        if (next != nullptr)
        {
            next->port->Enqueue(frame, nowPs);
        }
        else
        {
            m_pool.Release(frame);
        }
    }

    /// Hand the port a frame.
    /// @param whenPs time @param id of the frame @param bytes wire size @param trafficClass class
    void Send(int64_t whenPs, uint32_t id, uint32_t bytes, uint8_t trafficClass)
    {
        Simulator::Schedule(Time(whenPs) - Simulator::Now(), [=] {
            Frame* frame = m_pool.Allocate();
            *frame = Frame{};
            frame->psn = id;
            frame->wireBytes = bytes;
            frame->trafficClass = trafficClass;
            const bool isControl = mrc::DscpOf(trafficClass) == 46;
            frame->flags = isControl ? Frame::CONTROL : 0;
            frame->opcode = isControl ? mrc::Opcode::SACK : mrc::Opcode::WRITE_MIDDLE;
            port->Enqueue(frame, whenPs);
        });
    }

    /// @param kind of happening @return the times of its records, ps
    std::vector<int64_t> Times(PortLog::Kind kind) const
    {
        std::vector<int64_t> times;
        for (const PortRecord& record : log.lists[kind])
        {
            times.push_back(record.whenPs);
        }
        return times;
    }

    /// @param kind of happening @return the frames of its records
    std::vector<uint32_t> Ids(PortLog::Kind kind) const
    {
        std::vector<uint32_t> ids;
        for (const PortRecord& record : log.lists[kind])
        {
            ids.push_back(record.id);
        }
        return ids;
    }

    /// @param reason why @return frames dropped
    uint64_t Drops(MrcDropReason reason) const
    {
        return counters.drop[static_cast<size_t>(reason)];
    }

    Ptr<MrcEgressPort> port{Create<MrcEgressPort>()}; ///< under test
    PortLog log;                                      ///< what happened
    MrcPortContext context;                           ///< of the port
    MrcPortCounters counters;                         ///< of the port
    MrcPortTraces traces;                             ///< of the port
    PortRig* next{nullptr};                           ///< where frames go on to
    int64_t longestLagPs{0}; ///< from a start of transmission to its computation

  private:
    static constexpr uint16_t INDEX = 3;      //!< the port's own index
    static constexpr uint16_t SINK_PORT = 17; //!< the far end's

    void OnEnqueue(uint32_t index, const Frame& frame, Time when)
    {
        EXPECT_EQ(index, INDEX);
        EXPECT_EQ(when, Simulator::Now());
        log.Add(PortLog::ENQUEUE, frame, when.GetTimeStep());
    }

    void OnDequeue(uint32_t index, const Frame& frame, Time when)
    {
        EXPECT_EQ(index, INDEX);
        longestLagPs = std::max(longestLagPs, MrcNowPs() - when.GetTimeStep());
        log.Add(PortLog::DEQUEUE, frame, when.GetTimeStep());
    }

    void OnMark(uint32_t index, const Frame& frame, Time when)
    {
        EXPECT_EQ(index, INDEX);
        log.Add(PortLog::MARK, frame, when.GetTimeStep());
    }

    void OnTrim(uint32_t index, const Frame& frame, Time when)
    {
        EXPECT_EQ(index, INDEX);
        log.Add(PortLog::TRIM, frame, when.GetTimeStep());
    }

    void OnDrop(uint32_t index, const Frame& frame, MrcDropReason reason, Time when)
    {
        EXPECT_EQ(index, INDEX);
        log.Add(reason == MrcDropReason::LINK_LOSS ? PortLog::LOSS : PortLog::DROP,
                frame,
                when.GetTimeStep(),
                static_cast<uint8_t>(reason));
    }

    mrc::FramePool& m_pool; //!< memory of frames
};

/// Cases worked out by hand, on one port.
class MrcEgressPortTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        UsePicoseconds();
    }

    void TearDown() override
    {
        Simulator::Destroy();
        EXPECT_EQ(m_pool.InUse(), 0U) << "a frame was lost or leaked";
    }

    mrc::FramePool m_pool; //!< memory of frames
};

using Ps = std::vector<int64_t>;
using Ids = std::vector<uint32_t>;

TEST_F(MrcEgressPortTest, SerialisationIsExact)
{
    // 8 bits a byte: 80 ps at 100 Gb/s, 20 ps at 400 Gb/s, 10 ps at 800 Gb/s.
    const std::vector<std::pair<uint64_t, int64_t>> rates = {
        {100 * GBPS, 80},
        {200 * GBPS, 40},
        {400 * GBPS, 20},
        {800 * GBPS, 10},
    };
    for (const auto& [rate, psPerByte] : rates)
    {
        PortRig rig(m_pool, {}, rate, 0);
        for (const uint32_t bytes : {84U, 152U, 4290U, 9216U})
        {
            EXPECT_EQ(rig.port->SerializationPs(bytes), bytes * psPerByte) << rate;
        }
    }
}

TEST_F(MrcEgressPortTest, FramesFollowEachOtherWithoutGap)
{
    // 4290 B at 100 Gb/s take 343,200 ps; the delay is 1,000,000 ps.
    PortRig rig(m_pool, {}, 100 * GBPS, 1'000'000);
    rig.Send(500, 1, 4290, DATA_CLASS);
    rig.Send(500, 2, 4290, DATA_CLASS);
    rig.Send(900, 3, 84, DATA_CLASS);     // 6,720 ps
    rig.Send(900'000, 4, 84, DATA_CLASS); // the port has been idle since 693,620
    Simulator::Run();
    EXPECT_EQ(rig.Times(PortLog::DEQUEUE), (Ps{500, 343'700, 686'900, 900'000}));
    EXPECT_EQ(rig.Times(PortLog::DELIVER), (Ps{1'343'700, 1'686'900, 1'693'620, 1'906'720}));
    EXPECT_EQ(rig.Ids(PortLog::DELIVER), (Ids{1, 2, 3, 4}));
    EXPECT_EQ(rig.Ids(PortLog::ENQUEUE), (Ids{2, 3})) << "1 and 4 did not wait";
    EXPECT_EQ(rig.counters.sent, 4U);
    EXPECT_EQ(rig.counters.sentBytes, 2U * 4290 + 2 * 84);
}

TEST_F(MrcEgressPortTest, TracesCarryTheTimeOfTheDecision)
{
    // Nobody looks at the port between 0 and the arrival of frame 1 at 1,080,000: frames 2 to 4
    // started in between, and their records are late, but say when.
    PortRig rig(m_pool, {}, 100 * GBPS, 1'000'000);
    for (uint32_t id = 1; id <= 4; ++id)
    {
        rig.Send(0, id, 1000, DATA_CLASS);
    }
    Simulator::Run();
    EXPECT_EQ(rig.Times(PortLog::DEQUEUE), (Ps{0, 80'000, 160'000, 240'000}));
    EXPECT_EQ(rig.longestLagPs, 1'000'000) << "one link delay, for frame 2";
}

TEST_F(MrcEgressPortTest, ControlGoesBeforeData)
{
    // 1000 B = 80,000 ps; 84 B = 6,720 ps.
    PortRig rig(m_pool, {}, 100 * GBPS, 0);
    rig.Send(0, 1, 1000, DATA_CLASS);
    rig.Send(1, 2, 1000, DATA_CLASS);
    rig.Send(2, 3, 84, CONTROL_CLASS);
    rig.Send(3, 4, 84, CONTROL_CLASS);
    rig.Send(100'000, 5, 84, CONTROL_CLASS); // while 2 is sent: it is not interrupted
    Simulator::Run();
    EXPECT_EQ(rig.Ids(PortLog::DEQUEUE), (Ids{1, 3, 4, 2, 5}));
    EXPECT_EQ(rig.Times(PortLog::DEQUEUE), (Ps{0, 80'000, 86'720, 93'440, 173'440}));
}

TEST_F(MrcEgressPortTest, CompletionComesBeforeArrivalOfTheSameInstant)
{
    // At 80,000 frame 1 is complete, frame 2 (data) is taken, and only then control frame 3 comes.
    PortRig rig(m_pool, {}, 100 * GBPS, 0);
    rig.Send(0, 1, 1000, DATA_CLASS);
    rig.Send(0, 2, 1000, DATA_CLASS);
    rig.Send(80'000, 3, 84, CONTROL_CLASS);
    Simulator::Run();
    EXPECT_EQ(rig.Ids(PortLog::DEQUEUE), (Ids{1, 2, 3}));
}

TEST_F(MrcEgressPortTest, QueueLimitsAreExact)
{
    MrcQueueLimits limits;
    limits.dataBytes = 2000;
    limits.controlBytes = 168;
    PortRig rig(m_pool, limits, 100 * GBPS, 0);
    rig.Send(0, 1, 1000, DATA_CLASS); // is sent, does not count
    rig.Send(1, 2, 1000, DATA_CLASS);
    rig.Send(2, 3, 1000, DATA_CLASS); // 2000: fits
    rig.Send(3, 4, 84, DATA_CLASS);   // 2084: not
    rig.Send(4, 5, 84, CONTROL_CLASS);
    rig.Send(5, 6, 84, CONTROL_CLASS); // 168: fits
    rig.Send(6, 7, 84, CONTROL_CLASS); // 252: not
    Simulator::Schedule(Time(7), [&] {
        EXPECT_EQ(rig.port->DataBytes(), 2000U);
        EXPECT_EQ(rig.port->ControlBytes(), 168U);
    });
    Simulator::Run();
    EXPECT_EQ(rig.Ids(PortLog::DROP), (Ids{4, 7}));
    EXPECT_EQ(rig.Times(PortLog::DROP), (Ps{3, 6}));
    EXPECT_EQ(rig.Drops(MrcDropReason::DATA_FULL), 1U);
    EXPECT_EQ(rig.Drops(MrcDropReason::CONTROL_FULL), 1U);
    EXPECT_EQ(rig.counters.dataDrop[static_cast<size_t>(MrcDropReason::DATA_FULL)], 1U);
    EXPECT_EQ(rig.counters.dataDrop[static_cast<size_t>(MrcDropReason::CONTROL_FULL)], 0U);
    EXPECT_EQ(rig.port->DataBytes(), 0U);
    EXPECT_EQ(rig.port->ControlBytes(), 0U);
}

TEST_F(MrcEgressPortTest, TrimsToHeadersInTheControlClass)
{
    MrcQueueLimits limits;
    limits.isTrimming = true;
    limits.trimBytes = 1000;
    limits.dataBytes = 3000;
    PortRig rig(m_pool, limits, 100 * GBPS, 0);
    rig.Send(0, 1, 1000, DATA_CLASS);
    rig.Send(1, 2, 1000, DATA_CLASS);    // 1000 waits: fits
    rig.Send(2, 3, 4290, DATA_CLASS);    // trimmed
    rig.Send(3, 4, 4290, RETX_CLASS);    // trimmed
    rig.Send(4, 5, 1000, NO_TRIM_CLASS); // 2000 <= 3000: waits
    rig.Send(5, 6, 2000, NO_TRIM_CLASS); // 4000: dropped
    rig.Send(6, 7, 100, DATA_CLASS);     // shorter than what trimming leaves: keeps its size
    Simulator::Run();
    // 128 B from the Ethernet header + FCS 4 + preamble 8 + gap 12 = 152 B = 12,160 ps.
    // DSCP TRIMMED 12, ECT(0) stays: 12 x 4 + 2 = 50. TRIMMED 4 | CONTROL 2 = 6.
    EXPECT_EQ(rig.log.lists[PortLog::TRIM],
              (std::vector<PortRecord>{
                  {2, 3, 152, 6, 50, 0}, {3, 4, 152, 6, 50, 0}, {6, 7, 100, 6, 50, 0}}));
    EXPECT_EQ(rig.Ids(PortLog::DROP), (Ids{6}));
    EXPECT_EQ(rig.Ids(PortLog::DEQUEUE), (Ids{1, 3, 4, 7, 2, 5}));
    EXPECT_EQ(rig.Times(PortLog::DEQUEUE), (Ps{0, 80'000, 92'160, 104'320, 112'320, 192'320}));
    EXPECT_EQ(rig.counters.trimmed, 3U);
}

TEST_F(MrcEgressPortTest, TrimmedFrameNeedsRoomAmongControl)
{
    MrcQueueLimits limits;
    limits.isTrimming = true;
    limits.trimBytes = 0;
    limits.controlBytes = 303; // one of 152 B
    PortRig rig(m_pool, limits, 100 * GBPS, 0);
    rig.Send(0, 1, 1000, DATA_CLASS); // an idle port sends at once, whatever the threshold
    rig.Send(1, 2, 1000, DATA_CLASS);
    rig.Send(2, 3, 1000, DATA_CLASS);
    Simulator::Run();
    EXPECT_EQ(rig.Ids(PortLog::TRIM), (Ids{2, 3}));
    EXPECT_EQ(rig.Ids(PortLog::DROP), (Ids{3}));
    EXPECT_EQ(rig.Drops(MrcDropReason::CONTROL_FULL), 1U);
    EXPECT_EQ(rig.counters.dataDrop[static_cast<size_t>(MrcDropReason::CONTROL_FULL)], 0U)
        << "its data was gone before";
}

TEST_F(MrcEgressPortTest, LastHopSaysSo)
{
    MrcQueueLimits limits;
    limits.isTrimming = true;
    limits.isToHost = true;
    limits.trimBytes = 0;
    limits.trimToBytes = 64; // + 24 = 88 on the wire
    PortRig rig(m_pool, limits, 100 * GBPS, 0);
    rig.Send(0, 1, 1000, DATA_CLASS);
    rig.Send(1, 2, 1000, DATA_CLASS);
    Simulator::Run();
    // TRIMMED_LASTHOP 8 | TRIMMED 4 | CONTROL 2 = 14; DSCP 16 x 4 + ECT(0) 2 = 66.
    EXPECT_EQ(rig.log.lists[PortLog::TRIM], (std::vector<PortRecord>{{1, 2, 88, 14, 66, 0}}));
}

TEST_F(MrcEgressPortTest, WithoutTrimmingDropsAtTheDataLimit)
{
    MrcQueueLimits limits;
    limits.trimBytes = 0;
    limits.dataBytes = 1000;
    PortRig rig(m_pool, limits, 100 * GBPS, 0);
    for (uint32_t id = 1; id <= 3; ++id)
    {
        rig.Send(0, id, 1000, DATA_CLASS);
    }
    Simulator::Run();
    EXPECT_EQ(rig.counters.trimmed, 0U);
    EXPECT_EQ(rig.Ids(PortLog::DROP), (Ids{3}));
}

/// Keep a data queue at a length and count the marks of what is queued there.
/// @param pool memory @param limits thresholds @param queued bytes that wait before each arrival
/// @param arrivals how many @param trafficClass of the arrivals @return marks
uint64_t
MarksAt(mrc::FramePool& pool,
        const MrcQueueLimits& limits,
        uint32_t queued,
        uint32_t arrivals,
        uint8_t trafficClass)
{
    // Round by round: a frame that is sent, a Not-ECT frame of the length that waits, the arrival;
    // then time for all three, 20,000 B in sum, which take 1,600,000 ps.
    PortRig rig(pool, limits, 100 * GBPS, 0);
    for (uint32_t i = 0; i < arrivals; ++i)
    {
        const int64_t startPs = int64_t{2'000'000} * i;
        rig.Send(startPs, 0, 1000, NO_TRIM_CLASS & 0xfc);
        if (queued != 0)
        {
            rig.Send(startPs + 1, 1, queued, NO_TRIM_CLASS & 0xfc);
        }
        rig.Send(startPs + 2, 2, 1000, trafficClass);
    }
    Simulator::Run();
    Simulator::Destroy();
    EXPECT_EQ(rig.log.lists[PortLog::MARK].size(), rig.counters.marked);
    uint64_t delivered = 0;
    for (const PortRecord& record : rig.log.lists[PortLog::DELIVER])
    {
        delivered += (record.trafficClass & 3) == mrc::CE;
    }
    EXPECT_EQ(delivered, rig.counters.marked);
    for (const uint32_t id : rig.Ids(PortLog::MARK))
    {
        EXPECT_EQ(id, 2U) << "only the ECN-capable frame";
    }
    return rig.counters.marked;
}

TEST_F(MrcEgressPortTest, RedMarksByQueueLength)
{
    MrcQueueLimits limits;
    limits.ecnMinBytes = 4000;
    limits.ecnMaxBytes = 12000;
    limits.ecnMaxProbability = 65536;
    EXPECT_EQ(MarksAt(m_pool, limits, 0, 300, DATA_CLASS), 0U);
    EXPECT_EQ(MarksAt(m_pool, limits, 4000, 300, DATA_CLASS), 0U) << "up to min: never";
    EXPECT_EQ(MarksAt(m_pool, limits, 12000, 300, DATA_CLASS), 300U) << "from max on: always";
    EXPECT_EQ(MarksAt(m_pool, limits, 18000, 300, DATA_CLASS), 300U);
    // In the middle of a quarter: (6000 - 4000) / 8000 = 1/4 of 4000 = 1000, sigma 27; 5 sigma.
    EXPECT_NEAR(MarksAt(m_pool, limits, 6000, 4000, DATA_CLASS), 1000, 137);
    // (10000 - 4000) / 8000 = 3/4.
    EXPECT_NEAR(MarksAt(m_pool, limits, 10000, 4000, DATA_CLASS), 3000, 137);
}

TEST_F(MrcEgressPortTest, RedScalesWithTheMaximumProbability)
{
    MrcQueueLimits limits;
    limits.ecnMinBytes = 4000;
    limits.ecnMaxBytes = 12000;
    limits.ecnMaxProbability = 6554; // 0.1
    // At max and far above: 0.1 of 4000 = 400, sigma 19; 5 sigma.
    EXPECT_NEAR(MarksAt(m_pool, limits, 12000, 4000, DATA_CLASS), 400, 95);
    EXPECT_NEAR(MarksAt(m_pool, limits, 18000, 4000, DATA_CLASS), 400, 95);
    // Half way: 0.05 of 4000 = 200, sigma 13.8.
    EXPECT_NEAR(MarksAt(m_pool, limits, 8000, 4000, DATA_CLASS), 200, 69);
    limits.ecnMaxProbability = 0;
    EXPECT_EQ(MarksAt(m_pool, limits, 18000, 300, DATA_CLASS), 0U);
}

TEST_F(MrcEgressPortTest, EqualThresholdsMakeAStep)
{
    MrcQueueLimits limits;
    limits.ecnMinBytes = 5000;
    limits.ecnMaxBytes = 5000;
    limits.ecnMaxProbability = 65536;
    EXPECT_EQ(MarksAt(m_pool, limits, 5000, 100, DATA_CLASS), 0U);
    EXPECT_EQ(MarksAt(m_pool, limits, 5001, 100, DATA_CLASS), 100U);
}

TEST_F(MrcEgressPortTest, MarksOnlyWhatIsEcnCapable)
{
    MrcQueueLimits limits;
    limits.ecnMinBytes = 0;
    limits.ecnMaxBytes = 1;
    limits.ecnMaxProbability = 65536;
    EXPECT_EQ(MarksAt(m_pool, limits, 8000, 100, 8 << 2 | mrc::NOT_ECT), 0U);
    EXPECT_EQ(MarksAt(m_pool, limits, 8000, 100, 8 << 2 | mrc::ECT0), 100U);
    EXPECT_EQ(MarksAt(m_pool, limits, 8000, 100, 8 << 2 | mrc::ECT1), 100U);
    EXPECT_EQ(MarksAt(m_pool, limits, 8000, 100, CONTROL_CLASS), 0U);
}

TEST_F(MrcEgressPortTest, LinkDownLosesEverything)
{
    PortRig rig(m_pool, {}, 100 * GBPS, 1'000'000);
    rig.Send(0, 1, 1000, DATA_CLASS); // on the wire at 200,000
    rig.Send(0, 2, 1000, DATA_CLASS); // on the wire
    rig.Send(0, 3, 1000, DATA_CLASS); // being sent
    rig.Send(0, 4, 1000, DATA_CLASS); // waits
    rig.Send(190'000, 5, 84, CONTROL_CLASS);
    Simulator::Schedule(Time(200'000), [&] { rig.port->SetUp(false, 200'000); });
    rig.Send(300'000, 6, 84, DATA_CLASS);
    Simulator::Schedule(Time(400'000), [&] {
        EXPECT_FALSE(rig.port->IsUp());
        rig.port->SetUp(true, 400'000);
    });
    rig.Send(400'000, 7, 1000, DATA_CLASS);
    Simulator::Run();
    EXPECT_EQ(rig.Ids(PortLog::DROP), (Ids{1, 2, 3, 5, 4, 6}));
    EXPECT_EQ(rig.Times(PortLog::DROP), (Ps{200'000, 200'000, 200'000, 200'000, 200'000, 300'000}));
    EXPECT_EQ(rig.Drops(MrcDropReason::LINK_DOWN), 6U);
    EXPECT_EQ(rig.Ids(PortLog::DELIVER), (Ids{7}));
    EXPECT_EQ(rig.Times(PortLog::DELIVER), (Ps{1'480'000}));
}

TEST_F(MrcEgressPortTest, ShortFlapDoesNotDelayTheNextFrame)
{
    // Frame 1 would arrive at 320,000 + 1,000,000; it is lost. Frame 2, sent later but much
    // shorter, arrives earlier than that: at 2000 + 6,720 + 1,000,000.
    PortRig rig(m_pool, {}, 100 * GBPS, 1'000'000);
    rig.Send(0, 1, 4000, DATA_CLASS);
    Simulator::Schedule(Time(1000), [&] {
        rig.port->SetUp(false, 1000);
        rig.port->SetUp(true, 1000);
    });
    rig.Send(2000, 2, 84, DATA_CLASS);
    rig.Send(2000, 3, 4000, DATA_CLASS); // from 8,720 to 328,720
    Simulator::Run();
    EXPECT_EQ(rig.Ids(PortLog::DELIVER), (Ids{2, 3}));
    EXPECT_EQ(rig.Times(PortLog::DELIVER), (Ps{1'008'720, 1'328'720}));
}

TEST_F(MrcEgressPortTest, RateAndDelayChangeFromTheNextFrameOn)
{
    PortRig rig(m_pool, {}, 100 * GBPS, 1'000'000);
    rig.Send(0, 1, 1000, DATA_CLASS);
    rig.Send(0, 2, 1000, DATA_CLASS);
    rig.Send(0, 3, 1000, DATA_CLASS);
    Simulator::Schedule(Time(100'000), [&] {
        rig.port->SetRate(400 * GBPS, 100'000); // frame 2 is being sent since 80,000
        rig.port->SetDelay(500'000, 100'000);
        EXPECT_EQ(rig.port->DelayPs(), 500'000);
    });
    rig.Send(2'000'000, 4, 1000, DATA_CLASS);
    Simulator::Run();
    EXPECT_EQ(rig.Times(PortLog::DEQUEUE), (Ps{0, 80'000, 160'000, 2'000'000}));
    // Frame 3 ends at 180,000 and would overtake frame 2 at 680,000: it comes right after it.
    EXPECT_EQ(rig.Times(PortLog::DELIVER), (Ps{1'080'000, 1'160'000, 1'160'000, 2'520'000}));
    EXPECT_EQ(rig.Ids(PortLog::DELIVER), (Ids{1, 2, 3, 4}));
}

TEST_F(MrcEgressPortTest, PortsOfOneContextKeepTheirOwnRateAndDelay)
{
    PortRig rig(m_pool, {}, 100 * GBPS, 1'000'000);
    const auto alike = Create<MrcEgressPort>();
    const auto slow = Create<MrcEgressPort>();
    alike->Connect(&rig.context, 4, &rig, 17, 100 * GBPS, 1'000'000, 1);
    slow->Connect(&rig.context, 5, &rig, 17, 50 * GBPS, 2'000'000, 1);
    EXPECT_EQ(slow->SerializationPs(1000), 160'000);
    EXPECT_EQ(slow->DelayPs(), 2'000'000);
    rig.port->SetRate(400 * GBPS, 0);
    rig.port->SetDelay(3'000'000, 0);
    EXPECT_EQ(rig.port->SerializationPs(1000), 20'000);
    EXPECT_EQ(rig.port->DelayPs(), 3'000'000);
    EXPECT_EQ(alike->SerializationPs(1000), 80'000);
    EXPECT_EQ(alike->DelayPs(), 1'000'000);
    EXPECT_EQ(slow->SerializationPs(1000), 160'000);
    EXPECT_EQ(slow->DelayPs(), 2'000'000);
}

// The frame that is queued when the delay changes keeps its turn: what started before the change
// has the old delay although nobody looked at the port since.
TEST_F(MrcEgressPortTest, LongerDelayDoesNotReachBack)
{
    PortRig rig(m_pool, {}, 100 * GBPS, 1'000'000);
    rig.Send(0, 1, 1000, DATA_CLASS);
    rig.Send(0, 2, 1000, DATA_CLASS); // starts at 80,000
    rig.Send(0, 3, 1000, DATA_CLASS); // starts at 160,000
    Simulator::Schedule(Time(100'000), [&] { rig.port->SetDelay(5'000'000, 100'000); });
    Simulator::Run();
    EXPECT_EQ(rig.Times(PortLog::DELIVER), (Ps{1'080'000, 1'160'000, 5'240'000}));
}

TEST_F(MrcEgressPortTest, LossyLinkLosesAndDamages)
{
    PortRig rig(m_pool, {}, 100 * GBPS, 1'000'000);
    rig.port->SetImpairment(0.25, 0.5, 7);
    for (uint32_t id = 0; id < 4000; ++id)
    {
        rig.Send(0, id, 84, DATA_CLASS);
    }
    Simulator::Run();
    // 1000 lost, sigma 27; of 3000 half damaged, sigma 27 (and half of that of the loss).
    EXPECT_NEAR(rig.Drops(MrcDropReason::LINK_LOSS), 1000, 137);
    int damaged = 0;
    for (const PortRecord& record : rig.log.lists[PortLog::DELIVER])
    {
        damaged += (record.flags & Frame::CORRUPT) != 0;
    }
    EXPECT_NEAR(damaged, 1500, 155);
    EXPECT_EQ(rig.log.lists[PortLog::DELIVER].size() + rig.log.lists[PortLog::LOSS].size(), 4000U);
}

TEST_F(MrcEgressPortTest, CertainLossAndCertainDamage)
{
    PortRig lost(m_pool, {}, 100 * GBPS, 0);
    PortRig damaged(m_pool, {}, 100 * GBPS, 0);
    lost.port->SetImpairment(1.0, 1.0, 7);
    damaged.port->SetImpairment(0.0, 1.0, 7);
    for (uint32_t id = 0; id < 200; ++id)
    {
        lost.Send(0, id, 84, DATA_CLASS);
        damaged.Send(0, id, 84, DATA_CLASS);
    }
    Simulator::Run();
    EXPECT_EQ(lost.Drops(MrcDropReason::LINK_LOSS), 200U);
    ASSERT_EQ(damaged.log.lists[PortLog::DELIVER].size(), 200U);
    for (const PortRecord& record : damaged.log.lists[PortLog::DELIVER])
    {
        EXPECT_EQ(record.flags, Frame::CORRUPT);
    }
}

TEST_F(MrcEgressPortTest, TapSeesEachTransmissionOnce)
{
    struct : MrcPortTap
    {
        void OnTransmit(const Frame& frame, int64_t startPs) override
        {
            ids.push_back(frame.psn);
            times.push_back(startPs);
        }

        Ids ids;
        Ps times;
    } tap;

    PortRig rig(m_pool, {}, 100 * GBPS, 1'000'000);
    rig.port->SetTap(&tap);
    rig.Send(0, 1, 1000, DATA_CLASS);
    rig.Send(0, 2, 1000, DATA_CLASS);
    Simulator::Schedule(Time(1'500'000), [&] { rig.port->SetTap(nullptr); });
    rig.Send(2'000'000, 3, 1000, DATA_CLASS);
    Simulator::Run();
    EXPECT_EQ(tap.ids, (Ids{1, 2}));
    EXPECT_EQ(tap.times, (Ps{0, 80'000}));
}

TEST_F(MrcEgressPortTest, TransmitPassesTheQueues)
{
    // What a NIC does: it pulls its next frame when the port is free.
    PortRig rig(m_pool, {}, 100 * GBPS, 1'000'000);
    Simulator::Schedule(Time(1000), [&] {
        EXPECT_LE(rig.port->Advance(1000), 1000);
        Frame* frame = m_pool.Allocate();
        *frame = Frame{};
        frame->psn = 9;
        frame->wireBytes = 1000;
        rig.port->Transmit(frame, 1000);
        EXPECT_EQ(rig.port->Advance(1000), 81'000);
    });
    Simulator::Run();
    EXPECT_EQ(rig.Times(PortLog::DELIVER), (Ps{1'081'000}));
}

TEST_F(MrcEgressPortTest, PortOutlivesItsOwnerInThePendingEvent)
{
    // The frame is still under way when the owner lets the port go: the simulator holds the port.
    mrc::FramePool pool;
    {
        PortRig rig(pool, {}, 100 * GBPS, 1'000'000);
        rig.Send(0, 1, 1000, DATA_CLASS);
        Simulator::Stop(Time(500'000));
        Simulator::Run();
        EXPECT_EQ(rig.port->GetReferenceCount(), 2U);
    }
    EXPECT_EQ(pool.InUse(), 1U);
    Simulator::Destroy();
}

// ---------------------------------------------------------------------------------------------
// The differential test.

/// Something that a test does to a port, in both models alike.
struct Operation
{
    /// What it does.
    enum Kind
    {
        FRAME,
        LINK_DOWN,
        LINK_UP,
        RATE,
        DELAY,
        LOOK
    };

    int64_t whenPs;     ///< time
    Kind kind;          ///< what it does
    uint32_t port;      ///< to which port
    int64_t value;      ///< ps per byte, or ps of delay
    mrc::Frame frame{}; ///< what comes
};

/// A port of a scenario.
struct PortSetup
{
    MrcQueueLimits limits; ///< thresholds
    int64_t psPerByte;     ///< rate
    int64_t delayPs;       ///< delay
    uint64_t seed;         ///< of marking
    double loss;           ///< probability
    double corrupt;        ///< probability
    uint64_t impairedSeed; ///< of losses
};

/// Ports in a row, each feeding the next, and what happens to them.
struct Scenario
{
    std::vector<PortSetup> ports;      ///< the row
    std::vector<Operation> operations; ///< in the order of time
};

/// Makes the scenario of a seed.
class ScenarioMaker
{
  public:
    /// @param seed of all choices
    explicit ScenarioMaker(uint64_t seed)
        : m_engine(seed)
    {
    }

    /// @return the scenario
    Scenario Make()
    {
        Scenario scenario;
        const auto portCount = static_cast<uint32_t>(Pick({1, 1, 2, 3, 4}));
        for (uint32_t i = 0; i < portCount; ++i)
        {
            scenario.ports.push_back(MakePort());
        }
        // Sizes and times from a small set meet at one instant again and again.
        m_gridPs = Pick({1, 80, 840, 6720, 12160, 20000});
        m_hasFewSizes = Chance(50);
        const int64_t meanGapPs = Pick({0, 2'000, 20'000, 60'000, 200'000});
        const int64_t changePercent = Pick({0, 0, 3, 10});
        const auto frames = static_cast<uint32_t>(Pick({60, 100, 140}));
        int64_t nowPs = 0;
        uint32_t id = 0;
        while (id < frames)
        {
            nowPs += m_gridPs * Between(0, 2 * meanGapPs / m_gridPs);
            const auto port = static_cast<uint32_t>(Chance(60) ? 0 : Between(0, portCount - 1));
            if (Chance(changePercent))
            {
                AddChange(scenario, nowPs, port);
            }
            if (Chance(10))
            {
                scenario.operations.push_back({nowPs, Operation::LOOK, port, 0});
            }
            const int64_t burst = Chance(20) ? Between(2, 20) : 1;
            for (int64_t i = 0; i < burst && id < frames; ++i)
            {
                scenario.operations.push_back({nowPs, Operation::FRAME, port, 0, MakeFrame(id++)});
            }
        }
        return scenario;
    }

  private:
    /// @param low least @param high most @return a number from low to high
    int64_t Between(int64_t low, int64_t high)
    {
        return low + static_cast<int64_t>(m_engine() % static_cast<uint64_t>(high - low + 1));
    }

    /// @param percent probability @return whether it happens
    bool Chance(int64_t percent)
    {
        return Between(0, 99) < percent;
    }

    /// @param choices any numbers @return one of them
    int64_t Pick(std::initializer_list<int64_t> choices)
    {
        return choices.begin()[Between(0, static_cast<int64_t>(choices.size()) - 1)];
    }

    /// @return ps per byte of 50, 100, 200, 400 or 800 Gb/s
    int64_t MakeRate()
    {
        return Pick({160, 80, 80, 40, 20, 10});
    }

    /// @return a delay, ps
    int64_t MakeDelay()
    {
        return Chance(50) ? Pick({0, 6720, 12160, 80'000, 711'400}) : Between(0, 1'000'000);
    }

    /// @return a port
    PortSetup MakePort()
    {
        PortSetup port{};
        MrcQueueLimits& limits = port.limits;
        if (Chance(70))
        {
            limits.ecnMinBytes = static_cast<uint32_t>(Between(0, 8000));
            limits.ecnMaxBytes =
                limits.ecnMinBytes + static_cast<uint32_t>(Chance(20) ? 0 : Between(1, 20000));
            limits.ecnMaxProbability = static_cast<uint32_t>(Pick({65536, 65536, 30000, 1}));
        }
        limits.isTrimming = Chance(70);
        limits.trimBytes = static_cast<uint32_t>(Pick({0, 4000, 15000, 60000}));
        if (Chance(80))
        {
            limits.dataBytes = static_cast<uint32_t>(Pick({1000, 8000, 30000, 90000}));
        }
        if (Chance(60))
        {
            limits.controlBytes = static_cast<uint32_t>(Pick({84, 304, 1000, 5000}));
        }
        limits.trimToBytes = static_cast<uint32_t>(Pick({64, 128, 128, 256}));
        limits.isToHost = Chance(30);
        port.psPerByte = MakeRate();
        port.delayPs = MakeDelay();
        port.seed = m_engine();
        port.loss = Chance(15) ? 0.1 : 0.0;
        port.corrupt = Chance(15) ? 0.2 : 0.0;
        port.impairedSeed = m_engine();
        return port;
    }

    /// @param id of the frame @return a frame of a random class and size
    mrc::Frame MakeFrame(uint32_t id)
    {
        mrc::Frame frame{};
        frame.psn = id;
        frame.opcode = mrc::Opcode::WRITE_MIDDLE;
        const auto ecn = static_cast<uint8_t>(Pick({0, 1, 2, 2, 2, 2, 3}));
        const int64_t dice = Between(0, 99);
        const uint8_t dscp = dice < 55 ? 8 : dice < 65 ? 10 : dice < 75 ? 0 : dice < 80 ? 33 : 46;
        frame.trafficClass = mrc::MakeTrafficClass(dscp, ecn);
        frame.wireBytes =
            static_cast<uint32_t>(m_hasFewSizes ? Pick({84, 152, 1000, 4290}) : Between(84, 4300));
        if (dscp == 46)
        {
            frame.flags = Frame::CONTROL;
            frame.opcode = mrc::Opcode::SACK;
            frame.trafficClass = CONTROL_CLASS;
            frame.wireBytes = static_cast<uint32_t>(m_hasFewSizes ? 84 : Between(84, 200));
        }
        return frame;
    }

    /// Add a change of a link. @param scenario to this @param nowPs when @param port whose
    void AddChange(Scenario& scenario, int64_t nowPs, uint32_t port)
    {
        switch (Between(0, 2))
        {
        case 0:
            scenario.operations.push_back({nowPs, Operation::RATE, port, MakeRate()});
            break;
        case 1:
            scenario.operations.push_back({nowPs, Operation::DELAY, port, MakeDelay()});
            break;
        default:
            // Up again at once, or with some later operation, or never.
            scenario.operations.push_back({nowPs, Operation::LINK_DOWN, port, 0});
            if (Chance(40))
            {
                scenario.operations.push_back({nowPs, Operation::LINK_UP, port, 0});
            }
            m_downPorts.push_back(port);
            break;
        }
        if (!m_downPorts.empty() && Chance(60))
        {
            scenario.operations.push_back({nowPs, Operation::LINK_UP, m_downPorts.back(), 0});
            m_downPorts.pop_back();
        }
    }

    std::mt19937_64 m_engine;          //!< all choices
    int64_t m_gridPs{1};               //!< times are multiples of it
    bool m_hasFewSizes{false};         //!< sizes from a small set
    std::vector<uint32_t> m_downPorts; //!< may come up again
};

/// What one model made of a scenario.
struct Outcome
{
    std::vector<PortLog> logs;             ///< by port
    std::vector<MrcPortCounters> counters; ///< by port
};

/// @param scenario what happens @return what the reference model makes of it
Outcome
RunEager(const Scenario& scenario)
{
    EagerLoop loop;
    Outcome outcome;
    outcome.logs.resize(scenario.ports.size());
    std::vector<std::unique_ptr<EagerPort>> ports(scenario.ports.size());
    for (size_t i = 0; i < ports.size(); ++i)
    {
        const PortSetup& setup = scenario.ports[i];
        ports[i] = std::make_unique<EagerPort>(loop,
                                               setup.limits,
                                               setup.psPerByte,
                                               setup.delayPs,
                                               setup.seed,
                                               outcome.logs[i],
                                               [&ports, i](const mrc::Frame& frame) {
                                                   if (i + 1 < ports.size())
                                                   {
                                                       ports[i + 1]->Enqueue(frame);
                                                   }
                                               });
        ports[i]->SetImpairment(setup.loss, setup.corrupt, setup.impairedSeed);
    }
    for (const Operation& operation : scenario.operations)
    {
        loop.At(operation.whenPs, EagerLoop::OPERATION, [&ports, &operation] {
            EagerPort& port = *ports[operation.port];
            switch (operation.kind)
            {
            case Operation::FRAME:
                port.Enqueue(operation.frame);
                break;
            case Operation::LINK_DOWN:
                port.SetUp(false);
                break;
            case Operation::LINK_UP:
                port.SetUp(true);
                break;
            case Operation::RATE:
                port.SetRate(operation.value);
                break;
            case Operation::DELAY:
                port.SetDelay(operation.value);
                break;
            case Operation::LOOK:
                port.LogQueuedBytes();
                break;
            }
        });
    }
    loop.Run();
    for (const auto& port : ports)
    {
        outcome.counters.push_back(port->counters);
    }
    return outcome;
}

/// Do an operation to a port under test. @param rig it @param pool memory @param operation what
void
Apply(PortRig& rig, mrc::FramePool& pool, const Operation& operation)
{
    MrcEgressPort& port = *rig.port;
    const int64_t nowPs = operation.whenPs;
    switch (operation.kind)
    {
    case Operation::FRAME: {
        Frame* frame = pool.Allocate();
        *frame = operation.frame;
        port.Enqueue(frame, nowPs);
        break;
    }
    case Operation::LINK_DOWN:
        port.SetUp(false, nowPs);
        break;
    case Operation::LINK_UP:
        port.SetUp(true, nowPs);
        break;
    case Operation::RATE:
        port.SetRate(8'000 * GBPS / operation.value, nowPs);
        break;
    case Operation::DELAY:
        port.SetDelay(operation.value, nowPs);
        break;
    case Operation::LOOK: {
        port.Advance(nowPs);
        mrc::Frame bytes{};
        bytes.wireBytes = port.DataBytes();
        bytes.psn = port.ControlBytes();
        rig.log.Add(PortLog::QUEUED_BYTES, bytes, nowPs);
        break;
    }
    }
}

/// @param scenario what happens @param pool memory @return what MrcEgressPort makes of it
Outcome
RunLazy(const Scenario& scenario, mrc::FramePool& pool)
{
    std::vector<std::unique_ptr<PortRig>> rigs;
    for (const PortSetup& setup : scenario.ports)
    {
        rigs.push_back(std::make_unique<PortRig>(
            pool, setup.limits, 8'000 * GBPS / setup.psPerByte, setup.delayPs, setup.seed));
        if (setup.loss + setup.corrupt > 0)
        {
            rigs.back()->port->SetImpairment(setup.loss, setup.corrupt, setup.impairedSeed);
        }
        if (rigs.size() > 1)
        {
            rigs[rigs.size() - 2]->next = rigs.back().get();
        }
    }
    // Scheduled before all else, so operations come before the arrivals of the same instant.
    for (const Operation& operation : scenario.operations)
    {
        Simulator::Schedule(Time(operation.whenPs), [&rigs, &pool, &operation] {
            Apply(*rigs[operation.port], pool, operation);
        });
    }
    Simulator::Run();
    Simulator::Destroy();
    Outcome outcome;
    for (const auto& rig : rigs)
    {
        EXPECT_EQ(rig->port->DataBytes(), 0U);
        EXPECT_EQ(rig->port->ControlBytes(), 0U);
        EXPECT_EQ(rig->port->GetReferenceCount(), 1U) << "an event was left over";
        outcome.logs.push_back(std::move(rig->log));
        outcome.counters.push_back(rig->counters);
    }
    EXPECT_EQ(pool.InUse(), 0U) << "a frame was lost or leaked";
    return outcome;
}

/// Expect two outcomes to be the same, and show where they part.
/// @param lazy of the port under test @param eager of the reference
void
ExpectSame(const Outcome& lazy, const Outcome& eager)
{
    static const char* const KIND_NAMES[] = {
        "enqueue", "dequeue", "mark", "trim", "drop", "loss", "deliver", "queued bytes"};
    for (size_t port = 0; port < eager.logs.size(); ++port)
    {
        for (size_t kind = 0; kind < PortLog::KINDS; ++kind)
        {
            const auto& got = lazy.logs[port].lists[kind];
            const auto& wanted = eager.logs[port].lists[kind];
            EXPECT_EQ(got.size(), wanted.size()) << KIND_NAMES[kind] << ", port " << port;
            for (size_t i = 0; i < std::min(got.size(), wanted.size()); ++i)
            {
                if (!(got[i] == wanted[i]))
                {
                    ADD_FAILURE() << KIND_NAMES[kind] << " " << i << ", port " << port
                                  << "\n  lazy:  " << got[i] << "\n  eager: " << wanted[i];
                    break;
                }
            }
        }
        const MrcPortCounters& got = lazy.counters[port];
        const MrcPortCounters& wanted = eager.counters[port];
        EXPECT_EQ(got.sent, wanted.sent);
        EXPECT_EQ(got.sentBytes, wanted.sentBytes);
        EXPECT_EQ(got.marked, wanted.marked);
        EXPECT_EQ(got.trimmed, wanted.trimmed);
        EXPECT_EQ(got.drop, wanted.drop);
        EXPECT_EQ(got.dataDrop, wanted.dataDrop);
    }
}

/// @param count how many seeds a test runs by default
/// @return seeds 1 to count, or the one of the environment variable MRC_TEST_SEED
std::vector<uint64_t>
Seeds(uint64_t count)
{
    if (const char* text = std::getenv("MRC_TEST_SEED"))
    {
        return {std::strtoull(text, nullptr, 10)};
    }
    std::vector<uint64_t> seeds(count);
    for (uint64_t i = 0; i < count; ++i)
    {
        seeds[i] = i + 1;
    }
    return seeds;
}

/// How often something happened over all seeds: random traffic that never trims proves nothing.
struct Coverage
{
    std::array<uint64_t, PortLog::KINDS> kinds{};   ///< by PortLog::Kind
    std::array<uint64_t, MRC_DROP_REASONS> drops{}; ///< by reason
    uint64_t tied{0};                               ///< enqueued when a transmission started

    /// @param log of a port
    void Add(const PortLog& log)
    {
        for (size_t kind = 0; kind < PortLog::KINDS; ++kind)
        {
            kinds[kind] += log.lists[kind].size();
        }
        for (const auto kind : {PortLog::DROP, PortLog::LOSS})
        {
            for (const PortRecord& record : log.lists[kind])
            {
                ++drops[record.reason];
            }
        }
        auto start = log.lists[PortLog::DEQUEUE].begin();
        const auto end = log.lists[PortLog::DEQUEUE].end();
        for (const PortRecord& record : log.lists[PortLog::ENQUEUE])
        {
            while (start != end && start->whenPs < record.whenPs)
            {
                ++start;
            }
            tied += start != end && start->whenPs == record.whenPs;
        }
    }
};

TEST_F(MrcEgressPortTest, DecidesLikeTheEagerModel)
{
    Coverage coverage;
    const std::vector<uint64_t> seeds = Seeds(10'000);
    for (const uint64_t seed : seeds)
    {
        SCOPED_TRACE("replay: MRC_TEST_SEED=" + std::to_string(seed));
        const Scenario scenario = ScenarioMaker(seed).Make();
        const Outcome eager = RunEager(scenario);
        ExpectSame(RunLazy(scenario, m_pool), eager);
        if (HasFailure())
        {
            std::cerr << "failed with MRC_TEST_SEED=" << seed << "\n";
            return;
        }
        for (const PortLog& log : eager.logs)
        {
            coverage.Add(log);
        }
    }
    if (seeds.size() == 1)
    {
        return;
    }
    for (size_t kind = 0; kind < PortLog::KINDS; ++kind)
    {
        RecordProperty("kind" + std::to_string(kind), std::to_string(coverage.kinds[kind]));
        EXPECT_GT(coverage.kinds[kind], 5'000U) << kind;
    }
    for (const auto reason : {MrcDropReason::LINK_DOWN,
                              MrcDropReason::LINK_LOSS,
                              MrcDropReason::DATA_FULL,
                              MrcDropReason::CONTROL_FULL})
    {
        EXPECT_GT(coverage.drops[static_cast<size_t>(reason)], 5'000U) << MrcDropReasonName(reason);
    }
    EXPECT_GT(coverage.tied, 5'000U) << "arrivals at the instant of a completion";
}

} // namespace
} // namespace ns3
