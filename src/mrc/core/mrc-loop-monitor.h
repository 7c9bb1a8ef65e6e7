// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_LOOP_MONITOR_H
#define MRC_LOOP_MONITOR_H

#include <cstdint>
#include <vector>

namespace mrc
{

/// Settings of a LoopMonitor; the planes of a NIC share one object.
struct LoopMonitorConfig
{
    /// Loops NIC-T0-NIC of a round, 1 to 2048 (O).
    uint32_t nearLoops = 16;

    /// Rounds whose loops NIC-T0-NIC are counted together, > 0 (O).
    uint32_t windowRounds = 32;

    /// Rounds whose loops NIC-T0-T1-T0-NIC are counted together, > 0 (O).
    uint32_t farWindowRounds = 256;

    /// Lost loops of a window below which nothing is concluded, > 0 (O).
    uint32_t minLosses = 3;

    /// Share of the loops of a window that have to be lost, 0 to 1 (O).
    double lossThreshold = 0.003;

    /// Rounds without loss of a loop NIC-T0-NIC that clear a lossy NIC link, > 0 (O).
    uint32_t cleanRounds = 64;
};

/// What loops say about a link.
enum class LinkVerdict : uint8_t
{
    CLEAN, ///< not known to lose anything
    LOSSY  ///< loses packets
};

/**
 * Tells from self-addressed loops of one NIC on one plane which link loses packets.
 *
 * A near loop goes NIC-T0-NIC: what it loses, the NIC's link lost (or its T0). A far loop goes
 * NIC-T0-T1-T0-NIC by one uplink: if those of an uplink are lost and near ones are not, the link
 * to the T1 is at fault (or the T1). MRC itself sees only that an EV lost a packet, and every EV of
 * the plane crosses the NIC's link.
 *
 * Loops are sent in rounds. One that is not back when the next round begins is lost.
 */
class LoopMonitor
{
  public:
    /// What was counted since the start.
    struct Statistic
    {
        uint64_t sent{0}; ///< loops of rounds that are over
        uint64_t lost{0}; ///< of them not back in time
    };

    /**
     * @param config settings; must outlive the monitor
     * @param uplinks of the T0, 1 to 2048
     */
    LoopMonitor(const LoopMonitorConfig& config, uint32_t uplinks);

    /// @return loops of a round: first the near ones, then one for each uplink
    uint32_t LoopsPerRound() const
    {
        return m_config->nearLoops + m_uplinks;
    }

    /// @param loop number in a round @return whether it is a near one
    bool IsNear(uint32_t loop) const
    {
        return loop < m_config->nearLoops;
    }

    /**
     * Begin a round: judge the last one.
     *
     * @return whether a verdict changed: look at NicLink() and Uplink()
     */
    bool BeginRound();

    /// @param loop number below LoopsPerRound() @return its request id in this round
    uint16_t RequestId(uint32_t loop) const
    {
        return static_cast<uint16_t>((m_round % ROUND_NUMBERS) << LOOP_BITS | loop);
    }

    /**
     * A loop came back.
     *
     * @param requestId as sent; any value is taken
     * @return whether it belongs to this round and is the first with this id
     */
    bool OnReturned(uint16_t requestId);

    /// @return what is known of the NIC's link
    LinkVerdict NicLink() const
    {
        return m_nicLink;
    }

    /// @param uplink of the T0 @return what is known of its link to the T1
    LinkVerdict Uplink(uint32_t uplink) const
    {
        return m_uplinkVerdicts[uplink];
    }

    /// @return all near loops
    const Statistic& Near() const
    {
        return m_near;
    }

    /// @return all far loops
    const Statistic& Far() const
    {
        return m_far;
    }

  private:
    static constexpr uint32_t LOOP_BITS = 12;     ///< of a request id
    static constexpr uint32_t ROUND_NUMBERS = 16; ///< that a request id tells apart

    /// Losses of the last rounds.
    class Window
    {
      public:
        /// @param rounds how many
        explicit Window(uint32_t rounds);
        /// Forget the oldest round. @param lost loops of the newest
        void Add(uint32_t lost);

        /// @return losses in the window
        uint32_t Lost() const
        {
            return m_sum;
        }

      private:
        std::vector<uint16_t> m_lost; ///< by round
        uint32_t m_next{0};           ///< oldest
        uint32_t m_sum{0};            ///< of all
    };

    /// @param window of rounds @param rounds its length @param perRound loops of a round
    /// @return whether that is too much
    bool IsLossy(const Window& window, uint32_t rounds, uint32_t perRound) const;
    /// Count the loops of the round that is over and see what they say. @return as BeginRound()
    bool Judge();

    const LoopMonitorConfig* m_config;         ///< shared
    uint32_t m_uplinks;                        ///< of the T0
    uint64_t m_round{0};                       ///< rounds begun
    uint32_t m_cleanRounds{0};                 ///< since the last near loss
    std::vector<bool> m_isBack;                ///< by loop of this round
    Window m_nearLosses;                       ///< of near loops
    std::vector<Window> m_farLosses;           ///< by uplink
    std::vector<LinkVerdict> m_uplinkVerdicts; ///< by uplink
    LinkVerdict m_nicLink{LinkVerdict::CLEAN}; ///< of the NIC's link
    Statistic m_near;                          ///< since the start
    Statistic m_far;                           ///< since the start
};

} // namespace mrc

#endif // MRC_LOOP_MONITOR_H
