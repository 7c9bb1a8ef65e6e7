// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-clos-names.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace mrc;

namespace
{

/// @return 32 NICs in 8 T0s of 4 pods, 2 planes, 2 parallel links
ClosPlan
ThreeTiers()
{
    ClosConfig config;
    config.tiers = 3;
    config.planes = 2;
    config.nics = 32;
    config.nicsPerT0 = 4;
    config.parallelLinks = 2;
    config.t0PerPod = 2;
    return ClosPlan(config);
}

/// @param parse what should throw
/// @return the message
template <typename Parse>
std::string
ErrorOf(Parse parse)
{
    try
    {
        parse();
    }
    catch (const ClosNameError& error)
    {
        return error.what();
    }
    return "no error";
}

/// Check that the names of all links and ports are different and are read back.
void
ExpectNamesRoundTrip(const ClosPlan& plan)
{
    std::set<std::string> names;
    uint64_t count = 0;
    for (uint32_t plane = 0; plane < plan.Planes(); ++plane)
    {
        for (uint64_t number = 0; number < plan.LinksPerPlane(); ++number)
        {
            const ClosLink link = plan.LinkAt(plane, number);
            const std::string name = LinkName(plan, link);
            const ClosLink read = ParseLinkName(plan, name);
            ASSERT_EQ(read.plane, plane) << name;
            ASSERT_TRUE(read.lower == link.lower && read.upper == link.upper) << name;
            names.insert(name);
            for (const Attachment& end : {link.lower, link.upper})
            {
                const std::string portName = PortName(plan, plane, end);
                const ClosPort port = ParsePortName(plan, portName);
                ASSERT_EQ(port.plane, plane) << portName;
                ASSERT_TRUE(port.end == end) << portName;
                names.insert(portName);
            }
            count += 3;
        }
    }
    EXPECT_EQ(names.size(), count);
}

} // namespace

TEST(ClosNames, AreWhatPeopleWrite)
{
    const ClosPlan plan = ThreeTiers();
    EXPECT_EQ(NicName(22), "nic-22");
    EXPECT_EQ(SwitchName(1, NodeKind::T1, 7), "p1/t1-7");
    EXPECT_EQ(LinkName(plan, plan.LinkOf(1, {NodeKind::NIC, 22, 1})), "nic-22/p1");
    EXPECT_EQ(PortName(plan, 1, {NodeKind::NIC, 22, 1}), "nic-22:p1");
    EXPECT_EQ(PortName(plan, 1, {NodeKind::T0, 5, 2}), "p1/t0-5:nic-22");
    // Uplink 3 of T0 5 is link 1 to T1 5 (worked out in mrc-clos-plan-test.cc); uplink 2 link 0.
    EXPECT_EQ(LinkName(plan, plan.LinkOf(0, {NodeKind::T0, 5, 7})), "p0/t0-5-t1-5#1");
    EXPECT_EQ(LinkName(plan, plan.LinkOf(0, {NodeKind::T0, 5, 6})), "p0/t0-5-t1-5");
    EXPECT_EQ(PortName(plan, 0, {NodeKind::T0, 5, 7}), "p0/t0-5:t1-5#1");
    EXPECT_EQ(PortName(plan, 0, {NodeKind::T1, 5, 3}), "p0/t1-5:t0-5#1");
    EXPECT_EQ(LinkName(plan, plan.LinkOf(0, {NodeKind::T1, 5, 6})), "p0/t1-5-t2-6");
    EXPECT_EQ(PortName(plan, 0, {NodeKind::T2, 6, 3}), "p0/t2-6:t1-7");
}

TEST(ClosNames, RoundTrip)
{
    ExpectNamesRoundTrip(ThreeTiers());
    ClosConfig config;
    config.parallelLinks = 2;
    ExpectNamesRoundTrip(ClosPlan(config));
}

TEST(ClosNames, OtherSpellings)
{
    const ClosPlan plan = ThreeTiers();
    EXPECT_EQ(ParseNicName(plan, "nic-31"), 31u);
    const ClosSwitch t1 = ParseSwitchName(plan, "p1/t1-7");
    EXPECT_EQ(t1.plane, 1u);
    EXPECT_EQ(t1.kind, NodeKind::T1);
    EXPECT_EQ(t1.index, 7u);
    // The upper end may come first; a port may be a number.
    EXPECT_TRUE(ParseLinkName(plan, "p0/t1-5-t0-5#1").lower == (Attachment{NodeKind::T0, 5, 7}));
    EXPECT_TRUE(ParseLinkName(plan, "p0/t0-5-t1-5#0").lower == (Attachment{NodeKind::T0, 5, 6}));
    EXPECT_TRUE(ParsePortName(plan, "p1/t0-5:7").end == (Attachment{NodeKind::T0, 5, 7}));
}

TEST(ClosNames, ErrorsSayWhatExists)
{
    const ClosPlan plan = ThreeTiers();
    const auto nicError = [&](const char* name) {
        return ErrorOf([&] { ParseNicName(plan, name); });
    };
    const auto switchError = [&](const char* name) {
        return ErrorOf([&] { ParseSwitchName(plan, name); });
    };
    const auto linkError = [&](const char* name) {
        return ErrorOf([&] { ParseLinkName(plan, name); });
    };
    const auto portError = [&](const char* name) {
        return ErrorOf([&] { ParsePortName(plan, name); });
    };
    EXPECT_EQ(nicError("nic-32"), "no nic-32 in this fabric: nic-0 to nic-31");
    EXPECT_EQ(nicError("gpu-1"), "'gpu-1' is not a NIC: write for example nic-3");
    EXPECT_EQ(switchError("p1/t1-9"), "no t1-9 in plane 1: t1-0 to t1-7");
    EXPECT_EQ(switchError("p2/t1-0"), "no p2 in this fabric: planes p0 to p1");
    EXPECT_EQ(switchError("p0/t3-0"), "no t3 in this fabric: tiers t0 to t2");
    for (const char* name : {"",
                             "p",
                             "p0",
                             "p0/",
                             "p0/t",
                             "p0/t1",
                             "p0/t1-",
                             "p0/t1-x",
                             "p0/t1-1 ",
                             "p0/t1--1",
                             "p0/t1-99999999999"})
    {
        EXPECT_EQ(switchError(name),
                  "'" + std::string(name) + "' is not a switch: write for example p0/t1-3");
    }
    EXPECT_EQ(linkError("p0/t0-5"),
              "'p0/t0-5' is not a link: write for example p0/t0-2-t1-3 or nic-3/p0");
    EXPECT_EQ(linkError("nic-3/p2"), "no p2 in this fabric: planes p0 to p1");
    EXPECT_EQ(linkError("p0/t0-5-t1-3"),
              "no link between t0-5 and t1-3: t0-5 has links to t1-4 to t1-5");
    EXPECT_EQ(linkError("p0/t1-0-t2-4"),
              "no link between t1-0 and t2-4: t1-0 has links to t2-0 to t2-3");
    EXPECT_EQ(linkError("p0/t0-0-t2-0"),
              "no link between t0-0 and t2-0: links join neighbouring tiers");
    EXPECT_EQ(linkError("p0/t0-0-t0-1"),
              "no link between t0-1 and t0-0: links join neighbouring tiers");
    EXPECT_EQ(linkError("p0/t0-0-t1-0#2"), "no link #2 between t0-0 and t1-0: #0 to #1");
    EXPECT_EQ(linkError("p0/t1-0-t2-0#1"), "no link #1 between t1-0 and t2-0: only #0");
    EXPECT_EQ(portError("p0/t0-5:8"), "no port 8 at t0-5: ports 0 to 7");
    EXPECT_EQ(portError("p0/t0-5:nic-3"), "no port to nic-3 at t0-5, which has nic-20 to nic-23");
    EXPECT_EQ(portError("p0/t1-5:nic-3"), "no port to a NIC at t1-5: NICs are at T0s");
    EXPECT_EQ(portError("p0/t0-5"),
              "'p0/t0-5' is not a port: write for example p0/t0-2:t1-3, p0/t0-2:nic-16 or "
              "nic-3:p0");
}
