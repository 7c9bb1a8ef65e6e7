// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-memory.h"

#include <cstring>

namespace mrc
{

namespace
{
/// An R_Key is the region's index in the upper bits and this in the lowest byte, as verbs do.
constexpr uint32_t KEY_TAG = 0x5a;
} // namespace

MemoryRegion::MemoryRegion(
    uint32_t rKey, uint64_t va, uint64_t bytes, uint8_t* storage, uint32_t granuleBytes)
    : m_rKey(rKey),
      m_granuleBytes(granuleBytes),
      m_va(va),
      m_bytes(bytes),
      m_storage(storage)
{
    if (granuleBytes != 0)
    {
        const uint64_t granules = (bytes + granuleBytes - 1) / granuleBytes;
        m_placed.resize((granules + 63) / 64);
    }
}

void
MemoryRegion::Place(uint64_t va, const uint8_t* payload, uint32_t bytes)
{
    const uint64_t offset = va - m_va;
    m_placedBytes += bytes;
    if (m_storage != nullptr && payload != nullptr)
    {
        std::memcpy(m_storage + offset, payload, bytes);
    }
    if (m_granuleBytes != 0 && bytes != 0)
    {
        const uint64_t granule = offset / m_granuleBytes;
        uint64_t& word = m_placed[granule / 64];
        const uint64_t bit = uint64_t{1} << (granule & 63);
        m_repeatedGranules += (word & bit) != 0;
        word |= bit;
    }
}

bool
MemoryRegion::IsPlaced(uint64_t va, uint64_t bytes) const
{
    if (m_granuleBytes == 0 || bytes == 0)
    {
        return true;
    }
    const uint64_t first = (va - m_va) / m_granuleBytes;
    const uint64_t last = (va - m_va + bytes - 1) / m_granuleBytes;
    for (uint64_t granule = first; granule <= last; ++granule)
    {
        if ((m_placed[granule / 64] >> (granule & 63) & 1) == 0)
        {
            return false;
        }
    }
    return true;
}

uint32_t
MemoryTable::Register(uint64_t va, uint64_t bytes, uint8_t* storage, uint32_t granuleBytes)
{
    const uint32_t index = Count();
    m_regions.emplace_back(index << 8 | KEY_TAG, va, bytes, storage, granuleBytes);
    return index;
}

AccessResult
MemoryTable::Write(
    uint32_t rKey, uint64_t va, uint32_t messageBytes, const uint8_t* payload, uint32_t bytes)
{
    const uint32_t index = rKey >> 8;
    if (index >= m_regions.size() || m_regions[index].RKey() != rKey)
    {
        return AccessResult::BAD_KEY;
    }
    MemoryRegion& region = m_regions[index];
    if (bytes > messageBytes || messageBytes > region.Bytes() || !region.Contains(va, bytes))
    {
        return AccessResult::OUT_OF_BOUNDS;
    }
    if (region.IsFaulty())
    {
        return AccessResult::FAULT;
    }
    region.Place(va, payload, bytes);
    return AccessResult::OK;
}

} // namespace mrc
