// SPDX-License-Identifier: GPL-2.0-only
// Controllers and the fabric prober on whole networks.

#include "mrc-ev-controller-helper.h"
#include "mrc-fabric-prober.h"
#include "mrc-fault-schedule.h"
#include "mrc-multi-plane-clos-helper.h"
#include "mrc-traffic.h"

#include <ns3/callback.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace ns3;

namespace
{

/// 16 NICs on 4 T0s, 4 T1s, 4 planes; what NIC 0 sends by EV, and events.
class MrcEvControllerTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        MrcMultiPlaneClosHelper::UsePicoseconds();
        clos.Config().nics = 16;
        clos.Config().nicsPerT0 = 4;
        clos.Config().planes = 4;
    }

    void TearDown() override
    {
        traffic.reset();
        schedule.reset();
        if (prober)
        {
            prober->Dispose();
        }
        Simulator::Destroy();
    }

    /// Build the network, its controllers, and one sender: NIC 0 to NIC 13.
    void Build(uint64_t bytes, uint32_t messages = 1)
    {
        network = clos.Install();
        controllers.Install(network);
        traffic = std::make_unique<MrcTraffic>(
            network, mrc::PointToPoint(0, 13, bytes, messages), MrcVerify::PLACEMENT);
        network->Nic(0).TraceConnectWithoutContext(
            "Dequeue",
            Callback<void, uint32_t, const mrc::Frame&, Time>(
                [this](auto, const auto& frame, Time when) {
                    if (mrc::IsWrite(frame.opcode))
                    {
                        sent[frame.ev].push_back(when.GetPicoSeconds());
                        withSrh += frame.Has(mrc::Frame::HAS_SRH);
                    }
                }));
        controllers.Get(0).TraceConnectWithoutContext(
            "Event", Callback<void, const MrcEvEvent&>([this](const MrcEvEvent& event) {
                events.push_back(event);
            }));
    }

    /// Run to the end; everything must arrive.
    void Run()
    {
        traffic->SetDoneCallback([] { Simulator::Stop(); });
        traffic->Start();
        Simulator::Stop(Seconds(2));
        Simulator::Run();
        ASSERT_EQ(traffic->Completed(), traffic->Total());
        EXPECT_EQ(traffic->Verify(), traffic->Total());
    }

    /// @return the QP that sends
    uint32_t SenderQp() const
    {
        return traffic->At(0).sourceQp;
    }

    /// @return planes on which NIC 0 sent WRITEs at or after a time
    std::set<uint32_t> PlanesSince(int64_t ps) const
    {
        std::set<uint32_t> planes;
        for (const auto& [ev, times] : sent)
        {
            if (times.back() >= ps)
            {
                planes.insert(mrc::EvLayout::Plane(ev));
            }
        }
        return planes;
    }

    MrcMultiPlaneClosHelper clos;
    MrcEvControllerHelper controllers;
    Ptr<MrcClosNetwork> network;
    std::unique_ptr<MrcTraffic> traffic;
    std::unique_ptr<MrcFaultSchedule> schedule;
    Ptr<MrcFabricProber> prober;
    std::map<uint32_t, std::vector<int64_t>> sent; // by EV: when
    std::vector<MrcEvEvent> events;
    uint64_t withSrh{0};
};

TEST_F(MrcEvControllerTest, AControllerWithoutOrdersChangesNothing)
{
    Build(1 << 20);
    Run();
    const int64_t with = traffic->At(0).completedPs;
    TearDown();
    sent.clear();
    network = clos.Install();
    traffic = std::make_unique<MrcTraffic>(
        network, mrc::PointToPoint(0, 13, 1 << 20, 1), MrcVerify::PLACEMENT);
    Run();
    EXPECT_EQ(traffic->At(0).completedPs, with);
}

//= MRC-REF 5 EV mode AUTO, EXPLICIT, GENERATED type=test
TEST_F(MrcEvControllerTest, AQpSendsOnTheListedEvsOnly)
{
    Build(1 << 20);
    const std::vector<uint32_t> list{0xc0000001, 0xc0000003, 0xc0020000};
    EXPECT_EQ(controllers.UseEvs(0, SenderQp(), list), "");
    Run();
    std::vector<uint32_t> used;
    for (const auto& [ev, times] : sent)
    {
        used.push_back(ev);
    }
    EXPECT_EQ(used, list);
    EXPECT_NE(controllers.UseEvs(0, SenderQp(), list), "") << "it has sent";
    EXPECT_NE(controllers.UseEvs(0, 99, list), "");
    EXPECT_NE(controllers.UseEvs(0, SenderQp(), {0xc0090000}), "") << "no such plane";
}

TEST_F(MrcEvControllerTest, GeneratedEvsAreSharedOutOverTheirPlanes)
{
    Build(1 << 20);
    mrc::EvProfileConfig config;
    config.mode = mrc::EvMode::GENERATED;
    config.format = {mrc::EvFormat::STEV, {16, 16}};
    config.fields = {{16, 0xc000, 1, 2, 0x3}, {16, 0, 0, 3, 0xff}}; // planes 1 and 2
    config.evCount = 4;
    uint32_t profile = 0;
    ASSERT_EQ(controllers.Get(0).AddOnline(config, profile), "");
    ASSERT_EQ(controllers.Get(0).Assign(SenderQp(), profile), "");
    EXPECT_EQ(controllers.Get(0).ProfileOf(SenderQp()), profile);
    Run();
    EXPECT_EQ(sent.size(), 4u); // two of each plane take turns, nothing was lost
    EXPECT_EQ(PlanesSince(0), (std::set<uint32_t>{1, 2}));
}

//= MRC-REF 3 longer paths use an SRH type=test
TEST_F(MrcEvControllerTest, PathsOfMoreThanSixUsidsCarryAMessage)
{
    Build(1 << 20);
    ASSERT_EQ(controllers.UseRoutes(0,
                                    SenderQp(),
                                    {"p0/t0-0,t1-0,t0-1,t1-1,t0-2,t1-2,t0-3,nic-13",
                                     "p1/t0-0,t1-3,t0-1,t1-3,t0-2,t1-3,t0-1,t1-0,t0-3,nic-13",
                                     "p2/t0-0,t1-2,t0-3,nic-13"}),
              "");
    Run();
    EXPECT_EQ(sent.size(), 3u);
    EXPECT_GT(withSrh, 100u);
    EXPECT_EQ(network->Counters().endpoint.timeouts, 0u);
    for (const uint64_t drops : network->Counters().switchPorts.drop)
    {
        EXPECT_EQ(drops, 0u);
    }
    EXPECT_NE(controllers.UseRoutes(1, SenderQp(), {"p0/t0-1,nic-4"}), "") << "not from nic-1";
}

TEST_F(MrcEvControllerTest, ThreeTiersAndAnSrhThroughTheTopTwice)
{
    clos.Config().tiers = 3;
    clos.Config().t0PerPod = 2;
    Build(1 << 20);
    const mrc::ClosPlan& plan = network->Clos();
    ASSERT_EQ(plan.Pods(), 2u);
    // T1 numbers: pod 0 has 0 to 3, pod 1 has 4 to 7. T2 number = T1 in pod x uplinks + uplink.
    const std::string t2 = "t2-" + std::to_string(1 * plan.T1Uplinks());
    ASSERT_EQ(controllers.UseRoutes(0,
                                    SenderQp(),
                                    {"p0/t0-0,t1-1," + t2 + ",t1-5,t0-2,t1-5," + t2 + ",t1-1," +
                                     t2 + ",t1-5,t0-3,nic-13"}),
              "");
    Run();
    EXPECT_EQ(sent.size(), 1u);
    EXPECT_GT(withSrh, 100u);
}

//= MRC-REF 4 EV states, DENIED by a controller type=test
TEST_F(MrcEvControllerTest, ADeniedPlaneIsLeftAtOnceAndTakenUpAgain)
{
    clos.SetProfileAttribute("EvCount", UintegerValue(16));
    Build(16 << 20);
    Simulator::Schedule(MicroSeconds(100), [this] {
        EXPECT_EQ(controllers.Get(0).Apply(mrc::EvOrder::Plane(1, true)), "");
    });
    Simulator::Schedule(MicroSeconds(200), [this] {
        EXPECT_EQ(controllers.Get(0).Apply(mrc::EvOrder::Plane(1, false)), "");
    });
    Run();
    uint64_t meanwhile = 0;
    uint64_t afterwards = 0;
    for (const auto& [ev, times] : sent)
    {
        for (const int64_t ps : times)
        {
            const bool isOne = mrc::EvLayout::Plane(ev) == 1;
            meanwhile += isOne && ps > 100'500'000 && ps < 200'000'000;
            afterwards += isOne && ps > 200'000'000;
        }
    }
    EXPECT_EQ(meanwhile, 0u);
    EXPECT_GT(afterwards, 100u);
    EXPECT_EQ(network->Counters().endpoint.timeouts, 0u);
}

//= MRC-REF 5 EV events (profile, EV, new state) type=test
TEST_F(MrcEvControllerTest, ABatchReplacesAnEvAndReportsIt)
{
    Build(8 << 20);
    mrc::EvProfileConfig config;
    config.mode = mrc::EvMode::EXPLICIT;
    config.format = {mrc::EvFormat::STEV, {16, 16}};
    config.evs = {mrc::EvBits::Of(0xc0000000, 32),
                  mrc::EvBits::Of(0xc0000001, 32),
                  mrc::EvBits::Of(0xc0000002, 32)};
    config.evCount = 2;
    config.evMinActive = 2;
    config.evEventMask = mrc::EvEventBit(mrc::EvState::DENIED);
    uint32_t profile = 0;
    MrcEvController& controller = controllers.Get(0);
    ASSERT_EQ(controller.AddOnline(config, profile), "");
    ASSERT_EQ(controller.Assign(SenderQp(), profile), "");
    ASSERT_EQ(controller.Apply(mrc::EvOrder::Ev(profile, 0xc0000002, true)), "");
    EXPECT_EQ(controller.Apply(mrc::EvOrder::Ev(profile, 0xc0000001, true)),
              "EV profile 1 would keep 1 EVs, its ev_min_active is 2");
    EXPECT_EQ(controller.Apply(mrc::EvOrder::Ev(profile, 0xc0000009, true)),
              "EV profile 1 has no such EV");
    Simulator::Schedule(MicroSeconds(50), [&] {
        const auto answers = controller.Apply({mrc::EvOrder::Ev(profile, 0xc0000002, false),
                                               mrc::EvOrder::Ev(profile, 0xc0000000, true),
                                               mrc::EvOrder::Ev(7, 0, true)});
        EXPECT_EQ(answers, (std::vector<std::string>{"", "", "EV profile 7 is not ONLINE"}));
    });
    Run();
    EXPECT_LT(sent[0xc0000000].back(), 51'000'000);
    EXPECT_GT(sent[0xc0000002].front(), 50'000'000);
    EXPECT_GT(sent[0xc0000001].back(), 100'000'000);
    ASSERT_EQ(events.size(), 1u); // the reserve was denied before the QP had its EVs
    EXPECT_EQ(events[0].profile, profile);
    EXPECT_EQ(events[0].ev, 0xc0000000u);
    EXPECT_EQ(events[0].state, mrc::EvState::DENIED);
    EXPECT_EQ(events[0].qp, SenderQp());
}

TEST_F(MrcEvControllerTest, RefusesToDenyTheLastPlaneAndOnesThatAreNotThere)
{
    Build(1 << 20);
    MrcEvController& controller = controllers.Get(0);
    for (uint8_t plane = 0; plane < 3; ++plane)
    {
        EXPECT_EQ(controller.Apply(mrc::EvOrder::Plane(plane, true)), "");
    }
    EXPECT_EQ(controller.Apply(mrc::EvOrder::Plane(3, true)),
              "plane 3 is the last one that is allowed");
    EXPECT_EQ(controller.Apply(mrc::EvOrder::Plane(40, true)), "there is no plane 40: 0 to 3");
    Run();
    EXPECT_EQ(PlanesSince(0), std::set<uint32_t>{3});
}

/// What the prober does about a lossy link.
class MrcFabricProberTest : public MrcEvControllerTest
{
  protected:
    /// Run a fault under the prober while NIC 0 sends to NIC 13.
    void RunFault(const std::string& fault, uint32_t messages)
    {
        Build(4 << 20, messages);
        prober = CreateObject<MrcFabricProber>();
        prober->SetAttribute("CleanRounds", UintegerValue(16));
        prober->TraceConnectWithoutContext(
            "Verdict",
            Callback<void, const MrcProberVerdict&>(
                [this](const MrcProberVerdict& verdict) { verdicts.push_back(verdict); }));
        schedule = std::make_unique<MrcFaultSchedule>(network);
        schedule->Add(fault);
        schedule->Install();
        prober->Start(network);
        Run();
    }

    /// @return first verdict about a NIC link that says lossy or clean, null if there is none
    const MrcProberVerdict* Find(bool isNicLink, mrc::LinkVerdict verdict) const
    {
        const auto found =
            std::find_if(verdicts.begin(), verdicts.end(), [=](const MrcProberVerdict& one) {
                return one.isNicLink == isNicLink && one.verdict == verdict;
            });
        return found == verdicts.end() ? nullptr : &*found;
    }

    std::vector<MrcProberVerdict> verdicts;
};

TEST_F(MrcFabricProberTest, DeniesThePlaneOfALossyNicLinkAndBringsItBack)
{
    // 1 % both ways: a near loop is lost with 2 %, 16 of them a round, so three are in 10 ms.
    RunFault("loss nic-0/p2@2ms+24ms,rate=0.01", 600);
    const MrcProberVerdict* lossy = Find(true, mrc::LinkVerdict::LOSSY);
    ASSERT_NE(lossy, nullptr);
    EXPECT_EQ(lossy->nic, 0u);
    EXPECT_EQ(lossy->plane, 2);
    EXPECT_GT(lossy->timePs, 2'000'000'000);
    EXPECT_LT(lossy->timePs, 26'000'000'000);
    const MrcProberVerdict* clean = Find(true, mrc::LinkVerdict::CLEAN);
    ASSERT_NE(clean, nullptr);
    EXPECT_GT(clean->timePs, 26'000'000'000);
    EXPECT_EQ(verdicts.size(), 2u);
    uint64_t meanwhile = 0;
    for (const auto& [ev, times] : sent)
    {
        for (const int64_t ps : times)
        {
            meanwhile += mrc::EvLayout::Plane(ev) == 2 && ps > lossy->timePs + 1'000'000 &&
                         ps < clean->timePs;
        }
    }
    EXPECT_EQ(meanwhile, 0u);
    EXPECT_EQ(PlanesSince(clean->timePs), (std::set<uint32_t>{0, 1, 2, 3}));
}

TEST_F(MrcFabricProberTest, SendersLeaveThePlaneOfALossyReceiver)
{
    RunFault("loss nic-13/p1@2ms,rate=0.01", 400);
    const MrcProberVerdict* lossy = Find(true, mrc::LinkVerdict::LOSSY);
    ASSERT_NE(lossy, nullptr);
    EXPECT_EQ(lossy->nic, 13u);
    EXPECT_EQ(controllers.Get(0).Denials().Planes(), 0u);
    EXPECT_EQ(controllers.Get(0).Denials().Planes(13), 2u);
    EXPECT_EQ(PlanesSince(lossy->timePs + 1'000'000), (std::set<uint32_t>{0, 2, 3}));
}

TEST_F(MrcFabricProberTest, ALossyLinkBetweenSwitchesDeniesNothing)
{
    RunFault("loss p2/t0-0-t1-1@2ms,rate=0.05", 300);
    EXPECT_EQ(Find(true, mrc::LinkVerdict::LOSSY), nullptr);
    const MrcProberVerdict* uplink = Find(false, mrc::LinkVerdict::LOSSY);
    if (uplink != nullptr) // some far loops of four NICs in 23 ms
    {
        EXPECT_EQ(uplink->plane, 2);
        EXPECT_EQ(uplink->uplink, 1u);
    }
    EXPECT_GT(prober->Monitor(0, 2).Far().lost + prober->Monitor(1, 2).Far().lost +
                  prober->Monitor(2, 2).Far().lost + prober->Monitor(3, 2).Far().lost,
              0u);
    EXPECT_EQ(prober->Monitor(0, 2).Near().lost, 0u);
    for (uint32_t nic = 0; nic < network->NicCount(); ++nic)
    {
        EXPECT_TRUE(controllers.Get(nic).Denials().IsEmpty());
    }
}

} // namespace
