// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-sim-watch.h"

#include "mrc-sim-interrupt.h"

#include <ns3/simulator.h>

#include <algorithm>

namespace mrc::sim
{

namespace
{

/// Simulated time between two looks: a fraction of a second of real time in the largest networks.
constexpr int64_t INTERVAL_PS = 10'000'000;

/// Looks for a stall in the time that a run may stall. Each sums counters of the whole network.
constexpr int64_t CHECKS = 50;

} // namespace

Watch::Watch(const Scenario& scenario, const Options& options, Progress& progress)
    : m_scenario(scenario),
      m_options(options),
      m_progress(progress)
{
}

void
Watch::Start()
{
    m_scenario.traffic->SetDoneCallback([this]() { End(Ending::DONE); });
    ns3::Simulator::Schedule(
        ns3::PicoSeconds(std::min(INTERVAL_PS, m_options.durationPs)), &Watch::Look, this);
}

void
Watch::Look()
{
    const int64_t nowPs = ns3::Simulator::Now().GetPicoSeconds();
    m_progress.Update();
    if (IsInterrupted())
    {
        End(Ending::INTERRUPTED);
    }
    else if (nowPs >= m_options.durationPs)
    {
        End(Ending::TIME_LIMIT);
    }
    else if (ns3::Simulator::IsFinished() || IsStalled(nowPs)) // nothing pending but this
    {
        End(Ending::STALLED);
    }
    else
    {
        const int64_t nextPs = std::min(INTERVAL_PS, m_options.durationPs - nowPs);
        ns3::Simulator::Schedule(ns3::PicoSeconds(nextPs), &Watch::Look, this);
    }
}

int64_t
Watch::LastRepairPs(int64_t nowPs) const
{
    int64_t lastPs = 0;
    for (const mrc::FaultSpec& fault : m_scenario.faults->Faults())
    {
        const bool isRepeated = fault.kind == mrc::FaultKind::LINK_FLAP;
        const int64_t repeatsPs = isRepeated ? fault.periodPs * (fault.count - 1) : 0;
        if (fault.startPs <= nowPs && fault.durationPs > 0)
        {
            lastPs = std::max(lastPs, fault.startPs + repeatsPs + fault.durationPs);
        }
    }
    return lastPs;
}

bool
Watch::IsStalled(int64_t nowPs)
{
    if (nowPs < m_checkPs)
    {
        return false;
    }
    m_checkPs = nowPs + m_options.stallPs / CHECKS;
    const uint64_t moved = m_scenario.traffic->Completed() + m_scenario.traffic->Failed() +
                           m_scenario.network->Counters().endpoint.dataReceived;
    if (moved != m_moved || nowPs < m_scenario.traffic->IdleUntilPs())
    {
        m_moved = moved;
        m_movedPs = nowPs;
    }
    return nowPs - std::max(m_movedPs, LastRepairPs(nowPs)) >= m_options.stallPs;
}

void
Watch::End(Ending why)
{
    m_ending = why;
    ns3::Simulator::Stop();
}

} // namespace mrc::sim
