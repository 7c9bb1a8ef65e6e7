// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-clos-plan.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace mrc;

namespace
{

/// @return a small fabric of three tiers with parallel links: 8 T0s of 4 NICs in 4 pods of 2
ClosConfig
SmallThreeTiers()
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

/// Check that each port of the fabric has one link and that links are enumerated once.
void
ExpectConsistentWiring(const ClosPlan& plan)
{
    for (uint32_t plane = 0; plane < plan.Planes(); ++plane)
    {
        uint64_t ports = 0;
        std::set<uint64_t> links;
        for (const auto kind : {NodeKind::NIC, NodeKind::T0, NodeKind::T1, NodeKind::T2})
        {
            for (uint32_t index = 0; index < plan.Count(kind); ++index)
            {
                const uint32_t count = kind == NodeKind::NIC ? 1 : plan.Ports(kind);
                for (uint32_t i = 0; i < count; ++i)
                {
                    const auto port = static_cast<uint16_t>(kind == NodeKind::NIC ? plane : i);
                    const Attachment end{kind, index, port};
                    const Attachment peer = plan.Peer(plane, end);
                    ASSERT_LT(peer.index, plan.Count(peer.kind));
                    ASSERT_LT(peer.port, plan.Ports(peer.kind));
                    ASSERT_EQ(std::abs(static_cast<int>(peer.kind) - static_cast<int>(kind)), 1);
                    ASSERT_TRUE(plan.Peer(plane, peer) == end);

                    const ClosLink link = plan.LinkOf(plane, end);
                    ASSERT_LT(link.lower.kind, link.upper.kind);
                    ASSERT_TRUE(link.lower == end || link.upper == end);
                    const uint64_t number = plan.LinkNumber(link);
                    ASSERT_LT(number, plan.LinksPerPlane());
                    const ClosLink same = plan.LinkAt(plane, number);
                    ASSERT_EQ(same.plane, plane);
                    ASSERT_TRUE(same.lower == link.lower && same.upper == link.upper);
                    links.insert(number);
                    ++ports;
                }
            }
        }
        // Each link has two ends, and each number was met.
        EXPECT_EQ(ports, 2 * plan.LinksPerPlane());
        EXPECT_EQ(links.size(), plan.LinksPerPlane());
    }
}

} // namespace

// 128 NICs / 8 = 16 T0s; full bisection: 8 uplinks, so 8 T1s of 16 ports.
TEST(ClosPlan, CountsOfTheDefaultFabric)
{
    const ClosPlan plan(ClosConfig{});
    EXPECT_EQ(plan.Planes(), 4u);
    EXPECT_EQ(plan.Count(NodeKind::NIC), 128u);
    EXPECT_EQ(plan.Count(NodeKind::T0), 16u);
    EXPECT_EQ(plan.Count(NodeKind::T1), 8u);
    EXPECT_EQ(plan.Count(NodeKind::T2), 0u);
    EXPECT_EQ(plan.Ports(NodeKind::NIC), 4u);
    EXPECT_EQ(plan.Ports(NodeKind::T0), 16u);
    EXPECT_EQ(plan.Ports(NodeKind::T1), 16u);
    EXPECT_EQ(plan.Ports(NodeKind::T2), 0u);
    EXPECT_EQ(plan.LinksPerPlane(), 128u + 16 * 8);
    EXPECT_EQ(plan.MaxSwitches(), 3u);
    EXPECT_EQ(plan.SwitchesBetween(0, 7), 1u);
    EXPECT_EQ(plan.SwitchesBetween(0, 8), 3u);
}

// 131072 / 256 = 512 T0s of 256 + 256 ports, 256 T1s of 512 ports: 8 x 262144 links.
TEST(ClosPlan, CountsOfTheLargestTwoTierFabric)
{
    ClosConfig config;
    config.planes = 8;
    config.nics = 131072;
    config.nicsPerT0 = 256;
    const ClosPlan plan(config);
    EXPECT_EQ(plan.Count(NodeKind::T0), 512u);
    EXPECT_EQ(plan.Count(NodeKind::T1), 256u);
    EXPECT_EQ(plan.Ports(NodeKind::T0), 512u);
    EXPECT_EQ(plan.Ports(NodeKind::T1), 512u);
    EXPECT_EQ(plan.LinksPerPlane(), 262144u);
    // NIC 131071 is the last port of the last T0; its T0's last uplink ends at T1 255, port 511.
    EXPECT_TRUE(plan.Peer(7, {NodeKind::NIC, 131071, 7}) == (Attachment{NodeKind::T0, 511, 255}));
    EXPECT_TRUE(plan.Peer(7, {NodeKind::T0, 511, 511}) == (Attachment{NodeKind::T1, 255, 511}));
    // The plan is arithmetic: its size does not depend on the fabric's.
    EXPECT_LE(sizeof(ClosPlan), 64u);
}

// 8 T0s in 4 pods; 4 uplinks over bundles of 2: 2 T1s a pod, with 2 x 2 links down and as many
// up; so 2 x 4 = 8 T2s with a port per pod.
TEST(ClosPlan, CountsOfThreeTiers)
{
    const ClosPlan plan(SmallThreeTiers());
    EXPECT_EQ(plan.Pods(), 4u);
    EXPECT_EQ(plan.Count(NodeKind::T0), 8u);
    EXPECT_EQ(plan.T1PerPod(), 2u);
    EXPECT_EQ(plan.Count(NodeKind::T1), 8u);
    EXPECT_EQ(plan.T1Downlinks(), 4u);
    EXPECT_EQ(plan.T1Uplinks(), 4u);
    EXPECT_EQ(plan.Count(NodeKind::T2), 8u);
    EXPECT_EQ(plan.Ports(NodeKind::T0), 8u);
    EXPECT_EQ(plan.Ports(NodeKind::T1), 8u);
    EXPECT_EQ(plan.Ports(NodeKind::T2), 4u);
    EXPECT_EQ(plan.LinksPerPlane(), 32u + 8 * 4 + 8 * 4);
    EXPECT_EQ(plan.MaxSwitches(), 5u);
    EXPECT_EQ(plan.SwitchesBetween(0, 3), 1u);
    EXPECT_EQ(plan.SwitchesBetween(0, 4), 3u); // T0 1, the other one of pod 0
    EXPECT_EQ(plan.SwitchesBetween(0, 8), 5u); // T0 2, pod 1
}

TEST(ClosPlan, PortsOfThreeTiersByHand)
{
    const ClosPlan plan(SmallThreeTiers());
    // T0 5 is the second of pod 2. Its uplink 3 (port 4 + 3) is link 1 to the pod's second T1,
    // T1 2 x 2 + 1 = 5, whose port for it is 1 x 2 + 1 = 3.
    EXPECT_TRUE(plan.Peer(0, {NodeKind::T0, 5, 7}) == (Attachment{NodeKind::T1, 5, 3}));
    // T1 5, second of pod 2: its uplink 2 (port 4 + 2) goes to T2 1 x 4 + 2 = 6, port = pod.
    EXPECT_TRUE(plan.Peer(0, {NodeKind::T1, 5, 6}) == (Attachment{NodeKind::T2, 6, 2}));
    // T2 6 sees the second T1 of each pod at that T1's uplink 2.
    EXPECT_TRUE(plan.Peer(0, {NodeKind::T2, 6, 0}) == (Attachment{NodeKind::T1, 1, 6}));
    EXPECT_TRUE(plan.Peer(0, {NodeKind::T2, 6, 3}) == (Attachment{NodeKind::T1, 7, 6}));
    // A NIC's port is its plane.
    EXPECT_TRUE(plan.Peer(1, {NodeKind::T0, 5, 2}) == (Attachment{NodeKind::NIC, 22, 1}));
    EXPECT_TRUE(plan.Peer(1, {NodeKind::NIC, 22, 1}) == (Attachment{NodeKind::T0, 5, 2}));
}

TEST(ClosPlan, WiringIsSymmetric)
{
    ExpectConsistentWiring(ClosPlan(ClosConfig{}));
    ExpectConsistentWiring(ClosPlan(SmallThreeTiers()));

    ClosConfig twoTiersParallel;
    twoTiersParallel.parallelLinks = 4;
    ExpectConsistentWiring(ClosPlan(twoTiersParallel));

    ClosConfig thinThreeTiers = SmallThreeTiers();
    thinThreeTiers.t1PerPod = 3;
    thinThreeTiers.t2PerPlane = 6;
    ExpectConsistentWiring(ClosPlan(thinThreeTiers));

    ClosConfig oneT0;
    oneT0.nics = 8;
    ExpectConsistentWiring(ClosPlan(oneT0));
    EXPECT_EQ(ClosPlan(oneT0).MaxSwitches(), 1u);
}

TEST(ClosPlan, OversubscriptionDerivesTheT1s)
{
    ClosConfig config;
    config.oversubscription = 2;
    EXPECT_EQ(ClosPlan(config).T0Uplinks(), 4u); // 8 NICs / 2
    EXPECT_EQ(ClosPlan(config).Count(NodeKind::T1), 4u);
    config.parallelLinks = 2;
    EXPECT_EQ(ClosPlan(config).T0Uplinks(), 4u);
    EXPECT_EQ(ClosPlan(config).Count(NodeKind::T1), 2u);
    config.oversubscription = 8.0 / 6;
    EXPECT_EQ(ClosPlan(config).T0Uplinks(), 6u);
    config.oversubscription = 0.5; // more uplinks than NICs is allowed
    EXPECT_EQ(ClosPlan(config).T0Uplinks(), 16u);
    config.t1PerPlane = 5; // the count wins
    EXPECT_EQ(ClosPlan(config).T0Uplinks(), 10u);
}

TEST(ClosConfig, SaysWhatIsWrongAndWhatWouldBeRight)
{
    const auto errorOf = [](void (*change)(ClosConfig&)) {
        ClosConfig config;
        change(config);
        return config.Validate();
    };
    EXPECT_EQ(ClosConfig{}.Validate(), "");
    EXPECT_EQ(SmallThreeTiers().Validate(), "");
    EXPECT_EQ(errorOf([](ClosConfig& c) { c.nics = 7; }),
              "7 NICs do not fill T0s of 8 NICs: nics must be a multiple of nics-per-t0 (8 or 16)");
    EXPECT_EQ(errorOf([](ClosConfig& c) { c.nics = 20; }),
              "20 NICs do not fill T0s of 8 NICs: nics must be a multiple of nics-per-t0 "
              "(16 or 24)");
    EXPECT_EQ(errorOf([](ClosConfig& c) { c.nics = 0; }), "nics is 0: it must be at least 1");
    EXPECT_EQ(errorOf([](ClosConfig& c) { c.nicsPerT0 = 0; }),
              "nics-per-t0 is 0: it must be at least 1");
    EXPECT_EQ(errorOf([](ClosConfig& c) { c.parallelLinks = 0; }),
              "parallel-links is 0: it must be at least 1");
    EXPECT_EQ(errorOf([](ClosConfig& c) { c.nics = 0xfffffff8; }),
              "nics 4294967288 is too large: at most 16777216");
    EXPECT_EQ(errorOf([](ClosConfig& c) { c.planes = 0; }), "0 planes: planes must be 1 to 32");
    EXPECT_EQ(errorOf([](ClosConfig& c) { c.planes = 33; }), "33 planes: planes must be 1 to 32");
    EXPECT_EQ(errorOf([](ClosConfig& c) { c.tiers = 4; }),
              "a fabric of 4 tiers is not supported: tiers must be 2 or 3");
    EXPECT_EQ(errorOf([](ClosConfig& c) { c.oversubscription = 3; }),
              "oversubscription 3 gives a T0 of 8 NICs 2.66667 uplinks: nics-per-t0 / "
              "oversubscription must be a whole number");
    EXPECT_EQ(errorOf([](ClosConfig& c) { c.oversubscription = 0; }),
              "oversubscription 0 is out of range: 1 gives a T0 as many uplinks as NICs, 2 half "
              "as many");
    EXPECT_EQ(errorOf([](ClosConfig& c) { c.oversubscription = -1; }),
              "oversubscription -1 is out of range: 1 gives a T0 as many uplinks as NICs, 2 half "
              "as many");
    EXPECT_NE(errorOf([](ClosConfig& c) { c.oversubscription = std::nan(""); }), "");
    EXPECT_NE(errorOf([](ClosConfig& c) { c.oversubscription = 16; }), "");
    EXPECT_EQ(errorOf([](ClosConfig& c) { c.parallelLinks = 3; }),
              "8 uplinks of a T0 cannot be bundled by 3: parallel-links must divide them, or set "
              "t1-per-plane");
    EXPECT_EQ(errorOf([](ClosConfig& c) { c.t0PerPod = 4; }),
              "t0-per-pod, t1-per-pod and t2-per-plane belong to three tiers: leave them 0, or "
              "set tiers to 3");
    EXPECT_EQ(errorOf([](ClosConfig& c) { c.tiers = 3; }),
              "three tiers need t0-per-pod: how many T0s share the T1s of a pod");
    EXPECT_EQ(errorOf([](ClosConfig& c) {
                  c.tiers = 3;
                  c.t0PerPod = 4;
                  c.t1PerPlane = 4;
              }),
              "t1-per-plane belongs to two tiers: with three, set t1-per-pod");
    EXPECT_EQ(errorOf([](ClosConfig& c) {
                  c.tiers = 3;
                  c.t0PerPod = 5;
              }),
              "16 T0s do not fill pods of 5: nics / nics-per-t0 must be a multiple of t0-per-pod "
              "(15 or 20)");
    EXPECT_EQ(errorOf([](ClosConfig& c) {
                  c.tiers = 3;
                  c.t0PerPod = 4;
                  c.t2PerPlane = 12;
              }),
              "12 T2s cannot be shared evenly by the 8 T1s of a pod: t2-per-plane must be a "
              "multiple of that (8 or 16)");
    EXPECT_EQ(errorOf([](ClosConfig& c) { c.nics = 8 * 70000; }),
              "a T1 would need 70000 ports: at most 65535");
}

TEST(ClosConfig, APlanRefusesABadConfig)
{
    ClosConfig config;
    config.nics = 7;
    try
    {
        ClosPlan plan(config);
        FAIL() << "planned 7 NICs in T0s of 8";
    }
    catch (const ClosConfigError& error)
    {
        EXPECT_EQ(error.what(), config.Validate());
    }
}
