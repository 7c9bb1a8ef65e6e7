// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-simulator-impl.h"

#include "mrc-lane-scheduler.h"

#include <ns3/abort.h>
#include <ns3/assert.h>
#include <ns3/log.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MrcSimulatorImpl");
NS_OBJECT_ENSURE_REGISTERED(MrcSimulatorImpl);

TypeId
MrcSimulatorImpl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MrcSimulatorImpl")
                            .SetParent<SimulatorImpl>()
                            .SetGroupName("Mrc")
                            .AddConstructor<MrcSimulatorImpl>();
    return tid;
}

MrcSimulatorImpl::MrcSimulatorImpl()
    : m_uid(EventId::UID::VALID),
      m_context(Simulator::NO_CONTEXT),
      m_thread(std::this_thread::get_id())
{
    NS_LOG_FUNCTION(this);
}

MrcSimulatorImpl::~MrcSimulatorImpl()
{
    NS_LOG_FUNCTION(this);
}

void
MrcSimulatorImpl::DoDispose()
{
    NS_LOG_FUNCTION(this);
    if (m_scheduler)
    {
        AdoptForeign();
        while (!IsEmpty())
        {
            m_scheduler->RemoveNext().impl->Unref();
        }
    }
    m_lanes = nullptr;
    m_scheduler = nullptr;
    if (g_current == this)
    {
        g_current = nullptr;
    }
    SimulatorImpl::DoDispose();
}

void
MrcSimulatorImpl::Destroy()
{
    NS_LOG_FUNCTION(this);
    for (size_t i = 0; i < m_destroyEvents.size(); ++i) // one may schedule another
    {
        const Ptr<EventImpl> event = m_destroyEvents[i].PeekEventImpl();
        if (!event->IsCancelled())
        {
            event->Invoke();
        }
    }
    m_destroyEvents.clear();
}

void
MrcSimulatorImpl::SetScheduler(ObjectFactory schedulerFactory)
{
    NS_LOG_FUNCTION(this << schedulerFactory);
    // Only the simulator in use is given a scheduler, not one that a factory makes to look at it.
    g_current = this;
    const Ptr<Scheduler> old = m_scheduler;
    m_scheduler = schedulerFactory.Create<Scheduler>();
    const Ptr<MrcLaneScheduler> lanes = DynamicCast<MrcLaneScheduler>(m_scheduler);
    m_lanes = lanes ? &lanes->Lanes() : nullptr;
    while (old && !old->IsEmpty())
    {
        m_scheduler->Insert(old->RemoveNext());
    }
}

void
MrcSimulatorImpl::Step()
{
    const Scheduler::Event ev =
        m_lanes != nullptr ? m_lanes->RemoveNext() : m_scheduler->RemoveNext();
    NS_ASSERT_MSG(ev.key.m_ts >= m_now, "an event lies in the past");
    m_now = ev.key.m_ts;
    m_currentUid = ev.key.m_uid;
    ++m_count;
    if (ev.key.m_context == MrcFabricEvent::CONTEXT)
    {
        m_context = Simulator::NO_CONTEXT;
        static_cast<MrcFabricEvent*>(ev.impl)->Run(static_cast<int64_t>(m_now));
    }
    else
    {
        m_context = ev.key.m_context;
        ev.impl->Invoke();
    }
    ev.impl->Unref();
    if (m_hasForeign.load(std::memory_order_relaxed))
    {
        AdoptForeign();
    }
}

void
MrcSimulatorImpl::Run()
{
    NS_LOG_FUNCTION(this);
    m_thread = std::this_thread::get_id();
    AdoptForeign();
    m_isStopped = false;
    while (!m_isStopped && !IsEmpty())
    {
        Step();
    }
}

bool
MrcSimulatorImpl::RunUntil(int64_t untilPs)
{
    m_thread = std::this_thread::get_id();
    AdoptForeign();
    m_isStopped = false;
    while (NextPs() <= untilPs)
    {
        Step();
        if (m_isStopped)
        {
            return false;
        }
    }
    m_now = static_cast<uint64_t>(untilPs);
    m_currentUid = 0;
    m_context = Simulator::NO_CONTEXT;
    return true;
}

int64_t
MrcSimulatorImpl::NextPs() const
{
    if (IsEmpty())
    {
        return std::numeric_limits<int64_t>::max();
    }
    return static_cast<int64_t>(m_lanes != nullptr ? m_lanes->NextTs()
                                                   : m_scheduler->PeekNext().key.m_ts);
}

void
MrcSimulatorImpl::AdoptForeign()
{
    std::vector<ForeignEvent> foreign;
    {
        const std::lock_guard<std::mutex> lock(m_foreignMutex);
        foreign.swap(m_foreign);
        m_hasForeign = false;
    }
    for (const ForeignEvent& event : foreign)
    {
        Insert({event.impl, {m_now + event.delay, m_uid++, event.context}});
    }
}

bool
MrcSimulatorImpl::IsFinished() const
{
    return m_isStopped || IsEmpty();
}

void
MrcSimulatorImpl::Stop()
{
    NS_LOG_FUNCTION(this);
    m_isStopped = true;
}

void
MrcSimulatorImpl::Stop(const Time& delay)
{
    NS_LOG_FUNCTION(this << delay.GetTimeStep());
    Simulator::Schedule(delay, &Simulator::Stop);
}

EventId
MrcSimulatorImpl::Schedule(const Time& delay, EventImpl* event)
{
    NS_ASSERT_MSG(delay.IsPositive(), "an event cannot lie in the past");
    NS_ASSERT_MSG(m_thread == std::this_thread::get_id(),
                  "other threads use ScheduleWithContext()");
    const uint64_t when = m_now + static_cast<uint64_t>(delay.GetTimeStep());
    const uint32_t uid = m_uid++;
    Insert({event, {when, uid, m_context}});
    return EventId(event, when, m_context, uid);
}

void
MrcSimulatorImpl::ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event)
{
    const auto steps = static_cast<uint64_t>(delay.GetTimeStep());
    if (m_thread == std::this_thread::get_id())
    {
        Insert({event, {m_now + steps, m_uid++, context}});
        return;
    }
    const std::lock_guard<std::mutex> lock(m_foreignMutex);
    m_foreign.push_back({event, steps, context});
    m_hasForeign = true;
}

EventId
MrcSimulatorImpl::ScheduleNow(EventImpl* event)
{
    return Schedule(Time(0), event);
}

EventId
MrcSimulatorImpl::ScheduleDestroy(EventImpl* event)
{
    m_destroyEvents.emplace_back(
        Ptr<EventImpl>(event, false), m_now, Simulator::NO_CONTEXT, EventId::UID::DESTROY);
    return m_destroyEvents.back();
}

bool
MrcSimulatorImpl::RemoveDestroy(const EventId& id)
{
    const auto found = std::find(m_destroyEvents.begin(), m_destroyEvents.end(), id);
    if (found == m_destroyEvents.end())
    {
        return false;
    }
    m_destroyEvents.erase(found);
    return true;
}

void
MrcSimulatorImpl::Remove(const EventId& id)
{
    if (id.GetUid() == EventId::UID::DESTROY)
    {
        RemoveDestroy(id);
        return;
    }
    if (IsExpired(id))
    {
        return;
    }
    m_scheduler->Remove({id.PeekEventImpl(), {id.GetTs(), id.GetUid(), id.GetContext()}});
    id.PeekEventImpl()->Cancel();
    id.PeekEventImpl()->Unref(); // the event list's reference
}

void
MrcSimulatorImpl::Cancel(const EventId& id)
{
    if (!IsExpired(id))
    {
        id.PeekEventImpl()->Cancel();
    }
}

bool
MrcSimulatorImpl::IsExpired(const EventId& id) const
{
    EventImpl* event = id.PeekEventImpl();
    if (event == nullptr || event->IsCancelled())
    {
        return true;
    }
    if (id.GetUid() == EventId::UID::DESTROY)
    {
        return std::find(m_destroyEvents.begin(), m_destroyEvents.end(), id) ==
               m_destroyEvents.end();
    }
    return id.GetTs() < m_now || (id.GetTs() == m_now && id.GetUid() <= m_currentUid);
}

Time
MrcSimulatorImpl::Now() const
{
    return Time(NowPs());
}

Time
MrcSimulatorImpl::GetDelayLeft(const EventId& id) const
{
    return IsExpired(id) ? Time(0) : Time(static_cast<int64_t>(id.GetTs() - m_now));
}

Time
MrcSimulatorImpl::GetMaximumSimulationTime() const
{
    return Time(std::numeric_limits<int64_t>::max());
}

uint32_t
MrcSimulatorImpl::GetSystemId() const
{
    return 0;
}

uint32_t
MrcSimulatorImpl::GetContext() const
{
    return m_context;
}

uint64_t
MrcSimulatorImpl::GetEventCount() const
{
    return m_count;
}

} // namespace ns3
