// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_FAULT_SCHEDULE_H
#define MRC_FAULT_SCHEDULE_H

#include "mrc-clos-network.h"
#include "mrc-fault-spec.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mrc
 * Faults that happen to a network at given times, and a log of them.
 *
 * Faults may overlap. A link is down as long as any of them holds it down; of several losses or
 * rates of one link, or black holes of one switch, the one that was added last counts.
 */
class MrcFaultSchedule
{
  public:
    /// A change that took place.
    struct Event
    {
        int64_t timePs;   ///< when
        size_t fault;     ///< index of the fault
        bool isOnset;     ///< it began, or ended
        std::string text; ///< in words
    };

    /// @param network what breaks
    explicit MrcFaultSchedule(Ptr<MrcClosNetwork> network);

    /**
     * Plan a fault.
     *
     * @param spec see mrc::FaultHelp()
     * @throws mrc::FaultError if it makes no sense in this network
     */
    void Add(const std::string& spec);

    /// Hand all faults to the simulator. Call once, before Simulator::Run(); the schedule must
    /// outlive the run.
    void Install();

    /// @return the faults, in the order of Add()
    const std::vector<mrc::FaultSpec>& Faults() const
    {
        return m_faults;
    }

    /// @return what happened so far
    const std::vector<Event>& Log() const
    {
        return m_log;
    }

  private:
    /// Begin or end a fault, now. @param fault its index @param isOnset which
    void Apply(size_t fault, bool isOnset);
    /// Schedule a change. @param fault its index @param isOnset begin or end @param timePs when
    void Schedule(size_t fault, bool isOnset, int64_t timePs);

    /// Bring a link into the state that the faults of now leave it in. @param link which
    void RefreshLink(const mrc::ClosLink& link);
    /// @param like a fault @return the present one of its kind and target that counts, or null
    const mrc::FaultSpec* Present(const mrc::FaultSpec& like) const;

    Ptr<MrcClosNetwork> m_network;        //!< what breaks
    std::vector<mrc::FaultSpec> m_faults; //!< as added
    std::vector<bool> m_isPresent;        //!< for each, whether it began and did not end
    std::vector<Event> m_log;             //!< as happened
};

} // namespace ns3

#endif // MRC_FAULT_SCHEDULE_H
