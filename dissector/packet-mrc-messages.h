// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Messages of a QP.
#ifndef PACKET_MRC_MESSAGES_H
#define PACKET_MRC_MESSAGES_H

#include "packet-mrc-flow.h"

/**
 * Add a WRITE to its message, which begins if it was not seen before.
 *
 * @param half direction of the data
 * @param write its entry; message is set
 * @param packet with a METH
 */
void mrc_join_message(mrc_half* half, mrc_analysis* write, const mrc_packet* packet);

/**
 * Complete messages: those that end at or before half->cack, and those that an ACK counts.
 *
 * @param half direction of the data
 * @param by the SACK or ACK; its message and flags are set if it completes one
 * @param completed count of complete messages, extended; 0 if only the PSNs tell
 */
void mrc_complete_messages(mrc_half* half, mrc_analysis* by, uint64_t completed);

#endif // PACKET_MRC_MESSAGES_H
