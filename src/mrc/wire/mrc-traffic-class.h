// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_TRAFFIC_CLASS_H
#define MRC_TRAFFIC_CLASS_H

#include <cstdint>

namespace mrc
{

/// @name ECN codepoints, bits 1:0 of a traffic class
/// @{
inline constexpr uint8_t NOT_ECT = 0; ///< not ECN-capable: control packets
inline constexpr uint8_t ECT1 = 1;    ///< ECN-capable, not used by MRC
inline constexpr uint8_t ECT0 = 2;    ///< ECN-capable: data packets
inline constexpr uint8_t CE = 3;      ///< congestion experienced

/// @}

//= MRC-REF 2 UDP and IP
/// The DSCP of each class; the numbers belong to a deployment.
struct DscpMap
{
    uint8_t noTrim{0};          ///< data that switches must not trim
    uint8_t trimmable{8};       ///< data
    uint8_t trimmableRetx{10};  ///< retransmitted data, where told apart
    uint8_t trimmed{12};        ///< a switch cut the payload
    uint8_t trimmedLastHop{16}; ///< a port to a host cut the payload, where told apart
    uint8_t control{46};        ///< control packets
};

/// @param dscp 6 bits @param ecn 2 bits @return the byte in the IP header
constexpr uint8_t
MakeTrafficClass(uint8_t dscp, uint8_t ecn)
{
    return static_cast<uint8_t>(dscp << 2 | (ecn & 3));
}

/// @param trafficClass byte in the IP header @return its DSCP
constexpr uint8_t
DscpOf(uint8_t trafficClass)
{
    return trafficClass >> 2;
}

/// @param trafficClass byte in the IP header @return its ECN codepoint
constexpr uint8_t
EcnOf(uint8_t trafficClass)
{
    return trafficClass & 3;
}

} // namespace mrc

#endif // MRC_TRAFFIC_CLASS_H
