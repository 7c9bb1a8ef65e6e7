// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_SUPERVISOR_H
#define MRC_EMU_SUPERVISOR_H

#include "mrc-emu-lab.h"

#include <string>
#include <vector>

namespace mrc::emu
{

/// How a lab is run.
struct RunMode
{
    bool isDetached{false};           ///< go on in the background
    bool hasUserNamespace{false};     ///< use a user namespace as root too
    std::vector<std::string> command; ///< run this, then end; empty: run until told
};

/**
 * Bring a lab up and stay with it until it ends.
 *
 * This process holds what belongs to the machine: the run's folder, sockets, interfaces that
 * exist. The lab itself is a child in namespaces of its own. Whichever of the two ends, and
 * however, the other one cleans up.
 *
 * @param lab what to run; its scale is computed if it is 0
 * @param mode how
 * @return exit code: the command's, 3 if the lag was beyond its bound, 128 + signal, 1 on a crash
 * @throws LabError if it cannot be brought up
 */
int RunLab(Lab lab, const RunMode& mode);

} // namespace mrc::emu

#endif // MRC_EMU_SUPERVISOR_H
