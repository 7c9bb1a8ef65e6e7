// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_WORKLOAD_FILE_H
#define MRC_WORKLOAD_FILE_H

#include "mrc-workload.h"

#include <istream>

namespace mrc
{

/**
 * Read the plain text form of a workload, to which traces of GOAL or Chakra convert line by line:
 *
 *     # any comment
 *     NAME SOURCE DESTINATION BYTES [after NAME,...] [start TIME] [compute TIME] [job NUMBER]
 *
 * A message waits until those named by `after` are over, then computes, then writes. What it waits
 * for stands in an earlier line and is sent or received by its source.
 *
 *     # two ranks exchange, then one answers
 *     a 0 1 1MiB
 *     b 1 0 1MiB start 5us
 *     c 1 0 64KiB after a,b compute 20us
 *
 * @param in the text
 * @param file its name, for messages
 * @return the workload
 * @throws WorkloadError "FILE:LINE: what is wrong"
 */
Workload ReadDag(std::istream& in, const std::string& file);

/**
 * Read a connection matrix of htsim (`.cm`): the header lines `Nodes`, `Connections` and
 * `Triggers`, connections and triggers in any order.
 *
 *     Nodes 16
 *     Connections 2
 *     Triggers 1
 *     0->1 id 1 start 0 size 2000000 send_done_trigger 1
 *     2->3 id 2 trigger 1 size 2000000
 *     trigger id 1 oneshot
 *
 * Times are ps. Triggers are `oneshot`, fired by one connection, or `barrier count N`, fired when
 * all N connections that name it are over; both reach every NIC at once, as in htsim. `priority` is
 * read and has no effect. What else htsim knows (multishot, failures) is refused.
 *
 * @param in the text
 * @param file its name, for messages
 * @return the workload; message i is the i-th connection, or later if it waits for a later line
 * @throws WorkloadError "FILE:LINE: what is wrong"
 */
Workload ReadConnectionMatrix(std::istream& in, const std::string& file);

/**
 * Read a workload from a file, a connection matrix if its name ends in ".cm".
 *
 * @param path of the file
 * @return the workload
 * @throws WorkloadError if it cannot be read, or as above
 */
Workload ReadWorkloadFile(const std::string& path);

} // namespace mrc

#endif // MRC_WORKLOAD_FILE_H
