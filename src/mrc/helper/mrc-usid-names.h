// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_USID_NAMES_H
#define MRC_USID_NAMES_H

#include "mrc-address-plan.h"
#include "mrc-usid-plan.h"

#include <ostream>

namespace mrc
{

/// Name of the file beside captures: that of the table in a Wireshark profile, to be copied as is.
inline constexpr const char* USID_NAMES_FILE = "mrc_usid_names";

/**
 * Write which node each uSID of a fabric stands for, as the Wireshark plugin reads it.
 *
 * A row per uSID: block, uSID, uSID before it on the path, inner destination, name. The uSID of a
 * NIC has a meaning only to its T0, so its rows say behind which uSID, and for which destination,
 * it is that NIC's; the rows of switches leave both open (0000 and empty).
 *
 * @param out gets text lines of five quoted texts
 * @param usids the fabric
 * @param addresses its NICs' addresses
 */
void WriteUsidNames(std::ostream& out, const UsidPlan& usids, const AddressPlan& addresses);

} // namespace mrc

#endif // MRC_USID_NAMES_H
