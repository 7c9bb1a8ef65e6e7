// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-namespace.h"

#include "mrc-emu-lab.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace mrc::emu
{

namespace
{

/// @return the last system error in words
std::string
ErrorText()
{
    return std::strerror(errno);
}

/// Write a short text to a file of the kernel. @param path which @param text what
/// @return whether it took it
bool
WriteFile(const char* path, const std::string& text)
{
    const Fd file(open(path, O_WRONLY | O_CLOEXEC));
    return file && write(file.Get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// @return whether this process may make namespaces without a user namespace
bool
IsPrivileged()
{
    if (geteuid() != 0)
    {
        return false;
    }
    // Root of a container often is not: try, in a process that ends at once.
    const pid_t child = fork();
    if (child == 0)
    {
        _exit(unshare(CLONE_NEWNET | CLONE_NEWNS) == 0 ? 0 : 1);
    }
    return WaitFor(child) == 0;
}

/// Be root in the user namespace. @param uid of the user outside @param gid of the group outside
void
MapUser(uid_t uid, gid_t gid)
{
    WriteFile("/proc/self/setgroups", "deny");
    if (!WriteFile("/proc/self/uid_map", "0 " + std::to_string(uid) + " 1") ||
        !WriteFile("/proc/self/gid_map", "0 " + std::to_string(gid) + " 1"))
    {
        throw LabError("cannot map the user into a user namespace: " + ErrorText());
    }
}

/// Make like fork(), with new namespaces. @param flags CLONE_NEW... @return as fork()
pid_t
Clone(unsigned long flags)
{
    return static_cast<pid_t>(syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, 0UL));
}

/// @param hasUserNamespace always @return the flags for StartInNamespaces()
unsigned long
Flags(bool hasUserNamespace)
{
    constexpr unsigned long BASE = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID;
    return !hasUserNamespace && IsPrivileged() ? BASE : BASE | CLONE_NEWUSER;
}

/// @param one a namespace @param other another @return whether they are the same
bool
IsSame(int one, int other)
{
    struct stat a
    {
    };

    struct stat b
    {
    };

    return fstat(one, &a) == 0 && fstat(other, &b) == 0 && a.st_ino == b.st_ino &&
           a.st_dev == b.st_dev;
}

/// Become a program. @param command program and arguments; returns only if it cannot
void
Execute(const std::vector<std::string>& command)
{
    std::vector<char*> argv;
    for (const std::string& word : command)
    {
        argv.push_back(const_cast<char*>(word.c_str()));
    }
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    std::cerr << "mrc-emu: " << command[0] << ": " << ErrorText() << '\n';
    _exit(errno == ENOENT ? 127 : 126);
}

} // namespace

pid_t
StartInNamespaces(bool hasUserNamespace, const std::function<int()>& function)
{
    const uid_t uid = geteuid();
    const gid_t gid = getegid();
    const unsigned long flags = Flags(hasUserNamespace);
    const pid_t child = Clone(flags);
    if (child < 0)
    {
        throw LabError("this machine lets this user make no namespaces (" + ErrorText() +
                       "): run as root, or allow it: sysctl user.max_user_namespaces, "
                       "kernel.unprivileged_userns_clone");
    }
    if (child > 0)
    {
        return child;
    }
    int code = 1;
    try
    {
        if (flags & CLONE_NEWUSER)
        {
            MapUser(uid, gid);
        }
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
        // A wish: in some containers /proc cannot be mounted again, and ps shows the outer one.
        mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
        code = function();
    }
    catch (const std::exception& error)
    {
        std::cerr << "mrc-emu: " << error.what() << '\n';
        code = 2;
    }
    std::cout.flush();
    _exit(code);
}

std::string
WhyNoNamespaces()
{
    const pid_t child = Clone(Flags(false));
    if (child == 0)
    {
        _exit(0);
    }
    if (child < 0)
    {
        return "no namespaces for this user: " + ErrorText();
    }
    WaitFor(child);
    if (access("/dev/net/tun", R_OK | W_OK) != 0)
    {
        return "/dev/net/tun: " + ErrorText();
    }
    return "";
}

Fd
OwnNamespace(const char* kind)
{
    return Fd(open((std::string("/proc/self/ns/") + kind).c_str(), O_RDONLY | O_CLOEXEC));
}

Fd
MakeNetwork(const std::function<void()>& inside)
{
    const Fd outside = OwnNamespace("net");
    if (unshare(CLONE_NEWNET) != 0)
    {
        throw LabError("cannot make a network namespace: " + ErrorText());
    }
    Fd network = OwnNamespace("net");
    inside();
    setns(outside.Get(), CLONE_NEWNET);
    return network;
}

void
InNetwork(const Fd& network, const std::function<void()>& inside)
{
    const Fd outside = OwnNamespace("net");
    if (setns(network.Get(), CLONE_NEWNET) != 0)
    {
        throw LabError("cannot enter a network namespace: " + ErrorText());
    }
    inside();
    setns(outside.Get(), CLONE_NEWNET);
}

pid_t
StartInside(const std::vector<Fd>& namespaces,
            const std::vector<std::string>& command,
            const std::vector<std::string>& environment)
{
    static const char* const KINDS[] = {"user", "mnt", "pid", "net"};
    const pid_t keeper = fork();
    if (keeper != 0)
    {
        return keeper;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::vector<Fd> own;
    for (const char* kind : KINDS)
    {
        own.push_back(OwnNamespace(kind));
    }
    const std::string folder = []() {
        char* const path = get_current_dir_name();
        const std::string text = path == nullptr ? "/" : path;
        std::free(path);
        return text;
    }();
    for (size_t i = 0; i < namespaces.size(); ++i)
    {
        if (!IsSame(own[i].Get(), namespaces[i].Get()) && setns(namespaces[i].Get(), 0) != 0)
        {
            std::cerr << "mrc-emu: cannot enter the lab's " << KINDS[i]
                      << " namespace: " << ErrorText() << '\n';
            _exit(125);
        }
    }
    if (chdir(folder.c_str()) != 0 && chdir("/") != 0)
    {
        _exit(125);
    }
    for (const std::string& variable : environment)
    {
        putenv(const_cast<char*>(variable.c_str()));
    }
    // A process namespace holds for children only.
    const pid_t program = fork();
    if (program == 0)
    {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        Execute(command);
    }
    std::signal(SIGINT, SIG_IGN); // the program decides what they mean
    std::signal(SIGQUIT, SIG_IGN);
    _exit(WaitFor(program));
}

int
WaitFor(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
    {
        if (errno != EINTR)
        {
            return 1;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace mrc::emu
