// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_CLIENT_H
#define MRC_EMU_CLIENT_H

#include "mrc-emu-fd.h"

#include <string>
#include <vector>

namespace mrc::emu
{

/// What a lab answered to a command.
struct ClientAnswer
{
    std::string text;    ///< lines
    std::string error;   ///< empty if it was carried out
    std::vector<Fd> fds; ///< descriptors that came along
};

/// @param name from --lab, may be empty @return the lab that is meant: that one, else MRC_EMU_LAB,
/// else the only one there is @throws LabError if there is none or a choice
std::string ChooseLab(const std::string& name);

/// Give a lab a command. @param lab name @param command a line without its end @return the answer
/// @throws LabError if the lab does not run
ClientAnswer AskLab(const std::string& lab, const std::string& command);

/// `mrc-emu ctl`. @return exit code
int RunCtl(const std::string& lab, const std::vector<std::string>& words);

/// `mrc-emu exec`. @return exit code of the program
int RunExec(const std::string& lab,
            const std::string& host,
            const std::vector<std::string>& command);

/// `mrc-emu status`. @return exit code
int RunStatus(const std::string& lab);

/// `mrc-emu down`: end a lab, or remove what a killed one left. @return exit code
int RunDown(const std::string& lab);

/// `mrc-emu top`. @param lab name @param count tables to show; 0 = for ever @return exit code
int RunTop(const std::string& lab, unsigned count);

} // namespace mrc::emu

#endif // MRC_EMU_CLIENT_H
