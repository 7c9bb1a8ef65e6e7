// SPDX-License-Identifier: GPL-2.0-only
// How a QP fails: which work request gets which status, what is flushed, what the peer learns.

#include "mrc-endpoint-pair.h"

#include <gtest/gtest.h>

namespace
{

using namespace mrc;

constexpr uint32_t MTU = 4096;

class QpErrorTest : public ::testing::Test
{
  protected:
    QpErrorTest()
    {
        key = pair.b.memory.Region(pair.b.memory.Register(0, 1 << 20, nullptr, 0)).RKey();
        pair.Connect();
    }

    void Post(TestEnd& end, uint32_t bytes, uint32_t rKey, bool hasImmediate = false)
    {
        end.requester->Post({nextId++, 0, nullptr, bytes, rKey, 5, hasImmediate}, pair.nowPs);
    }

    std::vector<CompletionStatus> Statuses(const TestEnd& end)
    {
        std::vector<CompletionStatus> statuses;
        for (const Completion& completion : end.completions)
        {
            statuses.push_back(completion.status);
        }
        return statuses;
    }

    EndpointPair pair;
    uint32_t key;
    uint64_t nextId{0};
};

TEST_F(QpErrorTest, NakNamesItsMessageAmongThoseInFlight)
{
    //= MRC-REF 4 Responder, a packet may be SACKed and its message NAKed later
    // Message 1 loses its first packet; meanwhile message 2 is refused.
    pair.network = [](Frame& frame, int64_t&) {
        return !(IsWrite(frame.opcode) && frame.write.meth.msn == 1 && frame.psn == 1);
    };
    Post(pair.a, MTU, key);
    Post(pair.a, 2 * MTU, key);
    Post(pair.a, MTU, 0xbad);
    Post(pair.a, MTU, key);
    pair.Run();
    EXPECT_EQ(Statuses(pair.a),
              (std::vector{CompletionStatus::SUCCESS,
                           CompletionStatus::FLUSHED,
                           CompletionStatus::REMOTE_ACCESS,
                           CompletionStatus::FLUSHED}));
    EXPECT_EQ(pair.a.errors, 1);
    EXPECT_EQ(pair.b.errors, 1);
    EXPECT_EQ(pair.b.counters.accessErrors, 1u);
}

TEST_F(QpErrorTest, BothDirectionsFail)
{
    Post(pair.b, MTU, 0xbad); // refused by A, which has no memory
    pair.Run();
    EXPECT_EQ(Statuses(pair.b), (std::vector{CompletionStatus::REMOTE_ACCESS}));
    Post(pair.a, MTU, key);
    Post(pair.a, MTU, key);
    pair.Run();
    EXPECT_EQ(Statuses(pair.a),
              (std::vector{CompletionStatus::FLUSHED, CompletionStatus::FLUSHED}));
    EXPECT_EQ(pair.a.counters.dataSent, 0u);
}

TEST_F(QpErrorTest, PeerOfAQpInErrorLearnsOfIt)
{
    //= MRC-REF 2 NACK, 0x19 is fatal
    pair.b.OnQpError(pair.nowPs); // by its application
    EXPECT_EQ(pair.b.errors, 1);
    Post(pair.a, MTU, key);
    Post(pair.a, MTU, key);
    pair.Run();
    EXPECT_EQ(Statuses(pair.a),
              (std::vector{CompletionStatus::REMOTE_OPERATION, CompletionStatus::FLUSHED}));
    EXPECT_EQ(pair.b.counters.dataReceived, 0u);
    EXPECT_GE(pair.b.counters.nacksSent, 1u);
}

TEST_F(QpErrorTest, LostNakIsSaidAgain)
{
    int naks = 0;
    pair.network = [&naks](Frame& frame, int64_t&) {
        const bool isNak = frame.opcode == Opcode::ACKNOWLEDGE && frame.ack.syndrome != AETH_ACK;
        return !isNak || ++naks > 1;
    };
    Post(pair.a, MTU, key);
    Post(pair.a, MTU, 0xbad);
    pair.Run();
    EXPECT_EQ(Statuses(pair.a),
              (std::vector{CompletionStatus::SUCCESS, CompletionStatus::REMOTE_ACCESS}));
    EXPECT_EQ(naks, 2);
    EXPECT_EQ(pair.b.errors, 1);
}

TEST_F(QpErrorTest, PostingFromEveryFlushedCompletionNeitherRecursesNorLoops)
{
    int depth = 0;
    int deepest = 0;
    pair.a.onCompletion = [&](const Completion&) {
        deepest = std::max(deepest, ++depth);
        Post(pair.a, MTU, key);
        --depth;
    };
    for (int i = 0; i < 10; ++i)
    {
        Post(pair.a, MTU, key);
    }
    pair.a.OnQpError(pair.nowPs);
    EXPECT_EQ(pair.a.completions.size(), 10u);
    EXPECT_EQ(deepest, 1);
    pair.Run(pair.nowPs + 5 * EndpointPair::US); // 1 us each time
    EXPECT_EQ(pair.a.completions.size(), 60u);
    EXPECT_EQ(deepest, 1);
    for (size_t i = 0; i < pair.a.completions.size(); ++i)
    {
        EXPECT_EQ(pair.a.completions[i].id, i); // in order
        EXPECT_EQ(pair.a.completions[i].status, CompletionStatus::FLUSHED);
    }
    EXPECT_EQ(pair.a.errors, 1);
}

TEST_F(QpErrorTest, PostingFromACompletionGoesOn)
{
    pair.a.onCompletion = [&](const Completion& completion) {
        if (completion.id < 20)
        {
            Post(pair.a, MTU, key);
        }
    };
    Post(pair.a, MTU, key);
    pair.Run();
    EXPECT_EQ(pair.a.completions.size(), 21u);
    EXPECT_EQ(pair.a.counters.messagesDone, 21u);
}

TEST_F(QpErrorTest, FailingFromACompletionFlushesTheRest)
{
    // The application gives up when the first message of three is done.
    pair.a.onCompletion = [&](const Completion& completion) {
        if (completion.id == 0)
        {
            pair.a.OnQpError(pair.nowPs);
        }
    };
    Post(pair.a, 4, key);
    Post(pair.a, 4, key);
    Post(pair.a, 4, key);
    pair.Run();
    EXPECT_EQ(Statuses(pair.a),
              (std::vector{CompletionStatus::SUCCESS,
                           CompletionStatus::FLUSHED,
                           CompletionStatus::FLUSHED}));
    EXPECT_TRUE(pair.a.requester->HasFailed());
    EXPECT_EQ(pair.a.requester->InflightBytes(), 0u);
}

TEST_F(QpErrorTest, DeadNetworkEndsInRetriesExceeded)
{
    //= MRC-REF 1 ACK timeout
    pair.a.config.linearRetries = 2;
    pair.a.config.exponentialRetries = 2;
    pair.a.config.ackTimeoutExponent = 7;
    pair.Connect();
    pair.network = [](Frame&, int64_t&) { return false; };
    const int64_t startPs = pair.nowPs;
    Post(pair.a, MTU, key);
    Post(pair.a, MTU, key);
    pair.Run();
    EXPECT_EQ(Statuses(pair.a),
              (std::vector{CompletionStatus::RETRY_EXCEEDED, CompletionStatus::FLUSHED}));
    // First transmission and two linear retries wait T each, then 2 T and 4 T.
    constexpr int64_t T = 131'072'000;
    EXPECT_GE(pair.a.completions[0].nowPs - startPs, 9 * T);
    EXPECT_LT(pair.a.completions[0].nowPs - startPs, 10 * T);
}

} // namespace
