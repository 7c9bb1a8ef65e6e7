// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The statistics, each in a file of its own.
#ifndef PACKET_MRC_STATS_H
#define PACKET_MRC_STATS_H

/// Register -z mrc,qp.
void mrc_register_qp_table();
/// Register -z mrc,path.
void mrc_register_path_table();
/// Register -z conv,mrc and -z endpoints,mrc. @param proto the protocol "mrc"
void mrc_register_conversations(int proto);

#endif // PACKET_MRC_STATS_H
