// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ev-set.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace mrc;

namespace
{

/// @return 16 NICs on 4 T0s, 4 T1s, 2 planes
PathPlan
Plan()
{
    ClosConfig config;
    config.planes = 2;
    config.nics = 16;
    config.nicsPerT0 = 4;
    config.t1PerPlane = 4;
    return PathPlan(UsidPlan(ClosPlan(config)));
}

/// @return a profile that generates every STEV of Plan() with uplinks up to `lastUplink`
EvProfileConfig
AllStev(uint32_t lastUplink)
{
    EvProfileConfig config;
    config.mode = EvMode::GENERATED;
    config.format = {EvFormat::STEV, {16, 16}};
    config.fields = {{16, 0xc000, 0, 1, 0x1f}, {16, 0, 0, lastUplink, 0xff}};
    return config;
}

/// @return an SRV6 profile of paths that are written in names
EvProfileConfig
Routes(const PathPlan& plan, const std::vector<std::string>& texts)
{
    EvProfileConfig config;
    config.mode = EvMode::EXPLICIT;
    config.format = {EvFormat::SRV6, std::vector<uint16_t>(8, 32)};
    for (const std::string& text : texts)
    {
        uint32_t plane = 0;
        const auto usids = ParseRoute(plan.Usids(), text, plane);
        EvBits ev;
        uint32_t at = 0;
        for (const UsidCarrier& carrier : PackUsids(plan.Usids().Block(), usids))
        {
            ev.Put(at, 32, carrier.high >> 32);
            ev.Put(at + 32, 32, static_cast<uint32_t>(carrier.high));
            ev.Put(at + 64, 32, carrier.low >> 32);
            ev.Put(at + 96, 32, static_cast<uint32_t>(carrier.low));
            at += 128;
        }
        config.evs.push_back(ev);
    }
    return config;
}

//= MRC-REF 5 EV format STEV, SRV6, UDP type=test
TEST(EvSet, StevIsItsOwnValueAndNamesItsPlane)
{
    EvSet set;
    ASSERT_EQ(set.Build(AllStev(3), Plan(), true, 0), "");
    ASSERT_EQ(set.Evs().size(), 8u);
    EXPECT_EQ(set.Paths(), nullptr);
    const std::vector<std::vector<uint32_t>> expected{
        {0xc0000000, 0xc0000001, 0xc0000002, 0xc0000003},
        {0xc0010000, 0xc0010001, 0xc0010002, 0xc0010003}};
    EXPECT_EQ(set.EvsPerPlane(9), expected);
}

TEST(EvSet, RefusesAStevThatNamesNoPath)
{
    EvSet set;
    EXPECT_EQ(
        set.Build(AllStev(4), Plan(), true, 0),
        "EV 4: 0xc0000004 names no path: its upper half is 0xc000 + plane, planes 0 to 1, its "
        "lower half the T0 uplinks 0 to 3");
    // Without source routing any value is as good as another.
    EvSet hashed;
    EXPECT_EQ(hashed.Build(AllStev(4), Plan(), false, 0), "");
}

TEST(EvSet, UdpEvsAreSharedOutOverThePlanes)
{
    EvProfileConfig config;
    config.mode = EvMode::GENERATED;
    config.format = {EvFormat::UDP, {16}};
    config.fields = {{16, 0xc000, 0, 3, 0x3}};
    EvSet set;
    ASSERT_EQ(set.Build(config, Plan(), false, 0), "");
    const std::vector<std::vector<uint32_t>> expected{{0xc0000000, 0xc0020000},
                                                      {0xc0010000, 0xc0030000}};
    EXPECT_EQ(set.EvsPerPlane(9), expected);
    EvSet routed;
    EXPECT_EQ(routed.Build(config, Plan(), true, 0),
              "udp EVs are for NICs that do not source-route");
}

//= MRC-REF 3 Expansion of a compact EV, SRV6 type=test
TEST(EvSet, Srv6EvsArePathsAndTravelAsPlaneAndUplink)
{
    const PathPlan plan = Plan();
    const EvProfileConfig config = Routes(plan,
                                          {"p1/t0-0,t1-2,t0-2,nic-9",
                                           "p0/t0-0,t1-1,t0-1,t1-0,t0-3,t1-3,t0-2,nic-9",
                                           "p0/t0-0,t1-1,t0-2,nic-9",
                                           "p0/t0-0,t1-1,t0-2,nic-8"});
    ASSERT_EQ(config.Validate(), "");
    EvSet set;
    ASSERT_EQ(set.Build(config, plan, true, 1), "");
    ASSERT_NE(set.Paths(), nullptr);
    EXPECT_EQ(set.Paths()->Size(), 4u);
    // Three paths begin with plane 0, uplink 1: variants 0, 1 and 2 in bits 15:5 of the port.
    const std::vector<std::vector<uint32_t>> expected{{0xc0000001, 0xc0200001}, {0xc0010002}};
    EXPECT_EQ(set.EvsPerPlane(9), expected);
    EXPECT_EQ(set.EvsPerPlane(8)[0], std::vector<uint32_t>{0xc0400001});
    EXPECT_TRUE(set.EvsPerPlane(7)[0].empty());

    // Each is a valid EV of the fabric, so an answer finds a way back on it.
    for (const EvSet::Ev& ev : set.Evs())
    {
        EXPECT_TRUE(plan.IsValid(ev.value));
        EXPECT_EQ(EvLayout::Plane(ev.value), ev.plane);
    }
    Frame frame{};
    frame.flags = Frame::ENCAPSULATED;
    frame.ev = 0xc0000001;
    ASSERT_TRUE(set.Paths()->Apply(frame));
    EXPECT_EQ(frame.segmentCount, 1); // eight uSIDs
}

TEST(EvSet, RefusesPathsThatLeadNowhereAndRepetitions)
{
    const PathPlan plan = Plan();
    // uSID of 2 planes: plane 1 bit, kind 2 bits (T0 = 1, T1 = 2), index 13 bits.
    EvSet lost;
    EXPECT_EQ(lost.Build(Routes(plan, {"p0/t0-0,t1-1,t0-2"}), plan, true, 0),
              "EV 0: fd6d:7263::/32 [2000 4001 2002]: p0/t0-2 is where the path ends, not a NIC");
    EvSet foreign; // nic-4 is on another T0
    EXPECT_NE(foreign.Build(Routes(plan, {"p0/t0-0,t1-1,t0-2,nic-8"}), plan, true, 4), "");
    EvSet hashed;
    EXPECT_EQ(hashed.Build(Routes(plan, {"p0/t0-0,nic-1"}), plan, false, 0),
              "srv6 EVs are for NICs that source-route");

    EvProfileConfig twice;
    twice.mode = EvMode::EXPLICIT;
    twice.format = {EvFormat::STEV, {32}};
    twice.evs = {
        EvBits::Of(0xc0000001, 32), EvBits::Of(0xc0010001, 32), EvBits::Of(0xc0000001, 32)};
    EvSet set;
    EXPECT_EQ(set.Build(twice, plan, true, 0), "EV 0xc0000001 occurs twice");
}

} // namespace
