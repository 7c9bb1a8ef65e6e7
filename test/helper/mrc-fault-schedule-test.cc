// SPDX-License-Identifier: GPL-2.0-only
// Faults in the middle of transfers: what ends, what comes back, and what overlaps.

#include "mrc-fault-schedule.h"
#include "mrc-multi-plane-clos-helper.h"
#include "mrc-route-around.h"
#include "mrc-traffic.h"

#include <ns3/simulator.h>
#include <ns3/string.h>

#include <functional>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr int64_t US = 1'000'000;

/// 4 T0s of 4 NICs, 4 T1s, two planes: 8 paths from one T0 to another.
class MrcFaultScheduleTest : public ::testing::Test
{
  protected:
    void Build(uint64_t bytes = 2 << 20)
    {
        MrcMultiPlaneClosHelper::UsePicoseconds();
        MrcMultiPlaneClosHelper clos;
        clos.Config().nics = 16;
        clos.Config().nicsPerT0 = 4;
        clos.Config().planes = 2;
        // A repaired path is found within a run of some hundred microseconds.
        clos.SetProfileAttribute("ProbeInterval", StringValue("20us"));
        network = clos.Install();
        traffic = std::make_unique<MrcTraffic>(
            network, mrc::Permutation(16, bytes, 1, 7), MrcVerify::BYTES);
        schedule = std::make_unique<MrcFaultSchedule>(network);
    }

    void Run(std::initializer_list<const char*> faults)
    {
        for (const char* fault : faults)
        {
            schedule->Add(fault);
        }
        monitor = std::make_unique<MrcRouteAroundMonitor>(network, schedule->Faults());
        schedule->Install();
        monitor->Install();
        traffic->SetDoneCallback([] { Simulator::Stop(); });
        traffic->Start();
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        EXPECT_EQ(traffic->Completed(), traffic->Total());
        EXPECT_EQ(traffic->Verify(), traffic->Total());
        EXPECT_EQ(traffic->Failed(), 0u);
    }

    void At(int64_t us, std::function<void()> look)
    {
        Simulator::Schedule(MicroSeconds(us), [look, this] {
            look();
            ++looks;
        });
    }

    bool IsUp(const char* link)
    {
        const mrc::ClosLink found = mrc::ParseLinkName(network->Clos(), link);
        const bool isUp = network->Port(found.plane, found.lower).IsUp();
        EXPECT_EQ(network->Port(found.plane, found.upper).IsUp(), isUp) << link;
        return isUp;
    }

    void TearDown() override
    {
        Simulator::Destroy();
    }

    Ptr<MrcClosNetwork> network;
    std::unique_ptr<MrcTraffic> traffic;
    std::unique_ptr<MrcFaultSchedule> schedule;
    std::unique_ptr<MrcRouteAroundMonitor> monitor;
    uint32_t looks{0};
};

TEST_F(MrcFaultScheduleTest, LinkGoesDownAndComesBack)
{
    Build();
    At(49, [this] { EXPECT_TRUE(IsUp("p0/t0-0-t1-2")); });
    At(51, [this] { EXPECT_FALSE(IsUp("p0/t0-0-t1-2")); });
    At(79, [this] { EXPECT_FALSE(IsUp("p0/t0-0-t1-2")); });
    At(81, [this] { EXPECT_TRUE(IsUp("p0/t0-0-t1-2")); });
    Run({"link-down p0/t0-0-t1-2@50us+30us"});
    EXPECT_EQ(looks, 4u);
    ASSERT_EQ(schedule->Log().size(), 2u);
    EXPECT_EQ(schedule->Log()[0].timePs, 50 * US);
    EXPECT_EQ(schedule->Log()[0].text, "link-down p0/t0-0-t1-2 begins");
    EXPECT_EQ(schedule->Log()[1].timePs, 80 * US);
    EXPECT_EQ(schedule->Log()[1].text, "link-down p0/t0-0-t1-2 ends");
    EXPECT_GT(monitor->Results()[0].packetsSent, 0u);
}

TEST_F(MrcFaultScheduleTest, NicWithoutAnyPortWaitsForOne)
{
    Build();
    Run({"nic-port-down nic-5/p0@50us+200us", "nic-port-down nic-5/p1@60us+100us"});
    EXPECT_GT(Simulator::Now(), MicroSeconds(160));
}

TEST_F(MrcFaultScheduleTest, LinkStaysDownUntilTheLastFaultEnds)
{
    Build();
    At(55, [this] { EXPECT_FALSE(IsUp("p0/t0-0-t1-2")); });
    At(65, [this] { EXPECT_FALSE(IsUp("p0/t0-0-t1-2")) << "the switch is down"; });
    At(95, [this] { EXPECT_FALSE(IsUp("p0/t0-0-t1-2")) << "the other switch is down"; });
    At(95, [this] { EXPECT_TRUE(IsUp("p0/t0-1-t1-2")); });
    At(125, [this] { EXPECT_TRUE(IsUp("p0/t0-0-t1-2")); });
    Run({"link-down p0/t0-0-t1-2@50us+10us",
         "switch-down p0/t1-2@50us+40us",
         "switch-down p0/t0-0@80us+40us"});
    EXPECT_EQ(looks, 5u);
}

TEST_F(MrcFaultScheduleTest, RepairedLinkIsUsedAgain)
{
    Build(16 << 20);
    uint64_t during = 0;
    uint64_t after = 0;
    const uint16_t port = 4 + 2; // T0 uplink to t1-2
    network->Switch(0, mrc::NodeKind::T0, 0)
        .TraceConnectWithoutContext("Dequeue",
                                    Callback<void, uint32_t, const mrc::Frame&, Time>(
                                        [&](uint32_t which, const mrc::Frame& frame, Time when) {
                                            if (which == port && mrc::IsWrite(frame.opcode))
                                            {
                                                (when < MicroSeconds(100) ? during : after) +=
                                                    when > MicroSeconds(50);
                                            }
                                        }));
    Run({"link-down p0/t0-0-t1-2@50us+50us"});
    EXPECT_EQ(during, 0u);
    EXPECT_GT(after, 0u);
}

TEST_F(MrcFaultScheduleTest, RateReturnsToThatOfTheFaultThatLasts)
{
    Build();
    const auto bytePs = [this] {
        const mrc::ClosLink link = mrc::ParseLinkName(network->Clos(), "p1/t0-3-t1-1");
        return network->Port(1, link.lower).SerializationPs(1000);
    };
    // 1000 B are 8000 bit: 80 ns at 100 Gb/s, 320 ns at 25 Gb/s, 800 ns at 10 Gb/s.
    At(15, [=] { EXPECT_EQ(bytePs(), 320'000); });
    At(25, [=] { EXPECT_EQ(bytePs(), 800'000); });
    At(35, [=] { EXPECT_EQ(bytePs(), 320'000); });
    At(45, [=] { EXPECT_EQ(bytePs(), 80'000); });
    Run({"slow p1/t0-3-t1-1@10us+30us,rate=25Gbps", "slow p1/t0-3-t1-1@20us+10us,rate=10Gbps"});
    EXPECT_EQ(looks, 4u);
}

/// @return why a text is no fault of a fabric of 16 NICs in two planes
std::string
Refusal(const std::string& text)
{
    mrc::ClosConfig config;
    config.nics = 16;
    config.nicsPerT0 = 4;
    config.planes = 2;
    try
    {
        mrc::ParseFault(mrc::ClosPlan(config), text);
    }
    catch (const mrc::FaultError& error)
    {
        const std::string what = error.what();
        const std::string head = "fault '" + text + "': ";
        EXPECT_EQ(what.find(head), 0u) << what;
        EXPECT_EQ(what.find('\n'), std::string::npos) << what;
        return what.substr(head.size());
    }
    return "accepted";
}

TEST(MrcFaultGrammarTest, RefusesWhatWouldSilentlyMeanSomethingElse)
{
    const std::string link = "link-down p0/t0-0-t1-0@1us";
    EXPECT_EQ(Refusal(link), "accepted");
    EXPECT_NE(Refusal(link + "+").find("write a time"), std::string::npos);
    EXPECT_NE(Refusal(link + "+1us+1us").find("write a time"), std::string::npos);
    EXPECT_EQ(Refusal(link + "+0us"),
              "a duration of 0: leave it out for a fault that lasts for ever");
    EXPECT_EQ(Refusal(link + ","), "ends with a comma");
    EXPECT_NE(Refusal("link-down p0/t0-0-t1-0@-0us").find("write a time"), std::string::npos);
    EXPECT_NE(Refusal("link-down  p0/t0-0-t1-0@1us"), "accepted");
    EXPECT_EQ(Refusal("loss p0/t0-0-t1-0@1us,rate=0.1,rate=0.2"), "key 'rate' is given twice");
    EXPECT_EQ(Refusal("nic-port-down p0/t0-0-t1-0@1us"),
              "nic-port-down needs a port of a NIC such as nic-3/p0");
    EXPECT_EQ(Refusal("slow p0/t0-0-t1-0@1us,rate=999kbps"), "the rate is too low: at least 1Mbps");
    EXPECT_EQ(Refusal("slow p0/t0-0-t1-0@1us,rate=1Mbps"), "accepted");
}

TEST(MrcFaultGrammarTest, RefusesTimesBeyondTheSimulators)
{
    // 9.2e18 ps is the largest int64_t: 5e6 s + 5e6 s is 1e19 ps.
    const std::string late = "ends too late: at most 9000000s";
    EXPECT_EQ(Refusal("link-down p0/t0-0-t1-0@4000000s+4000000s"), "accepted");
    EXPECT_EQ(Refusal("link-down p0/t0-0-t1-0@5000000s+5000000s"), late);
    EXPECT_EQ(Refusal("link-flap p0/t0-0-t1-0@1us+1us,period=10s,count=1000000"), late);
}

TEST(MrcFaultGrammarTest, BlackHoleNeedsARouteOfTheSwitch)
{
    // Two planes leave 16 - 1 - 2 = 13 bits of index: T1s are 2 << 13 on, NICs 3 << 13 on.
    EXPECT_EQ(Refusal("black-hole p0/t0-0@1us,usid=0x4003"), "accepted");
    EXPECT_EQ(Refusal("black-hole p0/t0-0@1us,usid=0x6003"), "accepted");
    EXPECT_EQ(Refusal("black-hole p0/t0-0@1us,usid=0x4004"),
              "p0/t0-0 has no route for uSID 0x4004, only for 0x6000 to 0x6003, 0x4000 to 0x4003");
}

TEST(MrcFaultGrammarTest, ExamplesOfTheHelpAreFaultsOfTheDefaultFabric)
{
    const mrc::ClosPlan plan{mrc::ClosConfig{}};
    std::istringstream help(mrc::FaultHelp());
    std::string line;
    uint32_t examples = 0;
    while (std::getline(help, line))
    {
        const size_t at = line.find('@');
        if (line.compare(0, 2, "  ") == 0 && at != std::string::npos)
        {
            const std::string example = line.substr(2, line.find(' ', at) - 2);
            EXPECT_NO_THROW(mrc::ParseFault(plan, example)) << example;
            ++examples;
        }
    }
    EXPECT_EQ(examples, 7u); // one of each kind
}

} // namespace
