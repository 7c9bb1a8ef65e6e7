// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-endpoint-agent.h"

#include "mrc-bth.h"
#include "mrc-timestamp.h"
#include "mrc-wire-size.h"

#include <algorithm>
#include <utility>

namespace mrc
{

namespace
{

/// Slots for probes: at first, and at most one for each request id.
constexpr size_t FIRST_SLOTS = 8;
constexpr size_t MAX_SLOTS = 65536;

/// Fill in what requests and answers share.
void
FillCommon(Opcode opcode, uint32_t id, bool isEncapsulated, uint8_t dscp, Frame& frame)
{
    frame.next = nullptr;
    frame.destinationQp = ENDPOINT_QP;
    frame.psn = id & 0xffff;
    frame.payloadBytes = 0;
    frame.flags = Frame::CONTROL;
    frame.flags |= isEncapsulated ? Frame::ENCAPSULATED : 0;
    frame.trafficClass = MakeTrafficClass(dscp, NOT_ECT);
    frame.opcode = opcode;
    frame.wireBytes = FrameWireBytes(FrameL2Bytes(opcode, false, isEncapsulated, 0));
}

} // namespace

EndpointAgent::EndpointAgent(const EndpointConfig& config,
                             const DscpMap& dscp,
                             uint8_t planes,
                             EndpointOpCounters& counters,
                             EndpointObserver& observer)
    : m_config(config),
      m_dscp(dscp),
      m_counters(counters),
      m_observer(observer),
      m_allPlanes(planes >= 32 ? ~uint32_t{0} : (uint32_t{1} << planes) - 1),
      m_ownMask(m_allPlanes)
{
}

uint16_t
EndpointAgent::Probe(const EvProbe& probe, int64_t nowPs)
{
    const uint16_t id = m_nextId++;
    Pending& slot = Slot(id, nowPs);
    slot = Pending{probe, nowPs, nowPs + probe.timeoutPs, id, MakeTimestamp(nowPs), true};
    m_probeWakePs = std::min(m_probeWakePs, slot.deadlinePs);
    m_queue.push_back(id);
    return id;
}

EndpointAgent::Pending&
EndpointAgent::Slot(uint16_t id, int64_t nowPs)
{
    if (m_pending.empty())
    {
        m_pending.resize(FIRST_SLOTS);
    }
    while (m_pending[id % m_pending.size()].sentPs >= 0)
    {
        Pending& old = m_pending[id % m_pending.size()];
        if (old.deadlinePs <= nowPs || m_pending.size() == MAX_SLOTS)
        {
            End(old, -1, nowPs);
            continue;
        }
        std::vector<Pending> larger(2 * m_pending.size());
        for (const Pending& pending : m_pending)
        {
            if (pending.sentPs >= 0)
            {
                larger[pending.id % larger.size()] = pending;
            }
        }
        m_pending = std::move(larger);
    }
    return m_pending[id % m_pending.size()];
}

void
EndpointAgent::End(Pending& slot, int64_t rttPs, int64_t nowPs)
{
    const EvProbeResult result{slot.probe, rttPs, slot.id, nowPs};
    slot.sentPs = -1;
    ++(rttPs < 0 ? m_counters.evProbesUnanswered : m_counters.evProbesAnswered);
    m_observer.OnEvProbeEnd(result);
}

void
EndpointAgent::SetOwnPort(uint8_t plane,
                          bool isUp,
                          const std::vector<uint32_t>& peers,
                          int64_t nowPs)
{
    const uint32_t bit = uint32_t{1} << plane;
    m_ownMask = isUp ? m_ownMask | bit : m_ownMask & ~bit;
    for (const uint32_t peer : peers)
    {
        Notify(peer, nowPs);
    }
}

//= MRC-REF 4 Reverse path and ports, tells its peers
void
EndpointAgent::Notify(uint32_t peer, int64_t nowPs)
{
    const auto found = FindUpdate(peer);
    if (found != m_updates.end())
    {
        found->attempts = 0;
        found->deadlinePs = nowPs;
        return;
    }
    const auto place = std::lower_bound(
        m_updates.begin(), m_updates.end(), peer, [](const Update& update, uint32_t wanted) {
            return update.peer < wanted;
        });
    m_updates.insert(place, Update{peer, 0, nowPs, 0, 0, static_cast<uint8_t>(peer % 32)});
}

std::vector<EndpointAgent::Update>::iterator
EndpointAgent::FindUpdate(uint32_t peer)
{
    const auto found = std::lower_bound(
        m_updates.begin(), m_updates.end(), peer, [](const Update& update, uint32_t wanted) {
            return update.peer < wanted;
        });
    return found != m_updates.end() && found->peer == peer ? found : m_updates.end();
}

EndpointAgent::Peer&
EndpointAgent::Know(uint32_t peer)
{
    const auto found = std::lower_bound(
        m_peers.begin(), m_peers.end(), peer, [](const Peer& known, uint32_t wanted) {
            return known.peer < wanted;
        });
    if (found != m_peers.end() && found->peer == peer)
    {
        return *found;
    }
    return *m_peers.insert(found, Peer{peer, m_allPlanes, 0, 0, false});
}

uint32_t
EndpointAgent::PeerMask(uint32_t peer) const
{
    const auto found = std::lower_bound(
        m_peers.begin(), m_peers.end(), peer, [](const Peer& known, uint32_t wanted) {
            return known.peer < wanted;
        });
    return found != m_peers.end() && found->peer == peer ? found->mask : m_allPlanes;
}

bool
EndpointAgent::ChoosePlane(Update& update) const
{
    uint32_t usable = m_ownMask & PeerMask(update.peer);
    usable = usable != 0 ? usable : m_ownMask;
    if (usable == 0)
    {
        return false;
    }
    // The next one after the last: a repetition does not trust what failed.
    do
    {
        update.plane = static_cast<uint8_t>((update.plane + 1) % 32);
    } while ((usable >> update.plane & 1) == 0);
    return true;
}

int64_t
EndpointAgent::BackOffPs(uint32_t attempts) const
{
    constexpr uint32_t MAX_DOUBLINGS = 20;
    return std::min(m_config.portUpdateIntervalPs << std::min(attempts, MAX_DOUBLINGS),
                    m_config.portUpdateIntervalMaxPs);
}

bool
EndpointAgent::NextRequest(int64_t nowPs, EndpointRequest& request)
{
    while (!m_queue.empty())
    {
        const uint16_t id = m_queue.back();
        m_queue.pop_back();
        Pending& pending = m_pending[id % m_pending.size()];
        if (pending.sentPs >= 0 && pending.id == id && pending.isQueued)
        {
            pending.isQueued = false;
            const EvProbe& probe = pending.probe;
            request = {EndpointOp::EV_PROBE, probe.plane, id, probe.peer, probe.qp, probe.ev, 0};
            ++m_counters.evProbesSent;
            return true;
        }
    }
    for (auto update = m_updates.begin(); update != m_updates.end();)
    {
        if (update->deadlinePs > nowPs)
        {
            ++update;
            continue;
        }
        if (update->attempts > m_config.portUpdateRepeats)
        {
            ++m_counters.portUpdatesGivenUp;
            update = m_updates.erase(update);
            continue;
        }
        if (!ChoosePlane(*update))
        {
            update->deadlinePs = NEVER; // until a port returns, which everybody is told
            ++update;
            continue;
        }
        update->serial = ++Know(update->peer).sent;
        update->first = update->attempts == 0 ? update->serial : update->first;
        update->deadlinePs = nowPs + BackOffPs(update->attempts);
        m_counters.portUpdatesRepeated += update->attempts != 0;
        ++update->attempts;
        ++m_counters.portUpdatesSent;
        request = {EndpointOp::PORT_STATUS_UPDATE,
                   update->plane,
                   update->serial,
                   update->peer,
                   0,
                   0,
                   m_ownMask};
        return true;
    }
    return false;
}

//= MRC-REF 2 PETH, ERTH, EETH
void
EndpointAgent::Fill(const EndpointRequest& request,
                    int64_t nowPs,
                    bool isEncapsulated,
                    Frame& frame) const
{
    FillCommon(Opcode::ENDPOINT_REQUEST, request.id, isEncapsulated, m_dscp.control, frame);
    frame.ev = request.ev;
    frame.request = Erth{request.op, 0, 0, TIMESTAMP_FTYPE, request.portMask, MakeTimestamp(nowPs)};
}

bool
EndpointAgent::OnRequest(const Frame& frame, bool isPeer, int64_t nowPs)
{
    const Erth& request = frame.request;
    if (request.op == EndpointOp::EV_PROBE)
    {
        ++m_counters.requestsAnswered;
        return true;
    }
    const uint32_t mask = request.portStatusMask & m_allPlanes;
    // A peer that is reachable nowhere could not have said so.
    if (request.op != EndpointOp::PORT_STATUS_UPDATE || !isPeer || mask == 0)
    {
        ++m_counters.requestsRefused;
        return false;
    }
    ++m_counters.requestsAnswered;
    Peer& peer = Know(frame.source);
    const auto id = static_cast<uint16_t>(frame.psn);
    const bool isNewer = static_cast<int16_t>(static_cast<uint16_t>(id - peer.heard)) > 0;
    if (!peer.hasHeard || isNewer)
    {
        peer.hasHeard = true;
        peer.heard = id;
        const bool isChanged = peer.mask != mask;
        peer.mask = mask;
        if (isChanged)
        {
            m_observer.OnPeerPorts(frame.source, mask, nowPs);
        }
    }
    return true;
}

void
EndpointAgent::FillAnswer(const Frame& request,
                          int64_t receivedPs,
                          int64_t nowPs,
                          Frame& answer) const
{
    // The answer may take the place of the request.
    const Erth asked = request.request;
    const uint32_t id = request.psn;
    const uint32_t ev = request.ev;
    const auto service = static_cast<uint16_t>((nowPs - receivedPs) / TIMESTAMP_UNIT_PS);
    FillCommon(
        Opcode::ENDPOINT_RESPONSE, id, request.Has(Frame::ENCAPSULATED), m_dscp.control, answer);
    answer.ev = ev;
    answer.response = Eeth{asked.op, static_cast<uint16_t>(asked.txTimestamp + service)};
}

void
EndpointAgent::OnResponse(const Frame& frame, int64_t nowPs)
{
    const auto id = static_cast<uint16_t>(frame.psn);
    if (frame.response.op == EndpointOp::EV_PROBE && !m_pending.empty())
    {
        Pending& pending = m_pending[id % m_pending.size()];
        if (pending.sentPs >= 0 && pending.id == id && pending.probe.peer == frame.source &&
            !pending.isQueued)
        {
            const auto service = static_cast<uint16_t>(frame.response.txTimestamp - pending.stamp);
            const int64_t elapsedPs = nowPs - pending.sentPs;
            // A service time longer than all of it is none.
            const int64_t rttPs = elapsedPs - service * TIMESTAMP_UNIT_PS;
            End(pending, rttPs < 0 ? elapsedPs : rttPs, nowPs);
            return;
        }
    }
    else if (frame.response.op == EndpointOp::PORT_STATUS_UPDATE)
    {
        const auto update = FindUpdate(frame.source);
        // A late answer to one that was repeated since is as good: the mask is the same.
        if (update != m_updates.end() && update->attempts != 0 &&
            static_cast<uint16_t>(id - update->first) <=
                static_cast<uint16_t>(update->serial - update->first))
        {
            ++m_counters.portUpdatesAnswered;
            m_updates.erase(update);
            return;
        }
    }
    ++m_counters.responsesUnmatched;
}

void
EndpointAgent::OnTimer(int64_t nowPs)
{
    if (nowPs < m_probeWakePs)
    {
        return;
    }
    for (size_t i = 0; i < m_pending.size(); ++i)
    {
        if (m_pending[i].sentPs >= 0 && m_pending[i].deadlinePs <= nowPs)
        {
            End(m_pending[i], -1, nowPs);
        }
    }
    m_probeWakePs = NEVER;
    for (const Pending& pending : m_pending)
    {
        if (pending.sentPs >= 0)
        {
            m_probeWakePs = std::min(m_probeWakePs, pending.deadlinePs);
        }
    }
}

int64_t
EndpointAgent::NextDeadlinePs() const
{
    int64_t nextPs = m_probeWakePs;
    for (const Update& update : m_updates)
    {
        nextPs = std::min(nextPs, update.deadlinePs);
    }
    return nextPs;
}

} // namespace mrc
