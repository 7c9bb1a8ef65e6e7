// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-sim-output.h"

#include "mrc-sim-bad-input.h"
#include "mrc-sim-reports.h"
#include "mrc-usid-names.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace mrc::sim
{

namespace
{

/// Write a file. @param path of it @param write called with the stream
template <class Function>
void
WriteFile(const std::string& path, const Function& write)
{
    std::ofstream out(path);
    write(out);
    out.flush();
    if (!out)
    {
        throw std::runtime_error(path + " could not be written: " + std::strerror(errno));
    }
}

} // namespace

Output::Output(const std::string& folder)
    : m_folder(folder)
{
    if (folder.empty())
    {
        return;
    }
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    const std::string path = Path(".mrc-sim");
    std::FILE* probe = error ? nullptr : std::fopen(path.c_str(), "w");
    if (probe == nullptr)
    {
        throw BadInput("out",
                       "folder " + folder + " cannot be written to: " +
                           (error ? error.message() : std::strerror(errno)));
    }
    std::fclose(probe);
    std::remove(path.c_str());
}

std::string
Output::Path(const std::string& file) const
{
    return (std::filesystem::path(m_folder) / file).string();
}

void
Output::StartCaptures(Scenario& scenario)
{
    if (scenario.captures.empty())
    {
        return;
    }
    try
    {
        m_writer = std::make_unique<mrc::PcapngWriter>(Path("capture.pcapng"));
    }
    catch (const std::runtime_error& error)
    {
        throw BadInput("pcap", error.what());
    }
    ns3::MrcClosNetwork& network = *scenario.network;
    WriteFile(Path(mrc::USID_NAMES_FILE), [&](std::ostream& out) {
        mrc::WriteUsidNames(out, network.Plan().Usids(), network.Fabric().Addresses());
    });
    mrc::EncodeOptions encode;
    encode.dscp = network.Profile().Transport().dscp;
    for (const mrc::ClosPort& port : scenario.captures)
    {
        const mrc::Attachment peer = network.Clos().Peer(port.plane, port.end);
        mrc::PcapngInterface interface;
        interface.name = mrc::PortName(network.Clos(), port.plane, port.end);
        m_captures.push_back(std::make_unique<ns3::MrcPcapPort>(*m_writer,
                                                                interface,
                                                                &network.Port(port.plane, port.end),
                                                                &network.Port(port.plane, peer),
                                                                network.Fabric().Addresses(),
                                                                encode));
    }
}

void
Output::Write(const Options& options, const ns3::MrcTraffic& traffic, Results& results)
{
    if (m_folder.empty())
    {
        return;
    }
    if (m_writer)
    {
        m_captures.clear();
        m_writer->Close();
        results.files.push_back(Path("capture.pcapng"));
        results.files.push_back(Path(mrc::USID_NAMES_FILE));
    }
    const std::string json = Path("result.json");
    const std::string csv = Path("messages.csv");
    const std::string toml = Path("run.toml");
    WriteFile(csv, [&](std::ostream& out) { WriteMessagesCsv(out, traffic); });
    WriteFile(toml, [&](std::ostream& out) { WriteRunToml(out, options); });
    WriteFile(json, [&](std::ostream& out) { WriteJson(out, options, results); });
    results.files.insert(results.files.begin(), {json, csv, toml});
}

} // namespace mrc::sim
