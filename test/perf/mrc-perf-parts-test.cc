// SPDX-License-Identifier: GPL-2.0-only
// What mrc-perf is made of, without a network.
#include "mrc-host-clock.h"
#include "mrc-host-route.h"
#include "mrc-perf-buffers.h"
#include "mrc-perf-error.h"
#include "mrc-perf-hello.h"
#include "mrc-perf-report.h"

#include <gtest/gtest.h>
#include <set>

namespace mrc::perf
{

namespace
{

/// @return a hello that is all right
Hello
GoodHello()
{
    Hello hello;
    hello.test.qps = 2;
    hello.baseRttPs = 50'000'000;
    hello.address = Ipv6Address{0xfd00000000000000, 1};
    hello.ports = {{hello.address, 0x020000000001}};
    for (uint32_t qpn : {0x100u, 0x101u})
    {
        QpOffer offer;
        offer.qpn = qpn;
        offer.psn = 5;
        offer.rKey = 90;
        offer.va = 4096;
        offer.bytes = 65536;
        hello.offers.push_back(offer);
    }
    return hello;
}

TEST(PerfHelloTest, SurvivesTheWay)
{
    const Hello hello = DecodeHello(nlohmann::json::parse(EncodeHello(GoodHello()).dump()));
    EXPECT_EQ(hello.test.sizeBytes, 65536u);
    EXPECT_EQ(hello.offers.size(), 2u);
    EXPECT_EQ(hello.offers[1].qpn, 0x101u);
    EXPECT_EQ(hello.ports[0].mac, 0x020000000001u);
    EXPECT_EQ(hello.address, GoodHello().address);
}

TEST(PerfHelloTest, IsRefusedWithoutAnyOfItsParts)
{
    const nlohmann::json good = EncodeHello(GoodHello());
    size_t refused = 0;
    for (const auto& [key, value] : good.items())
    {
        nlohmann::json bad = good;
        bad.erase(key);
        EXPECT_THROW(DecodeHello(bad), RunError) << key;
        bad[key] = {{"no", "such"}};
        EXPECT_THROW(DecodeHello(bad), RunError) << key;
        ++refused;
    }
    for (const auto& [key, value] : good["test"].items())
    {
        nlohmann::json bad = good;
        bad["test"][key] = "x";
        EXPECT_THROW(DecodeHello(bad), RunError) << key;
        ++refused;
    }
    EXPECT_EQ(refused, 8u + 10u);
}

TEST(PerfHelloTest, AsksForNothingAbsurd)
{
    const nlohmann::json good = EncodeHello(GoodHello());
    const std::pair<const char*, uint64_t> absurd[] = {{"size", 0},
                                                       {"size", uint64_t{1} << 31},
                                                       {"qps", 0},
                                                       {"qps", 5000},
                                                       {"depth", 0},
                                                       {"depth", 1 << 20},
                                                       {"iterations", UINT64_MAX}};
    for (const auto& [key, value] : absurd)
    {
        nlohmann::json bad = good;
        bad["test"][key] = value;
        EXPECT_THROW(DecodeHello(bad), RunError) << key << " " << value;
    }
    // 4096 QPs of 1 MiB messages are 4 GiB.
    nlohmann::json bad = good;
    bad["test"]["qps"] = 4096;
    bad["test"]["size"] = 1 << 20;
    EXPECT_THROW(DecodeHello(bad), RunError);
    bad = good;
    bad["offers"][1] = "mrc 1 offer qpn=1";
    EXPECT_THROW(DecodeHello(bad), RunError);
    bad["offers"].erase(1);
    EXPECT_THROW(DecodeHello(bad), RunError) << "one offer for two QPs";
    EXPECT_THROW(DecodeHello({{"refused", "no time"}}), RunError);
}

TEST(PerfBuffersTest, AnyWrongByteIsCounted)
{
    TestParameters test;
    test.sizeBytes = 1003; // not a multiple of 8
    test.qps = 2;
    test.depth = 4;
    test.isVerified = true;
    PerfBuffers buffers(test);
    EXPECT_EQ(buffers.Slots(), 8u);
    // Message 13 uses slot 5; each slot is 1003 bytes rounded up to 1024.
    EXPECT_EQ(buffers.Offset(1, 13), 8 * 1024u + 5 * 1024u);
    buffers.Prepare(1, 13);
    uint8_t* const target = buffers.Target() + buffers.Offset(1, 13);
    std::copy_n(buffers.Source() + buffers.Offset(1, 13), 1003, target);
    EXPECT_EQ(buffers.CountWrong(1, 13), 0u);
    EXPECT_GT(buffers.CountWrong(1, 5), 900u) << "the message before it in the slot is another";
    target[0] ^= 1;
    target[1002] ^= 0x80;
    EXPECT_EQ(buffers.CountWrong(1, 13), 2u);
}

TEST(PerfReportTest, QuantilesAreThoseOfTheNearestRank)
{
    std::vector<int64_t> latencies;
    for (int64_t us = 1; us <= 1000; ++us)
    {
        latencies.push_back(us * 1'000'000);
    }
    const LatencySummary summary = Summarize(latencies);
    EXPECT_EQ(summary.minPs, 1'000'000);
    EXPECT_EQ(summary.maxPs, 1'000'000'000);
    EXPECT_EQ(summary.p99Ps, 990'000'000);  // 990 of 1000 are not greater
    EXPECT_EQ(summary.p999Ps, 999'000'000); // 999 of 1000
    EXPECT_DOUBLE_EQ(summary.averagePs, 500.5e6);
    // (n^2 - 1) / 12 is the variance of 1..n: sqrt(83333.25) = 288.67499
    EXPECT_NEAR(summary.stdevPs, 288.67499e6, 1e3);
}

TEST(HostRouteTest, CarriersOfAListAreNamedByTheLowerHalfOfTheEv)
{
    //= MRC-REF 3 SRv6 paths
    HostRoute route;
    route.isEncapsulated = true;
    route.planes.resize(2);
    route.planes[0].carriers = {UsidCarrier::Build(0xfd6d7263, {0x1001})};
    route.planes[1].carriers = {UsidCarrier::Build(0xfd6d7263, {0x2001}),
                                UsidCarrier::Build(0xfd6d7263, {0x2002}),
                                UsidCarrier::Build(0xfd6d7263, {0x2003})};
    Random random(1);
    const auto evs = route.ChooseEvs(16, random);
    EXPECT_EQ(evs[0], (std::vector<uint32_t>{0xc0000000}));
    EXPECT_EQ(std::set<uint32_t>(evs[1].begin(), evs[1].end()),
              (std::set<uint32_t>{0xc0010000, 0xc0010001, 0xc0010002}));
    Frame frame{};
    frame.ev = 0xc0010002;
    route.Apply(frame, 1);
    EXPECT_EQ(frame.daHigh, 0xfd6d726320030000u);
    // The peer's list may be longer: the fifth of three is the second.
    frame.ev = 0xc0010004;
    route.Apply(frame, 1);
    EXPECT_EQ(frame.daHigh, 0xfd6d726320020000u);
}

TEST(HostRouteTest, AnEvThatNamesNoPathOfTheFabricTakesTheFirst)
{
    ClosConfig config;
    config.planes = 2;
    config.nics = 8;
    config.nicsPerT0 = 2;
    const PathPlan plan{UsidPlan(ClosPlan(config))};
    HostRoute route;
    route.isEncapsulated = true;
    route.planes.resize(2);
    route.paths = std::make_shared<FabricPaths>(FabricPaths{plan, 0, 7, plan.Template(0, 7)});
    Frame first{};
    first.ev = plan.EvOf(1, 0);
    route.Apply(first, 1);
    for (const uint32_t ev : {0u, UINT32_MAX, plan.EvOf(0, 1), 0xc0011234u})
    {
        Frame frame{};
        frame.ev = ev;
        route.Apply(frame, 1);
        EXPECT_EQ(frame.daHigh, first.daHigh) << ev;
        EXPECT_EQ(frame.daLow, first.daLow) << ev;
    }
}

TEST(HostClockTest, ArrivalsAreNeverInTheFuture)
{
    ArrivalClock clock;
    const int64_t nowPs = HostNowPs();
    EXPECT_EQ(clock.ToHostPs(INT64_MAX / 2, nowPs), nowPs);
    // A stamp from before the clock was set counts as a second old, not as years.
    EXPECT_EQ(clock.ToHostPs(0, nowPs), nowPs - 1'000'000'000'000);
}

} // namespace

} // namespace mrc::perf
