// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_QP_SETUP_H
#define MRC_QP_SETUP_H

#include <cstdint>

namespace mrc
{

/**
 * What both ends of a connection agreed on out of band, as one end sees it.
 *
 * NegotiateQp() makes it of the offers of both. The limits of the peer have defaults that leave
 * those of TransportConfig alone in force.
 */
struct QpSetup
{
    uint32_t localQp;       ///< own QPN, 24 bits, > 2
    uint32_t remoteQp;      ///< the peer's QPN
    uint32_t sendPsn;       ///< PSN of the first packet sent, 24 bits
    uint32_t receivePsn;    ///< PSN of the first packet received, 24 bits
    uint8_t remoteMprUnits; ///< window that the peer grants, units of 128 PSNs
    bool isEncapsulated;    ///< IPv6-in-IPv6 with a uSID carrier

    bool isDynamicMpr{true};   ///< both ends let SACKs change the window
    bool isTrimmable{true};    ///< the peer answers trimmed packets with NACKs
    uint16_t mtuBytes{4096};   ///< payload of a full packet that both ends take
    uint16_t remoteMaxWimm{0}; ///< WRITEs with immediate that the peer takes at once; 0: any
};

} // namespace mrc

#endif // MRC_QP_SETUP_H
