// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-bth.h"

namespace mrc
{

namespace
{

constexpr uint8_t SOLICITED_EVENT_BIT = 0x80;
constexpr uint8_t MIGRATION_BIT = 0x40;
constexpr uint8_t ACK_REQUEST_BIT = 0x80;
constexpr uint8_t RETRANSMISSION_BIT = 0x20;
constexpr uint8_t TIMESTAMP_BIT = 0x10;

} // namespace

void
EncodeBth(ByteWriter& writer, const Bth& bth)
{
    writer.U8(static_cast<uint8_t>(bth.opcode));
    writer.U8((bth.solicitedEvent ? SOLICITED_EVENT_BIT : 0) | (bth.migration ? MIGRATION_BIT : 0) |
              (bth.padCount & 3) << 4 | (bth.tver & 0xf));
    writer.U16(bth.pKey);
    writer.U8(bth.reserved);
    writer.U24(bth.destinationQp);
    writer.U8((bth.ackRequest ? ACK_REQUEST_BIT : 0) |
              (bth.retransmission ? RETRANSMISSION_BIT : 0) | (bth.timestamp ? TIMESTAMP_BIT : 0));
    writer.U24(bth.psn);
}

DecodeError
DecodeBth(ByteReader& reader, Bth& bth)
{
    if (reader.Remaining() < BTH_BYTES)
    {
        return DecodeError::TRUNCATED;
    }
    const uint8_t opcode = reader.Position()[0];
    const uint8_t flags = reader.Position()[1];
    if (!IsKnownOpcode(opcode))
    {
        return DecodeError::UNKNOWN_OPCODE;
    }
    if ((flags & 0xf) != 0)
    {
        return DecodeError::BAD_VERSION;
    }
    reader.Skip(2);
    bth.opcode = static_cast<Opcode>(opcode);
    bth.solicitedEvent = flags & SOLICITED_EVENT_BIT;
    bth.migration = flags & MIGRATION_BIT;
    bth.padCount = flags >> 4 & 3;
    bth.tver = 0;
    bth.pKey = reader.U16();
    bth.reserved = reader.U8();
    bth.destinationQp = reader.U24();
    const uint8_t requests = reader.U8();
    bth.ackRequest = requests & ACK_REQUEST_BIT;
    bth.retransmission = requests & RETRANSMISSION_BIT;
    bth.timestamp = requests & TIMESTAMP_BIT;
    bth.psn = reader.U24();
    return DecodeError::OK;
}

} // namespace mrc
