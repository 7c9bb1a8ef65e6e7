// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_ICRC_H
#define MRC_ICRC_H

#include <cstddef>
#include <cstdint>

namespace mrc
{

/// CRC-32 of Ethernet (polynomial 0x04c11db7, reflected), computed piece by piece.
class Crc32
{
  public:
    /// @param bytes the next piece; may be null if count is 0
    /// @param count its length
    void Update(const uint8_t* bytes, size_t count);

    /// @return the CRC of all pieces so far
    uint32_t Value() const
    {
        return ~m_state;
    }

  private:
    uint32_t m_state{0xffffffff}; ///< the register, reflected
};

//= MRC-REF 2 ICRC
/**
 * Invariant CRC of a packet: what routers may change on the way counts as ones.
 *
 * @param packet the (inner) IPv6 or IPv4 header, followed directly by UDP and BTH
 * @param bytes up to the end of the pad, without the ICRC itself
 * @param icrc the answer; on the wire it is little-endian
 * @return false if the bytes end before the end of the BTH or are no IP packet
 */
bool ComputeIcrc(const uint8_t* packet, size_t bytes, uint32_t& icrc);

/// @param bytes 4 bytes behind the pad @param icrc what to write there
void StoreIcrc(uint8_t* bytes, uint32_t icrc);

/// @param bytes 4 bytes behind the pad @return the ICRC that they hold
uint32_t LoadIcrc(const uint8_t* bytes);

} // namespace mrc

#endif // MRC_ICRC_H
