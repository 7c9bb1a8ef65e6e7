// SPDX-License-Identifier: GPL-2.0-only
// The requester alone, as a conversation: what it sends, what it is told, what it does then.

#include "mrc-ev-table.h"
#include "mrc-fixed-window.h"
#include "mrc-psn.h"
#include "mrc-requester.h"
#include "mrc-timestamp.h"

#include <deque>
#include <gtest/gtest.h>

namespace
{

using namespace mrc;

constexpr int64_t US = 1'000'000;
constexpr uint32_t MTU = 4096;
constexpr int64_t BASE_RTT = 10 * US;

/// One requester with two planes of four EVs each, and a window of the test's choice.
class RequesterTest : public ::testing::Test, public RequesterHost
{
  protected:
    void Make(uint64_t cwndBytes, uint32_t firstPsn = 100, uint8_t mpr = 8)
    {
        m_cwndBytes = cwndBytes;
        m_config.baseRttPs = BASE_RTT;
        m_config.targetDelayPs = 5 * US;
        m_config.reorderGuardPs = 5 * US; // old after 20 us
        m_config.ackTimeoutExponent = 7;  // T = 131.072 us
        m_evConfig.activePerPlane = 4;
        m_evConfig.backupPerPlane = 0;
        m_evConfig.evMinActive = 1;
        m_firstPsn = firstPsn;
        const QpSetup setup{7, 9, firstPsn, 0, mpr, true};
        requester = std::make_unique<Requester>(m_config, setup, counters, *this);
    }

    std::unique_ptr<CongestionControl> CreateCongestionControl() override
    {
        return std::make_unique<FixedWindow>(m_cwndBytes, BASE_RTT);
    }

    std::unique_ptr<PathSelector> CreatePathSelector() override
    {
        std::vector<std::vector<uint32_t>> evs{{0, 1, 2, 3}, {16, 17, 18, 19}};
        return std::make_unique<EvTable>(m_evConfig, evs, 1, nullptr, &counters.ev);
    }

    void OnCompletion(const Completion& completion) override
    {
        completions.push_back(completion);
    }

    void Post(uint32_t bytes, bool hasImmediate = false)
    {
        requester->Post({m_nextId++, 0x10000, nullptr, bytes, 0x1234, 77, hasImmediate}, nowPs);
    }

    /// Expect a frame on a plane.
    Frame Send(uint8_t plane = 0)
    {
        Frame frame{};
        EXPECT_TRUE(requester->NextFrame(nowPs, plane, frame));
        return frame;
    }

    bool SendsNothing()
    {
        Frame frame{};
        return !requester->NextFrame(nowPs, 0, frame) && !requester->NextFrame(nowPs, 1, frame);
    }

    /// PSN n of the QP, counted from 0, as it is on the wire.
    uint32_t Wire(uint64_t n) const
    {
        return static_cast<uint32_t>(m_firstPsn + n) & PSN_MASK;
    }

    /// The first `inOrder` packets arrived, and of the next 64 those of a bitmap.
    void Sack(uint64_t inOrder,
              uint64_t bitmap,
              uint32_t units256,
              uint32_t ev = 0,
              SackMark mark = SackMark::NONE)
    {
        Frame frame{};
        frame.opcode = Opcode::SACK;
        frame.sack.cackPsn = Wire(inOrder + (uint64_t{1} << 24) - 1);
        frame.sack.sackOffset = 1;
        frame.sack.bitmap = bitmap;
        frame.sack.receivedUnits256 = units256;
        frame.sack.entropy = ev;
        frame.sack.mark = mark;
        frame.sack.txTimestamp = MakeTimestamp(nowPs - BASE_RTT);
        requester->OnSack(frame, nowPs);
    }

    void Nack(const Frame& sent, NackCode reason)
    {
        Frame frame{};
        frame.opcode = Opcode::NACK;
        frame.nack.reason = reason;
        frame.nack.entropy = sent.ev;
        frame.nack.nackPsn = sent.psn;
        requester->OnNack(frame, nowPs);
    }

    void Ack(uint32_t messages, uint8_t syndrome = AETH_ACK)
    {
        Frame frame{};
        frame.opcode = Opcode::ACKNOWLEDGE;
        frame.ack = Aeth{syndrome, messages};
        requester->OnAck(frame, nowPs);
    }

    /// Let time pass, waking the requester whenever it wants.
    void Wait(int64_t ps)
    {
        const int64_t endPs = nowPs + ps;
        while (requester->WakeByPs() <= endPs)
        {
            nowPs = std::max(nowPs, requester->WakeByPs());
            requester->OnTimer(nowPs);
        }
        nowPs = endPs;
    }

    EvState StateOf(uint32_t ev)
    {
        auto table = static_cast<EvTable*>(requester->Paths());
        return table->State(table->Find(ev));
    }

    TransportConfig m_config;
    EvTableConfig m_evConfig;
    EndpointCounters counters{};
    std::unique_ptr<Requester> requester;
    std::deque<Completion> completions;
    int64_t nowPs{1000 * US};

  private:
    uint64_t m_cwndBytes{0};
    uint64_t m_nextId{0};
    uint32_t m_firstPsn{0};
};

TEST_F(RequesterTest, CutsAMessageIntoFirstMiddleLast)
{
    //= MRC-REF 2 Opcodes
    Make(1 << 20);
    Post(2 * MTU + 10);
    const Frame first = Send();
    const Frame middle = Send(1);
    const Frame last = Send();
    EXPECT_EQ(first.opcode, Opcode::WRITE_FIRST);
    EXPECT_EQ(middle.opcode, Opcode::WRITE_MIDDLE);
    EXPECT_EQ(last.opcode, Opcode::WRITE_LAST);
    EXPECT_EQ(first.psn, 100u);
    EXPECT_EQ(last.psn, 102u);
    EXPECT_EQ(last.payloadBytes, 10);
    EXPECT_EQ(middle.write.reth.va, 0x10000u + MTU); // VA advances by the MTU
    EXPECT_EQ(last.write.reth.dmaBytes, 2 * MTU + 10);
    EXPECT_EQ(last.destinationQp, 9u);
    EXPECT_FALSE(first.Has(Frame::ACK_REQUEST));
    EXPECT_TRUE(last.Has(Frame::ACK_REQUEST));
    EXPECT_EQ(middle.ev & 16, 16u); // an EV of plane 1
    EXPECT_TRUE(SendsNothing());
    EXPECT_EQ(requester->InflightBytes(), 2u * MTU + 10);
}

TEST_F(RequesterTest, KeepsWhatThePeerCanTake)
{
    //= MRC-REF 1 Capabilities exchanged per direction
    Make(1 << 20);
    QpSetup setup{7, 9, 100, 0, 8, true};
    setup.mtuBytes = 256;
    setup.isTrimmable = false;
    setup.remoteMaxWimm = 32;
    requester = std::make_unique<Requester>(m_config, setup, counters, *this);
    Post(257);
    const Frame first = Send();
    EXPECT_EQ(first.payloadBytes, 256);
    EXPECT_EQ(first.Dscp(), m_config.dscp.noTrim);
    const Frame last = Send();
    EXPECT_EQ(last.payloadBytes, 1);
    EXPECT_EQ(last.write.reth.va, 0x10000u + 256);
    Nack(first, NackCode::NO_RESOURCE);
    const Frame again = Send();
    EXPECT_TRUE(again.Has(Frame::RETRANSMISSION));
    EXPECT_EQ(again.Dscp(), m_config.dscp.noTrim);
    for (int i = 0; i < 33; ++i)
    {
        Post(4, true);
    }
    for (int i = 0; i < 32; ++i)
    {
        Send();
    }
    EXPECT_TRUE(SendsNothing());
}

TEST_F(RequesterTest, WindowOfSacksCountsIfBothEndsWantIt)
{
    //= MRC-REF 1 Capabilities exchanged per direction
    Make(1ull << 40);
    QpSetup setup{7, 9, 100, 0, 8, true};
    setup.isDynamicMpr = false;
    requester = std::make_unique<Requester>(m_config, setup, counters, *this);
    Post(5000 * MTU);
    Send();
    Frame sack{};
    sack.opcode = Opcode::SACK;
    sack.sack.cackPsn = 99;
    sack.sack.mpr = 16;
    requester->OnSack(sack, nowPs);
    for (int i = 1; i < 1024; ++i)
    {
        Send(i & 1);
    }
    EXPECT_TRUE(SendsNothing()); // 8 units of 128
}

TEST_F(RequesterTest, NumbersMessagesAndImmediates)
{
    Make(1 << 20);
    Post(4, true);
    Post(4);
    Post(0, true);
    const Frame a = Send();
    const Frame b = Send();
    const Frame c = Send();
    EXPECT_EQ(a.opcode, Opcode::WRITE_ONLY_IMM);
    EXPECT_EQ(b.opcode, Opcode::WRITE_ONLY);
    EXPECT_EQ(c.opcode, Opcode::WRITE_ONLY_IMM);
    EXPECT_EQ(c.write.meth.msn, 2);
    EXPECT_EQ(a.write.meth.rqmsn, 0);
    EXPECT_EQ(b.write.meth.rqmsn, 0);
    EXPECT_EQ(c.write.meth.rqmsn, 1);
    EXPECT_EQ(c.write.immediate, 77u);
}

TEST_F(RequesterTest, KeepsTheCongestionWindow)
{
    Make(3 * MTU);
    Post(10 * MTU);
    Send();
    Send();
    Send();
    EXPECT_TRUE(SendsNothing());
    Sack(2, 0, 2 * MTU / 256);
    EXPECT_EQ(requester->InflightBytes(), MTU);
    Send();
    Send();
    EXPECT_TRUE(SendsNothing());
}

TEST_F(RequesterTest, SmallWindowAsksForItsSack)
{
    Make(2 * MTU);
    Post(10 * MTU);
    EXPECT_FALSE(Send().Has(Frame::ACK_REQUEST));
    EXPECT_TRUE(Send().Has(Frame::ACK_REQUEST));
}

TEST_F(RequesterTest, KeepsThePeersPsnRange)
{
    Make(1ull << 40);
    Post(5000 * MTU);
    for (int i = 0; i < 1024; ++i)
    {
        Send(i & 1);
    }
    EXPECT_TRUE(SendsNothing());
    Sack(1, 0, MTU / 256);
    Send();
    EXPECT_TRUE(SendsNothing());
}

TEST_F(RequesterTest, KeepsTheLimitOfImmediates)
{
    m_config.maxWimm = 32;
    Make(1 << 20);
    for (int i = 0; i < 33; ++i)
    {
        Post(4, true);
    }
    for (int i = 0; i < 32; ++i)
    {
        Send();
    }
    EXPECT_TRUE(SendsNothing());
    Ack(1);
    Send();
}

TEST_F(RequesterTest, CountsPsnsAcrossTheWrap)
{
    Make(1 << 20, 0xfffffe);
    Post(4 * MTU);
    EXPECT_EQ(Send().psn, 0xfffffeu);
    EXPECT_EQ(Send().psn, 0xffffffu);
    EXPECT_EQ(Send().psn, 0u);
    EXPECT_EQ(Send().psn, 1u);
    Sack(3, 0, 3 * MTU / 256);
    EXPECT_EQ(requester->InflightBytes(), MTU);
    Sack(4, 0, 4 * MTU / 256);
    EXPECT_EQ(requester->InflightBytes(), 0u);
    EXPECT_TRUE(completions.empty()); // SACK tracks packets; the transport ACK completes
    Ack(1);
    ASSERT_EQ(completions.size(), 1u);
    EXPECT_EQ(completions[0].status, CompletionStatus::SUCCESS);
}

TEST_F(RequesterTest, TrimmedPacketGoesAgainFirstOnAnotherEv)
{
    Make(1 << 20);
    Post(10 * MTU);
    const Frame a = Send();
    const Frame b = Send();
    Nack(b, NackCode::TRIMMED);
    Nack(a, NackCode::TRIMMED);
    EXPECT_EQ(StateOf(a.ev), EvState::SKIP);
    const Frame again = Send();
    EXPECT_EQ(again.psn, a.psn); // the oldest gap first, before new data
    EXPECT_NE(again.ev, a.ev);
    EXPECT_TRUE(again.Has(Frame::RETRANSMISSION));
    EXPECT_EQ(counters.retransmitted, 1u);
    EXPECT_EQ(requester->InflightBytes(), MTU);
    // The same NACK again is about a transmission that was replaced.
    Nack(a, NackCode::TRIMMED);
    EXPECT_EQ(counters.staleFeedback, 1u);
    EXPECT_EQ(requester->InflightBytes(), MTU);
}

TEST_F(RequesterTest, LastHopTrimKeepsTheEv)
{
    Make(1 << 20);
    Post(4 * MTU);
    const Frame a = Send();
    Nack(a, NackCode::TRIMMED_LASTHOP);
    EXPECT_EQ(StateOf(a.ev), EvState::GOOD);
    EXPECT_TRUE(Send().Has(Frame::RETRANSMISSION));
}

TEST_F(RequesterTest, CongestionMarkSkipsTheEvAndThePlaneMissesATurn)
{
    Make(1 << 20);
    Post(100 * MTU);
    const Frame a = Send();
    Sack(0, 0, 0, a.ev, SackMark::SKIP_ONCE);
    EXPECT_EQ(StateOf(a.ev), EvState::SKIP);
    int missed = 0;
    for (int turn = 0; turn < 12; ++turn)
    {
        Frame frame{};
        if (!requester->NextFrame(nowPs, 0, frame))
        {
            EXPECT_TRUE(requester->IsSittingOut());
            ++missed;
        }
    }
    EXPECT_EQ(missed, 1);
    EXPECT_EQ(StateOf(a.ev), EvState::GOOD);
}

TEST_F(RequesterTest, LaterPacketOfTheSameEvShowsALoss)
{
    Make(1 << 20);
    Post(100 * MTU);
    // Four EVs in turn: of five packets two share an EV.
    std::vector<Frame> sent;
    for (int i = 0; i < 5; ++i)
    {
        sent.push_back(Send());
        nowPs += US / 10;
    }
    uint64_t pair = 0;
    while (sent[pair].ev != sent[4].ev)
    {
        ++pair;
    }
    Sack(0, 1 << 4, MTU / 256);
    EXPECT_EQ(counters.inferredLosses, 1u);
    EXPECT_EQ(StateOf(sent[4].ev), EvState::ASSUMED_BAD);
    EXPECT_EQ(Send().psn, sent[pair].psn);
}

TEST_F(RequesterTest, WhatTheSackDoesNotCoverIsNotJudged)
{
    Make(1 << 20);
    Post(200 * MTU);
    for (int i = 0; i < 100; ++i)
    {
        Send();
    }
    // The bitmap starts at packet 90: those before may have arrived.
    Frame frame{};
    frame.opcode = Opcode::SACK;
    frame.sack.cackPsn = Wire((uint64_t{1} << 24) - 1);
    frame.sack.ackPsnOffset = 91;
    frame.sack.sackOffset = 91;
    frame.sack.bitmap = 0x3ff;
    frame.sack.txTimestamp = MakeTimestamp(nowPs - BASE_RTT);
    frame.sack.entropy = 99;
    requester->OnSack(frame, nowPs);
    EXPECT_EQ(counters.inferredLosses, 0u);
}

TEST_F(RequesterTest, OldPacketIsLostOnceLaterOnesArrived)
{
    Make(1 << 20);
    Post(100 * MTU);
    const Frame old = Send(0);
    nowPs += US;
    Send(1);
    nowPs += 18 * US;
    Sack(0, 1 << 1, MTU / 256); // the first is 19 us old: base RTT + target + guard are 20
    EXPECT_EQ(counters.inferredLosses, 0u);
    nowPs += 5 * US; // 24 us: the packet that arrived was seen at 18 us, x 1.25 = 22.5
    Sack(0, 1 << 1, MTU / 256);
    EXPECT_EQ(counters.inferredLosses, 1u);
    EXPECT_EQ(Send().psn, old.psn);
}

TEST_F(RequesterTest, TimesOutLinearlyThenDoublingThenFails)
{
    m_config.linearRetries = 1;
    m_config.exponentialRetries = 1;
    m_config.probeAfterBaseRtts = 1000; // no probes in between
    Make(1 << 20);
    Post(MTU);
    Post(MTU);
    const Frame a = Send();
    constexpr int64_t T = 131'072'000;
    Wait(T - 1);
    EXPECT_EQ(counters.timeouts, 0u);
    Wait(1);
    EXPECT_EQ(counters.timeouts, 1u);
    EXPECT_EQ(StateOf(a.ev), EvState::ASSUMED_BAD);
    EXPECT_EQ(Send().psn, a.psn);
    Wait(T);
    EXPECT_EQ(counters.timeouts, 2u);
    Send();
    Wait(2 * T - 1);
    EXPECT_TRUE(completions.empty());
    Wait(1);
    ASSERT_EQ(completions.size(), 2u);
    EXPECT_EQ(completions[0].status, CompletionStatus::RETRY_EXCEEDED);
    EXPECT_EQ(completions[1].status, CompletionStatus::FLUSHED);
    EXPECT_TRUE(requester->HasFailed());
    Post(MTU);
    EXPECT_EQ(completions.size(), 2u); // not from inside Post()
    EXPECT_TRUE(SendsNothing());
    Wait(US);
    ASSERT_EQ(completions.size(), 3u);
    EXPECT_EQ(completions.back().id, 2u);
    EXPECT_EQ(completions.back().status, CompletionStatus::FLUSHED);
    EXPECT_EQ(requester->WakeByPs(), Requester::NEVER);
    EXPECT_TRUE(SendsNothing());
}

TEST_F(RequesterTest, SilenceAsksWithAProbeAndTheAnswerShowsTheLoss)
{
    Make(1 << 20);
    Post(MTU);
    const Frame lost = Send();
    Wait(3 * BASE_RTT);
    const Frame probe = Send();
    ASSERT_EQ(probe.opcode, Opcode::RELIABILITY_PROBE);
    EXPECT_EQ(probe.psn, 0u);
    EXPECT_TRUE(SendsNothing());
    nowPs += BASE_RTT;
    Frame answer{};
    answer.opcode = Opcode::SACK;
    answer.sack.probeResponse = true;
    answer.sack.ackPsnOffset = static_cast<int16_t>(probe.probe.probeId);
    answer.sack.cackPsn = Wire((uint64_t{1} << 24) - 1);
    answer.sack.sackOffset = 1;
    answer.sack.entropy = probe.ev;
    requester->OnSack(answer, nowPs);
    EXPECT_EQ(counters.inferredLosses, 1u);
    EXPECT_EQ(Send().psn, lost.psn);
}

TEST_F(RequesterTest, LostTransportAckIsAskedFor)
{
    Make(1 << 20);
    Post(MTU);
    Send();
    Sack(1, 0, MTU / 256);
    EXPECT_TRUE(SendsNothing());
    Wait(4 * BASE_RTT);
    EXPECT_EQ(Send().opcode, Opcode::RELIABILITY_PROBE);
    Ack(1);
    EXPECT_EQ(completions.size(), 1u);
    Wait(1000 * BASE_RTT);
    EXPECT_TRUE(SendsNothing());
    EXPECT_EQ(requester->WakeByPs(), Requester::NEVER);
}

TEST_F(RequesterTest, NakFailsItsMessageAndFlushesTheRest)
{
    Make(1 << 20);
    Post(MTU);
    Post(MTU);
    Post(MTU);
    Send();
    Send();
    Ack(1, AETH_NAK_REMOTE_ACCESS);
    ASSERT_EQ(completions.size(), 3u);
    EXPECT_EQ(completions[0].status, CompletionStatus::SUCCESS);
    EXPECT_EQ(completions[1].status, CompletionStatus::REMOTE_ACCESS);
    EXPECT_EQ(completions[2].status, CompletionStatus::FLUSHED);
}

TEST_F(RequesterTest, NonsenseFromTheNetworkIsCountedAndChangesNothing)
{
    Make(1 << 20);
    Sack(0, 0, 0); // before anything was sent
    EXPECT_EQ(counters.unexpected, 1u);
    Post(4 * MTU);
    const Frame a = Send();
    Sack(3, 0, 0); // acknowledges what was not sent
    Ack(1);        // completes what was not sent in full
    Nack(a, static_cast<NackCode>(0x42));
    Frame beyond = a;
    beyond.psn = Wire(3);
    Nack(beyond, NackCode::TRIMMED);
    EXPECT_EQ(counters.unexpected, 5u);
    Sack(0, ~uint64_t{1}, 0); // bits for packets that were not sent
    EXPECT_EQ(requester->InflightBytes(), MTU);
    EXPECT_TRUE(completions.empty());
    EXPECT_EQ(Send().psn, Wire(1));
}

TEST_F(RequesterTest, OlderSackDoesNotTakeBytesBack)
{
    Make(1 << 20);
    Post(4 * MTU);
    Send();
    Send();
    Send();
    Sack(2, 0, 2 * MTU / 256);
    Sack(1, 0, MTU / 256);
    EXPECT_EQ(requester->InflightBytes(), MTU);
    EXPECT_EQ(counters.staleFeedback, 1u);
}

TEST_F(RequesterTest, RoundingOfReceivedBytesLeavesNothingInFlight)
{
    // 257 B are 2 units, and so are the 457 B after the next packet: no SACK takes its 200 B off.
    Make(1 << 20);
    Post(257);
    Send();
    Sack(1, 0, 2);
    Ack(1);
    EXPECT_EQ(requester->InflightBytes(), 0u);
    Post(200);
    Post(MTU);
    Send();
    const Frame lost = Send();
    Nack(lost, NackCode::TRIMMED);
    Sack(2, 0, 2);
    EXPECT_EQ(requester->InflightBytes(), 0u);
    EXPECT_EQ(Send().psn, lost.psn);
}

TEST_F(RequesterTest, ResponderThatCountsLessDoesNotBlockWhatIsLost)
{
    Make(2 * MTU);
    Post(2 * MTU);
    Send();
    const Frame lost = Send();
    Nack(lost, NackCode::TRIMMED);
    Sack(1, 0, 0); // arrived, and not counted
    Post(2 * MTU);
    EXPECT_EQ(requester->InflightBytes(), MTU);
    Wait(100 * US);
    EXPECT_EQ(requester->InflightBytes(), 0u);
    Send();
}

TEST_F(RequesterTest, NeedlessRetransmissionsDoNotFalsifyBytesInFlight)
{
    // The responder counts each packet once, however often it arrives.
    Make(1 << 20);
    Post(100 * MTU);
    const Frame a = Send(0);
    const Frame b = Send(0);
    nowPs += US;
    Send(1);
    nowPs += 10 * US;
    Sack(0, 0b100, MTU / 256);
    nowPs += 11 * US; // a and b are older than 20 us, the third arrived: both count as lost
    Sack(0, 0b100, MTU / 256);
    EXPECT_EQ(counters.inferredLosses, 2u);
    EXPECT_EQ(requester->InflightBytes(), 0u);
    EXPECT_EQ(Send().psn, a.psn); // both go again, b's second copy is trimmed
    Nack(Send(), NackCode::TRIMMED_LASTHOP);
    // The first copies of both had arrived after all.
    EXPECT_EQ(requester->InflightBytes(), MTU);
    Sack(3, 0, 3 * MTU / 256);
    EXPECT_EQ(requester->InflightBytes(), 0u);
    for (uint32_t i = 0; i < 4; ++i)
    {
        EXPECT_EQ(Send().psn, b.psn + 2 + i); // b needs no further copy
    }
    EXPECT_EQ(requester->InflightBytes(), 4 * MTU);
}

TEST_F(RequesterTest, PacketThatArrivedWhileTakenForLostCountsOnce)
{
    // Four packets are in flight when it turns out that the NACKed one had come through.
    Make(1 << 20);
    Post(100 * MTU);
    const Frame a = Send();
    for (int i = 0; i < 4; ++i)
    {
        Send();
    }
    Nack(a, NackCode::NO_RESOURCE);
    EXPECT_EQ(requester->InflightBytes(), 4 * MTU);
    Sack(1, 0, MTU / 256);
    EXPECT_EQ(requester->InflightBytes(), 4 * MTU);
    Sack(5, 0, 5 * MTU / 256);
    EXPECT_EQ(requester->InflightBytes(), 0u);
}

TEST_F(RequesterTest, ArrivalOfPacketsTakenForLostKeepsTheBalance)
{
    Make(1 << 20);
    Post(100 * MTU);
    Send(0);
    Send(0);
    nowPs += US;
    Send(1);
    nowPs += 10 * US;
    Sack(0, 0b100, MTU / 256);
    nowPs += 11 * US;
    Sack(0, 0b100, MTU / 256); // two are taken for lost and wait
    Send(0);                   // one goes again
    Send(1);                   // the other too
    const Frame fresh = Send(1);
    EXPECT_EQ(requester->InflightBytes(), 3 * MTU);
    // One of the first copies was counted by the responder, not yet reported by a bit.
    Sack(0, 0b100, 2 * MTU / 256, fresh.ev);
    EXPECT_EQ(requester->InflightBytes(), 2 * MTU);
    Sack(3, 0, 3 * MTU / 256);
    EXPECT_EQ(requester->InflightBytes(), MTU); // the fresh one
}

TEST_F(RequesterTest, TriggerBeyondTheBitmapJudgesNothing)
{
    // Bitmap of 0..63, triggered by the last packet: packets 64..  may have arrived.
    Make(1 << 20);
    Post(200 * MTU);
    for (int i = 0; i < 100; ++i)
    {
        Send();
    }
    Frame frame{};
    frame.opcode = Opcode::SACK;
    frame.sack.cackPsn = Wire((uint64_t{1} << 24) - 1);
    frame.sack.ackPsnOffset = 100;
    frame.sack.sackOffset = 1;
    frame.sack.bitmap = ~uint64_t{0} << 1; // only the first is missing
    frame.sack.txTimestamp = MakeTimestamp(nowPs - BASE_RTT);
    frame.sack.entropy = 99;
    requester->OnSack(frame, nowPs);
    EXPECT_EQ(counters.inferredLosses, 1u);
}

TEST_F(RequesterTest, SilenceFailsNoSoonerThanTheTimeouts)
{
    // Probes wait 30 us, then twice as long each; the ACK timeout allows T + T + 2T = 524 us.
    m_config.linearRetries = 1;
    m_config.exponentialRetries = 1;
    Make(1 << 20);
    Post(MTU);
    Send();
    Sack(1, 0, MTU / 256); // all arrived, the transport ACK did not
    constexpr int64_t T = 131'072'000;
    Wait(4 * T - 1);
    EXPECT_FALSE(requester->HasFailed());
    EXPECT_EQ(Send().opcode, Opcode::RELIABILITY_PROBE);
    Wait(20 * T);
    ASSERT_EQ(completions.size(), 1u);
    EXPECT_EQ(completions[0].status, CompletionStatus::RETRY_EXCEEDED);
}

TEST_F(RequesterTest, ExponentialRetriesOf25NeverEnd)
{
    //= MRC-REF 1 ACK timeout
    m_config.linearRetries = 0;
    m_config.exponentialRetries = 25;
    Make(1 << 20);
    Post(MTU);
    Send();
    Sack(1, 0, MTU / 256);
    for (int minute = 0; minute < 100; ++minute)
    {
        Wait(60'000'000 * US);
        Frame frame{};
        requester->NextFrame(nowPs, 0, frame); // a probe, unanswered
    }
    EXPECT_FALSE(requester->HasFailed());
    Ack(1);
    EXPECT_EQ(completions.size(), 1u);
}

TEST_F(RequesterTest, PlaneThatIsDownDoesNotKeepOthersFromBeingProbed)
{
    m_evConfig.probeIntervalPs = 50 * US;
    Make(1 << 20);
    Post(1000 * MTU);
    // One EV of each plane loses a packet: the later of two on it arrives.
    std::vector<Frame> sent;
    for (int i = 0; i < 10; ++i)
    {
        sent.push_back(Send(i < 5 ? 0 : 1));
    }
    Sack(0, 1 << 4 | 1 << 9, 2 * MTU / 256);
    ASSERT_EQ(counters.inferredLosses, 2u);
    // From now on nothing leaves through plane 0.
    bool isProbed = false;
    for (int i = 0; i < 200; ++i)
    {
        Wait(10 * US);
        Frame frame{};
        if (requester->NextFrame(nowPs, 1, frame))
        {
            isProbed |= frame.opcode == Opcode::RELIABILITY_PROBE && frame.ev == sent[9].ev;
        }
        Sack(0, 1 << 4 | 1 << 9, 2 * MTU / 256);
    }
    EXPECT_TRUE(isProbed);
}

TEST_F(RequesterTest, ReceivedBytesWrapAfterFourGibibytes)
{
    //= MRC-REF 2 SACK, rcvd_bytes in units of 256 B modulo 2^24
    constexpr uint64_t PACKETS = (uint64_t{1} << 32) / MTU + 1000;
    constexpr uint64_t BATCH = 500;
    Make(1ull << 40);
    for (uint64_t done = 0; done < PACKETS; done += BATCH)
    {
        Post(BATCH * MTU);
        for (uint64_t i = 0; i < BATCH; ++i)
        {
            Send();
        }
        // The last one stays in flight, so that nothing is forgotten.
        const uint64_t arrived = done + BATCH - 1;
        Sack(arrived, 0, static_cast<uint32_t>(arrived * (MTU / 256)) & PSN_MASK);
        ASSERT_EQ(requester->InflightBytes(), MTU) << arrived;
    }
    EXPECT_EQ(counters.staleFeedback, 0u);
}

TEST_F(RequesterTest, SackMayGrantAWiderWindow)
{
    Make(1ull << 40);
    Post(5000 * MTU);
    for (int i = 0; i < 1024; ++i)
    {
        Send();
    }
    EXPECT_TRUE(SendsNothing());
    Frame frame{};
    frame.opcode = Opcode::SACK;
    frame.sack.cackPsn = Wire((uint64_t{1} << 24) - 1);
    frame.sack.sackOffset = 1;
    frame.sack.mpr = 9; // 128 PSNs more
    requester->OnSack(frame, nowPs);
    for (int i = 0; i < 128; ++i)
    {
        Send();
    }
    EXPECT_TRUE(SendsNothing());
}

TEST_F(RequesterTest, EachPacketCarriesMethTsethAndReth)
{
    //= MRC-REF 2 Request headers
    m_config.mtuBytes = 256;
    Make(1 << 20);
    uint8_t payload[600] = {};
    requester->Post({1, 0x7f0000001000, payload, 600, 0x11223344, 5, true}, nowPs);
    const Opcode opcodes[] = {Opcode::WRITE_FIRST, Opcode::WRITE_MIDDLE, Opcode::WRITE_LAST_IMM};
    for (uint32_t n = 0; n < 3; ++n)
    {
        const Frame frame = Send();
        EXPECT_EQ(frame.opcode, opcodes[n]);
        EXPECT_EQ(frame.payloadBytes, n == 2 ? 88 : 256); // 600 = 2 x 256 + 88
        EXPECT_EQ(frame.write.meth.msn, 0);
        EXPECT_EQ(frame.write.meth.rqmsn, 0);
        EXPECT_EQ(frame.write.reth.va, 0x7f0000001000u + 256 * n);
        EXPECT_EQ(frame.write.reth.rKey, 0x11223344u);
        EXPECT_EQ(frame.write.reth.dmaBytes, 600u); // the message's, not the packet's
        EXPECT_EQ(frame.write.payload, payload + 256 * n);
        EXPECT_TRUE(frame.Has(Frame::HAS_TIMESTAMP));
        // 1 ms = 7812.5 units of 128 ns.
        EXPECT_EQ(frame.write.tseth.txTimestamp, 7812);
        EXPECT_EQ(DscpOf(frame.trafficClass), 8);
        EXPECT_EQ(EcnOf(frame.trafficClass), ECT0);
        EXPECT_EQ(frame.Has(Frame::ACK_REQUEST), n == 2);
        EXPECT_FALSE(frame.Has(Frame::RETRANSMISSION));
    }
}

TEST_F(RequesterTest, RetransmissionRepeatsThePacketWithItsOwnTimestamp)
{
    Make(1 << 20);
    Post(3 * MTU, true);
    Send();
    const Frame middle = Send();
    Send();
    nowPs += 128 * US; // 1000 units of 128 ns
    Nack(middle, NackCode::TRIMMED);
    const Frame again = Send(1);
    EXPECT_EQ(again.opcode, Opcode::WRITE_MIDDLE);
    EXPECT_EQ(again.psn, middle.psn);
    EXPECT_EQ(again.write.reth.va, middle.write.reth.va);
    EXPECT_EQ(again.payloadBytes, middle.payloadBytes);
    EXPECT_EQ(again.write.meth.msn, middle.write.meth.msn);
    EXPECT_EQ(again.write.meth.rqmsn, middle.write.meth.rqmsn);
    EXPECT_EQ(again.write.tseth.txTimestamp - middle.write.tseth.txTimestamp, 1000);
    EXPECT_EQ(DscpOf(again.trafficClass), 10); // TRIMMABLE_RETX
}

TEST_F(RequesterTest, GapsGoAgainOldestFirstWhateverTheOrderOfTheNacks)
{
    Make(1 << 20);
    Post(100 * MTU);
    std::vector<Frame> sent;
    for (int i = 0; i < 8; ++i)
    {
        sent.push_back(Send(i & 1));
    }
    for (const int lost : {6, 1, 4})
    {
        Nack(sent[lost], NackCode::TRIMMED_LASTHOP);
    }
    EXPECT_EQ(requester->InflightBytes(), 5u * MTU);
    for (const int lost : {1, 4, 6})
    {
        const Frame again = Send(lost & 1);
        EXPECT_EQ(again.psn, sent[lost].psn);
        EXPECT_NE(again.ev, sent[lost].ev);
        EXPECT_TRUE(again.Has(Frame::RETRANSMISSION));
    }
    EXPECT_EQ(Send().psn, Wire(8)); // then new data
    EXPECT_EQ(requester->InflightBytes(), 9u * MTU);
    EXPECT_EQ(counters.trimNacks, 3u);
}

TEST_F(RequesterTest, RetransmissionsKeepTheCongestionWindow)
{
    Make(2 * MTU);
    Post(10 * MTU);
    const Frame a = Send();
    Send();
    Nack(a, NackCode::TRIMMED_LASTHOP);
    EXPECT_EQ(Send().psn, a.psn); // takes the room that the loss left
    EXPECT_TRUE(SendsNothing());
    EXPECT_EQ(requester->InflightBytes(), 2u * MTU);
}

TEST_F(RequesterTest, PacketLargerThanTheWindowGoesAlone)
{
    Make(100);
    Post(2 * MTU);
    EXPECT_TRUE(Send().Has(Frame::ACK_REQUEST)); // a window of one packet: nothing else would
    EXPECT_TRUE(SendsNothing());
    Sack(1, 0, MTU / 256);
    Send();
}

TEST_F(RequesterTest, EachRetriableNackSendsAgainAndOnlyTrimsTouchTheEv)
{
    //= MRC-REF 2 NACK
    for (const uint8_t code : {0x01, 0x02, 0x06, 0x07, 0x0a, 0x0b})
    {
        SCOPED_TRACE(testing::Message() << "code " << int{code});
        Make(1 << 20);
        Post(4 * MTU);
        const Frame a = Send();
        Nack(a, static_cast<NackCode>(code));
        EXPECT_EQ(StateOf(a.ev), code == 0x01 ? EvState::SKIP : EvState::GOOD);
        EXPECT_EQ(requester->InflightBytes(), 0u);
        const Frame again = Send();
        EXPECT_EQ(again.psn, a.psn);
        EXPECT_TRUE(again.Has(Frame::RETRANSMISSION));
    }
    EXPECT_EQ(counters.trimNacks, 2u);
    EXPECT_EQ(counters.unexpected, 0u);
}

TEST_F(RequesterTest, UnexpectedEventFailsTheQp)
{
    //= MRC-REF 2 NACK, 0x19 is fatal
    Make(1 << 20);
    Post(MTU);
    Post(MTU);
    Nack(Send(), NackCode::UNEXP_EVENT);
    ASSERT_EQ(completions.size(), 2u);
    EXPECT_EQ(completions[0].id, 0u);
    EXPECT_EQ(completions[0].status, CompletionStatus::REMOTE_OPERATION);
    EXPECT_EQ(completions[1].status, CompletionStatus::FLUSHED);
    EXPECT_TRUE(SendsNothing());
    EXPECT_EQ(requester->WakeByPs(), Requester::NEVER);
    EXPECT_EQ(counters.messagesFailed, 2u);
}

TEST_F(RequesterTest, NackOfAnArrivedOrCompletedPacketIsStale)
{
    Make(1 << 20);
    Post(MTU);
    Post(4 * MTU);
    const Frame a = Send();
    const Frame b = Send();
    const Frame c = Send();
    Sack(1, 0b10, 2 * MTU / 256); // a and c arrived
    Nack(a, NackCode::TRIMMED_LASTHOP);
    Nack(c, NackCode::TRIMMED_LASTHOP);
    EXPECT_EQ(counters.staleFeedback, 2u);
    EXPECT_EQ(requester->InflightBytes(), MTU);
    EXPECT_FALSE(Send().Has(Frame::RETRANSMISSION));
    // One that names another EV than the packet took is about an earlier copy.
    Frame other = b;
    other.ev = b.ev == 0 ? 1 : 0;
    Nack(other, NackCode::TRIMMED_LASTHOP);
    EXPECT_EQ(counters.staleFeedback, 3u);
    EXPECT_FALSE(Send().Has(Frame::RETRANSMISSION));
}

TEST_F(RequesterTest, RetransmissionIsLostWhenALaterPacketOfItsEvArrives)
{
    Make(1 << 20);
    Post(100 * MTU);
    const Frame a = Send();
    nowPs += US / 10;
    Nack(a, NackCode::TRIMMED_LASTHOP);
    const Frame again = Send();
    // Four EVs in turn: within eight packets one takes the EV of the retransmission.
    uint64_t same = 0;
    for (uint64_t n = 1; n <= 8 && same == 0; ++n)
    {
        nowPs += US / 10;
        same = Send().ev == again.ev ? n : 0;
    }
    ASSERT_NE(same, 0u);
    Sack(0, uint64_t{1} << same, MTU / 256, 99); // bit 0 is a itself
    EXPECT_EQ(counters.inferredLosses, 1u);
    const Frame third = Send();
    EXPECT_EQ(third.psn, a.psn);
    EXPECT_NE(third.ev, again.ev);
    EXPECT_EQ(counters.retransmitted, 2u);
}

TEST_F(RequesterTest, AgeLimitIsBaseRttTargetAndGuardToThePicosecond)
{
    for (const int64_t extraPs : {0, 1})
    {
        counters = EndpointCounters{};
        Make(1 << 20);
        Post(100 * MTU);
        Send(0);
        nowPs += 10 * US;
        Send(1);
        nowPs += 10 * US + extraPs;
        // The second arrived at an age of 10 us, x 1.25 is less than the limit of 10 + 5 + 5.
        Sack(0, 0b10, MTU / 256, 99);
        EXPECT_EQ(counters.inferredLosses, static_cast<uint64_t>(extraPs));
    }
}

TEST_F(RequesterTest, OldAloneIsNoLoss)
{
    // Without a later arrival nothing is inferred, however old; that is the timer's business.
    Make(1 << 20);
    Post(100 * MTU);
    Send(0);
    nowPs += US;
    Send(1);
    nowPs += 100 * US;
    Sack(0, 0b01, MTU / 256, 99); // the older of the two arrived
    EXPECT_EQ(counters.inferredLosses, 0u);
}

TEST_F(RequesterTest, SackOffsetMayPointBelowCack)
{
    Make(1 << 20);
    Post(10 * MTU);
    for (int i = 0; i < 4; ++i)
    {
        Send(i & 1);
    }
    Frame frame{};
    frame.opcode = Opcode::SACK;
    frame.sack.cackPsn = Wire(1); // 0 and 1 arrived
    frame.sack.sackOffset = -1;   // bit 0 is packet 0
    frame.sack.bitmap = 0b1011;   // 0, 1 and 3
    frame.sack.receivedUnits256 = 3 * MTU / 256;
    frame.sack.ackPsnOffset = 2; // triggered by 3
    frame.sack.entropy = 99;
    requester->OnSack(frame, nowPs);
    EXPECT_EQ(requester->InflightBytes(), MTU);
    EXPECT_EQ(requester->Window()->Base(), requester->Window()->Next() - 2);
    EXPECT_FALSE(requester->Window()->IsReceived(requester->Window()->Base()));
    EXPECT_TRUE(requester->Window()->IsReceived(requester->Window()->Base() + 1));
}

TEST_F(RequesterTest, SackWithHostileOffsetsStaysInsideTheWindow)
{
    Make(1 << 20);
    Post(10 * MTU);
    for (int i = 0; i < 4; ++i)
    {
        Send(i & 1);
    }
    for (const int offset : {-32768, -64, 0, 5, 32767})
    {
        Frame frame{};
        frame.opcode = Opcode::SACK;
        frame.sack.cackPsn = Wire((uint64_t{1} << 24) - 1);
        frame.sack.sackOffset = static_cast<int16_t>(offset);
        frame.sack.ackPsnOffset = static_cast<int16_t>(offset);
        frame.sack.bitmap = offset == 0 ? 0 : ~uint64_t{0};
        frame.sack.entropy = 0xffffffff; // an EV this QP does not have
        frame.sack.mark = SackMark::ALWAYS_SKIP;
        requester->OnSack(frame, nowPs);
    }
    EXPECT_EQ(requester->InflightBytes(), 4u * MTU);
    EXPECT_EQ(counters.inferredLosses, 0u);
    for (uint32_t ev = 0; ev < 4; ++ev)
    {
        EXPECT_EQ(StateOf(ev), EvState::GOOD);
    }
    EXPECT_EQ(Send().psn, Wire(4));
}

TEST_F(RequesterTest, AlwaysSkipRetiresTheEv)
{
    Make(1 << 20);
    Post(100 * MTU);
    const Frame a = Send();
    Sack(1, 0, MTU / 256, a.ev, SackMark::ALWAYS_SKIP);
    EXPECT_EQ(StateOf(a.ev), EvState::ASSUMED_BAD);
    for (int i = 0; i < 16; ++i)
    {
        EXPECT_NE(Send().ev, a.ev);
    }
}

TEST_F(RequesterTest, AcksCompleteInOrderHoweverManyAtOnce)
{
    Make(1 << 20);
    for (int i = 0; i < 5; ++i)
    {
        Post(MTU);
    }
    for (int i = 0; i < 5; ++i)
    {
        Send(i & 1);
    }
    Ack(3);
    Ack(2); // overtaken
    EXPECT_EQ(completions.size(), 3u);
    EXPECT_EQ(counters.unexpected, 0u);
    nowPs += US;
    Ack(5);
    ASSERT_EQ(completions.size(), 5u);
    for (uint64_t id = 0; id < 5; ++id)
    {
        EXPECT_EQ(completions[id].id, id);
        EXPECT_EQ(completions[id].status, CompletionStatus::SUCCESS);
        EXPECT_EQ(completions[id].nowPs, id < 3 ? nowPs - US : nowPs);
    }
    EXPECT_EQ(counters.messagesDone, 5u);
    EXPECT_EQ(requester->InflightBytes(), 0u); // an ACK says that all of it arrived
    EXPECT_TRUE(requester->Messages().IsEmpty());
    Ack(0xffff); // before the first message ever: older than all
    EXPECT_EQ(completions.size(), 5u);
}

TEST_F(RequesterTest, AckTakesLostPacketsOffTheRetransmissions)
{
    Make(1 << 20);
    Post(2 * MTU);
    Post(MTU);
    const Frame a = Send();
    Send();
    Nack(a, NackCode::NO_PKT_BUFFER); // yet a copy of it arrived
    Ack(1);
    const Frame next = Send();
    EXPECT_EQ(next.psn, Wire(2));
    EXPECT_FALSE(next.Has(Frame::RETRANSMISSION));
    EXPECT_EQ(counters.retransmitted, 0u);
}

TEST_F(RequesterTest, MessageNumbersWrapAfter65536)
{
    //= MRC-REF 2 Request headers, AETH.MSN compared modulo 2^16
    Make(1 << 20);
    for (uint32_t msn = 0; msn < 65536 + 100; ++msn)
    {
        Post(4, true);
        const Frame frame = Send(msn & 1);
        ASSERT_EQ(frame.write.meth.msn, msn & 0xffff);
        ASSERT_EQ(frame.write.meth.rqmsn, msn & 0xffff);
        Ack(msn + 1);
        ASSERT_EQ(completions.size(), 1u) << msn;
        EXPECT_EQ(completions[0].id, msn);
        completions.clear();
    }
}

TEST_F(RequesterTest, NakCodesBecomeCompletionStatus)
{
    const std::pair<uint8_t, CompletionStatus> cases[] = {
        {0x61, CompletionStatus::REMOTE_INVALID},
        {0x62, CompletionStatus::REMOTE_ACCESS},
        {0x63, CompletionStatus::REMOTE_OPERATION},
        {0x7f, CompletionStatus::REMOTE_OPERATION}, // no code we know
    };
    for (const auto& [syndrome, status] : cases)
    {
        completions.clear();
        Make(1 << 20);
        Post(MTU);
        Post(MTU);
        Send();
        Ack(0, syndrome);
        ASSERT_EQ(completions.size(), 2u);
        EXPECT_EQ(completions[0].status, status);
        EXPECT_EQ(completions[1].status, CompletionStatus::FLUSHED);
        EXPECT_TRUE(requester->HasFailed());
        EXPECT_EQ(requester->InflightBytes(), 0u);
        // What arrives afterwards changes nothing.
        const uint64_t unexpected = counters.unexpected;
        Ack(1);
        Sack(1, 0, 16);
        EXPECT_EQ(counters.unexpected, unexpected + 2);
        EXPECT_EQ(completions.size(), 2u);
    }
}

TEST_F(RequesterTest, ProbesBackOffAndAnAnswerOfAnUnknownOneIsHarmless)
{
    m_config.ackTimeoutExponent = 20; // out of the way
    Make(1 << 20);
    Post(MTU);
    Send();
    // Silence of 3 base RTTs = 30 us, then twice as long since the last feedback each: 60, 120.
    int64_t sinceUs = 0;
    for (const int64_t dueUs : {30, 60, 120})
    {
        Wait((dueUs - sinceUs) * US - 1);
        EXPECT_TRUE(SendsNothing()) << dueUs;
        Wait(1);
        sinceUs = dueUs;
        const Frame probe = Send(1);
        EXPECT_EQ(probe.opcode, Opcode::RELIABILITY_PROBE);
        EXPECT_EQ(probe.destinationQp, 9u);
        EXPECT_EQ(probe.probe.spdcid, 7);
        EXPECT_EQ(probe.probe.dpdcid, 9);
        EXPECT_EQ(probe.probe.txTimestamp, MakeTimestamp(nowPs));
        EXPECT_EQ(DscpOf(probe.trafficClass), 0); // NO_TRIM
        EXPECT_EQ(probe.payloadBytes, 0);
    }
    EXPECT_EQ(counters.probesSent, 3u);
    Frame answer{};
    answer.opcode = Opcode::SACK;
    answer.sack.probeResponse = true;
    answer.sack.ackPsnOffset = 1234;
    answer.sack.cackPsn = Wire((uint64_t{1} << 24) - 1);
    answer.sack.sackOffset = 1;
    requester->OnSack(answer, nowPs);
    EXPECT_EQ(counters.inferredLosses, 0u);
    EXPECT_EQ(requester->InflightBytes(), MTU);
}

TEST_F(RequesterTest, NothingIsWantedOfAnIdleQp)
{
    Make(1 << 20);
    EXPECT_EQ(requester->WakeByPs(), Requester::NEVER);
    EXPECT_FALSE(requester->HasWork());
    EXPECT_TRUE(SendsNothing());
    EXPECT_EQ(requester->Paths(), nullptr); // holds no EVs before it sends
    EXPECT_EQ(requester->Window(), nullptr);
    EXPECT_EQ(requester->CwndBytes(), 0u);
    Post(0);
    EXPECT_TRUE(requester->HasWork());
    const Frame frame = Send();
    EXPECT_EQ(frame.opcode, Opcode::WRITE_ONLY);
    EXPECT_EQ(frame.payloadBytes, 0);
    EXPECT_EQ(frame.write.reth.dmaBytes, 0u);
    EXPECT_LE(requester->WakeByPs(), nowPs + 3 * BASE_RTT);
    EXPECT_EQ(requester->InflightBytes(), 0u);
    Ack(1);
    EXPECT_EQ(completions.size(), 1u);
}

} // namespace
