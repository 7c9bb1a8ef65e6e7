// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ipv6.h"

#include "mrc-header-size.h"

namespace mrc
{

void
EncodeIpv6(ByteWriter& writer, const Ipv6Header& header)
{
    writer.U32(6u << 28 | static_cast<uint32_t>(header.trafficClass) << 20 |
               (header.flowLabel & 0xfffff));
    writer.U16(header.payloadBytes);
    writer.U8(header.nextHeader);
    writer.U8(header.hopLimit);
    writer.U64(header.source.high);
    writer.U64(header.source.low);
    writer.U64(header.destination.high);
    writer.U64(header.destination.low);
}

DecodeError
DecodeIpv6(ByteReader& reader, Ipv6Header& header)
{
    if (reader.Remaining() < IPV6_BYTES)
    {
        return DecodeError::TRUNCATED;
    }
    if (reader.Position()[0] >> 4 != 6)
    {
        return DecodeError::BAD_VERSION;
    }
    const uint32_t first = reader.U32();
    header.trafficClass = static_cast<uint8_t>(first >> 20);
    header.flowLabel = first & 0xfffff;
    header.payloadBytes = reader.U16();
    header.nextHeader = reader.U8();
    header.hopLimit = reader.U8();
    header.source.high = reader.U64();
    header.source.low = reader.U64();
    header.destination.high = reader.U64();
    header.destination.low = reader.U64();
    return DecodeError::OK;
}

} // namespace mrc
