// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ipv4.h"

#include "mrc-header-size.h"

namespace mrc
{

namespace
{

constexpr uint16_t DONT_FRAGMENT_BIT = 0x4000;
constexpr uint16_t MORE_FRAGMENTS_BIT = 0x2000;
constexpr uint16_t FRAGMENT_OFFSET_MASK = 0x1fff;
constexpr size_t CHECKSUM_OFFSET = 10;

} // namespace

uint16_t
InternetChecksum(const uint8_t* bytes, size_t count)
{
    uint32_t sum = 0;
    for (size_t i = 0; i + 1 < count; i += 2)
    {
        sum += static_cast<uint32_t>(bytes[i]) << 8 | bytes[i + 1];
    }
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(~sum);
}

void
EncodeIpv4(ByteWriter& writer, const Ipv4Header& header)
{
    uint8_t bytes[IPV4_BYTES];
    ByteWriter local(bytes, sizeof bytes);
    local.U8(0x45);
    local.U8(header.trafficClass);
    local.U16(header.totalBytes);
    local.U16(header.identification);
    local.U16((header.dontFragment ? DONT_FRAGMENT_BIT : 0) |
              (header.moreFragments ? MORE_FRAGMENTS_BIT : 0) |
              (header.fragmentOffset & FRAGMENT_OFFSET_MASK));
    local.U8(header.timeToLive);
    local.U8(header.protocol);
    local.U16(0);
    local.U32(header.source);
    local.U32(header.destination);
    ByteWriter(bytes + CHECKSUM_OFFSET, 2).U16(InternetChecksum(bytes, sizeof bytes));
    writer.Copy(bytes, sizeof bytes);
}

DecodeError
DecodeIpv4(ByteReader& reader, Ipv4Header& header)
{
    if (reader.Remaining() < IPV4_BYTES)
    {
        return DecodeError::TRUNCATED;
    }
    const uint8_t* const bytes = reader.Position();
    if (bytes[0] >> 4 != 4)
    {
        return DecodeError::BAD_VERSION;
    }
    const auto headerBytes = static_cast<uint8_t>((bytes[0] & 0xf) * 4);
    const auto totalBytes = static_cast<uint16_t>(bytes[2] << 8 | bytes[3]);
    if (headerBytes < IPV4_BYTES || totalBytes < headerBytes)
    {
        return DecodeError::BAD_LENGTH;
    }
    if (reader.Remaining() < headerBytes)
    {
        return DecodeError::TRUNCATED;
    }
    if (InternetChecksum(bytes, headerBytes) != 0)
    {
        return DecodeError::BAD_CHECKSUM;
    }
    reader.Skip(1);
    header.headerBytes = headerBytes;
    header.trafficClass = reader.U8();
    header.totalBytes = reader.U16();
    header.identification = reader.U16();
    const uint16_t fragment = reader.U16();
    header.dontFragment = fragment & DONT_FRAGMENT_BIT;
    header.moreFragments = fragment & MORE_FRAGMENTS_BIT;
    header.fragmentOffset = fragment & FRAGMENT_OFFSET_MASK;
    header.timeToLive = reader.U8();
    header.protocol = reader.U8();
    reader.Skip(2);
    header.source = reader.U32();
    header.destination = reader.U32();
    reader.Skip(headerBytes - IPV4_BYTES);
    return DecodeError::OK;
}

} // namespace mrc
