// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIM_WATCH_H
#define MRC_SIM_WATCH_H

#include "mrc-sim-progress.h"
#include "mrc-sim-results.h"
#include "mrc-sim-scenario.h"

namespace mrc::sim
{

/**
 * Looks at a run at fixed simulated times, and ends it when it is done, stalled, out of time or
 * unwanted. Its events are the same in every run of the same options, whatever it shows.
 */
class Watch
{
  public:
    /**
     * @param scenario that runs, outlives this
     * @param options of the run, outlive this
     * @param progress shown, outlives this
     */
    Watch(const Scenario& scenario, const Options& options, Progress& progress);

    /// Begin to look.
    void Start();

    /// @return why the run ended
    Ending Why() const
    {
        return m_ending;
    }

  private:
    /// Look, and come back.
    void Look();
    /// @return when the last repair of a fault that has begun is due
    int64_t LastRepairPs(int64_t nowPs) const;
    /// @return whether nothing has moved for too long
    bool IsStalled(int64_t nowPs);
    /// End the run. @param why reason
    void End(Ending why);

    const Scenario& m_scenario;    //!< runs
    const Options& m_options;      //!< limits
    Progress& m_progress;          //!< shown
    Ending m_ending{Ending::DONE}; //!< why the run ended
    uint64_t m_moved{0};           //!< messages and packets that arrived at m_movedPs
    int64_t m_movedPs{0};          //!< when something had moved
    int64_t m_checkPs{0};          //!< when to look for a stall next
};

} // namespace mrc::sim

#endif // MRC_SIM_WATCH_H
