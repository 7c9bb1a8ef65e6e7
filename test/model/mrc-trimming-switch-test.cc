// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-bytes.h"
#include "mrc-clock.h"
#include "mrc-trimming-switch.h"
#include "mrc-usid.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace
{

using mrc::Frame;
using mrc::UsidCarrier;

constexpr uint32_t BLOCK = mrc::DEFAULT_USID_BLOCK;
constexpr uint16_t OWN = 0x1004;                    ///< uSID of the switch
constexpr uint16_t NIC = 0x3000;                    ///< first uSID of NICs: ports 0 and 1
constexpr uint16_t UPLINK = 0x2000;                 ///< first uSID of uplinks: ports 2 to 5
constexpr uint16_t INGRESS = 1;                     ///< port that frames come from
constexpr uint64_t HOST_HIGH = 0xfd6d726400000002;  ///< bytes 0-7 of the hosts' addresses
constexpr uint64_t OTHER_HIGH = 0xfd6d726400000007; ///< the same of another T0
constexpr uint8_t DATA_CLASS = 8 << 2 | mrc::ECT0;  ///< TRIMMABLE, ECT(0)

/// What came out of a port.
struct Arrival
{
    uint16_t port;  ///< which
    Frame frame;    ///< what
    int64_t whenPs; ///< when
};

/// A T0 with two NICs and four uplinks, and sinks at all its ports.
class MrcTrimmingSwitchTest : public testing::Test, public MrcFrameSink
{
  protected:
    void SetUp() override
    {
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
        m_fabric = CreateObject<MrcFabric>();
        m_switch = CreateObject<MrcTrimmingSwitch>();
    }

    void TearDown() override
    {
        EXPECT_EQ(m_fabric->Pool().InUse(), 0U) << "a frame was lost or leaked";
        Simulator::Destroy();
        m_switch->Dispose();
        m_fabric->Dispose();
    }

    /// Make the ports, after the attributes. @param planeBdpBytes as of Configure()
    void Build(uint64_t planeBdpBytes)
    {
        m_switch->Configure(m_fabric, "p0/t0-2", PORTS, HOST_PORTS, planeBdpBytes, {}, 5);
        m_switch->Table().Set(
            BLOCK,
            {OWN, 1},
            {{NIC, 2, 0}, {UPLINK, 4, 2}},
            {
                {{HOST_HIGH, 0}, 112, 7, 1, 2, 0, 1},
                {{0xfd6d726400000000, 0}, 32, mrc::PrefixRoute::NO_GROUP, 0, 1, 2, 4},
            });
        for (uint16_t port = 0; port < PORTS; ++port)
        {
            m_switch->Connect(port, this, port, DataRate("100Gb/s"), NanoSeconds(100));
        }
    }

    void Receive(Frame* frame, uint16_t port, int64_t nowPs) override
    {
        m_arrivals.push_back({port, *frame, nowPs});
        m_fabric->Pool().Release(frame);
    }

    /// @param carrier path @return an encapsulated frame of 1000 B
    Frame* Make(const UsidCarrier& carrier)
    {
        Frame* frame = m_fabric->Pool().Allocate();
        *frame = Frame{};
        frame->flags = Frame::ENCAPSULATED;
        frame->daHigh = carrier.high;
        frame->daLow = carrier.low;
        frame->hopLimit = 64;
        frame->wireBytes = 1000;
        frame->trafficClass = DATA_CLASS;
        frame->opcode = mrc::Opcode::WRITE_MIDDLE;
        return frame;
    }

    /// @param high bytes 0-7 of the destination @param host bytes 14-15 @param source sending NIC
    /// @return a frame without uSIDs
    Frame* MakePlain(uint64_t high, uint16_t host, uint32_t source = 0)
    {
        Frame* frame = Make({high, host});
        frame->flags = 0;
        frame->source = source;
        return frame;
    }

    /// Let the switch have a frame now, and run on. @param frame it
    void Forward(Frame* frame)
    {
        Simulator::Schedule(Time(0), [=] { m_switch->Receive(frame, INGRESS, MrcNowPs()); });
        Simulator::Run();
    }

    /// Let the switch have frames of 1000 B at one instant. @param usid of the port @param count
    void Burst(uint16_t usid, uint32_t count)
    {
        Simulator::Schedule(Time(0), [=] {
            for (uint32_t i = 0; i < count; ++i)
            {
                m_switch->Receive(
                    Make(UsidCarrier::Build(BLOCK, {OWN, usid, 7})), INGRESS, MrcNowPs());
            }
        });
        Simulator::Run();
    }

    /// @param reason why @return frames dropped
    uint64_t Drops(MrcDropReason reason) const
    {
        return m_switch->Counters().drop[static_cast<size_t>(reason)];
    }

    static constexpr uint16_t PORTS = 6;      //!< of the switch
    static constexpr uint16_t HOST_PORTS = 2; //!< of them to NICs

    Ptr<MrcFabric> m_fabric;         //!< shared state
    Ptr<MrcTrimmingSwitch> m_switch; //!< under test
    std::vector<Arrival> m_arrivals; //!< what came out
};

//= MRC-REF 3 it shifts the uSIDs left by 16, decrements the hop limit, looks the new DA up
TEST_F(MrcTrimmingSwitchTest, ShiftsOwnUsidAndForwardsByTheNext)
{
    Build(100'000);
    Forward(Make(UsidCarrier::Build(BLOCK, {OWN, UPLINK + 3, 0x1009, NIC + 1})));
    ASSERT_EQ(m_arrivals.size(), 1U);
    EXPECT_EQ(m_arrivals[0].port, 5);
    EXPECT_EQ((UsidCarrier{m_arrivals[0].frame.daHigh, m_arrivals[0].frame.daLow}),
              UsidCarrier::Build(BLOCK, {UPLINK + 3, 0x1009, NIC + 1}));
    EXPECT_EQ(m_arrivals[0].frame.hopLimit, 63);
    // 1000 B at 100 Gb/s = 80 ns, and 100 ns of wire.
    EXPECT_EQ(m_arrivals[0].whenPs, 180'000);
    EXPECT_EQ(m_switch->Counters().sent, 1U);
    EXPECT_EQ(m_switch->Counters().sentBytes, 1000U);
}

TEST_F(MrcTrimmingSwitchTest, DeliversToTheNicOfTheLastUsid)
{
    Build(100'000);
    Forward(Make(UsidCarrier::Build(BLOCK, {OWN, NIC + 1})));
    ASSERT_EQ(m_arrivals.size(), 1U);
    EXPECT_EQ(m_arrivals[0].port, 1);
    EXPECT_EQ((UsidCarrier{m_arrivals[0].frame.daHigh, m_arrivals[0].frame.daLow}),
              UsidCarrier::Build(BLOCK, {NIC + 1}));
}

TEST_F(MrcTrimmingSwitchTest, ForeignActiveUsidIsForwardedWithoutShift)
{
    Build(100'000);
    const UsidCarrier carrier = UsidCarrier::Build(BLOCK, {UPLINK, OWN, NIC});
    Forward(Make(carrier));
    ASSERT_EQ(m_arrivals.size(), 1U);
    EXPECT_EQ(m_arrivals[0].port, 2);
    EXPECT_EQ((UsidCarrier{m_arrivals[0].frame.daHigh, m_arrivals[0].frame.daLow}), carrier);
}

TEST_F(MrcTrimmingSwitchTest, DropsWhatHasNoRoute)
{
    Build(100'000);
    Forward(Make(UsidCarrier::Build(BLOCK, {OWN, 0x2abc, NIC}))); // nobody
    Forward(Make(UsidCarrier::Build(BLOCK, {OWN})));              // end of the list
    Forward(Make(UsidCarrier::Build(BLOCK + 1, {OWN, NIC})));     // another block
    Forward(MakePlain(0x2001'0db8'0000'0000, 1));                 // no prefix
    EXPECT_TRUE(m_arrivals.empty());
    EXPECT_EQ(Drops(MrcDropReason::NO_ROUTE), 4U);
}

//= MRC-REF 3 longer paths use an SRH type=test
TEST_F(MrcTrimmingSwitchTest, UsedUpCarrierIsReplacedByTheNextSegment)
{
    const UsidCarrier next = UsidCarrier::Build(BLOCK, {UPLINK + 1, 0x1009, NIC});
    std::array<uint8_t, 16> list{};
    mrc::ByteWriter writer(list.data(), list.size());
    writer.U64(next.high);
    writer.U64(next.low);
    const auto make = [&](std::initializer_list<uint16_t> usids, uint8_t segmentsLeft) {
        Frame* frame = Make(UsidCarrier::Build(BLOCK, usids));
        frame->flags |= Frame::HAS_SRH;
        frame->segments = list.data();
        frame->segmentCount = 1;
        frame->segmentsLeft = segmentsLeft;
        return frame;
    };
    Build(100'000);
    Forward(make({OWN}, 1));             // the own uSID was the last: next carrier, one hop less
    Forward(make({OWN, UPLINK + 2}, 1)); // it was not: shift
    ASSERT_EQ(m_arrivals.size(), 2U);
    EXPECT_EQ(m_arrivals[0].port, 3);
    EXPECT_EQ(m_arrivals[0].frame.daHigh, next.high);
    EXPECT_EQ(m_arrivals[0].frame.daLow, next.low);
    EXPECT_EQ(m_arrivals[0].frame.segmentsLeft, 0);
    EXPECT_EQ(m_arrivals[0].frame.hopLimit, 63);
    EXPECT_EQ(m_arrivals[1].port, 4);
    EXPECT_EQ(m_arrivals[1].frame.segmentsLeft, 1);
    Forward(make({OWN}, 0)); // no segment left: the path ends at a switch
    EXPECT_EQ(Drops(MrcDropReason::NO_ROUTE), 1U);
}

TEST_F(MrcTrimmingSwitchTest, DropsWhenTheTableNamesAPortThatIsNotThere)
{
    Build(100'000);
    m_switch->Table().Set(BLOCK, {OWN, 1}, {{NIC, 2, PORTS}}, {});
    Forward(Make(UsidCarrier::Build(BLOCK, {OWN, NIC})));
    EXPECT_EQ(Drops(MrcDropReason::NO_ROUTE), 1U);
}

TEST_F(MrcTrimmingSwitchTest, HopLimitEndsAtTheSwitch)
{
    Build(100'000);
    for (const uint8_t hopLimit : {0, 1, 2})
    {
        Frame* frame = Make(UsidCarrier::Build(BLOCK, {OWN, NIC}));
        frame->hopLimit = hopLimit;
        Forward(frame);
    }
    EXPECT_EQ(Drops(MrcDropReason::HOP_LIMIT), 2U);
    ASSERT_EQ(m_arrivals.size(), 1U);
    EXPECT_EQ(m_arrivals[0].frame.hopLimit, 1);
}

//= MRC-REF 3 fall back to a static table on the destination prefix with a 5-tuple hash
TEST_F(MrcTrimmingSwitchTest, PrefixReachesTheHost)
{
    Build(100'000);
    Forward(MakePlain(HOST_HIGH, 1));
    Forward(MakePlain(HOST_HIGH, 2));
    ASSERT_EQ(m_arrivals.size(), 2U);
    EXPECT_EQ(m_arrivals[0].port, 0);
    EXPECT_EQ(m_arrivals[1].port, 1);
    EXPECT_EQ(m_arrivals[0].frame.daHigh, HOST_HIGH) << "no uSIDs, no shift";
}

TEST_F(MrcTrimmingSwitchTest, PrefixFallbackSpreadsFlowsOverTheUplinks)
{
    Build(1'000'000);
    // By sender, by receiver, and by UDP source port (upper half of the EV).
    std::array<uint32_t, PORTS> bySender{};
    std::array<uint32_t, PORTS> byReceiver{};
    std::array<uint32_t, PORTS> bySourcePort{};
    for (uint32_t flow = 0; flow < 1000; ++flow)
    {
        Forward(MakePlain(OTHER_HIGH, 1, flow));
        ++bySender[m_arrivals.back().port];
        Frame* frame = MakePlain(OTHER_HIGH, 1);
        frame->destination = flow;
        Forward(frame);
        ++byReceiver[m_arrivals.back().port];
        frame = MakePlain(OTHER_HIGH, 1);
        frame->ev = (0xc000 + flow) << 16;
        Forward(frame);
        ++bySourcePort[m_arrivals.back().port];
    }
    for (const auto& count : {bySender, byReceiver, bySourcePort})
    {
        EXPECT_EQ(count[0] + count[1], 0U) << "not to NICs";
        for (uint16_t port = HOST_PORTS; port < PORTS; ++port)
        {
            // A quarter of 1000 each, sigma 14; 5 sigma.
            EXPECT_NEAR(count[port], 250, 69) << "port " << port;
        }
    }
}

TEST_F(MrcTrimmingSwitchTest, AFlowStaysOnItsUplink)
{
    Build(1'000'000);
    for (uint32_t i = 0; i < 20; ++i)
    {
        Frame* frame = MakePlain(OTHER_HIGH, 1, 42);
        frame->ev = 0xc0000000 | i; // the lower half is not in the 5-tuple
        frame->psn = i;
        Forward(frame);
        EXPECT_EQ(m_arrivals.back().port, m_arrivals.front().port);
    }
}

// Thresholds in BDP of 10,000 B: trim at 1.0, last hop 1.5, ECN 0.2 to 0.8.
//
// A burst of 20 frames of 1000 B: one is sent, 10 wait (10,000 B), 9 are trimmed; to a NIC 15 wait
// and 4 are trimmed. Marks: none at 0, 1000, 2000 B; all of the arrivals at 8000 and 9000 B.
TEST_F(MrcTrimmingSwitchTest, ThresholdsFollowThePlaneBdp)
{
    Build(10'000);
    Burst(UPLINK, 20);
    EXPECT_EQ(m_switch->Counters().trimmed, 9U);
    EXPECT_GE(m_switch->Counters().marked, 2U);
    EXPECT_LE(m_switch->Counters().marked, 7U);
    const uint64_t marked = m_switch->Counters().marked;
    Burst(NIC, 20);
    EXPECT_EQ(m_switch->Counters().trimmed, 9U + 4);
    EXPECT_EQ(m_switch->Counters().marked, marked) << "the last hop does not mark";
    for (const Arrival& arrival : m_arrivals)
    {
        if (arrival.frame.Has(Frame::TRIMMED))
        {
            EXPECT_EQ(arrival.frame.wireBytes, 152U); // 128 + 24
            EXPECT_EQ(arrival.frame.Dscp(), arrival.port == 0 ? 16 : 12);
            EXPECT_EQ(arrival.frame.Has(Frame::TRIMMED_LASTHOP), arrival.port == 0);
        }
    }
}

TEST_F(MrcTrimmingSwitchTest, AttributePlaneBdpComesFirst)
{
    m_switch->SetAttribute("PlaneBdp", UintegerValue(5000));
    Build(10'000);
    Burst(UPLINK, 20); // one sent, 5 wait, 14 trimmed; 14 x 152 = 2128 <= 5000
    EXPECT_EQ(m_switch->Counters().trimmed, 14U);
}

TEST_F(MrcTrimmingSwitchTest, AttributesSetTheThresholds)
{
    m_switch->SetAttribute("TrimThreshold", DoubleValue(0.5));        // 5 wait
    m_switch->SetAttribute("TrimThresholdLastHop", DoubleValue(0.3)); // 3 wait
    m_switch->SetAttribute("TrimSize", UintegerValue(256));           // 280 B
    m_switch->SetAttribute("ControlQueue", DoubleValue(0.28));        // 10 of 280 B
    m_switch->SetAttribute("EcnMin", DoubleValue(0.1));
    m_switch->SetAttribute("EcnMax", DoubleValue(0.1)); // a step: marks above 1000 B
    m_switch->SetAttribute("LastHopEcn", BooleanValue(true));
    Build(10'000);
    Burst(UPLINK, 20); // one sent, 5 wait, 14 trimmed, of which 4 find no room
    EXPECT_EQ(m_switch->Counters().trimmed, 14U);
    EXPECT_EQ(Drops(MrcDropReason::CONTROL_FULL), 4U);
    EXPECT_EQ(m_switch->Counters().marked, 3U); // at 2000, 3000 and 4000 B
    Burst(NIC, 20);                             // one sent, 3 wait, 16 trimmed, 6 dropped
    EXPECT_EQ(m_switch->Counters().trimmed, 14U + 16);
    EXPECT_EQ(Drops(MrcDropReason::CONTROL_FULL), 4U + 6);
    EXPECT_EQ(m_switch->Counters().marked, 3U + 1); // at 2000 B
}

TEST_F(MrcTrimmingSwitchTest, WithoutTrimmingDropsAtTheDataQueue)
{
    m_switch->SetAttribute("Trimming", BooleanValue(false));
    m_switch->SetAttribute("DataQueue", DoubleValue(0.7));
    m_switch->SetAttribute("Ecn", BooleanValue(false));
    m_switch->SetAttribute("LastHopEcn", BooleanValue(true));
    Build(10'000);
    EXPECT_FALSE(m_switch->IsTrimming());
    Burst(UPLINK, 20); // one sent, 7 wait, 12 dropped
    Burst(NIC, 20);
    EXPECT_EQ(m_switch->Counters().trimmed, 0U);
    EXPECT_EQ(m_switch->Counters().marked, 0U) << "Ecn off means off everywhere";
    EXPECT_EQ(Drops(MrcDropReason::DATA_FULL), 24U);
    EXPECT_EQ(m_switch->Counters().dataDrop[static_cast<size_t>(MrcDropReason::DATA_FULL)], 24U);
}

TEST_F(MrcTrimmingSwitchTest, DefaultsAreThoseOfTheReference)
{
    EXPECT_EQ(m_switch->Latency(), PicoSeconds(636'400));
    DoubleValue value;
    const std::vector<std::pair<std::string, double>> defaults = {
        {"EcnMin", 0.2},
        {"EcnMax", 0.8},
        {"EcnMaxProbability", 1.0},
        {"TrimThreshold", 1.0},
        {"TrimThresholdLastHop", 1.5},
        {"ControlQueue", 1.0},
        {"DataQueue", 5.0},
    };
    for (const auto& [name, wanted] : defaults)
    {
        m_switch->GetAttribute(name, value);
        EXPECT_EQ(value.Get(), wanted) << name;
    }
    UintegerValue size;
    m_switch->GetAttribute("TrimSize", size);
    EXPECT_EQ(size.Get(), 128U);
}

/// Counts what the trace sources of a switch say.
struct TraceCounter
{
    uint64_t enqueue{0};              ///< frames that waited
    uint64_t dequeue{0};              ///< frames that were sent
    uint64_t mark{0};                 ///< frames that were marked
    uint64_t trim{0};                 ///< frames that were trimmed
    std::vector<MrcDropReason> drops; ///< reasons
    std::vector<uint32_t> dropPorts;  ///< ports
    std::vector<int64_t> dropTimes;   ///< times, ps

    void OnEnqueue(uint32_t, const Frame&, Time)
    {
        ++enqueue;
    }

    void OnDequeue(uint32_t, const Frame&, Time)
    {
        ++dequeue;
    }

    void OnMark(uint32_t, const Frame&, Time)
    {
        ++mark;
    }

    void OnTrim(uint32_t, const Frame&, Time)
    {
        ++trim;
    }

    void OnDrop(uint32_t port, const Frame&, MrcDropReason reason, Time when)
    {
        drops.push_back(reason);
        dropPorts.push_back(port);
        dropTimes.push_back(when.GetTimeStep());
    }
};

TEST_F(MrcTrimmingSwitchTest, TraceSourcesFire)
{
    m_switch->SetAttribute("ControlQueue", DoubleValue(0.0456)); // 3 of 152 B
    TraceCounter counter;
    auto connect = [&](const char* name, const CallbackBase& callback) {
        EXPECT_TRUE(m_switch->TraceConnectWithoutContext(name, callback)) << name;
    };
    connect("Enqueue", MakeCallback(&TraceCounter::OnEnqueue, &counter));
    connect("Dequeue", MakeCallback(&TraceCounter::OnDequeue, &counter));
    connect("Mark", MakeCallback(&TraceCounter::OnMark, &counter));
    connect("Trim", MakeCallback(&TraceCounter::OnTrim, &counter));
    connect("Drop", MakeCallback(&TraceCounter::OnDrop, &counter));
    Build(10'000);
    Burst(UPLINK + 1, 15); // one sent, 10 wait, 4 trimmed, one of them dropped
    EXPECT_EQ(counter.enqueue, 13U);
    EXPECT_EQ(counter.dequeue, 14U);
    EXPECT_EQ(counter.trim, 4U);
    EXPECT_GE(counter.mark, 2U);
    EXPECT_EQ(counter.mark, m_switch->Counters().marked);
    Frame* expired = Make(UsidCarrier::Build(BLOCK, {OWN, NIC}));
    expired->hopLimit = 1;
    const int64_t nowPs = MrcNowPs();
    Forward(expired);
    EXPECT_EQ(counter.drops,
              (std::vector<MrcDropReason>{MrcDropReason::CONTROL_FULL, MrcDropReason::HOP_LIMIT}));
    // The port is the egress if the frame got that far, else the ingress.
    EXPECT_EQ(counter.dropPorts, (std::vector<uint32_t>{3, INGRESS}));
    EXPECT_EQ(counter.dropTimes, (std::vector<int64_t>{0, nowPs}));
}

TEST_F(MrcTrimmingSwitchTest, ConservesFrames)
{
    m_switch->SetAttribute("ControlQueue", DoubleValue(0.05));
    Build(10'000);
    mrc::Random random(11);
    constexpr uint32_t FRAMES = 5000;
    for (uint32_t i = 0; i < FRAMES; ++i)
    {
        Simulator::Schedule(Time(random.Below(80'000'000)), [this, &random] {
            // Ports 0 to 5, and every 13th a uSID that is not there or an old packet.
            const uint32_t choice = random.Below(13);
            const auto usid = static_cast<uint16_t>(choice < 4    ? NIC + choice % 2
                                                    : choice < 11 ? UPLINK + choice % 4
                                                                  : 0x2abc);
            Frame* frame = Make(UsidCarrier::Build(BLOCK, {OWN, usid, 9}));
            frame->wireBytes = 84 + random.Below(4200);
            frame->hopLimit = choice == 12 ? 1 : 64;
            m_switch->Receive(frame, INGRESS, MrcNowPs());
        });
    }
    Simulator::Run();
    uint64_t dropped = 0;
    for (const uint64_t count : m_switch->Counters().drop)
    {
        dropped += count;
    }
    EXPECT_EQ(m_arrivals.size() + dropped, FRAMES);
    EXPECT_EQ(m_switch->Counters().sent, m_arrivals.size());
    EXPECT_GT(Drops(MrcDropReason::NO_ROUTE), 0U);
    EXPECT_GT(Drops(MrcDropReason::HOP_LIMIT), 0U);
    EXPECT_GT(Drops(MrcDropReason::CONTROL_FULL), 0U);
    EXPECT_GT(m_switch->Counters().trimmed, 0U);
    uint64_t bytes = 0;
    for (const Arrival& arrival : m_arrivals)
    {
        bytes += arrival.frame.wireBytes;
    }
    EXPECT_EQ(m_switch->Counters().sentBytes, bytes);
}

TEST_F(MrcTrimmingSwitchTest, APortThatIsDownStaysInTheTable)
{
    Build(10'000);
    m_switch->Port(2).SetUp(false, 0);
    Burst(UPLINK, 3);
    Burst(UPLINK + 1, 1);
    EXPECT_EQ(Drops(MrcDropReason::LINK_DOWN), 3U);
    ASSERT_EQ(m_arrivals.size(), 1U);
    EXPECT_EQ(m_arrivals[0].port, 3);
}

TEST_F(MrcTrimmingSwitchTest, KnowsItsNameAndPorts)
{
    Build(10'000);
    EXPECT_EQ(m_switch->Name(), "p0/t0-2");
    EXPECT_EQ(m_switch->PortCount(), PORTS);
}

} // namespace
} // namespace ns3
