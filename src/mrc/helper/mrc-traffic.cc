// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-traffic.h"

#include "mrc-clock.h"
#include "mrc-clos-names.h"
#include "mrc-random.h"

#include <ns3/abort.h>
#include <ns3/log.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <unordered_map>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MrcTraffic");

namespace
{
/// Where regions start: not at 0, so that an offset taken for an address is refused.
constexpr uint64_t REGION_VA = uint64_t{1} << 32;

/// Region::index of a NIC that nobody writes to.
constexpr uint32_t NO_REGION = UINT32_MAX;

/// Messages start at so many places of the pattern table; a prime, so that any stride visits all.
constexpr uint64_t PATTERN_STARTS = 1'048'573;

/// Distance of the starts of consecutive messages; far from a multiple of an MTU.
constexpr uint64_t PATTERN_STRIDE = 647'809;

/// @return a time for people
std::string
TimeText(int64_t ps)
{
    std::ostringstream text;
    text << static_cast<double>(ps) / 1e6 << " us";
    return text.str();
}
} // namespace

MrcTraffic::MrcTraffic(Ptr<MrcClosNetwork> network,
                       mrc::Workload workload,
                       MrcVerify verify,
                       uint32_t qpsPerPair)
    : m_network(network),
      m_workload(std::move(workload)),
      m_verify(verify),
      m_mtuBytes(network->Profile().Transport().mtuBytes)
{
    NS_LOG_FUNCTION(this << m_workload.name << m_workload.messages.size() << qpsPerPair);
    if (qpsPerPair == 0)
    {
        throw mrc::WorkloadError("0 QPs for each pair of NICs: at least 1");
    }
    m_workload.Check(network->NicCount());
    m_records.assign(m_workload.messages.size(),
                     Record{-1, -1, 0, mrc::CompletionStatus::FLUSHED, false, false, false});
    MakeRegions();
    Connect(qpsPerPair);
    IndexDependants();
    for (uint32_t nic = 0; nic < network->NicCount(); ++nic)
    {
        network->Nic(nic).SetApplication(this);
    }
}

MrcTraffic::~MrcTraffic()
{
    NS_LOG_FUNCTION(this);
    m_startEvent.Cancel();
    for (uint32_t nic = 0; nic < m_network->NicCount(); ++nic)
    {
        m_network->Nic(nic).SetApplication(nullptr);
    }
}

void
MrcTraffic::MakeRegions()
{
    const std::vector<mrc::Message>& messages = m_workload.messages;
    std::vector<bool> isWritten(m_network->NicCount());
    m_regions.resize(m_network->NicCount());
    m_va.reserve(messages.size());
    uint64_t longestBytes = 0;
    for (const mrc::Message& message : messages)
    {
        Region& region = m_regions[message.destination];
        isWritten[message.destination] = true;
        m_va.push_back(REGION_VA + region.bytes);
        region.bytes += (message.bytes + m_mtuBytes - 1) / m_mtuBytes * m_mtuBytes;
        longestBytes = std::max(longestBytes, message.bytes);
    }
    for (uint32_t nic = 0; nic < m_regions.size(); ++nic)
    {
        Region& region = m_regions[nic];
        region.index = NO_REGION;
        if (!isWritten[nic])
        {
            continue;
        }
        if (m_verify == MrcVerify::BYTES && region.bytes != 0)
        {
            region.memory = mrc::MakeZeroBlock(region.bytes);
            if (!region.memory)
            {
                throw mrc::WorkloadError("no memory for the " + std::to_string(region.bytes) +
                                         " B that nic-" + std::to_string(nic) +
                                         " receives: verify placement instead of bytes");
            }
        }
        region.index = m_network->Nic(nic).Memory().Register(
            REGION_VA, region.bytes, region.BytesAt(), m_mtuBytes);
    }
    if (m_verify == MrcVerify::BYTES)
    {
        // No byte is 0, so that memory that was never written never matches.
        mrc::Random random(1);
        m_patterns.resize(longestBytes + PATTERN_STARTS);
        for (uint8_t& byte : m_patterns)
        {
            byte = static_cast<uint8_t>(1 + random.Below(255));
        }
    }
}

void
MrcTraffic::Connect(uint32_t qpsPerPair)
{
    struct Pair
    {
        std::vector<uint32_t> sourceQps; // in the order of their making
        uint32_t next;                   // whose turn it is, once all are made
    };

    std::unordered_map<uint64_t, Pair> pairs;
    for (uint32_t index = 0; index < m_records.size(); ++index)
    {
        const mrc::Message& message = m_workload.messages[index];
        Pair& pair = pairs[uint64_t{message.source} << 32 | message.destination];
        if (pair.sourceQps.size() < qpsPerPair)
        {
            const auto connection = m_network->Connect(message.source, message.destination);
            pair.sourceQps.push_back(connection.sourceQp);
            m_records[index].sourceQp = connection.sourceQp;
        }
        else
        {
            m_records[index].sourceQp = pair.sourceQps[pair.next];
            pair.next = pair.next + 1 == qpsPerPair ? 0 : pair.next + 1;
        }
    }
}

void
MrcTraffic::IndexDependants()
{
    const std::vector<mrc::Message>& messages = m_workload.messages;
    m_waits.resize(messages.size());
    m_firstDependant.resize(messages.size() + 1);
    for (uint32_t index = 0; index < messages.size(); ++index)
    {
        const mrc::MessageList& after = messages[index].after;
        m_waits[index] = after.Size();
        for (uint32_t i = 0; i < after.Size(); ++i)
        {
            ++m_firstDependant[after[i] + 1];
        }
        if (messages[index].startPs > 0)
        {
            ++m_waits[index];
            m_delayed.push_back(index);
        }
    }
    for (size_t i = 1; i < m_firstDependant.size(); ++i)
    {
        m_firstDependant[i] += m_firstDependant[i - 1];
    }
    m_dependants.resize(m_firstDependant.back());
    std::vector<uint32_t> end(m_firstDependant.begin(), m_firstDependant.end() - 1);
    for (uint32_t index = 0; index < messages.size(); ++index)
    {
        const mrc::MessageList& after = messages[index].after;
        for (uint32_t i = 0; i < after.Size(); ++i)
        {
            m_dependants[end[after[i]]++] = index;
        }
    }
    std::stable_sort(m_delayed.begin(), m_delayed.end(), [&](uint32_t a, uint32_t b) {
        return messages[a].startPs < messages[b].startPs;
    });
}

uint64_t
MrcTraffic::MemoryBytes() const
{
    uint64_t sum = m_patterns.size();
    for (const Region& region : m_regions)
    {
        sum += region.memory ? region.bytes : 0;
    }
    return sum;
}

const uint8_t*
MrcTraffic::Pattern(uint32_t message) const
{
    return m_patterns.empty() ? nullptr : &m_patterns[message * PATTERN_STRIDE % PATTERN_STARTS];
}

const mrc::MemoryRegion&
MrcTraffic::RegionOf(uint32_t message) const
{
    const uint32_t nic = m_workload.messages[message].destination;
    return m_network->Nic(nic).Memory().Region(m_regions[nic].index);
}

void
MrcTraffic::SetDoneCallback(std::function<void()> callback)
{
    m_doneCallback = std::move(callback);
}

void
MrcTraffic::Start()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_isStarted, "a workload starts once");
    m_isStarted = true;
    m_startedPs = MrcNowPs();
    for (uint32_t index = 0; index < m_records.size(); ++index)
    {
        if (m_waits[index] == 0 && m_records[index].postedPs < 0)
        {
            Compute(index);
        }
    }
    ScheduleNextStart();
}

void
MrcTraffic::ScheduleNextStart()
{
    if (m_nextDelayed < m_delayed.size())
    {
        const mrc::Message& message = m_workload.messages[m_delayed[m_nextDelayed]];
        m_startEvent = Simulator::Schedule(
            MrcTime(m_startedPs + message.startPs - MrcNowPs()), &MrcTraffic::StartDue, this);
    }
}

int64_t
MrcTraffic::IdleUntilPs() const
{
    if (m_nextDelayed == m_delayed.size())
    {
        return m_computedPs;
    }
    const mrc::Message& next = m_workload.messages[m_delayed[m_nextDelayed]];
    return std::max(m_computedPs, m_startedPs + next.startPs);
}

void
MrcTraffic::StartDue()
{
    const int64_t sinceStartPs = MrcNowPs() - m_startedPs;
    while (m_nextDelayed < m_delayed.size() &&
           m_workload.messages[m_delayed[m_nextDelayed]].startPs <= sinceStartPs)
    {
        Release(m_delayed[m_nextDelayed++]);
    }
    ScheduleNextStart();
}

void
MrcTraffic::Post(uint32_t message)
{
    const mrc::Message& what = m_workload.messages[message];
    Record& record = m_records[message];
    record.postedPs = MrcNowPs();
    m_network->Nic(what.source)
        .Post(record.sourceQp,
              {message,
               m_va[message],
               Pattern(message),
               static_cast<uint32_t>(what.bytes),
               RegionOf(message).RKey(),
               what.immediate ? message : 0,
               what.immediate});
}

void
MrcTraffic::Release(uint32_t message)
{
    --m_waits[message];
    if (m_waits[message] == 0 && !m_records[message].isDone)
    {
        Compute(message);
    }
}

void
MrcTraffic::Compute(uint32_t message)
{
    const uint32_t computeNs = m_workload.messages[message].computeNs;
    if (computeNs == 0)
    {
        Post(message);
    }
    else
    {
        m_computedPs = std::max(m_computedPs, MrcNowPs() + int64_t{computeNs} * 1000);
        Simulator::Schedule(NanoSeconds(computeNs), &MrcTraffic::Post, this, message);
    }
}

void
MrcTraffic::ReleaseAtDestination(uint32_t message)
{
    for (uint32_t i = m_firstDependant[message]; i < m_firstDependant[message + 1]; ++i)
    {
        if (m_workload.messages[m_dependants[i]].source == m_workload.messages[message].destination)
        {
            Release(m_dependants[i]);
        }
    }
}

void
MrcTraffic::ReleaseElsewhere(uint32_t message)
{
    for (uint32_t i = m_firstDependant[message]; i < m_firstDependant[message + 1]; ++i)
    {
        if (m_workload.messages[m_dependants[i]].source != m_workload.messages[message].destination)
        {
            Release(m_dependants[i]);
        }
    }
}

void
MrcTraffic::Finish(uint32_t message, mrc::CompletionStatus status)
{
    Record& record = m_records[message];
    record.completedPs = MrcNowPs();
    record.status = status;
    record.isDone = true;
    ++(status == mrc::CompletionStatus::SUCCESS ? m_completed : m_failed);
}

void
MrcTraffic::FailDependants(uint32_t message)
{
    // Chains of dependencies are long: no recursion.
    std::vector<uint32_t> failed{message};
    while (!failed.empty())
    {
        const uint32_t cause = failed.back();
        failed.pop_back();
        for (uint32_t i = m_firstDependant[cause]; i < m_firstDependant[cause + 1]; ++i)
        {
            const uint32_t dependant = m_dependants[i];
            const bool isReleased =
                m_records[cause].isArrived &&
                m_workload.messages[dependant].source == m_workload.messages[cause].destination;
            if (!isReleased && !m_records[dependant].isDone)
            {
                Finish(dependant, mrc::CompletionStatus::FLUSHED);
                failed.push_back(dependant);
            }
        }
    }
}

void
MrcTraffic::OnCompletion(uint32_t nic, uint32_t qp, const mrc::Completion& completion)
{
    NS_LOG_FUNCTION(this << nic << qp << completion.id);
    if (completion.id >= Total())
    {
        ++m_strayReports;
        return;
    }
    const auto message = static_cast<uint32_t>(completion.id);
    const Record& record = m_records[message];
    if (m_workload.messages[message].source != nic || record.sourceQp != qp ||
        record.postedPs < 0 || record.isDone)
    {
        ++m_strayReports;
        return;
    }
    Finish(message, completion.status);
    if (completion.status == mrc::CompletionStatus::SUCCESS)
    {
        ReleaseElsewhere(message);
    }
    else
    {
        FailDependants(message);
    }
    if (IsDone() && m_doneCallback)
    {
        std::exchange(m_doneCallback, nullptr)();
    }
}

void
MrcTraffic::OnReceive(uint32_t nic, uint32_t qp, const mrc::ReceiveCompletion& completion)
{
    NS_LOG_FUNCTION(this << nic << qp << completion.immediate);
    const uint32_t message = completion.immediate;
    if (message >= Total())
    {
        ++m_strayReports;
        return;
    }
    const mrc::Message& what = m_workload.messages[message];
    Record& record = m_records[message];
    if (!what.immediate || what.destination != nic || what.bytes != completion.bytes ||
        m_network->Nic(nic).Qp(qp).Peer() != what.source || record.isArrived)
    {
        ++m_strayReports;
        return;
    }
    record.isArrived = true;
    ReleaseAtDestination(message);
}

uint64_t
MrcTraffic::Verify()
{
    uint64_t verified = 0;
    for (uint32_t message = 0; message < m_records.size(); ++message)
    {
        m_records[message].isVerified = FailureText(message).empty();
        verified += m_records[message].isVerified;
    }
    return verified;
}

std::string
MrcTraffic::FailureText(uint32_t message) const
{
    const mrc::Message& what = m_workload.messages[message];
    const Record& record = m_records[message];
    if (!record.isDone)
    {
        return "did not complete";
    }
    if (record.status != mrc::CompletionStatus::SUCCESS)
    {
        return record.postedPs < 0 ? "was not posted: a message that it waits for failed"
                                   : mrc::CompletionStatusText(record.status);
    }
    if (what.immediate && !record.isArrived)
    {
        return "its immediate was not delivered";
    }
    const mrc::MemoryRegion& region = RegionOf(message);
    if (!region.IsPlaced(m_va[message], what.bytes))
    {
        uint64_t offset = 0;
        while (region.IsPlaced(m_va[message] + offset,
                               std::min<uint64_t>(m_mtuBytes, what.bytes - offset)))
        {
            offset += m_mtuBytes;
        }
        return "packet " + std::to_string(offset / m_mtuBytes) + " was not placed";
    }
    if (m_verify == MrcVerify::BYTES && what.bytes != 0)
    {
        const uint8_t* is = region.Storage() + (m_va[message] - region.Va());
        const uint8_t* expected = Pattern(message);
        if (std::memcmp(is, expected, what.bytes) != 0)
        {
            const uint64_t offset =
                static_cast<uint64_t>(std::mismatch(is, is + what.bytes, expected).first - is);
            return "byte " + std::to_string(offset) + " is " + std::to_string(is[offset]) +
                   ", not " + std::to_string(expected[offset]);
        }
    }
    return "";
}

uint64_t
MrcTraffic::RepeatedPackets() const
{
    uint64_t sum = 0;
    for (uint32_t nic = 0; nic < m_regions.size(); ++nic)
    {
        if (m_regions[nic].index != NO_REGION)
        {
            sum += m_network->Nic(nic).Memory().Region(m_regions[nic].index).RepeatedGranules();
        }
    }
    return sum;
}

int64_t
MrcTraffic::IdealPs(uint32_t message) const
{
    const mrc::Message& what = m_workload.messages[message];
    mrc::IdealConfig config = m_network->Ideal();
    config.switches = m_network->Clos().SwitchesBetween(what.source, what.destination);
    return mrc::IdealFctPs(config, what.bytes, what.immediate);
}

int64_t
MrcTraffic::IdealLastPs() const
{
    struct Received
    {
        uint64_t bytes{0};
        uint32_t switches{UINT32_MAX}; // on the way from the nearest sender
    };

    const mrc::ClosPlan& clos = m_network->Clos();
    std::vector<Received> received(clos.Nics());
    for (const mrc::Message& message : m_workload.messages)
    {
        Received& nic = received[message.destination];
        nic.bytes += message.bytes;
        nic.switches =
            std::min(nic.switches, clos.SwitchesBetween(message.source, message.destination));
    }
    int64_t lastPs = 0;
    mrc::IdealConfig config = m_network->Ideal();
    for (const Received& nic : received)
    {
        if (nic.switches != UINT32_MAX)
        {
            config.switches = nic.switches;
            lastPs = std::max(lastPs, mrc::IdealFctPs(config, nic.bytes));
        }
    }
    return lastPs;
}

std::vector<std::string>
MrcTraffic::UnfinishedReport(size_t limit) const
{
    std::vector<uint32_t> unfinished;
    for (uint32_t message = 0; message < m_records.size(); ++message)
    {
        if (!m_records[message].isDone)
        {
            unfinished.push_back(message);
        }
    }
    limit = std::min(limit, unfinished.size());
    const auto end = unfinished.begin() + static_cast<std::ptrdiff_t>(limit);
    // As unsigned numbers, the -1 of messages that were not posted is the latest time of all.
    std::partial_sort(unfinished.begin(), end, unfinished.end(), [&](uint32_t a, uint32_t b) {
        const auto aPs = static_cast<uint64_t>(m_records[a].postedPs);
        const auto bPs = static_cast<uint64_t>(m_records[b].postedPs);
        return aPs != bPs ? aPs < bPs : a < b;
    });
    unfinished.resize(limit);

    std::vector<std::string> lines;
    for (const uint32_t message : unfinished)
    {
        const mrc::Message& what = m_workload.messages[message];
        lines.push_back(
            "message " + std::to_string(message) + " " + mrc::NicName(what.source) + " -> " +
            mrc::NicName(what.destination) + ", " + std::to_string(what.bytes) + " B: " +
            (m_records[message].postedPs < 0 ? WhyNotPosted(message) : WhyNotDone(message)));
    }
    return lines;
}

std::string
MrcTraffic::WhyNotPosted(uint32_t message) const
{
    const mrc::Message& what = m_workload.messages[message];
    for (uint32_t i = 0; i < what.after.Size(); ++i)
    {
        const uint32_t earlier = what.after[i];
        const mrc::Message& other = m_workload.messages[earlier];
        const bool isArrival = other.destination == what.source;
        if (isArrival ? !m_records[earlier].isArrived : !m_records[earlier].isDone)
        {
            return "not posted, waits for message " + std::to_string(earlier) + " (" +
                   mrc::NicName(other.source) + " -> " + mrc::NicName(other.destination) +
                   (isArrival ? ") to arrive" : ") to complete");
        }
    }
    const int64_t startPs = m_startedPs + what.startPs;
    return startPs > MrcNowPs() ? "not posted, waits for its start at " + TimeText(startPs)
                                : "not posted, waits for the end of its computation";
}

std::string
MrcTraffic::WhyNotDone(uint32_t message) const
{
    const uint32_t source = m_workload.messages[message].source;
    MrcNic& nic = m_network->Nic(source);
    const mrc::Requester& requester = nic.Qp(m_records[message].sourceQp).requester;
    const mrc::SendQueue& queue = requester.Messages();
    uint64_t msn = queue.BeginMsn();
    while (msn != queue.EndMsn() && queue.At(msn).request.id != message)
    {
        ++msn;
    }
    if (msn == queue.EndMsn())
    {
        return "posted, but its QP does not have it";
    }

    const mrc::SendMessage& sending = queue.At(msn);
    const mrc::SendWindow* window = requester.Window();
    uint32_t acknowledged = 0;
    uint32_t inFlight = 0;
    uint32_t lost = 0;
    for (uint64_t psn = sending.firstPsn;
         window != nullptr && psn < std::min(window->Next(), sending.EndPsn());
         ++psn)
    {
        if (psn < window->Base() || window->IsReceived(psn))
        {
            ++acknowledged;
        }
        else
        {
            ++(window->IsLost(psn) ? lost : inFlight);
        }
    }
    const uint32_t unsent = sending.packets - acknowledged - inFlight - lost;

    bool isAnyPortUp = false;
    for (uint8_t plane = 0; plane < nic.PortCount(); ++plane)
    {
        isAnyPortUp |= nic.Port(plane).IsUp();
    }

    std::string reason;
    if (!isAnyPortUp)
    {
        reason = "a port of " + mrc::NicName(source) + ": all are down";
    }
    else if (acknowledged == sending.packets)
    {
        reason = "the acknowledgement of the message as a whole";
    }
    else if (lost != 0)
    {
        reason = "the retransmission of " + std::to_string(lost) + " lost packets";
    }
    else if (unsent == sending.packets && msn != queue.BeginMsn())
    {
        reason = "earlier messages of its QP";
    }
    else if (unsent == 0)
    {
        reason = "acknowledgements of the packets in flight";
    }
    else if (requester.HasWork())
    {
        reason = "its turn on a port";
    }
    else if (requester.InflightBytes() + m_mtuBytes > requester.CwndBytes())
    {
        reason = "the congestion window: " + std::to_string(requester.InflightBytes()) + " of " +
                 std::to_string(requester.CwndBytes()) + " B in flight";
    }
    else
    {
        reason = "the receive window";
    }
    return std::to_string(acknowledged) + " of " + std::to_string(sending.packets) +
           " packets acknowledged, " + std::to_string(inFlight) + " in flight, waits for " + reason;
}

} // namespace ns3
