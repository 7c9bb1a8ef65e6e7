// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_RECEIVE_POOL_H
#define MRC_RECEIVE_POOL_H

#include "mrc-transport-config.h"

#include <algorithm>
#include <cstdint>

namespace mrc
{

/**
 * What the responders of one endpoint share and may run out of.
 *
 * Bitmaps are held by QPs with packets beyond a gap, stash entries by immediates that wait for
 * earlier messages, and the packet buffer by payloads on their way to memory, which takes them at
 * a constant rate. Limits are those of TransportConfig; without one nothing runs out.
 */
class ReceivePool
{
  public:
    /// @return whether there was a bitmap left to take
    bool TakeBitmap(const TransportConfig& config)
    {
        return Take(m_bitmaps, config.maxBitmaps);
    }

    /// A QP has no gap any more.
    void ReturnBitmap()
    {
        --m_bitmaps;
    }

    /// @return whether there was a stash entry left to take
    bool TakeStash(const TransportConfig& config)
    {
        return Take(m_stashed, config.maxStash);
    }

    /// Immediates were delivered or given up.
    void ReturnStash(uint32_t count)
    {
        m_stashed -= count;
    }

    /**
     * Put a payload into the packet buffer.
     *
     * @param config limits
     * @param bytes of the payload
     * @param nowPs the time
     * @return whether it fits; an empty buffer takes anything
     */
    bool TakeBuffer(const TransportConfig& config, uint32_t bytes, int64_t nowPs)
    {
        if (config.packetBufferBytes == 0 || config.memoryBitsPerSecond == 0)
        {
            return true;
        }
        m_emptyPs = std::max(m_emptyPs, nowPs);
        const int64_t waitPs = m_emptyPs - nowPs;
        const int64_t payloadPs = WritePs(config, bytes);
        if (waitPs != 0 && waitPs + payloadPs > WritePs(config, config.packetBufferBytes))
        {
            return false;
        }
        m_emptyPs += payloadPs;
        return true;
    }

    /// @return whether the packet buffer is more than half full
    bool IsBufferFilling(const TransportConfig& config, int64_t nowPs) const
    {
        return config.packetBufferBytes != 0 && config.memoryBitsPerSecond != 0 &&
               m_emptyPs - nowPs > WritePs(config, config.packetBufferBytes / 2);
    }

    /// @return bitmaps that are taken
    uint32_t Bitmaps() const
    {
        return m_bitmaps;
    }

    /// @return stash entries that are taken
    uint32_t Stashed() const
    {
        return m_stashed;
    }

  private:
    /// Count one more unless a limit is reached. @return whether it was not
    static bool Take(uint32_t& count, uint32_t limit)
    {
        const bool isFree = limit == 0 || count < limit;
        count += isFree;
        return isFree;
    }

    /// @return how long memory takes to write this many bytes, ps
    static int64_t WritePs(const TransportConfig& config, uint32_t bytes)
    {
        constexpr double BIT_PS = 8e12;
        return static_cast<int64_t>(BIT_PS * bytes /
                                    static_cast<double>(config.memoryBitsPerSecond));
    }

    int64_t m_emptyPs{0};  //!< when the packet buffer will be empty
    uint32_t m_bitmaps{0}; //!< taken
    uint32_t m_stashed{0}; //!< taken
};

} // namespace mrc

#endif // MRC_RECEIVE_POOL_H
