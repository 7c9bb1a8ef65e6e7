// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-fabric-prober.h"

#include "mrc-clock.h"
#include "mrc-ev-controller-helper.h"
#include "mrc-loop-probe.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/log.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/uinteger.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MrcFabricProber");
NS_OBJECT_ENSURE_REGISTERED(MrcFabricProber);

TypeId
MrcFabricProber::GetTypeId()
{
    using C = mrc::LoopMonitorConfig;
    static const C DEFAULTS;
    static TypeId tid =
        TypeId("ns3::MrcFabricProber")
            .SetParent<Object>()
            .SetGroupName("Mrc")
            .AddConstructor<MrcFabricProber>()
            .AddAttribute("Interval",
                          "From one round of loops to the next; longer than a loop takes.",
                          StringValue("1ms"),
                          MakeTimeAccessor(&MrcFabricProber::m_interval),
                          MakeTimeChecker(MicroSeconds(10)))
            .AddAttribute("TellPeers",
                          "Deny the plane of a lossy NIC link at the NICs that send to it too.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&MrcFabricProber::m_isTellingPeers),
                          MakeBooleanChecker())
            .AddAttribute("NearLoops",
                          "Loops NIC-T0-NIC of a round on a plane.",
                          UintegerValue(DEFAULTS.nearLoops),
                          MakeUintegerAccessor(&C::nearLoops),
                          MakeUintegerChecker<uint32_t>(1, 2048))
            .AddAttribute("WindowRounds",
                          "Rounds whose near loops are counted together.",
                          UintegerValue(DEFAULTS.windowRounds),
                          MakeUintegerAccessor(&C::windowRounds),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("FarWindowRounds",
                          "Rounds whose loops NIC-T0-T1-T0-NIC are counted together.",
                          UintegerValue(DEFAULTS.farWindowRounds),
                          MakeUintegerAccessor(&C::farWindowRounds),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MinLosses",
                          "Lost loops of a window below which nothing is concluded.",
                          UintegerValue(DEFAULTS.minLosses),
                          MakeUintegerAccessor(&C::minLosses),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("LossThreshold",
                          "Share of the loops of a window that have to be lost.",
                          DoubleValue(DEFAULTS.lossThreshold),
                          MakeDoubleAccessor(&C::lossThreshold),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("CleanRounds",
                          "Rounds without loss of a near loop that clear a lossy NIC link.",
                          UintegerValue(DEFAULTS.cleanRounds),
                          MakeUintegerAccessor(&C::cleanRounds),
                          MakeUintegerChecker<uint32_t>(1))
            .AddTraceSource("Verdict",
                            "What loops say about a link changed.",
                            MakeTraceSourceAccessor(&MrcFabricProber::m_verdictTrace),
                            "ns3::MrcFabricProber::VerdictTracedCallback");
    return tid;
}

MrcFabricProber::MrcFabricProber()
{
    NS_LOG_FUNCTION(this);
}

MrcFabricProber::~MrcFabricProber()
{
    NS_LOG_FUNCTION(this);
}

void
MrcFabricProber::DoDispose()
{
    NS_LOG_FUNCTION(this);
    Stop();
    m_nics.clear();
    m_network = nullptr;
    Object::DoDispose();
}

void
MrcFabricProber::Start(Ptr<MrcClosNetwork> network)
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_network, "a prober starts once");
    NS_ABORT_MSG_IF(!network->Profile().IsSrv6(), "loops need source routing (MrcProfile::Srv6)");
    m_network = network;
    MrcEvControllerHelper().Install(network);
    const mrc::ClosPlan& clos = network->Clos();
    const uint32_t nics = network->NicCount();
    m_nics.resize(nics);
    m_reported.assign(size_t{nics} * clos.Planes(),
                      std::vector<mrc::LinkVerdict>(1 + clos.T0Uplinks(), mrc::LinkVerdict::CLEAN));
    for (uint32_t nic = 0; nic < nics; ++nic)
    {
        m_nics[nic].planes.assign(clos.Planes(), mrc::LoopMonitor(*this, clos.T0Uplinks()));
        network->Nic(nic).SetLoopSink(this);
        // Not all at once: control queues hold some hundred loops.
        const int64_t offsetPs = m_interval.GetPicoSeconds() / nics * nic;
        m_nics[nic].round =
            Simulator::Schedule(MrcTime(offsetPs), &MrcFabricProber::Round, this, nic);
    }
}

void
MrcFabricProber::Stop()
{
    for (uint32_t nic = 0; nic < m_nics.size(); ++nic)
    {
        m_nics[nic].round.Cancel();
        m_network->Nic(nic).SetLoopSink(nullptr);
    }
}

void
MrcFabricProber::Round(uint32_t nic)
{
    for (uint8_t plane = 0; plane < m_nics[nic].planes.size(); ++plane)
    {
        if (m_nics[nic].planes[plane].BeginRound())
        {
            Report(nic, plane);
        }
        Decide(nic, plane);
        SendLoops(nic, plane);
    }
    m_nics[nic].round = Simulator::Schedule(m_interval, &MrcFabricProber::Round, this, nic);
}

void
MrcFabricProber::SendLoops(uint32_t nic, uint8_t plane)
{
    const mrc::LoopMonitor& monitor = m_nics[nic].planes[plane];
    const mrc::UsidPlan& usids = m_network->Plan().Usids();
    MrcNic& sender = m_network->Nic(nic);
    for (uint32_t loop = 0; loop < monitor.LoopsPerRound(); ++loop)
    {
        const mrc::UsidCarrier path = monitor.IsNear(loop)
                                          ? mrc::NearLoop(usids, plane, nic)
                                          : mrc::FarLoop(usids, plane, nic, loop - nearLoops);
        sender.SendLoop(plane, monitor.RequestId(loop), path);
    }
}

void
MrcFabricProber::OnLoop(uint32_t nic, uint8_t plane, const mrc::Frame& frame, int64_t)
{
    m_nics[nic].planes[plane].OnReturned(static_cast<uint16_t>(frame.psn));
}

void
MrcFabricProber::Report(uint32_t nic, uint8_t plane)
{
    const mrc::LoopMonitor& monitor = m_nics[nic].planes[plane];
    std::vector<mrc::LinkVerdict>& reported =
        m_reported[size_t{nic} * m_nics[nic].planes.size() + plane];
    for (uint32_t link = 0; link < reported.size(); ++link)
    {
        const bool isNicLink = link == 0;
        const uint32_t uplink = isNicLink ? 0 : link - 1;
        const mrc::LinkVerdict verdict = isNicLink ? monitor.NicLink() : monitor.Uplink(uplink);
        if (verdict != reported[link])
        {
            reported[link] = verdict;
            m_verdictTrace({MrcNowPs(), nic, plane, isNicLink, uplink, verdict});
        }
    }
}

void
MrcFabricProber::Decide(uint32_t nic, uint8_t plane)
{
    const bool isLossy = m_nics[nic].planes[plane].NicLink() == mrc::LinkVerdict::LOSSY;
    const uint32_t bit = uint32_t{1} << plane;
    if (isLossy == ((m_nics[nic].deniedPlanes & bit) != 0))
    {
        return;
    }
    mrc::EvOrder order = mrc::EvOrder::Plane(plane, isLossy);
    order.origin = mrc::DenialOrigin::PROBER;
    // The last plane that is left is not denied: a lossy one is better than none. Asked again in
    // each round.
    if (!m_network->Nic(nic).GetObject<MrcEvController>()->Apply(order).empty())
    {
        return;
    }
    m_nics[nic].deniedPlanes ^= bit;
    order.scope = mrc::EvOrder::Scope::PLANE_TO_PEER;
    order.peer = nic;
    for (uint32_t other = 0; other < m_nics.size() && m_isTellingPeers; ++other)
    {
        if (other != nic)
        {
            m_network->Nic(other).GetObject<MrcEvController>()->Apply(order);
        }
    }
}

} // namespace ns3
