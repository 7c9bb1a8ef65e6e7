// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_HOST_PORT_H
#define MRC_EMU_HOST_PORT_H

#include "mrc-clos-network.h"
#include "mrc-emu-clock.h"
#include "mrc-emu-fd.h"
#include "mrc-emu-lab.h"
#include "mrc-emu-lag.h"
#include "mrc-frame-codec.h"
#include "mrc-raw-bytes.h"

#include <array>
#include <optional>
#include <string>

namespace mrc::emu
{

/// What a port of a real host counted.
struct HostPortCounters
{
    uint64_t received{0};      ///< packets from the host into the fabric
    uint64_t receivedBytes{0}; ///< their bytes, without FCS
    uint64_t sent{0};          ///< packets from the fabric to the host
    uint64_t sentBytes{0};     ///< their bytes, without FCS
    uint64_t late{0};          ///< of those sent: later than the lab's `late`
    uint64_t local{0};         ///< multicast and link-local packets of the host, not forwarded
    uint64_t notIpv6{0};       ///< ARP, IPv4 and others of the host, not forwarded
    uint64_t malformed{0};     ///< with lengths that contradict each other
    uint64_t superFrames{0};   ///< longer than the MTU: an offload is on
    uint64_t hostDrops{0};     ///< the host's side took no packet
    uint64_t unencodable{0};   ///< frames of simulated NICs that have no bytes
};

/**
 * A port of a real host: what a NIC's port is to a simulated one.
 *
 * Packets from the host are queued at the NIC's egress port in the fabric, which serialises them at
 * the link's rate. While its queue is long no more are read, so the host's own queue fills and its
 * stack slows down, as with hardware. Packets to the host are written when they arrive.
 */
class HostPort : public ns3::MrcFrameSink
{
  public:
    /**
     * @param name "h0:p1"
     * @param fd a TAP or a packet socket
     * @param port what fd is
     * @param nic place in the fabric
     * @param plane of the port
     * @param network the fabric; its T0 now leads here
     * @param lab for MTU and limits, outlives the port
     * @param clock outlives the port
     */
    HostPort(std::string name,
             Fd fd,
             LabPort port,
             uint32_t nic,
             uint32_t plane,
             ns3::MrcClosNetwork& network,
             const Lab& lab,
             const EmuClock& clock);

    HostPort(const HostPort&) = delete;
    HostPort& operator=(const HostPort&) = delete;

    /// The descriptor became readable.
    void SetReadable()
    {
        m_isReadable = true;
    }

    /// @param nowPs simulated time @return whether Ingest() would do something
    bool HasWork(int64_t nowPs) const
    {
        return m_isReadable && nowPs >= m_resumePs;
    }

    /// @return simulated time at which reading goes on; INT64_MAX if nothing waits
    int64_t ResumePs() const
    {
        return m_isReadable ? m_resumePs : INT64_MAX;
    }

    /**
     * Read packets of the host.
     *
     * @param nowPs simulated time
     * @param most packets
     * @return packets read
     */
    uint32_t Ingest(int64_t nowPs, uint32_t most);

    void Receive(mrc::Frame* frame, uint16_t port, int64_t nowPs) override;

    /// Let the host see its cable or not.
    void SetCarrier(bool isUp);

    /**
     * Look whether the interface of the machine that stands behind this port was deleted or made
     * anew; one that was made anew is attached to.
     *
     * @param machine a socket that was opened in the network namespace of the interface
     * @return what happened since the last look, for the log; empty if nothing did
     */
    std::string CheckInterface(const Fd& machine);

    /// @return "h0:p1"
    const std::string& Name() const
    {
        return m_name;
    }

    /// @return its place
    uint32_t Nic() const
    {
        return m_nic;
    }

    /// @return its plane
    uint32_t Plane() const
    {
        return m_plane;
    }

    /// @return the descriptor
    const Fd& Descriptor() const
    {
        return m_fd;
    }

    /// @return what it counted
    const HostPortCounters& Counters() const
    {
        return m_counters;
    }

    /// @return how late packets left, since the last Reset()
    LagStatistics& Lag()
    {
        return m_lag;
    }

  private:
    /// Read one packet. @param raw where to @return bytes, negative if there is none
    ssize_t ReadPacket(RawBytes& raw);
    /// Write one packet. @param bytes of it @param count of them
    void WritePacket(uint8_t* bytes, size_t count);
    /// Count a packet that is not forwarded. @param verdict why
    void Refuse(RawVerdict verdict);

    std::string m_name;                                 //!< "h0:p1"
    Fd m_fd;                                            //!< to the host
    LabPort m_port;                                     //!< what m_fd is
    std::optional<uint32_t> m_index;                    //!< of the machine's interface, 0: deleted
    bool m_hasCarrier{true};                            //!< the host sees its cable
    uint32_t m_nic;                                     //!< place
    uint32_t m_plane;                                   //!< plane
    ns3::MrcEgressPort& m_egress;                       //!< into the fabric
    mrc::FramePool& m_pool;                             //!< memory
    const mrc::AddressPlan& m_plan;                     //!< addresses
    const EmuClock& m_clock;                            //!< for lateness
    const Lab& m_lab;                                   //!< limits
    RawOptions m_rawOptions;                            //!< of the fabric
    EncodeOptions m_encodeOptions;                      //!< of simulated NICs
    uint64_t m_hostMac;                                 //!< where packets to the host go
    bool m_isReadable{true};                            //!< there may be packets
    int64_t m_resumePs{0};                              //!< do not read before
    HostPortCounters m_counters;                        //!< counts
    LagStatistics m_lag;                                //!< of packets to the host
    std::array<uint8_t, MAX_ENCODED_BYTES> m_encoded{}; //!< a simulated NIC's packet
};

} // namespace mrc::emu

#endif // MRC_EMU_HOST_PORT_H
