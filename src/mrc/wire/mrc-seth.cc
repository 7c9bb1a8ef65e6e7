// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-seth.h"

#include "mrc-header-size.h"

namespace mrc
{

namespace
{

constexpr uint32_t MARK_SHIFT = 5;
constexpr uint16_t PROBE_RESPONSE_BIT = 0x0002;
constexpr uint16_t R_BIT = 0x8000;
constexpr uint8_t RESTORE_CWND_BIT = 0x80;

} // namespace

void
EncodeSack(ByteWriter& writer, const Sack& sack)
{
    const auto mark = static_cast<uint32_t>(sack.mark) & 3;
    writer.U16(
        static_cast<uint16_t>(mark << MARK_SHIFT | (sack.probeResponse ? PROBE_RESPONSE_BIT : 0)));
    writer.U16(static_cast<uint16_t>(sack.ackPsnOffset));
    writer.U32(sack.entropy);
    writer.U16(sack.spdcid);
    writer.U16(sack.dpdcid);
    writer.U8(0);
    writer.U24(sack.cackPsn);
    writer.U8(static_cast<uint8_t>(sack.ccType << 4 | (sack.ccFlags & 0xf)));
    writer.U8(sack.mpr);
    writer.U16(static_cast<uint16_t>(sack.sackOffset));
    writer.U64(sack.bitmap);
    writer.U16(sack.txTimestamp);
    writer.U16((sack.r ? R_BIT : 0) | (sack.oooCount & 0x7fff));
    writer.U8((sack.restoreCwnd ? RESTORE_CWND_BIT : 0) | (sack.cwndPenalty & 0x7f));
    writer.U24(sack.receivedUnits256);
}

DecodeError
DecodeSack(ByteReader& reader, Sack& sack)
{
    if (reader.Remaining() < SETH_BYTES + CC_STATE_BYTES)
    {
        return DecodeError::TRUNCATED;
    }
    const uint16_t type = reader.U16();
    sack.mark = static_cast<SackMark>(type >> MARK_SHIFT & 3);
    sack.probeResponse = type & PROBE_RESPONSE_BIT;
    sack.ackPsnOffset = static_cast<int16_t>(reader.U16());
    sack.entropy = reader.U32();
    sack.spdcid = reader.U16();
    sack.dpdcid = reader.U16();
    reader.Skip(1);
    sack.cackPsn = reader.U24();
    const uint8_t cc = reader.U8();
    sack.ccType = cc >> 4;
    sack.ccFlags = cc & 0xf;
    sack.mpr = reader.U8();
    sack.sackOffset = static_cast<int16_t>(reader.U16());
    sack.bitmap = reader.U64();
    sack.txTimestamp = reader.U16();
    const uint16_t ooo = reader.U16();
    sack.r = ooo & R_BIT;
    sack.oooCount = ooo & 0x7fff;
    const uint8_t penalty = reader.U8();
    sack.restoreCwnd = penalty & RESTORE_CWND_BIT;
    sack.cwndPenalty = penalty & 0x7f;
    sack.receivedUnits256 = reader.U24();
    return DecodeError::OK;
}

} // namespace mrc
