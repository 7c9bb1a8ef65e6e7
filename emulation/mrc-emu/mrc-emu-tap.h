// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_TAP_H
#define MRC_EMU_TAP_H

#include "mrc-emu-fd.h"

#include <string>

namespace mrc::emu
{

/**
 * Make a TAP in the network namespace of this process, or attach to a persistent one.
 *
 * It has no offloads: packets come as they would on a wire, with checksums and no longer than the
 * MTU. The descriptor is non-blocking and works from any namespace.
 *
 * @param name of the interface
 * @return its descriptor
 * @throws LabError naming the interface and the reason
 */
Fd OpenTap(const std::string& name);

/// Attach to a persistent TAP of the machine. @param name of it @return as OpenTap()
/// @throws LabError as OpenTap(), and if there is none of this name
Fd OpenExistingTap(const std::string& name);

/// Let the interface see its cable or not. @param tap from OpenTap() @param isUp which
void SetTapCarrier(const Fd& tap, bool isUp);

/**
 * Read and write the packets of an interface that exists, which stays where and as it is.
 *
 * The interface is made promiscuous for as long as the descriptor is open. Each packet has a
 * virtio_net_hdr in front, which says what offloads left undone.
 *
 * @param name of the interface, in the network namespace of this process
 * @return its descriptor, non-blocking
 * @throws LabError naming the interface and the reason
 */
Fd OpenDevice(const std::string& name);

/// @param socket any that was opened in the network namespace in question, wherever this process is
/// now @param name of an interface @return its index, 0 if there is none
uint32_t InterfaceIndex(const Fd& socket, const std::string& name);

/// Attach to a TAP that was made anew after the one of `tap` was deleted. @param tap from
/// OpenExistingTap() @param name of the interface @return whether it could be done
bool ReattachTap(const Fd& tap, const std::string& name);

/// Listen to an interface that was made anew. @param device from OpenDevice() @param index of the
/// interface @return whether it could be done
bool ReattachDevice(const Fd& device, uint32_t index);

} // namespace mrc::emu

#endif // MRC_EMU_TAP_H
