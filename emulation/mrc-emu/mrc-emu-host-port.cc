// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-host-port.h"

#include "mrc-emu-host-setup.h"
#include "mrc-emu-tap.h"
#include "mrc-pcap-port.h"

#include <cerrno>
#include <iostream>
#include <sys/uio.h>

namespace mrc::emu
{

namespace
{

/// Bytes in the queue of a NIC's port above which nothing more is read from the host.
constexpr uint32_t BACKLOG_BYTES = 64 * 1024;
/// Offset of the outer IPv6 header.
constexpr size_t ETHERNET = 14;

/// What a packet socket puts in front of a packet: linux/virtio_net.h, which is no C++.
struct OffloadHeader
{
    static constexpr uint8_t NEEDS_CHECKSUM = 1; ///< bit of flags

    uint8_t flags;           ///< what is left to do
    uint8_t segmentation;    ///< 0: this is one packet
    uint16_t headerBytes;    ///< of each segment
    uint16_t segmentBytes;   ///< of each segment
    uint16_t checksumStart;  ///< first byte that it covers
    uint16_t checksumOffset; ///< where it goes, from there on
};

static_assert(sizeof(OffloadHeader) == 10, "the kernel's");

/// Write a MAC address. @param bytes room for six @param mac low 48 bits
void
PutMac(uint8_t* bytes, uint64_t mac)
{
    for (int i = 5; i >= 0; --i)
    {
        bytes[i] = static_cast<uint8_t>(mac);
        mac >>= 8;
    }
}

/// @param bytes at least six @return a MAC address
uint64_t
GetMac(const uint8_t* bytes)
{
    uint64_t mac = 0;
    for (int i = 0; i < 6; ++i)
    {
        mac = mac << 8 | bytes[i];
    }
    return mac;
}

/// Do what an offload left to the hardware: the checksum from `start` on, stored at `start` +
/// `offset`, which holds that of the pseudo-header.
void
CompleteChecksum(uint8_t* bytes, size_t count, size_t start, size_t offset)
{
    if (start + offset + 2 > count)
    {
        return;
    }
    uint64_t sum = 0;
    for (size_t i = start; i < count; i += 2)
    {
        sum += uint32_t{bytes[i]} << 8 | (i + 1 < count ? bytes[i + 1] : 0);
    }
    while (sum >> 16 != 0)
    {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    const auto checksum = static_cast<uint16_t>(~sum);
    bytes[start + offset] = static_cast<uint8_t>(checksum >> 8);
    bytes[start + offset + 1] = static_cast<uint8_t>(checksum);
}

} // namespace

HostPort::HostPort(std::string name,
                   Fd fd,
                   LabPort port,
                   uint32_t nic,
                   uint32_t plane,
                   ns3::MrcClosNetwork& network,
                   const Lab& lab,
                   const EmuClock& clock)
    : m_name(std::move(name)),
      m_fd(std::move(fd)),
      m_port(std::move(port)),
      m_nic(nic),
      m_plane(plane),
      m_egress(network.Nic(nic).Port(static_cast<uint8_t>(plane))),
      m_pool(network.Fabric().Pool()),
      m_plan(network.Fabric().Addresses()),
      m_clock(clock),
      m_lab(lab),
      m_rawOptions{network.Plan().Usids().Block(), network.Profile().Transport().dscp},
      m_hostMac(ns3::MrcPcapPort::MacAddress(nic, static_cast<uint8_t>(plane)))
{
    m_encodeOptions.dscp = m_rawOptions.dscp;
    const mrc::Attachment end{mrc::NodeKind::NIC, nic, static_cast<uint16_t>(plane)};
    network.Port(plane, network.Clos().Peer(plane, end))
        .SetSink(this, static_cast<uint16_t>(plane));
}

ssize_t
HostPort::ReadPacket(RawBytes& raw)
{
    if (m_port.kind != LabPort::Kind::DEVICE)
    {
        return read(m_fd.Get(), raw.data, sizeof(raw.data));
    }
    OffloadHeader offload{};
    iovec parts[]{{&offload, sizeof(offload)}, {raw.data, sizeof(raw.data)}};
    ssize_t count = readv(m_fd.Get(), parts, 2);
    if (count < static_cast<ssize_t>(sizeof(offload)))
    {
        return count < 0 ? count : 0;
    }
    count -= static_cast<ssize_t>(sizeof(offload));
    if (offload.segmentation != 0)
    {
        return sizeof(raw.data); // refused as a super-frame
    }
    if (offload.flags & OffloadHeader::NEEDS_CHECKSUM)
    {
        CompleteChecksum(
            raw.data, static_cast<size_t>(count), offload.checksumStart, offload.checksumOffset);
    }
    return count;
}

void
HostPort::WritePacket(uint8_t* bytes, size_t count)
{
    PutMac(bytes, m_hostMac);
    PutMac(bytes + 6, GatewayMac(m_plane));
    ssize_t written = 0;
    if (m_port.kind != LabPort::Kind::DEVICE)
    {
        written = write(m_fd.Get(), bytes, count);
    }
    else
    {
        OffloadHeader offload{};
        iovec parts[]{{&offload, sizeof(offload)}, {bytes, count}};
        written = writev(m_fd.Get(), parts, 2);
    }
    if (written < 0)
    {
        ++m_counters.hostDrops;
        return;
    }
    ++m_counters.sent;
    m_counters.sentBytes += count;
}

void
HostPort::Refuse(RawVerdict verdict)
{
    switch (verdict)
    {
    case RawVerdict::LOCAL:
        ++m_counters.local;
        break;
    case RawVerdict::NOT_IPV6:
        ++m_counters.notIpv6;
        break;
    case RawVerdict::TOO_LONG:
        if (m_counters.superFrames++ == 0)
        {
            std::cerr << "mrc-emu: " << m_name << ": a packet is longer than the MTU of "
                      << m_lab.mtu
                      << ": switch off the offloads at its sender (ethtool -K DEVICE tso off gso "
                         "off gro off), or make the MTUs equal; such packets are dropped\n";
        }
        break;
    default:
        ++m_counters.malformed;
        break;
    }
}

uint32_t
HostPort::Ingest(int64_t nowPs, uint32_t most)
{
    uint32_t count = 0;
    for (; count < most; ++count)
    {
        m_egress.Advance(nowPs);
        const uint32_t backlog = m_egress.DataBytes() + m_egress.ControlBytes();
        if (backlog > BACKLOG_BYTES)
        {
            m_resumePs = nowPs + m_egress.SerializationPs(backlog / 2);
            return count;
        }
        RawBytes* raw = m_pool.AllocateRaw();
        const ssize_t bytes = ReadPacket(*raw);
        if (bytes < 0)
        {
            m_isReadable = errno == EINTR;
            m_pool.ReleaseRaw(raw);
            return count;
        }
        raw->count = static_cast<uint32_t>(bytes);
        mrc::Frame* frame = m_pool.Allocate();
        mrc::Ipv6Address innermost{};
        const RawVerdict verdict = raw->count > m_lab.mtu + ETHERNET
                                       ? RawVerdict::TOO_LONG
                                       : ReadRaw(raw, m_rawOptions, *frame, innermost);
        if (verdict != RawVerdict::OK)
        {
            Refuse(verdict);
            m_pool.ReleaseRaw(raw);
            m_pool.Release(frame);
            continue;
        }
        ++m_counters.received;
        m_counters.receivedBytes += raw->count;
        if (m_port.kind != LabPort::Kind::TAP)
        {
            m_hostMac = GetMac(raw->data + 6);
        }
        frame->source = m_nic;
        frame->destination = m_plan.FindNic(innermost).value_or(UINT32_MAX);
        frame->plane = static_cast<uint8_t>(m_plane);
        m_egress.Enqueue(frame, nowPs);
    }
    return count;
}

void
HostPort::Receive(mrc::Frame* frame, uint16_t /* port */, int64_t nowPs)
{
    const int64_t lateNs = MonotonicNs() - m_clock.WallNs(nowPs);
    m_lag.Add(lateNs);
    m_counters.late += lateNs > m_lab.lateNs;
    if (frame->Has(mrc::Frame::HAS_BYTES))
    {
        const size_t count = WriteRaw(*frame);
        DamageRaw(*frame, count);
        WritePacket(frame->raw->data, count);
    }
    else
    {
        const size_t count = EncodeFrame(*frame,
                                         ns3::MrcPcapPort::Addresses(m_plan, *frame),
                                         m_encodeOptions,
                                         m_encoded.data(),
                                         m_encoded.size());
        if (count == 0)
        {
            ++m_counters.unencodable;
        }
        else
        {
            WritePacket(m_encoded.data(), count);
        }
    }
    m_pool.Release(frame);
}

void
HostPort::SetCarrier(bool isUp)
{
    m_hasCarrier = isUp;
    if (m_port.kind != LabPort::Kind::DEVICE)
    {
        SetTapCarrier(m_fd, isUp);
    }
}

std::string
HostPort::CheckInterface(const Fd& machine)
{
    if (m_port.kind == LabPort::Kind::TAP)
    {
        return "";
    }
    const uint32_t index = InterfaceIndex(machine, m_port.device);
    if (index == m_index)
    {
        return "";
    }
    const std::string text = m_name + ": " + m_port.device;
    const bool isFirst = !m_index;
    const bool isAttached = isFirst || (index != 0 && (m_port.kind == LabPort::Kind::DEVICE
                                                           ? ReattachDevice(m_fd, index)
                                                           : ReattachTap(m_fd, m_port.device)));
    if (isAttached)
    {
        m_index = index;
        m_isReadable = true;
        SetCarrier(m_hasCarrier);
        return isFirst ? "" : text + " is there again";
    }
    const bool isNews = *m_index != 0;
    m_index = 0; // and try again next time
    return isNews ? text + " was deleted" : "";
}

} // namespace mrc::emu
