// SPDX-License-Identifier: GPL-2.0-only
// Fuzz target: a requester and a responder talk, and whoever is between them does what the input
// says: delivers, delays, repeats, loses, trims and marks packets, damages their bytes, or invents
// some. Nothing may crash, write outside the registered memory, or leave the windows.
#include "fuzz-input.h"
#include "mrc-ev-table.h"
#include "mrc-nscc.h"
#include "mrc-requester.h"
#include "mrc-responder.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace
{

using namespace mrc;
using mrc::test::FuzzInput;
using mrc::test::FuzzWire;

constexpr int64_t US = 1'000'000;
constexpr uint32_t MTU = 256;
constexpr uint32_t REGION_BYTES = 1 << 14;
constexpr uint32_t GUARD_BYTES = 64;
constexpr uint8_t GUARD = 0xa5;
constexpr uint32_t PLANES = 2;
constexpr uint32_t EVS = 4; // of each plane

/// Stop with the reason. @param what broke
[[noreturn]] void
Fail(const char* what)
{
    std::fprintf(stderr, "conversation-fuzz: %s\n", what);
    std::abort();
}

/// Both ends and what is between them.
class Conversation : public RequesterHost, public ResponderHost
{
  public:
    explicit Conversation(FuzzInput& input)
        : m_input(input),
          m_memoryBytes(REGION_BYTES + 2 * GUARD_BYTES, GUARD),
          m_source(REGION_BYTES, 1)
    {
        m_config.mtuBytes = MTU;
        m_config.sackThresholdBytes = 4 * MTU;
        m_config.baseRttPs = 10 * US;
        m_config.targetDelayPs = 10 * US;
        m_config.reorderGuardPs = 10 * US;
        m_config.maxWimm = 32;
        m_config.dynamicMpr = input.Below(2) != 0;
        m_config.sackReportsAll = input.Below(2) != 0;
        m_evConfig.activePerPlane = EVS - 1;
        m_evConfig.backupPerPlane = 1;
        NsccConfig nscc;
        nscc.baseRttPs = 10 * US;
        nscc.mtuBytes = MTU;
        nscc.lineRateBitsPerSecond = 100'000'000'000;
        m_nscc = std::make_unique<NsccParameters>(nscc);
        const uint32_t region =
            m_memory.Register(4096, REGION_BYTES, m_memoryBytes.data() + GUARD_BYTES, 0);
        m_key = m_memory.Region(region).RKey();
        QpSetup setup{3, 4, 0xfffff0, 0, 8, input.Below(2) != 0};
        setup.mtuBytes = MTU;
        m_requester = std::make_unique<Requester>(m_config, setup, m_counters, *this);
        setup.localQp = 4;
        setup.remoteQp = 3;
        setup.sendPsn = 0;
        setup.receivePsn = 0xfffff0;
        m_responder = std::make_unique<Responder>(m_config, setup, m_memory, m_counters, *this);
    }

    /// Do what the input says until its end.
    void Run()
    {
        while (!m_input.IsEmpty())
        {
            Step();
            Check();
        }
    }

    std::unique_ptr<CongestionControl> CreateCongestionControl() override
    {
        return std::make_unique<Nscc>(*m_nscc);
    }

    std::unique_ptr<PathSelector> CreatePathSelector() override
    {
        std::vector<std::vector<uint32_t>> evs(PLANES);
        for (uint32_t ev = 0; ev < PLANES * EVS; ++ev)
        {
            evs[ev / EVS].push_back(ev);
        }
        return std::make_unique<EvTable>(m_evConfig, evs, 1);
    }

    void OnCompletion(const Completion&) override
    {
        ++m_ended;
    }

    void OnReceiveCompletion(const ReceiveCompletion& completion) override
    {
        if (completion.rqmsn != m_nextImmediate++)
        {
            Fail("immediates out of order");
        }
    }

  private:
    void Step()
    {
        switch (m_input.Below(8))
        {
        case 0:
            Post();
            break;
        case 1:
            Send();
            break;
        case 2:
        case 3:
            DeliverSome();
            break;
        case 4: {
            m_nowPs += int64_t{m_input.Byte()} * US;
            if (m_requester->WakeByPs() <= m_nowPs)
            {
                m_requester->OnTimer(m_nowPs);
            }
            break;
        }
        case 5:
            DeliverDamaged();
            break;
        case 6:
            Alter();
            break;
        default: {
            Frame frame{};
            if (m_wires.Invent(Frame{}, m_input, frame))
            {
                Deliver(frame);
            }
        }
        }
    }

    void Post()
    {
        WorkRequest request{};
        request.id = m_posted++;
        request.bytes = m_input.Word() % (8 * MTU);
        request.remoteVa = 4096 + m_input.Word() % REGION_BYTES; // may leave the region
        request.remoteKey = m_input.Below(32) == 0 ? 0 : m_key;
        request.payload = m_source.data();
        request.hasImmediate = m_input.Below(2) != 0;
        m_requester->Post(request, m_nowPs);
    }

    void Send()
    {
        Frame frame{};
        for (size_t left = 1 + m_input.Below(8); left > 0; --left)
        {
            const auto plane = static_cast<uint8_t>(left % PLANES);
            if (m_requester->NextFrame(m_nowPs, plane, frame))
            {
                m_inFlight.push_back(frame);
            }
            m_nowPs += US / 10;
        }
    }

    void DeliverSome()
    {
        for (size_t left = 1 + m_input.Below(8); left > 0 && !m_inFlight.empty(); --left)
        {
            const size_t which = m_input.Below(std::min<size_t>(m_inFlight.size(), 4));
            const Frame frame = m_inFlight[which];
            m_inFlight.erase(m_inFlight.begin() + static_cast<ptrdiff_t>(which));
            Deliver(frame);
        }
    }

    void DeliverDamaged()
    {
        if (m_inFlight.empty())
        {
            return;
        }
        Frame damaged{};
        if (m_wires.Damage(m_inFlight[m_input.Below(m_inFlight.size())], m_input, damaged))
        {
            Deliver(damaged);
        }
    }

    /// Lose, repeat, trim or mark a packet, as switches do.
    void Alter()
    {
        if (m_inFlight.empty())
        {
            return;
        }
        const size_t which = m_input.Below(m_inFlight.size());
        Frame& frame = m_inFlight[which];
        switch (m_input.Below(4))
        {
        case 0:
            m_inFlight.erase(m_inFlight.begin() + static_cast<ptrdiff_t>(which));
            break;
        case 1: {
            const Frame copy = frame;
            m_inFlight.push_back(copy);
            break;
        }
        case 2:
            if (IsWrite(frame.opcode))
            {
                frame.flags |= Frame::TRIMMED | Frame::CONTROL;
                frame.flags |= m_input.Below(2) != 0 ? Frame::TRIMMED_LASTHOP : 0;
                frame.write.payload = nullptr;
            }
            break;
        default:
            frame.trafficClass |= CE;
        }
    }

    void Deliver(const Frame& frame)
    {
        m_nowPs += US / 100;
        switch (frame.opcode)
        {
        case Opcode::SACK:
            m_requester->OnSack(frame, m_nowPs);
            return;
        case Opcode::NACK:
            m_requester->OnNack(frame, m_nowPs);
            return;
        case Opcode::ACKNOWLEDGE:
            m_requester->OnAck(frame, m_nowPs);
            return;
        case Opcode::RELIABILITY_PROBE:
            Answer(m_responder->OnProbe(frame), frame);
            return;
        default:
            if (IsWrite(frame.opcode))
            {
                Answer(m_responder->OnWrite(frame, m_nowPs), frame);
            }
        }
    }

    void Answer(uint8_t replies, const Frame& frame)
    {
        for (const auto reply :
             {Responder::REPLY_SACK, Responder::REPLY_NACK, Responder::REPLY_ACK})
        {
            if ((replies & reply) != 0)
            {
                Frame answer{};
                m_responder->Fill(reply, frame, answer);
                m_inFlight.push_back(answer);
            }
        }
    }

    /// What holds whatever arrives.
    void Check() const
    {
        const SendWindow* const window = m_requester->Window();
        if (window != nullptr && window->Next() - window->Base() > UINT8_MAX * MPR_UNIT_PSNS)
        {
            Fail("more PSNs in flight than any window grants");
        }
        if (m_requester->InflightBytes() > m_nscc->maxCwndBytes + MTU)
        {
            Fail("more bytes in flight than the window");
        }
        if (m_ended > m_posted)
        {
            Fail("more completions than work requests");
        }
        for (uint32_t i = 0; i < GUARD_BYTES; ++i)
        {
            if (m_memoryBytes[i] != GUARD || m_memoryBytes[GUARD_BYTES + REGION_BYTES + i] != GUARD)
            {
                Fail("written outside the region");
            }
        }
    }

    FuzzInput& m_input;
    std::vector<uint8_t> m_memoryBytes;
    std::vector<uint8_t> m_source;
    FuzzWire m_wires;
    TransportConfig m_config;
    EvTableConfig m_evConfig;
    std::unique_ptr<NsccParameters> m_nscc;
    MemoryTable m_memory;
    EndpointCounters m_counters{};
    std::unique_ptr<Requester> m_requester;
    std::unique_ptr<Responder> m_responder;
    std::deque<Frame> m_inFlight;
    int64_t m_nowPs{US};
    uint64_t m_posted{0};
    uint64_t m_ended{0};
    uint64_t m_nextImmediate{0};
    uint32_t m_key{0};
};

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    FuzzInput input(bytes, size);
    Conversation(input).Run();
    return 0;
}
