// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_REQUEST_HEADERS_H
#define MRC_REQUEST_HEADERS_H

#include "mrc-bytes.h"
#include "mrc-decode-error.h"

#include <cstdint>

namespace mrc
{

/// ftype of every time stamp that MRC defines.
inline constexpr uint8_t TIMESTAMP_FTYPE = 1;

/// Nanoseconds of one unit of a time stamp whose tsr is 0.
inline constexpr uint32_t TIMESTAMP_UNIT_NS = 128;

/// AETH syndrome of an ACK; MRC has no credits, so their code is always "no limit".
inline constexpr uint8_t AETH_ACK = 0x1f;

/// AETH syndrome of the NAK "invalid request".
inline constexpr uint8_t AETH_NAK_INVALID_REQUEST = 0x61;

/// AETH syndrome of the NAK "remote access error".
inline constexpr uint8_t AETH_NAK_REMOTE_ACCESS = 0x62;

/// AETH syndrome of the NAK "remote operational error".
inline constexpr uint8_t AETH_NAK_REMOTE_OPERATION = 0x63;

//= MRC-REF 2 Request headers
/// Message numbers, 4 bytes.
struct Meth
{
    uint16_t rqmsn; ///< counts WRITEs with immediate; 0 in other messages
    uint16_t msn;   ///< counts messages; the same in all packets of one
};

/// Transmission time stamp, 4 bytes. Also the layout of the time stamps of PETH and ERTH.
struct Tseth
{
    uint16_t txTimestamp; ///< sender's clock
    uint8_t tsr;          ///< resolution, 1 bit: 0 = units of 128 ns
    uint8_t ftype;        ///< 4 bits, TIMESTAMP_FTYPE
};

/// RDMA address, 16 bytes, in every packet.
struct Reth
{
    uint64_t va;       ///< where this packet's payload goes
    uint32_t rKey;     ///< key of the memory region
    uint32_t dmaBytes; ///< length of the whole message
};

/// Acknowledge, 4 bytes.
struct Aeth
{
    uint8_t syndrome; ///< AETH_ACK or a NAK code
    uint32_t msn;     ///< completed messages, 24 bits
};

/// @param writer where the 4 bytes go @param meth what to write
void EncodeMeth(ByteWriter& writer, const Meth& meth);
/// @param writer where the 4 bytes go @param tseth what to write
void EncodeTseth(ByteWriter& writer, const Tseth& tseth);
/// @param writer where the 16 bytes go @param reth what to write
void EncodeReth(ByteWriter& writer, const Reth& reth);
/// @param writer where the 4 bytes go @param immediate what to write
void EncodeImmDt(ByteWriter& writer, uint32_t immediate);
/// @param writer where the 4 bytes go @param aeth what to write
void EncodeAeth(ByteWriter& writer, const Aeth& aeth);

/// @param reader at the header, advanced past it on success
/// @param meth the answer; unchanged unless the result is OK
/// @return OK or TRUNCATED
DecodeError DecodeMeth(ByteReader& reader, Meth& meth);
/// @param reader at the header, advanced past it on success
/// @param tseth the answer; unchanged unless the result is OK
/// @return OK or TRUNCATED
DecodeError DecodeTseth(ByteReader& reader, Tseth& tseth);
/// @param reader at the header, advanced past it on success
/// @param reth the answer; unchanged unless the result is OK
/// @return OK or TRUNCATED
DecodeError DecodeReth(ByteReader& reader, Reth& reth);
/// @param reader at the header, advanced past it on success
/// @param immediate the answer; unchanged unless the result is OK
/// @return OK or TRUNCATED
DecodeError DecodeImmDt(ByteReader& reader, uint32_t& immediate);
/// @param reader at the header, advanced past it on success
/// @param aeth the answer; unchanged unless the result is OK
/// @return OK or TRUNCATED
DecodeError DecodeAeth(ByteReader& reader, Aeth& aeth);

static_assert(sizeof(Meth) == 4, "kept in every WRITE frame");
static_assert(sizeof(Tseth) == 4, "kept in every WRITE frame");
static_assert(sizeof(Reth) == 16, "kept in every WRITE frame");
static_assert(sizeof(Aeth) <= 8, "kept in a frame");

} // namespace mrc

#endif // MRC_REQUEST_HEADERS_H
