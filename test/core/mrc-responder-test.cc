// SPDX-License-Identifier: GPL-2.0-only
// The responder alone: what arrives, which answers are due, and what is in them.

#include "mrc-psn.h"
#include "mrc-responder.h"

#include <cstring>
#include <gtest/gtest.h>
#include <set>

namespace
{

using namespace mrc;

constexpr uint32_t MTU = 4096;
constexpr uint32_t FIRST_PSN = 0xfffff0; // wraps soon
constexpr uint8_t SACK = Responder::REPLY_SACK;
constexpr uint8_t NACK = Responder::REPLY_NACK;
constexpr uint8_t ACK = Responder::REPLY_ACK;

class ResponderTest : public ::testing::Test, public ResponderHost
{
  protected:
    ResponderTest()
        : bytes(64 * MTU)
    {
        key = memory.Region(memory.Register(0x1000, bytes.size(), bytes.data(), MTU)).RKey();
        Make();
    }

    void Make()
    {
        const QpSetup setup{0x10007, 9, 0, FIRST_PSN, 8, true};
        responder = std::make_unique<Responder>(config, setup, memory, counters, *this);
    }

    void OnReceiveCompletion(const ReceiveCompletion& completion) override
    {
        received.push_back(completion);
    }

    /// Packet n of a message that never ends, unless the opcode says so.
    Frame Write(uint64_t n, Opcode opcode = Opcode::WRITE_MIDDLE, uint32_t payload = 1024)
    {
        static uint8_t data[MTU];
        std::memset(data, static_cast<int>(n + 1), sizeof(data));
        Frame frame{};
        frame.opcode = opcode;
        frame.psn = static_cast<uint32_t>(FIRST_PSN + n) & PSN_MASK;
        frame.ev = 0xc0010000 + static_cast<uint32_t>(n);
        frame.payloadBytes = static_cast<uint16_t>(payload);
        frame.flags = Frame::HAS_TIMESTAMP | Frame::ENCAPSULATED;
        frame.trafficClass = MakeTrafficClass(8, ECT0);
        frame.write.tseth.txTimestamp = static_cast<uint16_t>(0x100 + n);
        frame.write.reth = Reth{0x1000 + n % 64 * MTU, key, 64 * MTU};
        frame.write.payload = data;
        return frame;
    }

    uint8_t Arrive(const Frame& frame)
    {
        return responder->OnWrite(frame, 1000);
    }

    Sack SackFor(const Frame& frame)
    {
        Frame answer{};
        responder->Fill(Responder::REPLY_SACK, frame, answer);
        EXPECT_EQ(answer.opcode, Opcode::SACK);
        EXPECT_EQ(answer.psn, answer.sack.cackPsn); // BTH PSN = cack_psn
        EXPECT_EQ(answer.destinationQp, 9u);
        EXPECT_EQ(answer.ev, frame.ev);
        EXPECT_TRUE(answer.Has(Frame::CONTROL));
        return answer.sack;
    }

    std::vector<uint8_t> bytes;
    TransportConfig config;
    MemoryTable memory;
    EndpointCounters counters{};
    std::unique_ptr<Responder> responder;
    std::vector<ReceiveCompletion> received;
    uint32_t key;
};

TEST_F(ResponderTest, SackIsDueAfterMoreThanFourMtu)
{
    //= MRC-REF 4 Responder, SACK triggers
    for (uint64_t n = 0; n < 4; ++n)
    {
        EXPECT_EQ(Arrive(Write(n, Opcode::WRITE_MIDDLE, MTU)), 0) << n;
    }
    const Frame fifth = Write(4, Opcode::WRITE_MIDDLE, MTU);
    EXPECT_EQ(Arrive(fifth), SACK);
    const Sack sack = SackFor(fifth);
    EXPECT_EQ(sack.cackPsn, (FIRST_PSN + 4) & PSN_MASK);
    EXPECT_EQ(sack.ackPsnOffset, 0);
    EXPECT_EQ(sack.sackOffset, 1);
    EXPECT_EQ(sack.bitmap, 0u);
    EXPECT_EQ(sack.receivedUnits256, 5u * MTU / 256);
    EXPECT_EQ(sack.txTimestamp, 0x104);
    EXPECT_EQ(sack.entropy, 0xc0010004);
    EXPECT_EQ(sack.spdcid, 7); // low 16 bits
    EXPECT_EQ(sack.dpdcid, 9);
    EXPECT_EQ(sack.mark, SackMark::NONE);
    EXPECT_EQ(Arrive(Write(5)), 0); // the count starts again
}

TEST_F(ResponderTest, SmallPacketsCount1024)
{
    for (uint64_t n = 0; n < 16; ++n)
    {
        EXPECT_EQ(Arrive(Write(n, Opcode::WRITE_MIDDLE, 4)), 0) << n;
    }
    EXPECT_EQ(Arrive(Write(16, Opcode::WRITE_MIDDLE, 4)), SACK);
}

TEST_F(ResponderTest, MarkRetransmissionAndAckRequestTriggerASack)
{
    Frame marked = Write(0);
    marked.trafficClass |= CE;
    EXPECT_EQ(Arrive(marked), SACK);
    EXPECT_EQ(SackFor(marked).mark, SackMark::SKIP_ONCE);
    Frame again = Write(1);
    again.flags |= Frame::RETRANSMISSION;
    EXPECT_EQ(Arrive(again), SACK);
    Frame asks = Write(2);
    asks.flags |= Frame::ACK_REQUEST;
    EXPECT_EQ(Arrive(asks), SACK);
}

TEST_F(ResponderTest, HolesShowInTheBitmap)
{
    Arrive(Write(0));
    Arrive(Write(2));
    Arrive(Write(3));
    Frame asks = Write(6);
    asks.flags |= Frame::ACK_REQUEST;
    Arrive(asks);
    const Sack sack = SackFor(asks);
    EXPECT_EQ(sack.cackPsn, FIRST_PSN);
    EXPECT_EQ(sack.ackPsnOffset, 6);
    EXPECT_EQ(sack.sackOffset, 1);
    EXPECT_EQ(sack.bitmap, 0b100110u); // 2, 3 and 6, counted from 1
    EXPECT_EQ(sack.oooCount, 3);
}

TEST_F(ResponderTest, WideWindowReportsEachArrivalInSomeSack)
{
    // 0 is missing; 200 packets arrive in an order that jumps about.
    std::set<uint64_t> reported;
    for (uint64_t i = 0; i < 200; ++i)
    {
        const uint64_t n = 1 + i * 77 % 200;
        const Frame frame = Write(n, Opcode::WRITE_MIDDLE, MTU);
        if ((Arrive(frame) & SACK) != 0 || i > 190)
        {
            const Sack sack = SackFor(frame);
            EXPECT_EQ(sack.cackPsn, FIRST_PSN - 1);
            for (uint32_t bit = 0; bit < 64; ++bit)
            {
                if ((sack.bitmap >> bit & 1) != 0)
                {
                    reported.insert(static_cast<uint64_t>(sack.sackOffset) - 1 + bit);
                }
            }
            reported.insert(n);
        }
    }
    EXPECT_EQ(reported.size(), 200u);
}

TEST_F(ResponderTest, WithoutThatTheBitmapEndsAtTheNewest)
{
    config.sackReportsAll = false;
    Make();
    for (uint64_t n = 1; n < 100; ++n)
    {
        Arrive(Write(n));
    }
    const Sack sack = SackFor(Write(99));
    EXPECT_EQ(sack.sackOffset, 99 - 63 + 1); // base = 99 - 63, counted from cack = -1
    EXPECT_EQ(sack.bitmap, ~uint64_t{0});
}

TEST_F(ResponderTest, DuplicatesAreAnsweredAndNotWritten)
{
    Arrive(Write(0));
    Arrive(Write(2));
    bytes[0] = 99;
    EXPECT_EQ(Arrive(Write(0)), SACK | ACK); // below: the transport ACK may be lost too
    EXPECT_EQ(Arrive(Write(2)), SACK);       // above
    EXPECT_EQ(bytes[0], 99);
    EXPECT_EQ(counters.duplicates, 2u);
    EXPECT_EQ(memory.Region(0).RepeatedGranules(), 0u);
}

TEST_F(ResponderTest, OutsideTheWindowIsSilence)
{
    EXPECT_EQ(Arrive(Write(1024)), 0);
    EXPECT_EQ(counters.outOfWindow, 1u);
    EXPECT_EQ(Arrive(Write(1023)), 0);
    EXPECT_EQ(counters.dataReceived, 1u);
}

TEST_F(ResponderTest, TrimmedPacketIsNackedOnItsEv)
{
    Frame trimmed = Write(1);
    trimmed.flags |= Frame::TRIMMED | Frame::CONTROL;
    ASSERT_EQ(Arrive(trimmed), NACK);
    EXPECT_EQ(bytes[MTU], 0);
    Frame answer{};
    responder->Fill(Responder::REPLY_NACK, trimmed, answer);
    EXPECT_EQ(answer.opcode, Opcode::NACK);
    EXPECT_EQ(answer.nack.reason, NackCode::TRIMMED);
    EXPECT_EQ(answer.nack.nackPsn, trimmed.psn);
    EXPECT_EQ(answer.psn, trimmed.psn);
    EXPECT_EQ(answer.nack.entropy, trimmed.ev);
    EXPECT_EQ(answer.nack.txTimestamp, 0x101);
    EXPECT_EQ(answer.nack.ccType, NACK_CC_TYPE);
    EXPECT_FALSE(answer.Has(Frame::TRIMMED));

    // The answer may take the place of the frame that caused it.
    Frame lastHop = Write(2);
    lastHop.flags |= Frame::TRIMMED | Frame::TRIMMED_LASTHOP | Frame::CONTROL;
    ASSERT_EQ(Arrive(lastHop), NACK);
    responder->Fill(Responder::REPLY_NACK, lastHop, lastHop);
    EXPECT_EQ(lastHop.nack.reason, NackCode::TRIMMED_LASTHOP);
    EXPECT_EQ(lastHop.nack.entropy, 0xc0010002);

    // What arrived whole before needs no second copy.
    Arrive(Write(3));
    Frame late = Write(3);
    late.flags |= Frame::TRIMMED;
    EXPECT_EQ(Arrive(late), SACK);
}

TEST_F(ResponderTest, ProbeIsAnsweredWithItsId)
{
    Arrive(Write(0));
    Frame probe{};
    probe.opcode = Opcode::RELIABILITY_PROBE;
    probe.ev = 5;
    probe.probe.probeId = 0xbeef;
    probe.probe.txTimestamp = 42;
    EXPECT_EQ(responder->OnProbe(probe), SACK);
    const Sack sack = SackFor(probe);
    EXPECT_TRUE(sack.probeResponse);
    EXPECT_EQ(static_cast<uint16_t>(sack.ackPsnOffset), 0xbeef);
    EXPECT_EQ(sack.txTimestamp, 42);
    EXPECT_EQ(sack.cackPsn, FIRST_PSN);
}

TEST_F(ResponderTest, MessagesCompleteInOrderOnly)
{
    EXPECT_EQ(Arrive(Write(2, Opcode::WRITE_ONLY)) & ACK, 0);
    EXPECT_EQ(Arrive(Write(0, Opcode::WRITE_FIRST)) & ACK, 0);
    const Frame last = Write(1, Opcode::WRITE_LAST);
    EXPECT_EQ(Arrive(last) & ACK, ACK); // completes both
    Frame answer{};
    responder->Fill(Responder::REPLY_ACK, last, answer);
    EXPECT_EQ(answer.ack.msn, 2u);
    EXPECT_EQ(answer.ack.syndrome, AETH_ACK);
    EXPECT_EQ(counters.messagesArrived, 2u);
}

TEST_F(ResponderTest, BadKeyAndBoundsAreRefusedForGood)
{
    Frame bad = Write(0);
    bad.write.reth.rKey ^= 1;
    EXPECT_EQ(Arrive(bad), ACK);
    EXPECT_EQ(bytes[0], 0);
    Frame answer{};
    responder->Fill(Responder::REPLY_ACK, bad, answer);
    EXPECT_EQ(answer.ack.syndrome, AETH_NAK_REMOTE_ACCESS);
    EXPECT_EQ(Arrive(Write(1)), ACK); // says it again, writes nothing
    EXPECT_EQ(bytes[MTU], 0);
    EXPECT_EQ(counters.accessErrors, 1u);

    for (const uint64_t va : {uint64_t{0}, uint64_t{0x1000} + 64 * MTU - 1, ~uint64_t{0} - 10})
    {
        Make();
        Frame outside = Write(0);
        outside.write.reth.va = va;
        EXPECT_EQ(Arrive(outside), ACK) << va;
    }
    Make();
    Frame longer = Write(0);
    longer.write.reth.dmaBytes = 64 * MTU + 1;
    EXPECT_EQ(Arrive(longer), ACK);
    EXPECT_EQ(memory.Region(0).PlacedBytes(), 0u);
}

TEST_F(ResponderTest, ImmediatesWaitForAllBefore)
{
    Frame second = Write(3, Opcode::WRITE_ONLY_IMM);
    second.write.meth.rqmsn = 1;
    second.write.immediate = 22;
    Frame first = Write(1, Opcode::WRITE_LAST_IMM);
    first.write.immediate = 11;
    Arrive(second);
    Arrive(first);
    Arrive(Write(2, Opcode::WRITE_ONLY));
    EXPECT_TRUE(received.empty());
    Arrive(Write(0, Opcode::WRITE_FIRST));
    ASSERT_EQ(received.size(), 2u);
    EXPECT_EQ(received[0].immediate, 11u);
    EXPECT_EQ(received[1].immediate, 22u);
    EXPECT_EQ(received[1].rqmsn, 1u);
}

TEST_F(ResponderTest, TooManyImmediatesAreInvalid)
{
    Frame frame = Write(0, Opcode::WRITE_ONLY_IMM);
    frame.write.meth.rqmsn = static_cast<uint16_t>(config.maxWimm);
    EXPECT_EQ(Arrive(frame), ACK);
    Frame answer{};
    responder->Fill(Responder::REPLY_ACK, frame, answer);
    EXPECT_EQ(answer.ack.syndrome, AETH_NAK_INVALID_REQUEST);
    EXPECT_EQ(answer.ack.msn, 0u); // the refused message is not among the complete ones
    EXPECT_TRUE(received.empty());
    EXPECT_EQ(memory.Region(0).PlacedBytes(), 0u);
}

TEST_F(ResponderTest, NumberOfAnImmediateIsTakenOnce)
{
    Frame first = Write(1, Opcode::WRITE_ONLY_IMM);
    first.write.immediate = 11;
    EXPECT_EQ(Arrive(first), 0);
    Frame second = Write(2, Opcode::WRITE_ONLY_IMM); // another packet, the same RQMSN
    EXPECT_EQ(Arrive(second), ACK);
    EXPECT_EQ(memory.Region(0).PlacedBytes(), 1024u);
}

TEST_F(ResponderTest, DuplicatesDoNotCountAsReceivedBytes)
{
    Arrive(Write(0));
    Arrive(Write(0));
    Arrive(Write(2));
    const Frame again = Write(2);
    Arrive(again);
    EXPECT_EQ(SackFor(again).receivedUnits256, 2u * 1024 / 256);
}

TEST_F(ResponderTest, VeryLateDuplicateNamesNoPacketOfTheWindow)
{
    // ack_psn_offset has 16 bits: what is further back must not read as ahead of cack.
    for (uint64_t n = 0; n < 40'000; ++n)
    {
        Arrive(Write(n));
    }
    const Frame late = Write(3);
    EXPECT_EQ(Arrive(late) & SACK, SACK);
    EXPECT_LT(SackFor(late).ackPsnOffset, 0);
}

TEST_F(ResponderTest, WideGapIsNotReportedPacketByPacket)
{
    // 0 is missing, 1 and 900 arrive: two bitmaps are enough to report both.
    Arrive(Write(1));
    const Frame far = Write(900);
    Arrive(far);
    Sack sack = SackFor(far);
    EXPECT_EQ(sack.sackOffset, 1);
    EXPECT_EQ(sack.bitmap, 0b10u);
    const Frame next = Write(901);
    EXPECT_EQ(Arrive(next), SACK); // at once: 900 is not reported yet
    sack = SackFor(next);
    EXPECT_EQ(sack.sackOffset, 902 - 64 + 1);
    EXPECT_EQ(sack.bitmap, uint64_t{3} << 62);
    EXPECT_EQ(Arrive(Write(902)), 0); // nothing is left to report
}

} // namespace
