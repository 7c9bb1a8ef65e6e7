// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-profile.h"

#include "mrc-fixed-window.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/log.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MrcProfile");
NS_OBJECT_ENSURE_REGISTERED(MrcProfile);

namespace
{
const mrc::TransportConfig TRANSPORT; ///< defaults
const mrc::EvTableConfig EV_TABLE;    ///< defaults
const mrc::EndpointConfig ENDPOINT;   ///< defaults
const mrc::NsccConfig NSCC;           ///< defaults
const mrc::DctcpConfig DCTCP;         ///< defaults
const mrc::RepsConfig REPS;           ///< defaults
} // namespace

TypeId
MrcProfile::AddTransportAttributes(TypeId tid)
{
    using T = mrc::TransportConfig;
    return tid
        .AddAttribute("Mtu",
                      "Payload of a full packet, bytes.",
                      UintegerValue(TRANSPORT.mtuBytes),
                      MakeUintegerAccessor(&T::mtuBytes),
                      MakeUintegerChecker<uint32_t>(256, 4096))
        .AddAttribute("Mpr",
                      "Receive window that a responder grants, units of 128 PSNs.",
                      UintegerValue(TRANSPORT.mprUnits),
                      MakeUintegerAccessor(&T::mprUnits),
                      MakeUintegerChecker<uint8_t>(8, 255))
        .AddAttribute("DynamicMpr",
                      "SACKs carry the window.",
                      BooleanValue(TRANSPORT.dynamicMpr),
                      MakeBooleanAccessor(&T::dynamicMpr),
                      MakeBooleanChecker())
        .AddAttribute("TrimNack",
                      "Trimmed packets are answered with NACKs; if not, none are sent trimmable.",
                      BooleanValue(TRANSPORT.trimNack),
                      MakeBooleanAccessor(&T::trimNack),
                      MakeBooleanChecker())
        .AddAttribute("ServiceTime",
                      "The time that a responder holds a packet is taken out of the round trip.",
                      BooleanValue(TRANSPORT.serviceTime),
                      MakeBooleanAccessor(&T::serviceTime),
                      MakeBooleanChecker())
        .AddAttribute("MaxWimm",
                      "WRITEs with immediate that a requester may have in flight.",
                      UintegerValue(TRANSPORT.maxWimm),
                      MakeUintegerAccessor(&T::maxWimm),
                      MakeUintegerChecker<uint32_t>(32, 32768))
        .AddAttribute("PostedReceives",
                      "A WRITE with immediate needs a receive that was posted in advance.",
                      BooleanValue(TRANSPORT.postedReceives),
                      MakeBooleanAccessor(&T::postedReceives),
                      MakeBooleanChecker())
        .AddAttribute("MaxBitmaps",
                      "QPs of a NIC that may hold packets beyond a gap at a time; 0 = all.",
                      UintegerValue(TRANSPORT.maxBitmaps),
                      MakeUintegerAccessor(&T::maxBitmaps),
                      MakeUintegerChecker<uint32_t>())
        .AddAttribute("MaxStash",
                      "Immediates of a NIC that may wait for earlier messages; 0 = all.",
                      UintegerValue(TRANSPORT.maxStash),
                      MakeUintegerAccessor(&T::maxStash),
                      MakeUintegerChecker<uint32_t>())
        .AddAttribute("PacketBuffer",
                      "Payload that a NIC can hold before it is in memory, bytes; 0 = all.",
                      UintegerValue(TRANSPORT.packetBufferBytes),
                      MakeUintegerAccessor(&T::packetBufferBytes),
                      MakeUintegerChecker<uint32_t>())
        .AddAttribute("MemoryRate",
                      "Bits per second that memory takes out of PacketBuffer; 0 = at once.",
                      UintegerValue(TRANSPORT.memoryBitsPerSecond),
                      MakeUintegerAccessor(&T::memoryBitsPerSecond),
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute("CwndPenalty",
                      "rcv_cwnd_pen of a responder that runs short, 1/128 of the window.",
                      UintegerValue(TRANSPORT.cwndPenalty),
                      MakeUintegerAccessor(&T::cwndPenalty),
                      MakeUintegerChecker<uint8_t>(0, 127))
        .AddAttribute("NackOutOfWindow",
                      "Packets beyond the window are answered with a NACK, not with silence.",
                      BooleanValue(TRANSPORT.nackOutOfWindow),
                      MakeBooleanAccessor(&T::nackOutOfWindow),
                      MakeBooleanChecker())
        .AddAttribute("AckTimeoutExponent",
                      "A packet times out 1.024 us x 2^this after it was sent.",
                      UintegerValue(TRANSPORT.ackTimeoutExponent),
                      MakeUintegerAccessor(&T::ackTimeoutExponent),
                      MakeUintegerChecker<uint8_t>(0, 24))
        .AddAttribute("LinearRetries",
                      "Timeouts of a packet that wait the ACK timeout each.",
                      UintegerValue(TRANSPORT.linearRetries),
                      MakeUintegerAccessor(&T::linearRetries),
                      MakeUintegerChecker<uint8_t>(0, 7))
        .AddAttribute("ExponentialRetries",
                      "Timeouts after those, each twice as long as the last; 25 = for ever.",
                      UintegerValue(TRANSPORT.exponentialRetries),
                      MakeUintegerAccessor(&T::exponentialRetries),
                      MakeUintegerChecker<uint8_t>(0, 25))
        .AddAttribute("SackThreshold",
                      "A SACK is due when more bytes than this arrived, at least 1024 a packet.",
                      UintegerValue(TRANSPORT.sackThresholdBytes),
                      MakeUintegerAccessor(&T::sackThresholdBytes),
                      MakeUintegerChecker<uint32_t>())
        .AddAttribute(
            "BaseRtt",
            "Round trip of the longest path without load; 0 = from the topology.",
            TimeValue(PicoSeconds(TRANSPORT.baseRttPs)),
            MakeTimeAccessor(&MrcProfile::SetPs<&T::baseRttPs>, &MrcProfile::GetPs<&T::baseRttPs>),
            MakeTimeChecker(Time(0)))
        .AddAttribute("TargetDelay",
                      "Queueing delay aimed at; 0 = 0.75 base RTTs with trimming, 1 without.",
                      TimeValue(PicoSeconds(TRANSPORT.targetDelayPs)),
                      MakeTimeAccessor(&MrcProfile::SetPs<&T::targetDelayPs>,
                                       &MrcProfile::GetPs<&T::targetDelayPs>),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("ReorderGuard",
                      "Least slack before a hole in the SACKs is taken for a loss; 0 = base RTT.",
                      TimeValue(PicoSeconds(TRANSPORT.reorderGuardPs)),
                      MakeTimeAccessor(&MrcProfile::SetPs<&T::reorderGuardPs>,
                                       &MrcProfile::GetPs<&T::reorderGuardPs>),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("ProbeAfterBaseRtts",
                      "Base RTTs of silence after which a probe asks for a SACK.",
                      UintegerValue(TRANSPORT.probeAfterBaseRtts),
                      MakeUintegerAccessor(&T::probeAfterBaseRtts),
                      MakeUintegerChecker<uint32_t>(1, 1000))
        .AddAttribute("SackReportsAll",
                      "The base of the SACK bitmap is chosen so that each arrival is reported.",
                      BooleanValue(TRANSPORT.sackReportsAll),
                      MakeBooleanAccessor(&T::sackReportsAll),
                      MakeBooleanChecker());
}

TypeId
MrcProfile::AddCongestionAttributes(TypeId tid)
{
    using N = mrc::NsccConfig;
    using D = mrc::DctcpConfig;
    return tid
        .AddAttribute("MaxCwnd",
                      "Largest and initial window of NSCC and DCTCP, bytes; 0 = 1.5 BDP.",
                      UintegerValue(NSCC.maxCwndBytes),
                      MakeUintegerAccessor(&N::maxCwndBytes),
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute("Gamma",
                      "Strength of a decrease.",
                      DoubleValue(NSCC.gamma),
                      MakeDoubleAccessor(&N::gamma),
                      MakeDoubleChecker<double>(0, 1))
        .AddAttribute("MaxMdJump",
                      "Smallest factor of one decrease.",
                      DoubleValue(NSCC.maxMdJump),
                      MakeDoubleAccessor(&N::maxMdJump),
                      MakeDoubleChecker<double>(0, 1))
        .AddAttribute("FairIncrease",
                      "Fair increase, MTU x a.",
                      DoubleValue(NSCC.fiMtus),
                      MakeDoubleAccessor(&N::fiMtus),
                      MakeDoubleChecker<double>(0))
        .AddAttribute("FastIncreaseScale",
                      "Fast increase: bytes of window per byte received, x a.",
                      DoubleValue(NSCC.fiScale),
                      MakeDoubleAccessor(&N::fiScale),
                      MakeDoubleChecker<double>(0))
        .AddAttribute("FastIncreaseDelay",
                      "Delays below this count as none.",
                      TimeValue(PicoSeconds(NSCC.fastIncreaseDelayPs)),
                      MakeTimeAccessor(&MrcProfile::SetPs<&N::fastIncreaseDelayPs>,
                                       &MrcProfile::GetPs<&N::fastIncreaseDelayPs>),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("Eta",
                      "Increase in each adjustment period, MTU x a.",
                      DoubleValue(NSCC.etaMtus),
                      MakeDoubleAccessor(&N::etaMtus),
                      MakeDoubleChecker<double>(0))
        .AddAttribute("Alpha",
                      "Proportional increase at zero delay, MTU x a x b.",
                      DoubleValue(NSCC.alphaMtus),
                      MakeDoubleAccessor(&N::alphaMtus),
                      MakeDoubleChecker<double>(0))
        .AddAttribute("AdjustMtus",
                      "Increases are applied after so many MTUs, or after AdjustPeriod.",
                      DoubleValue(NSCC.adjustMtus),
                      MakeDoubleAccessor(&N::adjustMtus),
                      MakeDoubleChecker<double>(0))
        .AddAttribute("AdjustPeriod",
                      "Adjustment period; 0 = base RTT.",
                      TimeValue(PicoSeconds(NSCC.adjustPeriodPs)),
                      MakeTimeAccessor(&MrcProfile::SetPs<&N::adjustPeriodPs>,
                                       &MrcProfile::GetPs<&N::adjustPeriodPs>),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("QaGate",
                      "Quick-adapt acts if less than 2^-this of the largest window arrived.",
                      UintegerValue(NSCC.qaGate),
                      MakeUintegerAccessor(&N::qaGate),
                      MakeUintegerChecker<uint8_t>(0, 31))
        .AddAttribute("QaThreshold",
                      "Delay that triggers quick-adapt; 0 = never with trimming, else 4 targets.",
                      TimeValue(PicoSeconds(NSCC.qaThresholdPs)),
                      MakeTimeAccessor(&MrcProfile::SetPs<&N::qaThresholdPs>,
                                       &MrcProfile::GetPs<&N::qaThresholdPs>),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("DelayAverageWeight",
                      "Weight of a delay sample of a whole window in the average.",
                      DoubleValue(NSCC.delayAverageWeight),
                      MakeDoubleAccessor(&N::delayAverageWeight),
                      MakeDoubleChecker<double>(0, 1))
        .AddAttribute("DctcpGain",
                      "DCTCP: weight of the newest window in the estimate of the marked fraction.",
                      DoubleValue(DCTCP.gain),
                      MakeDoubleAccessor(&D::gain),
                      MakeDoubleChecker<double>(0, 1))
        .AddAttribute("DctcpIncrease",
                      "DCTCP: additive increase, MTU per window.",
                      DoubleValue(DCTCP.increaseMtus),
                      MakeDoubleAccessor(&D::increaseMtus),
                      MakeDoubleChecker<double>(0));
}

TypeId
MrcProfile::AddEndpointAttributes(TypeId tid)
{
    using O = mrc::EndpointConfig;
    return tid
        .AddAttribute("PortUpdateInterval",
                      "From a port status update to its first repetition; 0 = two base RTTs.",
                      TimeValue(PicoSeconds(ENDPOINT.portUpdateIntervalPs)),
                      MakeTimeAccessor(&MrcProfile::SetPs<&O::portUpdateIntervalPs>,
                                       &MrcProfile::GetPs<&O::portUpdateIntervalPs>),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("PortUpdateIntervalMax",
                      "Largest time between two repetitions of a port status update.",
                      TimeValue(PicoSeconds(ENDPOINT.portUpdateIntervalMaxPs)),
                      MakeTimeAccessor(&MrcProfile::SetPs<&O::portUpdateIntervalMaxPs>,
                                       &MrcProfile::GetPs<&O::portUpdateIntervalMaxPs>),
                      MakeTimeChecker(PicoSeconds(1)))
        .AddAttribute("PortUpdateRepeats",
                      "Repetitions after which a port status update is given up.",
                      UintegerValue(ENDPOINT.portUpdateRepeats),
                      MakeUintegerAccessor(&O::portUpdateRepeats),
                      MakeUintegerChecker<uint32_t>())
        .AddAttribute("EvProbeTimeout",
                      "After so long an EV_PROBE counts as unanswered; 0 = four base RTTs.",
                      TimeValue(PicoSeconds(ENDPOINT.evProbeTimeoutPs)),
                      MakeTimeAccessor(&MrcProfile::SetPs<&O::evProbeTimeoutPs>,
                                       &MrcProfile::GetPs<&O::evProbeTimeoutPs>),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("ReverseProbes",
                      "QPs that receive but send nothing probe random EVs, in turn each base RTT.",
                      BooleanValue(ENDPOINT.reverseProbes),
                      MakeBooleanAccessor(&O::reverseProbes),
                      MakeBooleanChecker())
        .AddAttribute("KeepReverseEv",
                      "Answers travel on the reverse EV of their plane, not on their trigger's.",
                      BooleanValue(ENDPOINT.keepReverseEv),
                      MakeBooleanAccessor(&O::keepReverseEv),
                      MakeBooleanChecker());
}

TypeId
MrcProfile::AddFabricAttributes(TypeId tid)
{
    using E = mrc::EvTableConfig;
    using R = mrc::RepsConfig;
    using D = mrc::DscpMap;
    auto addDscp = [&tid](const char* name, const char* help, uint8_t value, auto accessor) {
        tid.AddAttribute(
            name, help, UintegerValue(value), accessor, MakeUintegerChecker<uint8_t>(0, 63));
    };
    addDscp(
        "DscpNoTrim",
        "DSCP of data that must not be trimmed.",
        D{}.noTrim,
        MakeUintegerAccessor(&MrcProfile::SetDscp<&D::noTrim>, &MrcProfile::GetDscp<&D::noTrim>));
    addDscp("DscpTrimmable",
            "DSCP of data.",
            D{}.trimmable,
            MakeUintegerAccessor(&MrcProfile::SetDscp<&D::trimmable>,
                                 &MrcProfile::GetDscp<&D::trimmable>));
    addDscp("DscpTrimmableRetx",
            "DSCP of retransmitted data.",
            D{}.trimmableRetx,
            MakeUintegerAccessor(&MrcProfile::SetDscp<&D::trimmableRetx>,
                                 &MrcProfile::GetDscp<&D::trimmableRetx>));
    addDscp(
        "DscpTrimmed",
        "DSCP of trimmed packets.",
        D{}.trimmed,
        MakeUintegerAccessor(&MrcProfile::SetDscp<&D::trimmed>, &MrcProfile::GetDscp<&D::trimmed>));
    addDscp("DscpTrimmedLastHop",
            "DSCP of packets trimmed by a port to a NIC.",
            D{}.trimmedLastHop,
            MakeUintegerAccessor(&MrcProfile::SetDscp<&D::trimmedLastHop>,
                                 &MrcProfile::GetDscp<&D::trimmedLastHop>));
    addDscp(
        "DscpControl",
        "DSCP of control packets.",
        D{}.control,
        MakeUintegerAccessor(&MrcProfile::SetDscp<&D::control>, &MrcProfile::GetDscp<&D::control>));
    return tid
        .AddAttribute("EvCount",
                      "EVs of a QP over all planes; as many as there are paths if fewer.",
                      UintegerValue(128),
                      MakeUintegerAccessor(&MrcProfile::m_evCount),
                      MakeUintegerChecker<uint32_t>(1, 16384))
        .AddAttribute("BackupEvCount",
                      "EVs over all planes that wait to replace retired ones, if there are paths.",
                      UintegerValue(32),
                      MakeUintegerAccessor(&MrcProfile::m_backupEvCount),
                      MakeUintegerChecker<uint32_t>(0, 16384))
        .AddAttribute("ProbeSuccesses",
                      "Unmarked probe answers that bring an ASSUMED_BAD EV back.",
                      UintegerValue(EV_TABLE.probeSuccesses),
                      MakeUintegerAccessor(&E::probeSuccesses),
                      MakeUintegerChecker<uint8_t>(1))
        .AddAttribute("EvMinActive",
                      "EVs of a QP that stay in use, bad or not; 0 = a quarter.",
                      UintegerValue(EV_TABLE.evMinActive),
                      MakeUintegerAccessor(&E::evMinActive),
                      MakeUintegerChecker<uint16_t>())
        .AddAttribute("ProbeInterval",
                      "From the retirement of an EV to its first probe; each probe doubles it.",
                      TimeValue(PicoSeconds(EV_TABLE.probeIntervalPs)),
                      MakeTimeAccessor(&MrcProfile::SetPs<&E::probeIntervalPs>,
                                       &MrcProfile::GetPs<&E::probeIntervalPs>),
                      MakeTimeChecker(PicoSeconds(1)))
        .AddAttribute("ProbeIntervalMax",
                      "Largest time between two probes of an EV.",
                      TimeValue(PicoSeconds(EV_TABLE.probeIntervalMaxPs)),
                      MakeTimeAccessor(&MrcProfile::SetPs<&E::probeIntervalMaxPs>,
                                       &MrcProfile::GetPs<&E::probeIntervalMaxPs>),
                      MakeTimeChecker(PicoSeconds(1)))
        .AddAttribute(
            "CongestionControl",
            "NSCC, DCTCP, or a fixed window.",
            EnumValue(MRC_CC_NSCC),
            MakeEnumAccessor(&MrcProfile::m_algorithm),
            MakeEnumChecker(MRC_CC_NSCC, "nscc", MRC_CC_DCTCP, "dctcp", MRC_CC_WINDOW, "window"))
        .AddAttribute("WindowBytes",
                      "Window of the fixed-window controller; 0 = 1.5 BDP.",
                      UintegerValue(0),
                      MakeUintegerAccessor(&MrcProfile::m_windowBytes),
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute("Spray",
                      "How the EV of each packet is chosen.",
                      EnumValue(MRC_SPRAY_MRC),
                      MakeEnumAccessor(&MrcProfile::m_spray),
                      MakeEnumChecker(MRC_SPRAY_MRC,
                                      "mrc",
                                      MRC_SPRAY_RANDOM,
                                      "random",
                                      MRC_SPRAY_ROUND_ROBIN,
                                      "round-robin",
                                      MRC_SPRAY_REPS,
                                      "reps",
                                      MRC_SPRAY_SINGLE,
                                      "single"))
        .AddAttribute("RepsCachePerPlane",
                      "REPS: EVs of a plane that are remembered.",
                      UintegerValue(REPS.cachePerPlane),
                      MakeUintegerAccessor(&R::cachePerPlane),
                      MakeUintegerChecker<uint8_t>(1, 64))
        .AddAttribute(
            "RepsFreeze",
            "REPS: how long after a suspected failure only remembered EVs are used.",
            TimeValue(PicoSeconds(REPS.freezePs)),
            MakeTimeAccessor(&MrcProfile::SetPs<&R::freezePs>, &MrcProfile::GetPs<&R::freezePs>),
            MakeTimeChecker(Time(0)))
        .AddAttribute("Srv6",
                      "Source-route with uSIDs; otherwise switches hash the 5-tuple.",
                      BooleanValue(true),
                      MakeBooleanAccessor(&MrcProfile::m_isSrv6),
                      MakeBooleanChecker());
}

TypeId
MrcProfile::GetTypeId()
{
    static TypeId tid = AddEndpointAttributes(AddFabricAttributes(
        AddCongestionAttributes(AddTransportAttributes(TypeId("ns3::MrcProfile")
                                                           .SetParent<Object>()
                                                           .SetGroupName("Mrc")
                                                           .AddConstructor<MrcProfile>()))));
    return tid;
}

MrcProfile::MrcProfile()
{
    NS_LOG_FUNCTION(this);
}

MrcProfile::~MrcProfile()
{
    NS_LOG_FUNCTION(this);
}

void
MrcProfile::Resolve(const Topology& topology)
{
    NS_LOG_FUNCTION(this << topology.baseRtt << topology.lineRateBitsPerSecond);
    mrc::TransportConfig& transport = *this;
    mrc::NsccConfig& nscc = *this;
    mrc::EvTableConfig& evs = *this;
    if (transport.baseRttPs == 0)
    {
        transport.baseRttPs = topology.baseRtt.GetPicoSeconds();
    }
    if (transport.reorderGuardPs == 0)
    {
        transport.reorderGuardPs = transport.baseRttPs;
    }
    mrc::EndpointConfig& endpoint = *this;
    if (endpoint.portUpdateIntervalPs == 0)
    {
        endpoint.portUpdateIntervalPs = 2 * transport.baseRttPs;
    }
    if (endpoint.evProbeTimeoutPs == 0)
    {
        endpoint.evProbeTimeoutPs = 4 * transport.baseRttPs;
    }
    const uint32_t paths = m_isSrv6 ? topology.pathsPerPlane : UINT16_MAX;
    const uint32_t active = std::clamp(m_evCount / topology.planes, 1u, paths);
    const uint32_t backup = (m_backupEvCount + topology.planes - 1) / topology.planes;
    evs.activePerPlane = static_cast<uint16_t>(active);
    evs.backupPerPlane = static_cast<uint16_t>(std::min(backup, paths - active));
    nscc.baseRttPs = transport.baseRttPs;
    nscc.mtuBytes = transport.mtuBytes;
    nscc.targetDelayPs = transport.targetDelayPs;
    nscc.lineRateBitsPerSecond = topology.lineRateBitsPerSecond;
    nscc.trimming = topology.isTrimming;
    m_nscc = std::make_unique<mrc::NsccParameters>(nscc);
    transport.targetDelayPs = m_nscc->targetDelayPs;
    if (m_windowBytes == 0)
    {
        m_windowBytes = m_nscc->maxCwndBytes;
    }
}

std::unique_ptr<mrc::CongestionControl>
MrcProfile::CreateCongestionControl() const
{
    switch (m_algorithm)
    {
    case MRC_CC_WINDOW:
        return std::make_unique<mrc::FixedWindow>(m_windowBytes, Transport().baseRttPs);
    case MRC_CC_DCTCP:
        return std::make_unique<mrc::Dctcp>(
            *this, m_nscc->mtuBytes, m_nscc->maxCwndBytes, Transport().baseRttPs);
    case MRC_CC_NSCC:
        break;
    }
    return std::make_unique<mrc::Nscc>(*m_nscc);
}

} // namespace ns3
