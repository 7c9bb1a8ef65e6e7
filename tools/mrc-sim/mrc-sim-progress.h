// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIM_PROGRESS_H
#define MRC_SIM_PROGRESS_H

#include "mrc-clos-network.h"
#include "mrc-traffic.h"

#include <chrono>
#include <cstdint>

namespace mrc::sim
{

/**
 * Tells on stderr how far a run is: on a terminal from the start, rewriting one line; otherwise
 * only runs that take longer than 2 s, a line now and then.
 */
class Progress
{
  public:
    /**
     * @param network that runs, outlives this
     * @param traffic that runs, outlives this
     * @param isQuiet say nothing
     */
    Progress(const ns3::MrcClosNetwork& network, const ns3::MrcTraffic& traffic, bool isQuiet);

    /// Look at the clock and say something if it is time to.
    void Update();

    /// Clean up behind the last line.
    void Finish();

  private:
    using Clock = std::chrono::steady_clock;

    const ns3::MrcClosNetwork& m_network; //!< counts hops
    const ns3::MrcTraffic& m_traffic;     //!< counts messages
    uint64_t m_packets;                   //!< that all messages need
    bool m_isQuiet;                       //!< say nothing
    bool m_isTerminal;                    //!< stderr can rewrite its line
    bool m_hasLine{false};                //!< the terminal's line is not empty
    Clock::time_point m_start;            //!< of the run
    Clock::time_point m_next;             //!< when to say something
};

} // namespace mrc::sim

#endif // MRC_SIM_PROGRESS_H
