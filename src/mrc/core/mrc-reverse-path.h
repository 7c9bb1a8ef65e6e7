// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_REVERSE_PATH_H
#define MRC_REVERSE_PATH_H

#include <cstdint>
#include <memory>

namespace mrc
{

/**
 * The paths that a QP keeps for its control packets: an EV per plane, and which planes are down.
 *
 * A QP that receives but sends nothing learns nothing of its own paths. So each interval in which
 * that is the case it has a random EV probed, and an EV that was answered becomes the one of its
 * plane. A QP that never received anything holds no EVs.
 */
//= MRC-REF 4 Reverse path and ports
class ReversePath
{
  public:
    /// Something was sent: what comes back tells about the paths.
    void OnSent()
    {
        m_hasSent = true;
    }

    /**
     * A WRITE arrived.
     *
     * @param nowPs when
     * @param intervalPs one base RTT
     * @return whether a random EV is to be probed now
     */
    bool OnReceived(int64_t nowPs, int64_t intervalPs)
    {
        if (nowPs < m_nextPs)
        {
            return false;
        }
        const bool isWanted = m_nextPs != 0 && !m_hasSent; // a first interval has yet to pass
        m_nextPs = nowPs + intervalPs;
        m_hasSent = false;
        return isWanted;
    }

    /**
     * An EV is the one of its plane from now on.
     *
     * @param plane the plane, below `planes`
     * @param planes planes of the NIC
     * @param ev the EV, not 0
     */
    void Keep(uint8_t plane, uint8_t planes, uint32_t ev)
    {
        if (!m_evs)
        {
            m_evs = std::make_unique<uint32_t[]>(planes);
        }
        m_evs[plane] = ev;
    }

    /// @param plane a plane @return its EV, 0 if there is none yet
    uint32_t Ev(uint8_t plane) const
    {
        return m_evs ? m_evs[plane] : 0;
    }

    /// @param mask bit p: no packet gets through on plane p, a port of it is down
    void SetDownPlanes(uint32_t mask)
    {
        m_downPlanes = mask;
    }

    /// @return bit p: plane p is down
    uint32_t DownPlanes() const
    {
        return m_downPlanes;
    }

    /// @param plane a plane @return whether packets get through, as far as ports tell
    bool IsPlaneUp(uint8_t plane) const
    {
        return (m_downPlanes >> plane & 1) == 0;
    }

    /**
     * Find a plane for a packet.
     *
     * @param wanted the plane to use if it is up
     * @param planes planes of the NIC
     * @return the first plane that is up, from `wanted` on; `wanted` if none is
     */
    uint8_t PlaneFor(uint8_t wanted, uint8_t planes) const
    {
        for (uint8_t i = 0; i < planes; ++i)
        {
            const auto plane = static_cast<uint8_t>((wanted + i) % planes);
            if (IsPlaneUp(plane))
            {
                return plane;
            }
        }
        return wanted;
    }

  private:
    int64_t m_nextPs{0};               //!< end of the interval; 0: nothing was received yet
    std::unique_ptr<uint32_t[]> m_evs; //!< by plane; null: none
    uint32_t m_downPlanes{0};          //!< bit p: plane p is down
    bool m_hasSent{false};             //!< in this interval
};

static_assert(sizeof(ReversePath) <= 24, "kept in every QP");

} // namespace mrc

#endif // MRC_REVERSE_PATH_H
