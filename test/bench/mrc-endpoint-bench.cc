// SPDX-License-Identifier: GPL-2.0-only
// Requester and responder without a network: packets per second, and bytes of an idle QP.

#include "mrc-ev-table.h"
#include "mrc-multi-plane-clos-helper.h"
#include "mrc-nscc.h"
#include "mrc-requester.h"
#include "mrc-responder.h"

#include <ns3/simulator.h>

#include <benchmark/benchmark.h>
#include <malloc.h>

namespace
{

constexpr uint32_t PLANES = 4;
constexpr uint32_t EVS_PER_PLANE = 32;
constexpr int64_t PACKET_PS = 84'840; // 4242 B at 400 Gb/s
constexpr int64_t RTT_PS = 14'392'000;

/// A requester and a responder that know each other, and nothing else.
class Pair : public mrc::RequesterHost, public mrc::ResponderHost
{
  public:
    Pair()
        : m_parameters(MakeConfig()),
          m_memory(MakeMemory()),
          requester(m_transport, {3, 4, 0, 0, 8, true}, m_counters, *this),
          responder(m_transport, {4, 3, 0, 0, 8, true}, m_memory, m_counters, *this)
    {
        m_evConfig.activePerPlane = EVS_PER_PLANE;
        m_transport.targetDelayPs = m_parameters.targetDelayPs;
        m_transport.reorderGuardPs = RTT_PS;
        m_transport.baseRttPs = RTT_PS;
        Post();
    }

    /// Keep the requester busy.
    void Post()
    {
        requester.Post({0, 0, nullptr, BYTES, m_memory.Region(0).RKey(), 0, false}, 0);
    }

    std::unique_ptr<mrc::CongestionControl> CreateCongestionControl() override
    {
        return std::make_unique<mrc::Nscc>(m_parameters);
    }

    std::unique_ptr<mrc::PathSelector> CreatePathSelector() override
    {
        std::vector<std::vector<uint32_t>> evs(PLANES);
        for (uint32_t plane = 0; plane < PLANES; ++plane)
        {
            for (uint32_t i = 0; i < EVS_PER_PLANE; ++i)
            {
                evs[plane].push_back((0xc000 | plane) << 16 | i);
            }
        }
        return std::make_unique<mrc::EvTable>(m_evConfig, evs, 1);
    }

    void OnCompletion(const mrc::Completion&) override
    {
        Post();
    }

    void OnReceiveCompletion(const mrc::ReceiveCompletion&) override
    {
    }

  private:
    static constexpr uint32_t BYTES = 1 << 30; //!< of each message

    static mrc::NsccConfig MakeConfig()
    {
        mrc::NsccConfig config;
        config.baseRttPs = RTT_PS;
        config.lineRateBitsPerSecond = 400'000'000'000;
        return config;
    }

    static mrc::MemoryTable MakeMemory()
    {
        mrc::MemoryTable memory;
        memory.Register(0, BYTES, nullptr, 0);
        return memory;
    }

    mrc::TransportConfig m_transport;
    mrc::EvTableConfig m_evConfig;
    mrc::NsccParameters m_parameters;
    mrc::MemoryTable m_memory;
    mrc::EndpointCounters m_counters{};

  public:
    mrc::Requester requester; //!< sends
    mrc::Responder responder; //!< receives
};

/// A packet from NextFrame() to the SACK that covers it, both ends, no network.
void
EndpointPacket(benchmark::State& state)
{
    Pair pair;
    mrc::Frame frame{};
    mrc::Frame answer{};
    int64_t nowPs = 0;
    uint64_t packets = 0;
    for (auto _ : state)
    {
        nowPs += PACKET_PS;
        if (!pair.requester.NextFrame(nowPs, packets % PLANES, frame))
        {
            state.SkipWithError("the requester stopped");
            break;
        }
        ++packets;
        const uint8_t replies = pair.responder.OnWrite(frame, nowPs + RTT_PS / 2);
        if ((replies & mrc::Responder::REPLY_SACK) != 0)
        {
            pair.responder.Fill(mrc::Responder::REPLY_SACK, frame, answer);
            pair.requester.OnSack(answer, nowPs);
        }
        if ((replies & mrc::Responder::REPLY_ACK) != 0)
        {
            pair.responder.Fill(mrc::Responder::REPLY_ACK, frame, answer);
            pair.requester.OnAck(answer, nowPs);
        }
    }
    state.SetItemsProcessed(state.iterations());
}

/// Heap bytes of QPs that were connected and never sent, both ends counted.
void
IdleQpBytes(benchmark::State& state)
{
    using namespace ns3;
    MrcMultiPlaneClosHelper::UsePicoseconds();
    constexpr uint32_t CONNECTIONS = 10000;
    for (auto _ : state)
    {
        MrcMultiPlaneClosHelper clos;
        clos.Config().nics = 16;
        clos.Config().nicsPerT0 = 8;
        Ptr<MrcClosNetwork> network = clos.Install();
        const size_t before = mallinfo2().uordblks;
        for (uint32_t i = 0; i < CONNECTIONS; ++i)
        {
            network->Connect(i % 8, 8 + i % 8);
        }
        state.counters["bytes_per_idle_qp"] =
            static_cast<double>(mallinfo2().uordblks - before) / (2 * CONNECTIONS);
        Simulator::Destroy();
    }
}

BENCHMARK(EndpointPacket);
BENCHMARK(IdleQpBytes)->Iterations(1)->Unit(benchmark::kMillisecond);

} // namespace
