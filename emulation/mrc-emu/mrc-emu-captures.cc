// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-captures.h"

#include "mrc-usid-names.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace mrc::emu
{

Captures::Captures(EmuFabric& fabric, std::string folder)
    : m_fabric(fabric),
      m_folder(std::move(folder))
{
}

std::string
Captures::Start(const mrc::ClosPort& port)
{
    const mrc::ClosPlan& plan = m_fabric.Clos();
    const std::string name = mrc::PortName(plan, port.plane, port.end);
    const std::string link = mrc::LinkName(plan, plan.LinkOf(port.plane, port.end));
    if (m_folder.empty())
    {
        throw LabError("there is nowhere to write: start the lab with out = \"FOLDER\" or --out");
    }
    if (m_running.count(link) != 0)
    {
        throw LabError("the link of " + name + " is captured already, in " + m_running[link].path);
    }
    std::string file = name;
    for (char& c : file)
    {
        c = c == '/' || c == ':' ? '_' : c;
    }
    Capture capture;
    capture.path = m_folder + "/" + file + ".pcapng";
    try
    {
        capture.writer = std::make_unique<mrc::PcapngWriter>(capture.path);
    }
    catch (const std::runtime_error& error)
    {
        throw LabError(error.what());
    }
    ns3::MrcClosNetwork& network = m_fabric.Network();
    const std::string names = m_folder + "/" + mrc::USID_NAMES_FILE;
    std::ofstream out(names);
    mrc::WriteUsidNames(out, network.Plan().Usids(), network.Fabric().Addresses());
    if (!out.flush())
    {
        throw LabError(names + " could not be written: " + std::strerror(errno));
    }
    mrc::EncodeOptions options;
    options.dscp = network.Profile().Transport().dscp;
    capture.port = std::make_unique<ns3::MrcPcapPort>(
        *capture.writer,
        mrc::PcapngInterface{name, "simulated time"},
        ns3::Ptr<ns3::MrcEgressPort>(&network.Port(port.plane, port.end)),
        ns3::Ptr<ns3::MrcEgressPort>(&network.Port(port.plane, plan.Peer(port.plane, port.end))),
        network.Fabric().Addresses(),
        options);
    return m_running.emplace(link, std::move(capture)).first->second.path;
}

uint64_t
Captures::Stop(const mrc::ClosPort& port)
{
    const mrc::ClosPlan& plan = m_fabric.Clos();
    const auto found = m_running.find(mrc::LinkName(plan, plan.LinkOf(port.plane, port.end)));
    if (found == m_running.end())
    {
        throw LabError(mrc::PortName(plan, port.plane, port.end) + " is not captured");
    }
    Capture capture = std::move(found->second);
    m_running.erase(found);
    capture.port.reset();
    try
    {
        capture.writer->Close();
    }
    catch (const std::runtime_error& error)
    {
        throw LabError(error.what());
    }
    return capture.writer->Written();
}

std::string
Captures::StopAll()
{
    std::string errors;
    for (auto& [link, capture] : m_running)
    {
        capture.port.reset();
        try
        {
            capture.writer->Close();
        }
        catch (const std::runtime_error& error)
        {
            errors += (errors.empty() ? "" : "; ") + std::string(error.what());
        }
    }
    m_running.clear();
    return errors;
}

} // namespace mrc::emu
