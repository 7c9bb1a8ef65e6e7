// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-workload.h"

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

TEST(MrcMessageList, KeepsMoreThanFitInline)
{
    MessageList list{7, 8};
    EXPECT_EQ(list.Size(), 2u);
    list.Add(9);
    list.Add(10);
    MessageList copy(list);
    list.Add(11);
    ASSERT_EQ(copy.Size(), 4u);
    EXPECT_EQ(copy[0], 7u);
    EXPECT_EQ(copy[1], 8u);
    EXPECT_EQ(copy[2], 9u);
    EXPECT_EQ(copy[3], 10u);
    ASSERT_EQ(list.Size(), 5u);
    EXPECT_EQ(list[4], 11u);
    copy = MessageList{1};
    EXPECT_EQ(copy.Size(), 1u);
    copy.Add(2);
    copy.Add(3);
    EXPECT_EQ(copy[2], 3u);
}

TEST(MrcWorkload, PointToPoint)
{
    Workload workload = PointToPoint(3, 1, 100, 4);
    workload.Check(4);
    ASSERT_EQ(workload.messages.size(), 4u);
    EXPECT_EQ(workload.TotalBytes(), 400u);
    for (const Message& message : workload.messages)
    {
        EXPECT_EQ(message.source, 3u);
        EXPECT_EQ(message.destination, 1u);
        EXPECT_FALSE(message.immediate);
    }
}

TEST(MrcWorkload, PermutationIsADerangement)
{
    for (const uint32_t nics : {2u, 3u, 16u, 257u})
    {
        for (uint64_t seed = 0; seed < 50; ++seed)
        {
            Workload workload = Permutation(nics, 5000, 2, seed);
            workload.Check(nics);
            ASSERT_EQ(workload.messages.size(), 2 * nics);
            std::set<uint32_t> destinations;
            for (uint32_t nic = 0; nic < nics; ++nic)
            {
                const Message& message = workload.messages[nic];
                ASSERT_EQ(message.source, nic);
                ASSERT_NE(message.destination, nic);
                ASSERT_EQ(workload.messages[nics + nic].destination, message.destination);
                destinations.insert(message.destination);
            }
            ASSERT_EQ(destinations.size(), nics);
        }
    }
}

TEST(MrcWorkload, PermutationFollowsItsSeed)
{
    auto destinations = [](uint64_t seed) {
        std::vector<uint32_t> to;
        for (const Message& message : Permutation(64, 1, 1, seed).messages)
        {
            to.push_back(message.destination);
        }
        return to;
    };
    EXPECT_EQ(destinations(5), destinations(5));
    EXPECT_NE(destinations(5), destinations(6));
}

// Three NICs have two derangements, 0->1->2->0 and 0->2->1->0.
TEST(MrcWorkload, PermutationsAreEquallyLikely)
{
    uint32_t upwards = 0;
    for (uint64_t seed = 0; seed < 1000; ++seed)
    {
        upwards += Permutation(3, 1, 1, seed).messages[0].destination == 1;
    }
    EXPECT_GT(upwards, 400u); // 500 expected, six standard deviations are 95
    EXPECT_LT(upwards, 600u);
}

TEST(MrcWorkload, IncastSpreadsItsSenders)
{
    // Receiver 14 of 16; sender i is 1 + i * 15 / 4 NICs further: 1, 4, 8, 12.
    Workload workload = Incast(16, 4, 14, 1000, 2);
    workload.Check(16);
    ASSERT_EQ(workload.messages.size(), 8u);
    const uint32_t senders[] = {15, 2, 6, 10};
    for (uint32_t i = 0; i < 8; ++i)
    {
        EXPECT_EQ(workload.messages[i].source, senders[i % 4]);
        EXPECT_EQ(workload.messages[i].destination, 14u);
    }
    std::set<uint32_t> all;
    for (const Message& message : Incast(16, 15, 14, 1000, 1).messages)
    {
        all.insert(message.source);
    }
    EXPECT_EQ(all.size(), 15u);
    EXPECT_EQ(all.count(14), 0u);
}

TEST(MrcWorkload, RingPassesEachChunkOn)
{
    // Three ranks, 10 bytes: chunks of 4, 3 and 3 bytes, 2 * 2 steps.
    Workload workload = RingAllReduce(3, 10);
    workload.Check(3);
    ASSERT_EQ(workload.messages.size(), 12u);
    // Chunk (r - s) mod 3 by step and rank: 0 1 2, 2 0 1, 1 2 0, 0 1 2.
    const uint64_t bytes[] = {4, 3, 3, 3, 4, 3, 3, 3, 4, 4, 3, 3};
    for (uint32_t i = 0; i < 12; ++i)
    {
        const Message& message = workload.messages[i];
        EXPECT_EQ(message.bytes, bytes[i]) << i;
        EXPECT_EQ(message.source, i % 3);
        EXPECT_EQ(message.destination, (i + 1) % 3);
        EXPECT_EQ(message.immediate, i < 9) << i;
        ASSERT_EQ(message.after.Size(), i < 3 ? 0u : 1u);
    }
    EXPECT_EQ(workload.messages[3].after[0], 2u);  // step 1, rank 0: rank 2 in step 0
    EXPECT_EQ(workload.messages[4].after[0], 0u);  // step 1, rank 1: rank 0 in step 0
    EXPECT_EQ(workload.messages[11].after[0], 7u); // step 3, rank 2: rank 1 in step 2
}

TEST(MrcWorkload, RingOfTwo)
{
    Workload workload = RingAllReduce(2, 2);
    workload.Check(2);
    ASSERT_EQ(workload.messages.size(), 4u);
    EXPECT_EQ(workload.messages[2].after[0], 1u);
}

TEST(MrcWorkload, RingWithAStride)
{
    // Order of seven NICs by threes: 0 3 6 1 4 2 5.
    Workload workload = RingAllReduce(7, 7, 3);
    workload.Check(7);
    const uint32_t next[] = {3, 4, 5, 6, 2, 0, 1};
    for (uint32_t i = 0; i < workload.messages.size(); ++i)
    {
        EXPECT_EQ(workload.messages[i].destination, next[workload.messages[i].source]);
    }
}

TEST(MrcWorkload, AllToAllIsShifted)
{
    Workload workload = AllToAll(4, 9, 2);
    workload.Check(4);
    ASSERT_EQ(workload.messages.size(), 12u);
    const uint32_t destinations[] = {1, 2, 3, 2, 3, 0, 3, 0, 1, 0, 1, 2};
    for (uint32_t i = 0; i < 12; ++i)
    {
        EXPECT_EQ(workload.messages[i].source, i / 3);
        EXPECT_EQ(workload.messages[i].destination, destinations[i]);
        EXPECT_FALSE(workload.messages[i].immediate);
        // Two at a time: only the third of each NIC waits, for the first.
        ASSERT_EQ(workload.messages[i].after.Size(), i % 3 == 2 ? 1u : 0u);
    }
    EXPECT_EQ(workload.messages[5].after[0], 3u);
}

TEST(MrcWorkload, BadParametersAreRefusedInOneLine)
{
    EXPECT_EQ(ErrorOf([] { PointToPoint(1, 1, 1, 1); }),
              "nic-1 cannot write to itself: name two NICs");
    EXPECT_EQ(ErrorOf([] { PointToPoint(0, 1, 2147483649, 1); }),
              "a message of 2147483649 B is too long: 0 to 2147483648 B");
    EXPECT_EQ(ErrorOf([] { PointToPoint(0, 1, 2147483648, 1); }), "no error");
    EXPECT_EQ(ErrorOf([] { PointToPoint(0, 1, 1, 0); }), "the number of messages is 0: at least 1");
    EXPECT_EQ(ErrorOf([] { Permutation(1, 1, 1, 1); }),
              "a permutation needs at least 2 NICs, not 1");
    EXPECT_EQ(ErrorOf([] { Permutation(65536, 1, 65536, 1); }),
              "4294967296 messages are too many: at most 4294967295");
    EXPECT_EQ(ErrorOf([] { Incast(16, 16, 0, 1, 1); }),
              "an incast of 16 senders to one of 16 NICs: 1 to 15 senders");
    EXPECT_EQ(ErrorOf([] { Incast(16, 0, 0, 1, 1); }),
              "an incast of 0 senders to one of 16 NICs: 1 to 15 senders");
    EXPECT_EQ(ErrorOf([] { Incast(16, 2, 16, 1, 1); }), "no nic-16: nic-0 to nic-15");
    EXPECT_EQ(ErrorOf([] { RingAllReduce(16, 15); }),
              "a ring all-reduce of 15 B among 16 NICs: at least 1 B for each");
    EXPECT_EQ(ErrorOf([] { RingAllReduce(16, 16, 17); }), "a ring with a stride of 17: 1 to 16");
    EXPECT_EQ(ErrorOf([] { AllToAll(4, 1, 0); }),
              "an all-to-all with a window of 0 never sends: at least 1");
}

/// A workload made by hand: message 1 of nic-1 waits for message 0 from nic-0 to nic-1.
Workload
PingPong()
{
    Workload workload;
    workload.messages = {{1, 0, 0, 1, {}, false}, {1, 0, 1, 0, {0}, false}};
    return workload;
}

TEST(MrcWorkload, CheckSetsImmediateWhereAnArrivalIsAwaited)
{
    Workload workload = PingPong();
    workload.messages.push_back({1, 0, 1, 0, {1}, false}); // after one of the same source
    workload.Check(2);
    EXPECT_TRUE(workload.messages[0].immediate);
    EXPECT_FALSE(workload.messages[1].immediate);
    EXPECT_FALSE(workload.messages[2].immediate);
}

TEST(MrcWorkload, CheckNamesTheMessage)
{
    EXPECT_EQ(ErrorOf([] { Workload().Check(2); }), "the workload has no messages");
    EXPECT_EQ(ErrorOf([] { PingPong().Check(1); }),
              "message 0: no nic-1 in this network: nic-0 to nic-0");
    auto errorWith = [](Message message) {
        Workload workload = PingPong();
        workload.messages.push_back(std::move(message));
        return ErrorOf([&] { workload.Check(4); });
    };
    EXPECT_EQ(errorWith({1, 0, 2, 2, {}, false}), "message 2: nic-2 cannot write to itself");
    EXPECT_EQ(errorWith({1, -5, 2, 3, {}, false}), "message 2: starts 5 ps before the start");
    EXPECT_EQ(errorWith({2147483649, 0, 2, 3, {}, false}),
              "message 2: 2147483649 B are too long: 0 to 2147483648 B");
    EXPECT_EQ(errorWith({1, 0, 2, 3, {2}, false}),
              "message 2: waits for message 2, which is not an earlier one");
    EXPECT_EQ(errorWith({1, 0, 2, 3, {0}, false}),
              "message 2: waits for message 0, which nic-2 neither sends nor receives");
    EXPECT_EQ(errorWith({1, 0, 0, 3, {0}, false}), "no error");
}

} // namespace
} // namespace mrc
