// SPDX-License-Identifier: GPL-2.0-only
// Endpoint operations between two agents, and what they make of nonsense
// (type=test of //= MRC-REF 2 PETH, ERTH, EETH and 4 Reverse path and ports).
//
// NIC 1 and NIC 2 have four planes. Updates are repeated after 10, 20, 40, ... us, at most 3 times.
#include "mrc-bth.h"
#include "mrc-endpoint-agent.h"
#include "mrc-reverse-path.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace mrc
{
namespace
{

constexpr int64_t US = 1'000'000; // in ps
constexpr int64_t NEVER = EndpointAgent::NEVER;

/// An agent and what it said.
struct Nic : EndpointObserver
{
    Nic(uint32_t number, const EndpointConfig& config)
        : index(number),
          agent(config, dscp, 4, counters, *this)
    {
    }

    void OnEvProbeEnd(const EvProbeResult& result) override
    {
        results.push_back(result);
    }

    void OnPeerPorts(uint32_t peer, uint32_t mask, int64_t) override
    {
        ports.emplace_back(peer, mask);
    }

    uint32_t index;
    DscpMap dscp{};
    EndpointOpCounters counters{};
    std::vector<EvProbeResult> results;
    std::vector<std::pair<uint32_t, uint32_t>> ports; //!< peer and mask
    EndpointAgent agent;
};

class EndpointAgentTest : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        config.portUpdateIntervalPs = 10 * US;
        config.portUpdateIntervalMaxPs = 30 * US;
        config.portUpdateRepeats = 3;
    }

    /// @return the requests that a NIC sends, as frames
    std::vector<Frame> Send(Nic& nic, int64_t nowPs)
    {
        std::vector<Frame> frames;
        EndpointRequest request{};
        while (nic.agent.NextRequest(nowPs, request))
        {
            Frame frame{};
            nic.agent.Fill(request, nowPs, true, frame);
            frame.source = nic.index;
            frame.destination = request.peer;
            frame.plane = request.plane;
            frames.push_back(frame);
        }
        return frames;
    }

    /// A request arrives. @return the answer, or a frame without opcode if there is none
    Frame Ask(Nic& nic, const Frame& request, int64_t nowPs, int64_t servicePs = 0)
    {
        Frame answer{};
        if (nic.agent.OnRequest(request, true, nowPs))
        {
            answer = request;
            nic.agent.FillAnswer(answer, nowPs, nowPs + servicePs, answer);
            answer.source = nic.index;
        }
        return answer;
    }

    EndpointConfig config;
    Nic one{1, config};
    Nic two{2, config};
};

// --- EV_PROBE -----------------------------------------------------------------------------

TEST_F(EndpointAgentTest, AProbeGoesAndComesBackOnItsEv)
{
    // one --EV_PROBE id 1, ev--> two, 5 us later; --answer--> one, 4 us later: RTT 9 us
    EXPECT_EQ(one.agent.NextDeadlinePs(), NEVER);
    const uint16_t id = one.agent.Probe({2, 7, 0xc0010003, 1, 50 * US}, 100 * US);
    EXPECT_EQ(one.agent.NextDeadlinePs(), 150 * US);
    const std::vector<Frame> sent = Send(one, 100 * US);
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].opcode, Opcode::ENDPOINT_REQUEST);
    EXPECT_EQ(sent[0].destinationQp, ENDPOINT_QP);
    EXPECT_EQ(sent[0].psn, id);
    EXPECT_EQ(sent[0].ev, 0xc0010003U);
    EXPECT_EQ(sent[0].plane, 1);
    EXPECT_EQ(sent[0].request.op, EndpointOp::EV_PROBE);
    EXPECT_EQ(sent[0].Dscp(), 46); // control
    EXPECT_TRUE(sent[0].Has(Frame::CONTROL));
    EXPECT_TRUE(Send(one, 100 * US).empty());

    const Frame answer = Ask(two, sent[0], 105 * US);
    EXPECT_EQ(answer.opcode, Opcode::ENDPOINT_RESPONSE);
    EXPECT_EQ(answer.destinationQp, ENDPOINT_QP);
    EXPECT_EQ(answer.psn, id);
    EXPECT_EQ(answer.ev, 0xc0010003U);
    EXPECT_EQ(answer.response.txTimestamp, sent[0].request.txTimestamp);
    one.agent.OnResponse(answer, 109 * US);
    ASSERT_EQ(one.results.size(), 1U);
    EXPECT_EQ(one.results[0].rttPs, 9 * US);
    EXPECT_EQ(one.results[0].id, id);
    EXPECT_EQ(one.results[0].probe.qp, 7U);
    EXPECT_EQ(one.counters.evProbesAnswered, 1U);
    one.agent.OnResponse(answer, 110 * US); // a copy
    EXPECT_EQ(one.results.size(), 1U);
    EXPECT_EQ(one.counters.responsesUnmatched, 1U);
}

TEST_F(EndpointAgentTest, ServiceTimeIsTakenOut)
{
    // Two spends 1.28 us = 10 units on the answer; of 9 us 7.72 us are the network's.
    one.agent.Probe({2, 0, 5, 0, 50 * US}, 0);
    const Frame answer = Ask(two, Send(one, 0)[0], 4 * US, 1'280'000);
    EXPECT_EQ(answer.response.txTimestamp, 10);
    one.agent.OnResponse(answer, 9 * US);
    EXPECT_EQ(one.results.at(0).rttPs, 7'720'000);
}

TEST_F(EndpointAgentTest, AServiceTimeLongerThanAllIsNotBelieved)
{
    one.agent.Probe({2, 0, 5, 0, 50 * US}, 0);
    Frame answer = Ask(two, Send(one, 0)[0], 4 * US);
    answer.response.txTimestamp = 0xffff;
    one.agent.OnResponse(answer, 9 * US);
    EXPECT_EQ(one.results.at(0).rttPs, 9 * US);
}

TEST_F(EndpointAgentTest, AProbeThatNobodyAnswersEnds)
{
    one.agent.Probe({2, 0, 5, 0, 50 * US}, 0);
    one.agent.Probe({2, 0, 6, 0, 20 * US}, 0);
    const std::vector<Frame> sent = Send(one, 0);
    EXPECT_EQ(one.agent.NextDeadlinePs(), 20 * US);
    one.agent.OnTimer(20 * US);
    ASSERT_EQ(one.results.size(), 1U);
    EXPECT_EQ(one.results[0].rttPs, -1);
    EXPECT_EQ(one.results[0].probe.ev, 6U);
    EXPECT_EQ(one.agent.NextDeadlinePs(), 50 * US);
    for (const Frame& frame : sent)
    {
        one.agent.OnResponse(Ask(two, frame, 10 * US), 30 * US); // too late for one of them
    }
    EXPECT_EQ(one.results.size(), 2U);
    EXPECT_EQ(one.counters.evProbesAnswered, 1U);
    EXPECT_EQ(one.counters.evProbesUnanswered, 1U);
    one.agent.OnTimer(50 * US);
    EXPECT_EQ(one.agent.NextDeadlinePs(), NEVER);
}

TEST_F(EndpointAgentTest, OnlyWhoWasAskedAnswers)
{
    one.agent.Probe({2, 0, 5, 0, 50 * US}, 0);
    Frame answer = Ask(two, Send(one, 0)[0], 4 * US);
    answer.source = 3;
    one.agent.OnResponse(answer, 9 * US);
    EXPECT_TRUE(one.results.empty());
    answer.source = 2;
    answer.response.op = static_cast<EndpointOp>(3);
    one.agent.OnResponse(answer, 9 * US);
    EXPECT_TRUE(one.results.empty());
    EXPECT_EQ(one.counters.responsesUnmatched, 2U);
}

TEST_F(EndpointAgentTest, ManyProbesAreToldApart)
{
    std::vector<Frame> answers;
    for (uint32_t i = 0; i < 1000; ++i)
    {
        one.agent.Probe({2, i, i, 0, 50 * US}, 0);
    }
    for (const Frame& frame : Send(one, 0))
    {
        answers.push_back(Ask(two, frame, US));
    }
    ASSERT_EQ(answers.size(), 1000U);
    for (const Frame& answer : answers)
    {
        one.agent.OnResponse(answer, 2 * US);
    }
    EXPECT_EQ(one.counters.evProbesAnswered, 1000U);
    for (const EvProbeResult& result : one.results)
    {
        EXPECT_EQ(result.probe.qp, result.probe.ev);
    }
}

TEST_F(EndpointAgentTest, RequestIdsWrap)
{
    for (uint32_t i = 0; i < 70'000; ++i)
    {
        const int64_t nowPs = i * US;
        one.agent.Probe({2, 0, 5, 0, 50 * US}, nowPs);
        one.agent.OnResponse(Ask(two, Send(one, nowPs).at(0), nowPs), nowPs + 1);
    }
    EXPECT_EQ(one.counters.evProbesAnswered, 70'000U);
}

// --- PORT_STATUS_UPDATE -------------------------------------------------------------------

TEST_F(EndpointAgentTest, APortThatDiesIsAnnouncedOverAnotherPlane)
{
    one.agent.SetOwnPort(1, false, {2, 3}, 0);
    const std::vector<Frame> sent = Send(one, 0);
    ASSERT_EQ(sent.size(), 2U);
    for (const Frame& frame : sent)
    {
        EXPECT_EQ(frame.request.op, EndpointOp::PORT_STATUS_UPDATE);
        EXPECT_EQ(frame.request.portStatusMask, 0b1101U); // bit 0 = port 1 = plane 0
        EXPECT_NE(frame.plane, 1);
    }
    EXPECT_EQ(sent[0].destination, 2U);
    EXPECT_EQ(sent[1].destination, 3U);

    const Frame answer = Ask(two, sent[0], 5 * US);
    EXPECT_EQ(two.ports, (std::vector<std::pair<uint32_t, uint32_t>>{{1, 0b1101}}));
    EXPECT_EQ(two.agent.PeerMask(1), 0b1101U);
    EXPECT_EQ(two.agent.PeerMask(3), 0b1111U);
    one.agent.OnResponse(answer, 9 * US);
    EXPECT_EQ(one.counters.portUpdatesAnswered, 1U);
    const std::vector<Frame> again = Send(one, 10 * US); // 3 has not answered
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].destination, 3U);
}

TEST_F(EndpointAgentTest, AnUpdateIsRepeatedOverOtherPlanesThenGivenUp)
{
    one.agent.SetOwnPort(0, false, {2}, 0);
    std::vector<int64_t> times;
    std::vector<uint8_t> planes;
    int64_t nowPs = 0;
    while (one.agent.NextDeadlinePs() != NEVER)
    {
        nowPs = one.agent.NextDeadlinePs();
        for (const Frame& frame : Send(one, nowPs))
        {
            times.push_back(nowPs / US);
            planes.push_back(frame.plane);
        }
    }
    // 10, 20, then 30 us, the most, instead of 40. After another 30 us it is given up.
    EXPECT_EQ(times, (std::vector<int64_t>{0, 10, 30, 60}));
    EXPECT_EQ(nowPs, 90 * US);
    for (size_t i = 1; i < planes.size(); ++i)
    {
        EXPECT_NE(planes[i], planes[i - 1]);
        EXPECT_NE(planes[i], 0);
    }
    EXPECT_EQ(one.counters.portUpdatesRepeated, 3U);
    EXPECT_EQ(one.counters.portUpdatesGivenUp, 1U);
}

TEST_F(EndpointAgentTest, ALateAnswerToARepeatedUpdateCounts)
{
    one.agent.SetOwnPort(0, false, {2}, 0);
    const Frame first = Send(one, 0).at(0);
    EXPECT_EQ(Send(one, 10 * US).size(), 1U);
    one.agent.OnResponse(Ask(two, first, 11 * US), 12 * US);
    EXPECT_EQ(one.agent.NextDeadlinePs(), NEVER);
}

TEST_F(EndpointAgentTest, AnAnswerToAnOldMaskDoesNotConfirmTheNewOne)
{
    one.agent.SetOwnPort(0, false, {2}, 0);
    const Frame down = Send(one, 0).at(0);
    one.agent.SetOwnPort(0, true, {2}, 2 * US);
    const Frame up = Send(one, 2 * US).at(0);
    EXPECT_EQ(up.request.portStatusMask, 0b1111U);
    one.agent.OnResponse(Ask(two, down, 3 * US), 5 * US);
    EXPECT_EQ(one.agent.NextDeadlinePs(), 12 * US);
    EXPECT_EQ(two.agent.PeerMask(1), 0b1110U);
    one.agent.OnResponse(Ask(two, up, 6 * US), 8 * US);
    EXPECT_EQ(one.agent.NextDeadlinePs(), NEVER);
    EXPECT_EQ(two.agent.PeerMask(1), 0b1111U);
}

TEST_F(EndpointAgentTest, AnUpdateThatWasOvertakenChangesNothingButIsAnswered)
{
    one.agent.SetOwnPort(0, false, {2}, 0);
    const Frame down = Send(one, 0).at(0);
    one.agent.SetOwnPort(0, true, {2}, US);
    const Frame up = Send(one, US).at(0);
    Ask(two, up, 2 * US);
    EXPECT_EQ(Ask(two, down, 3 * US).opcode, Opcode::ENDPOINT_RESPONSE);
    EXPECT_EQ(two.agent.PeerMask(1), 0b1111U);
    EXPECT_TRUE(two.ports.empty()); // all ports were up before
}

TEST_F(EndpointAgentTest, WithAllPortsDownItWaitsForOne)
{
    for (uint8_t plane = 0; plane < 4; ++plane)
    {
        one.agent.SetOwnPort(plane, false, {2}, 0);
    }
    EXPECT_TRUE(Send(one, 0).empty());
    EXPECT_EQ(one.agent.NextDeadlinePs(), NEVER);
    one.agent.SetOwnPort(2, true, {2}, US);
    const std::vector<Frame> sent = Send(one, US);
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].plane, 2);
    EXPECT_EQ(sent[0].request.portStatusMask, 0b0100U);
}

TEST_F(EndpointAgentTest, PlanesThatThePeerLostAreNotUsedForUpdates)
{
    two.agent.SetOwnPort(0, false, {1}, 0);
    two.agent.SetOwnPort(1, false, {1}, 0);
    Ask(one, Send(two, 0).at(0), US);
    one.agent.SetOwnPort(2, false, {2}, 2 * US); // only plane 3 joins the two
    for (const int64_t nowPs : {2 * US, 12 * US, 32 * US})
    {
        EXPECT_EQ(Send(one, nowPs).at(0).plane, 3);
    }
}

TEST_F(EndpointAgentTest, StrangersAndNonsenseHaveNoSay)
{
    one.agent.SetOwnPort(0, false, {2}, 0);
    Frame frame = Send(one, 0).at(0);
    EXPECT_FALSE(two.agent.OnRequest(frame, false, US)); // no QP with the sender
    frame.request.portStatusMask = 0xf0;                 // none of the planes that there are
    EXPECT_FALSE(two.agent.OnRequest(frame, true, US));
    frame.request.op = static_cast<EndpointOp>(2);
    EXPECT_FALSE(two.agent.OnRequest(frame, true, US));
    EXPECT_EQ(two.counters.requestsRefused, 3U);
    EXPECT_TRUE(two.ports.empty());
    EXPECT_EQ(two.agent.PeerMask(1), 0b1111U);
}

// --- Reverse path -------------------------------------------------------------------------

TEST(ReversePathTest, ProbesOnceAnIntervalWhileItOnlyReceives)
{
    ReversePath path;
    EXPECT_FALSE(path.OnReceived(100, 10)); // the interval begins
    EXPECT_FALSE(path.OnReceived(109, 10));
    EXPECT_TRUE(path.OnReceived(110, 10));
    EXPECT_FALSE(path.OnReceived(119, 10));
    path.OnSent();
    EXPECT_FALSE(path.OnReceived(120, 10)); // it sent in this one
    EXPECT_FALSE(path.OnReceived(129, 10));
    EXPECT_TRUE(path.OnReceived(135, 10));
}

TEST(ReversePathTest, KeepsAnEvForEachPlaneAndFindsOneThatIsUp)
{
    ReversePath path;
    EXPECT_EQ(path.Ev(3), 0U);
    path.Keep(2, 4, 77);
    EXPECT_EQ(path.Ev(2), 77U);
    EXPECT_EQ(path.Ev(3), 0U);
    EXPECT_EQ(path.PlaneFor(1, 4), 1);
    path.SetDownPlanes(0b1010);
    EXPECT_FALSE(path.IsPlaneUp(1));
    EXPECT_EQ(path.PlaneFor(1, 4), 2);
    EXPECT_EQ(path.PlaneFor(3, 4), 0);
    path.SetDownPlanes(0b1111);
    EXPECT_EQ(path.PlaneFor(3, 4), 3);
}

} // namespace
} // namespace mrc
