// SPDX-License-Identifier: GPL-2.0-only
// Counters that wrap, times that are late, messages of any size: two ends from start to end.

#include "mrc-endpoint-pair.h"
#include "mrc-random.h"
#include "mrc-timestamp.h"

#include <cstring>
#include <gtest/gtest.h>

namespace
{

using namespace mrc;

constexpr int64_t US = EndpointPair::US;
constexpr int64_t HOUR = 3'600'000'000 * US;

class ExtremesTest : public ::testing::Test
{
  protected:
    /// Make `bytes` of memory at B writable; with storage if what arrives is to be compared.
    void Register(uint64_t bytes, uint8_t* storage = nullptr, uint64_t va = 0)
    {
        MemoryTable& memory = pair.b.memory;
        key = memory.Region(memory.Register(va, bytes, storage, 0)).RKey();
    }

    void Post(uint32_t bytes, const uint8_t* payload = nullptr, uint64_t va = 0)
    {
        pair.a.requester->Post({nextId++, va, payload, bytes, key, 0, false}, pair.nowPs);
    }

    /// Lose one packet in so many, of either direction.
    void Lose(uint32_t oneIn)
    {
        pair.network = [this, oneIn](Frame&, int64_t&) { return m_random.Below(oneIn) != 0; };
    }

    /// Everything posted ended well and nothing is left over.
    void ExpectDone()
    {
        EXPECT_EQ(pair.a.counters.messagesDone, nextId);
        EXPECT_EQ(pair.a.counters.messagesFailed, 0u);
        EXPECT_EQ(pair.b.counters.messagesArrived, nextId);
        EXPECT_EQ(pair.b.counters.accessErrors, 0u);
        EXPECT_EQ(pair.a.requester->InflightBytes(), 0u);
        EXPECT_EQ(pair.b.counters.outOfWindow, 0u);
    }

    EndpointPair pair;
    uint32_t key{0};
    uint64_t nextId{0};

  private:
    Random m_random{11};
};

TEST_F(ExtremesTest, PsnWrapsWhilePacketsAreLost)
{
    //= MRC-REF 2 BTH
    std::vector<uint8_t> source(100 * 4096);
    std::vector<uint8_t> target(source.size());
    for (size_t i = 0; i < source.size(); ++i)
    {
        source[i] = static_cast<uint8_t>(i * 31 / 7 + 1);
    }
    Register(target.size(), target.data());
    pair.a.firstPsn = 0xfffff0; // 16 packets before the wrap
    pair.Connect();
    Lose(20);
    Post(static_cast<uint32_t>(source.size()), source.data());
    pair.Run();
    ExpectDone();
    EXPECT_GT(pair.a.counters.retransmitted, 0u);
    EXPECT_EQ(std::memcmp(source.data(), target.data(), source.size()), 0);
}

TEST_F(ExtremesTest, ReceivedBytesWrapInMessagesOfOneGibibyte)
{
    //= MRC-REF 2 SACK
    // rcvd_bytes: 24 bits of 256 B wrap after 4 GiB. 5 GiB are 1,310,720 packets.
    Register(uint64_t{1} << 30);
    pair.a.cwndBytes = 2 << 20;
    pair.a.firstPsn = 0xffffff;
    pair.Connect();
    Lose(20'000);
    for (int i = 0; i < 5; ++i)
    {
        Post(1 << 30);
    }
    pair.Run();
    ExpectDone();
    EXPECT_EQ(pair.b.memory.Region(0).PlacedBytes(), uint64_t{5} << 30);
    EXPECT_LT(pair.a.counters.retransmitted, 3000u);
    EXPECT_LT(pair.a.counters.timeouts, 10u);
}

TEST_F(ExtremesTest, LongestMessageThereIs)
{
    // 2^31 bytes in packets of 4096: the VA reaches the last byte, DMALen has its top bit.
    const uint64_t va = uint64_t{0} - (uint64_t{1} << 31);
    Register(uint64_t{1} << 31, nullptr, va);
    pair.Connect();
    Post(uint32_t{1} << 31, nullptr, va);
    pair.Run();
    ExpectDone();
    EXPECT_EQ(pair.b.memory.Region(0).PlacedBytes(), uint64_t{1} << 31);
    EXPECT_EQ(pair.a.counters.dataSent, uint64_t{1} << 19);
}

TEST_F(ExtremesTest, MessagesOfOneByteAcrossTheWrapOfTheirNumber)
{
    //= MRC-REF 2 Request headers
    // MSN: 16 bits. Sent in a hundred bursts, each after the one before has ended.
    Register(1);
    pair.Connect();
    for (int burst = 0; burst < 100; ++burst)
    {
        for (int i = 0; i < 700; ++i)
        {
            Post(1);
        }
        pair.Run();
        ASSERT_EQ(pair.a.counters.messagesDone, nextId);
    }
    ExpectDone();
    EXPECT_EQ(pair.a.counters.retransmitted, 0u);
    EXPECT_EQ(pair.b.memory.Region(0).PlacedBytes(), 70'000u);
}

TEST_F(ExtremesTest, TransferLastsHoursAndStartsAfterAThousand)
{
    // Each message waits an hour for the one before it: timers, ages and time stamps go on.
    Register(1 << 20);
    pair.nowPs = 1000 * HOUR;
    pair.Connect();
    for (int hour = 0; hour < 5; ++hour)
    {
        Lose(hour % 2 == 0 ? 10 : 1'000'000);
        Post(1 << 20);
        pair.Run(pair.nowPs + HOUR);
        ASSERT_EQ(pair.a.counters.messagesDone, nextId) << hour;
        const int64_t tookPs = pair.a.completions.back().nowPs - (pair.nowPs - HOUR);
        EXPECT_LT(tookPs, 20'000 * US) << hour; // what is left of a lossy MiB, not minutes
    }
    ExpectDone();
}

TEST_F(ExtremesTest, LongestTimeoutsAndRetriesDoNotOverflow)
{
    //= MRC-REF 1 ACK timeout
    // T = 1.024 us x 2^24 = 17.18 s, doubled 24 times would be nine years: capped before that.
    Register(1 << 20);
    pair.nowPs = 1000 * HOUR;
    pair.a.config.ackTimeoutExponent = 24;
    pair.a.config.exponentialRetries = 24;
    pair.Connect();
    pair.network = [](Frame&, int64_t&) { return false; };
    Post(4096);
    pair.Run(pair.nowPs + 30 * HOUR);
    EXPECT_TRUE(pair.a.completions.empty());
    EXPECT_GT(pair.a.requester->WakeByPs(), pair.nowPs);
    EXPECT_GE(pair.a.counters.timeouts, 8u); // 7 linear ones in two minutes, then doubling
    EXPECT_LE(pair.a.counters.timeouts, 24u);
}

/// Remembers the round trips that SACKs measured.
class RecordingControl final : public CongestionControl
{
  public:
    explicit RecordingControl(std::vector<int64_t>& rtts)
        : CongestionControl(1 << 20),
          m_rtts(rtts)
    {
    }

    void OnSack(const SackFeedback& feedback) override
    {
        m_rtts.push_back(feedback.rttPs);
    }

    void OnLoss(LossKind, int64_t, uint32_t) override
    {
    }

    int64_t BaseRttPs() const override
    {
        return EndpointPair::BASE_RTT;
    }

  private:
    std::vector<int64_t>& m_rtts;
};

TEST_F(ExtremesTest, RoundTripLongerThanTheTimestampIsUnknownNotShort)
{
    //= MRC-REF 2 TSETH
    // 16 bits of 128 ns wrap after 8.388608 ms.
    Register(1 << 20);
    std::vector<int64_t> rtts;
    pair.a.control = [&rtts] { return std::make_unique<RecordingControl>(rtts); };
    pair.a.config.ackTimeoutExponent = 20; // a second: nobody sends again
    pair.a.config.probeAfterBaseRtts = 1000;
    pair.Connect();
    int64_t oneWayPs = 4000 * US;
    pair.network = [&oneWayPs](Frame&, int64_t& delayPs) {
        delayPs = oneWayPs;
        return true;
    };
    Post(1);
    pair.Run(pair.nowPs + 100'000 * US);
    ASSERT_EQ(rtts.size(), 1u);
    EXPECT_NEAR(static_cast<double>(rtts[0]), 8000.0 * US, 128'000);
    oneWayPs = 4500 * US;
    Post(1);
    pair.Run(pair.nowPs + 100'000 * US);
    ASSERT_EQ(rtts.size(), 2u);
    EXPECT_LT(rtts[1], 0);
    EXPECT_EQ(pair.a.counters.retransmitted, 0u);
}

class MtuTest : public ExtremesTest, public ::testing::WithParamInterface<uint32_t>
{
};

TEST_P(MtuTest, MessagesOfAllSizesArriveInPacketsOfAnyMtu)
{
    //= MRC-REF 1 MPR, MTU
    const uint32_t mtu = GetParam();
    std::vector<uint8_t> source(20 * mtu);
    std::vector<uint8_t> target(source.size());
    for (size_t i = 0; i < source.size(); ++i)
    {
        source[i] = static_cast<uint8_t>(i % 251 + 1);
    }
    Register(target.size(), target.data());
    pair.a.config.mtuBytes = mtu;
    pair.Connect();
    Lose(30);
    uint32_t at = 0;
    uint64_t packets = 0;
    for (const uint32_t bytes : {1u, mtu - 1, mtu, mtu + 1, 0u, 2 * mtu - 1, 2 * mtu, 7 * mtu + 3})
    {
        Post(bytes, source.data() + at, at);
        at += bytes;
        packets += bytes == 0 ? 1 : (bytes + mtu - 1) / mtu;
    }
    pair.Run();
    ExpectDone();
    EXPECT_EQ(pair.a.counters.dataSent - pair.a.counters.retransmitted, packets);
    EXPECT_EQ(std::memcmp(source.data(), target.data(), at), 0);
    EXPECT_EQ(target[at], 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, MtuTest, ::testing::Values(256, 257, 1000, 1024, 2048, 4095, 4096));

TEST_F(ExtremesTest, TimerRunsSeldomWhileTrafficFlows)
{
    // Lazily armed: the deadline of the oldest packet, not of each. 16,384 packets take about
    // 1.3 ms with 1 MiB in flight; a silence of 30 us would be noticed, so it looks that often.
    Register(64 << 20);
    pair.Connect();
    Post(64 << 20);
    pair.Run();
    ExpectDone();
    EXPECT_LT(pair.timers, 100);
    EXPECT_EQ(pair.a.counters.timeouts, 0u);
}

TEST_F(ExtremesTest, AckThatOvertakesTheLastSackLeavesNothingBehind)
{
    //= MRC-REF 4 NSCC, inflight falls with the increase of rcvd_bytes
    // The SACK of the first message comes when the second one is in flight: its bytes were
    // accounted for when the transport ACK completed the message.
    Register(1 << 20);
    pair.Connect();
    bool isFirst = true;
    pair.network = [&isFirst](Frame& frame, int64_t& delayPs) {
        delayPs += frame.opcode == Opcode::SACK && isFirst ? 8 * US : 0;
        isFirst &= frame.opcode != Opcode::SACK;
        return true;
    };
    Post(4096);
    pair.Run(pair.nowPs + 11 * US);
    ASSERT_EQ(pair.a.counters.messagesDone, 1u);
    Post(8 * 4096);
    pair.Run(pair.nowPs + 8 * US); // the late SACK has come, the second message is on its way
    EXPECT_EQ(pair.a.requester->InflightBytes(), 8u * 4096);
    pair.Run();
    ExpectDone();
}

} // namespace
