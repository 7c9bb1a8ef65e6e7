// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-run-folder.h"

#include "mrc-emu-lab.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

namespace mrc::emu
{

namespace
{

/// Clients that may wait to be taken.
constexpr int BACKLOG = 16;

/// @param path of a Unix socket @return its address @throws LabError if it is too long
sockaddr_un
UnixAddress(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path))
    {
        throw LabError(path + ": too long for a socket: at most " +
                       std::to_string(sizeof(address.sun_path) - 1) + " characters");
    }
    std::memcpy(address.sun_path, path.c_str(), path.size());
    return address;
}

} // namespace

std::string
RunBase()
{
    const char* outer = std::getenv("MRC_EMU_BASE"); // in a lab the user is another one
    if (outer != nullptr && *outer != '\0')
    {
        return outer;
    }
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime != nullptr && access(runtime, W_OK) == 0)
    {
        return std::string(runtime) + "/mrc-emu";
    }
    return "/tmp/mrc-emu-" + std::to_string(geteuid());
}

std::string
RunFolderOf(const std::string& name)
{
    return RunBase() + "/" + name;
}

std::string
ClaimRunFolder(const std::string& name)
{
    const std::string base = RunBase();
    mkdir(base.c_str(), 0700);

    struct stat info
    {
    };

    if (lstat(base.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid())
    {
        throw LabError(base + ": cannot be used: it should be a folder of this user");
    }
    std::string folder = RunFolderOf(name);
    if (mkdir(folder.c_str(), 0700) == 0)
    {
        return folder;
    }
    if (errno != EEXIST)
    {
        throw LabError(folder + ": cannot be made: " + std::strerror(errno));
    }
    if (ConnectToLab(name))
    {
        throw LabError("lab '" + name + "' runs already; to end it: mrc-emu down --lab " + name);
    }
    throw LabError(folder + " is left over from a killed run of lab '" + name +
                   "'; to remove it: mrc-emu down --lab " + name);
}

void
RemoveRunFolder(const std::string& folder)
{
    std::error_code ignored;
    for (const char* file : {"control", "hosts", "log"})
    {
        std::filesystem::remove(folder + "/" + file, ignored);
    }
    std::filesystem::remove(folder, ignored);
    std::filesystem::remove(RunBase(), ignored); // the last one goes
}

std::vector<std::string>
ListLabs()
{
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(RunBase(), ignored))
    {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

Fd
ListenUnix(const std::string& path)
{
    const sockaddr_un address = UnixAddress(path);
    Fd listening(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    // The mode holds from the first moment: nobody else gets in between bind and chmod.
    const mode_t mask = umask(0177);
    const bool isBound =
        bind(listening.Get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    umask(mask);
    if (!isBound || listen(listening.Get(), BACKLOG) != 0)
    {
        throw LabError(path + ": cannot listen: " + std::strerror(errno));
    }
    return listening;
}

Fd
ListenMetrics(const std::string& address)
{
    const std::string unixPrefix = "unix:";
    const std::string loopPrefix = "127.0.0.1:";
    if (address.rfind(unixPrefix, 0) == 0)
    {
        return ListenUnix(address.substr(unixPrefix.size()));
    }
    uint16_t port = 0;
    const char* begin = address.c_str() + std::min(address.size(), loopPrefix.size());
    const char* end = address.c_str() + address.size();
    const auto parsed = std::from_chars(begin, end, port);
    if (address.rfind(loopPrefix, 0) != 0 || parsed.ec != std::errc() || parsed.ptr != end)
    {
        throw LabError("metrics: '" + address + "' should be unix:PATH or 127.0.0.1:PORT");
    }
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    Fd listening(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int on = 1;
    setsockopt(listening.Get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(listening.Get(), reinterpret_cast<const sockaddr*>(&where), sizeof(where)) != 0 ||
        listen(listening.Get(), BACKLOG) != 0)
    {
        throw LabError("metrics: " + address + ": cannot listen: " + std::strerror(errno));
    }
    return listening;
}

Fd
ConnectToLab(const std::string& name)
{
    const sockaddr_un address = UnixAddress(RunFolderOf(name) + "/control");
    Fd connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(connection.Get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
        0)
    {
        return Fd();
    }
    return connection;
}

} // namespace mrc::emu
