// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ethernet.h"

#include "mrc-header-size.h"

namespace mrc
{

void
EncodeEthernet(ByteWriter& writer, const EthernetHeader& header)
{
    writer.U48(header.destinationMac);
    writer.U48(header.sourceMac);
    writer.U16(header.etherType);
}

DecodeError
DecodeEthernet(ByteReader& reader, EthernetHeader& header)
{
    if (reader.Remaining() < ETHERNET_BYTES)
    {
        return DecodeError::TRUNCATED;
    }
    header.destinationMac = reader.U48();
    header.sourceMac = reader.U48();
    header.etherType = reader.U16();
    return DecodeError::OK;
}

} // namespace mrc
