// SPDX-License-Identifier: GPL-2.0-only
// WRITE with IMMEDIATE between two ends: order, limits, and receives posted in advance.

#include "mrc-endpoint-pair.h"
#include "mrc-random.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace
{

using namespace mrc;

constexpr int64_t US = EndpointPair::US;
constexpr uint32_t MTU = 4096;

class ImmediateTest : public ::testing::Test
{
  protected:
    ImmediateTest()
        : key(pair.b.memory.Region(pair.b.memory.Register(0, 1 << 20, nullptr, 0)).RKey())
    {
        pair.b.config.postedReceives = true;
        pair.Connect();
    }

    void Post(uint32_t bytes, bool hasImmediate = true)
    {
        pair.a.requester->Post(
            {nextId, 0, nullptr, bytes, key, static_cast<uint32_t>(500 + nextId), hasImmediate},
            pair.nowPs);
        ++nextId;
    }

    EndpointPair pair;
    uint32_t key;
    uint64_t nextId{0};
};

TEST_F(ImmediateTest, EachTakesTheReceiveOfItsNumber)
{
    //= MRC-REF 4 Responder, WriteIMM completes in RQMSN order after all earlier messages
    for (uint64_t id = 70; id < 73; ++id)
    {
        EXPECT_TRUE(pair.b.responder->PostReceive(id));
    }
    Post(3 * MTU);
    Post(MTU, false);
    Post(0);
    Post(1);
    pair.Run();
    ASSERT_EQ(pair.b.received.size(), 3u);
    for (uint64_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(pair.b.received[i].rqmsn, i);
        EXPECT_EQ(pair.b.received[i].id, 70 + i);
        EXPECT_EQ(pair.b.received[i].status, CompletionStatus::SUCCESS);
    }
    EXPECT_EQ(pair.b.received[0].immediate, 500u);
    EXPECT_EQ(pair.b.received[0].bytes, 3 * MTU);
    EXPECT_EQ(pair.b.received[1].immediate, 502u);
    EXPECT_EQ(pair.b.received[2].immediate, 503u);
    EXPECT_EQ(pair.a.counters.messagesDone, 4u);
}

TEST_F(ImmediateTest, WithoutAPostedReceiveItIsInvalid)
{
    //= MRC-REF 2 WriteIMM overflow = NAK invalid request, fatal
    pair.b.responder->PostReceive(1);
    Post(MTU);
    Post(3 * MTU); // its packets are SACKed, then the last one with the immediate is refused
    Post(MTU, false);
    pair.Run();
    ASSERT_EQ(pair.a.completions.size(), 3u);
    EXPECT_EQ(pair.a.completions[0].status, CompletionStatus::SUCCESS);
    EXPECT_EQ(pair.a.completions[1].status, CompletionStatus::REMOTE_INVALID);
    EXPECT_EQ(pair.a.completions[2].status, CompletionStatus::FLUSHED);
    ASSERT_EQ(pair.b.received.size(), 1u);
    EXPECT_EQ(pair.b.errors, 1);
}

TEST_F(ImmediateTest, MessageThatWasSackedInFullCanStillBeRefused)
{
    //= MRC-REF 4 Responder, a packet may be SACKed and its message NAKed later
    Requester& requester = *pair.a.requester;
    Post(2 * MTU, false);
    Frame frame{};
    ASSERT_TRUE(requester.NextFrame(pair.nowPs, 0, frame));
    ASSERT_TRUE(requester.NextFrame(pair.nowPs, 1, frame));
    Frame sack{};
    sack.opcode = Opcode::SACK;
    sack.sack.cackPsn = 1;
    sack.sack.receivedUnits256 = 2 * MTU / 256;
    requester.OnSack(sack, pair.nowPs);
    EXPECT_TRUE(requester.Window()->IsEmpty());
    EXPECT_TRUE(pair.a.completions.empty());
    Frame nak{};
    nak.opcode = Opcode::ACKNOWLEDGE;
    nak.psn = 1;
    nak.ack = Aeth{AETH_NAK_REMOTE_OPERATION, 0};
    requester.OnAck(nak, pair.nowPs);
    ASSERT_EQ(pair.a.completions.size(), 1u);
    EXPECT_EQ(pair.a.completions[0].status, CompletionStatus::REMOTE_OPERATION);
}

TEST_F(ImmediateTest, ReceivesAreFlushedInErrorAndNoneCanBePosted)
{
    for (uint64_t id = 0; id < 3; ++id)
    {
        pair.b.responder->PostReceive(id);
    }
    Post(4);
    pair.Run();
    pair.b.OnQpError(pair.nowPs);
    ASSERT_EQ(pair.b.received.size(), 3u);
    EXPECT_EQ(pair.b.received[0].status, CompletionStatus::SUCCESS);
    for (uint64_t id = 1; id < 3; ++id)
    {
        EXPECT_EQ(pair.b.received[id].id, id);
        EXPECT_EQ(pair.b.received[id].status, CompletionStatus::FLUSHED);
    }
    EXPECT_FALSE(pair.b.responder->PostReceive(9));
    EXPECT_EQ(pair.b.received.size(), 3u);
}

TEST_F(ImmediateTest, LastImmediateArrivingFirstWaitsForTheLargeMessageBeforeIt)
{
    pair.b.responder->PostReceive(0);
    pair.b.responder->PostReceive(1);
    pair.network = [](Frame& frame, int64_t& delayPs) {
        delayPs += frame.opcode == Opcode::WRITE_FIRST ? 5 * US : 0; // the last to arrive
        return true;
    };
    Post(8 * MTU);
    Post(4);
    pair.Run(pair.nowPs + 6 * US);
    EXPECT_TRUE(pair.b.received.empty()); // all but one packet is there
    pair.Run();
    ASSERT_EQ(pair.b.received.size(), 2u);
    EXPECT_EQ(pair.b.received[0].immediate, 500u);
    EXPECT_EQ(pair.b.received[1].immediate, 501u);
}

TEST_F(ImmediateTest, OrderHoldsAcrossLossReorderingAndReposting)
{
    //= MRC-REF 4 Responder, WriteIMM completes in RQMSN order after all earlier messages
    // RQMSN and MSN wrap; 32 are in flight.
    const char* given = std::getenv("MRC_TEST_SEED");
    const uint64_t seed = given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
    Random random(seed);
    pair.a.config.maxWimm = 32;
    pair.Connect();
    for (uint64_t id = 0; id < 70'100; ++id)
    {
        pair.b.responder->PostReceive(id);
    }
    pair.network = [&random](Frame& frame, int64_t& delayPs) {
        delayPs += IsWrite(frame.opcode) ? random.Below(4) * US : 0;
        return random.Below(200) != 0;
    };
    constexpr uint64_t MESSAGES = 70'000;
    pair.a.onCompletion = [this](const Completion&) {
        if (nextId < MESSAGES)
        {
            Post(4);
        }
    };
    for (int i = 0; i < 64; ++i)
    {
        Post(4);
    }
    pair.Run();
    ASSERT_EQ(pair.a.counters.messagesDone, MESSAGES) << "MRC_TEST_SEED=" << seed;
    ASSERT_EQ(pair.b.received.size(), MESSAGES);
    for (uint64_t i = 0; i < MESSAGES; ++i)
    {
        ASSERT_EQ(pair.b.received[i].immediate, 500 + i) << "MRC_TEST_SEED=" << seed;
        ASSERT_EQ(pair.b.received[i].id, i);
        ASSERT_EQ(pair.a.completions[i].id, i);
    }
}

} // namespace
