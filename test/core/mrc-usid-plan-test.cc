// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-usid-plan.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace mrc;

namespace
{

/// @return 131072 NICs, 512 T0s of 256 NICs and 256 T1s in each of 8 planes
ClosConfig
Largest()
{
    ClosConfig config;
    config.planes = 8;
    config.nics = 131072;
    config.nicsPerT0 = 256;
    return config;
}

/// @return 8 T0s of 4 NICs in 4 pods of 2; 2 T1s a pod; 8 T2s; bundles of 2 links; 2 planes
ClosConfig
ThreeTiers()
{
    ClosConfig config;
    config.tiers = 3;
    config.planes = 2;
    config.nics = 32;
    config.nicsPerT0 = 4;
    config.parallelLinks = 2;
    config.t0PerPod = 2;
    return config;
}

/// @param config a fabric
/// @return what UsidPlan says against it
std::string
ErrorOf(const ClosConfig& config)
{
    try
    {
        UsidPlan plan{ClosPlan(config)};
    }
    catch (const ClosConfigError& error)
    {
        return error.what();
    }
    return "no error";
}

} // namespace

// 4 planes take 2 bits: plane 15:14, kind 13:12, index 11:0.
TEST(UsidPlan, LayoutOfTheDefaultFabric)
{
    const UsidPlan plan{ClosPlan(ClosConfig{})};
    EXPECT_EQ(plan.PlaneShift(), 14u);
    EXPECT_EQ(plan.IndexBits(), 12u);
    EXPECT_EQ(plan.T0Usid(0, 0), 0x1000);
    EXPECT_EQ(plan.T0Usid(0, 15), 0x100f);
    EXPECT_EQ(plan.T1Usid(0, 3), 0x2003);
    EXPECT_EQ(plan.T1Usid(3, 3), 0xe003);
    EXPECT_EQ(plan.NicUsid(1, 13), 0x7005); // port 13 % 8 = 5 of its T0
}

// 8 planes take 3 bits, so 11 are left: 2048 T0s or T1s.
TEST(UsidPlan, LayoutOfTheLargestFabric)
{
    const UsidPlan plan{ClosPlan(Largest())};
    EXPECT_EQ(plan.IndexBits(), 11u);
    EXPECT_EQ(plan.T0Usid(0, 511), 0x0800 + 511);
    EXPECT_EQ(plan.T1Usid(7, 255), 0xe000 + 0x1000 + 255);
    EXPECT_EQ(plan.NicUsid(7, 131071), 0xe000 + 0x1800 + 255);
}

// A single plane needs no bits.
TEST(UsidPlan, LayoutOfOnePlane)
{
    ClosConfig config;
    config.planes = 1;
    const UsidPlan plan{ClosPlan(config)};
    EXPECT_EQ(plan.PlaneShift(), 16u);
    EXPECT_EQ(plan.T1Usid(0, 3), 0x8003);
}

TEST(UsidPlan, UsidsOfThreeTiersWithParallelLinks)
{
    const UsidPlan plan{ClosPlan(ThreeTiers())};
    // 1 bit of plane: kind 14:13, index 12:0.
    EXPECT_EQ(plan.T0Usid(0, 5, 1), 0x2000 + 11);
    EXPECT_EQ(plan.T1Usid(0, 5, 1), 0x4000 + 11);
    EXPECT_EQ(plan.T2Usid(0, 0), 1);
    EXPECT_EQ(plan.T2Usid(1, 7), 0x8008);
    EXPECT_EQ(plan.Own(0, NodeKind::T1, 5).first, 0x4000 + 10);
    EXPECT_EQ(plan.Own(0, NodeKind::T1, 5).count, 2);
    EXPECT_EQ(plan.Own(0, NodeKind::T0, 5).count, 2);
    EXPECT_EQ(plan.Own(0, NodeKind::T2, 5).count, 1);
}

//= MRC-REF 3 Zero argument = end of the list
TEST(UsidPlan, SwitchesShareNoUsidAndNoneIsZero)
{
    const UsidPlan plan{ClosPlan(ThreeTiers())};
    const ClosPlan& clos = plan.Clos();
    std::set<uint32_t> seen;
    uint32_t count = 0;
    for (uint32_t plane = 0; plane < clos.Planes(); ++plane)
    {
        for (const auto kind : {NodeKind::T0, NodeKind::T1, NodeKind::T2})
        {
            for (uint32_t index = 0; index < clos.Count(kind); ++index)
            {
                const UsidRange own = plan.Own(plane, kind, index);
                for (uint32_t i = 0; i < own.count; ++i)
                {
                    seen.insert(own.first + i);
                    ++count;
                }
            }
        }
        for (uint32_t nic = 0; nic < clos.NicsPerT0(); ++nic)
        {
            seen.insert(plan.NicUsid(plane, nic));
            ++count;
        }
    }
    EXPECT_EQ(seen.size(), count);
    EXPECT_EQ(seen.count(0), 0u);
}

//= MRC-REF 3 Static table
TEST(UsidPlan, EachRouteLeadsToTheOwnerOfTheUsid)
{
    const UsidPlan plan{ClosPlan(ThreeTiers())};
    const ClosPlan& clos = plan.Clos();
    const uint32_t plane = 1;
    for (const auto kind : {NodeKind::T0, NodeKind::T1, NodeKind::T2})
    {
        for (uint32_t index = 0; index < clos.Count(kind); ++index)
        {
            std::set<uint32_t> ports;
            for (const UsidRoute& route : plan.Routes(plane, kind, index))
            {
                for (uint32_t i = 0; i < route.count; ++i)
                {
                    const auto usid = static_cast<uint16_t>(route.first + i);
                    ASSERT_TRUE(route.Contains(usid));
                    const uint16_t port = route.Port(usid);
                    ASSERT_LT(port, clos.Ports(kind));
                    const Attachment peer = clos.Peer(plane, {kind, index, port});
                    EXPECT_TRUE(plan.Own(plane, peer.kind, peer.index).Contains(usid));
                    ports.insert(port);
                }
                EXPECT_FALSE(route.Contains(static_cast<uint16_t>(route.first - 1)));
                EXPECT_FALSE(route.Contains(static_cast<uint16_t>(route.first + route.count)));
            }
            EXPECT_EQ(ports.size(), clos.Ports(kind)) << "every port has a route";
        }
    }
}

TEST(UsidPlan, TablesAreShort)
{
    const UsidPlan plan{ClosPlan(Largest())};
    EXPECT_EQ(plan.Routes(7, NodeKind::T0, 511).size(), 2u);
    EXPECT_EQ(plan.Routes(7, NodeKind::T1, 255).size(), 1u);
    const UsidPlan three{ClosPlan(ThreeTiers())};
    EXPECT_EQ(three.Routes(1, NodeKind::T0, 7).size(), 2u);
    EXPECT_EQ(three.Routes(1, NodeKind::T1, 7).size(), 2u);
    EXPECT_EQ(three.Routes(1, NodeKind::T2, 7).size(), 4u); // one per pod
}

TEST(UsidPlan, PrintsTables)
{
    ClosConfig config;
    config.nics = 4;
    config.nicsPerT0 = 2;
    config.parallelLinks = 2;
    const UsidPlan plan{ClosPlan(config)};
    EXPECT_EQ(plan.FormatTable(0, NodeKind::T0, 1),
              "fd6d:7263:1002::/48 -> shift\n"
              "fd6d:7263:1003::/48 -> shift\n"
              "fd6d:7263:3000::/48 -> port 0 (nic-2)\n"
              "fd6d:7263:3001::/48 -> port 1 (nic-3)\n"
              "fd6d:7263:2000::/48 -> port 2 (p0/t1-0)\n"
              "fd6d:7263:2001::/48 -> port 3 (p0/t1-0)\n");
    EXPECT_EQ(plan.FormatTable(2, NodeKind::T1, 0),
              "fd6d:7263:a000::/48 -> shift\n"
              "fd6d:7263:a001::/48 -> shift\n"
              "fd6d:7263:9000::/48 -> port 0 (p2/t0-0)\n"
              "fd6d:7263:9001::/48 -> port 1 (p2/t0-0)\n"
              "fd6d:7263:9002::/48 -> port 2 (p2/t0-1)\n"
              "fd6d:7263:9003::/48 -> port 3 (p2/t0-1)\n");
}

TEST(UsidPlan, RefusesWhatSixteenBitsCannotHold)
{
    ClosConfig config = Largest();
    config.nicsPerT0 = 64; // 2048 T0s fill 11 bits
    EXPECT_EQ(ErrorOf(config), "no error");
    config.nicsPerT0 = 32;
    EXPECT_EQ(ErrorOf(config),
              "4096 uSIDs for the T0s of a plane are too many: 8 planes leave 2048 in 16 bits; "
              "use fewer planes or fewer switches with more ports");
    config.planes = 4;
    EXPECT_EQ(ErrorOf(config), "no error");

    ClosConfig manyT1s;
    manyT1s.planes = 8;
    manyT1s.t1PerPlane = 2049;
    EXPECT_EQ(ErrorOf(manyT1s).substr(0, 22), "2049 uSIDs for the T1s");

    // 2047 T2s and the zero that is no uSID fill 11 bits.
    ClosConfig manyT2s = ThreeTiers();
    manyT2s.planes = 8;
    manyT2s.t1PerPod = 1;
    manyT2s.t2PerPlane = 2047;
    EXPECT_EQ(ErrorOf(manyT2s), "no error");
    manyT2s.t2PerPlane = 2048;
    EXPECT_EQ(ErrorOf(manyT2s).substr(0, 22), "2049 uSIDs for the T2s");

    ClosConfig manyNics;
    manyNics.planes = 32;
    manyNics.nics = manyNics.nicsPerT0 = 1024;
    manyNics.t1PerPlane = 1;
    EXPECT_EQ(ErrorOf(manyNics).substr(0, 29), "1024 uSIDs for the NICs of a ");
}

TEST(UsidPlan, TheBlockIsAUniqueLocalPrefix)
{
    const ClosPlan clos{ClosConfig{}};
    EXPECT_EQ(UsidPlan(clos, 0xfcbbbb00).Block(), 0xfcbbbb00);
    try
    {
        UsidPlan(clos, 0x20010db8);
        FAIL() << "took a global prefix";
    }
    catch (const ClosConfigError& error)
    {
        EXPECT_STREQ(error.what(),
                     "uSID block 2001:db8::/32 is not a unique local prefix: it must be inside "
                     "fc00::/7");
    }
}
