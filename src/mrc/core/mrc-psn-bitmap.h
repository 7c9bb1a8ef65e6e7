// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PSN_BITMAP_H
#define MRC_PSN_BITMAP_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mrc
{

/**
 * One bit per PSN of a sliding window.
 *
 * The bits of a power-of-two number of PSNs are kept; a PSN's bit is found at its low bits, so
 * the owner clears bits of PSNs that leave the window before others take their place.
 */
class PsnBitmap
{
  public:
    /// @return PSNs that fit (0 before Resize())
    uint32_t Capacity() const
    {
        return static_cast<uint32_t>(m_words.size() * 64);
    }

    /**
     * Change the capacity, keeping the bits of a window.
     *
     * @param capacity a power of two, at least 64 and not less than `end - begin`
     * @param begin first PSN of the window to keep
     * @param end one past its last PSN
     */
    void Resize(uint32_t capacity, uint64_t begin, uint64_t end)
    {
        PsnBitmap larger;
        larger.m_words.resize(capacity / 64);
        for (uint64_t psn = begin; psn != end && Capacity() != 0; ++psn)
        {
            if (Test(psn))
            {
                larger.Set(psn);
            }
        }
        m_words.swap(larger.m_words);
    }

    /// @return whether the bit of a PSN is set
    bool Test(uint64_t psn) const
    {
        return Word(psn) >> (psn & 63) & 1;
    }

    /// Set the bit of a PSN.
    void Set(uint64_t psn)
    {
        m_words[Index(psn)] |= uint64_t{1} << (psn & 63);
    }

    /// Clear the bit of a PSN.
    void Clear(uint64_t psn)
    {
        m_words[Index(psn)] &= ~(uint64_t{1} << (psn & 63));
    }

    /// @return the bits of 64 consecutive PSNs, the first in bit 0 (window >= 64 PSNs wide)
    uint64_t Extract(uint64_t first) const
    {
        const unsigned shift = first & 63;
        const uint64_t low = Word(first) >> shift;
        return shift == 0 ? low : low | Word(first + 63) << (64 - shift);
    }

    /**
     * Find a bit that has a given value.
     *
     * @param begin first PSN to look at
     * @param end one past the last; at most Capacity() PSNs on
     * @param value the value looked for
     * @return the first PSN with that value, or `end`
     */
    uint64_t Find(uint64_t begin, uint64_t end, bool value) const
    {
        uint64_t psn = begin;
        while (psn < end)
        {
            uint64_t word = Word(psn);
            word = (value ? word : ~word) >> (psn & 63);
            if (word != 0)
            {
                psn += static_cast<unsigned>(__builtin_ctzll(word));
                return psn < end ? psn : end;
            }
            psn = (psn | 63) + 1;
        }
        return end;
    }

    /**
     * Clear all bits of a range.
     *
     * @param begin first PSN
     * @param end one past the last; at most Capacity() PSNs on
     * @return how many of them were set
     */
    uint32_t ClearRange(uint64_t begin, uint64_t end)
    {
        uint32_t count = 0;
        uint64_t psn = begin;
        while (psn < end)
        {
            const unsigned shift = psn & 63;
            const uint64_t left = end - psn;
            const unsigned width = left < 64 - shift ? static_cast<unsigned>(left) : 64 - shift;
            const uint64_t mask = (width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1)
                                  << shift;
            uint64_t& word = m_words[Index(psn)];
            count += static_cast<unsigned>(__builtin_popcountll(word & mask));
            word &= ~mask;
            psn += width;
        }
        return count;
    }

    /// Fetch the word of a PSN, of which the low bits do; changes nothing.
    void Prefetch(uint64_t psn) const
    {
        if (!m_words.empty())
        {
            __builtin_prefetch(&m_words[Index(psn)], 1);
        }
    }

  private:
    /// @return which word holds the bit of a PSN
    size_t Index(uint64_t psn) const
    {
        return psn / 64 & (m_words.size() - 1);
    }

    /// @return the word that holds the bit of a PSN
    uint64_t Word(uint64_t psn) const
    {
        return m_words[Index(psn)];
    }

    std::vector<uint64_t> m_words; //!< a power of two of them
};

} // namespace mrc

#endif // MRC_PSN_BITMAP_H
