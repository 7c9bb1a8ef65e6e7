// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-pcap-port.h"

#include "mrc-raw-bytes.h"

#include <utility>

namespace ns3
{

MrcPcapPort::MrcPcapPort(mrc::PcapngWriter& writer,
                         const mrc::PcapngInterface& interface,
                         Ptr<MrcEgressPort> own,
                         Ptr<MrcEgressPort> peer,
                         const mrc::AddressPlan& addresses,
                         const mrc::EncodeOptions& options)
    : m_writer(writer),
      m_addresses(addresses),
      m_options(options),
      m_interface(writer.AddInterface(interface)),
      m_own(std::move(own)),
      m_peer(std::move(peer))
{
    // Decisions that were taken before now may still come, see OnTransmit().
    if (m_own)
    {
        m_writer.AllowDisorder(m_own->DelayPs(), 0);
        m_own->SetTap(&m_outbound);
    }
    if (m_peer)
    {
        m_peer->SetTap(&m_inbound);
    }
}

MrcPcapPort::~MrcPcapPort()
{
    if (m_own)
    {
        m_own->SetTap(nullptr);
    }
    if (m_peer)
    {
        m_peer->SetTap(nullptr);
    }
}

void
MrcPcapPort::Tap::OnTransmit(const mrc::Frame& frame, int64_t startPs)
{
    // The port looks again at the latest when this frame arrives. So the next decision, which is
    // taken when this frame has left, comes at most one delay late. And an inbound frame is
    // stamped at most this time ahead of the simulator's clock.
    const int64_t crossingPs = frame.whenPs - startPs;
    if (m_direction == mrc::PcapngDirection::OUTBOUND)
    {
        m_port.m_writer.AllowDisorder(crossingPs, 0);
        m_port.Record(frame, m_direction, startPs);
    }
    else
    {
        m_port.m_writer.AllowDisorder(0, crossingPs);
        m_port.Record(frame, m_direction, frame.whenPs);
    }
}

mrc::FrameAddresses
MrcPcapPort::Addresses(const mrc::AddressPlan& plan, const mrc::Frame& frame)
{
    mrc::FrameAddresses addresses{};
    addresses.outerSource = plan.NicPortAddress(frame.source, frame.plane);
    addresses.innerSource = plan.NicAddress(frame.source);
    addresses.innerDestination = plan.NicAddress(frame.destination);
    addresses.sourceMac = MacAddress(frame.source, frame.plane);
    addresses.destinationMac = MacAddress(frame.destination, frame.plane);
    return addresses;
}

void
MrcPcapPort::Record(const mrc::Frame& frame, mrc::PcapngDirection direction, int64_t timePs)
{
    if (frame.Has(mrc::Frame::HAS_BYTES))
    {
        const auto count = static_cast<uint32_t>(mrc::WriteRaw(frame));
        m_writer.Write(m_interface, direction, timePs, frame.raw->data, count, count);
        return;
    }
    const size_t count = mrc::EncodeFrame(
        frame, Addresses(m_addresses, frame), m_options, m_bytes.data(), m_bytes.size());
    if (count == 0)
    {
        ++m_skipped;
        return;
    }
    m_writer.Write(
        m_interface, direction, timePs, m_bytes.data(), count, static_cast<uint32_t>(count));
}

} // namespace ns3
