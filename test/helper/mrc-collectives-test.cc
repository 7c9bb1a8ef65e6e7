// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-collectives.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace mrc
{
namespace
{

/// @return the text of the WorkloadError that an action throws
template <class Action>
std::string
ErrorOf(Action action)
{
    try
    {
        action();
    }
    catch (const WorkloadError& error)
    {
        return error.what();
    }
    return "no error";
}

/// @return for each rank the ranks whose data reach it, if a message carries what its sender has
///         of its own and of the messages that it waits for
std::vector<std::set<uint32_t>>
WhoseDataArrive(const Workload& workload, uint32_t nics)
{
    std::vector<std::set<uint32_t>> carried(workload.messages.size());
    std::vector<std::set<uint32_t>> known(nics);
    for (size_t i = 0; i < workload.messages.size(); ++i)
    {
        const Message& message = workload.messages[i];
        carried[i] = {message.source};
        for (uint32_t k = 0; k < message.after.Size(); ++k)
        {
            const uint32_t earlier = message.after[k];
            EXPECT_EQ(workload.messages[earlier].destination, message.source);
            carried[i].insert(carried[earlier].begin(), carried[earlier].end());
        }
        known[message.destination].insert(message.destination);
        known[message.destination].insert(carried[i].begin(), carried[i].end());
    }
    return known;
}

TEST(MrcCollectives, TreeBringsEverythingEverywhere)
{
    for (const uint32_t nics : {2, 3, 7, 8, 13})
    {
        SCOPED_TRACE(nics);
        Workload workload = TreeAllReduce(nics, 1000, 1);
        workload.Check(nics);
        EXPECT_EQ(workload.messages.size(), 2 * (nics - 1));
        for (const std::set<uint32_t>& known : WhoseDataArrive(workload, nics))
        {
            EXPECT_EQ(known.size(), nics);
        }
    }
}

TEST(MrcCollectives, ChunksOfATreeAddUpAndAreIndependent)
{
    Workload workload = TreeAllReduce(7, 1001, 4);
    workload.Check(7);
    ASSERT_EQ(workload.messages.size(), 48u);
    EXPECT_EQ(workload.TotalBytes(), 12u * 1001);
    for (uint32_t i = 0; i < 48; ++i)
    {
        for (uint32_t k = 0; k < workload.messages[i].after.Size(); ++k)
        {
            EXPECT_EQ(workload.messages[i].after[k] / 12, i / 12) << "another chunk";
        }
    }
}

TEST(MrcCollectives, HalvingDoublingBringsEverythingEverywhere)
{
    for (const uint32_t nics : {2, 4, 16})
    {
        SCOPED_TRACE(nics);
        Workload workload = HalvingDoublingAllReduce(nics, 1024);
        workload.Check(nics);
        for (const std::set<uint32_t>& known : WhoseDataArrive(workload, nics))
        {
            EXPECT_EQ(known.size(), nics);
        }
        // Each rank sends 2 (n - 1) / n of the vector, the least that is possible.
        EXPECT_EQ(workload.TotalBytes(), 2u * (nics - 1) * 1024);
    }
}

TEST(MrcCollectives, HalvingDoublingHalvesThenDoubles)
{
    const Workload workload = HalvingDoublingAllReduce(8, 800);
    std::vector<uint64_t> bytes;
    std::vector<uint32_t> peers;
    for (size_t step = 0; step < 6; ++step)
    {
        bytes.push_back(workload.messages[step * 8].bytes);
        peers.push_back(workload.messages[step * 8].destination);
    }
    EXPECT_EQ(bytes, (std::vector<uint64_t>{400, 200, 100, 100, 200, 400}));
    EXPECT_EQ(peers, (std::vector<uint32_t>{4, 2, 1, 1, 2, 4}));
}

TEST(MrcCollectives, LengthsOfAnAllToAllVAreSpread)
{
    const Workload workload = AllToAllV(16, 1000, 4, 0.5, 7);
    ASSERT_EQ(workload.messages.size(), 240u);
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    for (const Message& message : workload.messages)
    {
        least = std::min(least, message.bytes);
        most = std::max(most, message.bytes);
    }
    EXPECT_GE(least, 500u);
    EXPECT_LT(least, 550u);
    EXPECT_LE(most, 1500u);
    EXPECT_GT(most, 1450u);
    EXPECT_NEAR(static_cast<double>(workload.TotalBytes()) / 240, 1000, 60);
    EXPECT_EQ(AllToAllV(16, 1000, 4, 0.5, 7).messages[5].bytes, workload.messages[5].bytes);
    EXPECT_NE(AllToAllV(16, 1000, 4, 0.5, 8).messages[5].bytes, workload.messages[5].bytes);
}

TEST(MrcCollectives, PipelinePassesMicroBatchesOnAndBack)
{
    Workload workload = Pipeline(4, 100, 2);
    workload.Check(4);
    ASSERT_EQ(workload.messages.size(), 12u);
    // forward: batch 0 over links 0, 1, 2, then batch 1
    EXPECT_EQ(workload.messages[4].source, 1u);
    EXPECT_EQ(workload.messages[4].after[0], 3u) << "batch 1 has arrived at stage 1";
    EXPECT_EQ(workload.messages[4].after[1], 1u) << "batch 0 has left stage 1";
    // backward: from stage 3, once batch 0 has arrived there
    EXPECT_EQ(workload.messages[6].source, 3u);
    EXPECT_EQ(workload.messages[6].destination, 2u);
    EXPECT_EQ(workload.messages[6].after[0], 2u);
    EXPECT_EQ(workload.messages[9].after[0], 5u);
}

TEST(MrcCollectives, JobsKeepToTheirNics)
{
    const std::vector<Workload> jobs{TreeAllReduce(4, 100, 1), Permutation(4, 200, 1, 1)};
    Workload blocks = SideBySide(jobs, 4, false);
    blocks.Check(8);
    EXPECT_EQ(blocks.jobs, 2u);
    Workload interleaved = SideBySide(jobs, 4, true);
    interleaved.Check(8);
    for (const Message& message : blocks.messages)
    {
        EXPECT_EQ(message.source / 4, message.job);
        EXPECT_EQ(message.destination / 4, message.job);
    }
    for (const Message& message : interleaved.messages)
    {
        EXPECT_EQ(message.source % 2, message.job);
        EXPECT_EQ(message.destination % 2, message.job);
    }
}

TEST(MrcCollectives, ComputationsAreInNanoseconds)
{
    Workload workload = Pipeline(2, 100, 1);
    AddCompute(workload, 10'000'400);
    EXPECT_EQ(workload.messages[0].computeNs, 10'000u);
    EXPECT_NE(ErrorOf([&] { AddCompute(workload, 5'000'000'000'000); }).find("0 to 4.29 s"),
              std::string::npos);
}

TEST(MrcCollectives, RefusesWhatCannotBe)
{
    EXPECT_NE(ErrorOf([] { TreeAllReduce(1, 100, 1); }).find("at least 2 NICs"), std::string::npos);
    EXPECT_NE(ErrorOf([] { TreeAllReduce(4, 3, 4); }).find("1 or more"), std::string::npos);
    EXPECT_NE(ErrorOf([] { HalvingDoublingAllReduce(12, 100); }).find("power of two"),
              std::string::npos);
    EXPECT_NE(ErrorOf([] { Pipeline(4, 100, 0); }).find("at least 1"), std::string::npos);
    EXPECT_NE(ErrorOf([] { Pipeline(1, 100, 1); }).find("at least 2 NICs"), std::string::npos);
    EXPECT_NE(ErrorOf([] { RingAllReduce(4, 100, 1, 7); }).find("at most 6"), std::string::npos);
}

} // namespace
} // namespace mrc
