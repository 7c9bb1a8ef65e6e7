// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-opcode.h"

namespace mrc
{

const char*
OpcodeName(Opcode opcode)
{
    switch (opcode)
    {
    case Opcode::WRITE_FIRST:
        return "WRITE First";
    case Opcode::WRITE_MIDDLE:
        return "WRITE Middle";
    case Opcode::WRITE_LAST:
        return "WRITE Last";
    case Opcode::WRITE_LAST_IMM:
        return "WRITE Last with Immediate";
    case Opcode::WRITE_ONLY:
        return "WRITE Only";
    case Opcode::WRITE_ONLY_IMM:
        return "WRITE Only with Immediate";
    case Opcode::ACKNOWLEDGE:
        return "Acknowledge";
    case Opcode::ENDPOINT_REQUEST:
        return "Endpoint Request";
    case Opcode::ENDPOINT_RESPONSE:
        return "Endpoint Response";
    case Opcode::SACK:
        return "SACK";
    case Opcode::NACK:
        return "NACK";
    case Opcode::RELIABILITY_PROBE:
        return "Reliability Probe";
    }
    return "unknown opcode";
}

} // namespace mrc
