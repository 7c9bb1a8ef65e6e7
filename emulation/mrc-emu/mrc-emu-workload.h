// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_WORKLOAD_H
#define MRC_EMU_WORKLOAD_H

#include "mrc-emu-lab.h"
#include "mrc-traffic.h"

#include <memory>

namespace mrc::emu
{

/**
 * The workloads of a lab as one workload of its fabric. Real hosts have no part in it.
 *
 * @param lab with hosts in their places
 * @return the messages of all its workloads
 * @throws LabError naming file and line of a workload that cannot run
 */
mrc::Workload MakeWorkload(const Lab& lab);

} // namespace mrc::emu

#endif // MRC_EMU_WORKLOAD_H
