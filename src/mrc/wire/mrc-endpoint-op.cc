// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-endpoint-op.h"

#include "mrc-header-size.h"
#include "mrc-request-headers.h"

namespace mrc
{

namespace
{

/// Where the op of an EETH is in its byte 1; in an ERTH it is at bit 0.
constexpr uint32_t EETH_OP_SHIFT = 2;

/// Reserved bytes of an EETH between its type and its time stamp, and after it.
constexpr size_t EETH_GAP_BYTES = 26;
constexpr size_t EETH_TAIL_BYTES = 6;

} // namespace

void
EncodeErth(ByteWriter& writer, const Erth& erth)
{
    writer.U8(0);
    writer.U8(static_cast<uint8_t>(erth.op) & 3);
    writer.U8(0);
    writer.U8(erth.vendorInfo);
    writer.U32(erth.portStatusMask);
    writer.Zeros(4);
    EncodeTseth(writer, Tseth{erth.txTimestamp, erth.tsr, erth.ftype});
}

void
EncodeEeth(ByteWriter& writer, const Eeth& eeth)
{
    writer.U8(0);
    writer.U8(static_cast<uint8_t>((static_cast<uint32_t>(eeth.op) & 3) << EETH_OP_SHIFT));
    writer.Zeros(EETH_GAP_BYTES);
    writer.U16(eeth.txTimestamp);
    writer.Zeros(EETH_TAIL_BYTES);
}

DecodeError
DecodeErth(ByteReader& reader, Erth& erth)
{
    if (reader.Remaining() < ERTH_BYTES)
    {
        return DecodeError::TRUNCATED;
    }
    reader.Skip(1);
    erth.op = static_cast<EndpointOp>(reader.U8() & 3);
    reader.Skip(1);
    erth.vendorInfo = reader.U8();
    erth.portStatusMask = reader.U32();
    reader.Skip(4);
    Tseth time{};
    DecodeTseth(reader, time);
    erth.txTimestamp = time.txTimestamp;
    erth.tsr = time.tsr;
    erth.ftype = time.ftype;
    return DecodeError::OK;
}

DecodeError
DecodeEeth(ByteReader& reader, Eeth& eeth)
{
    if (reader.Remaining() < EETH_BYTES)
    {
        return DecodeError::TRUNCATED;
    }
    reader.Skip(1);
    eeth.op = static_cast<EndpointOp>(reader.U8() >> EETH_OP_SHIFT & 3);
    reader.Skip(EETH_GAP_BYTES);
    eeth.txTimestamp = reader.U16();
    reader.Skip(EETH_TAIL_BYTES);
    return DecodeError::OK;
}

} // namespace mrc
