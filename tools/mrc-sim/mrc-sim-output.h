// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIM_OUTPUT_H
#define MRC_SIM_OUTPUT_H

#include "mrc-pcap-port.h"
#include "mrc-sim-options.h"
#include "mrc-sim-results.h"
#include "mrc-sim-scenario.h"

#include <memory>
#include <string>
#include <vector>

namespace mrc::sim
{

/// The folder of --out: captures while the run lasts, then the reports.
class Output
{
  public:
    /**
     * Make the folder if it is not there, and try to write to it.
     *
     * @param folder empty for no output
     * @throws BadInput if it cannot be written to; nothing was written then
     */
    explicit Output(const std::string& folder);

    /**
     * Start the captures that the scenario asks for.
     *
     * @param scenario about to run, outlives this
     * @throws BadInput if the file cannot be written
     */
    void StartCaptures(Scenario& scenario);

    /**
     * Write what is left to write.
     *
     * @param options of the run
     * @param traffic that ran
     * @param[in,out] results written; get the files' names
     * @throws std::runtime_error if the disk is full or such
     */
    void Write(const Options& options, const ns3::MrcTraffic& traffic, Results& results);

  private:
    /// @return path of a file in the folder
    std::string Path(const std::string& file) const;

    std::string m_folder;                                      //!< empty = none
    std::unique_ptr<mrc::PcapngWriter> m_writer;               //!< of all captures
    std::vector<std::unique_ptr<ns3::MrcPcapPort>> m_captures; //!< by port
};

} // namespace mrc::sim

#endif // MRC_SIM_OUTPUT_H
