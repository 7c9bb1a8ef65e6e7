// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-sim-progress.h"

#include <ns3/simulator.h>

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace mrc::sim
{

namespace
{

using std::chrono::milliseconds;

/// @return WRITE packets that all messages need without losses
uint64_t
PacketsOf(const ns3::MrcClosNetwork& network, const ns3::MrcTraffic& traffic)
{
    const uint64_t mtuBytes = network.Profile().Transport().mtuBytes;
    uint64_t packets = 0;
    for (const mrc::Message& message : traffic.Workload().messages)
    {
        packets += std::max<uint64_t>(1, (message.bytes + mtuBytes - 1) / mtuBytes);
    }
    return packets;
}

} // namespace

Progress::Progress(const ns3::MrcClosNetwork& network, const ns3::MrcTraffic& traffic, bool isQuiet)
    : m_network(network),
      m_traffic(traffic),
      m_packets(PacketsOf(network, traffic)),
      m_isQuiet(isQuiet),
      m_isTerminal(isatty(STDERR_FILENO) == 1),
      m_start(Clock::now()),
      m_next(m_start + (m_isTerminal ? milliseconds(200) : milliseconds(2000)))
{
}

void
Progress::Update()
{
    const Clock::time_point now = Clock::now();
    if (m_isQuiet || now < m_next)
    {
        return;
    }
    m_next = now + (m_isTerminal ? milliseconds(200) : milliseconds(5000));
    const ns3::MrcNetworkCounters counters = m_network.Counters();
    const auto hops = static_cast<double>(counters.nicPorts.sent + counters.switchPorts.sent);
    const double wallS = std::chrono::duration<double>(now - m_start).count();
    const double simulatedUs = static_cast<double>(ns3::Simulator::Now().GetPicoSeconds()) * 1e-6;
    // As many packets as have arrived take as long as they took.
    const auto arrived = static_cast<double>(counters.endpoint.dataReceived);
    const double leftS = arrived > 0 ? wallS * (static_cast<double>(m_packets) / arrived - 1) : -1;
    char left[32] = "";
    if (leftS >= 0)
    {
        std::snprintf(left, sizeof(left), ", about %.0f s left", leftS);
    }
    std::fprintf(stderr,
                 "%s%.1f us simulated, %llu of %llu messages, %.2f M hops/s, %.1f s%s%s",
                 m_isTerminal ? "\r\033[K" : "",
                 simulatedUs,
                 static_cast<unsigned long long>(m_traffic.Completed()),
                 static_cast<unsigned long long>(m_traffic.Total()),
                 hops * 1e-6 / wallS,
                 wallS,
                 left,
                 m_isTerminal ? "" : "\n");
    std::fflush(stderr);
    m_hasLine = m_isTerminal;
}

void
Progress::Finish()
{
    if (m_hasLine)
    {
        std::fputs("\r\033[K", stderr);
    }
}

} // namespace mrc::sim
