// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-peth.h"

#include "mrc-header-size.h"
#include "mrc-request-headers.h"

namespace mrc
{

void
EncodePeth(ByteWriter& writer, const Peth& peth)
{
    writer.Zeros(3);
    writer.U8(peth.vendorInfo);
    writer.U16(peth.probeId);
    writer.Zeros(2);
    writer.U16(peth.spdcid);
    writer.U16(peth.dpdcid);
    EncodeTseth(writer, Tseth{peth.txTimestamp, peth.tsr, peth.ftype});
}

DecodeError
DecodePeth(ByteReader& reader, Peth& peth)
{
    if (reader.Remaining() < PETH_BYTES)
    {
        return DecodeError::TRUNCATED;
    }
    reader.Skip(3);
    peth.vendorInfo = reader.U8();
    peth.probeId = reader.U16();
    reader.Skip(2);
    peth.spdcid = reader.U16();
    peth.dpdcid = reader.U16();
    Tseth time{};
    DecodeTseth(reader, time);
    peth.txTimestamp = time.txTimestamp;
    peth.tsr = time.tsr;
    peth.ftype = time.ftype;
    return DecodeError::OK;
}

} // namespace mrc
