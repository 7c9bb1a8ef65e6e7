// SPDX-License-Identifier: GPL-2.0-only
// Fuzz target: NICs and switches of a small fabric carry real messages, and the input puts packets
// in front of any of their ports: copies of what was seen, with damaged bytes, or invented ones.
// Nothing may crash.
#include "fuzz-input.h"
#include "mrc-helper.h"
#include "mrc-multi-plane-clos-helper.h"

#include <ns3/callback.h>
#include <ns3/simulator.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace
{

using namespace ns3;
using mrc::test::FuzzInput;
using mrc::test::FuzzWire;

constexpr uint32_t NICS = 4;
constexpr uint32_t REGION_BYTES = 1 << 16;

/// A network, what was seen on it, and what is done to it.
class Attack
{
  public:
    explicit Attack(FuzzInput& input)
        : m_input(input),
          m_memory(REGION_BYTES),
          m_source(REGION_BYTES, 1)
    {
        MrcMultiPlaneClosHelper::UseFastSimulator();
        MrcMultiPlaneClosHelper clos;
        clos.Config().nics = NICS;
        clos.Config().nicsPerT0 = 2;
        clos.Config().planes = 2;
        m_network = clos.Install();
        m_mrc = std::make_unique<MrcHelper>(m_network);
        m_key = m_mrc->RegisterMemory(3, 0, REGION_BYTES, m_memory.data());
        m_qp = m_mrc->Connect(0, 3).sourceQp;
        m_network->Connect(1, 2);
        for (uint32_t nic = 0; nic < NICS; ++nic)
        {
            m_network->Nic(nic).TraceConnectWithoutContext("Dequeue",
                                                           MakeCallback(&Attack::See, this));
        }
    }

    /// Do what the input says until its end, then let the network come to rest.
    void Run()
    {
        while (!m_input.IsEmpty())
        {
            switch (m_input.Below(4))
            {
            case 0:
                m_mrc->Write(0,
                             m_qp,
                             m_key,
                             m_input.Word() % (REGION_BYTES / 2),
                             m_input.Word() % (REGION_BYTES / 2),
                             m_source.data());
                break;
            case 1:
                Simulator::Stop(NanoSeconds(1 + 16 * m_input.Word()));
                Simulator::Run();
                break;
            default:
                Inject();
            }
        }
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
    }

  private:
    void See(uint32_t /* port */, const mrc::Frame& frame, Time /* when */)
    {
        m_seen[m_seenCount++ % m_seen.size()] = frame;
    }

    void Inject()
    {
        const size_t known = std::min<size_t>(m_seenCount, m_seen.size());
        mrc::Frame like{};
        like.destination = 3;
        like.wireBytes = 200;
        mrc::Frame frame{};
        if (known != 0)
        {
            like = m_seen[m_input.Below(known)];
        }
        const bool isThere = known == 0 || m_input.Below(8) == 0
                                 ? m_wires.Invent(like, m_input, frame)
                                 : m_wires.Damage(like, m_input, frame);
        if (!isThere)
        {
            return;
        }
        mrc::Frame* const pooled = m_network->Fabric().Pool().Allocate();
        *pooled = frame;
        const int64_t nowPs = Simulator::Now().GetPicoSeconds();
        const uint32_t plane = static_cast<uint32_t>(m_input.Below(2));
        if (m_input.Below(2) != 0)
        {
            m_network->Nic(m_input.Byte() % NICS)
                .Receive(pooled, static_cast<uint16_t>(plane), nowPs);
            return;
        }
        const bool isT1 = m_input.Below(2) != 0;
        MrcTrimmingSwitch& target = m_network->Switch(
            plane, isT1 ? mrc::NodeKind::T1 : mrc::NodeKind::T0, m_input.Byte() % 2);
        target.Receive(pooled, m_input.Byte() % target.PortCount(), nowPs);
    }

    FuzzInput& m_input;
    std::vector<uint8_t> m_memory;
    std::vector<uint8_t> m_source;
    FuzzWire m_wires;
    Ptr<MrcClosNetwork> m_network;
    std::unique_ptr<MrcHelper> m_mrc;
    std::array<mrc::Frame, 32> m_seen{};
    size_t m_seenCount{0};
    uint32_t m_key{0};
    uint32_t m_qp{0};
};

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    FuzzInput input(bytes, size);
    {
        Attack attack(input);
        attack.Run();
        Simulator::Destroy();
    }
    return 0;
}
