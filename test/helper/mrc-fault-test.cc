// SPDX-License-Identifier: GPL-2.0-only
// Faults: what their specifications say, what they do to a network, and how soon it copes.

#include "mrc-fault-schedule.h"
#include "mrc-multi-plane-clos-helper.h"
#include "mrc-route-around.h"
#include "mrc-traffic.h"
#include "mrc-units.h"

#include <ns3/simulator.h>

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

constexpr int64_t US = 1'000'000;

mrc::ClosConfig
SmallConfig()
{
    mrc::ClosConfig config;
    config.nics = 32;
    config.nicsPerT0 = 8;
    config.planes = 2;
    return config;
}

std::string
Refusal(const std::string& text)
{
    try
    {
        mrc::ParseFault(mrc::ClosPlan(SmallConfig()), text);
    }
    catch (const mrc::FaultError& error)
    {
        return error.what();
    }
    return "accepted";
}

TEST(MrcUnitsTest, QuantitiesNeedUnitsAndKeepThem)
{
    EXPECT_EQ(mrc::ParseTimePs("50us"), 50 * US);
    EXPECT_EQ(mrc::ParseTimePs("1.5ms"), 1500 * US);
    EXPECT_EQ(mrc::ParseBitsPerSecond("100Gbps"), 100'000'000'000u);
    EXPECT_EQ(mrc::ParseWhole("0x200c", UINT16_MAX), 0x200cu);
    EXPECT_DOUBLE_EQ(mrc::ParseProbability("0.25"), 0.25);
    for (const char* text : {"50", "us", "-1us", "50 us", "1e3us", "50uss", "", "nan", "99999999s"})
    {
        EXPECT_THROW(mrc::ParseTimePs(text), mrc::UnitError) << text;
    }
    EXPECT_THROW(mrc::ParseBitsPerSecond("100"), mrc::UnitError);
    EXPECT_THROW(mrc::ParseBitsPerSecond("0Gbps"), mrc::UnitError);
    EXPECT_THROW(mrc::ParseProbability("1.5"), mrc::UnitError);
    EXPECT_THROW(mrc::ParseWhole("0x10000", UINT16_MAX), mrc::UnitError);
}

TEST(MrcFaultSpecTest, ReadsEachKind)
{
    const mrc::ClosPlan plan(SmallConfig());
    const auto reboot = mrc::ParseFault(plan, "switch-down p1/t1-7@100us+1ms");
    EXPECT_EQ(reboot.kind, mrc::FaultKind::SWITCH_DOWN);
    EXPECT_EQ(reboot.node.plane, 1u);
    EXPECT_EQ(reboot.node.index, 7u);
    EXPECT_EQ(reboot.startPs, 100 * US);
    EXPECT_EQ(reboot.durationPs, 1000 * US);

    const auto loss = mrc::ParseFault(plan, "loss nic-31/p0@0us,rate=0.01,corrupt=0.5");
    EXPECT_EQ(loss.link.lower.index, 31u);
    EXPECT_DOUBLE_EQ(loss.loss, 0.01);
    EXPECT_DOUBLE_EQ(loss.corrupt, 0.5);
    EXPECT_EQ(loss.durationPs, 0);

    const auto flap = mrc::ParseFault(plan, "link-flap p0/t0-3-t1-2@1ms+50us,period=200us,count=4");
    EXPECT_EQ(flap.periodPs, 200 * US);
    EXPECT_EQ(flap.count, 4u);
    EXPECT_EQ(mrc::ParseFault(plan, "slow p0/t0-0-t1-0@1us,rate=25Gbps").bitsPerSecond,
              25'000'000'000u);
    EXPECT_EQ(mrc::ParseFault(plan, "black-hole p0/t0-0@1us,usid=0x4001").usid, 0x4001);
}

TEST(MrcFaultSpecTest, RefusesInOneLineThatSaysWhatWouldBeRight)
{
    EXPECT_EQ(Refusal("switch-down p1/t1-9@1us"),
              "fault 'switch-down p1/t1-9@1us': no t1-9 in plane 1: t1-0 to t1-7");
    EXPECT_EQ(Refusal("meteor p1/t1-1@1us"),
              "fault 'meteor p1/t1-1@1us': no kind 'meteor': link-down, nic-port-down, link-flap, "
              "loss, slow, switch-down, black-hole");
    EXPECT_NE(Refusal("link-down p0/t0-0-t1-0").find("no start"), std::string::npos);
    EXPECT_NE(Refusal("link-down p0/t0-0-t1-0@5").find("has no unit"), std::string::npos);
    EXPECT_NE(Refusal("slow p0/t0-0-t1-0@5us,speed=1Gbps").find("no key 'speed'"),
              std::string::npos);
    EXPECT_NE(Refusal("slow p0/t0-0-t1-0@5us").find("rate=25Gbps"), std::string::npos);
    EXPECT_NE(Refusal("loss p0/t0-0-t1-0@5us").find("rate=0.01"), std::string::npos);
    EXPECT_NE(Refusal("link-flap p0/t0-0-t1-0@5us+9us,period=3us,count=2").find("period"),
              std::string::npos);
}

/// A permutation of 4 MiB messages over 32 NICs and two planes, with faults.
class MrcFaultRun : public ::testing::Test
{
  protected:
    void Run(std::initializer_list<const char*> faults)
    {
        MrcMultiPlaneClosHelper::UsePicoseconds();
        MrcMultiPlaneClosHelper clos;
        clos.Config() = SmallConfig();
        network = clos.Install();
        traffic = std::make_unique<MrcTraffic>(
            network, mrc::Permutation(32, 4 << 20, 1, 7), MrcVerify::PLACEMENT);
        schedule = std::make_unique<MrcFaultSchedule>(network);
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
        counters = network->Counters();
        EXPECT_EQ(traffic->Completed(), traffic->Total());
        EXPECT_EQ(traffic->Verify(), traffic->Total());
        EXPECT_EQ(traffic->RepeatedPackets(), 0u);
    }

    void TearDown() override
    {
        Simulator::Destroy();
    }

    Ptr<MrcClosNetwork> network;
    std::unique_ptr<MrcTraffic> traffic;
    std::unique_ptr<MrcFaultSchedule> schedule;
    std::unique_ptr<MrcRouteAroundMonitor> monitor;
    MrcNetworkCounters counters;
};

TEST_F(MrcFaultRun, DeadT1IsRoutedAroundWithin100Us)
{
    Run({"switch-down p0/t1-3@50us+80us"});
    ASSERT_EQ(schedule->Log().size(), 2u);
    EXPECT_EQ(schedule->Log()[0].text, "switch-down p0/t1-3 begins");
    EXPECT_EQ(schedule->Log()[1].timePs, 130 * US);
    const auto& result = monitor->Results()[0];
    EXPECT_TRUE(result.isMeasured);
    EXPECT_EQ(result.onsetPs, 50 * US);
    EXPECT_GT(result.packetsSent, 0u);
    EXPECT_LT(result.TimePs(), 100 * US);
    EXPECT_GT(counters.endpoint.ev.retired, 0u);
    const auto down = static_cast<size_t>(MrcDropReason::LINK_DOWN);
    EXPECT_GE(counters.switchPorts.dataDrop[down], result.packetsSent);
}

TEST_F(MrcFaultRun, DeadLinkConcernsOnlyPathsOverIt)
{
    Run({"link-down p1/t0-2-t1-5@50us"});
    EXPECT_GT(monitor->Results()[0].packetsSent, 0u);
    EXPECT_LT(monitor->Results()[0].TimePs(), 100 * US);
    EXPECT_EQ(network->Switch(0, mrc::NodeKind::T0, 2).Counters().dataDrop[0], 0u);
}

TEST_F(MrcFaultRun, BlackHoleDropsForWantOfARoute)
{
    MrcMultiPlaneClosHelper::UsePicoseconds();
    const mrc::UsidPlan usids{mrc::ClosPlan(SmallConfig())};
    const std::string spec = "black-hole p0/t0-1@50us,usid=" + std::to_string(usids.T1Usid(0, 4));
    Run({spec.c_str()});
    const auto noRoute = static_cast<size_t>(MrcDropReason::NO_ROUTE);
    // What was on the way to the T0 at the onset is lost too.
    EXPECT_GE(counters.switchPorts.dataDrop[noRoute], monitor->Results()[0].packetsSent);
    EXPECT_GT(monitor->Results()[0].packetsSent, 0u);
    EXPECT_LT(monitor->Results()[0].TimePs(), 100 * US);
}

TEST_F(MrcFaultRun, LossFlapAndSlowLinkEndWell)
{
    Run({"loss p0/t0-0-t1-0@0us,rate=0.2,corrupt=0.1",
         "link-flap p1/t0-1-t1-1@20us+10us,period=40us,count=4",
         "slow p1/t0-3-t1-6@10us,rate=10Gbps"});
    EXPECT_GT(counters.switchPorts.drop[static_cast<size_t>(MrcDropReason::LINK_LOSS)], 0u);
    EXPECT_EQ(counters.endpoint.corrupt,
              counters.nicPorts.drop[static_cast<size_t>(MrcDropReason::BAD_ICRC)]);
    EXPECT_FALSE(monitor->Results()[0].isMeasured);
    EXPECT_TRUE(monitor->Results()[1].isMeasured);
    EXPECT_EQ(schedule->Log().size(), 1u + 8u + 1u);
}

TEST(MrcPathPortsTest, LeadsFromSourceToDestinationOnThreeTiers)
{
    mrc::ClosConfig config;
    config.tiers = 3;
    config.planes = 2;
    config.nics = 64;
    config.nicsPerT0 = 4;
    config.t0PerPod = 4;
    const mrc::ClosPlan clos(config);
    const mrc::PathPlan plan{mrc::UsidPlan(clos)};
    for (const uint32_t destination : {1u, 9u, 63u})
    {
        for (uint32_t path = 0; path < plan.PathsPerPlane(0, destination); ++path)
        {
            const auto ports = MrcPathPorts(plan, 1, 0, destination, plan.EvOf(1, path));
            mrc::Attachment at{mrc::NodeKind::NIC, 0, 1};
            for (const mrc::Attachment& port : ports)
            {
                EXPECT_EQ(port.kind, at.kind);
                EXPECT_EQ(port.index, at.index);
                at = clos.Peer(1, port);
            }
            EXPECT_EQ(at.kind, mrc::NodeKind::NIC);
            EXPECT_EQ(at.index, destination);
        }
    }
}

} // namespace
