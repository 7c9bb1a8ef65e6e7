// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EV_TABLE_H
#define MRC_EV_TABLE_H

#include "mrc-path-selector.h"
#include "mrc-random.h"

#include <limits>
#include <memory>
#include <vector>

namespace mrc
{

/// Settings of an EvTable; QPs share one object.
struct EvTableConfig
{
    /// EVs of each plane that take turns, > 0.
    uint16_t activePerPlane = 16;

    /// EVs of each plane that wait to replace retired ones.
    uint16_t backupPerPlane = 4;

    /// Unmarked answers to consecutive probes that bring an ASSUMED_BAD EV back, > 0 (O).
    uint8_t probeSuccesses = 3;

    /// Over all planes that are up never fewer EVs take turns than this, as long as there are so
    /// many: bad ones fill the gap. 0 = a quarter of those that take turns at first, at least one.
    //= MRC-REF 4 EV states, guard (O)
    uint16_t evMinActive = 0;

    /// From the retirement of an EV to its first probe, ps, > 0 (O). Each probe doubles it.
    int64_t probeIntervalPs = 1'000'000'000;

    /// Largest time between two probes of one EV, ps (O).
    int64_t probeIntervalMaxPs = 100'000'000'000;
};

/**
 * The EVs of a QP and their states (//= MRC-REF 4 EV states).
 *
 * Each plane has a rotation of active EVs, a set of backups, and the rest, which is out of use.
 * The rotation visits its EVs in pseudo-random order and is reshuffled at each pass:
 *
 *  - a marked or trimmed EV is SKIP. The rotation passes over it once, which makes it GOOD again;
 *    one Next() does this for at most one EV, so a burst of marks spreads over several sends;
 *  - an EV that lost a packet is ASSUMED_BAD and leaves the rotation. A backup of the same plane
 *    takes its place. Probes bring it back, as an active EV or as a backup;
 *  - a guard keeps evMinActive EVs taking turns, counted over the planes that are up: the EV that
 *    has been bad the longest takes turns although it is bad, until it loses a packet again and
 *    the next oldest is tried, or until a better one comes back. Guards are on planes that have a
 *    good EV as well. A plane whose EVs are all bad offers none while another plane has a good
 *    one: ports pull, so it would get the share of a whole plane for nothing (O);
 *  - the EVs of a plane whose port is down keep their states: what is lost then is the port's
 *    doing. When the port returns its bad EVs are probed at once (O).
 *
 * Next() looks at one EV plus those that it passes over, which are few unless most of a plane is
 * SKIP. A table without bad EVs is two allocations besides the object; the list of bad ones
 * grows when an EV is retired.
 */
class EvTable final : public PathSelector
{
  public:
    /**
     * @param config settings; must outlive the table
     * @param evsPerPlane for each plane its EV values, active ones first, then backups. The
     *        values of a QP are all different and at most 0xfffe. A shorter list fills the
     *        active ones first, the end of a longer one is not used
     * @param seed of the order of the rotations
     * @param observer told about transitions; may be null
     * @param counters counted into; may be null, and shared by several tables
     */
    EvTable(const EvTableConfig& config,
            const std::vector<std::vector<uint32_t>>& evsPerPlane,
            uint64_t seed,
            EvObserver* observer = nullptr,
            EvCounters* counters = nullptr);
    EvTable(EvTableConfig&&,
            const std::vector<std::vector<uint32_t>>&,
            uint64_t,
            EvObserver* = nullptr,
            EvCounters* = nullptr) = delete;

    EvIndex Next(uint8_t plane, EvIndex avoid) override;
    bool TakeTurnOff(uint8_t plane) override;
    void OnMarked(EvIndex index, int64_t nowPs) override;
    void OnTrimmed(EvIndex index, int64_t nowPs) override;
    void OnLost(EvIndex index, int64_t nowPs) override;
    void OnAlwaysSkip(EvIndex index, int64_t nowPs) override;
    void SetPlaneUp(uint8_t plane, bool isUp, int64_t nowPs) override;
    EvIndex NextProbe(int64_t nowPs) override;
    int64_t NextProbeDeadlinePs() const override;
    void OnProbeAnswered(EvIndex index, bool marked, int64_t nowPs) override;
    uint32_t Value(EvIndex index) const override;
    uint8_t Plane(EvIndex index) const override;
    EvIndex Find(uint32_t value) const override;
    uint16_t Size() const override;
    void Deny(EvIndex index, int64_t nowPs) override;
    void Allow(EvIndex index, int64_t nowPs) override; // it is GOOD then

    bool IsDenied(EvIndex index) const override
    {
        return State(index) == EvState::DENIED;
    }

    /**
     * @param index an EV
     * @return its state
     */
    EvState State(EvIndex index) const;

    /**
     * @param index an EV
     * @return whether it takes turns, that is, whether it is neither a backup nor out of use
     */
    bool IsActive(EvIndex index) const;

    /// @return bytes of memory that the table occupies, the object included
    size_t MemoryBytes() const;

  private:
    /// Where an EV is among the EVs of its plane.
    enum class Role : uint8_t
    {
        ACTIVE, ///< takes turns
        BACKUP, ///< waits to replace another
        OUT     ///< neither
    };

    /// One EV. They are sorted by value, which makes Find() a binary search.
    struct Ev
    {
        uint32_t value;    ///< bits for the wire
        EvIndex turn;      ///< not about this EV: slot of the list of turns, see PlaneTurns
        uint8_t plane;     ///< plane it belongs to
        EvState state : 4; ///< see EvState
        Role role : 4;     ///< see Role
    };

    static_assert(sizeof(Ev) == 8, "160 EVs have to fit 1.5 KiB");

    /**
     * The part of the list of turns that belongs to a plane: first the active EVs, then the
     * backups, then those out of use. Active EVs before the cursor had their turn in this pass.
     */
    struct PlaneTurns
    {
        uint16_t begin;   ///< first slot
        uint16_t size;    ///< slots
        uint16_t active;  ///< EVs that take turns
        uint16_t backups; ///< EVs that wait
        uint16_t cursor;  ///< where the pass is, relative to begin
        uint16_t usable;  ///< active EVs that are not SKIP
        uint16_t owed;    ///< EVs that were passed over and whose turn the plane has yet to miss
        uint16_t good;    ///< active EVs that are not ASSUMED_BAD; the others are guards
        uint16_t room;    ///< while guards are chosen: how many more may take turns
    };

    /// An EV that probes may bring back. Kept in the order in which they became bad.
    struct BadEv
    {
        int64_t deadlinePs; ///< next probe
        int64_t gapPs;      ///< from that probe to the one after it
        EvIndex index;      ///< which EV
        uint8_t successes;  ///< consecutive probes answered unmarked
        bool unanswered;    ///< a probe is out
        bool isGuard;       ///< takes turns although it is bad
    };

    /**
     * @param turns a plane
     * @param slot relative to the plane's first
     * @return which EV is in the slot
     */
    EvIndex& At(const PlaneTurns& turns, uint16_t slot)
    {
        return m_evs[turns.begin + slot].turn;
    }

    /**
     * @param turns the plane of the EV
     * @param index an EV
     * @return its slot
     */
    uint16_t SlotOf(const PlaneTurns& turns, EvIndex index) const;

    /**
     * Exchange the EVs of two slots.
     *
     * @param turns the plane
     * @param one a slot
     * @param other a slot
     */
    void Swap(const PlaneTurns& turns, uint16_t one, uint16_t other);

    /**
     * Move a rotation on by one EV.
     *
     * @param turns a plane with active EVs
     * @return the EV whose turn it is
     */
    EvIndex Draw(PlaneTurns& turns);

    /**
     * Take a slot out of a rotation that gets smaller.
     *
     * @param turns a plane
     * @param slot of an active EV
     */
    void Shrink(PlaneTurns& turns, uint16_t slot);

    /**
     * Make a rotation larger.
     *
     * @param turns a plane without backups whose rotation is not full
     * @param slot of an EV that is out of use
     */
    void Grow(PlaneTurns& turns, uint16_t slot);

    /// @param turns a plane whose usable and good EVs are to be counted again
    void Recount(PlaneTurns& turns);

    /**
     * Change a state and report it.
     *
     * @param index an EV
     * @param to the new state, another than the present one
     */
    void SetState(EvIndex index, EvState to);

    /**
     * Move an EV that cannot go on out, and let a backup take its turns.
     *
     * @param index an EV that was GOOD, SKIP or a guard and is ASSUMED_BAD or DENIED now
     */
    void Leave(EvIndex index);

    /**
     * Take up an EV that became GOOD.
     *
     * @param index an EV that is out of use, or was a guard
     */
    void Enter(EvIndex index);

    /// @param counter one more event, if somebody counts
    void Count(uint64_t EvCounters::*counter);

    /**
     * @param index an EV that saw congestion
     * @param nowPs when, ps
     */
    void Skip(EvIndex index, int64_t nowPs);

    /**
     * @param index an EV that is assumed bad from now on
     * @param nowPs when, ps
     */
    void Retire(EvIndex index, int64_t nowPs);

    /**
     * @param index an EV
     * @return its record, or the end of the list when it is not bad
     */
    std::vector<BadEv>::iterator FindBad(EvIndex index);

    /// Choose the bad EVs that take turns, after the good ones or the planes that are up changed.
    void PlaceGuards();

    /// Compute the next probe's time after the list of bad EVs changed.
    void PlanProbes();

    /// @return the bad EV on a plane that is up whose probe is due first, or the end of the list
    std::vector<BadEv>::iterator NextToProbe();

    const EvTableConfig& m_config;         ///< shared by QPs
    std::unique_ptr<Ev[]> m_evs;           ///< the EVs, and the list of turns
    std::unique_ptr<PlaneTurns[]> m_turns; ///< per plane
    std::vector<BadEv> m_bad;              ///< ASSUMED_BAD EVs, oldest first
    EvObserver* m_observer;                ///< may be null
    EvCounters* m_counters;                ///< may be null
    int64_t m_nowPs;                       ///< time of the last verb that had one, ps
    int64_t m_nextProbePs;                 ///< earliest deadline in m_bad, ps
    Random m_random;                       ///< order of the rotations
    uint16_t m_size;                       ///< number of EVs
    uint16_t m_minActive;                  ///< least number of EVs that take turns
    uint8_t m_planes;                      ///< number of planes
};

} // namespace mrc

#endif // MRC_EV_TABLE_H
