// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EV_PROFILE_STORE_H
#define MRC_EV_PROFILE_STORE_H

#include "mrc-ev-profile.h"
#include "mrc-ev-set.h"
#include "mrc-path-template.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mrc
{

//= MRC-REF 5 INIT, OFFLINE, ONLINE
/// State of an EV format profile or an EV profile.
enum class ProfileState : uint8_t
{
    INIT,    ///< may be changed
    OFFLINE, ///< checked, cannot be changed any more
    ONLINE   ///< in service
};

/// @param state any @return its name
const char* ProfileStateName(ProfileState state);

/**
 * The EV format profiles and EV profiles of a NIC.
 *
 * A profile goes INIT, OFFLINE, ONLINE and back the same way, a step at a time. OFFLINE checks what
 * the profile says; ONLINE expands its EVs and needs the format to be ONLINE. A profile that QPs
 * use, and a format that profiles refer to that are ONLINE, stay ONLINE.
 *
 * Every verb answers with an empty string, or one line that says why nothing was done.
 */
class EvProfileStore
{
  public:
    /// The profile of QPs that were given none: mode AUTO, always ONLINE.
    static constexpr uint32_t AUTO_PROFILE = 0;

    /**
     * @param plan the fabric, outlives the store
     * @param isSrv6 whether the NIC encapsulates
     * @param nic the NIC
     */
    EvProfileStore(const PathPlan& plan, bool isSrv6, uint32_t nic);

    /// Add a format profile in INIT. @param format its fields @return its number, from 0
    uint32_t AddFormat(EvFormatProfile format);

    /// Change a format profile in INIT. @param id which @param format its fields
    std::string SetFormat(uint32_t id, EvFormatProfile format);

    /// Change the state of a format profile. @param id which @param to the next or last state
    std::string ChangeFormat(uint32_t id, ProfileState to);

    /// @param id of a format profile @return its state; INIT if there is none
    ProfileState FormatState(uint32_t id) const;

    /**
     * Add an EV profile in INIT.
     *
     * @param format number of its format profile; means nothing in mode AUTO
     * @param config the rest; its `format` is filled in from the format profile
     * @return its number, from 1
     */
    uint32_t Add(uint32_t format, EvProfileConfig config);

    /// Change an EV profile in INIT. @param id which @param config see Add()
    std::string Set(uint32_t id, EvProfileConfig config);

    /// Change the state of an EV profile. @param id which @param to the next or last state
    std::string Change(uint32_t id, ProfileState to);

    /// @param id of an EV profile @return its state; INIT if there is none
    ProfileState State(uint32_t id) const;

    /// @param id of an EV profile that exists @return what it says
    const EvProfileConfig& Config(uint32_t id) const
    {
        return m_profiles[id].config;
    }

    /// Change the event mask of the profile AUTO_PROFILE. @param mask bits of EvEventBit()
    void SetAutoEventMask(uint32_t mask)
    {
        m_profiles[AUTO_PROFILE].config.evEventMask = mask;
    }

    /// @param id of an EV profile that exists @return its EVs; null unless it is ONLINE and has
    ///         a list. Valid as long as the store, since frames point into it
    const EvSet* Evs(uint32_t id) const
    {
        return m_profiles[id].evs.get();
    }

    /// @param id any number @return whether there is such an EV profile
    bool Has(uint32_t id) const
    {
        return id < m_profiles.size();
    }

    /// @return number of EV profiles, AUTO_PROFILE included
    uint32_t Count() const
    {
        return static_cast<uint32_t>(m_profiles.size());
    }

    /**
     * Give a profile to one more QP.
     *
     * @param id which
     * @param peer NIC of the other end
     */
    std::string Use(uint32_t id, uint32_t peer);

    /// A QP gave its profile up. @param id which
    void Leave(uint32_t id);

  private:
    /// A format profile.
    struct Format
    {
        EvFormatProfile format; ///< its fields
        ProfileState state;     ///< its state
    };

    /// An EV profile.
    struct Profile
    {
        EvProfileConfig config;     ///< what it says
        std::shared_ptr<EvSet> evs; ///< while ONLINE, unless AUTO
        uint32_t format;            ///< its format profile
        uint32_t users;             ///< QPs
        ProfileState state;         ///< its state
    };

    /// Check and expand a profile that goes ONLINE. @param profile it @return why it cannot
    std::string Expand(Profile& profile);

    const PathPlan& m_plan;                        ///< the fabric
    std::vector<Format> m_formats;                 ///< by number
    std::vector<Profile> m_profiles;               ///< by number
    std::vector<std::shared_ptr<EvSet>> m_retired; ///< sets that frames may still point into
    uint32_t m_nic;                                ///< whose
    bool m_isSrv6;                                 ///< it encapsulates
};

} // namespace mrc

#endif // MRC_EV_PROFILE_STORE_H
