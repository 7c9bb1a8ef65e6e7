// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-trimming-switch.h"

#include "mrc-clock.h"
#include "mrc-frame-srh.h"
#include "mrc-usid.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/log.h>
#include <ns3/string.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MrcTrimmingSwitch");
NS_OBJECT_ENSURE_REGISTERED(MrcTrimmingSwitch);

namespace
{
/// @return a hash of what identifies a flow
uint32_t
FlowHash(const mrc::Frame& frame, uint64_t salt)
{
    uint64_t key = uint64_t{frame.source} << 32 | frame.destination;
    key ^= uint64_t{frame.ev >> 16} * 0x9e3779b97f4a7c15;
    key = (key ^ salt) * 0xbf58476d1ce4e5b9;
    key = (key ^ key >> 29) * 0x94d049bb133111eb;
    return static_cast<uint32_t>(key >> 32);
}
} // namespace

TypeId
MrcTrimmingSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MrcTrimmingSwitch")
            .SetParent<Object>()
            .SetGroupName("Mrc")
            .AddConstructor<MrcTrimmingSwitch>()
            .AddAttribute("Latency",
                          "From the last bit of a frame in to its place in the egress queue. "
                          "Together with links of 75 ns it gives the published write latencies.",
                          // text: read when an object is made, at picosecond resolution
                          StringValue("636400ps"),
                          MakeTimeAccessor(&MrcTrimmingSwitch::m_latency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("PlaneBdp",
                          "Bytes that one plane holds in a base RTT: rate of a link x base RTT. "
                          "The unit of the thresholds below; 0 = what Configure() is given.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&MrcTrimmingSwitch::m_planeBdpBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("EcnMin",
                          "RED: data queue (BDP) up to which nothing is marked.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&MrcTrimmingSwitch::m_ecnMin),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("EcnMax",
                          "RED: data queue (BDP) from which EcnMaxProbability holds.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&MrcTrimmingSwitch::m_ecnMax),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("EcnMaxProbability",
                          "RED: probability of marking at EcnMax and above.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&MrcTrimmingSwitch::m_ecnMaxProbability),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("TrimThreshold",
                          "Data queue (BDP) above which arrivals are trimmed.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&MrcTrimmingSwitch::m_trim),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("TrimThresholdLastHop",
                          "The same on ports to NICs.",
                          DoubleValue(1.5),
                          MakeDoubleAccessor(&MrcTrimmingSwitch::m_trimLastHop),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("ControlQueue",
                          "Control queue (BDP) above which control packets are dropped.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&MrcTrimmingSwitch::m_controlLimit),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("DataQueue",
                          "Data queue (BDP) above which data that is not trimmed is dropped.",
                          DoubleValue(5.0),
                          MakeDoubleAccessor(&MrcTrimmingSwitch::m_dataLimit),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("TrimSize",
                          "What trimming leaves of a packet, bytes from the Ethernet header on.",
                          UintegerValue(128),
                          MakeUintegerAccessor(&MrcTrimmingSwitch::m_trimToBytes),
                          MakeUintegerChecker<uint32_t>(64, 1024))
            .AddAttribute("Trimming",
                          "Trim what does not fit; otherwise drop it at DataQueue.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&MrcTrimmingSwitch::m_isTrimming),
                          MakeBooleanChecker())
            .AddAttribute("Ecn",
                          "Mark data queues of ports to switches.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&MrcTrimmingSwitch::m_isMarking),
                          MakeBooleanChecker())
            .AddAttribute("LastHopEcn",
                          "Mark data queues of ports to NICs too. MRC clusters do not.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MrcTrimmingSwitch::m_isMarkingLastHop),
                          MakeBooleanChecker());
    static TypeId traced = MrcPortTraces::AddTo(tid);
    return traced;
}

MrcTrimmingSwitch::MrcTrimmingSwitch()
{
    NS_LOG_FUNCTION(this);
}

MrcTrimmingSwitch::~MrcTrimmingSwitch()
{
    NS_LOG_FUNCTION(this);
}

void
MrcTrimmingSwitch::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_ports.Clear();
    m_fabric = nullptr;
    Object::DoDispose();
}

MrcQueueLimits
MrcTrimmingSwitch::Limits(bool isToHost) const
{
    auto bytes = [this](double bdp) {
        constexpr double MOST = UINT32_MAX;
        return static_cast<uint32_t>(std::min(bdp * static_cast<double>(m_planeBdpBytes), MOST));
    };
    MrcQueueLimits limits;
    const bool isMarking = isToHost ? m_isMarking && m_isMarkingLastHop : m_isMarking;
    limits.ecnMinBytes = bytes(m_ecnMin);
    limits.ecnMaxBytes = bytes(std::max(m_ecnMin, m_ecnMax));
    limits.ecnMaxProbability =
        isMarking ? static_cast<uint32_t>(m_ecnMaxProbability * (UINT16_MAX + 1)) : 0;
    limits.trimBytes = bytes(isToHost ? m_trimLastHop : m_trim);
    limits.dataBytes = bytes(m_dataLimit);
    limits.controlBytes = bytes(m_controlLimit);
    limits.trimToBytes = m_trimToBytes;
    limits.isTrimming = m_isTrimming;
    limits.isToHost = isToHost;
    limits.dscp = m_dscp;
    return limits;
}

void
MrcTrimmingSwitch::Configure(Ptr<MrcFabric> fabric,
                             const std::string& name,
                             uint16_t ports,
                             uint16_t hostPorts,
                             uint64_t planeBdpBytes,
                             const mrc::DscpMap& dscp,
                             uint64_t seed)
{
    NS_LOG_FUNCTION(this << name << ports << hostPorts << seed);
    m_fabric = fabric;
    m_name = name;
    m_seed = seed;
    m_dscp = dscp;
    if (m_planeBdpBytes == 0)
    {
        m_planeBdpBytes = planeBdpBytes;
    }
    NS_ABORT_MSG_IF(m_planeBdpBytes == 0,
                    m_name << ": the bandwidth-delay product of a plane is 0, so every threshold "
                              "would be; set ns3::MrcTrimmingSwitch::PlaneBdp");
    m_hostPortCount = hostPorts;
    m_fabricPorts = {0, 0, Limits(false), &fabric->Pool(), &m_counters, this};
    m_hostPorts = {0, 0, Limits(true), &fabric->Pool(), &m_counters, this};
    m_ports.Make(ports);
}

void
MrcTrimmingSwitch::Connect(
    uint16_t port, MrcFrameSink* sink, uint16_t sinkPort, DataRate rate, Time delay)
{
    NS_ABORT_MSG_IF(port >= m_ports.Size(), m_name << " has no port " << port);
    m_ports[port].Connect(port < m_hostPortCount ? &m_hostPorts : &m_fabricPorts,
                          port,
                          sink,
                          sinkPort,
                          rate.GetBitRate(),
                          delay.GetPicoSeconds(),
                          m_seed * 0x10001 + port);
}

//= MRC-REF 3 A switch compares the first 48 bits with its own block and uSID
void
MrcTrimmingSwitch::Receive(mrc::Frame* frame, uint16_t port, int64_t nowPs)
{
    if (frame->hopLimit <= 1)
    {
        Drop(frame, port, MrcDropReason::HOP_LIMIT, nowPs);
        return;
    }
    --frame->hopLimit;
    uint16_t egress;
    if (frame->Has(mrc::Frame::ENCAPSULATED))
    {
        if (m_table.IsOwn(frame->daHigh))
        {
            mrc::UsidCarrier carrier{frame->daHigh, frame->daLow};
            carrier.Shift();
            frame->daHigh = carrier.high;
            frame->daLow = carrier.low;
            //= MRC-REF 3 longer paths use an SRH
            // Without a further carrier the packet ends at a switch, which terminates nothing: its
            // destination has no active uSID and so no route.
            if (carrier.IsUsedUp() && frame->Has(mrc::Frame::HAS_SRH))
            {
                mrc::NextSegment(*frame);
            }
        }
        egress = m_table.LookupUsid(frame->daHigh);
    }
    else
    {
        egress = m_table.LookupPrefix({frame->daHigh, frame->daLow}, FlowHash(*frame, m_seed));
    }
    if (egress >= m_ports.Size())
    {
        Drop(frame, port, MrcDropReason::NO_ROUTE, nowPs);
        return;
    }
    m_ports[egress].Enqueue(frame, nowPs);
}

void
MrcTrimmingSwitch::Prefetch(const mrc::Frame& frame, uint16_t /* port */, uint32_t step) const
{
    if (step > 1 || !frame.Has(mrc::Frame::ENCAPSULATED))
    {
        return;
    }
    mrc::UsidCarrier carrier{frame.daHigh, frame.daLow};
    carrier.Shift();
    const uint16_t egress = m_table.LookupUsid(carrier.high);
    if (egress < m_ports.Size())
    {
        const MrcEgressPort* next = &m_ports[egress];
        if (step == 0)
        {
            __builtin_prefetch(next, 1);
            __builtin_prefetch(reinterpret_cast<const char*>(next) + 64, 1);
        }
        else
        {
            next->PrefetchQueues();
        }
    }
}

void
MrcTrimmingSwitch::Drop(mrc::Frame* frame, uint16_t port, MrcDropReason reason, int64_t nowPs)
{
    m_counters.CountDrop(reason, *frame);
    drop(port, *frame, reason, MrcTime(nowPs));
    m_fabric->Pool().Release(frame);
}

} // namespace ns3
