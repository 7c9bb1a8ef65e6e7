// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIM_RUN_H
#define MRC_SIM_RUN_H

#include "mrc-sim-options.h"

namespace mrc::sim
{

/**
 * Build, run and report.
 *
 * @param options what to run; gets defaults that depend on the network
 * @return whether every message completed and was verified
 * @throws BadInput before anything was written
 * @throws std::runtime_error if results cannot be written
 */
bool Run(Options& options);

} // namespace mrc::sim

#endif // MRC_SIM_RUN_H
