// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-extended-headers.h"

#include "mrc-header-size.h"

namespace mrc
{

namespace
{

/// A trim to TRIM_BYTES of an encapsulated probe cuts its ICRC and the format of its time stamp.
constexpr uint32_t PETH_BYTES_AFTER_TRIM = PETH_BYTES - 2;

/**
 * @param reader behind the BTH of a WRITE
 * @param frame see DecodeExtendedHeaders()
 * @param where the header that is missing, if any
 * @return OK or TRUNCATED
 */
DecodeError
DecodeWriteHeaders(ByteReader& reader, Frame& frame, WireHeader& where)
{
    WriteFrame& write = frame.write;
    write = WriteFrame{};
    where = WireHeader::METH;
    DecodeError error = DecodeMeth(reader, write.meth);
    if (error == DecodeError::OK && frame.Has(Frame::HAS_TIMESTAMP))
    {
        where = WireHeader::TSETH;
        error = DecodeTseth(reader, write.tseth);
    }
    const size_t rest = RETH_BYTES + (HasImmediate(frame.opcode) ? IMMDT_BYTES : 0);
    if (error != DecodeError::OK || (frame.Has(Frame::TRIMMED) && reader.Remaining() < rest))
    {
        return error;
    }
    where = WireHeader::RETH;
    error = DecodeReth(reader, write.reth);
    if (error == DecodeError::OK && HasImmediate(frame.opcode))
    {
        where = WireHeader::IMMDT;
        error = DecodeImmDt(reader, write.immediate);
    }
    return error;
}

/**
 * @param reader behind the BTH of a probe
 * @param frame see DecodeExtendedHeaders()
 * @return OK or TRUNCATED
 */
DecodeError
DecodeProbe(ByteReader& reader, Frame& frame)
{
    frame.probe = Peth{};
    const size_t left = reader.Remaining();
    if (!frame.Has(Frame::TRIMMED) || left >= PETH_BYTES || left < PETH_BYTES_AFTER_TRIM)
    {
        return DecodePeth(reader, frame.probe);
    }
    uint8_t padded[PETH_BYTES] = {};
    std::memcpy(padded, reader.Position(), PETH_BYTES_AFTER_TRIM);
    reader.Skip(left);
    ByteReader whole(padded, sizeof padded);
    return DecodePeth(whole, frame.probe);
}

} // namespace

void
EncodeExtendedHeaders(ByteWriter& writer, const Frame& frame)
{
    switch (frame.opcode)
    {
    case Opcode::ACKNOWLEDGE:
        EncodeAeth(writer, frame.ack);
        break;
    case Opcode::ENDPOINT_REQUEST:
        EncodeErth(writer, frame.request);
        break;
    case Opcode::ENDPOINT_RESPONSE:
        EncodeEeth(writer, frame.response);
        break;
    case Opcode::SACK:
        EncodeSack(writer, frame.sack);
        break;
    case Opcode::NACK:
        EncodeNack(writer, frame.nack);
        break;
    case Opcode::RELIABILITY_PROBE:
        EncodePeth(writer, frame.probe);
        break;
    default:
        EncodeMeth(writer, frame.write.meth);
        if (frame.Has(Frame::HAS_TIMESTAMP))
        {
            EncodeTseth(writer, frame.write.tseth);
        }
        EncodeReth(writer, frame.write.reth);
        if (HasImmediate(frame.opcode))
        {
            EncodeImmDt(writer, frame.write.immediate);
        }
        break;
    }
}

DecodeError
DecodeExtendedHeaders(ByteReader& reader, Frame& frame, WireHeader& where)
{
    switch (frame.opcode)
    {
    case Opcode::ACKNOWLEDGE:
        where = WireHeader::AETH;
        return DecodeAeth(reader, frame.ack);
    case Opcode::ENDPOINT_REQUEST:
        where = WireHeader::ERTH;
        return DecodeErth(reader, frame.request);
    case Opcode::ENDPOINT_RESPONSE:
        where = WireHeader::EETH;
        return DecodeEeth(reader, frame.response);
    case Opcode::SACK:
        where = WireHeader::SETH;
        return DecodeSack(reader, frame.sack);
    case Opcode::NACK:
        where = WireHeader::NETH;
        return DecodeNack(reader, frame.nack);
    case Opcode::RELIABILITY_PROBE:
        where = WireHeader::PETH;
        return DecodeProbe(reader, frame);
    default:
        return DecodeWriteHeaders(reader, frame, where);
    }
}

uint32_t
ExtendedHeaderBytesAfterTrim(Opcode opcode, bool timestamp)
{
    if (IsWrite(opcode))
    {
        return METH_BYTES + (timestamp ? TSETH_BYTES : 0);
    }
    return opcode == Opcode::RELIABILITY_PROBE ? PETH_BYTES_AFTER_TRIM
                                               : ExtendedHeaderBytes(opcode, timestamp);
}

} // namespace mrc
