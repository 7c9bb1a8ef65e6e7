// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_HELPER_H
#define MRC_HELPER_H

#include "mrc-clos-network.h"
#include "mrc-pcap-port.h"
#include "mrc-pcapng-writer.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mrc
 * Connections, memory, writes and captures on a network, for scripts that do without a workload.
 *
 * @code
 * MrcHelper mrc(network);
 * const uint32_t key = mrc.RegisterMemory(9, 0, 1 << 20);
 * const uint32_t qp = mrc.Connect(0, 9).sourceQp;
 * mrc.Write(0, qp, key, 0, 1 << 20);
 * @endcode
 *
 * The helper must outlive Simulator::Run() if it captures.
 */
class MrcHelper
{
  public:
    /// @param network made by MrcMultiPlaneClosHelper
    explicit MrcHelper(Ptr<MrcClosNetwork> network);

    /**
     * Make memory of a NIC writable by its peers.
     *
     * @param nic whose memory
     * @param va first virtual address
     * @param bytes length
     * @param storage where bytes go, owned by the caller; null: only placement is accounted
     * @return the R_Key
     */
    uint32_t RegisterMemory(uint32_t nic, uint64_t va, uint64_t bytes, uint8_t* storage = nullptr);

    /// Connect two NICs with a QP each. @return the QPNs
    MrcConnection Connect(uint32_t source, uint32_t destination);

    /**
     * Post a WRITE at the present time.
     *
     * @param nic the sender
     * @param qp its QPN
     * @param rKey of the memory written to
     * @param va where the first byte goes
     * @param bytes length, below 2^31
     * @param payload what to write, unchanged until completion; null if nothing is stored
     * @return number of the work request, from 0, as in the Completion trace source
     */
    uint64_t Write(uint32_t nic,
                   uint32_t qp,
                   uint32_t rKey,
                   uint64_t va,
                   uint32_t bytes,
                   const uint8_t* payload = nullptr);

    /**
     * Capture ports, both directions, in one pcapng file.
     *
     * @param path of the file
     * @param ports names as in mrc-clos-names.h, "nic-0:p1" or "p2/t0-3:t1-7"
     * @throws mrc::ClosNameError if there is no such port
     * @throws std::runtime_error if the file cannot be written
     */
    void EnablePcap(const std::string& path, const std::vector<std::string>& ports);

  private:
    /// A file and the ports that write to it.
    struct Capture
    {
        std::unique_ptr<mrc::PcapngWriter> writer;       ///< the file; goes last
        std::vector<std::unique_ptr<MrcPcapPort>> ports; ///< taps
    };

    Ptr<MrcClosNetwork> m_network;   //!< what is helped with
    std::vector<Capture> m_captures; //!< open files
    uint64_t m_nextId{0};            //!< of the next work request
};

} // namespace ns3

#endif // MRC_HELPER_H
