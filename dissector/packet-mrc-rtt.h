// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Quantiles of round trip times that are up to date after each sample.
#ifndef PACKET_MRC_RTT_H
#define PACKET_MRC_RTT_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

/**
 * A histogram with 32 buckets per power of two, and where its median and its 99th percentile are.
 *
 * Statistics windows have no last call in which to sort samples, so each sample moves the two
 * marks by the few buckets that it costs. Values are right within 1.6 %; those below 32 ns are
 * exact, those above 34 s count as 34 s.
 */
class mrc_rtt_histogram
{
  public:
    /// @param ns a sample, not negative
    void add(int64_t ns)
    {
        const size_t at = bucket(static_cast<uint64_t>(ns));
        ++m_counts[at];
        ++m_total;
        m_least = m_total == 1 || ns < m_least ? ns : m_least;
        m_most = ns > m_most ? ns : m_most;
        m_median.add(*this, at, (m_total - 1) / 2);
        m_p99.add(*this, at, (m_total - 1) * 99 / 100);
    }

    /// @return samples
    uint64_t total() const
    {
        return m_total;
    }

    /// @return ns, 0 without a sample
    double median() const
    {
        return m_total == 0 ? 0 : within(m_median);
    }

    /// @return ns, 0 without a sample
    double p99() const
    {
        return m_total == 0 ? 0 : within(m_p99);
    }

  private:
    static constexpr size_t STEPS = 32;   ///< buckets per power of two
    static constexpr size_t OCTAVES = 31; ///< powers of two, the first linear

    /// A bucket that holds the sample of a rank.
    struct mark
    {
        size_t at{0};      ///< the bucket
        uint64_t below{0}; ///< samples in the buckets before it

        /// @param all the histogram @param added bucket of a new sample @param rank from 0
        void add(const mrc_rtt_histogram& all, size_t added, uint64_t rank)
        {
            below += added < at ? 1 : 0;
            while (below > rank)
            {
                below -= all.m_counts[--at];
            }
            while (below + all.m_counts[at] <= rank)
            {
                below += all.m_counts[at++];
            }
        }
    };

    double within(const mark& rank) const
    {
        const double ns = middle(rank.at);
        return std::clamp(ns, static_cast<double>(m_least), static_cast<double>(m_most));
    }

    static size_t bucket(uint64_t ns)
    {
        if (ns < STEPS)
        {
            return ns;
        }
        size_t octave = 1;
        while (ns >= 2 * STEPS)
        {
            ns >>= 1;
            ++octave;
        }
        return octave < OCTAVES ? octave * STEPS + (ns - STEPS) : OCTAVES * STEPS - 1;
    }

    static double middle(size_t bucket)
    {
        if (bucket < 2 * STEPS)
        {
            return static_cast<double>(bucket);
        }
        const size_t octave = bucket / STEPS - 1;
        const double low = static_cast<double>((bucket % STEPS + STEPS) << octave);
        return low + static_cast<double>((uint64_t{1} << octave) - 1) / 2;
    }

    std::array<uint32_t, STEPS * OCTAVES> m_counts{}; ///< samples by bucket
    uint64_t m_total{0};                              ///< all samples
    int64_t m_least{0};                               ///< smallest sample
    int64_t m_most{0};                                ///< largest sample
    mark m_median;                                    ///< of half the samples
    mark m_p99;                                       ///< of 99 %
};

#endif // PACKET_MRC_RTT_H
