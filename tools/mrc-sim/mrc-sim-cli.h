// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIM_CLI_H
#define MRC_SIM_CLI_H

#include "mrc-sim-options.h"

namespace mrc::sim
{

/**
 * Read the command line and the file it names.
 *
 * Prints what --help, --help-faults and --version ask for.
 *
 * @param argc of main()
 * @param argv of main()
 * @param[out] options what was asked for; complete in itself, not yet checked against a network
 * @return false if there is nothing to run
 * @throws BadInput if it cannot be understood
 */
bool ParseCommandLine(int argc, char** argv, Options& options);

} // namespace mrc::sim

#endif // MRC_SIM_CLI_H
