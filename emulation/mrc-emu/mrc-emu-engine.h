// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_ENGINE_H
#define MRC_EMU_ENGINE_H

#include "mrc-emu-captures.h"
#include "mrc-emu-clock.h"
#include "mrc-emu-endpoints.h"
#include "mrc-emu-event-log.h"
#include "mrc-emu-fabric.h"
#include "mrc-emu-fd.h"
#include "mrc-emu-host-port.h"
#include "mrc-emu-socket-server.h"
#include "mrc-simulator-impl.h"
#include "mrc-traffic.h"

#include <memory>
#include <string>
#include <vector>

namespace mrc::emu
{

/// What the engine's process inherits from the one that started it.
struct EngineHandles
{
    std::string folder;                 ///< of the run
    Fd supervisor;                      ///< "ready" goes there; its end ends the lab
    Fd control;                         ///< listening socket for commands
    Fd metrics;                         ///< listening socket for metrics, or none
    Fd machine;                         ///< socket that asks for interfaces of the machine
    std::vector<std::vector<Fd>> ports; ///< by host and plane: interfaces that exist, or none
};

/// Sums of a lab, for results and displays.
struct EngineTotals
{
    uint64_t hostPackets{0}; ///< packets that hosts put in
    uint64_t delivered{0};   ///< packets that hosts got
    uint64_t late{0};        ///< of those: late
    uint64_t drops{0};       ///< frames that the fabric dropped
    uint64_t hops{0};        ///< frames serialised by any port
};

/**
 * A running lab: one thread that alternates between the file descriptors of the hosts and the event
 * list of the simulator.
 *
 * Events run when the wall clock reaches their time. Packets of hosts enter the fabric at the
 * simulated time at which they are read.
 */
class Engine
{
  public:
    /**
     * Build the fabric and the hosts. This process is the first one in its namespaces.
     *
     * @param lab what to build, outlives the engine
     * @param handles what was opened before
     * @throws LabError if it cannot be built
     */
    Engine(const Lab& lab, EngineHandles handles);
    ~Engine();

    /// Run until told to stop. @return exit code: 0, or 3 if the lag was beyond its bound
    int Run();

    /// End Run() soon. @param why for the log
    void Stop(const std::string& why);

    /// Write a line to the event log.
    void Log(const std::string& text);

    /// Do something after a span of wall time, in simulated time. @param ns from now
    void After(int64_t ns, std::function<void()> what);

    /// @return the lab
    const Lab& Description() const
    {
        return m_lab;
    }

    /// @return the fabric
    EmuFabric& Fabric()
    {
        return m_fabric;
    }

    /// @return ports of real hosts
    std::vector<std::unique_ptr<HostPort>>& HostPorts()
    {
        return m_hostPorts;
    }

    /// @return connections of simulated NICs with hosts
    Endpoints& SimulatedEndpoints()
    {
        return m_endpoints;
    }

    /// @return the simulated workloads, null if there are none
    ns3::MrcTraffic* Traffic()
    {
        return m_traffic.get();
    }

    /// @return captures
    Captures& PortCaptures()
    {
        return m_captures;
    }

    /// @return the clock
    const EmuClock& Clock() const
    {
        return m_clock;
    }

    /// @return simulated time, ps
    int64_t NowPs() const
    {
        return m_simulator.NowPs();
    }

    /// @return lag since the start
    const LagStatistics& Lag() const
    {
        return m_lag;
    }

    /// @return lag of the last whole second
    const LagStatistics& LagOfSecond() const
    {
        return m_shownLag;
    }

    /// @return sums since the start
    EngineTotals Totals() const;

    /// @param name of a host @return its network namespace @throws LabError if there is none
    const Fd& HostNetwork(const std::string& name) const;

    /// @return the namespaces of the lab: user, mount, process, network (without a host)
    std::vector<int> Namespaces() const;

    /// @return wall time since the start, s
    double WallS() const;

    /// @return CPU time of this process, s
    static double CpuS();

  private:
    /// Make namespaces and ports of the hosts. @param handles interfaces that exist
    void MakeHosts(EngineHandles& handles);
    /// Make a host. @param index of it @param existing its interfaces that exist
    void MakeHost(size_t index, std::vector<Fd>& existing);
    /// Let programs in the lab find hosts by name.
    void WriteHostsFile();
    /// Register with epoll. @param fd which @param events what
    void Watch(int fd, uint32_t events);
    /// Run events up to a wall time. @param wallNs the time @return whether all were run
    bool Advance(int64_t wallNs);
    /// Read from hosts. @return whether more waits
    bool Ingest();
    /// @return wall time at which there is something to do
    int64_t NextWakeNs() const;
    /// Wait for descriptors. @param untilNs wall time, or 0 for a look only
    void Poll(int64_t untilNs);
    /// A second is over.
    void Tick();
    /// Begin workloads and timed commands.
    void StartActions();
    /// Serve a command line. @param input received so far @return the answer
    SocketReply OnControl(std::string& input);
    /// Write result.json.
    void WriteResults();

    const Lab& m_lab;                                     //!< what to build
    std::string m_folder;                                 //!< of the run
    EmuClock m_clock;                                     //!< relates the times
    EmuFabric m_fabric;                                   //!< simulated part
    ns3::MrcSimulatorImpl& m_simulator;                   //!< event list
    Endpoints m_endpoints;                                //!< connections with hosts
    std::unique_ptr<ns3::MrcTraffic> m_traffic;           //!< workloads, or null
    Captures m_captures;                                  //!< of ports
    EventLog m_log;                                       //!< of what happened
    Fd m_epoll;                                           //!< all descriptors
    Fd m_supervisor;                                      //!< its end ends the lab
    Fd m_machine;                                         //!< asks for interfaces of the machine
    std::vector<Fd> m_networks;                           //!< by host: namespace, or none
    std::vector<Fd> m_namespaces;                         //!< user, mount, process, network
    std::vector<std::unique_ptr<HostPort>> m_hostPorts;   //!< by host and plane
    std::vector<HostPort*> m_byFd;                        //!< host ports by descriptor
    std::vector<std::unique_ptr<SocketServer>> m_servers; //!< control and metrics
    LagStatistics m_lag;                                  //!< since the start
    LagStatistics m_secondLag;                            //!< of this second
    LagStatistics m_shownLag;                             //!< of the last second
    EngineTotals m_lastTotals;                            //!< at the last tick
    int64_t m_slicePs{0};     //!< simulated time between looks at the clock
    int64_t m_nextTickNs{0};  //!< wall time of the next tick
    bool m_isStopping{false}; //!< Stop() was called
};

} // namespace mrc::emu

#endif // MRC_EMU_ENGINE_H
