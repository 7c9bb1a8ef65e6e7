// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_CAPTURES_H
#define MRC_EMU_CAPTURES_H

#include "mrc-emu-fabric.h"
#include "mrc-pcap-port.h"

#include <map>
#include <memory>
#include <string>

namespace mrc::emu
{

/// Captures of ports, started and stopped while the lab runs. Each port has a file of its own.
class Captures
{
  public:
    /// @param fabric whose ports @param folder for the files; empty: captures are refused
    Captures(EmuFabric& fabric, std::string folder);

    /**
     * Start to capture what a port sends and receives.
     *
     * @param port which
     * @return path of the file
     * @throws LabError if its link is captured already, or there is nowhere to write
     */
    std::string Start(const mrc::ClosPort& port);

    /// Stop. @param port which @return packets in the file @throws LabError if it is not captured
    uint64_t Stop(const mrc::ClosPort& port);

    /// Stop all. @return empty, or what could not be written
    std::string StopAll();

  private:
    /// A capture.
    struct Capture
    {
        std::string path;                          //!< of the file
        std::unique_ptr<mrc::PcapngWriter> writer; //!< the file
        std::unique_ptr<ns3::MrcPcapPort> port;    //!< feeds it
    };

    EmuFabric& m_fabric;                      //!< whose ports
    std::string m_folder;                     //!< for the files
    std::map<std::string, Capture> m_running; //!< by link
};

} // namespace mrc::emu

#endif // MRC_EMU_CAPTURES_H
