// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_IPV6_H
#define MRC_IPV6_H

#include "mrc-bytes.h"
#include "mrc-decode-error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace mrc
{

/// @name IP protocol numbers that MRC meets
/// @{
inline constexpr uint8_t PROTOCOL_IPV4 = 4;     ///< IPv4 inside IP
inline constexpr uint8_t PROTOCOL_UDP = 17;     ///< UDP
inline constexpr uint8_t PROTOCOL_IPV6 = 41;    ///< IPv6 inside IP
inline constexpr uint8_t PROTOCOL_ROUTING = 43; ///< IPv6 routing header
/// @}

/// Hop limit of the packets that we originate.
inline constexpr uint8_t DEFAULT_HOP_LIMIT = 64;

/// An IPv6 address as two integers. IPv4 addresses are kept IPv4-mapped (::ffff:a.b.c.d).
struct Ipv6Address
{
    uint64_t high; ///< bytes 0-7
    uint64_t low;  ///< bytes 8-15

    /// @param address IPv4 address, 10.0.0.1 = 0x0a000001 @return the mapped IPv6 address
    static constexpr Ipv6Address FromIpv4(uint32_t address)
    {
        return Ipv6Address{0, uint64_t{0xffff} << 32 | address};
    }

    /**
     * @param text an address in any form of RFC 4291, without zone or prefix length
     * @param address the answer; unchanged if the text is not an address
     * @return whether the text is an address
     */
    static bool Parse(std::string_view text, Ipv6Address& address);

    /// @return whether this stands for an IPv4 address
    constexpr bool IsIpv4Mapped() const
    {
        return high == 0 && low >> 32 == 0xffff;
    }

    /// @return the text of RFC 5952
    std::string Print() const;
};

/// @param a an address @param b another @return whether they are equal
constexpr bool
operator==(const Ipv6Address& a, const Ipv6Address& b)
{
    return a.high == b.high && a.low == b.low;
}

/// @param a an address @param b another @return whether they differ
constexpr bool
operator!=(const Ipv6Address& a, const Ipv6Address& b)
{
    return !(a == b);
}

/// @param a an address @param b another @return whether a comes first in numeric order
constexpr bool
operator<(const Ipv6Address& a, const Ipv6Address& b)
{
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

/// Fixed IPv6 header, 40 bytes.
struct Ipv6Header
{
    uint8_t trafficClass;    ///< DSCP and ECN
    uint32_t flowLabel;      ///< 20 bits
    uint16_t payloadBytes;   ///< bytes after this header
    uint8_t nextHeader;      ///< protocol number of what follows
    uint8_t hopLimit;        ///< links it may still cross
    Ipv6Address source;      ///< sender
    Ipv6Address destination; ///< receiver, or the carrier of its path
};

/// @param writer where the 40 bytes go @param header what to write
void EncodeIpv6(ByteWriter& writer, const Ipv6Header& header);

/// @param reader at the header, advanced past it on success
/// @param header the answer; unchanged unless the result is OK
/// @return OK, TRUNCATED or BAD_VERSION
DecodeError DecodeIpv6(ByteReader& reader, Ipv6Header& header);

} // namespace mrc

#endif // MRC_IPV6_H
