// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-client.h"

#include "mrc-emu-lab.h"
#include "mrc-emu-namespace.h"
#include "mrc-emu-run-folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <poll.h>
#include <sys/socket.h>

namespace mrc::emu
{

namespace
{

/// Receive, and keep descriptors that come along. @param socket from @param answer gets them
/// @return as recv()
ssize_t
Receive(int socket, char* buffer, size_t size, ClientAnswer& answer)
{
    constexpr size_t MOST = 8;
    alignas(cmsghdr) char control[CMSG_SPACE(MOST * sizeof(int))];
    iovec part{buffer, size};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    const ssize_t count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (count <= 0)
    {
        return count;
    }
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header))
    {
        if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
        {
            const size_t fds = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (size_t i = 0; i < fds; ++i)
            {
                int fd = -1;
                std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
                answer.fds.emplace_back(fd);
            }
        }
    }
    return count;
}

/// Find the end of an answer. @param answer gets the text and the error @return whether it is there
bool
IsComplete(const std::string& text, ClientAnswer& answer)
{
    if (text.empty() || text.back() != '\n')
    {
        return false;
    }
    const size_t before = text.rfind('\n', text.size() - 2);
    const size_t begin = before == std::string::npos ? 0 : before + 1;
    const std::string last = text.substr(begin, text.size() - begin - 1);
    const std::string error = "error: ";
    if (last != "ok" && last.rfind(error, 0) != 0)
    {
        return false;
    }
    answer.text = text.substr(0, begin);
    answer.error = last == "ok" ? "" : last.substr(error.size());
    return true;
}

} // namespace

std::string
ChooseLab(const std::string& name)
{
    if (!name.empty())
    {
        return name;
    }
    const char* fromEnvironment = std::getenv("MRC_EMU_LAB");
    if (fromEnvironment != nullptr && *fromEnvironment != '\0')
    {
        return fromEnvironment;
    }
    const std::vector<std::string> labs = ListLabs();
    if (labs.size() == 1)
    {
        return labs[0];
    }
    std::string names;
    for (const std::string& lab : labs)
    {
        names += " " + lab;
    }
    throw LabError(labs.empty() ? "no lab runs; to start one: mrc-emu up LAB.toml"
                                : "several labs run, choose one with --lab:" + names);
}

ClientAnswer
AskLab(const std::string& lab, const std::string& command)
{
    const Fd connection = ConnectToLab(lab);
    if (!connection)
    {
        throw LabError("lab '" + lab + "' does not run (" + RunFolderOf(lab) +
                       "): " + std::strerror(errno));
    }
    const std::string line = command + "\n";
    size_t sent = 0;
    while (sent < line.size())
    {
        const ssize_t count =
            send(connection.Get(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
        if (count < 0)
        {
            throw LabError("lab '" + lab + "' ended: " + std::strerror(errno));
        }
        sent += static_cast<size_t>(count);
    }
    ClientAnswer answer;
    std::string text;
    char buffer[65536];
    while (!IsComplete(text, answer))
    {
        const ssize_t count = Receive(connection.Get(), buffer, sizeof(buffer), answer);
        if (count <= 0)
        {
            throw LabError("lab '" + lab + "' ended");
        }
        text.append(buffer, static_cast<size_t>(count));
    }
    return answer;
}

int
RunCtl(const std::string& lab, const std::vector<std::string>& words)
{
    std::string line;
    for (const std::string& word : words)
    {
        line += (line.empty() ? "" : " ") + word;
    }
    const ClientAnswer answer = AskLab(ChooseLab(lab), line);
    std::cout << answer.text;
    if (!answer.error.empty())
    {
        throw LabError(answer.error);
    }
    return 0;
}

int
RunExec(const std::string& lab, const std::string& host, const std::vector<std::string>& command)
{
    const std::string name = ChooseLab(lab);
    const ClientAnswer answer = AskLab(name, "namespaces " + host);
    if (!answer.error.empty())
    {
        throw LabError(answer.error);
    }
    return WaitFor(
        StartInside(answer.fds,
                    command,
                    {"MRC_EMU_LAB=" + name, "MRC_EMU_BASE=" + RunBase(), "MRC_EMU_HOST=" + host}));
}

int
RunStatus(const std::string& lab)
{
    std::vector<std::string> labs = ListLabs();
    if (!lab.empty())
    {
        labs = {lab};
    }
    if (labs.empty())
    {
        std::cout << "no lab runs\n";
    }
    for (const std::string& name : labs)
    {
        try
        {
            std::cout << AskLab(name, "status").text << AskLab(name, "hosts").text;
        }
        catch (const LabError&) // or it ended just now
        {
            std::cout << "lab " << name << ": not running, left over in " << RunFolderOf(name)
                      << "; to remove it: mrc-emu down --lab " << name << "\n";
        }
    }
    return 0;
}

int
RunDown(const std::string& lab)
{
    const std::string name = ChooseLab(lab);
    if (!ConnectToLab(name))
    {
        if (access(RunFolderOf(name).c_str(), F_OK) != 0)
        {
            throw LabError("there is no lab '" + name + "'");
        }
        RemoveRunFolder(RunFolderOf(name));
        std::cout << "removed what a killed run of lab " << name << " left over\n";
        return 0;
    }
    AskLab(name, "shutdown");
    constexpr int TRIES = 1000;
    constexpr int PAUSE_MS = 10;
    for (int i = 0; i < TRIES && access(RunFolderOf(name).c_str(), F_OK) == 0; ++i)
    {
        poll(nullptr, 0, PAUSE_MS);
    }
    if (access(RunFolderOf(name).c_str(), F_OK) == 0)
    {
        throw LabError("lab '" + name + "' does not end");
    }
    return 0;
}

} // namespace mrc::emu
