// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIM_INTERRUPT_H
#define MRC_SIM_INTERRUPT_H

namespace mrc::sim
{

/// Note SIGINT and SIGTERM from now on instead of dying of them; a second one kills.
void CatchInterrupts();

/// @return whether the user does not want to wait any longer
bool IsInterrupted();

} // namespace mrc::sim

#endif // MRC_SIM_INTERRUPT_H
