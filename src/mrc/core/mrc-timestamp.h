// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_TIMESTAMP_H
#define MRC_TIMESTAMP_H

#include "mrc-request-headers.h"

#include <cstdint>

namespace mrc
{

/// Unit of tx_timestamp with tsr = 0, ps.
//= MRC-REF 2 TSETH
inline constexpr int64_t TIMESTAMP_UNIT_PS = TIMESTAMP_UNIT_NS * int64_t{1000};

/// Time after which a time stamp comes again, ps.
inline constexpr int64_t TIMESTAMP_RANGE_PS = TIMESTAMP_UNIT_PS << 16;

/// @return the 16-bit time stamp of a moment
inline uint16_t
MakeTimestamp(int64_t nowPs)
{
    return static_cast<uint16_t>(nowPs / TIMESTAMP_UNIT_PS);
}

/**
 * Time since a reflected time stamp was taken.
 *
 * @param nowPs the present
 * @param timestamp taken less than 8.39 ms ago (2^16 units)
 * @return the time that passed, ps, exact to one unit
 */
inline int64_t
TimestampAgePs(int64_t nowPs, uint16_t timestamp)
{
    return static_cast<uint16_t>(MakeTimestamp(nowPs) - timestamp) * TIMESTAMP_UNIT_PS;
}

} // namespace mrc

#endif // MRC_TIMESTAMP_H
