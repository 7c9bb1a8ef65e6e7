// SPDX-License-Identifier: GPL-2.0-only
// The kernel's own SRv6 against the simulated one, in both roles.
#include "mrc-emu-fixture.h"
#include "mrc-emu-host-setup.h"
#include "mrc-emu-namespace.h"
#include "mrc-emu-tap.h"
#include "mrc-multi-plane-clos-helper.h"
#include "mrc-raw-bytes.h"
#include "mrc-simulator-impl.h"
#include "mrc-trimming-switch.h"
#include "mrc-usid.h"

#include <ns3/simulator.h>

#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <optional>
#include <poll.h>
#include <random>
#include <sstream>
#include <unistd.h>

namespace mrc::emu::test
{

namespace
{

constexpr uint32_t BLOCK = DEFAULT_USID_BLOCK;
/// uSID of the node under test.
constexpr uint16_t OWN = 0x2001;
/// Bytes of an Ethernet header: addresses differ between the two, the rest must not.
constexpr size_t ETHERNET = 14;

/// A packet from its Ethernet header on.
using Packet = std::vector<uint8_t>;

/// @param destination outer address @param hopLimit outer @param segments behind it in an SRH, may
/// be none, the last of the path first @param segmentsLeft of the SRH @return IPv6 in IPv6 with UDP
Packet
MakePacket(const UsidCarrier& destination,
           uint8_t hopLimit,
           const std::vector<UsidCarrier>& segments,
           uint8_t segmentsLeft)
{
    const auto put64 = [](Packet& to, uint64_t value) {
        for (int i = 7; i >= 0; --i)
        {
            to.push_back(static_cast<uint8_t>(value >> (8 * i)));
        }
    };
    const size_t srhBytes = segments.empty() ? 0 : 8 + 16 * segments.size();
    const auto outerBytes = static_cast<uint16_t>(srhBytes + 40 + 8 + 32);
    Packet packet(12, 0);
    packet.insert(packet.end(), {0x86, 0xdd, 0x62, 0x01, 0x23, 0x45});
    packet.push_back(static_cast<uint8_t>(outerBytes >> 8));
    packet.push_back(static_cast<uint8_t>(outerBytes));
    packet.push_back(segments.empty() ? 41 : 43);
    packet.push_back(hopLimit);
    put64(packet, 0xfd00000000000000);
    put64(packet, 1);
    put64(packet, destination.high);
    put64(packet, destination.low);
    if (!segments.empty())
    {
        packet.insert(packet.end(),
                      {41,
                       static_cast<uint8_t>(2 * segments.size()),
                       4,
                       segmentsLeft,
                       static_cast<uint8_t>(segments.size() - 1),
                       0,
                       0,
                       0});
        for (const UsidCarrier& segment : segments)
        {
            put64(packet, segment.high);
            put64(packet, segment.low);
        }
    }
    packet.insert(packet.end(), {0x60, 0, 0, 0, 0, 40, 17, 64}); // inner IPv6: UDP, 40 bytes
    put64(packet, 0xfd00000000000000);
    put64(packet, 2);
    put64(packet, 0xfd00000000000000);
    put64(packet, 3);
    packet.insert(packet.end(), {0x12, 0x34, 0x56, 0x78, 0, 40, 0, 0});
    packet.insert(packet.end(), 32, 0x5a);
    return packet;
}

/// Packets for a uN: every length of a path, ends of lists, hop limits, SRHs, and random ones.
std::vector<Packet>
TestPackets()
{
    std::vector<Packet> packets;
    for (size_t count = 1; count <= 6; ++count)
    {
        const uint16_t path[] = {OWN, 0x4002, 0x2003, 0x6001, 0x6002, 0x6003};
        packets.push_back(MakePacket(UsidCarrier::Build(BLOCK, path, count), 64, {}, 0));
    }
    for (const uint8_t hopLimit : {255, 3, 2, 1})
    {
        packets.push_back(MakePacket(UsidCarrier::Build(BLOCK, {OWN, 0x4002}), hopLimit, {}, 0));
    }
    // A used-up carrier, another one in the SRH; and not used up, so the SRH stays as it is.
    const UsidCarrier second = UsidCarrier::Build(BLOCK, {0x2003, 0x6001});
    packets.push_back(MakePacket(UsidCarrier::Build(BLOCK, {OWN}), 64, {second}, 1));
    packets.push_back(MakePacket(UsidCarrier::Build(BLOCK, {OWN, 0x4002}), 64, {second}, 1));
    packets.push_back(MakePacket(UsidCarrier::Build(BLOCK, {OWN}), 64, {second}, 0));
    const char* given = std::getenv("MRC_TEST_SEED");
    const uint64_t seed = given ? std::strtoull(given, nullptr, 0) : 1;
    std::cout << "MRC_TEST_SEED=" << seed << "\n";
    std::mt19937_64 random(seed);
    for (int i = 0; i < 200; ++i)
    {
        uint16_t path[6] = {OWN};
        const size_t count = 1 + random() % 6;
        for (size_t j = 1; j < count; ++j)
        {
            path[j] = static_cast<uint16_t>(0x4000 + random() % 0x1000);
        }
        packets.push_back(MakePacket(UsidCarrier::Build(BLOCK, path, count),
                                     static_cast<uint8_t>(1 + random() % 255),
                                     {},
                                     0));
    }
    return packets;
}

/// Forwards with the kernel: a node with a uN on one interface, everything else behind another.
class KernelNode
{
  public:
    /// In a network namespace of its own, which this process is in.
    KernelNode()
        : m_in(OpenTap("in")),
          m_out(OpenTap("out"))
    {
        for (const char* name : {"all", "default", "in", "out"})
        {
            const std::string base = std::string("/proc/sys/net/ipv6/conf/") + name + "/";
            for (const char* setting : {"seg6_enabled=1", "forwarding=1", "accept_dad=0"})
            {
                const std::string text = setting;
                const size_t equals = text.find('=');
                const Fd file(open((base + text.substr(0, equals)).c_str(), O_WRONLY));
                EXPECT_EQ(write(file.Get(), &text[equals + 1], 1), 1) << base << text;
            }
        }
        RunIpBatch("link set lo up\n"
                   "link set in addrgenmode none address 02:00:00:00:00:01 up\n"
                   "link set out addrgenmode none address 02:00:00:00:00:02 up\n"
                   "addr add fd00:1::1/64 dev in nodad\n"
                   "addr add fd00:2::1/64 dev out nodad\n"
                   "neigh replace fe80::2 lladdr 02:00:00:00:00:03 dev out nud permanent\n"
                   "route add fd6d:7263:4000::/34 via fe80::2 dev out\n"
                   "route add fd6d:7263:2003::/48 via fe80::2 dev out\n"
                   "route add fd6d:7263:6000::/36 via fe80::2 dev out\n"
                   "route add fd6d:7263:2001::/48 encap seg6local action End flavors next-csid "
                   "lblen 32 nflen 16 dev in\n");
    }

    /// @return what comes out, none if nothing does
    std::optional<Packet> Forward(Packet packet)
    {
        const uint8_t mac[6] = {2, 0, 0, 0, 0, 1};
        std::memcpy(packet.data(), mac, sizeof(mac));
        EXPECT_EQ(write(m_in.Get(), packet.data(), packet.size()),
                  static_cast<ssize_t>(packet.size()));
        // The kernel forwards within write(): what is not there now does not come.
        uint8_t bytes[4096];
        constexpr int GRACE_MS = 5;
        for (pollfd ready{m_out.Get(), POLLIN, 0}; poll(&ready, 1, GRACE_MS) == 1;)
        {
            const ssize_t count = read(m_out.Get(), bytes, sizeof(bytes));
            if (count > static_cast<ssize_t>(ETHERNET) && bytes[0] == 2 && bytes[5] == 3)
            {
                return Packet(bytes, bytes + count);
            }
        }
        return std::nullopt;
    }

  private:
    Fd m_in;  //!< packets to the node
    Fd m_out; //!< packets from the node
};

/// Forwards with a simulated switch.
class SimulatedNode : public ns3::MrcFrameSink
{
  public:
    SimulatedNode()
    {
        ns3::MrcMultiPlaneClosHelper::UseFastSimulator();
        m_fabric = ns3::CreateObject<ns3::MrcFabric>();
        m_switch = ns3::CreateObject<ns3::MrcTrimmingSwitch>();
        m_switch->Configure(m_fabric, "p0/t0-0", 2, 1, 1 << 20, DscpMap(), 1);
        // A row gives consecutive uSIDs consecutive ports; here all of them leave through port 1.
        std::vector<UsidRoute> routes{{0x2003, 1, 1}};
        for (uint16_t usid = 0x4000; usid < 0x5000; ++usid)
        {
            routes.push_back({usid, 1, 1});
        }
        for (uint16_t usid = 0x6000; usid < 0x6010; ++usid)
        {
            routes.push_back({usid, 1, 1});
        }
        m_switch->Table().Set(BLOCK, {OWN, 1}, routes, {});
        m_switch->Connect(1, this, 0, ns3::DataRate("100Gbps"), ns3::NanoSeconds(75));
    }

    /// @return what comes out, none if nothing does
    std::optional<Packet> Forward(const Packet& packet)
    {
        m_result.reset();
        RawBytes* raw = m_fabric->Pool().AllocateRaw();
        raw->count = static_cast<uint32_t>(packet.size());
        std::memcpy(raw->data, packet.data(), packet.size());
        Frame* frame = m_fabric->Pool().Allocate();
        Ipv6Address innermost{};
        EXPECT_EQ(ReadRaw(raw, {BLOCK}, *frame, innermost), RawVerdict::OK);
        m_switch->Receive(frame, 0, ns3::MrcSimulatorImpl::Current()->NowPs());
        ns3::Simulator::Run();
        return m_result;
    }

    void Receive(Frame* frame, uint16_t, int64_t) override
    {
        const size_t count = WriteRaw(*frame);
        m_result = Packet(frame->raw->data, frame->raw->data + count);
        m_fabric->Pool().Release(frame);
    }

  private:
    ns3::Ptr<ns3::MrcFabric> m_fabric;         //!< memory
    ns3::Ptr<ns3::MrcTrimmingSwitch> m_switch; //!< forwards
    std::optional<Packet> m_result;            //!< what came out
};

/// @return bytes of a packet, for messages
std::string
Hex(const Packet& packet)
{
    std::ostringstream out;
    for (size_t i = ETHERNET; i < packet.size(); ++i)
    {
        char text[3];
        std::snprintf(text, sizeof(text), "%02x", packet[i]);
        out << text << ((i - ETHERNET) % 16 == 15 ? "\n" : "");
    }
    return out.str();
}

/// Compare the two nodes packet by packet, in namespaces. @return exit code
int
CompareNodes()
{
    KernelNode kernel;
    SimulatedNode simulated;
    size_t forwarded = 0;
    for (const Packet& packet : TestPackets())
    {
        const auto expected = kernel.Forward(packet);
        const auto actual = simulated.Forward(packet);
        if (expected.has_value() != actual.has_value() ||
            (expected && !std::equal(expected->begin() + ETHERNET,
                                     expected->end(),
                                     actual->begin() + ETHERNET,
                                     actual->end())))
        {
            std::cout << "packet\n"
                      << Hex(packet) << "\nkernel\n"
                      << (expected ? Hex(*expected) : "nothing") << "\nsimulated\n"
                      << (actual ? Hex(*actual) : "nothing") << "\n";
            return 1;
        }
        forwarded += expected.has_value();
    }
    std::cout << forwarded << " forwarded\n";
    return forwarded > 100 ? 0 : 1;
}

/// @return why SRv6 of the kernel cannot be tested here, empty if it can
std::string
WhyNoSeg6()
{
    const std::string why = WhyNoNamespaces();
    if (!why.empty())
    {
        return why;
    }
    // A kernel may know SRv6 and lack its routes.
    const char* const route = "unshare -rn sh -c 'ip link set lo up && ip -6 route add fd00::1/128 "
                              "encap seg6 mode encap segs fd00::2 dev lo' >/dev/null 2>&1";
    return std::system(route) == 0 ? ""
                                   : "the kernel has no routes with SRv6: it was built without "
                                     "CONFIG_IPV6_SEG6_LWTUNNEL";
}

//= MRC-REF 3 NEXT-CSID uN, F3216
TEST(EmuSeg6Test, SimulatedUsidsAreThoseOfTheKernel)
{
    const std::string why = WhyNoSeg6();
    if (!why.empty())
    {
        GTEST_SKIP() << why;
    }
    EXPECT_EQ(WaitFor(StartInNamespaces(true, CompareNodes)), 0);
}

class EmuSeg6LabTest : public EmuTest
{
  protected:
    void SetUp() override
    {
        EmuTest::SetUp();
        const std::string why = WhyNoSeg6();
        if (!why.empty())
        {
            GTEST_SKIP() << why;
        }
    }
};

/// Hosts whose kernels take SRv6 off; h1 is also a node on the way.
const char* const DECAP_LAB = R"(
name = "small"
scale = 1
[fabric]
planes = 1
nics = 4
nics-per-t0 = 2
[[host]]
srv6-decap = true
[[host]]
forwarding = true
[[host]]
srv6-decap = true
)";

// One plane: a uSID is kind (2 bits) and index. T0 1 is 0x4001, T1 1 is 0x8001, the first NIC of a
// T0 is 0xc000. The kernel of h0 encapsulates towards h2 through T1 1, that of h2 decapsulates.
TEST_F(EmuSeg6LabTest, TheKernelEncapsulatesAndDecapsulates)
{
    const Outcome outcome = RunLab(DECAP_LAB,
                                   R"(
$EMU exec h0 -- ip -6 route add fd6d:7264:0:1::1/128 encap seg6 mode encap.red \
    segs fd6d:7263:4000:8001:4001:c000:: dev p0 src fd6d:7264::1 || exit 9
$EMU exec h2 -- ip -6 route add fd6d:7264::1/128 encap seg6 mode encap.red \
    segs fd6d:7263:4001:8001:4000:c000:: dev p0 || exit 8
$EMU ctl pcap start p0/t0-0:t1-1 && $EMU ctl pcap start nic-2:p0 || exit 7
$EMU exec h0 -- ping -q -c 10 -i 0.01 -W 5 h2 || exit 6
$EMU ctl pcap stop p0/t0-0:t1-1 && $EMU ctl pcap stop nic-2:p0
)",
                                   {"--userns", "--out", Path("out")});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors << outcome.output;
    const auto count = [&](const std::string& file, const std::string& destination, int hops) {
        const std::string command =
            "tshark -n -r " + Path("out/" + file) + " -Y 'ipv6.dst==" + destination +
            " && ipv6.hlim==" + std::to_string(hops) + "' 2>/dev/null | wc -l >" + Path("count");
        EXPECT_EQ(std::system(command.c_str()), 0);
        return std::stoi(ReadFile(Path("count")));
    };
    // The T0 has taken its own uSID off, hop limit 64 - 1; the T1 and the other T0 theirs.
    EXPECT_EQ(count("p0_t0-0_t1-1.pcapng", "fd6d:7263:8001:4001:c000::", 63), 10);
    EXPECT_EQ(count("nic-2_p0.pcapng", "fd6d:7263:c000::", 61), 10);
    EXPECT_EQ(count("nic-2_p0.pcapng", "fd6d:7263:4001:8001:4000:c000::", 64), 10);
}

// The kernel of h1 is a node on the way: T0 0, then h1 (0xc001) as a uN, then T0 0 again, then h0's
// path goes on to h2.
TEST_F(EmuSeg6LabTest, AKernelOnTheWayShiftsLikeASwitch)
{
    const Outcome outcome = RunLab(DECAP_LAB,
                                   R"(
$EMU exec h1 -- ip -6 route add fd6d:7263:c001::/48 encap seg6local action End \
    flavors next-csid lblen 32 nflen 16 dev p0 || exit 9
$EMU exec h0 -- ip -6 route add fd6d:7264:0:1::1/128 encap seg6 mode encap.red \
    segs fd6d:7263:4000:c001:4000:8000:4001:c000 dev p0 || exit 8
$EMU ctl pcap start nic-1:p0 || exit 7
$EMU exec h0 -- ping -q -c 10 -i 0.01 -W 5 h2 || exit 6
$EMU ctl pcap stop nic-1:p0
)",
                                   {"--userns", "--out", Path("out")});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors << outcome.output;
    const std::string command = "tshark -n -r " + Path("out/nic-1_p0.pcapng") +
                                " -T fields -E occurrence=f -e ipv6.dst -e ipv6.hlim 2>/dev/null "
                                ">" +
                                Path("fields");
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::istringstream lines(ReadFile(Path("fields")));
    int in = 0;
    int out = 0;
    for (std::string line; std::getline(lines, line);)
    {
        in += line == "fd6d:7263:c001:4000:8000:4001:c000:0\t63";
        out += line == "fd6d:7263:4000:8000:4001:c000::\t62";
    }
    EXPECT_EQ(in, 10) << ReadFile(Path("fields"));
    EXPECT_EQ(out, 10) << ReadFile(Path("fields"));
}

} // namespace

} // namespace mrc::emu::test
