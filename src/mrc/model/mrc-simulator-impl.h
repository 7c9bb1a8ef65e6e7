// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIMULATOR_IMPL_H
#define MRC_SIMULATOR_IMPL_H

#include "mrc-event-lanes.h"

#include <ns3/event-id.h>
#include <ns3/simulator-impl.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace ns3
{

class MrcLaneScheduler;

/**
 * @ingroup mrc
 * A simulator for fabrics: ns-3's own in what it does, with a short way for fabric events.
 *
 * In ns-3 an event passes the simulator's facade, a virtual simulator, an EventId and a virtual
 * scheduler, which together cost more than a packet-hop itself. Here MrcFabricEvents go straight
 * into the lanes of MrcLaneScheduler and are run straight from there. All other events are treated
 * as everywhere: the same order by (time, uid), contexts, Cancel, Remove, ScheduleDestroy, and
 * ScheduleWithContext from other threads. A run gives the same results with any simulator and any
 * scheduler; with another scheduler than MrcLaneScheduler it is only slower.
 *
 * Select it before anything touches the simulator (MrcMultiPlaneClosHelper::UseFastSimulator()):
 * @code
 *   GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::MrcSimulatorImpl"));
 *   GlobalValue::Bind("SchedulerType", StringValue("ns3::MrcLaneScheduler"));
 * @endcode
 */
class MrcSimulatorImpl final : public SimulatorImpl
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @return the simulator in use, null unless it is of this class
    static MrcSimulatorImpl* Current()
    {
        return g_current;
    }

    MrcSimulatorImpl();
    ~MrcSimulatorImpl() override;

    /// @return the time, in units of the time resolution
    int64_t NowPs() const
    {
        return static_cast<int64_t>(m_now);
    }

    /**
     * Schedule a fabric event. See MrcSchedule().
     *
     * @param event the event; a reference is held until it has run
     * @param whenPs absolute time, not before NowPs()
     */
    void ScheduleFabric(MrcFabricEvent* event, int64_t whenPs)
    {
        event->Ref();
        Insert({event, {static_cast<uint64_t>(whenPs), m_uid++, MrcFabricEvent::CONTEXT}});
    }

    /**
     * Run all events up to a time, and let the time be that: for loops that follow a clock.
     *
     * @param untilPs absolute time, not before NowPs()
     * @return false if Stop() was called
     */
    bool RunUntil(int64_t untilPs);

    /// @return absolute time of the next event, INT64_MAX if there is none
    int64_t NextPs() const;

    void Destroy() override;
    bool IsFinished() const override;
    void Stop() override;
    void Stop(const Time& delay) override;
    EventId Schedule(const Time& delay, EventImpl* event) override;
    void ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event) override;
    EventId ScheduleNow(EventImpl* event) override;
    EventId ScheduleDestroy(EventImpl* event) override;
    void Remove(const EventId& id) override;
    void Cancel(const EventId& id) override;
    bool IsExpired(const EventId& id) const override;
    void Run() override;
    Time Now() const override;
    Time GetDelayLeft(const EventId& id) const override;
    Time GetMaximumSimulationTime() const override;
    void SetScheduler(ObjectFactory schedulerFactory) override;
    uint32_t GetSystemId() const override;
    uint32_t GetContext() const override;
    uint64_t GetEventCount() const override;

  private:
    /// An event that another thread scheduled.
    struct ForeignEvent
    {
        EventImpl* impl;  //!< the event
        uint64_t delay;   //!< from when the simulator sees it
        uint32_t context; //!< where it runs
    };

    void DoDispose() override;

    /// @param ev a new event
    void Insert(const Scheduler::Event& ev)
    {
        if (m_lanes != nullptr)
        {
            m_lanes->Insert(ev);
        }
        else
        {
            m_scheduler->Insert(ev);
        }
    }

    /// @return whether no event is pending
    bool IsEmpty() const
    {
        return m_lanes != nullptr ? m_lanes->IsEmpty() : m_scheduler->IsEmpty();
    }

    /// Run the next event (there is one).
    void Step();
    /// Take in what other threads scheduled.
    void AdoptForeign();
    /// Forget the uid of an event scheduled for Destroy(). @return whether it was there
    bool RemoveDestroy(const EventId& id);

    static inline MrcSimulatorImpl* g_current{nullptr}; //!< see Current()

    Ptr<Scheduler> m_scheduler;            //!< the event list
    MrcEventLanes* m_lanes{nullptr};       //!< that of a MrcLaneScheduler
    uint64_t m_now{0};                     //!< time of the event that runs
    uint64_t m_count{0};                   //!< events run
    uint32_t m_uid;                        //!< of the next event
    uint32_t m_currentUid{0};              //!< of the event that runs
    uint32_t m_context;                    //!< of the event that runs
    bool m_isStopped{false};               //!< Stop() was called
    std::atomic<bool> m_hasForeign{false}; //!< m_foreign is not empty
    std::vector<EventId> m_destroyEvents;  //!< run by Destroy()
    std::vector<ForeignEvent> m_foreign;   //!< from other threads
    std::mutex m_foreignMutex;             //!< guards m_foreign
    std::thread::id m_thread;              //!< of the simulation
};

} // namespace ns3

#endif // MRC_SIMULATOR_IMPL_H
