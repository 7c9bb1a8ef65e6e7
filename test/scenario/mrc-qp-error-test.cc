// SPDX-License-Identifier: GPL-2.0-only
// QPs that fail inside a network: both ends end in ERROR, and others do not notice.

#include "mrc-helper.h"
#include "mrc-multi-plane-clos-helper.h"

#include <ns3/simulator.h>

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// Remembers how work requests ended, per NIC.
struct Ends : MrcApplicationSink
{
    void OnCompletion(uint32_t nic, uint32_t, const mrc::Completion& completion) override
    {
        of[nic].push_back(completion.status);
    }

    void OnReceive(uint32_t, uint32_t, const mrc::ReceiveCompletion&) override
    {
    }

    std::map<uint32_t, std::vector<mrc::CompletionStatus>> of;
};

TEST(QpErrorScenario, RefusedWriteEndsBothDirectionsOfItsQpOnly)
{
    MrcMultiPlaneClosHelper::UseFastSimulator();
    MrcMultiPlaneClosHelper clos;
    clos.Config().nics = 16;
    clos.Config().nicsPerT0 = 8;
    clos.Config().planes = 2;
    const Ptr<MrcClosNetwork> network = clos.Install();
    MrcHelper mrc(network);
    Ends ends;
    network->Nic(0).SetApplication(&ends);
    network->Nic(9).SetApplication(&ends);
    const uint32_t there = mrc.RegisterMemory(9, 0, 1 << 20);
    const uint32_t here = mrc.RegisterMemory(0, 0, 1 << 20);
    const MrcConnection bad = mrc.Connect(0, 9);
    const MrcConnection good = mrc.Connect(0, 9);
    EXPECT_EQ(network->Nic(0).Qp(bad.sourceQp).State(), mrc::QpState::RTS);
    mrc.Write(0, bad.sourceQp, there + 1, 0, 1 << 20); // no such key
    mrc.Write(0, bad.sourceQp, there, 0, 1 << 20);
    mrc.Write(9, bad.destinationQp, here, 0, 1 << 20); // the other direction
    mrc.Write(0, good.sourceQp, there, 0, 1 << 20);
    Simulator::Run();
    EXPECT_EQ(ends.of[0],
              (std::vector{mrc::CompletionStatus::REMOTE_ACCESS,
                           mrc::CompletionStatus::FLUSHED,
                           mrc::CompletionStatus::SUCCESS}));
    EXPECT_EQ(ends.of[9], (std::vector{mrc::CompletionStatus::FLUSHED}));
    EXPECT_EQ(network->Nic(0).Qp(bad.sourceQp).State(), mrc::QpState::ERROR);
    EXPECT_EQ(network->Nic(9).Qp(bad.destinationQp).State(), mrc::QpState::ERROR);
    EXPECT_EQ(network->Nic(0).Qp(good.sourceQp).State(), mrc::QpState::RTS);

    mrc.Write(9, bad.destinationQp, here, 0, 4); // flushed a little later
    Simulator::Run();
    EXPECT_EQ(ends.of[9].size(), 2u);
    EXPECT_EQ(ends.of[9].back(), mrc::CompletionStatus::FLUSHED);
    Simulator::Destroy();
}

} // namespace
