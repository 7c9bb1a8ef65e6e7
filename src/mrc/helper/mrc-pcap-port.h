// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PCAP_PORT_H
#define MRC_PCAP_PORT_H

#include "mrc-address-plan.h"
#include "mrc-egress-port.h"
#include "mrc-frame-codec.h"
#include "mrc-pcapng-writer.h"

#include <ns3/ptr.h>

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup mrc
 * Captures what one port of a NIC or switch sends and receives.
 *
 * An outbound packet has the time at which its first bit leaves. An inbound one is seen where the
 * far end sends it and has the time at which it will have arrived here: serialisation, propagation
 * and the latency of the node that receives it are over. So an inbound packet is in the capture
 * also if the link loses it on the way, and damage on the last link does not show.
 *
 * Only watches: it schedules nothing and draws no random number. A packet that a lazily evaluated
 * port has not yet decided to send when the simulation stops is not in the capture.
 *
 * An egress port has one tap and a capture takes those of both directions of a link. So capture a
 * link at one of its ends only.
 */
class MrcPcapPort
{
  public:
    /**
     * Start to capture.
     *
     * @param writer the file, which may hold several ports; outlives this object
     * @param interface the port's name in the file, such as "nic-0:p1" (see mrc::PortName())
     * @param own egress of the captured port; null for inbound only
     * @param peer egress of the port at the far end of the link; null for outbound only
     * @param addresses the fabric's addresses; copied
     * @param options how the NICs encode
     */
    MrcPcapPort(mrc::PcapngWriter& writer,
                const mrc::PcapngInterface& interface,
                Ptr<MrcEgressPort> own,
                Ptr<MrcEgressPort> peer,
                const mrc::AddressPlan& addresses,
                const mrc::EncodeOptions& options = mrc::EncodeOptions());

    /// Stop to capture. What was captured stays with the writer.
    ~MrcPcapPort();

    MrcPcapPort(const MrcPcapPort&) = delete;
    MrcPcapPort& operator=(const MrcPcapPort&) = delete;

    /// @return frames that have no encoding (see mrc::EncodeFrame()) and so are not in the file
    uint64_t Skipped() const
    {
        return m_skipped;
    }

    /**
     * The MAC address that captures show for a NIC port, locally administered:
     * 02 | plane 8 bits | NIC 32 bits.
     *
     * @param nic index of the NIC
     * @param plane plane of its port
     * @return the address, low 48 bits
     */
    static constexpr uint64_t MacAddress(uint32_t nic, uint8_t plane)
    {
        return uint64_t{0x02} << 40 | uint64_t{plane} << 32 | nic;
    }

    /**
     * Complete a frame of a simulated NIC.
     *
     * @param plan the fabric's addresses
     * @param frame without HAS_BYTES
     * @return what EncodeFrame() needs
     */
    static mrc::FrameAddresses Addresses(const mrc::AddressPlan& plan, const mrc::Frame& frame);

  private:
    /// One direction of the link.
    class Tap : public MrcPortTap
    {
      public:
        /// @param port the port that captures @param direction what this tap sees
        Tap(MrcPcapPort& port, mrc::PcapngDirection direction)
            : m_port(port),
              m_direction(direction)
        {
        }

        void OnTransmit(const mrc::Frame& frame, int64_t startPs) override;

      private:
        MrcPcapPort& m_port;              //!< captures
        mrc::PcapngDirection m_direction; //!< as the captured port sees it
    };

    /// Write a frame to the file.
    void Record(const mrc::Frame& frame, mrc::PcapngDirection direction, int64_t timePs);

    mrc::PcapngWriter& m_writer;                           //!< the file
    mrc::AddressPlan m_addresses;                          //!< addresses of the NICs
    mrc::EncodeOptions m_options;                          //!< how the NICs encode
    uint32_t m_interface;                                  //!< number in the file
    Ptr<MrcEgressPort> m_own;                              //!< egress of the captured port
    Ptr<MrcEgressPort> m_peer;                             //!< egress of the far end
    Tap m_outbound{*this, mrc::PcapngDirection::OUTBOUND}; //!< watches m_own
    Tap m_inbound{*this, mrc::PcapngDirection::INBOUND};   //!< watches m_peer
    uint64_t m_skipped{0};                                 //!< frames without encoding
    std::array<uint8_t, mrc::MAX_ENCODED_BYTES> m_bytes{}; //!< the frame being encoded
};

} // namespace ns3

#endif // MRC_PCAP_PORT_H
