// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-event-log.h"

#include "mrc-emu-lab.h"

#include <cerrno>
#include <cstring>
#include <sys/time.h>

namespace mrc::emu
{

EventLog::EventLog(const std::string& folder, const EmuClock& clock)
    : m_clock(clock)
{
    if (folder.empty())
    {
        return;
    }
    const std::string path = folder + "/events.log";
    m_file.reset(std::fopen(path.c_str(), "we"));
    if (m_file == nullptr)
    {
        throw LabError(path + ": cannot be written: " + std::strerror(errno));
    }
}

void
EventLog::Write(const std::string& text, int64_t simulatedPs)
{
    ++m_count;
    if (m_file == nullptr)
    {
        return;
    }
    timeval now{};
    gettimeofday(&now, nullptr);
    tm parts{};
    gmtime_r(&now.tv_sec, &parts);
    char date[32];
    std::strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &parts);
    const double sinceS = static_cast<double>(MonotonicNs() - m_clock.StartNs()) / 1e9;
    std::fprintf(m_file.get(),
                 "%s.%06ldZ +%.6fs sim=%.3fus %s\n",
                 date,
                 static_cast<long>(now.tv_usec),
                 sinceS,
                 static_cast<double>(simulatedPs) / 1e6,
                 text.c_str());
    std::fflush(m_file.get());
}

} // namespace mrc::emu
