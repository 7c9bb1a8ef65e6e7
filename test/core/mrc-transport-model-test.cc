// SPDX-License-Identifier: GPL-2.0-only
// Requester and responder over a random network that delays, drops, duplicates, trims, marks,
// corrupts and black-holes for a while, then heals: whatever it does, everything arrives, once, in
// order, whatever chooses the paths and the window.

#include "mrc-dctcp.h"
#include "mrc-ev-table.h"
#include "mrc-fixed-window.h"
#include "mrc-nscc.h"
#include "mrc-reps-selector.h"
#include "mrc-requester.h"
#include "mrc-responder.h"
#include "mrc-simple-selectors.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <map>

namespace
{

using namespace mrc;

constexpr int64_t US = 1'000'000;
constexpr int64_t BASE_RTT = 10 * US;
constexpr uint32_t PLANES = 2;
constexpr uint32_t EVS = 6; // of each plane
constexpr uint32_t MTU = 1024;
constexpr uint32_t REGION_BYTES = 1 << 20;
constexpr uint32_t GUARD_BYTES = 64; // before and behind the region
constexpr uint32_t MPR_UNITS = 8;

/// One conversation over one network, all of it drawn from a seed.
class Conversation : public RequesterHost, public ResponderHost
{
  public:
    /**
     * @param seed of everything
     * @param isGentle whether the network only delays and marks
     */
    explicit Conversation(uint64_t seed, bool isGentle = false)
        : m_random(seed),
          m_bytes(REGION_BYTES + 2 * GUARD_BYTES)
    {
        m_config.mtuBytes = MTU;
        m_config.sackThresholdBytes = 4 * MTU;
        m_config.baseRttPs = BASE_RTT;
        m_config.targetDelayPs = BASE_RTT;
        m_config.reorderGuardPs = BASE_RTT;
        m_config.maxWimm = 32;
        m_config.exponentialRetries = 25; // for ever: the network heals
        m_config.sackReportsAll = m_random.Below(4) != 0;
        m_evConfig.activePerPlane = EVS - 2;
        m_evConfig.backupPerPlane = 2;
        m_evConfig.probeIntervalPs = 100 * US;
        NsccConfig nscc;
        nscc.baseRttPs = BASE_RTT;
        nscc.mtuBytes = MTU;
        nscc.lineRateBitsPerSecond = 100'000'000'000;
        m_nscc = std::make_unique<NsccParameters>(nscc);
        m_key = m_memory.Region(m_memory.Register(0, REGION_BYTES, m_bytes.data() + GUARD_BYTES, 0))
                    .RKey();
        // An endpoint that is short of something now and then, receives, a window that changes.
        m_config.postedReceives = m_random.Below(2) != 0;
        m_config.nackOutOfWindow = m_random.Below(2) != 0;
        m_config.dynamicMpr = m_random.Below(2) != 0;
        if (!isGentle)
        {
            m_config.maxStash = m_random.Below(3) == 0 ? 1 + m_random.Below(4) : 0;
            m_config.maxBitmaps = m_random.Below(3) == 0;
            m_config.packetBufferBytes =
                m_random.Below(3) == 0 ? (1 + m_random.Below(16)) * MTU : 0;
            m_config.memoryBitsPerSecond = 5'000'000'000;
        }
        const auto sendPsn = static_cast<uint32_t>(m_random.Next() & 0xffffff);
        m_requester = std::make_unique<Requester>(
            m_config, QpSetup{3, 4, sendPsn, 0, 8, true}, m_counters, *this);
        m_responder = std::make_unique<Responder>(
            m_config, QpSetup{4, 3, 0, sendPsn, 8, true}, m_memory, m_counters, *this);
        m_loss = m_random.Below(3) == 0 ? 0 : m_random.Below(20);
        m_trim = m_random.Below(3) == 0 ? 0 : m_random.Below(20);
        m_mark = m_random.Below(30);
        m_duplicate = m_random.Below(5);
        m_deadEv = m_random.Below(PLANES * EVS);
        m_healPs = (100 + m_random.Below(2000)) * US;
        m_jitterUs = 15;
        m_corrupt = m_random.Below(3) == 0 ? m_random.Below(10) : 0;
        m_selector = m_random.Below(5);
        m_control = m_random.Below(4);
        m_deadFromPs = m_random.Below(3) == 0 ? m_random.Below(500) * US : 0;
        m_deadPlane = m_random.Below(4) == 0 ? m_random.Below(PLANES) : PLANES;
        m_deadPlaneFromPs = m_random.Below(500) * US;
        m_deadPlaneUntilPs = m_deadPlaneFromPs + m_random.Below(1000) * US;
        if (isGentle)
        {
            m_loss = 0;
            m_trim = 0;
            m_duplicate = 0;
            m_deadEv = PLANES * EVS;
            m_deadPlane = PLANES;
            m_corrupt = 0;
            m_jitterUs = 8; // with the SACK's, less than target delay and guard
        }
    }

    /// @return what was counted
    const EndpointCounters& Counters() const
    {
        return m_counters;
    }

    /// Post messages and let everything happen. Fails the test on any broken promise.
    void Run()
    {
        PostAll();
        for (uint64_t i = 0; i < m_immediatesPosted && m_config.postedReceives; ++i)
        {
            ASSERT_TRUE(m_responder->PostReceive(i));
        }
        // Another QP has the only bitmap.
        const bool isBitmapGone = m_config.maxBitmaps != 0 && m_random.Below(2) != 0;
        if (isBitmapGone)
        {
            ASSERT_TRUE(m_memory.Pool().TakeBitmap(m_config));
        }
        constexpr int64_t END_PS = 2'000'000 * US;
        while (m_completed < m_posted.size() && m_nowPs < END_PS)
        {
            SendAll();
            CheckStep();
            int64_t nextPs = m_requester->WakeByPs();
            if (!m_wire.empty())
            {
                nextPs = std::min(nextPs, m_wire.begin()->first.first);
            }
            for (const int64_t freePs : m_freePs)
            {
                if (m_requester->HasWork() && freePs > m_nowPs)
                {
                    nextPs = std::min(nextPs, freePs);
                }
            }
            ASSERT_NE(nextPs, Requester::NEVER) << "nothing will ever happen again";
            m_nowPs = std::max(m_nowPs, nextPs);
            if (m_requester->WakeByPs() <= m_nowPs)
            {
                m_requester->OnTimer(m_nowPs);
            }
            while (!m_wire.empty() && m_wire.begin()->first.first <= m_nowPs)
            {
                const Frame frame = m_wire.begin()->second;
                m_wire.erase(m_wire.begin());
                Deliver(frame);
            }
        }
        ASSERT_EQ(m_completed, m_posted.size()) << "the network healed and messages are missing";
        EXPECT_EQ(m_requester->InflightBytes(), 0u);
        EXPECT_EQ(m_immediatesSeen, m_immediatesPosted);
        EXPECT_EQ(m_counters.accessErrors, 0u);
        EXPECT_EQ(m_memory.Pool().Stashed(), 0u);
        EXPECT_EQ(m_memory.Pool().Bitmaps(), isBitmapGone ? 1u : 0u);
        EXPECT_TRUE(
            IsUntouched(m_bytes.data() + GUARD_BYTES + m_postedBytes, REGION_BYTES - m_postedBytes))
            << "written where nothing was addressed to";
        EXPECT_FALSE(m_requester->HasFailed());
    }

    std::unique_ptr<CongestionControl> CreateCongestionControl() override
    {
        switch (m_control)
        {
        case 0:
            return std::make_unique<Dctcp>(DctcpConfig{}, MTU, m_nscc->maxCwndBytes, BASE_RTT);
        case 1:
            return std::make_unique<FixedWindow>(m_nscc->maxCwndBytes, BASE_RTT);
        default:
            return std::make_unique<Nscc>(*m_nscc);
        }
    }

    std::unique_ptr<PathSelector> CreatePathSelector() override
    {
        std::vector<std::vector<uint32_t>> evs(PLANES);
        for (uint32_t ev = 0; ev < PLANES * EVS; ++ev)
        {
            evs[ev / EVS].push_back(ev);
        }
        switch (m_selector)
        {
        case 0:
            return std::make_unique<RepsSelector>(m_repsConfig, evs, m_random.Next());
        case 1:
            return std::make_unique<RandomSelector>(evs, m_random.Next());
        default:
            return std::make_unique<EvTable>(m_evConfig, evs, m_random.Next());
        }
    }

    void OnCompletion(const Completion& completion) override
    {
        EXPECT_EQ(completion.id, m_completed) << "completions in order";
        EXPECT_EQ(completion.status, CompletionStatus::SUCCESS);
        const WorkRequest& request = m_posted[completion.id];
        EXPECT_EQ(std::memcmp(m_bytes.data() + GUARD_BYTES + request.remoteVa,
                              request.payload,
                              request.bytes),
                  0)
            << "message " << completion.id << " completed before all of it was there";
        ++m_completed;
    }

    void OnReceiveCompletion(const ReceiveCompletion& completion) override
    {
        EXPECT_EQ(completion.rqmsn, m_immediatesSeen);
        EXPECT_EQ(completion.id, m_config.postedReceives ? m_immediatesSeen : 0);
        EXPECT_EQ(completion.immediate, 1000 + m_immediatesSeen) << "immediates in order";
        ++m_immediatesSeen;
    }

  private:
    static bool IsUntouched(const uint8_t* bytes, size_t count)
    {
        return std::all_of(bytes, bytes + count, [](uint8_t byte) { return byte == 0; });
    }

    /// What holds after each step.
    void CheckStep() const
    {
        ASSERT_LE(m_requester->InflightBytes(), m_nscc->maxCwndBytes + MTU);
        if (const SendWindow* const window = m_requester->Window())
        {
            ASSERT_LE(window->Next() - window->Base(), MPR_UNITS * 128u);
        }
        ASSERT_TRUE(IsUntouched(m_bytes.data(), GUARD_BYTES));
        ASSERT_TRUE(IsUntouched(m_bytes.data() + GUARD_BYTES + REGION_BYTES, GUARD_BYTES));
    }

    void PostAll()
    {
        m_source.resize(REGION_BYTES);
        for (uint8_t& byte : m_source)
        {
            byte = static_cast<uint8_t>(1 + m_random.Below(255));
        }
        uint32_t va = 0;
        const uint32_t count = 1 + m_random.Below(40);
        for (uint32_t i = 0; i < count; ++i)
        {
            WorkRequest request{};
            request.id = i;
            request.bytes = m_random.Below(8) == 0 ? 0 : m_random.Below(20 * MTU);
            request.remoteVa = va;
            request.remoteKey = m_key;
            request.payload = m_source.data() + va;
            request.hasImmediate = m_random.Below(3) == 0;
            request.immediate = 1000 + static_cast<uint32_t>(m_immediatesPosted);
            m_immediatesPosted += request.hasImmediate;
            va += request.bytes;
            m_posted.push_back(request);
        }
        m_postedBytes = va;
        for (const WorkRequest& request : m_posted)
        {
            m_requester->Post(request, m_nowPs);
        }
    }

    void SendAll()
    {
        for (uint8_t plane = 0; plane < PLANES; ++plane)
        {
            Frame frame{};
            while (m_freePs[plane] <= m_nowPs)
            {
                m_freePs[plane] = m_nowPs + US / 10;
                if (m_requester->NextFrame(m_nowPs, plane, frame))
                {
                    Cross(frame);
                }
            }
        }
    }

    /// Into the network: it does what it wants until it is healed.
    void Cross(Frame frame)
    {
        const bool isHealed = m_nowPs >= m_healPs;
        const bool isControl = frame.Has(Frame::CONTROL);
        if (!isHealed)
        {
            if (m_config.dynamicMpr && m_random.Below(50) == 0)
            {
                m_responder->SetMpr(static_cast<uint8_t>(1 + m_random.Below(16)));
            }
            const bool isDead = frame.ev == m_deadEv && m_nowPs >= m_deadFromPs;
            const bool isPlaneDead = frame.ev / EVS == m_deadPlane &&
                                     m_nowPs >= m_deadPlaneFromPs && m_nowPs < m_deadPlaneUntilPs;
            if (isDead || isPlaneDead || m_random.Below(100) < m_loss)
            {
                return;
            }
            frame.flags |= m_random.Below(100) < m_corrupt ? Frame::CORRUPT : 0;
            if (IsWrite(frame.opcode) && m_random.Below(100) < m_trim)
            {
                frame.flags |= Frame::TRIMMED | Frame::CONTROL;
                frame.flags |= m_random.Below(2) != 0 ? Frame::TRIMMED_LASTHOP : 0;
            }
            else if (!isControl && m_random.Below(100) < m_mark)
            {
                frame.trafficClass |= CE;
            }
        }
        const int64_t delayPs = BASE_RTT / 2 + (isHealed ? 0 : m_random.Below(m_jitterUs) * US);
        // Data of one EV keeps its order; control overtakes.
        int64_t& lastPs = m_lastPs[frame.ev];
        int64_t arrivalPs = m_nowPs + delayPs;
        if (!frame.Has(Frame::CONTROL))
        {
            arrivalPs = lastPs = std::max(arrivalPs, lastPs + 1);
        }
        m_wire.emplace(std::pair{arrivalPs, m_sequence++}, frame);
        if (!isHealed && m_random.Below(100) < m_duplicate)
        {
            m_wire.emplace(std::pair{arrivalPs + m_random.Below(50) * US, m_sequence++}, frame);
        }
    }

    void Deliver(const Frame& frame)
    {
        if (frame.Has(Frame::CORRUPT) && !frame.Has(Frame::TRIMMED))
        {
            return; // as a NIC does whose ICRC check fails
        }
        switch (frame.opcode)
        {
        case Opcode::SACK:
            m_requester->OnSack(frame, m_nowPs);
            break;
        case Opcode::NACK:
            m_requester->OnNack(frame, m_nowPs);
            break;
        case Opcode::ACKNOWLEDGE:
            m_requester->OnAck(frame, m_nowPs);
            break;
        default: {
            const uint8_t replies = frame.opcode == Opcode::RELIABILITY_PROBE
                                        ? m_responder->OnProbe(frame)
                                        : m_responder->OnWrite(frame, m_nowPs);
            for (const auto reply :
                 {Responder::REPLY_SACK, Responder::REPLY_NACK, Responder::REPLY_ACK})
            {
                if ((replies & reply) != 0)
                {
                    Frame answer{};
                    m_responder->Fill(reply, frame, answer);
                    Cross(answer);
                }
            }
        }
        }
    }

    Random m_random;
    TransportConfig m_config;
    EvTableConfig m_evConfig;
    std::unique_ptr<NsccParameters> m_nscc;
    MemoryTable m_memory;
    EndpointCounters m_counters{};
    std::unique_ptr<Requester> m_requester;
    std::unique_ptr<Responder> m_responder;
    std::vector<uint8_t> m_bytes;
    std::vector<uint8_t> m_source;
    std::vector<WorkRequest> m_posted;
    std::multimap<std::pair<int64_t, uint64_t>, Frame> m_wire;
    std::map<uint32_t, int64_t> m_lastPs;
    int64_t m_freePs[PLANES]{};
    int64_t m_nowPs{US};
    int64_t m_healPs;
    uint64_t m_sequence{0};
    uint64_t m_completed{0};
    uint64_t m_immediatesPosted{0};
    uint64_t m_immediatesSeen{0};
    uint32_t m_key;
    uint32_t m_loss;
    uint32_t m_trim;
    uint32_t m_mark;
    uint32_t m_duplicate;
    uint32_t m_deadEv;
    uint32_t m_jitterUs;
    RepsConfig m_repsConfig;
    uint32_t m_corrupt;
    uint32_t m_selector;
    uint32_t m_control;
    uint32_t m_deadPlane;
    int64_t m_deadFromPs;
    int64_t m_deadPlaneFromPs;
    int64_t m_deadPlaneUntilPs;
    uint64_t m_postedBytes{0};
};

TEST(TransportModelTest, EverythingArrivesOnceWhateverTheNetworkDoes)
{
    const char* only = std::getenv("MRC_TEST_SEED"); // replays one
    const char* runs = std::getenv("MRC_TEST_RUNS"); // other than the usual 1000
    const uint64_t first = only == nullptr ? 1 : std::strtoull(only, nullptr, 10);
    const uint64_t count = runs == nullptr ? 1000 : std::strtoull(runs, nullptr, 10);
    const uint64_t last = only == nullptr ? count : first;
    for (uint64_t seed = first; seed <= last; ++seed)
    {
        Conversation(seed).Run();
        if (HasFailure())
        {
            FAIL() << "replay with MRC_TEST_SEED=" << seed
                   << " mrc-core-test --gtest_filter=TransportModelTest.*";
        }
    }
}

TEST(TransportModelTest, ReorderingAloneMakesNobodySendAgain)
{
    //= MRC-REF 4 Requester, loss inference
    const char* only = std::getenv("MRC_TEST_SEED");
    const uint64_t first = only == nullptr ? 1 : std::strtoull(only, nullptr, 10);
    const uint64_t last = only == nullptr ? 200 : first;
    for (uint64_t seed = first; seed <= last; ++seed)
    {
        Conversation conversation(seed, true);
        conversation.Run();
        EXPECT_EQ(conversation.Counters().retransmitted, 0u);
        if (testing::Test::HasFailure())
        {
            FAIL() << "replay with MRC_TEST_SEED=" << seed
                   << " mrc-core-test --gtest_filter=TransportModelTest.Reordering*";
        }
    }
}

} // namespace
