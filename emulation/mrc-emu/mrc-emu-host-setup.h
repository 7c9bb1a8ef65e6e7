// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_HOST_SETUP_H
#define MRC_EMU_HOST_SETUP_H

#include "mrc-address-plan.h"
#include "mrc-emu-lab.h"
#include "mrc-usid-plan.h"

#include <string>
#include <vector>

namespace mrc::emu
{

/// @param plane of a port @return address of the next hop of every host's route on that plane
uint64_t GatewayMac(uint32_t plane);

/// @param mac low 48 bits @return "02:fe:00:00:00:01"
std::string MacText(uint64_t mac);

/// @param plane of a port @return name of the interface in a host, "p1"
std::string InterfaceName(uint32_t plane);

/**
 * What makes the network stack of a host fit the fabric: addresses without duplicate address
 * detection, static neighbours, routes to other hosts over each plane and over all of them, and
 * to uSID carriers.
 *
 * @param lab the lab
 * @param host one of its hosts
 * @param usids of the fabric
 * @param addresses of the fabric
 * @return commands for `ip -batch`
 */
std::string HostCommands(const Lab& lab,
                         const LabHost& host,
                         const UsidPlan& usids,
                         const AddressPlan& addresses);

/**
 * Set up the host in whose network namespace this process is. Its TAPs are there.
 *
 * @param lab the lab
 * @param host one of its hosts
 * @param usids of the fabric
 * @param addresses of the fabric
 * @throws LabError with what `ip` said
 */
void SetUpHost(const Lab& lab,
               const LabHost& host,
               const UsidPlan& usids,
               const AddressPlan& addresses);

/// @return lines for /etc/hosts: h0 is the host, h0-p1 its port on plane 1
std::string HostsFile(const Lab& lab, const AddressPlan& addresses);

/// Run `ip -batch` in the network namespace of this process. @param commands its input
/// @throws LabError with what it said
void RunIpBatch(const std::string& commands);

} // namespace mrc::emu

#endif // MRC_EMU_HOST_SETUP_H
