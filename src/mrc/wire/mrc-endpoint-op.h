// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_ENDPOINT_OP_H
#define MRC_ENDPOINT_OP_H

#include "mrc-bytes.h"
#include "mrc-decode-error.h"

#include <cstdint>

namespace mrc
{

/// What an endpoint request asks for, 2 bits.
enum class EndpointOp : uint8_t
{
    PORT_STATUS_UPDATE = 0, ///< these ports of the sender are reachable
    EV_PROBE = 1            ///< answer over the EV on which this came
};

//= MRC-REF 2 PETH, ERTH, EETH
/// Endpoint request: ERTH, 16 bytes. The request id is in the BTH's PSN.
struct Erth
{
    EndpointOp op;           ///< may hold 2 or 3 after decoding
    uint8_t vendorInfo;      ///< free for the vendor
    uint8_t tsr;             ///< resolution of the time stamp, 1 bit: 0 = units of 128 ns
    uint8_t ftype;           ///< 4 bits, TIMESTAMP_FTYPE
    uint32_t portStatusMask; ///< bit 0 = port 1; set = reachable
    uint16_t txTimestamp;    ///< sender's clock
};

/// Endpoint response: EETH, 36 bytes. The request id is in the BTH's PSN.
struct Eeth
{
    EndpointOp op;        ///< the request's; may hold 2 or 3 after decoding
    uint16_t txTimestamp; ///< the request's, without the time spent on the answer
};

/// @param writer where the 16 bytes go @param erth what to write
void EncodeErth(ByteWriter& writer, const Erth& erth);
/// @param writer where the 36 bytes go @param eeth what to write
void EncodeEeth(ByteWriter& writer, const Eeth& eeth);

/// @param reader at the header, advanced past it on success
/// @param erth the answer; unchanged unless the result is OK
/// @return OK or TRUNCATED
DecodeError DecodeErth(ByteReader& reader, Erth& erth);
/// @param reader at the header, advanced past it on success
/// @param eeth the answer; unchanged unless the result is OK
/// @return OK or TRUNCATED
DecodeError DecodeEeth(ByteReader& reader, Eeth& eeth);

static_assert(sizeof(Erth) <= 16, "kept in a frame");
static_assert(sizeof(Eeth) <= 8, "kept in a frame");

} // namespace mrc

#endif // MRC_ENDPOINT_OP_H
