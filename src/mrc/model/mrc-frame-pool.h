// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_FRAME_POOL_H
#define MRC_FRAME_POOL_H

#include "mrc-frame.h"
#include "mrc-huge-block.h"
#include "mrc-raw-bytes.h"

#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace mrc
{

/**
 * Memory for frames, taken in blocks and reused last in, first out.
 *
 * Not thread-safe: one pool serves one simulation. Frames live as long as the pool.
 */
class FramePool
{
  public:
    FramePool() = default;
    FramePool(const FramePool&) = delete;
    FramePool& operator=(const FramePool&) = delete;

    /// @return a frame with unspecified content
    Frame* Allocate()
    {
        if (m_free == nullptr)
        {
            Grow();
        }
        Frame* frame = m_free;
        m_free = frame->next;
        __builtin_prefetch(m_free, 1); // the next one to be asked for
        ++m_inUse;
        return frame;
    }

    /// Give a frame back, and its bytes.
    void Release(Frame* frame)
    {
        if (frame->flags & Frame::HAS_BYTES)
        {
            ReleaseRaw(frame->raw);
            frame->flags = 0;
        }
        frame->next = m_free;
        m_free = frame;
        --m_inUse;
    }

    /// @return a buffer with unspecified content
    RawBytes* AllocateRaw()
    {
        if (m_freeRaw == nullptr)
        {
            m_raw.push_back(std::make_unique<RawBytes>());
            return m_raw.back().get();
        }
        RawBytes* raw = m_freeRaw;
        m_freeRaw = raw->next;
        return raw;
    }

    /// Give a buffer back that no frame owns.
    void ReleaseRaw(RawBytes* raw)
    {
        raw->next = m_freeRaw;
        m_freeRaw = raw;
    }

    /// @return frames handed out and not given back
    uint64_t InUse() const
    {
        return m_inUse;
    }

  private:
    /// Bytes of a block that become frames at a time: small fabrics need no more.
    static constexpr size_t SLICE_BYTES = HUGE_PAGE_BYTES / 64;

    /// Make more frames, of another block if the last one is used up.
    void Grow()
    {
        if (m_leftBytes == 0)
        {
            m_blocks.push_back(MakeHugeBlock(HUGE_PAGE_BYTES));
            m_leftBytes = HUGE_PAGE_BYTES;
        }
        std::byte* slice = m_blocks.back().get() + HUGE_PAGE_BYTES - m_leftBytes;
        m_leftBytes -= SLICE_BYTES;
        for (size_t offset = SLICE_BYTES; offset > 0; offset -= sizeof(Frame))
        {
            auto frame = new (slice + offset - sizeof(Frame)) Frame;
            frame->next = m_free;
            frame->flags = 0; // no frame in the pool says that it has bytes
            m_free = frame;
        }
    }

    std::vector<HugeBlock> m_blocks;              //!< all memory of frames
    size_t m_leftBytes{0};                        //!< of the last block, not yet frames
    Frame* m_free{nullptr};                       //!< frames to hand out
    uint64_t m_inUse{0};                          //!< frames handed out
    std::vector<std::unique_ptr<RawBytes>> m_raw; //!< all buffers
    RawBytes* m_freeRaw{nullptr};                 //!< buffers to hand out
};

} // namespace mrc

#endif // MRC_FRAME_POOL_H
