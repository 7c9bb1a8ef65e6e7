// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_CLOS_NAMES_H
#define MRC_CLOS_NAMES_H

#include "mrc-clos-plan.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mrc
{

/// A name that means nothing in this fabric; what() is one line that says what exists.
class ClosNameError : public std::invalid_argument
{
  public:
    using std::invalid_argument::invalid_argument;
};

/// A switch of the fabric.
struct ClosSwitch
{
    uint32_t plane; ///< plane, from 0
    NodeKind kind;  ///< T0, T1 or T2
    uint32_t index; ///< number of its kind in the plane
};

/// A port of a NIC or a switch of the fabric.
struct ClosPort
{
    uint32_t plane; ///< plane, from 0
    Attachment end; ///< the port
};

/*
 * Names as people write them in fault specifications, captures and result files:
 *
 *   NIC      nic-41
 *   switch   p2/t1-7
 *   link     nic-41/p2       p2/t0-3-t1-7    p2/t0-3-t1-7#1 (parallel link 1)
 *   port     nic-41:p2       p2/t0-3:nic-25  p2/t0-3:t1-7#1 (the port towards ...)
 *
 * A port may also be given by its number: p2/t0-3:11.
 */

/// @param nic NIC of the fabric
/// @return its name, "nic-41"
std::string NicName(uint32_t nic);

/// @param plane the plane
/// @param kind T0, T1 or T2
/// @param index number of its kind in the plane
/// @return the switch's name, "p2/t1-7"
std::string SwitchName(uint32_t plane, NodeKind kind, uint32_t index);

/// @param plan the fabric
/// @param link a link of it
/// @return the link's name, "p2/t0-3-t1-7" or "nic-41/p2"
std::string LinkName(const ClosPlan& plan, const ClosLink& link);

/// @param plan the fabric
/// @param plane the plane of the port
/// @param end an existing port
/// @return the port's name, "p2/t0-3:t1-7" or "nic-41:p2"
std::string PortName(const ClosPlan& plan, uint32_t plane, const Attachment& end);

/// @param plan the fabric
/// @param name such as "nic-41"
/// @return the NIC
/// @throws ClosNameError if there is none
uint32_t ParseNicName(const ClosPlan& plan, std::string_view name);

/// @param plan the fabric
/// @param name such as "p2/t1-7"
/// @return the switch
/// @throws ClosNameError if there is none
ClosSwitch ParseSwitchName(const ClosPlan& plan, std::string_view name);

/// @param plan the fabric
/// @param name such as "p2/t0-3-t1-7#1" or "nic-41/p2"
/// @return the link
/// @throws ClosNameError if there is none
ClosLink ParseLinkName(const ClosPlan& plan, std::string_view name);

/// @param plan the fabric
/// @param name such as "p2/t0-3:t1-7", "p2/t0-3:11" or "nic-41:p2"
/// @return the port
/// @throws ClosNameError if there is none
ClosPort ParsePortName(const ClosPlan& plan, std::string_view name);

} // namespace mrc

#endif // MRC_CLOS_NAMES_H
