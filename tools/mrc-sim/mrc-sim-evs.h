// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIM_EVS_H
#define MRC_SIM_EVS_H

#include "mrc-clos-network.h"
#include "mrc-ev-controller-helper.h"
#include "mrc-fabric-prober.h"
#include "mrc-sim-options.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mrc::sim
{

/**
 * What controllers do in a run: EV profiles of QPs (--ev-profile), orders at given times (--deny),
 * the fabric prober (--prober). Outlives the run.
 */
class Controllers
{
  public:
    /**
     * Read the options, and give profiles to the QPs that exist.
     *
     * @param options of the run
     * @param network with all its QPs
     * @throws BadInput if they make no sense in this network
     */
    Controllers(const Options& options, ns3::Ptr<ns3::MrcClosNetwork> network);
    ~Controllers();
    Controllers(const Controllers&) = delete;
    Controllers& operator=(const Controllers&) = delete;

    /// Schedule the orders and start the prober. Call it once, before the run.
    void Start();

    /// Something that a controller did.
    struct Event
    {
        int64_t timePs;   ///< when
        std::string text; ///< in words
    };

    /// @return what happened so far, in time order
    const std::vector<Event>& Log() const
    {
        return m_log;
    }

  private:
    /// An order with its times.
    struct Timed
    {
        std::string text;           ///< as written
        std::vector<uint32_t> nics; ///< whose controllers carry it out
        mrc::EvOrder order;         ///< what
        int64_t startPs;            ///< when
        int64_t durationPs;         ///< for how long; 0 = for ever
    };

    /// Give a profile to QPs. @param spec as written
    void UseProfile(const std::string& spec);
    /// @param spec as written @return the order
    Timed ParseOrder(const std::string& spec) const;
    /// Carry an order out now. @param index which @param isDenied forbid or allow again
    void Carry(size_t index, bool isDenied);
    /// Log a verdict of the prober.
    void OnVerdict(const ns3::MrcProberVerdict& verdict);

    ns3::Ptr<ns3::MrcClosNetwork> m_network;  //!< of the run
    ns3::MrcEvControllerHelper m_controllers; //!< one per NIC, if wanted
    std::vector<Timed> m_orders;              //!< of --deny
    ns3::Ptr<ns3::MrcFabricProber> m_prober;  //!< null without --prober
    std::vector<Event> m_log;                 //!< what happened
};

/// @return the grammar of --ev-profile and --deny with examples, several lines
std::string EvHelp();

} // namespace mrc::sim

#endif // MRC_SIM_EVS_H
