// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_GOLDEN_VECTORS_H
#define MRC_GOLDEN_VECTORS_H

#include "mrc-bth.h"
#include "mrc-neth.h"
#include "mrc-request-headers.h"
#include "mrc-seth.h"

#include <cstdint>
#include <string_view>
#include <vector>

/// Packets whose bytes and values were both written down by hand; every reader of the wire format
/// is tested against these.
namespace mrc::golden
{

/// @param hex hexadecimal digits, spaces between them are ignored @return the bytes
inline std::vector<uint8_t>
Bytes(std::string_view hex)
{
    std::vector<uint8_t> bytes;
    unsigned value = 0;
    unsigned digits = 0;
    for (const char c : hex)
    {
        if (c == ' ')
        {
            continue;
        }
        value = value << 4 | static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        if (++digits % 2 == 0)
        {
            bytes.push_back(static_cast<uint8_t>(value));
        }
    }
    return bytes;
}

//= MRC-REF 2 Sizes and test vectors
/// @name UDP payloads, ICRC zero
/// @{

/// WRITE Only with time stamp and 8 bytes of payload.
inline constexpr std::string_view WRITE_ONLY =
    "ca00ffff0000012390000010 00000005 01410001 00007f00000010001122334400000008 "
    "aaaaaaaaaaaaaaaa 00000000";

/// SACK of a packet whose path was marked.
inline constexpr std::string_view SACK =
    "dc00ffff000004560000000f 00200001 c0010003 01230456 0000000f 00080001 0000000000000005 "
    "01410001 00000028 00000000";

/// NACK of a trimmed packet.
inline constexpr std::string_view NACK =
    "dd00ffff0000045600000011 00000100 c0010004 01230456 00000011 20000142 00000000";

// The vectors below were worked out from the tables of section 2 in the same way.

/// WRITE Last with Immediate, no time stamp, 5 bytes of payload, 3 of pad.
inline constexpr std::string_view WRITE_LAST_IMM =
    "c930ffff0000012320fffffe 0007ffff 0000000000000fff deadbeef00001005 01020304 "
    "1122334455000000 00000000";

/// Transport ACK of 3 completed messages.
inline constexpr std::string_view ACKNOWLEDGE = "d100ffff0000045600000012 1f000003 00000000";

/// Reliability probe 0x0102.
inline constexpr std::string_view PROBE =
    "de00ffff0000012390000000 00000000 01020000 04560123 01410001 00000000";

/// Endpoint request 0xbeef, PORT_STATUS_UPDATE: port 2 of 4 is down.
inline constexpr std::string_view ENDPOINT_REQUEST =
    "d800ffff000000020000beef 00000000 0000000d 00000000 01410001 00000000";

/// Answer to EV probe 0xbeef.
inline constexpr std::string_view ENDPOINT_RESPONSE =
    "d900ffff000000020000beef 00040000 000000000000000000000000000000000000000000000000 01410000 "
    "00000000 00000000";

/// @}

/// @return the BTH of WRITE_ONLY
inline Bth
WriteOnlyBth()
{
    Bth bth;
    bth.opcode = Opcode::WRITE_ONLY;
    bth.destinationQp = 0x123;
    bth.ackRequest = true;
    bth.timestamp = true;
    bth.psn = 0x10;
    return bth;
}

/// @return METH of WRITE_ONLY: message 5
inline Meth
WriteOnlyMeth()
{
    return Meth{0, 5};
}

/// @return TSETH of WRITE_ONLY
inline Tseth
WriteOnlyTseth()
{
    return Tseth{0x0141, 0, TIMESTAMP_FTYPE};
}

/// @return RETH of WRITE_ONLY
inline Reth
WriteOnlyReth()
{
    return Reth{0x7f0000001000, 0x11223344, 8};
}

/// @return SETH and CC_STATE of SACK
inline mrc::Sack
SackHeader()
{
    mrc::Sack sack{};
    sack.bitmap = 0x5; // 0x10 and 0x12 received
    sack.entropy = 0xc0010003;
    sack.cackPsn = 0x0f;
    sack.receivedUnits256 = 40;
    sack.ackPsnOffset = 1;
    sack.sackOffset = 1;
    sack.spdcid = 0x0123;
    sack.dpdcid = 0x0456;
    sack.txTimestamp = 0x0141;
    sack.oooCount = 1;
    sack.mark = SackMark::SKIP_ONCE;
    sack.mpr = 8;
    return sack;
}

/// @return NETH of NACK
inline mrc::Nack
NackHeader()
{
    mrc::Nack nack{};
    nack.reason = NackCode::TRIMMED;
    nack.ccType = NACK_CC_TYPE;
    nack.entropy = 0xc0010004;
    nack.nackPsn = 0x11;
    nack.spdcid = 0x0123;
    nack.dpdcid = 0x0456;
    nack.txTimestamp = 0x0142;
    return nack;
}

} // namespace mrc::golden

#endif // MRC_GOLDEN_VECTORS_H
