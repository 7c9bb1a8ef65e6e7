// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_RANDOM_H
#define MRC_RANDOM_H

#include <cstdint>

namespace mrc
{

/**
 * A pseudo-random sequence in eight bytes, so that every QP can own one.
 *
 * The state is a counter and each output is a mix of it (SplitMix64): every seed is a valid one,
 * the period is 2^64, and equal seeds give equal sequences on every platform.
 */
class Random
{
  public:
    /// @param seed where the sequence starts; any value
    explicit Random(uint64_t seed)
        : m_state(seed)
    {
    }

    /// @return the next 64 pseudo-random bits
    uint64_t Next()
    {
        m_state += 0x9e3779b97f4a7c15;
        uint64_t z = m_state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    /**
     * Draw an integer below a limit by multiplying and shifting, without a division.
     *
     * Some values are more likely than others by at most n / 2^32, far below what a
     * simulation can measure.
     *
     * @param n the limit; 0 is answered with 0
     * @return a number from 0 to n - 1
     */
    uint32_t Below(uint32_t n)
    {
        return static_cast<uint32_t>(((Next() >> 32) * n) >> 32);
    }

  private:
    uint64_t m_state; ///< the counter that Next() mixes
};

static_assert(sizeof(Random) == 8, "one generator per QP has to stay cheap");

} // namespace mrc

#endif // MRC_RANDOM_H
