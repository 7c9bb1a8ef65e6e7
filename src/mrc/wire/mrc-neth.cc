// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-neth.h"

#include "mrc-header-size.h"

namespace mrc
{

const char*
NackCodeName(NackCode code)
{
    switch (code)
    {
    case NackCode::TRIMMED:
        return "TRIMMED";
    case NackCode::TRIMMED_LASTHOP:
        return "TRIMMED_LASTHOP";
    case NackCode::NO_BITMAP:
        return "NO_BITMAP";
    case NackCode::NO_PKT_BUFFER:
        return "NO_PKT_BUFFER";
    case NackCode::NO_RESOURCE:
        return "NO_RESOURCE";
    case NackCode::PSN_OOR_WINDOW:
        return "PSN_OOR_WINDOW";
    case NackCode::UNEXP_EVENT:
        return "UNEXP_EVENT";
    }
    return "unknown reason";
}

void
EncodeNack(ByteWriter& writer, const Nack& nack)
{
    writer.U16(0);
    writer.U8(static_cast<uint8_t>(nack.reason));
    writer.U8(nack.vendorInfo);
    writer.U32(nack.entropy);
    writer.U16(nack.spdcid);
    writer.U16(nack.dpdcid);
    writer.U8(0);
    writer.U24(nack.nackPsn);
    writer.U8(static_cast<uint8_t>(nack.ccType << 4 | (nack.ccFlags & 0xf)));
    writer.U8(0);
    writer.U16(nack.txTimestamp);
}

DecodeError
DecodeNack(ByteReader& reader, Nack& nack)
{
    if (reader.Remaining() < NETH_BYTES)
    {
        return DecodeError::TRUNCATED;
    }
    reader.Skip(2);
    nack.reason = static_cast<NackCode>(reader.U8());
    nack.vendorInfo = reader.U8();
    nack.entropy = reader.U32();
    nack.spdcid = reader.U16();
    nack.dpdcid = reader.U16();
    reader.Skip(1);
    nack.nackPsn = reader.U24();
    const uint8_t cc = reader.U8();
    nack.ccType = cc >> 4;
    nack.ccFlags = cc & 0xf;
    reader.Skip(1);
    nack.txTimestamp = reader.U16();
    return DecodeError::OK;
}

} // namespace mrc
