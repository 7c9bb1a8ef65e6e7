// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_FABRIC_PROBER_H
#define MRC_FABRIC_PROBER_H

#include "mrc-clos-network.h"
#include "mrc-ev-controller.h"
#include "mrc-loop-monitor.h"

#include <ns3/event-id.h>
#include <ns3/object.h>
#include <ns3/traced-callback.h>

#include <vector>

namespace ns3
{

/// What a MrcFabricProber concluded.
struct MrcProberVerdict
{
    int64_t timePs;           ///< when
    uint32_t nic;             ///< index of the NIC whose loops said so
    uint8_t plane;            ///< the plane
    bool isNicLink;           ///< about the NIC's link; else about an uplink of its T0
    uint32_t uplink;          ///< which uplink
    mrc::LinkVerdict verdict; ///< clean or lossy
};

/**
 * @ingroup mrc
 * Finds NIC links that lose packets, as the clusters that run MRC do, and takes their planes out of
 * use.
 *
 * Every NIC sends packets to itself each Interval: NIC-T0-NIC, and NIC-T0-T1-T0-NIC by each uplink
 * of its T0, on each plane (see mrc::LoopMonitor). When the link of a NIC is lossy, its controller
 * denies the plane, and the controllers of the other NICs deny the plane towards it (TellPeers), or
 * they would go on to send over the lossy link. When the loops are clean for CleanRounds rounds,
 * all of them allow it again. A lossy link between switches is reported and left to MRC, which sees
 * it in the EVs that cross it.
 *
 * Needs source routing, and a controller on each NIC that it watches.
 */
class MrcFabricProber : public Object, public MrcLoopSink, public mrc::LoopMonitorConfig
{
  public:
    /// @param verdict what changed
    typedef void (*VerdictTracedCallback)(const MrcProberVerdict& verdict);

    /// @return the TypeId
    static TypeId GetTypeId();

    MrcFabricProber();
    ~MrcFabricProber() override;

    /**
     * Watch all NICs of a network from now on. Their controllers are made if they have none.
     *
     * @param network source-routed; outlives the prober
     */
    void Start(Ptr<MrcClosNetwork> network);

    /// Send no more loops. Planes that are denied stay so.
    void Stop();

    /// @param nic index @param plane below the number of planes @return what its loops said
    const mrc::LoopMonitor& Monitor(uint32_t nic, uint8_t plane) const
    {
        return m_nics[nic].planes[plane];
    }

    void OnLoop(uint32_t nic, uint8_t plane, const mrc::Frame& frame, int64_t nowPs) override;

  protected:
    void DoDispose() override;

  private:
    /// A NIC that is watched.
    struct Watched
    {
        std::vector<mrc::LoopMonitor> planes; ///< by plane
        uint32_t deniedPlanes{0};             ///< bit p: this prober denied plane p
        EventId round;                        ///< next one
    };

    /// Judge the last round of a NIC and send the next one.
    void Round(uint32_t nic);
    /// Send the loops of a round. @param nic from where @param plane on which
    void SendLoops(uint32_t nic, uint8_t plane);
    /// Tell who listens what changed. @param nic whose loops @param plane on which
    void Report(uint32_t nic, uint8_t plane);
    /// Make orders of what is known of a NIC's link. @param nic which @param plane which
    void Decide(uint32_t nic, uint8_t plane);

    Ptr<MrcClosNetwork> m_network;                          //!< watched
    std::vector<Watched> m_nics;                            //!< by index
    std::vector<std::vector<mrc::LinkVerdict>> m_reported;  //!< by NIC and plane: link, uplinks
    Time m_interval;                                        //!< attribute Interval
    bool m_isTellingPeers{true};                            //!< attribute TellPeers
    TracedCallback<const MrcProberVerdict&> m_verdictTrace; //!< trace source Verdict
};

} // namespace ns3

#endif // MRC_FABRIC_PROBER_H
