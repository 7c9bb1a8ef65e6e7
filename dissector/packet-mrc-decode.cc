// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// From the bytes of a packet to mrc_packet, with the decoders of wire/.
#include "mrc-extended-headers.h"
#include "packet-mrc-parts.h"

#include <cstring>

namespace
{

/**
 * Decode a header if all of it was captured.
 *
 * @param tvb from the BTH on
 * @param offset of the header, advanced past it on success
 * @param bytes its size
 * @param decode function of wire/
 * @param header the answer
 * @return whether it was there
 */
template <typename T>
bool
decode(tvbuff_t* tvb,
       int& offset,
       int bytes,
       mrc::DecodeError (*decode)(mrc::ByteReader&, T&),
       T& header)
{
    if (tvb_captured_length_remaining(tvb, offset) < bytes)
    {
        return false;
    }
    mrc::ByteReader reader(tvb_get_ptr(tvb, offset, bytes), bytes);
    if (decode(reader, header) != mrc::DecodeError::OK)
    {
        return false;
    }
    offset += bytes;
    return true;
}

bool
decode_bth(tvbuff_t* tvb, mrc::Bth& bth)
{
    if (tvb_captured_length(tvb) < mrc::BTH_BYTES)
    {
        return false;
    }
    // A TVer that nobody has defined yet is shown with a warning; the decoder would refuse it.
    uint8_t bytes[mrc::BTH_BYTES];
    tvb_memcpy(tvb, bytes, 0, sizeof(bytes));
    const uint8_t tver = bytes[1] & 0x0f;
    bytes[1] &= 0xf0;
    mrc::ByteReader reader(bytes, sizeof(bytes));
    if (mrc::DecodeBth(reader, bth) != mrc::DecodeError::OK)
    {
        return false;
    }
    bth.tver = tver;
    return true;
}

void
decode_write(tvbuff_t* tvb, mrc_packet& packet)
{
    int offset = mrc::BTH_BYTES;
    if (!decode(tvb, offset, mrc::METH_BYTES, mrc::DecodeMeth, packet.meth))
    {
        return;
    }
    packet.headers |= MRC_HAS_METH;
    if (packet.bth.timestamp)
    {
        if (!decode(tvb, offset, mrc::TSETH_BYTES, mrc::DecodeTseth, packet.tseth))
        {
            return;
        }
        packet.headers |= MRC_HAS_TSETH;
    }
    if (!decode(tvb, offset, mrc::RETH_BYTES, mrc::DecodeReth, packet.reth))
    {
        return;
    }
    packet.headers |= MRC_HAS_RETH;
    if (mrc::HasImmediate(packet.bth.opcode) &&
        decode(tvb, offset, mrc::IMMDT_BYTES, mrc::DecodeImmDt, packet.immediate))
    {
        packet.headers |= MRC_HAS_IMMDT;
    }
}

/// A probe travels with the data and may be trimmed within its last bytes.
void
decode_probe(tvbuff_t* tvb, mrc_packet& packet)
{
    uint8_t bytes[mrc::PETH_BYTES] = {0};
    const int needed = mrc::ExtendedHeaderBytesAfterTrim(mrc::Opcode::RELIABILITY_PROBE, false);
    const int left = tvb_captured_length_remaining(tvb, mrc::BTH_BYTES);
    if (left < needed)
    {
        return;
    }
    const int there = left < static_cast<int>(sizeof(bytes)) ? left : sizeof(bytes);
    tvb_memcpy(tvb, bytes, mrc::BTH_BYTES, there);
    mrc::ByteReader reader(bytes, sizeof(bytes));
    if (mrc::DecodePeth(reader, packet.peth) == mrc::DecodeError::OK)
    {
        packet.headers |= MRC_HAS_PETH;
    }
}

template <typename T>
void
decode_control(tvbuff_t* tvb,
               mrc_packet& packet,
               int bytes,
               mrc::DecodeError (*function)(mrc::ByteReader&, T&),
               T& header,
               mrc_header bit)
{
    int offset = mrc::BTH_BYTES;
    if (decode(tvb, offset, bytes, function, header))
    {
        packet.headers |= bit;
    }
}

} // namespace

int
mrc_decode_headers(tvbuff_t* tvb, mrc_packet& packet)
{
    packet.raw_opcode = mrc_tvb_get_uint8(tvb, 0);
    packet.bth.opcode = static_cast<mrc::Opcode>(packet.raw_opcode);
    if (!decode_bth(tvb, packet.bth))
    {
        return 0;
    }
    packet.headers |= MRC_HAS_BTH;
    switch (packet.bth.opcode)
    {
    case mrc::Opcode::ACKNOWLEDGE:
        decode_control(tvb, packet, mrc::AETH_BYTES, mrc::DecodeAeth, packet.aeth, MRC_HAS_AETH);
        break;
    case mrc::Opcode::ENDPOINT_REQUEST:
        decode_control(tvb, packet, mrc::ERTH_BYTES, mrc::DecodeErth, packet.erth, MRC_HAS_ERTH);
        break;
    case mrc::Opcode::ENDPOINT_RESPONSE:
        decode_control(tvb, packet, mrc::EETH_BYTES, mrc::DecodeEeth, packet.eeth, MRC_HAS_EETH);
        break;
    case mrc::Opcode::SACK:
        decode_control(tvb,
                       packet,
                       mrc::SETH_BYTES + mrc::CC_STATE_BYTES,
                       mrc::DecodeSack,
                       packet.sack,
                       MRC_HAS_SACK);
        break;
    case mrc::Opcode::NACK:
        decode_control(tvb, packet, mrc::NETH_BYTES, mrc::DecodeNack, packet.nack, MRC_HAS_NACK);
        break;
    case mrc::Opcode::RELIABILITY_PROBE:
        decode_probe(tvb, packet);
        break;
    default:
        decode_write(tvb, packet);
        packet.has_psn = true;
        packet.psn = packet.bth.psn;
    }
    if (packet.headers & MRC_HAS_SACK)
    {
        packet.psn = packet.sack.cackPsn;
        packet.has_reflected_ev = true;
        packet.reflected_ev = packet.sack.entropy;
    }
    if (packet.headers & MRC_HAS_NACK)
    {
        packet.psn = packet.nack.nackPsn;
        packet.has_reflected_ev = true;
        packet.reflected_ev = packet.nack.entropy;
    }
    return static_cast<int>(mrc::ExtendedHeaderBytes(packet.bth.opcode, packet.bth.timestamp));
}
