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
    case WorkloadKind::REDUCE_SCATTER:
        return "reduce-scatter";
    case WorkloadKind::ALL_GATHER:
        return "all-gather";
    case WorkloadKind::TREE_ALLREDUCE:
        return "tree-allreduce";
    case WorkloadKind::HALVING_DOUBLING_ALLREDUCE:
        return "halving-doubling-allreduce";
    case WorkloadKind::ALL_TO_ALL:
        return "all-to-all";
    case WorkloadKind::PIPELINE:
        return "pipeline";
    case WorkloadKind::P2P:
        return "p2p";
    case WorkloadKind::REPLAY:
        return "replay";
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

bool
IsCollective(WorkloadKind kind)
{
    switch (kind)
    {
    case WorkloadKind::RING_ALLREDUCE:
    case WorkloadKind::REDUCE_SCATTER:
    case WorkloadKind::ALL_GATHER:
    case WorkloadKind::TREE_ALLREDUCE:
    case WorkloadKind::HALVING_DOUBLING_ALLREDUCE:
        return true;
    default:
        return false;
    }
}

} // namespace mrc::sim
