// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_AGE_LIMIT_H
#define MRC_AGE_LIMIT_H

#include <algorithm>
#include <cstdint>

namespace mrc
{

/**
 * How old a packet must be before it counts as lost when later ones have arrived.
 *
 * A path that fails should be found out within a few round trips, but a congested path delays its
 * packets by several: so the limit is a floor that suits an idle network, or a quarter more than
 * the greatest age at which packets were lately reported received. (O)
 */
class AgeLimit
{
  public:
    /**
     * A packet was reported received.
     *
     * @param nowPs when the report came
     * @param agePs since it was sent
     * @param epochPs how long a great age counts at least; twice as long at most
     */
    void OnReceived(int64_t nowPs, int64_t agePs, int64_t epochPs)
    {
        if (nowPs >= m_epochEndPs)
        {
            const bool isRecent = nowPs < m_epochEndPs + epochPs;
            m_previousPs = isRecent ? m_currentPs : 0;
            m_currentPs = 0;
            m_epochEndPs = nowPs + epochPs;
        }
        m_currentPs = std::max(m_currentPs, agePs);
    }

    /// @param floorPs the least limit, ps @return the limit, ps
    int64_t LimitPs(int64_t floorPs) const
    {
        return std::max(floorPs, std::max(m_currentPs, m_previousPs) * 5 / 4);
    }

  private:
    int64_t m_epochEndPs{0}; //!< when m_currentPs becomes m_previousPs
    int64_t m_currentPs{0};  //!< greatest age of this epoch
    int64_t m_previousPs{0}; //!< greatest age of the epoch before
};

} // namespace mrc

#endif // MRC_AGE_LIMIT_H
