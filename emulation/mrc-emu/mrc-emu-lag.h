// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_LAG_H
#define MRC_EMU_LAG_H

#include <array>
#include <cstdint>

namespace mrc::emu
{

/**
 * How far the simulation was behind the wall clock, each time that it was looked at.
 *
 * Values fall into bins of 1/8 of a power of two, so a percentile is right within 13 %.
 */
class LagStatistics
{
  public:
    /// Count a value. @param ns wall minus simulated time; earlier than zero counts as zero
    void Add(int64_t ns)
    {
        const uint64_t value = ns > 0 ? static_cast<uint64_t>(ns) : 0;
        ++m_bins[BinOf(value)];
        ++m_count;
        m_sumNs += value;
        m_maxNs = value > m_maxNs ? value : m_maxNs;
    }

    /// @return number of values
    uint64_t Count() const
    {
        return m_count;
    }

    /// @return mean, ns
    double MeanNs() const
    {
        return m_count == 0 ? 0 : static_cast<double>(m_sumNs) / static_cast<double>(m_count);
    }

    /// @return largest, ns
    uint64_t MaxNs() const
    {
        return m_maxNs;
    }

    /// @param fraction 0 to 1 @return upper end of the bin that holds this share of values, ns
    uint64_t PercentileNs(double fraction) const
    {
        const auto wanted = static_cast<uint64_t>(fraction * static_cast<double>(m_count));
        uint64_t seen = 0;
        for (size_t bin = 0; bin < m_bins.size(); ++bin)
        {
            seen += m_bins[bin];
            if (seen > wanted)
            {
                const uint64_t end = EndOf(bin);
                return end < m_maxNs ? end : m_maxNs;
            }
        }
        return m_maxNs;
    }

    /// Forget all values.
    void Reset()
    {
        *this = LagStatistics();
    }

  private:
    /// log2 of the bins in a power of two.
    static constexpr uint32_t STEP_BITS = 3;

    /// @param value any @return its bin
    static size_t BinOf(uint64_t value)
    {
        if (value < (1u << STEP_BITS))
        {
            return value;
        }
        const auto top = static_cast<uint32_t>(63 - __builtin_clzll(value));
        const uint64_t step = (value >> (top - STEP_BITS)) & ((1u << STEP_BITS) - 1);
        return ((top - STEP_BITS + 1) << STEP_BITS) + step;
    }

    /// @param bin any @return largest value in it
    static uint64_t EndOf(size_t bin)
    {
        if (bin < (1u << STEP_BITS))
        {
            return bin;
        }
        const uint64_t top = (bin >> STEP_BITS) + STEP_BITS - 1;
        const uint64_t step = (bin & ((1u << STEP_BITS) - 1)) + (1u << STEP_BITS);
        return ((step + 1) << (top - STEP_BITS)) - 1;
    }

    std::array<uint64_t, 64u << STEP_BITS> m_bins{}; //!< values by size
    uint64_t m_count{0};                             //!< of values
    uint64_t m_sumNs{0};                             //!< of values
    uint64_t m_maxNs{0};                             //!< largest
};

} // namespace mrc::emu

#endif // MRC_EMU_LAG_H
