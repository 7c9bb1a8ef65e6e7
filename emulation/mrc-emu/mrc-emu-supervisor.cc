// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-supervisor.h"

#include "mrc-emu-client.h"
#include "mrc-emu-engine.h"
#include "mrc-emu-fabric.h"
#include "mrc-emu-namespace.h"
#include "mrc-emu-report.h"
#include "mrc-emu-run-folder.h"
#include "mrc-emu-tap.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace mrc::emu
{

namespace
{

/// Keeps the run's folder, and the socket of its metrics, for as long as the lab is there.
class FolderKeeper
{
  public:
    /// @param folder to remove at the end @param metrics of the lab
    FolderKeeper(std::string folder, const std::string& metrics)
        : m_folder(std::move(folder))
    {
        const std::string prefix = "unix:";
        if (metrics.rfind(prefix, 0) == 0)
        {
            m_metrics = metrics.substr(prefix.size());
        }
    }

    FolderKeeper(const FolderKeeper&) = delete;
    FolderKeeper& operator=(const FolderKeeper&) = delete;

    ~FolderKeeper()
    {
        Remove();
    }

    /// Remove all, now.
    void Remove() const
    {
        RemoveRunFolder(m_folder);
        if (!m_metrics.empty() && m_ownsMetrics)
        {
            unlink(m_metrics.c_str());
        }
    }

    /// The metrics' socket was made.
    void OwnMetrics()
    {
        m_ownsMetrics = true;
    }

    /// @return the folder
    const std::string& Path() const
    {
        return m_folder;
    }

  private:
    std::string m_folder;      //!< of the run
    std::string m_metrics;     //!< path of a Unix socket, or empty
    bool m_ownsMetrics{false}; //!< it is ours to remove
};

/// @return the signals that end a lab, and that of a child's end
sigset_t
EndingSignals()
{
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD})
    {
        sigaddset(&signals, signal);
    }
    return signals;
}

/// Open the interfaces of this machine that the lab uses. @return by host and plane
std::vector<std::vector<Fd>>
OpenExisting(const Lab& lab)
{
    std::vector<std::vector<Fd>> ports(lab.hosts.size());
    for (size_t i = 0; i < lab.hosts.size(); ++i)
    {
        for (const LabPort& port : lab.hosts[i].ports)
        {
            try
            {
                switch (port.kind)
                {
                case LabPort::Kind::TAP:
                    ports[i].emplace_back();
                    break;
                case LabPort::Kind::EXISTING_TAP:
                    ports[i].push_back(OpenExistingTap(port.device));
                    break;
                case LabPort::Kind::DEVICE:
                    ports[i].push_back(OpenDevice(port.device));
                    break;
                }
            }
            catch (const LabError& error)
            {
                throw LabError(lab.hosts[i].where + ": ports: " + error.what());
            }
        }
    }
    return ports;
}

/// Ask for the CPU and the priority of the lab; says what this user may not have.
void
SetPriority(const Lab& lab)
{
    if (lab.cpu >= 0)
    {
        cpu_set_t cpus;
        CPU_ZERO(&cpus);
        CPU_SET(static_cast<size_t>(lab.cpu), &cpus);
        if (sched_setaffinity(0, sizeof(cpus), &cpus) != 0)
        {
            std::cerr << "mrc-emu: cpu = " << lab.cpu << ": " << std::strerror(errno) << '\n';
        }
    }
    if (lab.fifoPriority > 0)
    {
        sched_param parameter{};
        parameter.sched_priority = lab.fifoPriority;
        if (sched_setscheduler(0, SCHED_FIFO, &parameter) != 0)
        {
            std::cerr << "mrc-emu: fifo = " << lab.fifoPriority << ": " << std::strerror(errno)
                      << " (needs root or an rtprio limit); going on without\n";
        }
    }
    prctl(PR_SET_TIMERSLACK, 1UL);
}

/// What the child does. @param lab to run @param handles to inherit @param keeper of the folder
/// @return exit code
int
RunEngine(const Lab& lab, EngineHandles handles, const FolderKeeper& keeper)
{
    Engine engine(lab, std::move(handles));
    std::signal(SIGCHLD, SIG_IGN); // the first process of a namespace gets all orphans
    SetPriority(lab);
    const int code = engine.Run();
    keeper.Remove(); // in case the other process is gone
    return code;
}

/// Choose the scale and say so. @param lab gets it
void
ChooseScale(Lab& lab)
{
    const double needed = NeededScale(lab);
    const bool isComputed = lab.scale == 0;
    lab.scale = isComputed ? needed : lab.scale;
    std::cerr << "mrc-emu: lab " << lab.name << ": scale " << NumberText(lab.scale)
              << (isComputed ? " (computed from the load that hosts and NICs may offer)" : "")
              << ": to the hosts a link has "
              << NumberText(static_cast<double>(lab.bitsPerSecond) / lab.scale / 1e6)
              << " Mbit/s and a delay of "
              << NumberText(static_cast<double>(lab.delayPs) * lab.scale / 1e6) << " us\n";
    if (lab.scale < needed)
    {
        std::cerr << "mrc-emu: if all hosts and NICs send at the rate of their links, one core "
                     "cannot keep up: watch the lag, or use scale "
                  << NumberText(needed) << "\n";
    }
}

/// Leave the terminal; the parent waits for the lab to be up and ends.
/// @return a pipe: its reader gets the exit code as a byte
Fd
Detach()
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
    {
        throw LabError(std::string("cannot detach: ") + std::strerror(errno));
    }
    const pid_t child = fork();
    if (child > 0)
    {
        close(ends[1]);
        char code = 1;
        const ssize_t count = read(ends[0], &code, 1);
        _exit(count == 1 ? code : WaitFor(child));
    }
    close(ends[0]);
    setsid();
    return Fd(ends[1]);
}

/// Tell the waiting parent that the lab is up, and let go of the terminal.
void
Detached(Fd& parent, const FolderKeeper& keeper)
{
    const std::string path = keeper.Path() + "/log";
    const Fd log(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const Fd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    dup2(nothing.Get(), STDIN_FILENO);
    dup2(log.Get(), STDOUT_FILENO);
    dup2(log.Get(), STDERR_FILENO);
    const char code = 0;
    [[maybe_unused]] const ssize_t told = write(parent.Get(), &code, 1);
    parent.Close();
}

/// Waits for the processes of a lab and for signals.
class Supervisor
{
  public:
    /// @param engine process id @param channel to it
    Supervisor(pid_t engine, Fd channel)
        : m_engine(engine),
          m_channel(std::move(channel))
    {
        const sigset_t signals = EndingSignals();
        m_signals = Fd(signalfd(-1, &signals, SFD_CLOEXEC));
    }

    /// How far bringing a lab up came.
    enum class Start : uint8_t
    {
        UP,      ///< it runs
        FAILED,  ///< it ended by itself
        STOPPED, ///< a signal came first
    };

    /// Wait until the engine is up. @return whether it is
    Start WaitUntilUp()
    {
        while (m_signal == 0)
        {
            pollfd fds[]{{m_channel.Get(), POLLIN, 0}, {m_signals.Get(), POLLIN, 0}};
            poll(fds, 2, -1);
            if (fds[0].revents != 0)
            {
                char byte = 0;
                return read(m_channel.Get(), &byte, 1) == 1 ? Start::UP : Start::FAILED;
            }
            if (fds[1].revents != 0)
            {
                OnSignal();
            }
        }
        return Start::STOPPED;
    }

    /// Wait for the end. @param program also ends the lab, or 0 @return exit code
    int WaitUntilDown(pid_t program)
    {
        m_program = program;
        while (m_engine != 0)
        {
            OnSignal();
        }
        if (m_program != 0) // died with the lab
        {
            kill(m_program, SIGKILL);
            WaitFor(m_program);
        }
        if (m_signal != 0)
        {
            return 128 + m_signal;
        }
        return m_programCode != 0 ? m_programCode : m_engineCode;
    }

    /// @return exit code of the engine, once it has ended
    int EngineCode()
    {
        if (m_engine != 0)
        {
            m_engineCode = WaitFor(m_engine);
            m_engine = 0;
        }
        return m_engineCode;
    }

  private:
    /// Wait for a signal and act on it.
    void OnSignal()
    {
        signalfd_siginfo info{};
        if (read(m_signals.Get(), &info, sizeof(info)) != sizeof(info))
        {
            return;
        }
        if (info.ssi_signo != SIGCHLD)
        {
            m_signal = static_cast<int>(info.ssi_signo);
            m_channel.Close(); // tells the engine to stop
            return;
        }
        Reap();
    }

    /// Note which children ended.
    void Reap()
    {
        int status = 0;
        for (pid_t child = 0; (child = waitpid(-1, &status, WNOHANG)) > 0;)
        {
            const bool isDead = WIFSIGNALED(status);
            const int code = isDead ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
            if (child == m_engine)
            {
                m_engine = 0;
                m_engineCode = isDead ? 1 : code;
                if (isDead)
                {
                    std::cerr << "mrc-emu: the lab died of signal " << WTERMSIG(status) << " ("
                              << strsignal(WTERMSIG(status)) << "); everything was cleaned up\n";
                }
            }
            else if (child == m_program)
            {
                m_program = 0;
                m_programCode = code;
                m_channel.Close();
            }
        }
    }

    pid_t m_engine;       //!< 0 once it ended
    Fd m_channel;         //!< closed: the engine stops
    Fd m_signals;         //!< what came
    pid_t m_program{0};   //!< 0 once it ended, or none
    int m_signal{0};      //!< that ends the lab
    int m_engineCode{0};  //!< its exit code
    int m_programCode{0}; //!< its exit code
};

} // namespace

int
RunLab(Lab lab, const RunMode& mode)
{
    ChooseScale(lab);
    if (!lab.out.empty())
    {
        std::error_code error;
        std::filesystem::create_directories(lab.out, error);
        if (error)
        {
            throw LabError(lab.out + ": cannot be made: " + error.message());
        }
    }
    Fd parent;
    if (mode.isDetached)
    {
        parent = Detach();
    }
    else
    {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
    }
    const sigset_t signals = EndingSignals();
    sigprocmask(SIG_BLOCK, &signals, nullptr);

    EngineHandles handles;
    handles.ports = OpenExisting(lab);
    handles.machine = Fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    FolderKeeper keeper(ClaimRunFolder(lab.name), lab.metrics);
    handles.folder = keeper.Path();
    handles.control = ListenUnix(keeper.Path() + "/control");
    if (!lab.metrics.empty())
    {
        handles.metrics = ListenMetrics(lab.metrics);
        keeper.OwnMetrics();
    }
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    {
        throw LabError(std::string("socketpair: ") + std::strerror(errno));
    }
    Fd channel(pair[0]);
    handles.supervisor = Fd(pair[1]);
    const pid_t engine = StartInNamespaces(mode.hasUserNamespace, [&]() {
        channel.Close();
        parent.Close();
        return RunEngine(lab, std::move(handles), keeper);
    });
    handles = EngineHandles(); // only the engine has them now
    Supervisor supervisor(engine, std::move(channel));
    const Supervisor::Start start = supervisor.WaitUntilUp();
    if (start == Supervisor::Start::FAILED)
    {
        const int code = supervisor.EngineCode();
        return code == 0 ? 1 : code;
    }
    if (start == Supervisor::Start::STOPPED)
    {
        return supervisor.WaitUntilDown(0);
    }
    if (mode.isDetached)
    {
        Detached(parent, keeper);
    }
    pid_t program = 0;
    if (!mode.command.empty())
    {
        const ClientAnswer answer = AskLab(lab.name, "namespaces");
        program = StartInside(
            answer.fds, mode.command, {"MRC_EMU_LAB=" + lab.name, "MRC_EMU_BASE=" + RunBase()});
    }
    else if (!mode.isDetached)
    {
        std::cerr << "mrc-emu: up; Ctrl-C ends it\n";
    }
    return supervisor.WaitUntilDown(program);
}

} // namespace mrc::emu
