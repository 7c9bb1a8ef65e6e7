// SPDX-License-Identifier: GPL-2.0-only
// The responder alone: what arrives, which answers are due, and what is in them.

#include "mrc-psn.h"
#include "mrc-random.h"
#include "mrc-responder.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
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

TEST_F(ResponderTest, WithoutTrimNackTrimmedPacketsAreLost)
{
    config.trimNack = false;
    Frame trimmed = Write(0);
    trimmed.flags |= Frame::TRIMMED | Frame::CONTROL;
    EXPECT_EQ(Arrive(trimmed), 0);
    EXPECT_EQ(counters.trimsReceived, 1u);
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

TEST_F(ResponderTest, SackFieldsByHandAcrossTheWrap)
{
    //= MRC-REF 2 SACK
    config.dynamicMpr = true;
    Make();
    for (uint64_t n = 0; n < 15; ++n)
    {
        Arrive(Write(n)); // 0xfffff0 to 0xfffffe
    }
    Arrive(Write(17)); // 0x000001
    Frame trigger = Write(19, Opcode::WRITE_MIDDLE, 100);
    trigger.trafficClass |= CE;
    ASSERT_EQ(Arrive(trigger), SACK); // 0x000003
    Frame answer{};
    responder->Fill(Responder::REPLY_SACK, trigger, answer);
    EXPECT_EQ(answer.psn, 0xfffffeu);
    EXPECT_EQ(DscpOf(answer.trafficClass), 46);
    EXPECT_EQ(EcnOf(answer.trafficClass), NOT_ECT);
    EXPECT_EQ(answer.payloadBytes, 0);
    const Sack& sack = answer.sack;
    EXPECT_EQ(sack.mark, SackMark::SKIP_ONCE);
    EXPECT_FALSE(sack.probeResponse);
    EXPECT_EQ(sack.ackPsnOffset, 5); // 0xfffffe + 5 = 0x000003
    EXPECT_EQ(sack.entropy, 0xc0010013u);
    EXPECT_EQ(sack.cackPsn, 0xfffffeu);
    EXPECT_EQ(sack.mpr, 8);
    EXPECT_EQ(sack.sackOffset, 1);
    EXPECT_EQ(sack.bitmap, 0b10100u); // base 0xffffff: bit 2 = 0x000001, bit 4 = 0x000003
    EXPECT_EQ(sack.txTimestamp, 0x113);
    EXPECT_EQ(sack.oooCount, 2);
    EXPECT_EQ(sack.receivedUnits256, 65u); // 16 x 1024 + 100 = 16484 B = 64.4 units, rounded up
    EXPECT_EQ(sack.cwndPenalty, 0);
    EXPECT_FALSE(sack.restoreCwnd);
}

TEST_F(ResponderTest, WindowIsNotAnnouncedWithoutDynamicMpr)
{
    const Frame frame = Write(0);
    Arrive(frame);
    EXPECT_EQ(SackFor(frame).mpr, 0);
}

TEST_F(ResponderTest, DuplicateBelowIsNamedBehindCack)
{
    for (uint64_t n = 0; n < 10; ++n)
    {
        Arrive(Write(n));
    }
    Frame marked = Write(3);
    marked.trafficClass |= CE;
    ASSERT_EQ(Arrive(marked), SACK | ACK);
    const Sack sack = SackFor(marked);
    EXPECT_EQ(sack.ackPsnOffset, -6); // cack is 9
    EXPECT_EQ(sack.mark, SackMark::SKIP_ONCE);
    EXPECT_EQ(counters.dataReceived, 10u);
    EXPECT_EQ(memory.Region(0).PlacedBytes(), 10u * 1024);
}

TEST_F(ResponderTest, BitmapMovesOnceTheWindowIsWiderThanIt)
{
    // 0 is missing and cack + 1: 64 PSNs from it on end with 63.
    for (const bool reportsAll : {false, true})
    {
        SCOPED_TRACE(reportsAll);
        config.sackReportsAll = reportsAll;
        Make();
        Arrive(Write(1));
        Frame frame = Write(63);
        Arrive(frame);
        Sack sack = SackFor(frame);
        EXPECT_EQ(sack.sackOffset, 1);
        EXPECT_EQ(sack.bitmap, uint64_t{1} << 63 | 2);
        frame = Write(64);
        Arrive(frame);
        sack = SackFor(frame);
        EXPECT_EQ(sack.sackOffset, 2); // base 1
        EXPECT_EQ(sack.bitmap, uint64_t{3} << 62 | 1);
    }
}

TEST_F(ResponderTest, RetransmissionsDoNotTakeTheBitmapBack)
{
    // 0 to 199 are lost, 200 to 330 arrive, without a SACK for the last two. Then retransmissions
    // of 0, 1, ... come, each with a SACK that names it as its trigger. The first one's bitmap
    // reports 329 and 330, which a bitmap that begins at 0 would leave to look lost.
    Make();
    Frame frame{};
    for (uint64_t n = 200; n <= 330; ++n)
    {
        frame = Write(n, Opcode::WRITE_MIDDLE, MTU);
        if ((Arrive(frame) & SACK) != 0)
        {
            SackFor(frame);
        }
    }
    frame = Write(0, Opcode::WRITE_FIRST, MTU);
    frame.flags |= Frame::RETRANSMISSION;
    ASSERT_NE(Arrive(frame) & SACK, 0);
    const Sack sack = SackFor(frame);
    EXPECT_EQ(sack.ackPsnOffset, 0);        // cack is 0 itself
    const auto bit = 330 - sack.sackOffset; // base = cack + offset = offset
    ASSERT_GE(bit, 0);
    ASSERT_LT(bit, 64);
    EXPECT_EQ(sack.bitmap >> bit & 1, 1u);
}

TEST_F(ResponderTest, AnyOrderOfArrivalIsReportedInFull)
{
    const char* text = std::getenv("MRC_TEST_SEED");
    const uint64_t seed = text == nullptr ? 20261201 : std::strtoull(text, nullptr, 10);
    SCOPED_TRACE("replay with MRC_TEST_SEED=" + std::to_string(seed));
    Random random(seed);
    for (int round = 0; round < 50; ++round)
    {
        Make();
        // 700 packets, each displaced by up to some distance; every 50th is lost and comes last.
        const uint64_t reach = 1 + random.Below(400);
        std::vector<std::pair<uint64_t, uint64_t>> order;
        for (uint64_t n = 0; n < 700; ++n)
        {
            order.emplace_back(n % 50 == 7 ? 2000 + n : n + random.Below(reach), n);
        }
        std::sort(order.begin(), order.end());
        std::set<uint64_t> arrived;
        std::set<uint64_t> reported;
        auto read = [&](const Sack& sack) {
            const uint64_t cack = (sack.cackPsn - FIRST_PSN) & PSN_MASK; // -1 reads as 2^24 - 1
            const auto expected = static_cast<int64_t>((cack + 1) & PSN_MASK);
            for (int64_t n = 0; n < expected; ++n)
            {
                reported.insert(static_cast<uint64_t>(n));
            }
            if (!sack.probeResponse)
            {
                reported.insert(static_cast<uint64_t>(expected - 1 + sack.ackPsnOffset));
            }
            for (int bit = 0; bit < 64; ++bit)
            {
                if ((sack.bitmap >> bit & 1) != 0)
                {
                    reported.insert(static_cast<uint64_t>(expected - 1 + sack.sackOffset + bit));
                }
            }
        };
        for (const auto& [when, n] : order)
        {
            if (when == 2000 + 7)
            {
                // All but the lost ones are there: a few probes learn of each of them.
                for (uint32_t i = 0; i <= 700 / 64 + 1; ++i)
                {
                    Frame probe{};
                    probe.opcode = Opcode::RELIABILITY_PROBE;
                    responder->OnProbe(probe);
                    read(SackFor(probe));
                }
                ASSERT_EQ(reported, arrived);
            }
            const Frame frame = Write(n, Opcode::WRITE_MIDDLE, MTU);
            arrived.insert(n);
            const uint8_t replies = Arrive(frame);
            if ((replies & SACK) != 0)
            {
                read(SackFor(frame));
            }
            // Nothing is reported that did not arrive.
            ASSERT_TRUE(
                std::includes(arrived.begin(), arrived.end(), reported.begin(), reported.end()));
        }
        EXPECT_EQ(responder->Window().Expected() & PSN_MASK, (FIRST_PSN + 700) & PSN_MASK);
        EXPECT_EQ(responder->Window().OutOfOrderCount(), 0u);
    }
}

TEST_F(ResponderTest, TrimmedDuplicateBelowNeedsNoNack)
{
    Arrive(Write(0));
    Frame trimmed = Write(0);
    trimmed.flags |= Frame::TRIMMED;
    EXPECT_EQ(Arrive(trimmed), SACK);
    EXPECT_EQ(counters.trimsReceived, 1u);
    EXPECT_EQ(counters.nacksSent, 0u);
    Frame outside = Write(2000);
    outside.flags |= Frame::TRIMMED;
    EXPECT_EQ(Arrive(outside), 0);
}

TEST_F(ResponderTest, TrimmedPacketIsReceivedWhenItComesAgain)
{
    Frame trimmed = Write(0);
    trimmed.flags |= Frame::TRIMMED;
    ASSERT_EQ(Arrive(trimmed), NACK);
    EXPECT_EQ(responder->Window().Expected() & PSN_MASK, FIRST_PSN);
    Frame again = Write(0);
    again.flags |= Frame::RETRANSMISSION;
    EXPECT_EQ(Arrive(again), SACK);
    EXPECT_EQ(SackFor(again).cackPsn, FIRST_PSN);
    EXPECT_EQ(SackFor(again).receivedUnits256, 4u); // the trimmed copy counts nothing
    EXPECT_EQ(bytes[0], 1);
}

TEST_F(ResponderTest, ProbeRepeatsTheTransportAck)
{
    Frame probe{};
    probe.opcode = Opcode::RELIABILITY_PROBE;
    probe.trafficClass = MakeTrafficClass(0, CE);
    EXPECT_EQ(responder->OnProbe(probe), SACK); // nothing is complete yet
    Sack sack = SackFor(probe);
    EXPECT_EQ(sack.cackPsn, FIRST_PSN - 1);
    EXPECT_EQ(sack.bitmap, 0u);
    EXPECT_EQ(sack.mark, SackMark::SKIP_ONCE);
    EXPECT_EQ(Arrive(Write(0, Opcode::WRITE_ONLY)), SACK | ACK);
    EXPECT_EQ(responder->OnProbe(probe), SACK | ACK);
    Frame answer{};
    responder->Fill(Responder::REPLY_ACK, probe, answer);
    EXPECT_EQ(answer.opcode, Opcode::ACKNOWLEDGE);
    EXPECT_EQ(answer.ack.syndrome, 0x1f);
    EXPECT_EQ(answer.ack.msn, 1u);
    EXPECT_EQ(answer.destinationQp, 9u);
    EXPECT_EQ(DscpOf(answer.trafficClass), 46);
}

TEST_F(ResponderTest, RefusalIsRepeatedWhateverComes)
{
    Arrive(Write(0, Opcode::WRITE_ONLY));
    Frame bad = Write(1);
    bad.write.reth.rKey = 0xdeadbeef;
    ASSERT_EQ(Arrive(bad), ACK);
    Frame probe{};
    probe.opcode = Opcode::RELIABILITY_PROBE;
    EXPECT_EQ(responder->OnProbe(probe), ACK);
    Frame trimmed = Write(5);
    trimmed.flags |= Frame::TRIMMED;
    EXPECT_EQ(Arrive(trimmed), ACK);
    EXPECT_EQ(Arrive(Write(0)), ACK); // a duplicate
    Frame answer{};
    responder->Fill(Responder::REPLY_ACK, probe, answer);
    EXPECT_EQ(answer.ack.syndrome, 0x62);
    EXPECT_EQ(answer.psn, bad.psn);             // names what was refused, whatever asked
    EXPECT_EQ(answer.ack.msn, 1u);              // the message before the refused one stays complete
    EXPECT_EQ(SackFor(bad).cackPsn, FIRST_PSN); // the refused packet was not received
    EXPECT_EQ(memory.Region(0).PlacedBytes(), 1024u);
}

TEST_F(ResponderTest, RegionIsUsableToItsLastByteAndNoFurther)
{
    Frame fits = Write(0, Opcode::WRITE_ONLY, 16);
    fits.write.reth.va = 0x1000 + 64 * MTU - 16;
    fits.write.reth.dmaBytes = 16;
    EXPECT_EQ(Arrive(fits), SACK | ACK);
    EXPECT_EQ(bytes.back(), 1);
    Frame over = Write(1, Opcode::WRITE_ONLY, 16);
    over.write.reth.va = 0x1000 + 64 * MTU - 15;
    over.write.reth.dmaBytes = 16;
    EXPECT_EQ(Arrive(over), ACK);
    EXPECT_EQ(bytes.back(), 1);
    EXPECT_EQ(counters.accessErrors, 1u);
}

TEST_F(ResponderTest, EmptyMessageNeedsNoKey)
{
    Frame empty = Write(0, Opcode::WRITE_ONLY_IMM, 0);
    empty.write.reth = Reth{0, 0, 0};
    empty.write.immediate = 3;
    EXPECT_EQ(Arrive(empty), SACK | ACK);
    ASSERT_EQ(received.size(), 1u);
    EXPECT_EQ(received[0].immediate, 3u);
    EXPECT_EQ(received[0].bytes, 0u);
    EXPECT_EQ(SackFor(empty).receivedUnits256, 0u);
}

TEST_F(ResponderTest, RefusedImmediateIsNotDelivered)
{
    Frame bad = Write(0, Opcode::WRITE_ONLY_IMM);
    bad.write.reth.rKey ^= 1;
    EXPECT_EQ(Arrive(bad), ACK);
    Arrive(Write(0, Opcode::WRITE_ONLY_IMM));
    EXPECT_TRUE(received.empty());
}

TEST_F(ResponderTest, ImmediatesKeepTheirOrderAcrossAnyReorderingAndTheWrap)
{
    const char* text = std::getenv("MRC_TEST_SEED");
    const uint64_t seed = text == nullptr ? 20261202 : std::strtoull(text, nullptr, 10);
    SCOPED_TRACE("replay with MRC_TEST_SEED=" + std::to_string(seed));
    Random random(seed);
    config.maxWimm = 32;
    Make();
    // Message k: a packet without immediate, then one with. Batches of 32 arrive shuffled.
    constexpr uint64_t BATCH = 32;
    for (uint64_t done = 0; done < 65536 + 2 * BATCH; done += BATCH)
    {
        std::vector<uint64_t> order(2 * BATCH);
        std::iota(order.begin(), order.end(), 2 * done);
        for (size_t i = order.size() - 1; i > 0; --i)
        {
            std::swap(order[i], order[random.Below(i + 1)]);
        }
        received.clear();
        for (const uint64_t n : order)
        {
            const uint64_t k = n / 2;
            Frame frame = Write(n, n % 2 == 0 ? Opcode::WRITE_FIRST : Opcode::WRITE_LAST_IMM, 4);
            frame.write.meth.rqmsn = static_cast<uint16_t>(k);
            frame.write.immediate = static_cast<uint32_t>(k + 5);
            Arrive(frame);
            // Delivered so far: exactly the messages that are complete in order.
            ASSERT_EQ(done + received.size(), responder->CompletedMessages());
        }
        ASSERT_EQ(received.size(), BATCH);
        for (uint64_t i = 0; i < BATCH; ++i)
        {
            ASSERT_EQ(received[i].rqmsn, done + i);
            ASSERT_EQ(received[i].immediate, done + i + 5);
        }
    }
    EXPECT_EQ(counters.unexpected, 0u);
}

TEST_F(ResponderTest, LastImmediateOfTheLimitIsAccepted)
{
    config.maxWimm = 32;
    Make();
    Frame last = Write(31, Opcode::WRITE_ONLY_IMM);
    last.write.meth.rqmsn = 31;
    EXPECT_EQ(Arrive(last), 0);
    Frame over = Write(32, Opcode::WRITE_ONLY_IMM);
    over.write.meth.rqmsn = 32;
    EXPECT_EQ(Arrive(over), ACK);
    Frame answer{};
    responder->Fill(Responder::REPLY_ACK, over, answer);
    EXPECT_EQ(answer.ack.syndrome, 0x61);
}

TEST_F(ResponderTest, NumberOfADeliveredImmediateIsInvalid)
{
    EXPECT_EQ(Arrive(Write(0, Opcode::WRITE_ONLY_IMM)), SACK | ACK); // RQMSN 0
    EXPECT_EQ(Arrive(Write(1, Opcode::WRITE_ONLY_IMM)), ACK);        // again, a new packet
    Frame answer{};
    responder->Fill(Responder::REPLY_ACK, Write(1), answer);
    EXPECT_EQ(answer.ack.syndrome, 0x61);
    EXPECT_EQ(received.size(), 1u);
}

} // namespace
