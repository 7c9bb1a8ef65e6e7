// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ev-table.h"

#include <algorithm>
#include <utility>

namespace mrc
{

namespace
{

constexpr int64_t NEVER_PS = std::numeric_limits<int64_t>::max();

/// "A quarter" of //= MRC-REF 4 EV states, guard.
constexpr uint16_t MIN_ACTIVE_DIVISOR = 4;

/// Passes after which Next() has seen every EV twice, wherever it started.
constexpr uint32_t MAX_PASSES = 3;

} // namespace

EvTable::EvTable(const EvTableConfig& config,
                 const std::vector<std::vector<uint32_t>>& evsPerPlane,
                 uint64_t seed,
                 EvObserver* observer,
                 EvCounters* counters)
    : m_config(config),
      m_turns(std::make_unique<PlaneTurns[]>(evsPerPlane.size())),
      m_observer(observer),
      m_counters(counters),
      m_nowPs(0),
      m_nextProbePs(NEVER_PS),
      m_random(seed),
      m_size(0),
      m_minActive(0),
      m_planes(static_cast<uint8_t>(evsPerPlane.size()))
{
    for (uint8_t plane = 0; plane < m_planes; ++plane)
    {
        const size_t wanted = size_t{config.activePerPlane} + config.backupPerPlane;
        PlaneTurns& turns = m_turns[plane];
        turns.begin = m_size;
        turns.size = static_cast<uint16_t>(std::min(evsPerPlane[plane].size(), wanted));
        turns.active = std::min(turns.size, config.activePerPlane);
        turns.backups = turns.size - turns.active;
        turns.usable = turns.active;
        turns.good = turns.active;
        m_size += turns.size;
        m_minActive += turns.active;
    }
    const int quarter = std::max(1, m_minActive / MIN_ACTIVE_DIVISOR);
    m_minActive = config.evMinActive > 0 ? std::min(config.evMinActive, m_minActive)
                                         : static_cast<uint16_t>(quarter);

    m_evs = std::make_unique<Ev[]>(m_size);
    for (uint8_t plane = 0; plane < m_planes; ++plane)
    {
        const PlaneTurns& turns = m_turns[plane];
        for (uint16_t slot = 0; slot < turns.size; ++slot)
        {
            const auto turn = static_cast<EvIndex>(turns.begin + slot);
            Ev& ev = m_evs[turn];
            ev.value = evsPerPlane[plane][slot];
            ev.turn = turn;
            ev.plane = plane;
            ev.state = EvState::GOOD;
            ev.role = slot < turns.active ? Role::ACTIVE : Role::BACKUP;
        }
    }
    std::sort(m_evs.get(), m_evs.get() + m_size, [](const Ev& left, const Ev& right) {
        return left.value < right.value;
    });

    // So far `turn` is the slot that an EV belongs into; from now on it is the EV in a slot.
    std::vector<EvIndex> inSlot(m_size);
    for (EvIndex index = 0; index < m_size; ++index)
    {
        inSlot[m_evs[index].turn] = index;
    }
    for (uint16_t slot = 0; slot < m_size; ++slot)
    {
        m_evs[slot].turn = inSlot[slot];
    }
}

//= MRC-REF 4 EV states
EvIndex
EvTable::Next(uint8_t plane, EvIndex avoid)
{
    if (plane >= m_planes || m_turns[plane].active == 0)
    {
        return NO_EV;
    }
    PlaneTurns& turns = m_turns[plane];
    if (turns.usable == 0)
    {
        EvIndex index = Draw(turns);
        while (index == avoid && turns.active > 1)
        {
            index = Draw(turns);
        }
        SetState(index, EvState::GOOD);
        ++turns.usable;
        ++turns.owed;
        return index;
    }

    bool restored = false;
    for (uint32_t turn = 0; turn < MAX_PASSES * turns.active; ++turn)
    {
        const EvIndex index = Draw(turns);
        if (m_evs[index].state != EvState::SKIP)
        {
            if (index != avoid)
            {
                return index;
            }
        }
        else if (!restored)
        {
            restored = true;
            SetState(index, EvState::GOOD);
            ++turns.usable;
            ++turns.owed;
        }
    }
    return avoid;
}

bool
EvTable::TakeTurnOff(uint8_t plane)
{
    if (m_planes == 1 || m_turns[plane].owed == 0)
    {
        return false;
    }
    --m_turns[plane].owed;
    return true;
}

void
EvTable::OnMarked(EvIndex index, int64_t nowPs)
{
    Skip(index, nowPs);
}

void
EvTable::OnTrimmed(EvIndex index, int64_t nowPs)
{
    Skip(index, nowPs);
}

void
EvTable::OnLost(EvIndex index, int64_t nowPs)
{
    if (IsPlaneUp(Plane(index)))
    {
        Retire(index, nowPs);
    }
}

void
EvTable::OnAlwaysSkip(EvIndex index, int64_t nowPs)
{
    Retire(index, nowPs);
}

//= MRC-REF 4 Reverse path and ports, the same way back
void
EvTable::SetPlaneUp(uint8_t plane, bool isUp, int64_t nowPs)
{
    if (IsPlaneUp(plane) == isUp)
    {
        return;
    }
    PathSelector::SetPlaneUp(plane, isUp, nowPs);
    m_nowPs = nowPs;
    for (BadEv& bad : m_bad)
    {
        if (isUp && Plane(bad.index) == plane)
        {
            bad.deadlinePs = nowPs;
            bad.gapPs = m_config.probeIntervalPs;
            bad.unanswered = false;
        }
    }
    PlaceGuards();
    PlanProbes();
}

EvIndex
EvTable::NextProbe(int64_t nowPs)
{
    if (nowPs < m_nextProbePs)
    {
        return NO_EV;
    }
    m_nowPs = nowPs;
    BadEv& bad = *NextToProbe();
    if (bad.unanswered)
    {
        bad.successes = 0;
    }
    bad.unanswered = true;
    bad.deadlinePs = nowPs + bad.gapPs;
    bad.gapPs = std::min(2 * bad.gapPs, m_config.probeIntervalMaxPs);
    const EvIndex index = bad.index;
    PlanProbes();
    return index;
}

int64_t
EvTable::NextProbeDeadlinePs() const
{
    return m_nextProbePs;
}

void
EvTable::OnProbeAnswered(EvIndex index, bool marked, int64_t nowPs)
{
    const auto bad = FindBad(index);
    if (bad == m_bad.end())
    {
        return;
    }
    m_nowPs = nowPs;
    bad->unanswered = false;
    if (marked || ++bad->successes < m_config.probeSuccesses)
    {
        return;
    }
    m_bad.erase(bad);
    PlanProbes();
    SetState(index, EvState::GOOD);
    Count(&EvCounters::restored);
    Enter(index);
}

uint32_t
EvTable::Value(EvIndex index) const
{
    return m_evs[index].value;
}

uint8_t
EvTable::Plane(EvIndex index) const
{
    return m_evs[index].plane;
}

EvIndex
EvTable::Find(uint32_t value) const
{
    const Ev* const begin = m_evs.get();
    const Ev* const end = begin + m_size;
    const Ev* const found = std::lower_bound(
        begin, end, value, [](const Ev& ev, uint32_t wanted) { return ev.value < wanted; });
    return found != end && found->value == value ? static_cast<EvIndex>(found - begin) : NO_EV;
}

uint16_t
EvTable::Size() const
{
    return m_size;
}

void
EvTable::Deny(EvIndex index, int64_t nowPs)
{
    if (State(index) == EvState::DENIED)
    {
        return;
    }
    m_nowPs = nowPs;
    const auto bad = FindBad(index);
    if (bad != m_bad.end())
    {
        m_bad.erase(bad);
        PlanProbes();
    }
    SetState(index, EvState::DENIED);
    Count(&EvCounters::denied);
    Leave(index);
}

void
EvTable::Allow(EvIndex index, int64_t nowPs)
{
    if (State(index) != EvState::DENIED)
    {
        return;
    }
    m_nowPs = nowPs;
    SetState(index, EvState::GOOD);
    Enter(index);
}

EvState
EvTable::State(EvIndex index) const
{
    return m_evs[index].state;
}

bool
EvTable::IsActive(EvIndex index) const
{
    return m_evs[index].role == Role::ACTIVE;
}

size_t
EvTable::MemoryBytes() const
{
    return sizeof(*this) + m_size * sizeof(Ev) + m_planes * sizeof(PlaneTurns) +
           m_bad.capacity() * sizeof(BadEv);
}

uint16_t
EvTable::SlotOf(const PlaneTurns& turns, EvIndex index) const
{
    uint16_t slot = 0;
    while (m_evs[turns.begin + slot].turn != index)
    {
        ++slot;
    }
    return slot;
}

void
EvTable::Swap(const PlaneTurns& turns, uint16_t one, uint16_t other)
{
    std::swap(At(turns, one), At(turns, other));
}

EvIndex
EvTable::Draw(PlaneTurns& turns)
{
    if (turns.cursor >= turns.active)
    {
        turns.cursor = 0;
    }
    // A step of the Fisher-Yates shuffle per turn: each pass is a fresh random permutation.
    const uint32_t ahead = m_random.Below(turns.active - turns.cursor);
    Swap(turns, turns.cursor, static_cast<uint16_t>(turns.cursor + ahead));
    return At(turns, turns.cursor++);
}

void
EvTable::Shrink(PlaneTurns& turns, uint16_t slot)
{
    if (slot < turns.cursor)
    {
        // It had its turn: the last one that had it closes the gap.
        --turns.cursor;
        Swap(turns, slot, turns.cursor);
        slot = turns.cursor;
    }
    --turns.active;
    Swap(turns, slot, turns.active);
    m_evs[At(turns, turns.active)].role = Role::OUT;
}

void
EvTable::Grow(PlaneTurns& turns, uint16_t slot)
{
    // A rotation that is not full has no backups, so those out of use begin right behind it.
    Swap(turns, slot, turns.active);
    m_evs[At(turns, turns.active)].role = Role::ACTIVE;
    ++turns.active;
}

void
EvTable::Recount(PlaneTurns& turns)
{
    turns.usable = 0;
    turns.good = 0;
    for (uint16_t slot = 0; slot < turns.active; ++slot)
    {
        const EvState state = State(At(turns, slot));
        turns.usable += state != EvState::SKIP;
        turns.good += state != EvState::ASSUMED_BAD;
    }
}

void
EvTable::SetState(EvIndex index, EvState to)
{
    const EvState from = State(index);
    m_evs[index].state = to;
    if (m_observer)
    {
        m_observer->OnEvTransition({m_nowPs, index, from, to});
    }
}

void
EvTable::Leave(EvIndex index)
{
    Ev& ev = m_evs[index];
    PlaneTurns& turns = m_turns[ev.plane];
    const uint16_t slot = SlotOf(turns, index);
    const auto lastBackup = static_cast<uint16_t>(turns.active + turns.backups - 1);
    if (ev.role == Role::BACKUP)
    {
        Swap(turns, slot, lastBackup);
        --turns.backups;
        ev.role = Role::OUT;
    }
    else if (ev.role == Role::ACTIVE && turns.backups > 0)
    {
        m_evs[At(turns, lastBackup)].role = Role::ACTIVE;
        Swap(turns, slot, lastBackup);
        --turns.backups;
        ev.role = Role::OUT;
        Count(&EvCounters::replaced);
    }
    else if (ev.role == Role::ACTIVE)
    {
        Shrink(turns, slot);
    }
    Recount(turns);
    PlaceGuards();
}

void
EvTable::Enter(EvIndex index)
{
    Ev& ev = m_evs[index];
    PlaneTurns& turns = m_turns[ev.plane];
    if (ev.role == Role::OUT && turns.good < m_config.activePerPlane)
    {
        if (turns.active == m_config.activePerPlane)
        {
            uint16_t guard = 0;
            while (State(At(turns, guard)) != EvState::ASSUMED_BAD)
            {
                ++guard;
            }
            Shrink(turns, guard);
        }
        Grow(turns, SlotOf(turns, index));
    }
    else if (ev.role == Role::OUT)
    {
        Swap(turns, SlotOf(turns, index), static_cast<uint16_t>(turns.active + turns.backups));
        ++turns.backups;
        ev.role = Role::BACKUP;
    }
    Recount(turns);
    PlaceGuards();
}

//= MRC-REF 4 EV states, guard (O)
void
EvTable::PlaceGuards()
{
    if (m_bad.empty())
    {
        return;
    }
    uint32_t good = 0;
    for (uint8_t plane = 0; plane < m_planes; ++plane)
    {
        good += IsPlaneUp(plane) ? m_turns[plane].good : 0;
    }
    for (uint8_t plane = 0; plane < m_planes; ++plane)
    {
        PlaneTurns& turns = m_turns[plane];
        const bool isForGuards = IsPlaneUp(plane) && (good == 0 || turns.good > 0);
        turns.room = isForGuards ? m_config.activePerPlane - turns.good : 0;
    }
    uint32_t missing = m_minActive - std::min<uint32_t>(m_minActive, good);
    for (BadEv& bad : m_bad)
    {
        PlaneTurns& turns = m_turns[Plane(bad.index)];
        bad.isGuard = missing > 0 && turns.room > 0;
        missing -= bad.isGuard;
        turns.room -= bad.isGuard;
    }
    // First those that stop, so that there is room for those that begin.
    for (const BadEv& bad : m_bad)
    {
        PlaneTurns& turns = m_turns[Plane(bad.index)];
        if (IsActive(bad.index) && !bad.isGuard)
        {
            Shrink(turns, SlotOf(turns, bad.index));
            Recount(turns);
        }
    }
    for (BadEv& bad : m_bad)
    {
        PlaneTurns& turns = m_turns[Plane(bad.index)];
        if (!IsActive(bad.index) && bad.isGuard)
        {
            Grow(turns, SlotOf(turns, bad.index));
            Recount(turns);
        }
    }
}

void
EvTable::Count(uint64_t EvCounters::*counter)
{
    if (m_counters)
    {
        ++(m_counters->*counter);
    }
}

void
EvTable::Skip(EvIndex index, int64_t nowPs)
{
    Ev& ev = m_evs[index];
    if (ev.state != EvState::GOOD)
    {
        return;
    }
    m_nowPs = nowPs;
    SetState(index, EvState::SKIP);
    Count(&EvCounters::skips);
    if (ev.role == Role::ACTIVE)
    {
        --m_turns[ev.plane].usable;
    }
}

void
EvTable::Retire(EvIndex index, int64_t nowPs)
{
    m_nowPs = nowPs;
    const EvState state = State(index);
    if (state == EvState::GOOD || state == EvState::SKIP)
    {
        const int64_t gapPs = std::min(2 * m_config.probeIntervalPs, m_config.probeIntervalMaxPs);
        m_bad.push_back({nowPs + m_config.probeIntervalPs, gapPs, index, 0, false, false});
        PlanProbes();
        SetState(index, EvState::ASSUMED_BAD);
        Count(&EvCounters::retired);
        Leave(index);
    }
    else if (state == EvState::ASSUMED_BAD)
    {
        const auto bad = FindBad(index);
        bad->successes = 0;
        if (IsActive(index))
        {
            // A guard that failed again is the youngest now, so the others are tried first.
            std::rotate(bad, bad + 1, m_bad.end());
            PlaceGuards();
        }
    }
}

std::vector<EvTable::BadEv>::iterator
EvTable::FindBad(EvIndex index)
{
    return std::find_if(
        m_bad.begin(), m_bad.end(), [index](const BadEv& bad) { return bad.index == index; });
}

std::vector<EvTable::BadEv>::iterator
EvTable::NextToProbe()
{
    auto next = m_bad.end();
    for (auto bad = m_bad.begin(); bad != m_bad.end(); ++bad)
    {
        const bool isFirst = next == m_bad.end() || bad->deadlinePs < next->deadlinePs;
        if (isFirst && IsPlaneUp(Plane(bad->index)))
        {
            next = bad;
        }
    }
    return next;
}

void
EvTable::PlanProbes()
{
    const auto next = NextToProbe();
    m_nextProbePs = next == m_bad.end() ? NEVER_PS : next->deadlinePs;
}

} // namespace mrc
