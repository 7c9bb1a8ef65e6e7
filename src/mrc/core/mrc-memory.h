// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_MEMORY_H
#define MRC_MEMORY_H

#include "mrc-receive-pool.h"

#include <cstdint>
#include <vector>

namespace mrc
{

/// Why a remote access was refused, or OK.
enum class AccessResult : uint8_t
{
    OK,            ///< placed
    BAD_KEY,       ///< no region has this R_Key
    OUT_OF_BOUNDS, ///< the packet or its message leaves the region
    FAULT          ///< the memory behind the region failed
};

/**
 * Memory that peers may write to.
 *
 * A region has an R_Key, virtual addresses and, unless only placement is accounted, storage.
 * It remembers which of its granules were written, so that a test or a run can prove that each
 * byte arrived once.
 */
class MemoryRegion
{
  public:
    /**
     * @param rKey the key peers must present
     * @param va first virtual address
     * @param bytes length
     * @param storage `bytes` bytes to write to, owned by the caller; null: account only
     * @param granuleBytes unit of the placement account (the MTU of the writers); 0: no account
     */
    MemoryRegion(
        uint32_t rKey, uint64_t va, uint64_t bytes, uint8_t* storage, uint32_t granuleBytes);

    /// @return the R_Key
    uint32_t RKey() const
    {
        return m_rKey;
    }

    /// @return first virtual address
    uint64_t Va() const
    {
        return m_va;
    }

    /// @return length in bytes
    uint64_t Bytes() const
    {
        return m_bytes;
    }

    /// @return the storage, or null
    uint8_t* Storage() const
    {
        return m_storage;
    }

    /// @return whether [va, va + bytes) lies inside the region; never overflows
    bool Contains(uint64_t va, uint64_t bytes) const
    {
        return va >= m_va && bytes <= m_bytes && va - m_va <= m_bytes - bytes;
    }

    /**
     * Write a payload.
     *
     * @param va where; the range must be contained
     * @param payload the bytes; null: account only
     * @param bytes how many
     */
    void Place(uint64_t va, const uint8_t* payload, uint32_t bytes);

    /// Let accesses fail from now on, or no longer.
    void SetFaulty(bool isFaulty)
    {
        m_isFaulty = isFaulty;
    }

    /// @return whether accesses fail
    bool IsFaulty() const
    {
        return m_isFaulty;
    }

    /// @return bytes placed so far, counting a granule placed twice twice
    uint64_t PlacedBytes() const
    {
        return m_placedBytes;
    }

    /// @return granules that were placed more than once
    uint64_t RepeatedGranules() const
    {
        return m_repeatedGranules;
    }

    /**
     * @param va first address of a range that starts on a granule
     * @param bytes its length
     * @return whether each granule of the range was placed (true without an account)
     */
    bool IsPlaced(uint64_t va, uint64_t bytes) const;

  private:
    uint32_t m_rKey;                //!< key
    uint32_t m_granuleBytes;        //!< unit of the account, 0 = none
    bool m_isFaulty{false};         //!< accesses fail
    uint64_t m_va;                  //!< first address
    uint64_t m_bytes;               //!< length
    uint8_t* m_storage;             //!< bytes, or null
    uint64_t m_placedBytes{0};      //!< sum of payloads
    uint64_t m_repeatedGranules{0}; //!< placed again
    std::vector<uint64_t> m_placed; //!< one bit per granule
};

/// The memory of one endpoint: its regions, found by R_Key, and what receiving into it takes.
class MemoryTable
{
  public:
    /**
     * Make memory writable by peers.
     *
     * @copydetails MemoryRegion::MemoryRegion
     * @return the region's index; its R_Key is Region(index).RKey()
     */
    uint32_t Register(uint64_t va, uint64_t bytes, uint8_t* storage, uint32_t granuleBytes);

    /// @return number of regions
    uint32_t Count() const
    {
        return static_cast<uint32_t>(m_regions.size());
    }

    /// @param index what Register() returned
    MemoryRegion& Region(uint32_t index)
    {
        return m_regions[index];
    }

    /// @copydoc Region
    const MemoryRegion& Region(uint32_t index) const
    {
        return m_regions[index];
    }

    /**
     * Check a packet of a message and write it.
     *
     * @param rKey from RETH
     * @param va from RETH
     * @param messageBytes DMALen from RETH: the packet may not be longer than its message
     * @param payload bytes or null
     * @param bytes length of the payload
     * @return OK, or why nothing was written
     */
    AccessResult Write(
        uint32_t rKey, uint64_t va, uint32_t messageBytes, const uint8_t* payload, uint32_t bytes);

    /// Fetch the region of an R_Key, if there is one; changes nothing.
    void Prefetch(uint32_t rKey) const
    {
        if (rKey >> 8 < m_regions.size())
        {
            __builtin_prefetch(&m_regions[rKey >> 8], 1);
            __builtin_prefetch(&m_regions[rKey >> 8] + 1, 1);
        }
    }

    /// @return what the responders that write here share
    ReceivePool& Pool()
    {
        return m_pool;
    }

  private:
    std::vector<MemoryRegion> m_regions; //!< by index
    ReceivePool m_pool;                  //!< shared by responders
};

} // namespace mrc

#endif // MRC_MEMORY_H
