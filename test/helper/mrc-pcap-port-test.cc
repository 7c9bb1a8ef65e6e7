// SPDX-License-Identifier: GPL-2.0-only
// MrcPcapPort's captures are what tshark, which knows nothing of this simulator, understands.
#include "mrc-clock.h"
#include "mrc-pcap-port.h"
#include "mrc-wire-size.h"

#include <ns3/simulator.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <vector>

namespace ns3
{
namespace
{

using mrc::Frame;
using mrc::Opcode;

constexpr uint64_t RATE = 100'000'000'000; // 80 ps per byte
constexpr int64_t DELAY_PS = 1'000'000;

constexpr std::array<Opcode, 12> ALL_OPCODES = {Opcode::WRITE_FIRST,
                                                Opcode::WRITE_MIDDLE,
                                                Opcode::WRITE_LAST,
                                                Opcode::WRITE_LAST_IMM,
                                                Opcode::WRITE_ONLY,
                                                Opcode::WRITE_ONLY_IMM,
                                                Opcode::ACKNOWLEDGE,
                                                Opcode::ENDPOINT_REQUEST,
                                                Opcode::ENDPOINT_RESPONSE,
                                                Opcode::SACK,
                                                Opcode::NACK,
                                                Opcode::RELIABILITY_PROBE};

/// Remembers what arrives and when.
class Collector : public MrcFrameSink
{
  public:
    /// @param pool where frames go
    explicit Collector(mrc::FramePool& pool)
        : m_pool(pool)
    {
    }

    void Receive(Frame* frame, uint16_t, int64_t nowPs) override
    {
        arrivals.push_back({nowPs, frame->psn, frame->flags, frame->trafficClass});
        m_pool.Release(frame);
    }

    std::vector<std::array<int64_t, 4>> arrivals; //!< time, PSN, flags, traffic class

  private:
    mrc::FramePool& m_pool; //!< where frames go
};

/// A link between two ports: "own", which is captured, and "peer".
class Link
{
  public:
    Link()
    {
        context.pool = &pool;
        context.counters = &counters;
        context.traces = &traces;
        own->Connect(&context, 0, &atPeer, 0, RATE, DELAY_PS, 1);
        peer->Connect(&context, 1, &atOwn, 0, RATE, DELAY_PS, 2);
    }

    mrc::FramePool pool;                              //!< all frames
    MrcPortCounters counters;                         //!< of both ports
    MrcPortTraces traces;                             //!< nobody listens
    MrcPortContext context;                           //!< of both ports
    Collector atPeer{pool};                           //!< what own sent
    Collector atOwn{pool};                            //!< what peer sent
    Ptr<MrcEgressPort> own{Create<MrcEgressPort>()};  //!< of the captured port
    Ptr<MrcEgressPort> peer{Create<MrcEgressPort>()}; //!< of the far end
};

/// Two tiers, 2 planes, NICs 0-7 on two T0s.
mrc::AddressPlan
MakeAddresses()
{
    mrc::ClosConfig config;
    config.planes = 2;
    config.nics = 8;
    config.nicsPerT0 = 4;
    return mrc::AddressPlan(mrc::ClosPlan(config));
}

/// @param capture a file @param arguments of tshark
/// @return what tshark prints; fails if there is no tshark or it fails
std::string
Tshark(const std::string& capture, const std::string& arguments)
{
    if (std::system("command -v tshark >/dev/null") != 0)
    {
        ADD_FAILURE() << "this test needs tshark: install the Debian package tshark";
        return "";
    }
    // The stock dissectors look, even where our plugin is installed. ns3-mrc sends UDP checksum 0
    // over IPv6, as RoCEv2 does.
    static const bool HAS_PLUGIN =
        std::system("tshark -G protocols 2>/dev/null | grep -q '[[:space:]]mrc$'") == 0;
    const std::string command = "tshark -n -o udp.ignore_ipv6_zero_checksum:TRUE " +
                                std::string(HAS_PLUGIN ? "--disable-protocol mrc " : "") + "-r '" +
                                capture + "' " + arguments + " 2>'" + capture + ".err'";
    std::string output;
    std::FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> buffer;
    for (size_t count; (count = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    {
        output.append(buffer.data(), count);
    }
    const int status = pclose(pipe);
    std::ifstream errors(capture + ".err");
    EXPECT_EQ(WEXITSTATUS(status), 0) << command << "\n"
                                      << std::string(std::istreambuf_iterator<char>(errors), {});
    std::remove((capture + ".err").c_str());
    return output;
}

/// @param capture a file @param fields that tshark knows
/// @return a row per packet, a text per field; occurrences are separated by commas
std::vector<std::vector<std::string>>
Fields(const std::string& capture, const std::vector<std::string>& fields)
{
    std::string arguments = "-T fields -E separator=/t -E occurrence=a";
    for (const std::string& field : fields)
    {
        arguments += " -e " + field;
    }
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(Tshark(capture, arguments));
    for (std::string line; std::getline(lines, line);)
    {
        std::vector<std::string> row;
        std::istringstream cells(line);
        for (std::string cell; std::getline(cells, cell, '\t');)
        {
            row.push_back(cell);
        }
        row.resize(fields.size());
        rows.push_back(row);
    }
    return rows;
}

/// @param capture a file @return its packets, as tshark copies them to a classic pcap file
std::vector<std::vector<uint8_t>>
PacketBytes(const std::string& capture)
{
    const std::string copy = capture + ".pcap";
    Tshark(capture, "-F nsecpcap -w '" + copy + "'");
    std::ifstream in(copy, std::ios::binary);
    const std::vector<uint8_t> file(std::istreambuf_iterator<char>(in), {});
    std::remove(copy.c_str());
    std::vector<std::vector<uint8_t>> packets;
    // A header of 24 bytes; before each packet time (8), bytes kept (4) and original length (4).
    for (size_t at = 24; at + 16 <= file.size();)
    {
        const size_t kept = file[at + 8] | file[at + 9] << 8;
        at += 16;
        if (at + kept > file.size())
        {
            ADD_FAILURE() << "bad length " << kept;
            break;
        }
        const auto data = file.begin() + static_cast<ptrdiff_t>(at);
        packets.emplace_back(data, data + static_cast<ptrdiff_t>(kept));
        at += kept;
    }
    return packets;
}

//= MRC-REF 2 ICRC
/// @param packet an Ethernet frame with one or two IPv6 headers, UDP and BTH
/// @return its ICRC, bit by bit
uint32_t
SlowIcrc(std::vector<uint8_t> packet)
{
    constexpr size_t NEXT_HEADER = 14 + 6;
    const size_t ip = packet.at(NEXT_HEADER) == 41 ? 54 : 14;
    packet[ip] |= 0x0f;     // traffic class, high half
    packet[ip + 1] = 0xff;  // traffic class, low half; flow label
    packet[ip + 2] = 0xff;  // flow label
    packet[ip + 3] = 0xff;  // flow label
    packet[ip + 7] = 0xff;  // hop limit
    packet[ip + 46] = 0xff; // UDP checksum
    packet[ip + 47] = 0xff;
    packet[ip + 52] = 0xff; // BTH byte 4
    std::vector<uint8_t> covered(8, 0xff);
    covered.insert(covered.end(), packet.begin() + static_cast<ptrdiff_t>(ip), packet.end() - 4);
    uint32_t crc = 0xffffffff;
    for (const uint8_t byte : covered)
    {
        for (int bit = 0; bit < 8; ++bit)
        {
            const bool carry = (crc ^ (byte >> bit)) & 1;
            crc = crc >> 1 ^ (carry ? 0xedb88320 : 0);
        }
    }
    return ~crc;
}

/// @param packet an Ethernet frame @return its last 4 bytes, little-endian
uint32_t
LastWord(const std::vector<uint8_t>& packet)
{
    const uint8_t* const end = packet.data() + packet.size() - 4;
    return end[0] | end[1] << 8 | end[2] << 16 | uint32_t{end[3]} << 24;
}

//= MRC-REF 2 ICRC, trimming, encapsulation
/**
 * A trim keeps the UDP length, and the inner IP length, so that the receiver learns what was cut.
 *
 * @param bytes length before the trim to 128 bytes @param isEncapsulated whether there are two IPs
 * @return what tshark has to say of such a packet
 */
std::string
Complaint(size_t bytes, bool isEncapsulated)
{
    // 128 - Ethernet 14 - IPv6 40 - IPv6 40 = 34
    return (isEncapsulated ? "IPv6 payload length exceeds framing length (34 bytes)," : "") +
           ("Bad length value " + std::to_string(bytes - (isEncapsulated ? 94 : 54)) +
            " > IP payload length");
}

/// A simulation at picosecond resolution and a file name of its own for each test.
class MrcPcapPortTest : public ::testing::Test
{
  protected:
    MrcPcapPortTest()
        : m_path(::testing::TempDir() + "mrc-" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".pcapng")
    {
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
        for (size_t i = 0; i < m_payload.size(); ++i)
        {
            m_payload[i] = static_cast<uint8_t>(i * 7 + 1);
        }
    }

    ~MrcPcapPortTest() override
    {
        Simulator::Destroy();
        std::remove(m_path.c_str());
    }

    /// @return a frame from NIC 1 to NIC 6 over plane 1, its PSN a running number
    Frame* Make(mrc::FramePool& pool, Opcode opcode, uint16_t flags, uint16_t payloadBytes)
    {
        Frame* frame = pool.Allocate();
        *frame = Frame{};
        frame->opcode = opcode;
        frame->flags = flags;
        frame->source = 1;
        frame->destination = 6;
        frame->plane = 1;
        frame->ev = 0xc0010003;
        frame->destinationQp = 0x123;
        frame->psn = m_psn++;
        frame->hopLimit = 64;
        frame->trafficClass = mrc::MakeTrafficClass(mrc::DscpMap().trimmable, mrc::ECT0);
        const bool isEncapsulated = frame->Has(Frame::ENCAPSULATED);
        // A uSID carrier, or NIC 6 itself: T0 1, third NIC there.
        frame->daHigh = isEncapsulated ? 0xfd6d726301020304 : 0xfd6d726400000001;
        frame->daLow = isEncapsulated ? 0 : 3;
        if (mrc::IsWrite(opcode))
        {
            frame->payloadBytes = payloadBytes;
            frame->write.payload = m_payload.data();
            frame->write.reth = {0x7f0000001000, 0x11223344, payloadBytes};
        }
        const bool hasTimestamp = frame->Has(Frame::HAS_TIMESTAMP);
        frame->wireBytes = mrc::FrameWireBytes(
            mrc::FrameL2Bytes(opcode, hasTimestamp, isEncapsulated, frame->payloadBytes));
        return frame;
    }

    /// @return a frame as Make() does, cut to 128 bytes by a switch
    Frame* MakeTrimmed(mrc::FramePool& pool, Opcode opcode, uint16_t flags, uint16_t payloadBytes)
    {
        Frame* frame = Make(pool, opcode, flags | Frame::TRIMMED | Frame::CONTROL, payloadBytes);
        frame->trafficClass = mrc::MakeTrafficClass(mrc::DscpMap().trimmed, mrc::ECT0);
        frame->wireBytes = mrc::FrameWireBytes(128);
        return frame;
    }

    /// Have a port get a WRITE at a time.
    void EnqueueAt(Link& link, Ptr<MrcEgressPort> port, int64_t whenPs, uint16_t payloadBytes)
    {
        Frame* frame = Make(link.pool, Opcode::WRITE_ONLY, 0, payloadBytes);
        Simulator::Schedule(Time(whenPs), [port, frame] { port->Enqueue(frame, MrcNowPs()); });
    }

    const std::string m_path;              //!< of the capture
    std::array<uint8_t, 4096> m_payload{}; //!< the sender's memory
    uint32_t m_psn{0};                     //!< of the next frame
};

TEST_F(MrcPcapPortTest, TsharkUnderstandsEveryOpcode)
{
    Link link;
    mrc::PcapngWriter writer(m_path);
    MrcPcapPort capture(writer, {"nic-1:p1", "to p1/t0-0"}, link.own, link.peer, MakeAddresses());

    struct Expected
    {
        size_t bytes;          ///< in the file
        bool isEncapsulated;   ///< two IP headers
        std::string complaint; ///< what tshark says of it
    };

    std::vector<Expected> expected;
    int64_t nowPs = 0;
    for (const uint16_t encapsulated : {0, +Frame::ENCAPSULATED})
    {
        for (const Opcode opcode : ALL_OPCODES)
        {
            for (const uint16_t timestamp : {0, +Frame::HAS_TIMESTAMP})
            {
                for (const uint16_t payloadBytes : {0, 1, 64, 4096})
                {
                    if (!mrc::IsWrite(opcode) && (payloadBytes != 0 || timestamp != 0))
                    {
                        continue;
                    }
                    const uint16_t flags = encapsulated | timestamp;
                    const bool isInside = encapsulated != 0;
                    link.own->Transmit(Make(link.pool, opcode, flags, payloadBytes), nowPs);
                    nowPs += 1'000'000;
                    const size_t bytes =
                        mrc::FrameL2Bytes(opcode, timestamp != 0, isInside, payloadBytes);
                    expected.push_back({bytes, isInside, ""});
                    if (payloadBytes < 64)
                    {
                        continue;
                    }
                    link.own->Transmit(MakeTrimmed(link.pool, opcode, flags, payloadBytes), nowPs);
                    nowPs += 1'000'000;
                    expected.push_back({128, isInside, Complaint(bytes, isInside)});
                }
            }
        }
    }
    writer.Close();
    EXPECT_EQ(capture.Skipped(), 0U);
    // 6 kinds of WRITE x 2 x (4 whole + 2 trimmed) + 6 others, each with and without uSIDs
    ASSERT_EQ(expected.size(), 2U * (6 * 2 * 6 + 6));

    const auto rows = Fields(m_path,
                             {"frame.len",
                              "frame.cap_len",
                              "ipv6.version",
                              "ipv6.src",
                              "ipv6.dst",
                              "udp.srcport",
                              "udp.dstport",
                              "eth.src",
                              "eth.dst",
                              "_ws.expert.message",
                              "_ws.malformed"});
    const std::vector<std::vector<uint8_t>> packets = PacketBytes(m_path);
    ASSERT_EQ(rows.size(), expected.size());
    ASSERT_EQ(packets.size(), expected.size());
    for (size_t i = 0; i < rows.size(); ++i)
    {
        SCOPED_TRACE("packet " + std::to_string(i + 1));
        const bool isInside = expected[i].isEncapsulated;
        EXPECT_EQ(rows[i][0], std::to_string(expected[i].bytes));
        EXPECT_EQ(rows[i][1], rows[i][0]);
        EXPECT_EQ(rows[i][2], isInside ? "6,6" : "6");
        // NIC 1 is host 2 of T0 0, NIC 6 host 3 of T0 1; the port in plane 1 has number 2.
        EXPECT_EQ(rows[i][3], isInside ? "fd6d:7264::2:0:0:2,fd6d:7264::2" : "fd6d:7264::2");
        EXPECT_EQ(rows[i][4],
                  isInside ? "fd6d:7263:102:304::,fd6d:7264:0:1::3" : "fd6d:7264:0:1::3");
        EXPECT_EQ(rows[i][5], "49153"); // 0xc001
        EXPECT_EQ(rows[i][6], "4791");
        EXPECT_EQ(rows[i][7], "02:01:00:00:00:01");
        EXPECT_EQ(rows[i][8], "02:01:00:00:00:06");
        EXPECT_EQ(packets[i].size(), expected[i].bytes);
        // Nothing but the lengths of trimmed packets displeases tshark.
        EXPECT_EQ(rows[i][9], expected[i].complaint);
        EXPECT_EQ(rows[i][10].empty(), expected[i].complaint.empty());
        if (expected[i].complaint.empty())
        {
            EXPECT_EQ(LastWord(packets[i]), SlowIcrc(packets[i]));
        }
    }
    // The first packet with payload of 64 bytes ends in payload and ICRC.
    const std::vector<uint8_t>& withPayload = packets[2];
    EXPECT_TRUE(std::equal(m_payload.begin(), m_payload.begin() + 64, withPayload.end() - 68));
}

TEST_F(MrcPcapPortTest, NamesDirectionsAndTimes)
{
    Link first;
    Link second;
    mrc::PcapngWriter writer(m_path);
    const mrc::AddressPlan addresses = MakeAddresses();
    MrcPcapPort nic(writer, {"nic-1:p1", "the sender"}, first.own, first.peer, addresses);
    MrcPcapPort t0(writer, {"p1/t0-0:t1-7", "its uplink"}, second.own, second.peer, addresses);

    // A WRITE of 0 bytes over IPv6 is 98 bytes, 122 with FCS, preamble and gap: 9,760 ps.
    const auto write = [this](Link& link) { return Make(link.pool, Opcode::WRITE_ONLY, 0, 0); };
    first.own->Transmit(write(first), 5'000);               // out at 5 ns
    first.peer->Transmit(write(first), 1'234'567'000);      // in at + 9.76 ns + 1 us
    second.peer->Transmit(write(second), 1'234'000'000);    // in 567 ns earlier
    second.own->Transmit(write(second), 1'235'577'123);     // out between the two
    second.own->Transmit(write(second), 2'000'000'000'999); // out at 2 s
    writer.Close();

    const auto rows = Fields(m_path,
                             {"frame.time_epoch",
                              "frame.interface_name",
                              "frame.interface_description",
                              "frame.packet_flags_direction"});
    using Row = std::vector<std::string>;
    const std::vector<Row> expected = {
        Row{"0.000000005", "nic-1:p1", "the sender", "0x00000002"},
        Row{"0.001235009", "p1/t0-0:t1-7", "its uplink", "0x00000001"},
        Row{"0.001235576", "nic-1:p1", "the sender", "0x00000001"},
        Row{"0.001235577", "p1/t0-0:t1-7", "its uplink", "0x00000002"},
        Row{"2.000000000", "p1/t0-0:t1-7", "its uplink", "0x00000002"}};
    EXPECT_EQ(rows, expected);
    EXPECT_EQ(Tshark(m_path, "-Y 'frame.interface_id == 1' -T fields -e frame.number"),
              "2\n4\n5\n");
}

TEST_F(MrcPcapPortTest, SnapLengthKeepsTheLengthOnTheWire)
{
    Link link;
    mrc::PcapngOptions options;
    options.snapBytes = 130;
    mrc::PcapngWriter writer(m_path, options);
    MrcPcapPort capture(writer, {"nic-1:p1", ""}, link.own, link.peer, MakeAddresses());
    link.own->Transmit(Make(link.pool, Opcode::WRITE_ONLY, Frame::ENCAPSULATED, 4096), 0);
    writer.Close();
    // 98 + 40 + 4096
    const auto rows = Fields(m_path, {"frame.len", "frame.cap_len"});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0], (std::vector<std::string>{"4234", "130"}));
}

TEST_F(MrcPcapPortTest, EndOfCaptureReleasesThePorts)
{
    Link link;
    mrc::PcapngWriter writer(m_path);
    std::optional<MrcPcapPort> capture; // its memory stays, so a tap left behind would be noticed
    capture.emplace(
        writer, mrc::PcapngInterface{"nic-1:p1", ""}, link.own, link.peer, MakeAddresses());
    link.own->Transmit(Make(link.pool, Opcode::SACK, 0, 0), 0);
    capture.reset();
    link.own->Transmit(Make(link.pool, Opcode::SACK, 0, 0), 1'000'000);
    link.peer->Transmit(Make(link.pool, Opcode::SACK, 0, 0), 1'000'000);
    writer.Close();
    EXPECT_EQ(writer.Written(), 1U);
}

/*
 * In the next three tests `own` gets two WRITEs of 0 bytes (9.76 ns on the link) at time 0. The
 * second starts at 9.76 ns, but the port looks again only when the first arrives. Until then
 * records of later time come.
 */

TEST_F(MrcPcapPortTest, WindowFollowsTheDelay)
{
    Link link;
    mrc::PcapngWriter writer(m_path);
    MrcPcapPort capture(writer, {"nic-1:p1", ""}, link.own, link.peer, MakeAddresses());
    link.own->SetDelay(5 * DELAY_PS, 0);
    EnqueueAt(link, link.own, 0, 0);
    EnqueueAt(link, link.own, 0, 0);
    EnqueueAt(link, link.peer, 100'000, 0);   // in at 1.10976 us
    EnqueueAt(link, link.peer, 4'900'000, 0); // in at 5.90976 us
    Simulator::Run();                         // second WRITE decided at 5.00976 us
    writer.Close();
    EXPECT_EQ(writer.Written(), 4U);
    EXPECT_EQ(writer.OutOfOrder(), 0U);
}

TEST_F(MrcPcapPortTest, WindowCountsInboundTimesAhead)
{
    Link link;
    mrc::PcapngWriter writer(m_path);
    MrcPcapPort capture(writer, {"nic-1:p1", ""}, link.own, link.peer, MakeAddresses());
    EnqueueAt(link, link.own, 0, 0);
    EnqueueAt(link, link.own, 0, 0);
    EnqueueAt(link, link.peer, 0, 0);            // in at 1.00976 us
    EnqueueAt(link, link.peer, 1'005'000, 4096); // 4,218 bytes: in at 2.34244 us
    Simulator::Run();                            // second WRITE decided at 1.00976 us
    writer.Close();
    EXPECT_EQ(writer.Written(), 4U);
    EXPECT_EQ(writer.OutOfOrder(), 0U);
}

TEST_F(MrcPcapPortTest, WindowCountsDecisionsBeforeTheCapture)
{
    Link link;
    Link other;
    other.peer->SetDelay(10'000, 0);
    mrc::PcapngWriter writer(m_path);
    link.own->Enqueue(Make(link.pool, Opcode::WRITE_ONLY, 0, 0), 0);
    link.own->Enqueue(Make(link.pool, Opcode::WRITE_ONLY, 0, 0), 0);
    MrcPcapPort capture(writer, {"nic-1:p1", ""}, link.own, link.peer, MakeAddresses());
    MrcPcapPort inbound(writer, {"nic-2:p1", ""}, nullptr, other.peer, MakeAddresses());
    EnqueueAt(other, other.peer, 500'000, 0); // in at 519.76 ns
    EnqueueAt(link, link.peer, 1'005'000, 0); // in at 2.01476 us
    Simulator::Run();                         // second WRITE decided at 1.00976 us
    writer.Close();
    EXPECT_EQ(writer.Written(), 3U) << "the first WRITE left before the capture began";
    EXPECT_EQ(writer.OutOfOrder(), 0U);
}

TEST_F(MrcPcapPortTest, OneDirectionOnly)
{
    Link link;
    mrc::PcapngWriter writer(m_path);
    {
        MrcPcapPort outbound(writer, {"out", ""}, link.own, nullptr, MakeAddresses());
        MrcPcapPort inbound(writer, {"in", ""}, nullptr, link.peer, MakeAddresses());
        link.own->Transmit(Make(link.pool, Opcode::SACK, 0, 0), 0);
        link.peer->Transmit(Make(link.pool, Opcode::SACK, 0, 0), 0);
    }
    writer.Close();
    const auto rows = Fields(m_path, {"frame.interface_name", "frame.packet_flags_direction"});
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0], (std::vector<std::string>{"out", "0x00000002"}));
    EXPECT_EQ(rows[1], (std::vector<std::string>{"in", "0x00000001"}));
}

TEST_F(MrcPcapPortTest, CountsFramesWithoutEncoding)
{
    Link link;
    mrc::PcapngWriter writer(m_path);
    MrcPcapPort capture(writer, {"nic-1:p1", ""}, link.own, link.peer, MakeAddresses());
    Frame* frame = Make(link.pool, Opcode::WRITE_ONLY, Frame::TRIMMED, 64);
    frame->wireBytes = mrc::FrameWireBytes(60); // the BTH is cut
    link.own->Transmit(frame, 0);
    writer.Close();
    EXPECT_EQ(capture.Skipped(), 1U);
    EXPECT_EQ(writer.Written(), 0U);
}

TEST_F(MrcPcapPortTest, DoesNotChangeTheSimulationAndIsInOrder)
{
    const char* const wanted = std::getenv("MRC_TEST_SEED");
    const uint64_t seed =
        wanted != nullptr ? std::strtoull(wanted, nullptr, 0) : std::random_device()();
    SCOPED_TRACE("replay with MRC_TEST_SEED=" + std::to_string(seed));

    constexpr uint32_t FRAMES = 3000;
    std::array<std::vector<std::array<int64_t, 4>>, 2> arrivals;
    std::array<uint64_t, 2> events{};
    for (const bool isCaptured : {false, true})
    {
        std::mt19937_64 random(seed);
        m_psn = 0;
        Link link;
        // Queues long enough to be marked and trimmed, so all of a port's decisions occur.
        link.context.limits.isTrimming = true;
        link.context.limits.trimBytes = 30000;
        link.context.limits.ecnMinBytes = 5000;
        link.context.limits.ecnMaxBytes = 25000;
        link.context.limits.ecnMaxProbability = 65536;
        mrc::PcapngWriter writer(m_path);
        std::unique_ptr<MrcPcapPort> capture;
        if (isCaptured)
        {
            capture = std::make_unique<MrcPcapPort>(
                writer, mrc::PcapngInterface{"nic-1:p1", ""}, link.own, link.peer, MakeAddresses());
        }
        int64_t whenPs = 0;
        for (uint32_t i = 0; i < FRAMES; ++i)
        {
            // Bursts: about 170 ns per frame on the link, 167 ns between frames on average.
            whenPs +=
                static_cast<int64_t>(random() % 8 == 0 ? random() % 2'500'000 : random() % 25'000);
            const bool isControl = random() % 4 == 0;
            Frame* frame =
                Make(link.pool,
                     isControl ? Opcode::SACK : Opcode::WRITE_MIDDLE,
                     isControl ? Frame::ENCAPSULATED | Frame::CONTROL : +Frame::ENCAPSULATED,
                     static_cast<uint16_t>(random() % 4097));
            Ptr<MrcEgressPort> port = random() % 3 == 0 ? link.peer : link.own;
            Simulator::Schedule(Time(whenPs), [port, frame] { port->Enqueue(frame, MrcNowPs()); });
        }
        // The writer's window must follow what the link becomes.
        Simulator::Schedule(Time(whenPs / 3),
                            [&link] { link.own->SetDelay(3 * DELAY_PS, MrcNowPs()); });
        Simulator::Run();
        events[isCaptured] = Simulator::GetEventCount();
        writer.Close();
        auto& all = arrivals[isCaptured];
        all = link.atPeer.arrivals;
        all.insert(all.end(), link.atOwn.arrivals.begin(), link.atOwn.arrivals.end());
        EXPECT_EQ(all.size(), FRAMES);
        EXPECT_EQ(link.pool.InUse(), 0U);
        EXPECT_GT(link.counters.marked, 0U);
        EXPECT_GT(link.counters.trimmed, 0U);
        EXPECT_EQ(writer.Written(), isCaptured ? FRAMES : 0U);
        EXPECT_EQ(writer.OutOfOrder(), 0U);
        Simulator::Destroy();
    }
    EXPECT_EQ(arrivals[0], arrivals[1]);
    EXPECT_EQ(events[0], events[1]);
}

} // namespace
} // namespace ns3
