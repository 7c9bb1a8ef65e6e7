// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PSN_H
#define MRC_PSN_H

#include <cstdint>

namespace mrc
{

/// Bits of a packet sequence number that are on the wire (BTH bytes 9-11).
inline constexpr uint32_t PSN_MASK = 0xffffff;

/**
 * Extend a 24-bit PSN from the wire to the 64-bit number line on which endpoints count.
 *
 * @param reference a 64-bit PSN less than 2^23 packets away from the answer
 * @param wire the 24 bits read from a packet
 * @return the 64-bit PSN nearest to the reference whose low 24 bits are `wire`
 */
inline uint64_t
ExtendPsn(uint64_t reference, uint32_t wire)
{
    const auto distance = static_cast<int32_t>((wire - static_cast<uint32_t>(reference)) << 8) >> 8;
    return reference + static_cast<int64_t>(distance);
}

/**
 * @param wire an initial PSN, 24 bits
 * @return where a QP starts to count: one round up, so that PSNs before the first stay positive
 */
inline uint64_t
FirstPsn(uint32_t wire)
{
    return (uint64_t{1} << 24) + (wire & PSN_MASK);
}

/**
 * Extend a 16-bit counter (MSN, RQMSN) from the wire to 64 bits.
 *
 * @param reference a 64-bit count less than 2^15 away from the answer
 * @param wire the 16 bits read from a packet
 * @return the 64-bit count nearest to the reference whose low 16 bits are `wire`
 */
inline uint64_t
ExtendMsn(uint64_t reference, uint16_t wire)
{
    const auto distance = static_cast<int16_t>(wire - static_cast<uint16_t>(reference));
    return reference + static_cast<int64_t>(distance);
}

} // namespace mrc

#endif // MRC_PSN_H
