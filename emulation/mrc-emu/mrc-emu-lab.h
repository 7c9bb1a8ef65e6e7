// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_LAB_H
#define MRC_EMU_LAB_H

#include "mrc-clos-plan.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace mrc::emu
{

/// What the user asked for cannot be done; what() is one line. Exit code 2.
class LabError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// One interface of a real host.
struct LabPort
{
    /// What stands behind it.
    enum class Kind : uint8_t
    {
        TAP,          ///< a TAP of our own in the host's network namespace
        EXISTING_TAP, ///< a persistent TAP of the machine, by name
        DEVICE        ///< any other interface of the machine, through a packet socket
    };

    Kind kind{Kind::TAP}; ///< which
    std::string device;   ///< name on the machine, unless TAP
};

/// A real host.
struct LabHost
{
    std::string name;            ///< for commands, "h0"
    std::string where;           ///< "FILE:LINE" that describes it
    uint32_t nic{0};             ///< the NIC of the fabric whose place it takes
    bool hasNic{false};          ///< `nic` was given
    std::vector<LabPort> ports;  ///< by plane; empty: a TAP in each
    bool isDecapsulating{false}; ///< its kernel takes off SRv6 (End.DT6 on its own uSIDs)
    bool isForwarding{false};    ///< its kernel routes

    /// @return whether it has a network namespace of ours
    bool HasNamespace() const
    {
        for (const LabPort& port : ports)
        {
            if (port.kind == LabPort::Kind::TAP)
            {
                return true;
            }
        }
        return false;
    }
};

/// Traffic among simulated NICs.
struct LabWorkload
{
    std::string kind{"permutation"}; ///< permutation, incast, ring-allreduce, all-to-all, p2p
    std::string where;               ///< "FILE:LINE"
    uint64_t bytes{2 << 20};         ///< of a message
    uint32_t messages{1};            ///< of a pair, one after the other
    uint32_t senders{0};             ///< incast: how many send; 0 = all others
    uint32_t concurrency{8};         ///< all-to-all: peers at a time
    std::vector<uint32_t> nics;      ///< who takes part; empty: all simulated NICs
    int64_t startNs{0};              ///< wall time after the start
};

/// A command that is given at a time.
struct LabAction
{
    int64_t atNs{0};     ///< wall time after the start
    std::string command; ///< of the control protocol
    std::string where;   ///< "FILE:LINE"
};

/// All that a lab file says.
struct Lab
{
    std::string name;                        ///< of the run, for commands
    mrc::ClosConfig clos;                    ///< counts of the fabric
    uint64_t bitsPerSecond{100'000'000'000}; ///< simulated rate of each link
    int64_t delayPs{75'000};                 ///< simulated delay of each link
    uint32_t seed{1};                        ///< of all random numbers
    std::vector<std::string> set;            ///< ns3::Class::Attribute=value
    std::vector<std::string> setWhere;       ///< for each: "FILE:LINE"
    uint32_t mtu{9000};                      ///< of the hosts' interfaces
    std::vector<LabHost> hosts;              ///< real hosts
    std::vector<LabWorkload> workloads;      ///< simulated traffic
    std::vector<LabAction> actions;          ///< commands by time

    double scale{0};           ///< wall time per simulated time; 0 = computed
    int64_t maxLagNs{0};       ///< exit code 3 beyond it; 0 = no bound
    int64_t lateNs{1'000'000}; ///< a packet is late when it leaves so long after its time
    int64_t earlyNs{20'000};   ///< events may run so long before their time
    int64_t durationNs{0};     ///< stop after so long; 0 = when told
    int cpu{-1};               ///< pin to this one; -1 = do not
    int fifoPriority{0};       ///< SCHED_FIFO with this priority; 0 = do not
    std::string out;           ///< folder for log, captures and results; empty: none
    std::string metrics;       ///< "unix:PATH" or "127.0.0.1:PORT"; empty: none
};

/**
 * Read a lab file.
 *
 * @param path of it
 * @return what it says, with names, places and ports filled in
 * @throws LabError "FILE:LINE: what is wrong and what would be right"
 */
Lab ReadLabFile(const std::string& path);

/**
 * Read the text of a lab.
 *
 * @param text all of it
 * @param file how messages call it
 * @return as ReadLabFile()
 * @throws LabError as ReadLabFile()
 */
Lab ParseLab(const std::string& text, const std::string& file);

/// @return the lab of `mrc-emu demo`, as a file of it would read
const char* DemoLabText();

/// @return all keys of a lab file with their defaults, several lines
std::string LabHelp();

} // namespace mrc::emu

#endif // MRC_EMU_LAB_H
