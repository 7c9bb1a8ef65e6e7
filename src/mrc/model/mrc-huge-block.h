// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_HUGE_BLOCK_H
#define MRC_HUGE_BLOCK_H

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <sys/mman.h>

namespace mrc
{

/// Gives memory back that MakeHugeBlock() took.
struct HugeBlockDeleter
{
    /// @param memory what MakeHugeBlock() returned
    void operator()(std::byte* memory) const
    {
        std::free(memory);
    }
};

/// Memory in one or more huge pages.
using HugeBlock = std::unique_ptr<std::byte[], HugeBlockDeleter>;

/// Bytes of a huge page.
inline constexpr size_t HUGE_PAGE_BYTES = size_t{2} << 20;

/**
 * Take memory in huge pages, if the kernel has some: a fabric touches so many frames and ports
 * that half its time would go into translating their addresses.
 *
 * @param bytes a multiple of HUGE_PAGE_BYTES
 * @return memory, not initialised
 */
inline HugeBlock
MakeHugeBlock(size_t bytes)
{
    auto memory = static_cast<std::byte*>(std::aligned_alloc(HUGE_PAGE_BYTES, bytes));
    if (memory == nullptr)
    {
        throw std::bad_alloc();
    }
    madvise(memory, bytes, MADV_HUGEPAGE); // a wish; ordinary pages do as well
    return HugeBlock(memory);
}

/**
 * Take memory that is zero and resident, so that a run does not pay for its first touch.
 *
 * @param bytes any length > 0; huge pages are used from HUGE_PAGE_BYTES on
 * @return the memory, null if there is not enough
 */
inline HugeBlock
MakeZeroBlock(size_t bytes)
{
    constexpr size_t PAGE_BYTES = 4096;
    const size_t unit = bytes < HUGE_PAGE_BYTES ? PAGE_BYTES : HUGE_PAGE_BYTES;
    const size_t rounded = (bytes + unit - 1) / unit * unit;
    auto memory = static_cast<std::byte*>(std::aligned_alloc(unit, rounded));
    if (memory != nullptr)
    {
        madvise(memory, rounded, MADV_HUGEPAGE);
        std::memset(memory, 0, rounded);
    }
    return HugeBlock(memory);
}

} // namespace mrc

#endif // MRC_HUGE_BLOCK_H
