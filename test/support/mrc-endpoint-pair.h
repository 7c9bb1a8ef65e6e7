// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_ENDPOINT_PAIR_H
#define MRC_ENDPOINT_PAIR_H

#include "mrc-ev-table.h"
#include "mrc-fixed-window.h"
#include "mrc-qp-exchange.h"
#include "mrc-requester.h"
#include "mrc-responder.h"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace mrc
{

/// One end of a connection in a test: both halves of a QP, and what its application was told.
class TestEnd : public RequesterHost, public ResponderHost
{
  public:
    TransportConfig config;                  ///< to be set before EndpointPair::Connect()
    MemoryTable memory;                      ///< what the other end may write to
    EndpointCounters counters{};             ///< of both halves
    uint64_t cwndBytes{1 << 20};             ///< window
    uint32_t firstPsn{0};                    ///< PSN of the first packet
    std::unique_ptr<Requester> requester;    ///< made by Connect()
    std::unique_ptr<Responder> responder;    ///< made by Connect()
    std::vector<Completion> completions;     ///< of work requests
    std::vector<ReceiveCompletion> received; ///< of WRITEs with immediate
    std::function<std::unique_ptr<CongestionControl>()> control; ///< if not a fixed window
    std::function<void(const Completion&)> onCompletion;         ///< what the application does then
    int errors{0};                                               ///< how often the QP went to ERROR

    std::unique_ptr<CongestionControl> CreateCongestionControl() override
    {
        return control ? control() : std::make_unique<FixedWindow>(cwndBytes, config.baseRttPs);
    }

    std::unique_ptr<PathSelector> CreatePathSelector() override
    {
        EvTableConfig evs;
        evs.activePerPlane = 4;
        evs.backupPerPlane = 0;
        evs.probeIntervalMaxPs = 10'000'000'000'000; // tests that last hours
        m_evs = evs;
        return std::make_unique<EvTable>(
            m_evs, std::vector<std::vector<uint32_t>>{{0, 1, 2, 3}, {16, 17, 18, 19}}, 1);
    }

    void OnCompletion(const Completion& completion) override
    {
        completions.push_back(completion);
        if (onCompletion)
        {
            onCompletion(completion);
        }
    }

    void OnReceiveCompletion(const ReceiveCompletion& completion) override
    {
        received.push_back(completion);
    }

    void OnQpError(int64_t nowPs) override
    {
        ++errors;
        requester->ToError(nowPs);
        responder->ToError(nowPs);
    }

  private:
    EvTableConfig m_evs; ///< the table keeps a reference
};

/**
 * Two ends and a network between them that does what a test says.
 *
 * Everything takes half a base RTT and keeps its order unless `network` decides otherwise.
 */
class EndpointPair
{
  public:
    static constexpr int64_t US = 1'000'000;
    static constexpr int64_t BASE_RTT = 10 * US;

    EndpointPair()
    {
        for (TestEnd* end : {&a, &b})
        {
            end->config.baseRttPs = BASE_RTT;
            end->config.targetDelayPs = BASE_RTT;
            end->config.reorderGuardPs = BASE_RTT;
        }
    }

    TestEnd a; ///< usually the one that sends
    TestEnd b; ///< usually the one that receives

    /// Told each frame that is sent; may change it or its delay. Returns false to lose it.
    std::function<bool(Frame& frame, int64_t& delayPs)> network;

    int64_t nowPs{1000 * US}; ///< the time
    int timers{0};            ///< how often a requester's timer ran

    /// Connect the ends as NegotiateQp() says.
    void Connect()
    {
        const QpOffer ofA = MakeQpOffer(a.config, 7, a.firstPsn);
        const QpOffer ofB = MakeQpOffer(b.config, 9, b.firstPsn);
        const QpSetup atA = NegotiateQp(ofA, ofB, true);
        const QpSetup atB = NegotiateQp(ofB, ofA, true);
        a.requester = std::make_unique<Requester>(a.config, atA, a.counters, a);
        a.responder = std::make_unique<Responder>(a.config, atA, a.memory, a.counters, a);
        b.requester = std::make_unique<Requester>(b.config, atB, b.counters, b);
        b.responder = std::make_unique<Responder>(b.config, atB, b.memory, b.counters, b);
    }

    /// Let everything happen until nothing is left to happen, or a time has come.
    void Run(int64_t untilPs = INT64_MAX)
    {
        for (;;)
        {
            Send(a, b);
            Send(b, a);
            int64_t nextPs = std::min(a.requester->WakeByPs(), b.requester->WakeByPs());
            if (!m_wire.empty())
            {
                nextPs = std::min(nextPs, m_wire.begin()->first);
            }
            if (nextPs == Requester::NEVER || nextPs > untilPs)
            {
                nowPs = untilPs == INT64_MAX ? nowPs : untilPs;
                return;
            }
            nowPs = std::max(nowPs, nextPs);
            for (TestEnd* end : {&a, &b})
            {
                if (end->requester->WakeByPs() <= nowPs)
                {
                    ++timers;
                    end->requester->OnTimer(nowPs);
                }
            }
            while (!m_wire.empty() && m_wire.begin()->first <= nowPs)
            {
                const Arrival arrival = m_wire.begin()->second;
                m_wire.erase(m_wire.begin());
                Deliver(*arrival.to, *arrival.from, arrival.frame);
            }
        }
    }

  private:
    /// A frame under way.
    struct Arrival
    {
        Frame frame;   ///< what
        TestEnd* from; ///< who sent it
        TestEnd* to;   ///< where it goes
    };

    void Send(TestEnd& from, TestEnd& to)
    {
        Frame frame{};
        bool isSending = true;
        while (isSending)
        {
            isSending = false;
            for (uint8_t plane = 0; plane < 2; ++plane)
            {
                if (from.requester->NextFrame(nowPs, plane, frame))
                {
                    Cross(frame, from, to);
                    isSending = true;
                }
                isSending |= from.requester->IsSittingOut();
            }
        }
    }

    void Cross(const Frame& sent, TestEnd& from, TestEnd& to)
    {
        Frame frame = sent;
        int64_t delayPs = BASE_RTT / 2;
        if (!network || network(frame, delayPs))
        {
            frame.whenPs = nowPs + delayPs;
            m_wire.emplace(frame.whenPs, Arrival{frame, &from, &to});
        }
    }

    void Deliver(TestEnd& at, TestEnd& from, const Frame& frame)
    {
        uint8_t replies = Responder::REPLY_NONE;
        switch (frame.opcode)
        {
        case Opcode::SACK:
            at.requester->OnSack(frame, nowPs);
            return;
        case Opcode::NACK:
            at.requester->OnNack(frame, nowPs);
            return;
        case Opcode::ACKNOWLEDGE:
            at.requester->OnAck(frame, nowPs);
            return;
        case Opcode::RELIABILITY_PROBE:
            replies = at.responder->OnProbe(frame);
            break;
        default:
            replies = at.responder->OnWrite(frame, nowPs);
        }
        for (const auto reply :
             {Responder::REPLY_SACK, Responder::REPLY_NACK, Responder::REPLY_ACK})
        {
            if ((replies & reply) != 0)
            {
                Frame answer{};
                at.responder->Fill(reply, frame, answer);
                Cross(answer, at, from);
            }
        }
    }

    std::multimap<int64_t, Arrival> m_wire; ///< by arrival; equal times keep their order
};

} // namespace mrc

#endif // MRC_ENDPOINT_PAIR_H
