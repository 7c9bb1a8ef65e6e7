// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-address-plan.h"

#include <gtest/gtest.h>

using namespace mrc;

namespace
{

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

/// @param text an address
/// @return it
Ipv6Address
Address(const char* text)
{
    Ipv6Address address{};
    EXPECT_TRUE(Ipv6Address::Parse(text, address)) << text;
    return address;
}

/// @param plan the fabric
/// @param addresses its addresses
/// @param plane the plane of the sending port
/// @param source the NIC that sends
/// @param destination where to
/// @param choice which of several ports a hash would choose, modulo their number
/// @return the last port reached
Attachment
WalkRoutes(const ClosPlan& plan,
           const AddressPlan& addresses,
           uint32_t plane,
           uint32_t source,
           const Ipv6Address& destination,
           uint32_t choice)
{
    Attachment at = plan.Peer(plane, {NodeKind::NIC, source, static_cast<uint16_t>(plane)});
    for (int hops = 0; at.kind != NodeKind::NIC && hops < 5; ++hops)
    {
        PortGroup group{0, 0};
        for (const PrefixRoute& route : addresses.Routes(at.kind, at.index))
        {
            group = route.Lookup(destination);
            if (group.portCount != 0)
            {
                break;
            }
        }
        if (group.portCount == 0)
        {
            break;
        }
        at.port = static_cast<uint16_t>(group.firstPort + choice % group.portCount);
        at = plan.Peer(plane, at);
    }
    return at;
}

/// Check all pairs with a few values of the hash.
void
ExpectReachability(const ClosConfig& config)
{
    const ClosPlan plan(config);
    const AddressPlan addresses(plan);
    for (uint32_t source = 0; source < plan.Nics(); ++source)
    {
        for (uint32_t destination = 0; destination < plan.Nics(); ++destination)
        {
            const uint32_t plane = (source + destination) % plan.Planes();
            const Attachment expected{NodeKind::NIC, destination, static_cast<uint16_t>(plane)};
            const Ipv6Address nic = addresses.NicAddress(destination);
            const Ipv6Address port = addresses.NicPortAddress(destination, plane);
            for (const uint32_t choice : {0, 1, 7, 1234567})
            {
                ASSERT_TRUE(WalkRoutes(plan, addresses, plane, source, nic, choice) == expected)
                    << source << " to " << destination;
                ASSERT_TRUE(WalkRoutes(plan, addresses, plane, source, port, choice) == expected)
                    << source << " to a port of " << destination;
            }
        }
    }
}

} // namespace

// Three tiers: NIC 22 is port 2 of T0 5, the second of pod 2.
TEST(AddressPlan, AddressesByHand)
{
    const AddressPlan three{ClosPlan(ThreeTiers())};
    EXPECT_EQ(three.NicAddress(22).Print(), "fd6d:7264:2:1::3");
    EXPECT_EQ(three.NicPortAddress(22, 1).Print(), "fd6d:7264:2:1:2::3");
    const AddressPlan two{ClosPlan(ClosConfig{})};
    EXPECT_EQ(two.NicAddress(45).Print(), "fd6d:7264:0:5::6");
}

TEST(AddressPlan, FindsTheNicOfAnAddress)
{
    const ClosPlan plan(ThreeTiers());
    const AddressPlan addresses(plan);
    for (uint32_t nic = 0; nic < plan.Nics(); ++nic)
    {
        EXPECT_EQ(addresses.FindNic(addresses.NicAddress(nic)), nic);
        EXPECT_EQ(addresses.FindNic(addresses.NicPortAddress(nic, 0)), nic);
        EXPECT_EQ(addresses.FindNic(addresses.NicPortAddress(nic, 1)), nic);
    }
    for (const char* text : {"fd6d:7264:4:0::1",   // 4 pods
                             "fd6d:7264:0:2::1",   // 2 T0s in a pod
                             "fd6d:7264::",        // hosts count from 1
                             "fd6d:7264::5",       // 4 hosts
                             "fd6d:7264:0:0:3::1", // 2 planes
                             "fd6d:7264::1:0:1",   // in between is 0
                             "fd6d:7263::1"})      // another block
    {
        EXPECT_FALSE(addresses.FindNic(Address(text)).has_value()) << text;
    }
}

//= MRC-REF 3 Non-MRC traffic of real hosts
TEST(AddressPlan, EveryNicReachesEveryNic)
{
    ExpectReachability(ThreeTiers());
    ClosConfig two;
    two.nics = 48;
    two.nicsPerT0 = 6;
    two.oversubscription = 1.5; // 4 uplinks
    two.parallelLinks = 2;      // to 2 T1s
    ExpectReachability(two);
}

TEST(AddressPlan, UnknownAddressesHaveNoRouteAtTheTop)
{
    const ClosPlan plan{ClosConfig{}};
    const AddressPlan addresses(plan);
    const Attachment end = WalkRoutes(plan, addresses, 0, 3, Address("fd6d:7264:0:10::1"), 0);
    EXPECT_EQ(end.kind, NodeKind::T1) << "T0 16 of 16";
    EXPECT_EQ(WalkRoutes(plan, addresses, 0, 3, Address("2001:db8::1"), 5).kind, NodeKind::T1);
}

TEST(AddressPlan, PrefixesOfAnyLengthMatch)
{
    const PrefixRoute plain{Address("fd6d:7264:0:3:8000::"), 65, PrefixRoute::NO_GROUP, 0, 1, 4, 2};
    EXPECT_EQ(plain.Lookup(Address("fd6d:7264:0:3:8000::1")).portCount, 2);
    EXPECT_EQ(plain.Lookup(Address("fd6d:7264:0:3:ffff::1")).firstPort, 4);
    EXPECT_EQ(plain.Lookup(Address("fd6d:7264:0:3:7fff::1")).portCount, 0);
    EXPECT_EQ(plain.Lookup(Address("fd6d:7264:0:2:8000::1")).portCount, 0);
    const PrefixRoute host{Address("fd6d::1"), 128, PrefixRoute::NO_GROUP, 0, 1, 9, 1};
    EXPECT_EQ(host.Lookup(Address("fd6d::1")).firstPort, 9);
    EXPECT_EQ(host.Lookup(Address("fd6d::2")).portCount, 0);
    const PrefixRoute short7{Address("fc00::"), 7, PrefixRoute::NO_GROUP, 0, 1, 9, 1};
    EXPECT_EQ(short7.Lookup(Address("fdff::")).portCount, 1);
    EXPECT_EQ(short7.Lookup(Address("fe00::")).portCount, 0);
}

TEST(AddressPlan, PrintsTables)
{
    ClosConfig config = ThreeTiers();
    const AddressPlan addresses{ClosPlan(config)};
    EXPECT_EQ(addresses.FormatTable(NodeKind::T0, 5),
              "fd6d:7264:2:1::1/128 -> port 0\n"
              "fd6d:7264:2:1::2/128 -> port 1\n"
              "fd6d:7264:2:1::3/128 -> port 2\n"
              "fd6d:7264:2:1::4/128 -> port 3\n"
              "::/0 -> ports 4-7\n");
    EXPECT_EQ(addresses.FormatTable(NodeKind::T1, 5),
              "fd6d:7264:2::/64 -> ports 0-1\n"
              "fd6d:7264:2:1::/64 -> ports 2-3\n"
              "::/0 -> ports 4-7\n");
    EXPECT_EQ(addresses.FormatTable(NodeKind::T2, 6),
              "fd6d:7264::/48 -> port 0\n"
              "fd6d:7264:1::/48 -> port 1\n"
              "fd6d:7264:2::/48 -> port 2\n"
              "fd6d:7264:3::/48 -> port 3\n");
}

TEST(AddressPlan, TheBlockIsAUniqueLocalPrefix)
{
    const ClosPlan plan{ClosConfig{}};
    EXPECT_EQ(AddressPlan(plan, 0xfd001234).NicAddress(0).Print(), "fd00:1234::1");
    try
    {
        AddressPlan(plan, 0x20010db8);
        FAIL() << "took a global prefix";
    }
    catch (const ClosConfigError& error)
    {
        EXPECT_STREQ(error.what(),
                     "address block 2001:db8::/32 is not a unique local prefix: it must be inside "
                     "fc00::/7");
    }
}
