// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_COLLECTIVES_H
#define MRC_COLLECTIVES_H

#include "mrc-workload.h"

namespace mrc
{

/**
 * The messages of an all-reduce over a binary tree: rank r sends to its parent (r - 1) / 2 when its
 * children's parts have arrived, and the sum comes down the same way. The vector is cut into
 * chunks that follow each other through the tree.
 *
 * @param nics ranks, at least 2
 * @param bytes length of the vector that is reduced
 * @param chunks pieces of the vector, at least 1; a piece is at least 1 B
 * @return the workload
 * @throws WorkloadError if a parameter is out of range
 */
Workload TreeAllReduce(uint32_t nics, uint64_t bytes, uint32_t chunks);

/**
 * The messages of an all-reduce by recursive halving and doubling: log2(n) exchanges of halves,
 * quarters and so on of the vector with ranks n/2, n/4 ... away, then the same backwards
 * (R. Rabenseifner, "Optimization of Collective Reduction Operations", ICCS 2004).
 *
 * Message s * n + r is that of rank r in step s.
 *
 * @param nics ranks, a power of two, at least 2
 * @param bytes length of the vector that is reduced, at least nics
 * @return the workload
 * @throws WorkloadError if a parameter is out of range
 */
Workload HalvingDoublingAllReduce(uint32_t nics, uint64_t bytes);

/**
 * Each NIC sends to each other one as AllToAll() does, but lengths differ, as they do between
 * experts of a model: each is drawn evenly from bytes * (1 - spread) to bytes * (1 + spread).
 *
 * @param nics number of NICs, at least 2
 * @param bytes mean length of a message
 * @param window messages of a NIC that are posted at a time, at least 1
 * @param spread 0 to 1
 * @param seed chooses the lengths
 * @return the workload
 * @throws WorkloadError if a parameter is out of range
 */
Workload AllToAllV(uint32_t nics, uint64_t bytes, uint32_t window, double spread, uint64_t seed);

/**
 * A pipeline of stages: micro-batches pass from NIC to NIC, and their gradients back. A stage
 * sends a micro-batch when that has arrived and the one before it has been sent; the last stage
 * turns it round at once.
 *
 * @param nics stages, at least 2; stage k is nic-k
 * @param bytes of a micro-batch's activations, and of its gradients
 * @param microBatches how many, at least 1
 * @return the workload
 * @throws WorkloadError if a parameter is out of range
 */
Workload Pipeline(uint32_t nics, uint64_t bytes, uint32_t microBatches);

/**
 * Let NICs compute before they send: each message is posted so long after what it waits for.
 *
 * @param workload changed
 * @param computePs time, rounded to ns, less than 4.29 s
 * @throws WorkloadError if it is too long
 */
void AddCompute(Workload& workload, int64_t computePs);

/**
 * Several jobs on one network.
 *
 * @param jobs workloads of `nicsPerJob` NICs each, at least one
 * @param nicsPerJob NICs of a job
 * @param isInterleaved NIC i of job j is nic-(i * jobs + j), so that jobs share racks; else
 *        nic-(j * nicsPerJob + i)
 * @return all their messages, job after job; Message::job is the index of the job
 * @throws WorkloadError if there are too many
 */
Workload SideBySide(const std::vector<Workload>& jobs, uint32_t nicsPerJob, bool isInterleaved);

} // namespace mrc

#endif // MRC_COLLECTIVES_H
