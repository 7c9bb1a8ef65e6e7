// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-qp-paths.h"

#include "mrc-reps-selector.h"
#include "mrc-simple-selectors.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{
/// Numbers below a limit in random order, drawn one by one.
class Urn
{
  public:
    /// @param limit numbers from 0 on @param random draws them
    Urn(uint32_t limit, mrc::Random& random)
        : m_numbers(limit),
          m_random(random)
    {
        std::iota(m_numbers.begin(), m_numbers.end(), 0u);
    }

    /// @return whether nothing is left
    bool IsEmpty() const
    {
        return m_drawn == m_numbers.size();
    }

    /// @return a number that was not drawn yet
    uint32_t Draw()
    {
        const auto left = static_cast<uint32_t>(m_numbers.size()) - m_drawn;
        std::swap(m_numbers[m_drawn], m_numbers[m_drawn + m_random.Below(left)]);
        return m_numbers[m_drawn++];
    }

  private:
    std::vector<uint32_t> m_numbers; //!< drawn ones first
    uint32_t m_drawn{0};             //!< how many
    mrc::Random& m_random;           //!< draws
};
} // namespace

uint32_t
MrcEvCount(const MrcProfile& profile,
           const mrc::PathPlan& plan,
           uint32_t source,
           uint32_t destination)
{
    // Without source routing an EV is what switches hash: any dynamic source port.
    return profile.IsSrv6() ? plan.PathsPerPlane(source, destination)
                            : UINT16_MAX + 1 - mrc::EvLayout::SOURCE_PORT_BASE;
}

uint32_t
MrcEvOf(const MrcProfile& profile, const mrc::PathPlan& plan, uint32_t plane, uint32_t number)
{
    return profile.IsSrv6() ? plan.EvOf(plane, number)
                            : (mrc::EvLayout::SOURCE_PORT_BASE + number) << 16 | plane;
}

std::vector<std::vector<uint32_t>>
MrcDrawEvs(const MrcProfile& profile,
           const mrc::EvTableConfig& table,
           const mrc::PathPlan& plan,
           uint32_t source,
           uint32_t destination,
           mrc::Random& random,
           const MrcEvFilter& isDenied)
{
    const uint32_t planes = plan.Usids().Clos().Planes();
    const uint32_t wanted = uint32_t{table.activePerPlane} + table.backupPerPlane;
    const uint32_t paths = MrcEvCount(profile, plan, source, destination);
    std::vector<std::vector<uint32_t>> evs(planes);
    for (uint32_t plane = 0; plane < planes; ++plane)
    {
        Urn urn(paths, random);
        std::vector<uint32_t> denied;
        while (evs[plane].size() < wanted && !urn.IsEmpty())
        {
            const uint32_t ev = MrcEvOf(profile, plan, plane, urn.Draw());
            const bool isAllowed = !isDenied || !isDenied(ev, static_cast<uint8_t>(plane));
            (isAllowed ? evs[plane] : denied).push_back(ev);
        }
        // Denied ones may be allowed one day.
        denied.resize(std::min(denied.size(), wanted - evs[plane].size()));
        evs[plane].insert(evs[plane].end(), denied.begin(), denied.end());
    }
    return evs;
}

std::unique_ptr<mrc::PathSelector>
MrcMakeSelector(const MrcProfile& profile,
                const mrc::EvTableConfig& table,
                const std::vector<std::vector<uint32_t>>& evs,
                uint64_t seed,
                mrc::EvObserver* observer,
                mrc::EvCounters* counters)
{
    switch (profile.Spray())
    {
    case MRC_SPRAY_RANDOM:
        return std::make_unique<mrc::RandomSelector>(evs, seed);
    case MRC_SPRAY_ROUND_ROBIN:
        return std::make_unique<mrc::RoundRobinSelector>(evs);
    case MRC_SPRAY_REPS:
        return std::make_unique<mrc::RepsSelector>(profile.Reps(), evs, seed);
    case MRC_SPRAY_SINGLE:
        return std::make_unique<mrc::SinglePathSelector>(evs, seed);
    case MRC_SPRAY_MRC:
        break;
    }
    return std::make_unique<mrc::EvTable>(table, evs, seed, observer, counters);
}

std::unique_ptr<mrc::PathSelector>
MrcCreatePathSelector(const MrcProfile& profile,
                      const mrc::PathPlan& plan,
                      uint32_t source,
                      uint32_t destination,
                      uint64_t seed,
                      mrc::EvObserver* observer,
                      mrc::EvCounters* counters)
{
    mrc::Random random(seed);
    const auto evs =
        MrcDrawEvs(profile, profile.EvTable(), plan, source, destination, random, nullptr);
    return MrcMakeSelector(profile, profile.EvTable(), evs, random.Next(), observer, counters);
}

} // namespace ns3
