// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-sim-options.h"

namespace mrc::sim
{

const char*
WorkloadName(WorkloadKind kind)
{
    switch (kind)
    {
    case WorkloadKind::PERMUTATION:
        return "permutation";
    case WorkloadKind::INCAST:
        return "incast";
    case WorkloadKind::RING_ALLREDUCE:
        return "ring-allreduce";
    case WorkloadKind::ALL_TO_ALL:
        return "all-to-all";
    case WorkloadKind::P2P:
        return "p2p";
    }
    return "unknown";
}

const char*
VerifyName(Verify verify)
{
    switch (verify)
    {
    case Verify::AUTO:
        return "auto";
    case Verify::BYTES:
        return "bytes";
    case Verify::PLACEMENT:
        return "placement";
    }
    return "unknown";
}

} // namespace mrc::sim
