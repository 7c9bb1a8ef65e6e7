// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIMPLE_SELECTORS_H
#define MRC_SIMPLE_SELECTORS_H

#include "mrc-path-selector.h"
#include "mrc-random.h"

#include <vector>

namespace mrc
{

/// What selectors without EV states have in common: the list of EVs. Feedback is ignored.
class FixedEvSelector : public PathSelector
{
  public:
    uint32_t Value(EvIndex index) const override;
    uint8_t Plane(EvIndex index) const override;
    EvIndex Find(uint32_t value) const override;
    uint16_t Size() const override;
    void Deny(EvIndex index, int64_t nowPs) override;
    void Allow(EvIndex index, int64_t nowPs) override;
    bool IsDenied(EvIndex index) const override;

  protected:
    /// @param evsPerPlane for each plane its EV values, all different, 0xfffe at most in total
    explicit FixedEvSelector(const std::vector<std::vector<uint32_t>>& evsPerPlane);

    /**
     * @param plane a plane
     * @param slot below Count()
     * @return the EV in that place among those that are not denied
     */
    EvIndex At(uint8_t plane, uint32_t slot) const;

    /**
     * @param plane a plane
     * @param index an EV, or NO_EV
     * @return its slot, or the one before which it would be if it were of the plane and not denied
     */
    uint16_t SlotOf(uint8_t plane, EvIndex index) const;

    /**
     * @param plane a plane
     * @return how many EVs it has that are not denied; 0 for a plane that does not exist
     */
    uint16_t Count(uint8_t plane) const;

  private:
    std::vector<uint32_t> m_values; ///< by index
    std::vector<EvIndex> m_sorted;  ///< indices in the order of their values
    std::vector<EvIndex> m_begin;   ///< per plane its first EV, and one more for the end
    std::vector<EvIndex> m_inSlot;  ///< per plane first the EVs that are not denied, in order
    std::vector<uint16_t> m_count;  ///< per plane how many are not denied
};

/// Oblivious spraying: each packet takes any EV of the plane, whatever happened before.
class RandomSelector final : public FixedEvSelector
{
  public:
    /**
     * @param evsPerPlane see FixedEvSelector
     * @param seed of the choices
     */
    RandomSelector(const std::vector<std::vector<uint32_t>>& evsPerPlane, uint64_t seed);

    EvIndex Next(uint8_t plane, EvIndex avoid) override;

  private:
    Random m_random; ///< the choices
};

/// The EVs of a plane one after the other, in the order in which they were given.
class RoundRobinSelector final : public FixedEvSelector
{
  public:
    /// @param evsPerPlane see FixedEvSelector
    explicit RoundRobinSelector(const std::vector<std::vector<uint32_t>>& evsPerPlane);

    EvIndex Next(uint8_t plane, EvIndex avoid) override;

  private:
    std::vector<uint16_t> m_turn; ///< per plane how many EVs had their turn in this round
};

/**
 * One EV on one plane for all packets, as a flow that is hashed to a path. It is kept even if
 * everything on it is lost; other planes are offered nothing. When it is denied, the next EV that
 * is not takes its place.
 */
class SinglePathSelector final : public FixedEvSelector
{
  public:
    /**
     * @param evsPerPlane see FixedEvSelector; each EV is equally likely
     * @param seed of the choice
     */
    SinglePathSelector(const std::vector<std::vector<uint32_t>>& evsPerPlane, uint64_t seed);

    EvIndex Next(uint8_t plane, EvIndex avoid) override;
    void Deny(EvIndex index, int64_t nowPs) override;
    void Allow(EvIndex index, int64_t nowPs) override;

  private:
    /// Take the first EV that is not denied, from the present one on.
    void Choose();

    EvIndex m_path;  ///< the choice; NO_EV if there is none
    uint8_t m_plane; ///< where it is
};

} // namespace mrc

#endif // MRC_SIMPLE_SELECTORS_H
