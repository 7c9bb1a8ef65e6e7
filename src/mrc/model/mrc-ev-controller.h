// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EV_CONTROLLER_H
#define MRC_EV_CONTROLLER_H

#include "mrc-ev-denials.h"
#include "mrc-ev-policy.h"
#include "mrc-ev-profile-store.h"
#include "mrc-nic.h"

#include <ns3/object.h>
#include <ns3/traced-callback.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

//= MRC-REF 5 EV events (profile, EV, new state)
/// An EV of a profile entered a state that the profile's ev_event_mask asks for.
struct MrcEvEvent
{
    int64_t timePs;     ///< when
    uint32_t nic;       ///< index of the NIC
    uint32_t qp;        ///< EV states are per QP: whose
    uint32_t profile;   ///< number of the profile
    uint32_t ev;        ///< the EV's 32 bits on the wire
    mrc::EvState state; ///< the new state
};

/**
 * @ingroup mrc
 * The controller of a node: owns the EV profiles of its NIC, gives them to QPs, and denies and
 * allows EVs while QPs run.
 *
 * A QP without a profile has EvProfileStore::AUTO_PROFILE, whose EVs the NIC draws. A denied EV is
 * used by no QP of its profile, whether it exists or is made later; a backup of the same plane
 * takes its place. So to replace an EV, deny it and allow another one of the profile in one batch.
 *
 * @code
 * auto controller = MrcEvControllerHelper(network).Get(0);
 * controller->Apply(mrc::EvOrder::Plane(2, true));
 * @endcode
 */
class MrcEvController : public Object, public MrcEvPolicy
{
  public:
    /// @param event what happened
    typedef void (*EventTracedCallback)(const MrcEvEvent& event);

    /// @return the TypeId
    static TypeId GetTypeId();

    MrcEvController();
    ~MrcEvController() override;

    /**
     * Take charge of a NIC. Once, before its QPs send.
     *
     * @param nic configured; outlives the controller, or is aggregated to it
     */
    void Attach(MrcNic& nic);

    /// @return the profiles, to be made and changed
    mrc::EvProfileStore& Profiles()
    {
        return *m_profiles;
    }

    /**
     * Make a profile and bring it ONLINE, its format included.
     *
     * @param config what it says
     * @param[out] id its number, if it is ONLINE
     * @return empty, or why it cannot be
     */
    std::string AddOnline(const mrc::EvProfileConfig& config, uint32_t& id);

    /**
     * Give a profile to a QP that has not sent yet.
     *
     * @param qp QPN
     * @param profile number of a profile that is ONLINE
     * @return empty, or why not
     */
    std::string Assign(uint32_t qp, uint32_t profile);

    /// @param qp QPN @return number of its profile
    uint32_t ProfileOf(uint32_t qp) const;

    /// Carry out an order, now. @param order what @return empty, or why nothing was done
    std::string Apply(const mrc::EvOrder& order);

    /**
     * Carry out orders at one instant. QPs see only the outcome of all of them.
     *
     * @param orders one after the other
     * @return for each, empty or why it was not carried out; the others are
     */
    std::vector<std::string> Apply(const std::vector<mrc::EvOrder>& orders);

    /// @return what is denied
    const mrc::EvDenials& Denials() const
    {
        return m_denials;
    }

    std::unique_ptr<mrc::PathSelector> CreateSelector(MrcQp& qp,
                                                      uint64_t seed,
                                                      mrc::EvCounters* counters) override;
    void OnTransition(const MrcQp& qp, uint32_t ev, const mrc::EvTransition& transition) override;

  protected:
    void DoDispose() override;

  private:
    /// What a QP was given.
    struct Assignment
    {
        uint32_t profile;                                ///< its number
        std::unique_ptr<mrc::EvTableConfig> tableConfig; ///< of its EV table, once that exists
    };

    /// @param order an order @param denials after it @return why it must not be carried out
    std::string Check(const mrc::EvOrder& order, const mrc::EvDenials& denials) const;
    /// @param order about an EV @param denials after it @return why it must not be carried out
    std::string CheckEv(const mrc::EvOrder& order, const mrc::EvDenials& denials) const;
    /// @param profile with a list @param denials present ones @return EVs that are left
    uint32_t CountAllowed(uint32_t profile, const mrc::EvDenials& denials) const;
    /// Make the states of a QP's EVs what is denied now. @param qp it @param paths its selector
    void Sync(const MrcQp& qp, mrc::PathSelector& paths, int64_t nowPs) const;
    /// @param config of a profile @param evs of each plane; empty in mode AUTO
    /// @return settings of the EV table of a QP
    mrc::EvTableConfig TableConfig(const mrc::EvProfileConfig& config,
                                   const std::vector<std::vector<uint32_t>>& evs) const;

    MrcNic* m_nic{nullptr};                              //!< in charge of
    std::unique_ptr<mrc::EvProfileStore> m_profiles;     //!< of the NIC
    mrc::EvDenials m_denials;                            //!< present ones
    std::unordered_map<uint32_t, Assignment> m_assigned; //!< by QPN
    uint32_t m_eventMask{0};                             //!< attribute EventMask
    TracedCallback<const MrcEvEvent&> m_eventTrace;      //!< trace source Event
};

} // namespace ns3

#endif // MRC_EV_CONTROLLER_H
