// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-icrc.h"

#include "mrc-header-size.h"

#include <array>
#include <cstring>

namespace mrc
{

namespace
{

constexpr uint32_t REFLECTED_POLYNOMIAL = 0xedb88320;
constexpr size_t SLICES = 8;

/// SLICE_TABLE[n][b]: what byte b does to the register n bytes later.
using SliceTable = std::array<std::array<uint32_t, 256>, SLICES>;

constexpr SliceTable
MakeSliceTable()
{
    SliceTable table{};
    for (uint32_t byte = 0; byte < 256; ++byte)
    {
        uint32_t state = byte;
        for (int bit = 0; bit < 8; ++bit)
        {
            state = state >> 1 ^ (state & 1 ? REFLECTED_POLYNOMIAL : 0);
        }
        table[0][byte] = state;
    }
    for (size_t slice = 1; slice < SLICES; ++slice)
    {
        for (uint32_t byte = 0; byte < 256; ++byte)
        {
            const uint32_t before = table[slice - 1][byte];
            table[slice][byte] = before >> 8 ^ table[0][before & 0xff];
        }
    }
    return table;
}

constexpr SliceTable SLICE_TABLE = MakeSliceTable();

/// Offsets in headers of the fields that count as ones.
constexpr size_t IPV4_TOS = 1;
constexpr size_t IPV4_TTL = 8;
constexpr size_t IPV4_CHECKSUM = 10;
constexpr size_t IPV6_HOP_LIMIT = 7;
constexpr size_t UDP_CHECKSUM = 6;
constexpr size_t BTH_RESERVED = 4;

/// Stands for the local route header of native InfiniBand.
constexpr size_t LRH_BYTES = 8;

/// The longest IPv4 header, which is longer than IPv6's.
constexpr size_t MAX_IP_BYTES = 60;

} // namespace

void
Crc32::Update(const uint8_t* bytes, size_t count)
{
    uint32_t state = m_state;
    for (; count >= SLICES; count -= SLICES, bytes += SLICES)
    {
        const uint32_t low = state ^ LoadIcrc(bytes);
        const uint32_t high = LoadIcrc(bytes + 4);
        state = SLICE_TABLE[7][low & 0xff] ^ SLICE_TABLE[6][low >> 8 & 0xff] ^
                SLICE_TABLE[5][low >> 16 & 0xff] ^ SLICE_TABLE[4][low >> 24] ^
                SLICE_TABLE[3][high & 0xff] ^ SLICE_TABLE[2][high >> 8 & 0xff] ^
                SLICE_TABLE[1][high >> 16 & 0xff] ^ SLICE_TABLE[0][high >> 24];
    }
    for (; count > 0; --count, ++bytes)
    {
        state = state >> 8 ^ SLICE_TABLE[0][(state ^ *bytes) & 0xff];
    }
    m_state = state;
}

bool
ComputeIcrc(const uint8_t* packet, size_t bytes, uint32_t& icrc)
{
    if (bytes == 0)
    {
        return false;
    }
    const int version = packet[0] >> 4;
    const size_t ipBytes = version == 6 ? IPV6_BYTES : (packet[0] & 0xf) * size_t{4};
    const size_t headBytes = ipBytes + UDP_BYTES + BTH_BYTES;
    if ((version != 6 && version != 4) || ipBytes < IPV4_BYTES || bytes < headBytes)
    {
        return false;
    }
    uint8_t head[LRH_BYTES + MAX_IP_BYTES + UDP_BYTES + BTH_BYTES];
    std::memset(head, 0xff, LRH_BYTES);
    uint8_t* const ip = head + LRH_BYTES;
    std::memcpy(ip, packet, headBytes);
    if (version == 6)
    {
        ip[0] |= 0x0f;
        ip[1] = ip[2] = ip[3] = 0xff;
        ip[IPV6_HOP_LIMIT] = 0xff;
    }
    else
    {
        ip[IPV4_TOS] = 0xff;
        ip[IPV4_TTL] = 0xff;
        ip[IPV4_CHECKSUM] = ip[IPV4_CHECKSUM + 1] = 0xff;
    }
    uint8_t* const udp = ip + ipBytes;
    udp[UDP_CHECKSUM] = udp[UDP_CHECKSUM + 1] = 0xff;
    udp[UDP_BYTES + BTH_RESERVED] = 0xff;
    Crc32 crc;
    crc.Update(head, LRH_BYTES + headBytes);
    crc.Update(packet + headBytes, bytes - headBytes);
    icrc = crc.Value();
    return true;
}

void
StoreIcrc(uint8_t* bytes, uint32_t icrc)
{
    for (int i = 0; i < 4; ++i)
    {
        bytes[i] = static_cast<uint8_t>(icrc >> (8 * i));
    }
}

uint32_t
LoadIcrc(const uint8_t* bytes)
{
    return static_cast<uint32_t>(bytes[0]) | static_cast<uint32_t>(bytes[1]) << 8 |
           static_cast<uint32_t>(bytes[2]) << 16 | static_cast<uint32_t>(bytes[3]) << 24;
}

} // namespace mrc
