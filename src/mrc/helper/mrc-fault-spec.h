// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_FAULT_SPEC_H
#define MRC_FAULT_SPEC_H

#include "mrc-clos-names.h"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace mrc
{

/// A fault specification that cannot be carried out; what() is one line.
class FaultError : public std::invalid_argument
{
  public:
    using std::invalid_argument::invalid_argument;
};

/// What a fault does.
enum class FaultKind : uint8_t
{
    LINK_DOWN,   ///< a link carries nothing
    LINK_FLAP,   ///< a link goes down and up again and again
    LOSS,        ///< a link loses or damages frames at random
    SLOW,        ///< a link has another rate
    SWITCH_DOWN, ///< all links of a switch are down: it reboots
    BLACK_HOLE   ///< a switch has no route for one uSID
};

/// A fault as it was written.
struct FaultSpec
{
    std::string text;       ///< the specification
    FaultKind kind;         ///< what happens
    ClosLink link;          ///< to which link, unless it is a switch
    ClosSwitch node;        ///< to which switch (SWITCH_DOWN, BLACK_HOLE)
    int64_t startPs;        ///< when
    int64_t durationPs;     ///< for how long; 0 = for ever
    int64_t periodPs;       ///< LINK_FLAP: from one failure to the next
    uint32_t count;         ///< LINK_FLAP: failures
    double loss;            ///< LOSS: probability of loss
    double corrupt;         ///< LOSS: probability of damage
    uint64_t bitsPerSecond; ///< SLOW: the rate meanwhile
    uint16_t usid;          ///< BLACK_HOLE: the uSID without a route

    /// @return whether the target is a switch
    bool IsSwitch() const
    {
        return kind == FaultKind::SWITCH_DOWN || kind == FaultKind::BLACK_HOLE;
    }
};

/**
 * Read a fault specification. FaultHelp() explains the grammar.
 *
 * @param plan the fabric
 * @param text the specification
 * @return what it says
 * @throws FaultError if it says nothing that this fabric can do
 */
FaultSpec ParseFault(const ClosPlan& plan, const std::string& text);

/// @return the grammar and an example of each kind, several lines
std::string FaultHelp();

} // namespace mrc

#endif // MRC_FAULT_SPEC_H
