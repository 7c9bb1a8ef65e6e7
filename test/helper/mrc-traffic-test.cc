// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-multi-plane-clos-helper.h"
#include "mrc-traffic.h"

#include <ns3/simulator.h>

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <memory>

namespace ns3
{
namespace
{

/// 16 NICs, 4 at each T0, two planes.
class MrcTrafficTest : public testing::Test
{
  protected:
    MrcTrafficTest()
    {
        MrcMultiPlaneClosHelper::UsePicoseconds();
        MrcMultiPlaneClosHelper clos;
        clos.Config().nics = 16;
        clos.Config().planes = 2;
        clos.Config().nicsPerT0 = 4;
        network = clos.Install();
    }

    ~MrcTrafficTest() override
    {
        traffic.reset();
        Simulator::Destroy();
    }

    /// Make the traffic, start it and run until it is done or the time is over.
    void Run(mrc::Workload workload,
             MrcVerify verify = MrcVerify::BYTES,
             Time limit = MilliSeconds(20),
             uint32_t qpsPerPair = 1)
    {
        traffic = std::make_unique<MrcTraffic>(network, std::move(workload), verify, qpsPerPair);
        traffic->SetDoneCallback([this] {
            ++doneCalls;
            Simulator::Stop();
        });
        traffic->Start();
        Simulator::Stop(limit);
        Simulator::Run();
    }

    /// Expect that every message completed and is in place.
    void ExpectAllInPlace()
    {
        for (const std::string& line : traffic->UnfinishedReport(3))
        {
            ADD_FAILURE() << line;
        }
        EXPECT_TRUE(traffic->IsDone());
        EXPECT_EQ(doneCalls, 1u);
        EXPECT_EQ(traffic->Completed(), traffic->Total());
        EXPECT_EQ(traffic->Failed(), 0u);
        EXPECT_EQ(traffic->Verify(), traffic->Total());
        EXPECT_EQ(traffic->RepeatedPackets(), 0u);
        EXPECT_EQ(traffic->StrayReports(), 0u);
        for (uint32_t message = 0; message < traffic->Total(); ++message)
        {
            const MrcTraffic::Record& record = traffic->At(message);
            EXPECT_TRUE(record.isVerified) << message << ": " << traffic->FailureText(message);
            EXPECT_EQ(record.isArrived, traffic->Workload().messages[message].immediate);
            EXPECT_GE(record.completedPs - record.postedPs, traffic->IdealPs(message)) << message;
        }
    }

    /// @return the receiver's memory of a NIC
    uint8_t* MemoryOf(uint32_t nic)
    {
        return network->Nic(nic).Memory().Region(0).Storage();
    }

    Ptr<MrcClosNetwork> network;         //!< to run on
    std::unique_ptr<MrcTraffic> traffic; //!< what runs
    uint32_t doneCalls{0};               //!< calls of the callback
};

TEST_F(MrcTrafficTest, PointToPointInBytes)
{
    Run(mrc::PointToPoint(0, 15, 100'000, 3));
    ExpectAllInPlace();
    // 100000 B take 25 MTUs of 4096 B; patterns are one message and 1048573 places to start.
    EXPECT_EQ(traffic->MemoryBytes(), 3u * 25 * 4096 + 100'000 + 1'048'573);
    EXPECT_EQ(network->Nic(0).QpCount(), 1u);
    EXPECT_EQ(network->Nic(15).QpCount(), 1u);
}

TEST_F(MrcTrafficTest, PointToPointByPlacement)
{
    Run(mrc::PointToPoint(0, 15, 100'000, 3), MrcVerify::PLACEMENT);
    ExpectAllInPlace();
    EXPECT_EQ(traffic->MemoryBytes(), 0u);
}

TEST_F(MrcTrafficTest, MessagesOfEveryAwkwardLength)
{
    mrc::Workload workload;
    for (const uint64_t bytes : {0, 1, 2, 4095, 4096, 4097, 8192, 1})
    {
        workload.messages.push_back({bytes, 0, 2, 3, {}, false});
        workload.messages.push_back({bytes, 0, 3, 9, {}, true});
    }
    Run(workload);
    ExpectAllInPlace();
}

TEST_F(MrcTrafficTest, ComputesAfterWhatItWaitsFor)
{
    mrc::Workload workload;
    workload.messages.push_back({5000, 0, 0, 9, {}, false});
    workload.messages.push_back({5000, 0, 9, 4, {0}, false});
    workload.messages[0].computeNs = 3000;
    workload.messages[1].computeNs = 70'000'000; // longer than a run may stall
    Run(workload, MrcVerify::BYTES, MilliSeconds(100));
    ExpectAllInPlace();
    EXPECT_EQ(traffic->At(0).postedPs, 3'000'000);
    EXPECT_GE(traffic->At(1).postedPs, traffic->At(0).postedPs + 70'000'000'000);
    EXPECT_LE(traffic->At(1).postedPs, traffic->At(0).completedPs + 70'000'000'000);
    EXPECT_EQ(traffic->IdleUntilPs(), traffic->At(1).postedPs);
}

TEST_F(MrcTrafficTest, TriggersJoinAnyNics)
{
    mrc::Workload workload;
    workload.hasTriggers = true;
    workload.messages.push_back({5000, 0, 0, 9, {}, false});
    workload.messages.push_back({5000, 0, 4, 5, {0}, false});
    Run(workload);
    ExpectAllInPlace();
    EXPECT_EQ(traffic->At(1).postedPs, traffic->At(0).completedPs);
}

TEST_F(MrcTrafficTest, Permutation)
{
    Run(mrc::Permutation(16, 300'000, 2, 7));
    ExpectAllInPlace();
}

TEST_F(MrcTrafficTest, IncastIsTrimmedAndStillComplete)
{
    Run(mrc::Incast(16, 15, 5, 200'000, 1));
    ExpectAllInPlace();
    EXPECT_GT(network->Counters().endpoint.trimNacks, 0u);
}

TEST_F(MrcTrafficTest, LossyLinksLeaveNoTrace)
{
    for (uint64_t link = 0; link < network->Clos().LinksPerPlane(); ++link)
    {
        network->SetLinkLoss(network->Clos().LinkAt(1, link), 0.01, 0.01);
    }
    Run(mrc::RingAllReduce(16, 800'000), MrcVerify::BYTES, MilliSeconds(500));
    ExpectAllInPlace();
    EXPECT_GT(network->Counters().endpoint.retransmitted, 0u);
}

TEST_F(MrcTrafficTest, AllToAll)
{
    Run(mrc::AllToAll(16, 20'000, 4));
    ExpectAllInPlace();
    // Message 4 of each NIC waited for the completion of its message 0, and so on.
    for (uint32_t message = 4; message < 15; ++message)
    {
        EXPECT_GE(traffic->At(message).postedPs, traffic->At(message - 4).completedPs);
    }
}

TEST_F(MrcTrafficTest, RingAllReduceRespectsArrivals)
{
    Run(mrc::RingAllReduce(16, 160'000, 4));
    ExpectAllInPlace();
    const std::vector<mrc::Message>& messages = traffic->Workload().messages;
    for (uint32_t message = 16; message < messages.size(); ++message)
    {
        const uint32_t earlier = messages[message].after[0];
        const MrcTraffic::Record& before = traffic->At(earlier);
        // The arrival is at least half an ideal exchange after the posting, and the
        // completion cannot be before it: it needs an answer.
        EXPECT_GT(traffic->At(message).postedPs, before.postedPs + traffic->IdealPs(earlier) / 2);
        EXPECT_LT(traffic->At(message).postedPs, before.completedPs);
    }
}

TEST_F(MrcTrafficTest, RingOnSeveralQpsByPlacement)
{
    Run(mrc::RingAllReduce(16, 160'000), MrcVerify::PLACEMENT, MilliSeconds(20), 3);
    ExpectAllInPlace();
    EXPECT_EQ(network->Nic(4).QpCount(), 6u); // three to nic-5, three from nic-3
}

TEST_F(MrcTrafficTest, QpsOfAPairTakeTurns)
{
    Run(mrc::PointToPoint(1, 2, 10'000, 5), MrcVerify::BYTES, MilliSeconds(20), 2);
    ExpectAllInPlace();
    const uint32_t first = traffic->At(0).sourceQp;
    for (uint32_t message = 0; message < 5; ++message)
    {
        EXPECT_EQ(traffic->At(message).sourceQp, first + message % 2);
    }
}

TEST_F(MrcTrafficTest, StartTimesCountFromTheStart)
{
    mrc::Workload workload;
    workload.messages = {{5000, 30'000'000, 0, 1, {}, false},
                         {5000, 0, 1, 0, {}, false},
                         {5000, 10'000'000, 2, 3, {}, false},
                         {5000, 10'000'000, 3, 2, {}, false},
                         {5000, 20'000'000, 0, 1, {0}, false}};
    traffic = std::make_unique<MrcTraffic>(network, workload, MrcVerify::BYTES);
    traffic->SetDoneCallback([this] { ++doneCalls; });
    Simulator::Schedule(MicroSeconds(7), [this] { traffic->Start(); });
    Simulator::Stop(MilliSeconds(1));
    Simulator::Run();
    ExpectAllInPlace();
    EXPECT_EQ(traffic->At(0).postedPs, 37'000'000);
    EXPECT_EQ(traffic->At(1).postedPs, 7'000'000);
    EXPECT_EQ(traffic->At(2).postedPs, 17'000'000);
    EXPECT_EQ(traffic->At(3).postedPs, 17'000'000);
    EXPECT_EQ(traffic->At(4).postedPs, traffic->At(0).completedPs); // later than 27 us
}

TEST_F(MrcTrafficTest, AMessageMayWaitForSeveral)
{
    mrc::Workload workload;
    workload.messages = {{50'000, 0, 1, 0, {}, false},
                         {500, 0, 2, 0, {}, false},
                         {500, 0, 0, 3, {}, false},
                         {500, 0, 5, 0, {}, false},
                         {500, 0, 0, 9, {0, 1, 2, 3}, false}};
    Run(workload);
    ExpectAllInPlace();
    for (uint32_t message : {0u, 1u, 2u, 3u})
    {
        EXPECT_GT(traffic->At(4).postedPs,
                  traffic->At(message).postedPs + traffic->IdealPs(message) / 2);
    }
    EXPECT_GE(traffic->At(4).postedPs, traffic->At(2).completedPs);
}

TEST_F(MrcTrafficTest, ArrivalAndCompletionAreDifferentTimes)
{
    mrc::Workload workload;
    workload.messages = {
        {500, 0, 0, 15, {}, false}, {500, 0, 15, 1, {0}, false}, {500, 0, 0, 2, {0}, false}};
    Run(workload);
    ExpectAllInPlace();
    EXPECT_LT(traffic->At(1).postedPs, traffic->At(0).completedPs);
    EXPECT_EQ(traffic->At(2).postedPs, traffic->At(0).completedPs);
}

TEST_F(MrcTrafficTest, DamagedMemoryIsFound)
{
    Run(mrc::PointToPoint(0, 15, 10'000, 3));
    EXPECT_EQ(traffic->Verify(), 3u);
    // Areas are 3 MTUs apart. Byte 4097 of message 1 is damaged, the padding of message 2 also.
    MemoryOf(15)[3 * 4096 + 4097] ^= 0x10;
    MemoryOf(15)[6 * 4096 + 10'000] ^= 0x10;
    EXPECT_EQ(traffic->Verify(), 2u);
    EXPECT_TRUE(traffic->At(0).isVerified);
    EXPECT_FALSE(traffic->At(1).isVerified);
    EXPECT_TRUE(traffic->At(2).isVerified);
    EXPECT_EQ(traffic->FailureText(0), "");
    EXPECT_EQ(traffic->FailureText(1).substr(0, 13), "byte 4097 is ");
}

TEST_F(MrcTrafficTest, PacketsOfAnotherMessageAreFound)
{
    Run(mrc::PointToPoint(0, 15, 4 * 4096, 2));
    // Exchange equal packets of both messages: all bytes are there, in the wrong place.
    uint8_t* memory = MemoryOf(15);
    std::swap_ranges(memory, memory + 4096, memory + 4 * 4096);
    EXPECT_EQ(traffic->Verify(), 0u);
    // And two packets of the same message.
    std::swap_ranges(memory, memory + 4096, memory + 4 * 4096);
    EXPECT_EQ(traffic->Verify(), 2u);
    std::swap_ranges(memory, memory + 4096, memory + 4096);
    EXPECT_EQ(traffic->Verify(), 1u);
}

TEST_F(MrcTrafficTest, AnEarlyStopIsReported)
{
    // Two messages of 512 packets; line rate is 200 Gb/s, so 10 us pass about 60 of them.
    mrc::Workload workload = mrc::PointToPoint(3, 12, 2'097'152, 2);
    workload.messages.push_back({100, 0, 12, 3, {1}, false});
    workload.messages.push_back({100, 50'000'000, 3, 12, {}, false});
    workload.messages.push_back({100, 0, 3, 12, {0}, false});
    Run(workload, MrcVerify::PLACEMENT, MicroSeconds(20));
    EXPECT_FALSE(traffic->IsDone());
    EXPECT_EQ(doneCalls, 0u);
    EXPECT_EQ(traffic->Verify(), 0u);
    EXPECT_EQ(traffic->FailureText(0), "did not complete");

    const std::vector<std::string> lines = traffic->UnfinishedReport(10);
    ASSERT_EQ(lines.size(), 5u);
    unsigned acknowledged = 0;
    unsigned inFlight = 0;
    ASSERT_EQ(std::sscanf(lines[0].c_str(),
                          "message 0 nic-3 -> nic-12, 2097152 B: %u of 512 packets "
                          "acknowledged, %u in flight, waits for the",
                          &acknowledged,
                          &inFlight),
              2)
        << lines[0];
    EXPECT_GT(acknowledged, 0u);
    EXPECT_LT(acknowledged, 512u);
    EXPECT_GT(inFlight, 0u);
    EXPECT_EQ(lines[1],
              "message 1 nic-3 -> nic-12, 2097152 B: 0 of 512 packets acknowledged, "
              "0 in flight, waits for earlier messages of its QP");
    EXPECT_EQ(lines[2],
              "message 2 nic-12 -> nic-3, 100 B: not posted, waits for message 1 "
              "(nic-3 -> nic-12) to arrive");
    EXPECT_EQ(lines[3],
              "message 3 nic-3 -> nic-12, 100 B: not posted, waits for its start at 50 us");
    EXPECT_EQ(lines[4],
              "message 4 nic-3 -> nic-12, 100 B: not posted, waits for message 0 "
              "(nic-3 -> nic-12) to complete");
    EXPECT_EQ(traffic->UnfinishedReport(2).size(), 2u);
    EXPECT_EQ(traffic->UnfinishedReport(2)[1], lines[1]);
}

TEST_F(MrcTrafficTest, ADisconnectedNicIsReported)
{
    network->Nic(3).SetPortUp(0, false);
    network->Nic(3).SetPortUp(1, false);
    Run(mrc::PointToPoint(3, 12, 5000, 1), MrcVerify::BYTES, MicroSeconds(20));
    ASSERT_EQ(traffic->UnfinishedReport(9).size(), 1u);
    EXPECT_EQ(traffic->UnfinishedReport(9)[0],
              "message 0 nic-3 -> nic-12, 5000 B: 0 of 2 packets acknowledged, 0 in flight, "
              "waits for a port of nic-3: all are down");
}

TEST_F(MrcTrafficTest, WhatWaitsForAFailureFailsToo)
{
    // Nic-12 refuses message 0; 1 and 2 follow it directly and by way of 1; 3 is flushed with
    // the QP; 4 is independent.
    mrc::Workload workload;
    workload.messages = {{5000, 0, 3, 12, {}, false},
                         {5000, 0, 12, 3, {0}, false},
                         {5000, 0, 12, 3, {1}, false},
                         {5000, 0, 3, 12, {}, false},
                         {5000, 0, 3, 1, {}, false}};
    traffic = std::make_unique<MrcTraffic>(network, workload, MrcVerify::BYTES);
    traffic->SetDoneCallback([this] { ++doneCalls; });
    network->Nic(12).Memory() = mrc::MemoryTable();
    network->Nic(12).Memory().Register(0, 0, nullptr, 4096);
    traffic->Start();
    Simulator::Stop(MilliSeconds(1));
    Simulator::Run();
    EXPECT_TRUE(traffic->IsDone());
    EXPECT_EQ(doneCalls, 1u);
    EXPECT_EQ(traffic->Completed(), 1u);
    EXPECT_EQ(traffic->Failed(), 4u);
    EXPECT_EQ(traffic->Verify(), 1u);
    EXPECT_TRUE(traffic->At(4).isVerified);
    EXPECT_EQ(traffic->At(0).status, mrc::CompletionStatus::REMOTE_ACCESS);
    EXPECT_EQ(traffic->FailureText(0), "remote access error");
    EXPECT_EQ(traffic->FailureText(1), "was not posted: a message that it waits for failed");
    EXPECT_EQ(traffic->FailureText(2), "was not posted: a message that it waits for failed");
    EXPECT_EQ(traffic->FailureText(3), "flushed");
    EXPECT_TRUE(traffic->UnfinishedReport(9).empty());
}

TEST_F(MrcTrafficTest, ReportsThatFitNothingAreCounted)
{
    Run(mrc::RingAllReduce(4, 40'000));
    EXPECT_EQ(traffic->StrayReports(), 0u);
    const uint32_t qp = traffic->At(0).sourceQp;
    traffic->OnCompletion(0, qp, {0, 1, mrc::CompletionStatus::SUCCESS});  // a second time
    traffic->OnCompletion(1, qp, {99, 1, mrc::CompletionStatus::SUCCESS}); // no such message
    traffic->OnReceive(1, qp, {1, 0, 0, 10'000});                          // a second time
    traffic->OnReceive(1, qp, {1, 0, 99, 10'000});                         // no such message
    EXPECT_EQ(traffic->StrayReports(), 4u);
    EXPECT_EQ(traffic->Completed(), traffic->Total());
}

TEST_F(MrcTrafficTest, IdealTimeDependsOnTheDistance)
{
    mrc::Workload workload;
    workload.messages = {{2, 0, 0, 1, {}, false}, {2, 0, 0, 15, {}, false}};
    Run(workload);
    ExpectAllInPlace();
    // One switch against three: twice (there and back) two more switches and links of 711.4 ns,
    // and two more times that the WRITE and its answer are put on a wire.
    const int64_t furtherPs = traffic->IdealPs(1) - traffic->IdealPs(0);
    EXPECT_GT(furtherPs, 2 * 2 * 711'400);
    EXPECT_LT(furtherPs, 2 * 2 * 711'400 + 60'000);
}

TEST_F(MrcTrafficTest, WorkloadsThatDoNotFitAreRefused)
{
    EXPECT_THROW(MrcTraffic(network, mrc::PointToPoint(0, 16, 1, 1), MrcVerify::BYTES),
                 mrc::WorkloadError);
    EXPECT_THROW(MrcTraffic(network, mrc::PointToPoint(0, 1, 1, 1), MrcVerify::BYTES, 0),
                 mrc::WorkloadError);
}

} // namespace
} // namespace ns3
