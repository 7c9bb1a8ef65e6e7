// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-engine.h"

#include "mrc-clock.h"
#include "mrc-emu-commands.h"
#include "mrc-emu-host-setup.h"
#include "mrc-emu-namespace.h"
#include "mrc-emu-report.h"
#include "mrc-emu-tap.h"
#include "mrc-emu-workload.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/resource.h>

namespace mrc::emu
{

namespace
{

/// Packets that are read from one host port before the next one has its turn.
constexpr uint32_t BURST = 32;
/// Wall time that events may take before descriptors are looked at again.
constexpr int64_t TURN_NS = 2'000'000;
/// A wait shorter than this is not worth a sleep.
constexpr int64_t SPIN_NS = 5'000;
/// Length of a tick.
constexpr int64_t TICK_NS = 1'000'000'000;

} // namespace

Engine::Engine(const Lab& lab, EngineHandles handles)
    : m_lab(lab),
      m_folder(handles.folder),
      m_clock(lab.scale),
      m_fabric(lab),
      m_simulator(*ns3::MrcSimulatorImpl::Current()),
      m_endpoints(m_fabric, lab),
      m_captures(m_fabric, lab.out),
      m_log(lab.out, m_clock),
      m_epoll(epoll_create1(EPOLL_CLOEXEC)),
      m_supervisor(std::move(handles.supervisor)),
      m_machine(std::move(handles.machine))
{
    constexpr int64_t SLICE_NS = 100'000;
    m_slicePs = std::max<int64_t>(1, static_cast<int64_t>(SLICE_NS * 1000 / lab.scale));
    for (const char* kind : {"user", "mnt", "pid", "net"})
    {
        m_namespaces.push_back(OwnNamespace(kind));
    }
    if (!lab.workloads.empty())
    {
        m_traffic =
            std::make_unique<ns3::MrcTraffic>(ns3::Ptr<ns3::MrcClosNetwork>(&m_fabric.Network()),
                                              MakeWorkload(lab),
                                              ns3::MrcVerify::PLACEMENT);
    }
    RunIpBatch("link set lo up\n");
    MakeHosts(handles);
    WriteHostsFile();
    Watch(m_supervisor.Get(), EPOLLIN);
    m_servers.push_back(std::make_unique<SocketServer>(
        std::move(handles.control), m_epoll.Get(), [this](std::string& input) {
            return OnControl(input);
        }));
    if (handles.metrics)
    {
        m_servers.push_back(std::make_unique<SocketServer>(
            std::move(handles.metrics), m_epoll.Get(), [this](std::string& input) {
                return AnswerMetrics(*this, input);
            }));
    }
    m_fabric.SetNicLinkCallback([this](uint32_t nic, uint32_t plane, bool isUp) {
        for (const auto& port : m_hostPorts)
        {
            if (port->Nic() == nic && port->Plane() == plane)
            {
                port->SetCarrier(isUp);
            }
        }
    });
}

Engine::~Engine() = default;

void
Engine::MakeHosts(EngineHandles& handles)
{
    m_networks.resize(m_lab.hosts.size());
    for (size_t i = 0; i < m_lab.hosts.size(); ++i)
    {
        MakeHost(i, handles.ports[i]);
    }
}

void
Engine::MakeHost(size_t index, std::vector<Fd>& existing)
{
    const LabHost& host = m_lab.hosts[index];
    const mrc::UsidPlan& usids = m_fabric.Network().Plan().Usids();
    std::vector<Fd> fds = std::move(existing);
    auto makeTaps = [&]() {
        for (uint32_t plane = 0; plane < host.ports.size(); ++plane)
        {
            if (host.ports[plane].kind == LabPort::Kind::TAP)
            {
                fds[plane] = OpenTap(InterfaceName(plane));
            }
        }
        SetUpHost(m_lab, host, usids, m_fabric.Network().Fabric().Addresses());
    };
    if (host.HasNamespace())
    {
        m_networks[index] = MakeNetwork(makeTaps);
    }
    for (uint32_t plane = 0; plane < host.ports.size(); ++plane)
    {
        const int fd = fds[plane].Get();
        m_hostPorts.push_back(std::make_unique<HostPort>(host.name + ":" + InterfaceName(plane),
                                                         std::move(fds[plane]),
                                                         host.ports[plane],
                                                         host.nic,
                                                         plane,
                                                         m_fabric.Network(),
                                                         m_lab,
                                                         m_clock));
        m_hostPorts.back()->CheckInterface(m_machine);
        m_byFd.resize(std::max(m_byFd.size(), static_cast<size_t>(fd) + 1));
        m_byFd[static_cast<size_t>(fd)] = m_hostPorts.back().get();
        Watch(fd, EPOLLIN | EPOLLET);
    }
}

void
Engine::WriteHostsFile()
{
    const std::string path = m_folder + "/hosts";
    {
        std::ifstream old("/etc/hosts");
        std::ofstream file(path);
        file << old.rdbuf();
        file.clear(); // an empty /etc/hosts is no error
        file << HostsFile(m_lab, m_fabric.Network().Fabric().Addresses());
    }
    // Only in the lab's own mount namespace; without it names do not work, addresses do.
    mount(path.c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr);
}

void
Engine::Watch(int fd, uint32_t events)
{
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    epoll_ctl(m_epoll.Get(), EPOLL_CTL_ADD, fd, &event);
}

bool
Engine::Advance(int64_t wallNs)
{
    const int64_t targetPs = m_clock.SimulatedPs(wallNs);
    int64_t nextPs = m_simulator.NextPs();
    if (nextPs <= targetPs)
    {
        const int64_t lagNs = MonotonicNs() - m_clock.WallNs(nextPs);
        m_lag.Add(lagNs);
        m_secondLag.Add(lagNs);
    }
    while (nextPs <= targetPs)
    {
        m_simulator.RunUntil(std::min(targetPs, nextPs + m_slicePs));
        nextPs = m_simulator.NextPs();
        if (MonotonicNs() - wallNs > TURN_NS)
        {
            return false;
        }
    }
    if (targetPs > m_simulator.NowPs())
    {
        m_simulator.RunUntil(targetPs);
    }
    return true;
}

bool
Engine::Ingest()
{
    bool isMore = false;
    const int64_t nowPs = m_simulator.NowPs();
    for (const auto& port : m_hostPorts)
    {
        if (port->HasWork(nowPs))
        {
            port->Ingest(nowPs, BURST);
            isMore = isMore || port->HasWork(nowPs);
        }
    }
    return isMore;
}

int64_t
Engine::NextWakeNs() const
{
    int64_t wakeNs = m_nextTickNs;
    const int64_t nextPs = m_simulator.NextPs();
    if (nextPs != INT64_MAX)
    {
        wakeNs = std::min(wakeNs, m_clock.WallNs(nextPs) - m_lab.earlyNs);
    }
    for (const auto& port : m_hostPorts)
    {
        if (port->ResumePs() != INT64_MAX)
        {
            wakeNs = std::min(wakeNs, m_clock.WallNs(port->ResumePs()));
        }
    }
    return wakeNs;
}

void
Engine::Poll(int64_t untilNs)
{
    constexpr int MOST = 64;
    constexpr int64_t SECOND_NS = 1'000'000'000;
    epoll_event events[MOST];
    int64_t waitNs = untilNs == 0 ? 0 : untilNs - MonotonicNs();
    waitNs = waitNs < SPIN_NS ? 0 : waitNs;
    const timespec wait{waitNs / SECOND_NS, waitNs % SECOND_NS};
    const int count = epoll_pwait2(m_epoll.Get(), events, MOST, &wait, nullptr);
    for (int i = 0; i < count; ++i)
    {
        const int fd = events[i].data.fd;
        if (static_cast<size_t>(fd) < m_byFd.size() && m_byFd[static_cast<size_t>(fd)] != nullptr)
        {
            m_byFd[static_cast<size_t>(fd)]->SetReadable();
        }
        else if (fd == m_supervisor.Get())
        {
            Stop("the process that started the lab asks for it or is gone");
        }
        else
        {
            for (const auto& server : m_servers)
            {
                if (server->Serve(fd))
                {
                    break;
                }
            }
        }
    }
}

int
Engine::Run()
{
    m_clock.Start();
    m_nextTickNs = m_clock.StartNs() + TICK_NS;
    Log("start lab " + m_lab.name + ", scale " + NumberText(m_lab.scale));
    if (m_traffic != nullptr)
    {
        m_traffic->SetDoneCallback([this]() { Log("all messages of the workloads ended"); });
        m_traffic->Start();
    }
    StartActions();
    const char ready = 'r';
    [[maybe_unused]] const ssize_t told = write(m_supervisor.Get(), &ready, 1);
    while (!m_isStopping)
    {
        const bool isOnTime = Advance(MonotonicNs());
        const bool isMore = Ingest();
        const int64_t wallNs = MonotonicNs();
        const bool isDone = Advance(wallNs + m_lab.earlyNs);
        Poll(isMore || !isOnTime || !isDone ? 0 : NextWakeNs());
        if (wallNs >= m_nextTickNs)
        {
            Tick();
        }
    }
    const std::string unwritten = m_captures.StopAll();
    if (!unwritten.empty())
    {
        std::cerr << "mrc-emu: " << unwritten << '\n';
    }
    WriteResults();
    const bool isBeyond =
        m_lab.maxLagNs != 0 && m_lag.MaxNs() > static_cast<uint64_t>(m_lab.maxLagNs);
    std::cerr << SummaryText(*this);
    if (isBeyond)
    {
        std::cerr << "mrc-emu: the lag was beyond max-lag (" << NumberText(m_lab.maxLagNs / 1e6)
                  << " ms): results are not those of the fabric described; a larger scale helps\n";
    }
    return isBeyond ? 3 : 0;
}

void
Engine::Tick()
{
    m_nextTickNs += TICK_NS;
    m_shownLag = m_secondLag;
    m_secondLag.Reset();
    const EngineTotals totals = Totals();
    if (totals.late != m_lastTotals.late || totals.drops != m_lastTotals.drops)
    {
        Log(SecondText(*this, m_lastTotals, totals));
    }
    m_lastTotals = totals;
    for (const auto& port : m_hostPorts)
    {
        const std::string news = port->CheckInterface(m_machine);
        if (!news.empty())
        {
            std::cerr << "mrc-emu: " << news << '\n';
            Log(news);
        }
    }
    if (m_lab.durationNs != 0 && MonotonicNs() - m_clock.StartNs() >= m_lab.durationNs)
    {
        Stop("the duration is over");
    }
}

void
Engine::StartActions()
{
    for (const LabAction& action : m_lab.actions)
    {
        After(action.atNs, [this, &action]() {
            const CommandResult result = RunCommand(*this, action.command);
            if (!result.error.empty())
            {
                std::cerr << "mrc-emu: " << action.where << ": " << result.error << '\n';
            }
        });
    }
}

void
Engine::After(int64_t ns, std::function<void()> what)
{
    const auto ps = static_cast<int64_t>(static_cast<double>(ns) * 1000 / m_lab.scale);
    ns3::Simulator::Schedule(ns3::MrcTime(ps), what);
}

SocketReply
Engine::OnControl(std::string& input)
{
    SocketReply reply;
    size_t end = 0;
    while ((end = input.find('\n')) != std::string::npos)
    {
        const std::string line = input.substr(0, end);
        input.erase(0, end + 1);
        const CommandResult result = RunCommand(*this, line);
        reply.text += result.text;
        reply.text += result.error.empty() ? "ok\n" : "error: " + result.error + "\n";
        reply.fds = result.fds;
        if (!reply.fds.empty())
        {
            break;
        }
    }
    if (input.size() > SocketServer::MAX_INPUT)
    {
        reply.text += "error: a line is too long\n";
    }
    return reply;
}

void
Engine::Stop(const std::string& why)
{
    if (!m_isStopping)
    {
        Log("stop: " + why);
    }
    m_isStopping = true;
}

void
Engine::Log(const std::string& text)
{
    m_log.Write(text, m_simulator.NowPs());
}

EngineTotals
Engine::Totals() const
{
    EngineTotals totals;
    for (const auto& port : m_hostPorts)
    {
        totals.hostPackets += port->Counters().received;
        totals.delivered += port->Counters().sent;
        totals.late += port->Counters().late;
    }
    for (const auto& port : const_cast<EmuFabric&>(m_fabric).Ports())
    {
        totals.drops += port->Drops();
        totals.hops += port->counters.sent;
    }
    const ns3::MrcNetworkCounters shared =
        const_cast<EmuFabric&>(m_fabric).Network().Counters(); // what no egress port drops
    for (size_t i = 0; i < ns3::MRC_DROP_REASONS; ++i)
    {
        totals.drops += shared.switchPorts.drop[i] + shared.nicPorts.drop[i];
    }
    return totals;
}

const Fd&
Engine::HostNetwork(const std::string& name) const
{
    std::string names;
    for (size_t i = 0; i < m_lab.hosts.size(); ++i)
    {
        if (m_lab.hosts[i].name == name)
        {
            if (!m_networks[i])
            {
                throw LabError("host '" + name + "' has no network namespace: it is outside");
            }
            return m_networks[i];
        }
        names += (i ? ", " : "") + m_lab.hosts[i].name;
    }
    throw LabError("there is no host '" + name + "': there are " + names);
}

std::vector<int>
Engine::Namespaces() const
{
    std::vector<int> fds;
    for (const Fd& fd : m_namespaces)
    {
        fds.push_back(fd.Get());
    }
    return fds;
}

double
Engine::WallS() const
{
    return static_cast<double>(MonotonicNs() - m_clock.StartNs()) / 1e9;
}

double
Engine::CpuS()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

void
Engine::WriteResults()
{
    if (m_lab.out.empty())
    {
        return;
    }
    std::ofstream file(m_lab.out + "/result.json");
    file << StatusJson(*this) << '\n';
    if (!file)
    {
        std::cerr << "mrc-emu: " << m_lab.out << "/result.json: cannot be written\n";
    }
}

} // namespace mrc::emu
