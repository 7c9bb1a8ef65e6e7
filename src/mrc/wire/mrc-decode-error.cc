// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-decode-error.h"

namespace mrc
{

const char*
DecodeErrorText(DecodeError error)
{
    switch (error)
    {
    case DecodeError::OK:
        return "decoded";
    case DecodeError::TRUNCATED:
        return "bytes missing";
    case DecodeError::NOT_MRC:
        return "not MRC";
    case DecodeError::BAD_VERSION:
        return "wrong version";
    case DecodeError::BAD_LENGTH:
        return "lengths contradict each other";
    case DecodeError::BAD_CHECKSUM:
        return "wrong header checksum";
    case DecodeError::BAD_SRH:
        return "malformed segment routing header";
    case DecodeError::UNKNOWN_OPCODE:
        return "opcode is not one of MRC";
    }
    return "unknown error";
}

const char*
WireHeaderName(WireHeader header)
{
    switch (header)
    {
    case WireHeader::NONE:
        return "none";
    case WireHeader::ETHERNET:
        return "Ethernet";
    case WireHeader::IPV6:
        return "IPv6";
    case WireHeader::INNER_IPV6:
        return "inner IPv6";
    case WireHeader::IPV4:
        return "IPv4";
    case WireHeader::SRH:
        return "SRH";
    case WireHeader::UDP:
        return "UDP";
    case WireHeader::BTH:
        return "BTH";
    case WireHeader::METH:
        return "METH";
    case WireHeader::TSETH:
        return "TSETH";
    case WireHeader::RETH:
        return "RETH";
    case WireHeader::IMMDT:
        return "ImmDt";
    case WireHeader::AETH:
        return "AETH";
    case WireHeader::SETH:
        return "SETH";
    case WireHeader::NETH:
        return "NETH";
    case WireHeader::PETH:
        return "PETH";
    case WireHeader::ERTH:
        return "ERTH";
    case WireHeader::EETH:
        return "EETH";
    case WireHeader::PAYLOAD:
        return "payload";
    case WireHeader::ICRC:
        return "ICRC";
    }
    return "unknown header";
}

} // namespace mrc
