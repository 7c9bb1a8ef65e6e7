// SPDX-License-Identifier: GPL-2.0-only
// Requester and responder without a network: packets per second, and bytes of an idle QP.

#include "mrc-ev-table.h"
#include "mrc-multi-plane-clos-helper.h"
#include "mrc-nscc.h"
#include "mrc-psn.h"
#include "mrc-requester.h"
#include "mrc-responder.h"
#include "mrc-timestamp.h"

#include <ns3/simulator.h>

#include <array>
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
        Post(); // the next message begins before the one before it is acknowledged
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

    static constexpr uint32_t BYTES = 1 << 30; //!< of each message

    /// @return key of the memory that is written to
    uint32_t Key() const
    {
        return m_memory.Region(0).RKey();
    }

    /// @return packets placed
    uint64_t Received() const
    {
        return m_counters.dataReceived;
    }

  private:
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

/// Packets in flight of the requester alone: about a BDP, less than the initial window.
constexpr uint64_t FLIGHT = 168;

/// Packets that one SACK covers.
constexpr uint64_t SACK_EVERY = 4;

/// The requester alone: NextFrame(), and OnSack() for every fourth packet, one RTT later.
void
EndpointRequester(benchmark::State& state)
{
    Pair pair;
    mrc::Frame frame{};
    mrc::Frame answer{};
    mrc::Frame ack{};
    ack.opcode = mrc::Opcode::ACKNOWLEDGE;
    ack.ack.syndrome = mrc::AETH_ACK;
    std::array<uint32_t, 256> evs{};
    int64_t nowPs = RTT_PS;
    uint64_t psn = 0;
    uint64_t lastPsn = UINT64_MAX;
    for ([[maybe_unused]] auto iteration : state)
    {
        nowPs += PACKET_PS;
        if (!pair.requester.NextFrame(nowPs, psn % PLANES, frame) ||
            frame.psn != (psn & mrc::PSN_MASK))
        {
            state.SkipWithError("the requester did not send the next packet");
            break;
        }
        evs[psn % evs.size()] = frame.ev;
        if (frame.opcode == mrc::Opcode::WRITE_LAST)
        {
            lastPsn = psn;
        }
        ++psn;
        if (psn % SACK_EVERY != 0 || psn < FLIGHT)
        {
            continue;
        }
        // All up to here arrived in order: the bitmap, which begins behind, is empty.
        const uint64_t cack = psn - FLIGHT + SACK_EVERY - 1;
        answer.opcode = mrc::Opcode::SACK;
        answer.sack = {};
        answer.sack.cackPsn = cack & mrc::PSN_MASK;
        answer.sack.sackOffset = 1;
        answer.sack.entropy = evs[cack % evs.size()];
        answer.sack.receivedUnits256 = (cack + 1) * (4096 / 256) & mrc::PSN_MASK;
        answer.sack.txTimestamp =
            mrc::MakeTimestamp(nowPs - static_cast<int64_t>(FLIGHT - SACK_EVERY) * PACKET_PS);
        pair.requester.OnSack(answer, nowPs);
        if (lastPsn <= cack)
        {
            ++ack.ack.msn;
            lastPsn = UINT64_MAX;
            pair.requester.OnAck(ack, nowPs);
        }
    }
    state.SetItemsProcessed(state.iterations());
}

/// The responder alone: OnWrite() in order, and Fill() of the answers that it calls for.
void
EndpointResponder(benchmark::State& state)
{
    constexpr uint32_t PACKETS = Pair::BYTES / 4096;
    Pair pair;
    mrc::Frame frame{};
    mrc::Frame answer{};
    frame.flags = mrc::Frame::ENCAPSULATED | mrc::Frame::HAS_TIMESTAMP;
    frame.trafficClass = mrc::MakeTrafficClass(8, mrc::ECT0);
    frame.payloadBytes = 4096;
    frame.write.reth.rKey = pair.Key();
    frame.write.reth.dmaBytes = Pair::BYTES;
    uint64_t packets = 0;
    uint64_t sacks = 0;
    for ([[maybe_unused]] auto iteration : state)
    {
        const uint32_t index = packets % PACKETS;
        frame.opcode = index == 0             ? mrc::Opcode::WRITE_FIRST
                       : index == PACKETS - 1 ? mrc::Opcode::WRITE_LAST
                                              : mrc::Opcode::WRITE_MIDDLE;
        frame.psn = packets & mrc::PSN_MASK;
        frame.ev = (0xc000 | packets % PLANES) << 16;
        frame.write.meth.msn = static_cast<uint16_t>(packets / PACKETS);
        frame.write.reth.va = uint64_t{index} * 4096;
        ++packets;
        const uint8_t replies =
            pair.responder.OnWrite(frame, static_cast<int64_t>(packets) * PACKET_PS);
        for (const auto reply : {mrc::Responder::REPLY_SACK, mrc::Responder::REPLY_ACK})
        {
            if ((replies & reply) != 0)
            {
                pair.responder.Fill(reply, frame, answer);
                sacks += reply == mrc::Responder::REPLY_SACK;
            }
        }
    }
    if (pair.Received() != packets)
    {
        state.SkipWithError("the responder refused packets");
    }
    state.SetItemsProcessed(state.iterations());
    state.counters["packets_per_sack"] =
        static_cast<double>(packets) / static_cast<double>(sacks > 0 ? sacks : 1);
}

/// @return bytes of the heap in use, large blocks included
size_t
HeapBytes()
{
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/// Heap bytes of QPs that were connected and never sent, both ends counted; sizes of objects.
void
IdleQpBytes(benchmark::State& state)
{
    using namespace ns3;
    MrcMultiPlaneClosHelper::UsePicoseconds();
    constexpr uint32_t CONNECTIONS = 10000;
    for ([[maybe_unused]] auto iteration : state)
    {
        MrcMultiPlaneClosHelper clos;
        clos.Config().nics = 16;
        clos.Config().nicsPerT0 = 8;
        Ptr<MrcClosNetwork> network = clos.Install();
        const size_t before = HeapBytes();
        for (uint32_t i = 0; i < CONNECTIONS; ++i)
        {
            network->Connect(i % 8, 8 + i % 8);
        }
        state.counters["bytes_per_idle_qp"] =
            static_cast<double>(HeapBytes() - before) / (2 * CONNECTIONS);
        Simulator::Destroy();
    }
    state.counters["sizeof_frame"] = sizeof(mrc::Frame);
    state.counters["sizeof_port"] = sizeof(MrcEgressPort);
    state.counters["sizeof_qp"] = sizeof(MrcQp);
}

BENCHMARK(EndpointRequester);
BENCHMARK(EndpointResponder);
BENCHMARK(IdleQpBytes)->Iterations(1)->Unit(benchmark::kMillisecond);

} // namespace
