// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_ENDPOINTS_H
#define MRC_EMU_ENDPOINTS_H

#include "mrc-emu-fabric.h"
#include "mrc-huge-block.h"

#include <memory>
#include <string>
#include <vector>

namespace mrc::emu
{

/**
 * MRC endpoints of simulated NICs that real hosts talk to. Connection set-up is out of band: a
 * program on the host sends its offer as a command and gets the NIC's in the answer.
 */
class Endpoints
{
  public:
    /// @param fabric whose NICs @param lab whose hosts; both outlive this object
    Endpoints(EmuFabric& fabric, const Lab& lab);

    /**
     * Make one end of a connection on a simulated NIC, with memory that the peer may write to.
     *
     * @param nic a simulated NIC
     * @param host name of the peer
     * @param bytes of memory, at most MAX_MEMORY
     * @param offer of the peer, as DecodeQpMessage() reads it
     * @return the NIC's offer, ended by a line feed
     * @throws LabError if it cannot be made
     */
    std::string Connect(uint32_t nic,
                        const std::string& host,
                        uint64_t bytes,
                        const std::string& offer);

    /**
     * Let a simulated NIC write to the memory of its peer.
     *
     * @param nic the NIC
     * @param qp its QPN, made by Connect()
     * @param rKey of the peer's memory
     * @param va where to
     * @param bytes how many, from the beginning of the NIC's own memory of that connection
     */
    void Write(uint32_t nic, uint32_t qp, uint32_t rKey, uint64_t va, uint32_t bytes);

    /// @param nic the NIC @param qp its QPN @return what happened to its memory, one line
    std::string Describe(uint32_t nic, uint32_t qp) const;

    /// Most memory of a connection, bytes.
    static constexpr uint64_t MAX_MEMORY = uint64_t{1} << 30;

  private:
    /// One end of a connection.
    struct Connection
    {
        uint32_t nic;          //!< whose
        uint32_t qp;           //!< QPN
        uint32_t region;       //!< in the NIC's table
        uint64_t bytes;        //!< of memory
        mrc::HugeBlock memory; //!< zero at first
    };

    /// @return the connection @throws LabError if there is none
    const Connection& Find(uint32_t nic, uint32_t qp) const;

    EmuFabric& m_fabric;                   //!< whose NICs
    const Lab& m_lab;                      //!< whose hosts
    std::vector<Connection> m_connections; //!< all
    mrc::Random m_random;                  //!< first PSNs
    uint64_t m_nextId{1};                  //!< of work requests
};

} // namespace mrc::emu

#endif // MRC_EMU_ENDPOINTS_H
