// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PERF_RUN_H
#define MRC_PERF_RUN_H

#include "mrc-perf-connection.h"
#include "mrc-perf-results.h"

#include <csignal>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

namespace mrc::perf
{

/// Set by SIGINT and SIGTERM.
extern volatile sig_atomic_t g_stop;

/**
 * One test from set-up to results: what bandwidth and latency have in common.
 *
 * Both ends run the same code; who sends what follows from the role.
 */
class PerfRun : public HostSink
{
  public:
    /**
     * Agree with the peer.
     *
     * @param options of this end
     * @param channel to the peer
     */
    PerfRun(const Options& options, ControlChannel channel);

    /**
     * Do the test.
     *
     * @throws RunError if it cannot be completed
     */
    void Run();

    /// @return the connection
    PerfConnection& Connection()
    {
        return m_connection;
    }

    /// @return what this end measured
    const PerfResults& Own() const
    {
        return m_own;
    }

    /// @return what the peer measured
    const PerfResults& Peer() const
    {
        return m_peer;
    }

    void OnCompletion(uint32_t qp, const Completion& completion) override;
    void OnReceive(uint32_t qp, const ReceiveCompletion& completion) override;
    void OnPort(uint8_t plane, bool isUp, int64_t nowPs) override;

  private:
    /// What a QP has done.
    struct Progress
    {
        uint64_t posted{0};     ///< messages posted
        uint64_t completed{0};  ///< of them acknowledged
        uint64_t announced{0};  ///< of them told to the peer, when it checks them
        uint64_t confirmed{0};  ///< of them checked by the peer
        uint64_t placed{0};     ///< messages of the peer that can be checked here
        uint64_t checked{0};    ///< messages of the peer that were checked here
        uint64_t immediates{0}; ///< immediates that arrived
    };

    /// @return whether this end sends
    bool IsSender() const;
    /// @return whether a message of a QP may be posted
    bool MayPost(const Progress& progress, int64_t nowPs) const;
    /// Post what may be posted to a QP.
    void PostMore(uint32_t qp);
    /**
     * Check one message of each QP and prepare another one, where there are any: patterns take
     * time, and packets go on arriving meanwhile.
     *
     * @return whether there was something to do
     */
    bool VerifyStep();
    /// @return whether all messages of this end are acknowledged and checked
    bool HasSentAll(int64_t nowPs) const;
    /// One round of a latency test: answer what arrived, send the next one.
    void PingPong();
    /// Let the endpoint work, sleep if there is nothing to do, take messages of the peer.
    void Step();
    /// Take a message of the peer.
    void Take(const nlohmann::json& message);
    /// Check messages of a QP up to a number.
    void Check(uint32_t qp, uint64_t end);
    /// Tell the peer how many messages are complete, so that it checks them.
    void Announce(uint32_t qp, Progress& progress);
    /// A message of this end was acknowledged.
    void NoteCompletion(int64_t nowPs);
    /// Fill in results at the end.
    void Summarize();

    bool m_isServer;                //!< role
    int64_t m_spinPs;               //!< look for frames so long before sleeping
    PerfConnection m_connection;    //!< both ends
    std::vector<Progress> m_qps;    //!< by QP
    PerfResults m_own;              //!< of this end
    PerfResults m_peer;             //!< of the other one
    std::vector<int64_t> m_timesPs; //!< of the latest completions, a ring of `depth` x QPs
    int64_t m_startPs{0};           //!< of the test
    int64_t m_lastPs{0};            //!< latest completion
    int64_t m_lastWorkPs{0};        //!< when frames last came or went
    int64_t m_pingPs{0};            //!< when the latest message of a latency test was posted
    uint32_t m_busyRounds{0};       //!< rounds since the channel was looked at
    bool m_hasFinished{false};      //!< results were told to the peer
    bool m_hasPeerFinished{false};  //!< all messages of the peer arrived
    bool m_hasSaidBye{false};       //!< final results were told to the peer
    bool m_hasPeerLeft{false};      //!< and those of the peer are known
    std::string m_failure;          //!< why a work request failed
};

/// @param results what to tell @return as JSON, without latencies
nlohmann::json EncodeResults(const PerfResults& results);

} // namespace mrc::perf

#endif // MRC_PERF_RUN_H
