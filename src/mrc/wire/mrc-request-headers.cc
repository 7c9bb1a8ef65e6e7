// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-request-headers.h"

#include "mrc-header-size.h"

namespace mrc
{

void
EncodeMeth(ByteWriter& writer, const Meth& meth)
{
    writer.U16(meth.rqmsn);
    writer.U16(meth.msn);
}

void
EncodeTseth(ByteWriter& writer, const Tseth& tseth)
{
    writer.U16(tseth.txTimestamp);
    writer.U16(static_cast<uint16_t>((tseth.tsr & 1) << 15 | (tseth.ftype & 0xf)));
}

void
EncodeReth(ByteWriter& writer, const Reth& reth)
{
    writer.U64(reth.va);
    writer.U32(reth.rKey);
    writer.U32(reth.dmaBytes);
}

void
EncodeImmDt(ByteWriter& writer, uint32_t immediate)
{
    writer.U32(immediate);
}

void
EncodeAeth(ByteWriter& writer, const Aeth& aeth)
{
    writer.U8(aeth.syndrome);
    writer.U24(aeth.msn);
}

DecodeError
DecodeMeth(ByteReader& reader, Meth& meth)
{
    if (reader.Remaining() < METH_BYTES)
    {
        return DecodeError::TRUNCATED;
    }
    meth.rqmsn = reader.U16();
    meth.msn = reader.U16();
    return DecodeError::OK;
}

DecodeError
DecodeTseth(ByteReader& reader, Tseth& tseth)
{
    if (reader.Remaining() < TSETH_BYTES)
    {
        return DecodeError::TRUNCATED;
    }
    tseth.txTimestamp = reader.U16();
    const uint16_t format = reader.U16();
    tseth.tsr = format >> 15;
    tseth.ftype = format & 0xf;
    return DecodeError::OK;
}

DecodeError
DecodeReth(ByteReader& reader, Reth& reth)
{
    if (reader.Remaining() < RETH_BYTES)
    {
        return DecodeError::TRUNCATED;
    }
    reth.va = reader.U64();
    reth.rKey = reader.U32();
    reth.dmaBytes = reader.U32();
    return DecodeError::OK;
}

DecodeError
DecodeImmDt(ByteReader& reader, uint32_t& immediate)
{
    if (reader.Remaining() < IMMDT_BYTES)
    {
        return DecodeError::TRUNCATED;
    }
    immediate = reader.U32();
    return DecodeError::OK;
}

DecodeError
DecodeAeth(ByteReader& reader, Aeth& aeth)
{
    if (reader.Remaining() < AETH_BYTES)
    {
        return DecodeError::TRUNCATED;
    }
    aeth.syndrome = reader.U8();
    aeth.msn = reader.U24();
    return DecodeError::OK;
}

} // namespace mrc
