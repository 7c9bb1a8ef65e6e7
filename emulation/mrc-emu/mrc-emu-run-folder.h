// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_RUN_FOLDER_H
#define MRC_EMU_RUN_FOLDER_H

#include "mrc-emu-fd.h"

#include <string>
#include <vector>

namespace mrc::emu
{

/*
 * Each running lab has a folder, $XDG_RUNTIME_DIR/mrc-emu/NAME or /tmp/mrc-emu-UID/NAME, with the
 * control socket. The folder goes when the lab ends; it stays only if all its processes were
 * killed at once. Programs in a lab find the folder by MRC_EMU_BASE.
 */

/// @return the folder that holds those of the labs
std::string RunBase();

/// @param name of a lab @return its folder
std::string RunFolderOf(const std::string& name);

/// Make the folder of a lab. @param name of it @return its path
/// @throws LabError if it is there: the lab runs, or was killed; says the command that helps
std::string ClaimRunFolder(const std::string& name);

/// Remove the folder of a lab and what is in it; harmless if it is gone.
void RemoveRunFolder(const std::string& folder);

/// @return names of labs that have a folder
std::vector<std::string> ListLabs();

/// Listen on a Unix socket that only its user may use. @param path of it
/// @return non-blocking socket @throws LabError if it cannot
Fd ListenUnix(const std::string& path);

/// Listen for metrics. @param address "unix:PATH" or "127.0.0.1:PORT" @return non-blocking socket
/// @throws LabError if it cannot, or the address is not of this machine alone
Fd ListenMetrics(const std::string& address);

/// @param name of a lab @return a connection to its control socket, or none if it does not run
Fd ConnectToLab(const std::string& name);

} // namespace mrc::emu

#endif // MRC_EMU_RUN_FOLDER_H
