// SPDX-License-Identifier: GPL-2.0-only
// Profiles and their states, and what a controller denies.
#include "mrc-ev-denials.h"
#include "mrc-ev-profile-store.h"

#include <gtest/gtest.h>

using namespace mrc;

namespace
{

/// A NIC of a fabric of 16 NICs, 4 T1s, 2 planes.
class EvProfileStoreTest : public testing::Test
{
  protected:
    EvProfileStoreTest()
        : plan(UsidPlan(ClosPlan(Config()))),
          store(plan, true, 0)
    {
    }

    static ClosConfig Config()
    {
        ClosConfig config;
        config.planes = 2;
        config.nics = 16;
        config.nicsPerT0 = 4;
        config.t1PerPlane = 4;
        return config;
    }

    /// @return an explicit list of two EVs
    static EvProfileConfig TwoEvs()
    {
        EvProfileConfig config;
        config.mode = EvMode::EXPLICIT;
        config.evs = {EvBits::Of(0xc0000001, 32), EvBits::Of(0xc0010002, 32)};
        return config;
    }

    /// @return the number of a STEV format that is ONLINE
    uint32_t OnlineFormat()
    {
        const uint32_t format = store.AddFormat({EvFormat::STEV, {16, 16}});
        EXPECT_EQ(store.ChangeFormat(format, ProfileState::OFFLINE), "");
        EXPECT_EQ(store.ChangeFormat(format, ProfileState::ONLINE), "");
        return format;
    }

    PathPlan plan;
    EvProfileStore store;
};

//= MRC-REF 5 INIT, OFFLINE, ONLINE type=test
TEST_F(EvProfileStoreTest, ProfilesGoUpAndDownAStepAtATime)
{
    const uint32_t id = store.Add(OnlineFormat(), TwoEvs());
    EXPECT_EQ(id, 1u);
    EXPECT_EQ(store.State(id), ProfileState::INIT);
    EXPECT_EQ(store.Change(id, ProfileState::ONLINE),
              "EV profile 1 is INIT: it cannot become ONLINE in one step");
    EXPECT_EQ(store.Change(id, ProfileState::OFFLINE), "");
    EXPECT_EQ(store.Set(id, TwoEvs()), "EV profile 1 is not in INIT");
    EXPECT_EQ(store.Evs(id), nullptr);
    EXPECT_EQ(store.Change(id, ProfileState::ONLINE), "");
    ASSERT_NE(store.Evs(id), nullptr);
    EXPECT_EQ(store.Evs(id)->Evs().size(), 2u);
    EXPECT_EQ(store.Change(id, ProfileState::INIT),
              "EV profile 1 is ONLINE: it cannot become INIT in one step");
    EXPECT_EQ(store.Change(id, ProfileState::OFFLINE), "");
    EXPECT_EQ(store.Change(id, ProfileState::INIT), "");
    EXPECT_EQ(store.Set(id, TwoEvs()), "");
    EXPECT_EQ(store.Change(9, ProfileState::OFFLINE), "EV profile 9 is unknown");
    EXPECT_EQ(store.Change(0, ProfileState::OFFLINE), "EV profile 0 is always ONLINE");
}

TEST_F(EvProfileStoreTest, FormatsAreCheckedAndStayWhileTheyAreUsed)
{
    const uint32_t bad = store.AddFormat({EvFormat::UDP, {17}});
    EXPECT_EQ(store.ChangeFormat(bad, ProfileState::OFFLINE),
              "the fields of the format have 17 bits: udp has 16");
    EXPECT_EQ(store.FormatState(bad), ProfileState::INIT);
    EXPECT_EQ(store.SetFormat(bad, {EvFormat::STEV, {16, 16}}), "");
    EXPECT_EQ(store.ChangeFormat(bad, ProfileState::OFFLINE), "");
    EXPECT_EQ(store.SetFormat(bad, {}), "EV format 0 is not in INIT");

    const uint32_t id = store.Add(bad, TwoEvs());
    EXPECT_EQ(store.Change(id, ProfileState::OFFLINE), "");
    EXPECT_EQ(store.Change(id, ProfileState::ONLINE),
              "EV format 0 is OFFLINE: it has to be ONLINE first");
    EXPECT_EQ(store.ChangeFormat(bad, ProfileState::ONLINE), "");
    EXPECT_EQ(store.Change(id, ProfileState::ONLINE), "");
    EXPECT_EQ(store.ChangeFormat(bad, ProfileState::OFFLINE),
              "EV format 0 stays ONLINE: EV profile 1 is");

    const uint32_t orphan = store.Add(7, TwoEvs());
    EXPECT_EQ(store.Change(orphan, ProfileState::OFFLINE), "EV format 7 is unknown");
    EXPECT_EQ(store.ChangeFormat(7, ProfileState::OFFLINE), "EV format 7 is unknown");
}

TEST_F(EvProfileStoreTest, ProfilesAreCheckedOnTheWayUp)
{
    EvProfileConfig empty = TwoEvs();
    empty.evs.clear();
    const uint32_t id = store.Add(OnlineFormat(), empty);
    EXPECT_EQ(store.Change(id, ProfileState::OFFLINE), "the list of EVs is empty");
    EXPECT_EQ(store.State(id), ProfileState::INIT);
    EvProfileConfig foreign = TwoEvs();
    foreign.evs.push_back(EvBits::Of(0xc0070000, 32)); // plane 7 of 2
    EXPECT_EQ(store.Set(id, foreign), "");
    EXPECT_EQ(store.Change(id, ProfileState::OFFLINE), "");
    EXPECT_NE(store.Change(id, ProfileState::ONLINE).find("EV 2: 0xc0070000 names no path"),
              std::string::npos);
    EXPECT_EQ(store.State(id), ProfileState::OFFLINE);
}

TEST_F(EvProfileStoreTest, QpsNeedAProfileThatIsOnlineAndKeepItThere)
{
    const uint32_t id = store.Add(OnlineFormat(), TwoEvs());
    EXPECT_EQ(store.Use(id, 5), "EV profile 1 is INIT: QPs need one that is ONLINE");
    EXPECT_EQ(store.Use(4, 5), "EV profile 4 is unknown: QPs need one that is ONLINE");
    EXPECT_EQ(store.Use(EvProfileStore::AUTO_PROFILE, 5), "");
    store.Change(id, ProfileState::OFFLINE);
    store.Change(id, ProfileState::ONLINE);
    EXPECT_EQ(store.Use(id, 5), "");
    EXPECT_EQ(store.Change(id, ProfileState::OFFLINE), "EV profile 1 stays ONLINE: 1 QPs use it");
    store.Leave(id);
    EXPECT_EQ(store.Change(id, ProfileState::OFFLINE), "");
}

TEST(EvDenials, WhatOneOriginDeniesTheOtherDoesNotAllow)
{
    EvDenials denials;
    EXPECT_TRUE(denials.IsEmpty());
    EvOrder order = EvOrder::Plane(1, true);
    denials.Apply(order);
    order.origin = DenialOrigin::PROBER;
    denials.Apply(order);
    EXPECT_EQ(denials.Planes(), 2u);
    order.isDenied = false;
    denials.Apply(order);
    EXPECT_TRUE(denials.IsDenied(0, 0xc0010000, 1, 4));
    EXPECT_FALSE(denials.IsDenied(0, 0xc0000000, 0, 4));
    order.origin = DenialOrigin::OPERATOR;
    denials.Apply(order);
    EXPECT_TRUE(denials.IsEmpty());
}

TEST(EvDenials, AnEvIsDeniedInItsProfileAndAPlaneTowardsAPeer)
{
    EvDenials denials;
    denials.Apply(EvOrder::Ev(2, 0xc0000003, true));
    EXPECT_TRUE(denials.IsDenied(2, 0xc0000003, 0, 4));
    EXPECT_FALSE(denials.IsDenied(1, 0xc0000003, 0, 4));
    EvOrder order;
    order.scope = EvOrder::Scope::PLANE_TO_PEER;
    order.plane = 3;
    order.peer = 4;
    denials.Apply(order);
    EXPECT_EQ(denials.Planes(), 0u);
    EXPECT_EQ(denials.Planes(4), 8u);
    EXPECT_TRUE(denials.IsDenied(0, 0xc0030000, 3, 4));
    EXPECT_FALSE(denials.IsDenied(0, 0xc0030000, 3, 5));
    order.isDenied = false;
    denials.Apply(order);
    denials.Apply(EvOrder::Ev(2, 0xc0000003, false));
    EXPECT_TRUE(denials.IsEmpty());
}

} // namespace
