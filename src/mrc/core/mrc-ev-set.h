// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EV_SET_H
#define MRC_EV_SET_H

#include "mrc-ev-profile.h"
#include "mrc-explicit-paths.h"
#include "mrc-path-template.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mrc
{

/**
 * What the EVs of a profile are in a fabric, as seen from one NIC.
 *
 * An EV travels in 32 bits (UDP source port, flow label), whatever its format:
 *
 *  - STEV: the expanded EV itself. With source routing it has to name a plane and uplinks that
 *    exist (EvLayout);
 *  - UDP: the source port, flow label 0. Switches hash it, so it belongs to no plane by nature:
 *    EV number n is given to plane n modulo the number of planes (O);
 *  - SRV6: the expanded EV is a path. On the wire it is the EV of the plane and first uplinks of
 *    that path, and a number that tells apart those that share them (O). So an answer that goes
 *    back on the EV of its trigger finds a way.
 */
class EvSet
{
  public:
    /// EV::destination of an EV that leads wherever the template of a QP leads.
    static constexpr uint32_t ANY_NIC = UINT32_MAX;

    /// An EV of the profile.
    struct Ev
    {
        uint32_t value;       ///< 32 bits on the wire
        uint32_t destination; ///< NIC at the end of its path, or ANY_NIC
        uint8_t plane;        ///< whose port sends it
    };

    /**
     * Expand a profile.
     *
     * @param config a valid profile (EvProfileConfig::Validate), not of mode AUTO
     * @param plan the fabric
     * @param isSrv6 whether the NIC encapsulates
     * @param source the NIC
     * @return empty, or why the profile makes no sense there; then the set is not to be used
     */
    std::string Build(const EvProfileConfig& config,
                      const PathPlan& plan,
                      bool isSrv6,
                      uint32_t source);

    /// @return the EVs, by their number in the profile
    const std::vector<Ev>& Evs() const
    {
        return m_evs;
    }

    /**
     * Choose the EVs that a QP may use.
     *
     * @param peer NIC of its other end
     * @return those that lead there, for each plane, in the order of the profile
     */
    std::vector<std::vector<uint32_t>> EvsPerPlane(uint32_t peer) const;

    /// @return the paths of SRV6 EVs; null for other formats
    const ExplicitPaths* Paths() const
    {
        return m_paths.get();
    }

  private:
    /// Add an SRV6 EV. @param expanded its bits @param plan the fabric @param source the NIC
    /// @return empty, or why it leads nowhere
    std::string AddPath(const EvBits& expanded, const PathPlan& plan, uint32_t source);

    std::vector<Ev> m_evs;                  ///< by number
    std::unique_ptr<ExplicitPaths> m_paths; ///< of SRV6 EVs
    std::vector<uint16_t> m_shared;         ///< per plane and uplinks, SRV6 EVs so far
    uint32_t m_planes{0};                   ///< of the fabric
};

} // namespace mrc

#endif // MRC_EV_SET_H
