// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_ROUTE_AROUND_H
#define MRC_ROUTE_AROUND_H

#include "mrc-clos-network.h"
#include "mrc-fault-spec.h"

#include <array>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup mrc
 * Measures how long QPs go on to send data into a fault.
 *
 * From the onset of a fault that cuts paths to its end it looks at each WRITE that a NIC starts to
 * send, and works out from its EV whether it is bound for what failed. Outside that time it costs
 * nothing. Without SRv6 the path of a packet is not known and nothing is measured.
 */
class MrcRouteAroundMonitor
{
  public:
    /// What one QP sent into a fault.
    struct QpResult
    {
        int64_t lastSentPs{0};   ///< when its last WRITE left for a failed path
        uint64_t packetsSent{0}; ///< WRITEs that left for a failed path
    };

    /// What was seen of one fault; of one that flaps, since it began last.
    struct Result
    {
        bool isMeasured;      ///< whether it cuts paths, and has begun
        int64_t onsetPs;      ///< when it began
        int64_t endPs;        ///< when it ends; what is sent then arrives
        int64_t lastSentPs;   ///< when the last WRITE left for a failed path; onsetPs if none did
        uint64_t packetsSent; ///< WRITEs that left for a failed path

        /// QPs that sent into it, by sending NIC and the peer's QPN.
        std::map<std::pair<uint32_t, uint32_t>, QpResult> qps{};

        /// @return from the onset to the last WRITE that was sent into the fault, ps
        int64_t TimePs() const
        {
            return lastSentPs - onsetPs;
        }
    };

    /**
     * @param network what is watched
     * @param faults what will happen to it, as in MrcFaultSchedule::Faults()
     */
    MrcRouteAroundMonitor(Ptr<MrcClosNetwork> network, const std::vector<mrc::FaultSpec>& faults);

    /// Hand the times to look to the simulator. The monitor must outlive the run.
    void Install();

    /// @return one for each fault
    const std::vector<Result>& Results() const
    {
        return m_results;
    }

  private:
    /// Start to look. @param fault index of the fault
    void Begin(size_t fault);
    /// Stop to look. @param fault index of the fault
    void End(size_t fault);
    /// A NIC sends a frame. @param plane of its port @param frame the frame @param when the time
    void OnSent(uint32_t plane, const mrc::Frame& frame, Time when);
    /// @return whether a frame's path leads over what a fault cut
    bool IsCut(const mrc::FaultSpec& fault, uint32_t plane, const mrc::Frame& frame) const;

    Ptr<MrcClosNetwork> m_network;        //!< what is watched
    std::vector<mrc::FaultSpec> m_faults; //!< what happens
    std::vector<Result> m_results;        //!< one each
    std::vector<size_t> m_active;         //!< faults being watched
};

/// The egress ports of a path, in order; of a packet that is looked at, so without allocation.
class MrcPathPortList
{
  public:
    /// @param port the next port, at most MAX_PORTS in all
    void Add(const mrc::Attachment& port)
    {
        m_ports[m_count++] = port;
    }

    /// @return the first port
    const mrc::Attachment* begin() const
    {
        return m_ports.data();
    }

    /// @return past the last port
    const mrc::Attachment* end() const
    {
        return m_ports.data() + m_count;
    }

  private:
    /// NIC, T0, T1, T2, T1, T0.
    static constexpr size_t MAX_PORTS = 6;

    std::array<mrc::Attachment, MAX_PORTS> m_ports{}; //!< the ports
    size_t m_count{0};                                //!< how many there are
};

/**
 * The egress ports that a frame passes, by its EV.
 *
 * @param plan wiring and EV layout
 * @param plane the plane
 * @param source the sending NIC
 * @param destination the receiving NIC
 * @param ev the EV, valid for this pair
 * @return ports of NIC and switches in the order of the path
 */
MrcPathPortList MrcPathPorts(
    const mrc::PathPlan& plan, uint32_t plane, uint32_t source, uint32_t destination, uint32_t ev);

} // namespace ns3

#endif // MRC_ROUTE_AROUND_H
