// SPDX-License-Identifier: GPL-2.0-only
// MRC packets of a real host and a simulated NIC that answers them; simulated workloads beside real
// hosts.
#include "mrc-emu-client.h"
#include "mrc-emu-fixture.h"
#include "mrc-emu-host-setup.h"
#include "mrc-emu-namespace.h"
#include "mrc-frame-codec.h"
#include "mrc-path-template.h"
#include "mrc-pcap-port.h"
#include "mrc-qp-exchange.h"

#include <arpa/inet.h>
#include <iostream>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sstream>
#include <sys/socket.h>

namespace mrc::emu::test
{

namespace
{

/// One host at nic-0; nic-1 to nic-3 are simulated. One plane, two T0s.
const char* const MIXED_LAB = R"(
name = "mixed"
scale = 1
[fabric]
planes = 1
nics = 4
nics-per-t0 = 2
[[host]]
)";

/// What the host's program uses.
constexpr uint32_t HOST_QPN = 16;
constexpr uint32_t HOST_PSN = 100;
constexpr uint32_t EV = 0;

/// A packet socket on p0 of a host.
class HostSocket
{
  public:
    HostSocket()
        : m_fd(socket(AF_PACKET, SOCK_RAW, htons(ETH_P_IPV6)))
    {
        sockaddr_ll address{};
        address.sll_family = AF_PACKET;
        address.sll_protocol = htons(ETH_P_IPV6);
        address.sll_ifindex = static_cast<int>(if_nametoindex("p0"));
        const int on = 1;
        setsockopt(m_fd.Get(), SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on));
        if (bind(m_fd.Get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
        {
            std::perror("bind");
        }
    }

    /// Send an encoded frame.
    void Send(const Frame& frame, const AddressPlan& plan)
    {
        uint8_t bytes[MAX_ENCODED_BYTES];
        FrameAddresses addresses = ns3::MrcPcapPort::Addresses(plan, frame);
        addresses.destinationMac = GatewayMac(0);
        const size_t count = EncodeFrame(frame, addresses, EncodeOptions(), bytes, sizeof(bytes));
        if (send(m_fd.Get(), bytes, count, 0) != static_cast<ssize_t>(count))
        {
            std::perror("send");
        }
    }

    /// Wait for an MRC packet with a good ICRC. @param[out] frame it; its payload stays valid until
    /// the next call @return whether one came within 5 s
    bool Receive(Frame& frame)
    {
        constexpr int PATIENCE_MS = 5000;
        for (pollfd ready{m_fd.Get(), POLLIN, 0}; poll(&ready, 1, PATIENCE_MS) == 1;)
        {
            const ssize_t count = recv(m_fd.Get(), m_bytes, sizeof(m_bytes), 0);
            FrameAddresses addresses{};
            DecodeInfo info{};
            if (count > 0 &&
                DecodeFrame(m_bytes, static_cast<size_t>(count), frame, addresses, info) ==
                    DecodeError::OK)
            {
                return !frame.Has(Frame::CORRUPT);
            }
        }
        return false;
    }

  private:
    Fd m_fd;                   //!< the socket
    uint8_t m_bytes[10'000]{}; //!< what came
};

class EmuEndpointTest : public EmuTest
{
  protected:
    void SetUp() override
    {
        EmuTest::SetUp();
        NeedNamespaces();
    }

    /// Do something as a program on a host. @param function its result is the exit code
    int OnHost(const std::string& lab,
               const std::string& host,
               const std::function<int()>& function)
    {
        const ClientAnswer answer = AskLab(lab, "namespaces " + host);
        EXPECT_EQ(answer.error, "");
        const pid_t child = fork();
        if (child == 0)
        {
            if (setns(answer.fds[0].Get(), CLONE_NEWUSER) != 0 ||
                setns(answer.fds[3].Get(), CLONE_NEWNET) != 0)
            {
                std::perror("setns");
                _exit(1);
            }
            _exit(function());
        }
        return WaitFor(child);
    }

    /// @return the fabric of MIXED_LAB
    static UsidPlan Usids()
    {
        ClosConfig config;
        config.planes = 1;
        config.nics = 4;
        config.nicsPerT0 = 2;
        return UsidPlan(ClosPlan(config));
    }
};

/// @return FNV-1a of some bytes
uint64_t
Fnv(const std::vector<uint8_t>& bytes)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (const uint8_t byte : bytes)
    {
        hash = (hash ^ byte) * 0x100000001b3;
    }
    return hash;
}

//  host h0                                   simulated nic-3
//    WRITE Only, PSN 100, 1000 bytes at 24 --->
//                                       <--- SACK, cack 100
//                                       <--- ACK
//  and, told by a command:
//                                       <--- WRITE Only, 500 bytes of the same memory
TEST_F(EmuEndpointTest, ASimulatedNicTalksMrcWithARealHost)
{
    const std::string file = Write("lab.toml", MIXED_LAB);
    ASSERT_EQ(Emu({"up", file, "--userns", "--detach"}).exitCode, 0);
    const ClientAnswer answer =
        AskLab("mixed",
               "qp nic-3 h0 4096 mrc 1 offer qpn=16 psn=100 mtu=4096 wimm=128 mpr=8 caps=trim-nack "
               "rkey=77 va=4096 bytes=4096");
    ASSERT_EQ(answer.error, "");
    const QpMessage message = DecodeQpMessage(answer.text);
    ASSERT_EQ(message.kind, QpMessage::Kind::OFFER) << answer.text;
    const QpOffer nic = message.offer;

    std::vector<uint8_t> memory(4096, 0);
    for (size_t i = 0; i < 1000; ++i)
    {
        memory[24 + i] = static_cast<uint8_t>(i * 7 + 1);
    }
    const UsidPlan usids = Usids();
    const AddressPlan addresses(usids.Clos());
    const PathPlan paths(usids);
    const int written = OnHost("mixed", "h0", [&]() {
        HostSocket socket;
        Frame frame{};
        frame.flags = Frame::ENCAPSULATED | Frame::ACK_REQUEST | Frame::HAS_TIMESTAMP;
        frame.opcode = Opcode::WRITE_ONLY;
        frame.ev = EV;
        frame.source = 0;
        frame.destination = 3;
        frame.destinationQp = nic.qpn;
        frame.psn = HOST_PSN;
        frame.hopLimit = 64;
        frame.trafficClass = MakeTrafficClass(DscpMap().trimmable, ECT0);
        frame.payloadBytes = 1000;
        frame.write.reth = {nic.va + 24, nic.rKey, 1000};
        frame.write.payload = memory.data() + 24;
        paths.Template(0, 3).Apply(EV, frame.daHigh, frame.daLow);
        socket.Send(frame, addresses);
        bool hasSack = false;
        bool hasAck = false;
        Frame reply{};
        while (!(hasSack && hasAck) && socket.Receive(reply))
        {
            hasSack = hasSack || (reply.opcode == Opcode::SACK && reply.sack.cackPsn == HOST_PSN &&
                                  reply.destinationQp == HOST_QPN);
            hasAck = hasAck || (reply.opcode == Opcode::ACKNOWLEDGE && reply.ack.msn == 1 &&
                                reply.ack.syndrome == AETH_ACK);
        }
        return hasSack && hasAck ? 0 : 1;
    });
    EXPECT_EQ(written, 0);
    EXPECT_EQ(AskLab("mixed", "memory nic-3 " + std::to_string(nic.qpn)).text,
              "placed=1000 fnv1a=" + std::to_string(Fnv(memory)) + "\n");

    const int read = OnHost("mixed", "h0", [&]() {
        HostSocket socket;
        const ClientAnswer posted =
            AskLab("mixed", "write nic-3 " + std::to_string(nic.qpn) + " 77 4096 500");
        Frame frame{};
        if (!posted.error.empty() || !socket.Receive(frame))
        {
            return 1;
        }
        const bool isRight = frame.opcode == Opcode::WRITE_ONLY &&
                             frame.destinationQp == HOST_QPN && frame.psn == nic.psn &&
                             frame.payloadBytes == 500 && frame.write.reth.va == 4096 &&
                             frame.write.reth.rKey == 77 &&
                             std::equal(memory.begin(), memory.begin() + 500, frame.write.payload);
        return isRight ? 0 : 2;
    });
    EXPECT_EQ(read, 0);

    const Outcome denied = Emu({"ctl", "ev", "deny", "nic-3", std::to_string(EV)});
    EXPECT_EQ(denied.exitCode, 0) << denied.errors;
    EXPECT_EQ(Emu({"ctl", "qp", "nic-0", "h0", "0", "x"}).exitCode, 2) << "a real host";
    EXPECT_EQ(Emu({"ctl", "qp", "nic-1", "h0", "0", "mrc", "1", "offer"}).exitCode, 2);
    EXPECT_EQ(Emu({"down"}).exitCode, 0);
    ExpectNothingLeft();
}

TEST_F(EmuEndpointTest, SimulatedWorkloadsRunBesideRealHosts)
{
    const Outcome outcome = RunLab(R"(
scale = 2000
[fabric]
planes = 2
nics = 16
nics-per-t0 = 4
[[host]]
nic = 0
[[host]]
nic = 5
[[workload]]
kind = "permutation"
size = "64KiB"
[[workload]]
kind = "incast"
nics = ["nic-1", "nic-2", "nic-3", "nic-6"]
size = "16KiB"
)",
                                   R"(
$EMU exec h0 -- ping -q -c 5 -i 0.01 -W 5 h1 >/dev/null || exit 9
i=0
until $EMU ctl stats | grep -q '"messages":17,"completed":17,"failed":0,"verified":17'; do
  i=$((i + 1)); [ $i -lt 200 ] || { $EMU ctl stats; exit 8; }
  sleep 0.1
done)");
    // 14 simulated NICs send one message each, 3 of the incast one to nic-1.
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors << outcome.output;
}

} // namespace

} // namespace mrc::emu::test
