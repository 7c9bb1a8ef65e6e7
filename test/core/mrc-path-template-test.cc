// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-path-template.h"
#include "mrc-usid.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace mrc;

namespace
{

/// @return the seed of this run; MRC_TEST_SEED replays one
uint64_t
Seed()
{
    const char* text = std::getenv("MRC_TEST_SEED");
    return text ? std::strtoull(text, nullptr, 0) : std::random_device{}();
}

/// @return 32 NICs: 8 T0s of 4 in 4 pods of 2; 2 T1s a pod; 8 T2s; bundles of 2 links; 2 planes
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

/// Where a packet went.
struct Walk
{
    std::vector<Attachment> egress; ///< the switch ports that it left through
    Attachment end;                 ///< the last port that it reached
    UsidCarrier carrier;            ///< its destination address there
};

/**
 * Send a packet through the static tables.
 *
 * @param usids the fabric
 * @param plane the plane of the sending port
 * @param source the NIC that sends
 * @param carrier the packet's outer destination
 * @return where it went until it reached a NIC or found no route
 */
Walk
WalkTables(const UsidPlan& usids, uint32_t plane, uint32_t source, UsidCarrier carrier)
{
    const ClosPlan& clos = usids.Clos();
    Walk walk;
    walk.end = clos.Peer(plane, {NodeKind::NIC, source, static_cast<uint16_t>(plane)});
    while (walk.end.kind != NodeKind::NIC)
    {
        const NodeKind kind = walk.end.kind;
        const uint32_t index = walk.end.index;
        if (usids.Own(plane, kind, index).Contains(carrier.ActiveUsid()))
        {
            carrier.Shift();
        }
        const size_t hops = walk.egress.size();
        for (const UsidRoute& route : usids.Routes(plane, kind, index))
        {
            if (route.Contains(carrier.ActiveUsid()))
            {
                walk.egress.push_back({kind, index, route.Port(carrier.ActiveUsid())});
                walk.end = clos.Peer(plane, walk.egress.back());
                break;
            }
        }
        if (walk.egress.size() == hops)
        {
            break;
        }
    }
    walk.carrier = carrier;
    return walk;
}

/// Check that a packet with this EV gets where it should, the way the EV says.
void
ExpectEvIsObeyed(const PathPlan& paths, uint32_t source, uint32_t destination, uint32_t ev)
{
    const UsidPlan& usids = paths.Usids();
    const ClosPlan& clos = usids.Clos();
    const EvLayout layout = paths.Layout();
    const uint32_t plane = EvLayout::Plane(ev);
    UsidCarrier carrier{0, 0};
    paths.Template(source, destination).Apply(ev, carrier.high, carrier.low);
    const uint32_t switches = clos.SwitchesBetween(source, destination);
    ASSERT_EQ(carrier.Count(), switches + 1);

    const Walk walk = WalkTables(usids, plane, source, carrier);
    ASSERT_TRUE(walk.end == (Attachment{NodeKind::NIC, destination, static_cast<uint16_t>(plane)}));
    EXPECT_EQ(walk.carrier.ActiveUsid(), usids.NicUsid(plane, destination));
    EXPECT_TRUE(walk.carrier.IsEndOfList());
    ASSERT_EQ(walk.egress.size(), switches);
    if (switches >= 3)
    {
        EXPECT_EQ(walk.egress[0].port, clos.NicsPerT0() + layout.U0(ev));
        // The same one of the parallel links down as up.
        EXPECT_EQ(walk.egress[switches - 2].kind, NodeKind::T1);
        EXPECT_EQ(walk.egress[switches - 2].port % clos.ParallelLinks(),
                  layout.U0(ev) % clos.ParallelLinks());
    }
    if (switches == 5)
    {
        EXPECT_EQ(walk.egress[1].port, clos.T1Downlinks() + layout.U1(ev));
    }
}

/// Check random pairs of NICs on all of their paths.
void
ExpectAllPathsWork(const ClosConfig& config, uint64_t seed)
{
    SCOPED_TRACE("replay with MRC_TEST_SEED=" + std::to_string(seed));
    const PathPlan paths{UsidPlan{ClosPlan(config)}};
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<uint32_t> anyNic(0, config.nics - 1);
    for (int pair = 0; pair < 50; ++pair)
    {
        const uint32_t source = anyNic(random);
        const uint32_t destination = anyNic(random);
        const uint32_t count = paths.PathsPerPlane(source, destination);
        for (int i = 0; i < 50; ++i)
        {
            const uint32_t plane = static_cast<uint32_t>(random() % config.planes);
            const uint32_t path = static_cast<uint32_t>(random() % count);
            const uint32_t ev = paths.EvOf(plane, path);
            ASSERT_TRUE(paths.IsValid(ev));
            ASSERT_EQ(EvLayout::Plane(ev), plane);
            ASSERT_EQ(paths.PathOf(ev), path);
            ExpectEvIsObeyed(paths, source, destination, ev);
            if (testing::Test::HasFailure())
            {
                FAIL() << source << " to " << destination << ", EV 0x" << std::hex << ev;
            }
        }
    }
}

} // namespace

TEST(EvLayout, FieldsByHand)
{
    const EvLayout two(2);
    EXPECT_EQ(two.Make(3, 5), 0xc0030005);
    EXPECT_EQ(EvLayout::Plane(0xc0030005), 3u);
    EXPECT_EQ(two.U0(0xc003ffff), 0xffffu);
    EXPECT_EQ(two.U1(0xc003ffff), 0u);
    const EvLayout three(3);
    EXPECT_EQ(three.Make(1, 0x23, 0x45), 0xc0014523);
    EXPECT_EQ(three.U0(0xc0014523), 0x23u);
    EXPECT_EQ(three.U1(0xc0014523), 0x45u);
}

//= MRC-REF 3 Two tiers: block : uSID(T0src) : uSID(T1) : uSID(T0dst) : uSID(dst)
// Default fabric, 4 planes: plane 2 = 0x8000, T0 0x1000, T1 0x2000, NIC 0x3000.
TEST(PathTemplate, TwoTiersByHand)
{
    const PathPlan paths{UsidPlan{ClosPlan(ClosConfig{})}};
    UsidCarrier carrier{0, 0};
    // NIC 3 is on T0 0, NIC 45 is port 5 of T0 5; uplink 6.
    paths.Template(3, 45).Apply(0xc0020006, carrier.high, carrier.low);
    EXPECT_EQ(carrier.Print(), "fd6d:7263:9000:a006:9005:b005::");
    // One T0: the uplink says nothing.
    paths.Template(3, 7).Apply(0xc0020000, carrier.high, carrier.low);
    EXPECT_EQ(carrier.Print(), "fd6d:7263:9000:b007::");
}

// 2 planes: plane 1 = 0x8000, T2 0x0000, T0 0x2000, T1 0x4000, NIC 0x6000; bundles of 2 links.
TEST(PathTemplate, ThreeTiersByHand)
{
    const PathPlan paths{UsidPlan{ClosPlan(ThreeTiers())}};
    UsidCarrier carrier{0, 0};
    // NIC 22 is port 2 of T0 5, the second of pod 2; NIC 31 is port 3 of T0 7 of pod 3.
    // Uplink 3 = link 1 to the second T1 of the pod, uSID 2 x 4 + 3 = 11; its uplink 2 = T2
    // 4 + 2 = 6, uSID 7; down to the second T1 of pod 3, uSID 3 x 4 + 2 = 14, and by link 1 to
    // T0 7, uSID 15.
    paths.Template(22, 31).Apply(0xc0010203, carrier.high, carrier.low);
    EXPECT_EQ(carrier.Print(), "fd6d:7263:a00a:c00b:8007:c00e:a00f:e003");
    // NIC 16 is port 0 of T0 4, in the same pod: no T2.
    paths.Template(22, 16).Apply(0xc0010003, carrier.high, carrier.low);
    EXPECT_EQ(carrier.Print(), "fd6d:7263:a00a:c00b:a009:e000::");
}

TEST(PathPlan, CountsPaths)
{
    const PathPlan two{UsidPlan{ClosPlan(ClosConfig{})}};
    EXPECT_EQ(two.PathsPerPlane(0, 7), 1u);
    EXPECT_EQ(two.PathsPerPlane(0, 8), 8u);
    const PathPlan three{UsidPlan{ClosPlan(ThreeTiers())}};
    EXPECT_EQ(three.PathsPerPlane(0, 3), 1u);
    EXPECT_EQ(three.PathsPerPlane(0, 4), 4u);
    EXPECT_EQ(three.PathsPerPlane(0, 8), 16u);
}

TEST(PathPlan, PathsAreDistinct)
{
    const PathPlan paths{UsidPlan{ClosPlan(ThreeTiers())}};
    std::set<std::string> carriers;
    for (uint32_t plane = 0; plane < 2; ++plane)
    {
        for (uint32_t path = 0; path < 16; ++path)
        {
            UsidCarrier carrier{0, 0};
            paths.Template(0, 31).Apply(paths.EvOf(plane, path), carrier.high, carrier.low);
            carriers.insert(carrier.Print());
        }
    }
    EXPECT_EQ(carriers.size(), 32u);
}

TEST(PathPlan, KnowsItsEvs)
{
    const PathPlan two{UsidPlan{ClosPlan(ClosConfig{})}};
    EXPECT_TRUE(two.IsValid(0xc0030007));
    EXPECT_FALSE(two.IsValid(0xc0040000)); // 4 planes
    EXPECT_FALSE(two.IsValid(0xc0000008)); // 8 uplinks
    EXPECT_FALSE(two.IsValid(0x80000000)); // not a dynamic port
    EXPECT_FALSE(two.IsValid(0xffff0000));
    const PathPlan three{UsidPlan{ClosPlan(ThreeTiers())}};
    EXPECT_TRUE(three.IsValid(0xc0010303));
    EXPECT_FALSE(three.IsValid(0xc0010400)); // 4 uplinks of a T1
    EXPECT_FALSE(three.IsValid(0xc0010004)); // 4 uplinks of a T0
}

TEST(PathPlan, RefusesMoreUplinksThanAnEvNames)
{
    ClosConfig config = ThreeTiers();
    config.parallelLinks = 1;
    config.t1PerPod = 256;
    config.t2PerPlane = 256;
    EXPECT_NO_THROW(PathPlan(UsidPlan{ClosPlan(config)}));
    config.t1PerPod = 257;
    config.t2PerPlane = 257;
    try
    {
        PathPlan paths(UsidPlan{ClosPlan(config)});
        FAIL() << "took 257 uplinks";
    }
    catch (const ClosConfigError& error)
    {
        EXPECT_STREQ(error.what(),
                     "257 uplinks of a T0 are too many for an EV: at most 256; raise "
                     "oversubscription or use smaller switches");
    }
    config.t1PerPod = 1;
    config.t2PerPlane = 257;
    EXPECT_THROW(PathPlan(UsidPlan{ClosPlan(config)}), ClosConfigError);
}

TEST(PathWalk, TwoTiers)
{
    ClosConfig config;
    ExpectAllPathsWork(config, Seed());
    config.planes = 1;
    ExpectAllPathsWork(config, Seed());
}

TEST(PathWalk, TwoTiersParallelLinksAndOversubscription)
{
    ClosConfig config;
    config.planes = 5;
    config.nics = 192;
    config.nicsPerT0 = 12;
    config.oversubscription = 2;
    config.parallelLinks = 3;
    ExpectAllPathsWork(config, Seed());
}

TEST(PathWalk, LargestTwoTiers)
{
    ClosConfig config;
    config.planes = 8;
    config.nics = 131072;
    config.nicsPerT0 = 256;
    ExpectAllPathsWork(config, Seed());
}

TEST(PathWalk, ThreeTiers)
{
    ExpectAllPathsWork(ThreeTiers(), Seed());
}

TEST(PathWalk, ThreeTiersOversubscribedTwice)
{
    ClosConfig config;
    config.tiers = 3;
    config.planes = 8;
    config.nics = 8 * 6 * 12; // 8 pods of 6 T0s
    config.nicsPerT0 = 12;
    config.t0PerPod = 6;
    config.oversubscription = 1.5; // 8 uplinks
    config.parallelLinks = 2;      // to 4 T1s, 12 links down
    config.t2PerPlane = 20;        // 5 up
    ExpectAllPathsWork(config, Seed());
}

// A carrier of another plane or with an unknown uSID finds no route, and does not loop.
TEST(PathWalk, WrongUsidsEndAtTheSwitch)
{
    const PathPlan paths{UsidPlan{ClosPlan(ClosConfig{})}};
    UsidCarrier carrier{0, 0};
    paths.Template(3, 45).Apply(paths.EvOf(2, 6), carrier.high, carrier.low);
    EXPECT_TRUE(WalkTables(paths.Usids(), 1, 3, carrier).egress.empty());

    carrier = UsidCarrier::Build(DEFAULT_USID_BLOCK, {0x9000, 0xa008, 0x9005, 0xb005});
    EXPECT_TRUE(WalkTables(paths.Usids(), 2, 3, carrier).egress.empty()) << "T1 8 of 8";

    carrier = UsidCarrier::Build(DEFAULT_USID_BLOCK, {0x9000, 0xa007, 0x9010, 0xb005});
    EXPECT_EQ(WalkTables(paths.Usids(), 2, 3, carrier).egress.size(), 1u) << "T0 16 of 16";
}
