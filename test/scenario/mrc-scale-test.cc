// SPDX-License-Identifier: GPL-2.0-only
// Many QPs: on one NIC, and towards one NIC.

#include "mrc-helper.h"
#include "mrc-multi-plane-clos-helper.h"

#include <ns3/simulator.h>

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

constexpr uint32_t NICS = 16;

/// A network of 16 NICs and two planes on which writes are posted and counted.
class MrcScale : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        MrcMultiPlaneClosHelper::UseFastSimulator();
        MrcMultiPlaneClosHelper clos;
        clos.Config().nics = NICS;
        clos.Config().nicsPerT0 = 4;
        clos.Config().planes = 2;
        network = clos.Install();
        mrc = std::make_unique<MrcHelper>(network);
    }

    void TearDown() override
    {
        mrc.reset();
        network = nullptr;
        Simulator::Destroy();
    }

    /// Run until nothing happens any more. @param writes that were posted
    void ExpectAllDone(uint64_t writes)
    {
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        const mrc::EndpointCounters counters = network->Counters().endpoint;
        EXPECT_EQ(counters.messagesDone, writes);
        EXPECT_EQ(counters.messagesFailed, 0u);
        EXPECT_EQ(counters.messagesArrived, writes);
        EXPECT_EQ(counters.accessErrors, 0u);
    }

    Ptr<MrcClosNetwork> network;
    std::unique_ptr<MrcHelper> mrc;
};

TEST_F(MrcScale, TenThousandQpsOnANicAllSend)
{
    // 10,000 QPs of NIC 0 to the 15 others, a write of one packet on each.
    constexpr uint32_t QPS = 10'000;
    constexpr uint32_t BYTES = 4096;
    std::vector<uint32_t> keys;
    for (uint32_t nic = 1; nic < NICS; ++nic)
    {
        keys.push_back(mrc->RegisterMemory(nic, 0, uint64_t{QPS} * BYTES));
    }
    for (uint32_t i = 0; i < QPS; ++i)
    {
        const uint32_t peer = i % (NICS - 1);
        const uint32_t qp = mrc->Connect(0, 1 + peer).sourceQp;
        mrc->Write(0, qp, keys[peer], uint64_t{i} * BYTES, BYTES);
    }
    EXPECT_EQ(network->Nic(0).QpCount(), QPS);
    ExpectAllDone(QPS);
    uint64_t placed = 0;
    for (uint32_t nic = 1; nic < NICS; ++nic)
    {
        placed += network->Nic(nic).Memory().Region(0).PlacedBytes();
        EXPECT_EQ(network->Nic(nic).Memory().Region(0).RepeatedGranules(), 0u);
    }
    EXPECT_EQ(placed, uint64_t{QPS} * BYTES);
}

TEST_F(MrcScale, AThousandQpsToOneNicAllGetThrough)
{
    // 1000 QPs of the 15 others to NIC 0, 16 KiB each, all at once.
    constexpr uint32_t QPS = 1000;
    constexpr uint32_t BYTES = 16 << 10;
    const uint32_t key = mrc->RegisterMemory(0, 0, uint64_t{QPS} * BYTES);
    for (uint32_t i = 0; i < QPS; ++i)
    {
        const uint32_t sender = 1 + i % (NICS - 1);
        const uint32_t qp = mrc->Connect(sender, 0).sourceQp;
        mrc->Write(sender, qp, key, uint64_t{i} * BYTES, BYTES);
    }
    ExpectAllDone(QPS);
    const mrc::MemoryRegion& region = network->Nic(0).Memory().Region(0);
    EXPECT_EQ(region.PlacedBytes(), uint64_t{QPS} * BYTES);
    EXPECT_EQ(region.RepeatedGranules(), 0u);
}

} // namespace
