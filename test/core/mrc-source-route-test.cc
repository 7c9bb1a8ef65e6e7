// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-bytes.h"
#include "mrc-explicit-paths.h"
#include "mrc-frame-srh.h"
#include "mrc-source-route.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace mrc;

namespace
{

/// @return 16 NICs on 4 T0s, 4 T1s, 2 planes
UsidPlan
TwoTiers(uint32_t parallelLinks = 1)
{
    ClosConfig config;
    config.planes = 2;
    config.nics = 16;
    config.nicsPerT0 = 4;
    config.t1PerPlane = 4;
    config.parallelLinks = parallelLinks;
    return UsidPlan(ClosPlan(config));
}

/// @return 16 NICs in 2 pods of 2 T0s, 2 T1s a pod, 4 T2s
UsidPlan
ThreeTiers()
{
    ClosConfig config;
    config.tiers = 3;
    config.planes = 2;
    config.nics = 16;
    config.nicsPerT0 = 4;
    config.t0PerPod = 2;
    config.t1PerPod = 2;
    return UsidPlan(ClosPlan(config));
}

/// @return where a path leads that is written in names
RouteTrace
Trace(const UsidPlan& usids, uint32_t source, const std::string& text)
{
    uint32_t plane = 0;
    const std::vector<uint16_t> path = ParseRoute(usids, text, plane);
    return TraceRoute(usids, plane, source, PackUsids(usids.Block(), path));
}

TEST(SourceRoute, ShortPathsFitACarrier)
{
    const UsidPlan usids = TwoTiers();
    uint32_t plane = 0;
    const auto path = ParseRoute(usids, "p1/t0-0,t1-2,t0-3,nic-13", plane);
    EXPECT_EQ(plane, 1u);
    const std::vector<uint16_t> expected{
        usids.T0Usid(1, 0), usids.T1Usid(1, 2), usids.T0Usid(1, 3), usids.NicUsid(1, 13)};
    EXPECT_EQ(path, expected);
    const SourceRoute route = PackUsids(usids.Block(), path);
    ASSERT_EQ(route.size(), 1u);
    const RouteTrace trace = TraceRoute(usids, plane, 1, route);
    EXPECT_EQ(trace.problem, "");
    EXPECT_EQ(trace.destination, 13u);
    ASSERT_EQ(trace.egress.size(), 3u);
    EXPECT_EQ(trace.u0, 2u);
}

//= MRC-REF 3 No SRH up to 6 uSIDs type=test
TEST(SourceRoute, SevenUsidsNeedTwoCarriers)
{
    const std::vector<uint16_t> six{1, 2, 3, 4, 5, 6};
    EXPECT_EQ(PackUsids(7, six).size(), 1u);
    const SourceRoute route = PackUsids(7, {1, 2, 3, 4, 5, 6, 7});
    ASSERT_EQ(route.size(), 2u);
    EXPECT_EQ(route[0], UsidCarrier::Build(7, {1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(route[1], UsidCarrier::Build(7, {7}));
}

TEST(SourceRoute, PathsThatGoUpAndDownAgainArrive)
{
    // Eight uSIDs: down to T0s that are not the destination's, and up again.
    const RouteTrace trace = Trace(TwoTiers(), 0, "p0/t0-0,t1-0,t0-1,t1-1,t0-2,t1-2,t0-3,nic-12");
    EXPECT_EQ(trace.problem, "");
    EXPECT_EQ(trace.destination, 12u);
    EXPECT_EQ(trace.egress.size(), 7u);

    // Three tiers, ten uSIDs, twice through the top.
    const RouteTrace tall =
        Trace(ThreeTiers(), 0, "p1/t0-0,t1-0,t2-1,t1-2,t0-2,t1-3,t2-2,t1-1,t0-1,nic-5");
    EXPECT_EQ(tall.problem, "");
    EXPECT_EQ(tall.destination, 5u);
    EXPECT_EQ(tall.u0, 0u);
    EXPECT_EQ(tall.u1, 1u);
}

TEST(SourceRoute, LoopsComeBack)
{
    const UsidPlan usids = TwoTiers();
    EXPECT_EQ(Trace(usids, 5, "p0/t0-1,nic-5").destination, 5u);
    const RouteTrace loop = Trace(usids, 5, "p1/t0-1,t1-3,t0-1,nic-5");
    EXPECT_EQ(loop.problem, "");
    EXPECT_EQ(loop.destination, 5u);
}

TEST(SourceRoute, ParallelLinksAreNamedByTheNodeBehindThem)
{
    const UsidPlan usids = TwoTiers(2);
    const RouteTrace trace = Trace(usids, 0, "p0/t0-0,t1-1#1,t0-2#1,nic-8");
    EXPECT_EQ(trace.problem, "");
    EXPECT_EQ(trace.u0, 3u); // uplink = T1 x 2 + link
    uint32_t plane = 0;
    EXPECT_THROW(ParseRoute(usids, "p0/t0-0,t1-1#2", plane), ClosNameError);
}

TEST(SourceRoute, SaysWhereAPathStops)
{
    const UsidPlan usids = TwoTiers();
    EXPECT_EQ(Trace(usids, 0, "p0/t0-0,t0-1,nic-4").problem, "p0/t0-0 has no route to uSID 2001");
    EXPECT_EQ(Trace(usids, 0, "p0/t0-0,t1-1,t0-1").problem,
              "p0/t0-1 is where the path ends, not a NIC");
    EXPECT_EQ(Trace(usids, 0, "p0/t0-0,nic-1,t0-0,nic-2").problem,
              "nic-1 is in the middle of the path: a NIC forwards nothing");
    EXPECT_NE(TraceRoute(usids, 0, 0, {}).problem, "");
    EXPECT_NE(TraceRoute(usids, 0, 0, {UsidCarrier{0x20010db810000000, 0}}).problem.find("block"),
              std::string::npos);
}

TEST(SourceRoute, RefusesNamesThatMeanNothing)
{
    const UsidPlan usids = TwoTiers();
    uint32_t plane = 0;
    for (const char* text : {"",
                             "t0-0,nic-1",
                             "p2/t0-0,nic-1",
                             "p0/t0-9,nic-1",
                             "p0/t0-0,nic-99",
                             "p0/t0-0,,nic-1",
                             "px/t0-0,nic-1",
                             "p/t0-0"})
    {
        EXPECT_THROW(ParseRoute(usids, text, plane), ClosNameError) << text;
    }
}

TEST(ExplicitPaths, AFrameGetsTheCarrierOfItsEvAndAnSrhIfItIsLong)
{
    ExplicitPaths paths;
    paths.Add(0xc0010007, PackUsids(7, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}));
    paths.Add(0xc0000003, PackUsids(7, {1, 2}));
    paths.Sort();
    Frame frame{};
    frame.flags = Frame::ENCAPSULATED;
    frame.wireBytes = 1000;
    frame.ev = 0xc0000003;
    ASSERT_TRUE(paths.Apply(frame));
    EXPECT_EQ((UsidCarrier{frame.daHigh, frame.daLow}), UsidCarrier::Build(7, {1, 2}));
    EXPECT_FALSE(frame.Has(Frame::HAS_SRH));
    EXPECT_EQ(frame.wireBytes, 1000u);

    frame.ev = 0xc0010007;
    ASSERT_TRUE(paths.Apply(frame));
    EXPECT_EQ((UsidCarrier{frame.daHigh, frame.daLow}), UsidCarrier::Build(7, {1, 2, 3, 4, 5, 6}));
    ASSERT_TRUE(frame.Has(Frame::HAS_SRH));
    EXPECT_EQ(frame.segmentsLeft, 2);
    EXPECT_EQ(frame.wireBytes, 1040u); // 8 + 2 x 16
    ASSERT_TRUE(NextSegment(frame));
    EXPECT_EQ((UsidCarrier{frame.daHigh, frame.daLow}),
              UsidCarrier::Build(7, {7, 8, 9, 10, 11, 12}));
    ASSERT_TRUE(NextSegment(frame));
    EXPECT_EQ((UsidCarrier{frame.daHigh, frame.daLow}), UsidCarrier::Build(7, {13}));
    EXPECT_FALSE(NextSegment(frame));

    frame.ev = 0xc0000004;
    EXPECT_FALSE(paths.Apply(frame));
}

} // namespace
