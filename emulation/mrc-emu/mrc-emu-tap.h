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

} // namespace mrc::emu

#endif // MRC_EMU_TAP_H
