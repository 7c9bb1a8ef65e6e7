// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Shows what links and analysis found.
#ifndef PACKET_MRC_ANALYSIS_H
#define PACKET_MRC_ANALYSIS_H

#include "packet-mrc.h"

/// Register the fields and expert infos. @param proto the protocol "mrc"
void mrc_analysis_register(int proto);

/// Add a subtree with what packet->analysis says. @param pinfo the frame
/// @param tree of protocol "mrc", null if nobody looks @param tvb from the BTH on
/// @param packet with its analysis
void mrc_analysis_show(packet_info* pinfo,
                       proto_tree* tree,
                       tvbuff_t* tvb,
                       const mrc_packet* packet);

#endif // PACKET_MRC_ANALYSIS_H
