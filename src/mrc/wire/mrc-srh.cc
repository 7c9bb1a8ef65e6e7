// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-srh.h"

#include "mrc-header-size.h"

namespace mrc
{

namespace
{

/// The one TLV type without a length byte.
constexpr uint8_t TLV_PAD1 = 0;

/// @param writer at the header @param nextHeader of what follows @param listed segments in the list
/// @param segmentsLeft index of the active one
void
WriteFixed(ByteWriter& writer, uint8_t nextHeader, uint8_t listed, uint8_t segmentsLeft)
{
    writer.U8(nextHeader);
    writer.U8(static_cast<uint8_t>(2 * listed));
    writer.U8(ROUTING_TYPE_SRH);
    writer.U8(segmentsLeft);
    writer.U8(static_cast<uint8_t>(listed - 1));
    writer.U8(0);
    writer.U16(0);
}

} // namespace

bool
NextSrhTlv(const Srh& srh, size_t& offset, SrhTlv& tlv)
{
    if (offset >= srh.tlvBytes)
    {
        return false;
    }
    const uint8_t* const at = srh.tlvs + offset;
    const size_t left = srh.tlvBytes - offset;
    if (at[0] == TLV_PAD1)
    {
        tlv = SrhTlv{TLV_PAD1, 0, at + 1};
        offset += 1;
        return true;
    }
    if (left < 2 || left - 2 < at[1])
    {
        return false;
    }
    tlv = SrhTlv{at[0], at[1], at + 2};
    offset += 2u + at[1];
    return true;
}

bool
EncodeSrh(
    ByteWriter& writer, uint8_t nextHeader, const Ipv6Address* path, size_t count, bool reduced)
{
    const size_t first = reduced ? 1 : 0;
    if (count <= first || count - first > MAX_SRH_SEGMENTS)
    {
        return false;
    }
    WriteFixed(
        writer, nextHeader, static_cast<uint8_t>(count - first), static_cast<uint8_t>(count - 1));
    for (size_t i = count; i > first; --i)
    {
        writer.U64(path[i - 1].high);
        writer.U64(path[i - 1].low);
    }
    return true;
}

void
EncodeSrhList(ByteWriter& writer,
              uint8_t nextHeader,
              const uint8_t* segments,
              uint8_t count,
              uint8_t segmentsLeft)
{
    WriteFixed(writer, nextHeader, count, segmentsLeft);
    writer.Copy(segments, count * size_t{SEGMENT_BYTES});
}

DecodeError
DecodeSrh(ByteReader& reader, Srh& srh)
{
    if (reader.Remaining() < SRH_FIXED_BYTES)
    {
        return DecodeError::TRUNCATED;
    }
    const uint8_t* const bytes = reader.Position();
    const size_t bodyBytes = bytes[1] * size_t{8};
    const uint8_t segmentsLeft = bytes[3];
    const size_t segmentCount = bytes[4] + size_t{1};
    if (bytes[2] != ROUTING_TYPE_SRH || segmentCount * SEGMENT_BYTES > bodyBytes ||
        segmentsLeft > segmentCount)
    {
        return DecodeError::BAD_SRH;
    }
    if (reader.Remaining() - SRH_FIXED_BYTES < bodyBytes)
    {
        return DecodeError::TRUNCATED;
    }
    Srh view{};
    view.nextHeader = bytes[0];
    view.segmentsLeft = segmentsLeft;
    view.flags = bytes[5];
    view.tag = static_cast<uint16_t>(bytes[6] << 8 | bytes[7]);
    view.segmentCount = static_cast<uint8_t>(segmentCount);
    view.segmentBytes = bytes + SRH_FIXED_BYTES;
    view.tlvs = view.segmentBytes + segmentCount * SEGMENT_BYTES;
    view.tlvBytes = static_cast<uint16_t>(bodyBytes - segmentCount * SEGMENT_BYTES);
    size_t offset = 0;
    SrhTlv tlv{};
    while (NextSrhTlv(view, offset, tlv))
    {
    }
    if (offset != view.tlvBytes)
    {
        return DecodeError::BAD_SRH;
    }
    reader.Skip(SRH_FIXED_BYTES + bodyBytes);
    srh = view;
    return DecodeError::OK;
}

} // namespace mrc
