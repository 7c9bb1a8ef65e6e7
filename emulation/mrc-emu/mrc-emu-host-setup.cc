// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-host-setup.h"

#include "mrc-emu-fd.h"
#include "mrc-emu-namespace.h"
#include "mrc-pcap-port.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <sstream>
#include <sys/mman.h>

namespace mrc::emu
{

namespace
{

/// Address of the next hop on every plane.
constexpr const char* GATEWAY = "fe80::1";
/// Most packets that a TAP holds for the fabric.
constexpr const char* TX_QUEUE = "1000";

/// Set a value of the kernel's network stack; what does not exist here is passed over.
void
SetSysctl(const std::string& name, const char* value)
{
    const Fd file(open(("/proc/sys/net/" + name).c_str(), O_WRONLY | O_CLOEXEC));
    if (file)
    {
        [[maybe_unused]] const ssize_t written = write(file.Get(), value, std::strlen(value));
    }
}

/// Prepare the stack of a host. @param host which
void
SetSysctls(const LabHost& host)
{
    std::vector<std::string> interfaces{"all", "default"};
    for (uint32_t plane = 0; plane < host.ports.size(); ++plane)
    {
        interfaces.push_back(InterfaceName(plane));
    }
    for (const std::string& interface : interfaces)
    {
        const std::string base = "ipv6/conf/" + interface + "/";
        SetSysctl(base + "accept_dad", "0");
        SetSysctl(base + "accept_ra", "0");
        SetSysctl(base + "router_solicitations", "0");
        SetSysctl(base + "seg6_enabled", "1");
        SetSysctl(base + "ignore_routes_with_linkdown", "1");
        SetSysctl(base + "forwarding", host.isForwarding ? "1" : "0");
    }
    SetSysctl("ipv6/seg6_flowlabel", "1");
    SetSysctl("ipv6/fib_multipath_hash_policy", "1"); // ports too, or all flows take one plane
    SetSysctl("ipv4/ping_group_range", "0 0");
}

/// @return a prefix of carriers in a plane
std::string
CarrierPrefix(const UsidPlan& usids, uint32_t plane)
{
    const uint32_t bits = 32 + 16 - usids.PlaneShift();
    const uint64_t high = uint64_t{usids.Block()} << 32 | uint64_t{plane}
                                                              << (usids.PlaneShift() + 16);
    return Ipv6Address{high, 0}.Print() + "/" + std::to_string(bits);
}

} // namespace

uint64_t
GatewayMac(uint32_t plane)
{
    return uint64_t{0x02fe} << 32 | plane;
}

std::string
MacText(uint64_t mac)
{
    char text[18];
    std::snprintf(text,
                  sizeof(text),
                  "%02x:%02x:%02x:%02x:%02x:%02x",
                  static_cast<unsigned>(mac >> 40 & 0xff),
                  static_cast<unsigned>(mac >> 32 & 0xff),
                  static_cast<unsigned>(mac >> 24 & 0xff),
                  static_cast<unsigned>(mac >> 16 & 0xff),
                  static_cast<unsigned>(mac >> 8 & 0xff),
                  static_cast<unsigned>(mac & 0xff));
    return text;
}

std::string
InterfaceName(uint32_t plane)
{
    return "p" + std::to_string(plane);
}

std::string
HostCommands(const Lab& lab,
             const LabHost& host,
             const UsidPlan& usids,
             const AddressPlan& addresses)
{
    constexpr uint64_t BLOCK_ONLY = 0xffffffff00000000;
    const std::string own = addresses.NicAddress(host.nic).Print();
    std::ostringstream out;
    out << "link set lo up\naddr add " << own << "/128 dev lo nodad\n";
    std::string hops;
    for (uint32_t plane = 0; plane < host.ports.size(); ++plane)
    {
        if (host.ports[plane].kind != LabPort::Kind::TAP)
        {
            continue;
        }
        const std::string name = InterfaceName(plane);
        out << "link set " << name << " addrgenmode none\n"
            << "link set " << name << " address "
            << MacText(ns3::MrcPcapPort::MacAddress(host.nic, static_cast<uint8_t>(plane)))
            << " mtu " << lab.mtu << " txqueuelen " << TX_QUEUE << "\n"
            << "link set " << name << " up\n"
            << "addr add " << addresses.NicPortAddress(host.nic, plane).Print() << "/128 dev "
            << name << " nodad\n"
            << "neigh replace " << GATEWAY << " lladdr " << MacText(GatewayMac(plane)) << " dev "
            << name << " nud permanent\n";
        hops += std::string(" nexthop via ") + GATEWAY + " dev " + name;
    }
    if (hops.empty())
    {
        return out.str();
    }
    // The address of a host is behind all planes, those of its ports behind their own.
    const uint64_t block = addresses.NicAddress(0).high & BLOCK_ONLY;
    out << "route add " << Ipv6Address{block, 0}.Print() << "/32 src " << own << hops << "\n";
    for (uint32_t plane = 0; plane < host.ports.size(); ++plane)
    {
        if (host.ports[plane].kind != LabPort::Kind::TAP)
        {
            continue;
        }
        const std::string via =
            std::string(" via ") + GATEWAY + " dev " + InterfaceName(plane) + "\n";
        std::set<std::string> prefixes;
        for (const LabHost& peer : lab.hosts)
        {
            const Ipv6Address address = addresses.NicPortAddress(peer.nic, plane);
            constexpr uint64_t PORT_ONLY = 0xffff000000000000;
            prefixes.insert(Ipv6Address{address.high, address.low & PORT_ONLY}.Print() + "/80");
        }
        for (const std::string& prefix : prefixes)
        {
            out << "route add " << prefix << " src "
                << addresses.NicPortAddress(host.nic, plane).Print()
                << via
                // Without its cable a plane's addresses are not to be reached over another one.
                << "route add unreachable " << prefix << " metric 4096\n";
        }
        out << "route add " << CarrierPrefix(usids, plane) << via;
        if (host.isDecapsulating)
        {
            const uint64_t mine =
                uint64_t{usids.Block()} << 32 | uint64_t{usids.NicUsid(plane, host.nic)} << 16;
            out << "route add " << Ipv6Address{mine, 0}.Print()
                << "/48 encap seg6local action End.DT6 table 255 dev " << InterfaceName(plane)
                << "\n";
        }
    }
    return out.str();
}

void
RunIpBatch(const std::string& commands)
{
    const Fd input(memfd_create("ip", 0));
    const Fd output(memfd_create("ip", 0));
    if (!input || !output ||
        write(input.Get(), commands.data(), commands.size()) !=
            static_cast<ssize_t>(commands.size()))
    {
        throw LabError(std::string("cannot hand commands to ip: ") + std::strerror(errno));
    }
    lseek(input.Get(), 0, SEEK_SET);
    const pid_t child = fork();
    if (child == 0)
    {
        dup2(input.Get(), STDIN_FILENO);
        dup2(output.Get(), STDOUT_FILENO);
        dup2(output.Get(), STDERR_FILENO);
        execlp("ip", "ip", "-batch", "-", nullptr);
        execl("/sbin/ip", "ip", "-batch", "-", nullptr);
        _exit(127);
    }
    const int code = WaitFor(child);
    if (code == 127)
    {
        throw LabError("there is no program 'ip': install iproute2");
    }
    if (code != 0)
    {
        char text[1024];
        const ssize_t count = pread(output.Get(), text, sizeof(text), 0);
        std::string said(text, static_cast<size_t>(std::max<ssize_t>(count, 0)));
        said = said.substr(0, said.find_last_not_of('\n') + 1);
        for (char& c : said)
        {
            c = c == '\n' ? ' ' : c;
        }
        throw LabError("setting up a host failed: " + said);
    }
}

void
SetUpHost(const Lab& lab, const LabHost& host, const UsidPlan& usids, const AddressPlan& addresses)
{
    SetSysctls(host);
    RunIpBatch(HostCommands(lab, host, usids, addresses));
}

std::string
HostsFile(const Lab& lab, const AddressPlan& addresses)
{
    std::string text;
    for (const LabHost& host : lab.hosts)
    {
        text += addresses.NicAddress(host.nic).Print() + " " + host.name + "\n";
        for (uint32_t plane = 0; plane < host.ports.size(); ++plane)
        {
            text += addresses.NicPortAddress(host.nic, plane).Print() + " " + host.name + "-" +
                    InterfaceName(plane) + "\n";
        }
    }
    return text;
}

} // namespace mrc::emu
