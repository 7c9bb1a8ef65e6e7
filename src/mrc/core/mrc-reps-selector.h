// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_REPS_SELECTOR_H
#define MRC_REPS_SELECTOR_H

#include "mrc-random.h"
#include "mrc-simple-selectors.h"

#include <vector>

namespace mrc
{

/// Settings of a RepsSelector; QPs share one object.
struct RepsConfig
{
    /// EVs of a plane that are remembered, 1 to 64.
    uint8_t cachePerPlane = 8;

    /// How long after a suspected failure only remembered EVs are used, ps (O).
    int64_t freezePs = 1'000'000'000;
};

/**
 * Recycled entropies (REPS): an EV whose packet came through unmarked is used again, any other
 * packet explores a random EV of its plane. No state is kept about bad EVs; they are those that are
 * not recycled.
 *
 * Each plane has a ring of the EVs of the last packets that arrived unmarked. A SACK speaks for
 * several packets; the EV of each is recycled. After a loss that was no trim, a failure is
 * suspected and the selector freezes for a while: it forgets the EV that lost, explores no more,
 * and goes round the remembered EVs even if they were used up, since those are known to work.
 */
class RepsSelector final : public FixedEvSelector
{
  public:
    /**
     * @param config settings; must outlive the selector
     * @param evsPerPlane see FixedEvSelector
     * @param seed of the exploration
     */
    RepsSelector(const RepsConfig& config,
                 const std::vector<std::vector<uint32_t>>& evsPerPlane,
                 uint64_t seed);
    RepsSelector(RepsConfig&&, const std::vector<std::vector<uint32_t>>&, uint64_t) = delete;

    EvIndex Next(uint8_t plane, EvIndex avoid) override;
    void OnUnmarked(EvIndex index, uint32_t packets, int64_t nowPs) override;
    void OnLost(EvIndex index, int64_t nowPs) override;
    void Deny(EvIndex index, int64_t nowPs) override;

    /// @return whether a failure is suspected, as of the last feedback
    bool IsFrozen() const
    {
        return m_nowPs < m_frozenUntilPs;
    }

  private:
    /// A remembered EV.
    struct Recycled
    {
        EvIndex index; ///< which; NO_EV: none
        uint16_t uses; ///< how often it may still be used
    };

    /// The ring of a plane.
    struct Ring
    {
        uint8_t write; ///< entry that is replaced next
        uint8_t read;  ///< entry that is looked at first
    };

    /**
     * Go round a plane's ring.
     *
     * @param plane which
     * @param avoid EV that is passed over
     * @param isUsedUpFine whether entries without uses count
     * @return the first entry that may be used, or null
     */
    Recycled* Take(uint8_t plane, EvIndex avoid, bool isUsedUpFine);

    /// @param index an EV that is not to be recycled
    void Forget(EvIndex index);

    const RepsConfig& m_config;       ///< shared by QPs
    std::vector<Recycled> m_recycled; ///< the rings, one after the other
    std::vector<Ring> m_rings;        ///< by plane
    Random m_random;                  ///< exploration
    int64_t m_nowPs;                  ///< time of the last feedback, ps
    int64_t m_frozenUntilPs;          ///< end of the freeze, ps
};

} // namespace mrc

#endif // MRC_REPS_SELECTOR_H
