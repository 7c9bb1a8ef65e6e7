// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_DROP_REASON_H
#define MRC_DROP_REASON_H

#include <cstdint>

namespace ns3
{

/// Why a frame ended before it reached its endpoint.
enum class MrcDropReason : uint8_t
{
    LINK_DOWN,    ///< queued for, sent to or under way on a link that is down
    LINK_LOSS,    ///< lost at random on a lossy link
    DATA_FULL,    ///< no room in the data queue, and not to be trimmed
    CONTROL_FULL, ///< no room in the control queue
    NO_ROUTE,     ///< no entry in the static table, or the end of the uSID list at a switch
    HOP_LIMIT,    ///< hop limit used up
    NOT_FOR_US,   ///< reached a NIC that it is not addressed to
    BAD_ICRC,     ///< damaged on the way
    CUT_SHORT     ///< trimmed so far that no answer is possible
};

/// Number of drop reasons.
inline constexpr uint32_t MRC_DROP_REASONS = 9;

/// @return the reason as a word for tables and JSON
inline const char*
MrcDropReasonName(MrcDropReason reason)
{
    switch (reason)
    {
    case MrcDropReason::LINK_DOWN:
        return "link_down";
    case MrcDropReason::LINK_LOSS:
        return "link_loss";
    case MrcDropReason::DATA_FULL:
        return "data_full";
    case MrcDropReason::CONTROL_FULL:
        return "control_full";
    case MrcDropReason::NO_ROUTE:
        return "no_route";
    case MrcDropReason::HOP_LIMIT:
        return "hop_limit";
    case MrcDropReason::NOT_FOR_US:
        return "not_for_us";
    case MrcDropReason::BAD_ICRC:
        return "bad_icrc";
    case MrcDropReason::CUT_SHORT:
        return "cut_short";
    }
    return "unknown";
}

} // namespace ns3

#endif // MRC_DROP_REASON_H
