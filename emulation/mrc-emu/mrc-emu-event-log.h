// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_EVENT_LOG_H
#define MRC_EMU_EVENT_LOG_H

#include "mrc-emu-clock.h"

#include <cstdio>
#include <memory>
#include <string>

namespace mrc::emu
{

/**
 * Writes down what happened, with wall time, time since the start and simulated time:
 *
 *     2026-03-21T10:00:04.000123Z +4.000123s sim=40001.230us link p0/t0-0-t1-0 down
 *
 * Simulated time is that of the captures beside the log.
 */
class EventLog
{
  public:
    /// @param folder where events.log goes; empty: nowhere @param clock outlives the log
    /// @throws LabError if the file cannot be made
    EventLog(const std::string& folder, const EmuClock& clock);

    /// Write a line. @param text what happened @param simulatedPs when
    void Write(const std::string& text, int64_t simulatedPs);

    /// @return number of lines
    uint64_t Count() const
    {
        return m_count;
    }

  private:
    /// Closes a file.
    struct Closer
    {
        void operator()(std::FILE* file) const
        {
            std::fclose(file);
        }
    };

    std::unique_ptr<std::FILE, Closer> m_file; //!< null: nowhere
    const EmuClock& m_clock;                   //!< relates the times
    uint64_t m_count{0};                       //!< lines
};

} // namespace mrc::emu

#endif // MRC_EMU_EVENT_LOG_H
