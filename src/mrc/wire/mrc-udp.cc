// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-udp.h"

#include "mrc-header-size.h"

namespace mrc
{

void
EncodeUdp(ByteWriter& writer, const UdpHeader& header)
{
    writer.U16(header.sourcePort);
    writer.U16(header.destinationPort);
    writer.U16(header.bytes);
    writer.U16(header.checksum);
}

DecodeError
DecodeUdp(ByteReader& reader, UdpHeader& header)
{
    if (reader.Remaining() < UDP_BYTES)
    {
        return DecodeError::TRUNCATED;
    }
    const uint8_t* const bytes = reader.Position();
    if ((bytes[4] << 8 | bytes[5]) < static_cast<int>(UDP_BYTES))
    {
        return DecodeError::BAD_LENGTH;
    }
    header.sourcePort = reader.U16();
    header.destinationPort = reader.U16();
    header.bytes = reader.U16();
    header.checksum = reader.U16();
    return DecodeError::OK;
}

} // namespace mrc
