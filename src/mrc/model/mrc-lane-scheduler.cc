// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-lane-scheduler.h"

#include "ns3/assert.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MrcLaneScheduler");
NS_OBJECT_ENSURE_REGISTERED(MrcLaneScheduler);

TypeId
MrcLaneScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MrcLaneScheduler")
            .SetParent<Scheduler>()
            .SetGroupName("Mrc")
            .AddConstructor<MrcLaneScheduler>()
            .AddAttribute("MaxLanes",
                          "The most delays that get a lane of their own; 0 makes this a heap. "
                          "Removals cost least with 2^n - 1 lanes.",
                          UintegerValue(15),
                          MakeUintegerAccessor(&MrcLaneScheduler::SetMaxLanes,
                                               &MrcLaneScheduler::GetMaxLanes),
                          MakeUintegerChecker<uint32_t>(0, LANES_LIMIT))
            .AddAttribute("PromotionThreshold",
                          "How many events of one delay are inserted before it gets a lane.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&MrcLaneScheduler::SetPromotionThreshold,
                                               &MrcLaneScheduler::GetPromotionThreshold),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

MrcLaneScheduler::MrcLaneScheduler()
{
    NS_LOG_FUNCTION(this);
}

MrcLaneScheduler::~MrcLaneScheduler()
{
    NS_LOG_FUNCTION(this);
}

// Insert, PeekNext and RemoveNext do not log: a call for each event would cost more than they do.

void
MrcLaneScheduler::Insert(const Event& ev)
{
    NS_ASSERT_MSG(ev.impl, "an event without an implementation cannot be scheduled");
    m_lanes.Insert(ev);
}

bool
MrcLaneScheduler::IsEmpty() const
{
    return m_lanes.IsEmpty();
}

Scheduler::Event
MrcLaneScheduler::PeekNext() const
{
    NS_ASSERT_MSG(!m_lanes.IsEmpty(), "no event is pending");
    return m_lanes.PeekNext();
}

Scheduler::Event
MrcLaneScheduler::RemoveNext()
{
    NS_ASSERT_MSG(!m_lanes.IsEmpty(), "no event is pending");
    return m_lanes.RemoveNext();
}

void
MrcLaneScheduler::Remove(const Event& ev)
{
    NS_LOG_FUNCTION(this << ev.key.m_ts << ev.key.m_uid);
    const bool isFound = m_lanes.Remove(ev.key);
    NS_ASSERT_MSG(isFound, "event " << ev.key.m_uid << " is not pending");
    static_cast<void>(isFound);
}

void
MrcLaneScheduler::SetMaxLanes(uint32_t count)
{
    m_lanes.SetMaxLanes(count);
}

uint32_t
MrcLaneScheduler::GetMaxLanes() const
{
    return m_lanes.MaxLanes();
}

void
MrcLaneScheduler::SetPromotionThreshold(uint32_t count)
{
    m_lanes.SetPromotionThreshold(count);
}

uint32_t
MrcLaneScheduler::GetPromotionThreshold() const
{
    return m_lanes.PromotionThreshold();
}

} // namespace ns3
