// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_OPCODE_H
#define MRC_OPCODE_H

#include "mrc-header-size.h"

#include <cstdint>

namespace mrc
{

//= MRC-REF 2 Opcodes
/// BTH opcodes of MRC.
enum class Opcode : uint8_t
{
    WRITE_FIRST = 0xC6,       ///< first packet of a message of several
    WRITE_MIDDLE = 0xC7,      ///< neither the first nor the last
    WRITE_LAST = 0xC8,        ///< last packet, no immediate
    WRITE_LAST_IMM = 0xC9,    ///< last packet, with immediate
    WRITE_ONLY = 0xCA,        ///< message of one packet, no immediate
    WRITE_ONLY_IMM = 0xCB,    ///< message of one packet, with immediate
    ACKNOWLEDGE = 0xD1,       ///< transport ACK or NAK
    ENDPOINT_REQUEST = 0xD8,  ///< endpoint operation
    ENDPOINT_RESPONSE = 0xD9, ///< answer to an endpoint operation
    SACK = 0xDC,              ///< selective acknowledgement
    NACK = 0xDD,              ///< negative acknowledgement of one packet
    RELIABILITY_PROBE = 0xDE  ///< asks for a SACK
};

/// @param opcode any opcode @return whether it carries RDMA payload
constexpr bool
IsWrite(Opcode opcode)
{
    return opcode >= Opcode::WRITE_FIRST && opcode <= Opcode::WRITE_ONLY_IMM;
}

/// @param opcode any opcode @return whether it starts a message (First, Only)
constexpr bool
IsFirst(Opcode opcode)
{
    return opcode == Opcode::WRITE_FIRST || opcode == Opcode::WRITE_ONLY ||
           opcode == Opcode::WRITE_ONLY_IMM;
}

/// @param opcode any opcode @return whether it ends a message (Last, Only)
constexpr bool
IsLast(Opcode opcode)
{
    return opcode >= Opcode::WRITE_LAST && opcode <= Opcode::WRITE_ONLY_IMM;
}

/// @param opcode any opcode @return whether it carries immediate data
constexpr bool
HasImmediate(Opcode opcode)
{
    return opcode == Opcode::WRITE_LAST_IMM || opcode == Opcode::WRITE_ONLY_IMM;
}

/// @param value byte 0 of a BTH @return whether it is one of Opcode's enumerators
constexpr bool
IsKnownOpcode(uint8_t value)
{
    return (value >= 0xC6 && value <= 0xCB) || value == 0xD1 || value == 0xD8 || value == 0xD9 ||
           (value >= 0xDC && value <= 0xDE);
}

/**
 * Bytes between BTH and payload.
 *
 * @param opcode a known opcode
 * @param timestamp whether BTH ts is set; counts for a WRITE only
 * @return bytes of the extended headers
 */
constexpr uint32_t
ExtendedHeaderBytes(Opcode opcode, bool timestamp)
{
    switch (opcode)
    {
    case Opcode::ACKNOWLEDGE:
        return AETH_BYTES;
    case Opcode::ENDPOINT_REQUEST:
        return ERTH_BYTES;
    case Opcode::ENDPOINT_RESPONSE:
        return EETH_BYTES;
    case Opcode::SACK:
        return SETH_BYTES + CC_STATE_BYTES;
    case Opcode::NACK:
        return NETH_BYTES;
    case Opcode::RELIABILITY_PROBE:
        return PETH_BYTES;
    default:
        return METH_BYTES + (timestamp ? TSETH_BYTES : 0) + RETH_BYTES +
               (HasImmediate(opcode) ? IMMDT_BYTES : 0);
    }
}

/// @param opcode any opcode @return its name for people, "unknown opcode" if it has none
const char* OpcodeName(Opcode opcode);

} // namespace mrc

#endif // MRC_OPCODE_H
