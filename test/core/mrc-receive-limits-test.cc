// SPDX-License-Identifier: GPL-2.0-only
// A responder whose endpoint has little room: what it refuses, how it says so, and that the
// conversation gets through.

#include "mrc-endpoint-pair.h"
#include "mrc-psn.h"
#include "mrc-random.h"

#include <gtest/gtest.h>

namespace
{

using namespace mrc;

constexpr int64_t US = EndpointPair::US;
constexpr uint32_t MTU = 4096;
constexpr uint8_t SACK = Responder::REPLY_SACK;
constexpr uint8_t NACK = Responder::REPLY_NACK;
constexpr uint8_t ACK = Responder::REPLY_ACK;

class ReceiveLimitsTest : public ::testing::Test
{
  protected:
    ReceiveLimitsTest()
        : at(pair.b),
          key(at.memory.Region(at.memory.Register(0, 1 << 20, nullptr, 0)).RKey())
    {
    }

    /// Packet n of messages of one packet, some of them with the immediate of a number.
    Frame Write(uint64_t n, int rqmsn = -1)
    {
        Frame frame{};
        frame.opcode = rqmsn < 0 ? Opcode::WRITE_ONLY : Opcode::WRITE_ONLY_IMM;
        frame.psn = static_cast<uint32_t>(n);
        frame.ev = 77;
        frame.payloadBytes = MTU;
        frame.flags = Frame::HAS_TIMESTAMP;
        frame.write.meth.rqmsn = static_cast<uint16_t>(std::max(rqmsn, 0));
        frame.write.tseth.txTimestamp = 1000;
        frame.write.reth = Reth{n % 256 * MTU, key, MTU};
        return frame;
    }

    uint8_t Arrive(const Frame& frame)
    {
        return at.responder->OnWrite(frame, nowPs);
    }

    /// @return the NACK that the frame is answered with
    Nack NackFor(const Frame& frame)
    {
        EXPECT_EQ(Arrive(frame), NACK);
        Frame answer{};
        at.responder->Fill(Responder::REPLY_NACK, frame, answer);
        EXPECT_EQ(answer.opcode, Opcode::NACK);
        EXPECT_TRUE(answer.Has(Frame::CONTROL));
        EXPECT_EQ(answer.nack.nackPsn, frame.psn);
        EXPECT_EQ(answer.nack.entropy, frame.ev);
        EXPECT_EQ(answer.nack.txTimestamp, 1000);
        return answer.nack;
    }

    Sack SackFor(const Frame& frame, int64_t servicePs = 0)
    {
        Frame answer{};
        at.responder->Fill(Responder::REPLY_SACK, frame, answer, servicePs);
        return answer.sack;
    }

    /// Write messages from A to B, every second with an immediate. All must arrive.
    void Converse(int messages)
    {
        for (int i = 0; i < messages; ++i)
        {
            pair.a.requester->Post({static_cast<uint64_t>(i),
                                    0,
                                    nullptr,
                                    1 + static_cast<uint32_t>(i) * 997 % (8 * MTU),
                                    key,
                                    static_cast<uint32_t>(i),
                                    i % 2 == 0},
                                   pair.nowPs);
        }
        pair.Run();
        EXPECT_EQ(pair.a.counters.messagesDone, static_cast<uint64_t>(messages));
        EXPECT_EQ(at.counters.messagesArrived, static_cast<uint64_t>(messages));
        EXPECT_EQ(at.memory.Pool().Bitmaps(), 0u); // all given back
        EXPECT_EQ(at.memory.Pool().Stashed(), 0u);
        EXPECT_EQ(pair.a.requester->InflightBytes(), 0u);
        for (size_t i = 0; i < at.received.size(); ++i)
        {
            EXPECT_EQ(at.received[i].immediate, 2 * i); // in order
        }
        EXPECT_EQ(at.received.size(), static_cast<size_t>(messages + 1) / 2);
    }

    /// Let packets overtake each other.
    void Shuffle()
    {
        pair.network = [this](Frame& frame, int64_t& delayPs) {
            delayPs += IsWrite(frame.opcode) ? m_random.Below(8) * US : 0;
            return true;
        };
    }

    EndpointPair pair;
    TestEnd& at;
    uint32_t key;
    int64_t nowPs{1000 * US};

  private:
    Random m_random{7};
};

TEST_F(ReceiveLimitsTest, WithoutABitmapOnlyTheNextPacketIsTaken)
{
    //= MRC-REF 2 NACK, NO_BITMAP, NO_PKT_BUFFER and NO_RESOURCE are retriable
    at.config.maxBitmaps = 1;
    pair.Connect();
    EXPECT_TRUE(at.memory.Pool().TakeBitmap(at.config)); // another QP of the endpoint has it
    EXPECT_EQ(NackFor(Write(1)).reason, NackCode::NO_BITMAP);
    EXPECT_EQ(at.counters.resourceNacks, 1u);
    EXPECT_EQ(Arrive(Write(0)), SACK | ACK);
    at.memory.Pool().ReturnBitmap();
    EXPECT_EQ(Arrive(Write(2)), 0); // beyond a gap: takes it, and keeps it for the next
    EXPECT_EQ(Arrive(Write(3)), 0);
    EXPECT_EQ(at.memory.Pool().Bitmaps(), 1u);
    EXPECT_EQ(Arrive(Write(1)), SACK | ACK);
    EXPECT_EQ(at.memory.Pool().Bitmaps(), 0u);
}

TEST_F(ReceiveLimitsTest, WithoutAStashEntryAnImmediateThatMustWaitIsRefused)
{
    at.config.maxStash = 1;
    pair.Connect();
    EXPECT_EQ(Arrive(Write(1, 1)), 0); // waits
    EXPECT_EQ(NackFor(Write(2, 2)).reason, NackCode::NO_RESOURCE);
    EXPECT_EQ(Arrive(Write(3)), 0);             // no immediate
    EXPECT_EQ(Arrive(Write(0, 0)), SACK | ACK); // next in order: needs no entry
    EXPECT_EQ(at.received.size(), 2u);
    EXPECT_EQ(at.memory.Pool().Stashed(), 0u);
    EXPECT_EQ(Arrive(Write(2, 2)), SACK | ACK);
    EXPECT_EQ(at.received.size(), 3u);
}

TEST_F(ReceiveLimitsTest, BufferFillsAsFastAsMemoryLetsIt)
{
    // 4 packets of 4096 B fit; memory takes one in 32768 / 32.768e9 s = 1 us.
    at.config.packetBufferBytes = 4 * MTU;
    at.config.memoryBitsPerSecond = 32'768'000'000;
    pair.Connect();
    for (uint64_t n = 0; n < 4; ++n)
    {
        EXPECT_EQ(Arrive(Write(n)), SACK | ACK) << n;
    }
    EXPECT_EQ(NackFor(Write(4)).reason, NackCode::NO_PKT_BUFFER);
    nowPs += US - 1;
    EXPECT_EQ(Arrive(Write(4)), NACK);
    nowPs += 1;
    EXPECT_EQ(Arrive(Write(4)), SACK | ACK);
    EXPECT_EQ(Arrive(Write(5)), NACK);
}

TEST_F(ReceiveLimitsTest, EmptyBufferTakesAnyPacket)
{
    at.config.packetBufferBytes = 1;
    at.config.memoryBitsPerSecond = 32'768'000'000;
    pair.Connect();
    EXPECT_EQ(Arrive(Write(0)), SACK | ACK);
    EXPECT_EQ(Arrive(Write(1)), NACK);
    nowPs += US;
    EXPECT_EQ(Arrive(Write(1)), SACK | ACK);
}

TEST_F(ReceiveLimitsTest, ShortageAsksForLessAndItsEndForTheWindowBack)
{
    //= MRC-REF 2 SACK, rcv_cwnd_pen and r_c
    at.config.packetBufferBytes = 4 * MTU;
    at.config.memoryBitsPerSecond = 32'768'000'000;
    at.config.cwndPenalty = 100;
    pair.Connect();
    Arrive(Write(0));
    Arrive(Write(1));
    EXPECT_EQ(SackFor(Write(1)).cwndPenalty, 0); // half full
    Arrive(Write(2));
    EXPECT_EQ(SackFor(Write(2)).cwndPenalty, 100); // more than half, nothing is refused yet
    EXPECT_FALSE(SackFor(Write(2)).restoreCwnd);
    nowPs += EndpointPair::BASE_RTT - 1;
    Arrive(Write(3));
    EXPECT_EQ(SackFor(Write(3)).cwndPenalty, 100);
    nowPs += 1; // one base RTT without shortage
    Arrive(Write(4));
    EXPECT_EQ(SackFor(Write(4)).cwndPenalty, 0);
    EXPECT_TRUE(SackFor(Write(4)).restoreCwnd);
    nowPs += 8 * EndpointPair::BASE_RTT;
    Arrive(Write(5));
    EXPECT_FALSE(SackFor(Write(5)).restoreCwnd);
}

TEST_F(ReceiveLimitsTest, RestoreIsSaidHoweverLongItWasQuiet)
{
    at.config.maxBitmaps = 1;
    pair.Connect();
    EXPECT_TRUE(at.memory.Pool().TakeBitmap(at.config));
    EXPECT_EQ(Arrive(Write(1)), NACK);
    EXPECT_EQ(SackFor(Write(1)).cwndPenalty, 32);
    nowPs += 1'000'000 * US;
    EXPECT_EQ(Arrive(Write(0)), SACK | ACK);
    EXPECT_EQ(SackFor(Write(0)).cwndPenalty, 0);
    EXPECT_TRUE(SackFor(Write(0)).restoreCwnd);
}

TEST_F(ReceiveLimitsTest, FailingQpGivesBackWhatItHeld)
{
    at.config.maxBitmaps = 2;
    at.config.maxStash = 4;
    pair.Connect();
    Arrive(Write(1, 1));
    Arrive(Write(2, 2));
    EXPECT_EQ(at.memory.Pool().Bitmaps(), 1u);
    EXPECT_EQ(at.memory.Pool().Stashed(), 2u);
    Frame bad = Write(3, 3);
    bad.write.reth.rKey = 1;
    EXPECT_EQ(Arrive(bad), ACK);
    EXPECT_EQ(at.memory.Pool().Bitmaps(), 0u);
    EXPECT_EQ(at.memory.Pool().Stashed(), 0u);
}

TEST_F(ReceiveLimitsTest, PacketBeyondTheWindowIsNackedIfWanted)
{
    //= MRC-REF 2 NACK, out-of-window packets: silent drop by default
    pair.Connect();
    EXPECT_EQ(Arrive(Write(1024)), 0);
    at.config.nackOutOfWindow = true;
    EXPECT_EQ(NackFor(Write(1024)).reason, NackCode::PSN_OOR_WINDOW);
    EXPECT_EQ(Arrive(Write(1023)) & NACK, 0);
    EXPECT_EQ(at.counters.outOfWindow, 2u);
}

TEST_F(ReceiveLimitsTest, PayloadLongerThanTheMtuIsInvalid)
{
    at.config.mtuBytes = 1024;
    pair.Connect();
    const Frame frame = Write(0);
    EXPECT_EQ(Arrive(frame), ACK);
    Frame answer{};
    at.responder->Fill(Responder::REPLY_ACK, frame, answer);
    EXPECT_EQ(answer.ack.syndrome, 0x61);
    EXPECT_EQ(at.memory.Region(0).PlacedBytes(), 0u);
}

TEST_F(ReceiveLimitsTest, FaultyMemoryIsAnOperationalError)
{
    pair.Connect();
    at.memory.Region(0).SetFaulty(true);
    pair.a.requester->Post({0, 0, nullptr, MTU, key, 0, false}, pair.nowPs);
    pair.Run();
    ASSERT_EQ(pair.a.completions.size(), 1u);
    EXPECT_EQ(pair.a.completions[0].status, CompletionStatus::REMOTE_OPERATION);
}

TEST_F(ReceiveLimitsTest, ServiceTimeIsTakenOutIfTheResponderCan)
{
    //= MRC-REF 2 SACK, tx_timestamp reflected, service time removed
    pair.Connect();
    const Frame frame = Write(0);
    Arrive(frame);
    EXPECT_EQ(SackFor(frame, 256'000).txTimestamp, 1000);
    at.config.serviceTime = true;
    EXPECT_EQ(SackFor(frame, 256'000).txTimestamp, 1002); // 2 units of 128 ns later
    EXPECT_EQ(SackFor(frame, 255'999).txTimestamp, 1001);
    EXPECT_EQ(SackFor(frame).txTimestamp, 1000);
}

TEST_F(ReceiveLimitsTest, ConversationGetsThroughWithoutBitmaps)
{
    at.config.maxBitmaps = 1;
    pair.Connect();
    EXPECT_TRUE(at.memory.Pool().TakeBitmap(at.config));
    Shuffle();
    pair.a.cwndBytes = 8 * MTU;
    for (int i = 0; i < 40; ++i)
    {
        pair.a.requester->Post({static_cast<uint64_t>(i), 0, nullptr, 3 * MTU, key, 0, false},
                               pair.nowPs);
    }
    pair.Run();
    EXPECT_EQ(pair.a.counters.messagesDone, 40u);
    EXPECT_GT(at.counters.resourceNacks, 0u);
    EXPECT_EQ(at.memory.Pool().Bitmaps(), 1u); // the one that was never ours
}

TEST_F(ReceiveLimitsTest, ConversationGetsThroughWithOneStashEntry)
{
    at.config.maxStash = 1;
    pair.Connect();
    Shuffle();
    Converse(101);
    EXPECT_GT(at.counters.resourceNacks, 0u);
}

TEST_F(ReceiveLimitsTest, ConversationGetsThroughASmallBuffer)
{
    at.config.packetBufferBytes = 8 * MTU;
    at.config.memoryBitsPerSecond = 10'000'000'000;
    pair.Connect();
    Shuffle();
    Converse(60);
    EXPECT_GT(at.counters.resourceNacks, 0u);
}

TEST_F(ReceiveLimitsTest, WindowGrowsAtOnceAndShrinksAsItCloses)
{
    //= MRC-REF 1 MPR
    at.config.dynamicMpr = true;
    pair.a.config.dynamicMpr = true;
    at.config.nackOutOfWindow = true;
    pair.Connect();
    at.responder->SetMpr(16);
    EXPECT_EQ(SackFor(Write(0)).mpr, 16);
    EXPECT_EQ(Arrive(Write(2047)) & NACK, 0); // 16 x 128 - 1
    EXPECT_EQ(Arrive(Write(2048)), NACK);
    at.responder->SetMpr(1);
    EXPECT_EQ(SackFor(Write(0)).mpr, 1);
    EXPECT_EQ(Arrive(Write(2046)) & NACK, 0); // was granted
    for (uint64_t n = 0; n < 1920; ++n)
    {
        EXPECT_EQ(Arrive(Write(n)) & NACK, 0) << n;
    }
    EXPECT_EQ(Arrive(Write(2048)), NACK); // 1920 + 128
    EXPECT_EQ(Arrive(Write(1920)) & NACK, 0);
    EXPECT_EQ(Arrive(Write(2048)) & NACK, 0);
    EXPECT_EQ(Arrive(Write(2049)), NACK);
}

TEST_F(ReceiveLimitsTest, WindowThatChangesWhileTrafficRunsLosesNothing)
{
    at.config.dynamicMpr = true;
    pair.a.config.dynamicMpr = true;
    pair.a.cwndBytes = 64 << 20;
    pair.Connect();
    Random random(3);
    pair.network = [&](Frame& frame, int64_t& delayPs) {
        if (IsWrite(frame.opcode))
        {
            delayPs += random.Below(8) * US;
            if (random.Below(50) == 0)
            {
                at.responder->SetMpr(static_cast<uint8_t>(1 + random.Below(20)));
            }
        }
        return true;
    };
    Converse(400);
    EXPECT_EQ(at.counters.outOfWindow, 0u); // what was granted once is taken
}

TEST_F(ReceiveLimitsTest, RequesterKeepsANarrowerWindowForRetransmissionsToo)
{
    at.config.dynamicMpr = true;
    pair.a.config.dynamicMpr = true;
    pair.a.cwndBytes = 64 << 20;
    pair.Connect();
    Requester& requester = *pair.a.requester;
    requester.Post({0, 0, nullptr, 1024 * MTU, key, 0, false}, nowPs);
    Frame frame{};
    for (int i = 0; i < 1024; ++i)
    {
        ASSERT_TRUE(requester.NextFrame(nowPs, i & 1, frame));
    }
    Frame nack{}; // the last packet is refused, then the window narrows to one unit
    nack.opcode = Opcode::NACK;
    nack.nack.reason = NackCode::PSN_OOR_WINDOW;
    nack.nack.nackPsn = frame.psn;
    nack.nack.entropy = frame.ev;
    requester.OnNack(nack, nowPs);
    EXPECT_TRUE(requester.HasWork());
    Frame sack{};
    sack.opcode = Opcode::SACK;
    sack.sack.cackPsn = PSN_MASK; // nothing in order yet
    sack.sack.mpr = 1;
    requester.OnSack(sack, nowPs);
    EXPECT_FALSE(requester.HasWork());
    sack.sack.cackPsn = 1023 - 128; // now PSN 1023 is the last of the window
    sack.sack.receivedUnits256 = 896 * MTU / 256;
    requester.OnSack(sack, nowPs);
    ASSERT_TRUE(requester.NextFrame(nowPs, 0, frame));
    EXPECT_EQ(frame.psn, 1023u);
    EXPECT_TRUE(frame.Has(Frame::RETRANSMISSION));
}

} // namespace
