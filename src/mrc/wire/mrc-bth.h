// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_BTH_H
#define MRC_BTH_H

#include "mrc-bytes.h"
#include "mrc-decode-error.h"
#include "mrc-opcode.h"

#include <cstdint>

namespace mrc
{

/// P_Key of the default partition.
inline constexpr uint16_t DEFAULT_P_KEY = 0xffff;

/// Destination QP of endpoint operations.
inline constexpr uint32_t ENDPOINT_QP = 2;

/// First QP number that a connection may have.
inline constexpr uint32_t FIRST_USABLE_QP = 3;

//= MRC-REF 2 BTH
/**
 * Base transport header, 12 bytes.
 *
 *     0        1              2-3    4    5-7      8          9-11
 *     opcode   SE M pad TVer  P_Key  res  dest QP  A-RT----   PSN
 */
struct Bth
{
    Opcode opcode{Opcode::WRITE_ONLY}; ///< what follows
    bool solicitedEvent{false};        ///< byte 1 bit 7, IBTA order
    bool migration{false};             ///< byte 1 bit 6
    uint8_t padCount{0};               ///< bytes that fill the payload up to a multiple of 4, 0..3
    uint8_t tver{0};                   ///< transport version, 4 bits, 0
    uint16_t pKey{DEFAULT_P_KEY};      ///< partition
    uint8_t reserved{0};               ///< byte 4, may change on the way (masked in the ICRC)
    uint32_t destinationQp{0};         ///< 24 bits
    bool ackRequest{false};            ///< A
    bool retransmission{false};        ///< rtx
    bool timestamp{false};             ///< ts: TSETH is present
    uint32_t psn{0};                   ///< 24 bits
};

/// @param writer where the 12 bytes go @param bth what to write
void EncodeBth(ByteWriter& writer, const Bth& bth);

/**
 * @param reader at the first byte of a BTH; advanced past it on success
 * @param bth the answer; unchanged unless the result is OK
 * @return OK, TRUNCATED, UNKNOWN_OPCODE or BAD_VERSION (TVer other than 0)
 */
DecodeError DecodeBth(ByteReader& reader, Bth& bth);

} // namespace mrc

#endif // MRC_BTH_H
