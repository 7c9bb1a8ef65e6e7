// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-perf-run.h"

#include "mrc-host-clock.h"
#include "mrc-perf-error.h"

#include <algorithm>
#include <poll.h>
#include <sys/resource.h>

namespace mrc::perf
{

volatile sig_atomic_t g_stop = 0;

namespace
{

/// How long the endpoint sleeps at most: signals are noticed that soon.
constexpr int64_t LONGEST_SLEEP_PS = 100'000'000'000;

/// A busy end looks at the channel once in so many rounds.
constexpr uint32_t ROUNDS_PER_LOOK = 64;

/// A busy end checks messages once in so many rounds: packets go first.
constexpr uint32_t ROUNDS_PER_CHECK = 8;

/// How long after a link's change gaps between completions count for it.
constexpr int64_t EVENT_WINDOW_PS = 1'000'000'000'000;

/// Messages of a latency test that are not counted: caches and tables fill.
constexpr uint64_t WARM_UP = 16;

/// @return user and system time of this process, ps
int64_t
CpuPs()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    constexpr int64_t PS_PER_US = 1'000'000;
    constexpr int64_t PS_PER_S = 1'000'000'000'000;
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * PS_PER_S +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * PS_PER_US;
}

/// @return results of the peer that concern this end @throws RunError
PerfResults
DecodeResults(const nlohmann::json& json)
{
    const auto number = [&json](const char* key) {
        const auto found = json.find(key);
        if (found == json.end() || !found->is_number_unsigned())
        {
            throw RunError(std::string("the peer's results lack '") + key + "'");
        }
        return found->get<uint64_t>();
    };
    PerfResults results;
    results.messages = number("messages");
    results.elapsedPs = static_cast<int64_t>(number("elapsed_ps") & INT64_MAX);
    results.peakBitsPerSecond = static_cast<double>(number("peak_bps"));
    results.verifiedMessages = number("verified_messages");
    results.wrongBytes = number("wrong_bytes");
    results.wrongImmediates = number("wrong_immediates");
    results.cpuPs = static_cast<int64_t>(number("cpu_ps") & INT64_MAX);
    return results;
}

} // namespace

nlohmann::json
EncodeResults(const PerfResults& results)
{
    return {{"messages", results.messages},
            {"elapsed_ps", static_cast<uint64_t>(results.elapsedPs)},
            {"peak_bps", static_cast<uint64_t>(results.peakBitsPerSecond)},
            {"verified_messages", results.verifiedMessages},
            {"wrong_bytes", results.wrongBytes},
            {"wrong_immediates", results.wrongImmediates},
            {"cpu_ps", static_cast<uint64_t>(results.cpuPs)}};
}

PerfRun::PerfRun(const Options& options, ControlChannel channel)
    : m_isServer(options.isServer),
      m_spinPs(options.spinPs),
      m_connection(options, std::move(channel), *this),
      m_qps(m_connection.Test().qps)
{
    const TestParameters& test = m_connection.Test();
    m_timesPs.resize(size_t{test.depth} * test.qps);
    if (test.kind == TestKind::LATENCY)
    {
        m_own.latenciesPs.reserve(m_isServer ? 0 : test.iterations);
    }
}

bool
PerfRun::IsSender() const
{
    const TestParameters& test = m_connection.Test();
    return !m_isServer || test.isBidirectional || test.kind == TestKind::LATENCY;
}

void
PerfRun::Run()
{
    const TestParameters& test = m_connection.Test();
    const int64_t cpuPs = CpuPs();
    m_startPs = HostNowPs();
    m_lastPs = m_startPs;
    m_lastWorkPs = m_startPs;
    if (test.kind == TestKind::BANDWIDTH && IsSender() && !test.isVerified)
    {
        for (uint32_t qp = 0; qp < test.qps; ++qp)
        {
            PostMore(qp);
        }
    }
    while (!m_hasSaidBye || !m_hasPeerLeft)
    {
        if (test.kind == TestKind::LATENCY)
        {
            PingPong();
        }
        Step();
        if (!m_failure.empty())
        {
            m_connection.Channel().Send({{"type", "failed"}, {"text", m_failure}});
            throw RunError(m_failure);
        }
        if (g_stop)
        {
            m_connection.Channel().Send({{"type", "failed"}, {"text", "interrupted"}});
            throw RunError("interrupted");
        }
        // A server that only receives is done when the client is.
        const bool isDone = IsSender() ? HasSentAll(HostNowPs()) : m_hasPeerFinished;
        if (!m_hasFinished && isDone)
        {
            m_hasFinished = true;
            m_own.cpuPs = CpuPs() - cpuPs;
            Summarize();
            nlohmann::json message = EncodeResults(m_own);
            message["type"] = "done";
            m_connection.Channel().Send(message);
        }
        if (m_hasFinished && m_hasPeerFinished && !m_hasSaidBye)
        {
            // Both have sent all; only now the counts of what was checked are final.
            m_hasSaidBye = true;
            nlohmann::json message = EncodeResults(m_own);
            message["type"] = "bye";
            m_connection.Channel().Send(message);
        }
    }
}

bool
PerfRun::MayPost(const Progress& progress, int64_t nowPs) const
{
    const TestParameters& test = m_connection.Test();
    if (progress.posted - progress.completed >= test.depth ||
        (test.iterations != 0 ? progress.posted >= test.iterations
                              : nowPs - m_startPs >= test.durationPs))
    {
        return false;
    }
    // A slot is used again once its message was checked.
    return !test.isVerified || progress.posted - progress.confirmed <
                                   const_cast<PerfRun*>(this)->m_connection.Buffers().Slots();
}

void
PerfRun::PostMore(uint32_t qp)
{
    Progress& progress = m_qps[qp];
    const int64_t nowPs = HostNowPs();
    while (MayPost(progress, nowPs))
    {
        m_connection.PostMessage(qp, progress.posted++);
    }
}

bool
PerfRun::VerifyStep()
{
    bool isBusy = false;
    const int64_t nowPs = HostNowPs();
    for (uint32_t qp = 0; qp < m_qps.size(); ++qp)
    {
        Progress& progress = m_qps[qp];
        if (progress.checked < progress.placed)
        {
            isBusy = true;
            Check(qp, progress.checked + 1);
            if (progress.checked == progress.placed)
            {
                m_connection.Channel().Send(
                    {{"type", "checked"}, {"qp", qp}, {"count", progress.checked}});
            }
        }
        if (IsSender() && MayPost(progress, nowPs))
        {
            isBusy = true;
            m_connection.Buffers().Prepare(qp, progress.posted);
            m_connection.PostMessage(qp, progress.posted++);
        }
    }
    return isBusy;
}

bool
PerfRun::HasSentAll(int64_t nowPs) const
{
    const TestParameters& test = m_connection.Test();
    if (test.iterations == 0 && nowPs - m_startPs < test.durationPs)
    {
        return false;
    }
    const uint64_t extra = test.kind == TestKind::LATENCY ? WARM_UP : 0;
    const bool isConfirmed = test.isVerified && test.kind == TestKind::BANDWIDTH;
    if (extra != 0 && !m_isServer && m_own.latenciesPs.size() < test.iterations)
    {
        return false; // the last answer is still to come
    }
    return std::all_of(m_qps.begin(), m_qps.end(), [&](const Progress& progress) {
        return progress.completed == progress.posted &&
               (test.iterations == 0 || progress.posted == test.iterations + extra) &&
               (!isConfirmed || progress.confirmed == progress.posted);
    });
}

void
PerfRun::PingPong()
{
    const TestParameters& test = m_connection.Test();
    Progress& progress = m_qps[0];
    const uint64_t arrived = test.hasImmediate
                                 ? progress.immediates
                                 : m_connection.Endpoint().Qp(0).responder.CompletedMessages();
    const bool hasNews = arrived > progress.checked;
    if (hasNews)
    {
        const int64_t nowPs = HostNowPs();
        if (!m_isServer && progress.checked >= WARM_UP)
        {
            m_own.latenciesPs.push_back((nowPs - m_pingPs) / 2);
        }
        if (test.isVerified)
        {
            Check(0, arrived);
        }
        progress.checked = arrived;
    }
    // The client begins; from then on each end answers what it got.
    const uint64_t due = m_isServer ? progress.checked : progress.checked + 1;
    if (progress.posted < due && progress.posted < test.iterations + WARM_UP &&
        progress.posted == progress.completed)
    {
        if (test.isVerified)
        {
            m_connection.Buffers().Prepare(0, progress.posted);
        }
        m_pingPs = HostNowPs();
        m_connection.PostMessage(0, progress.posted++);
    }
}

void
PerfRun::Step()
{
    HostEndpoint& endpoint = m_connection.Endpoint();
    ControlChannel& channel = m_connection.Channel();
    const TestParameters& test = m_connection.Test();
    const bool isVerifying = test.isVerified && test.kind == TestKind::BANDWIDTH;
    bool isBusy = endpoint.Progress();
    if (isVerifying && (!isBusy || m_busyRounds % ROUNDS_PER_CHECK == 0))
    {
        isBusy |= VerifyStep();
    }
    if (isBusy)
    {
        m_lastWorkPs = HostNowPs();
        if (++m_busyRounds < ROUNDS_PER_LOOK)
        {
            return;
        }
    }
    else if (m_spinPs == 0 || HostNowPs() - m_lastWorkPs >= m_spinPs)
    {
        int64_t untilPs = HostNowPs() + LONGEST_SLEEP_PS;
        if (test.iterations == 0 && m_startPs + test.durationPs > HostNowPs())
        {
            untilPs = std::min(untilPs, m_startPs + test.durationPs);
        }
        endpoint.Wait(channel.Fd(), untilPs);
    }
    m_busyRounds = 0;
    // A peer that said so is gone.
    while (!m_hasPeerLeft)
    {
        const std::optional<nlohmann::json> message = channel.Poll();
        if (!message)
        {
            break;
        }
        Take(*message);
    }
}

void
PerfRun::Take(const nlohmann::json& message)
{
    const std::string type = message.value("type", "");
    if (type == "done")
    {
        m_peer = DecodeResults(message);
        m_hasPeerFinished = true;
        return;
    }
    if (type == "bye")
    {
        m_peer = DecodeResults(message);
        m_hasPeerLeft = true;
        return;
    }
    if (type == "failed")
    {
        throw RunError("the peer gave up: " + message.value("text", "no reason given"));
    }
    const uint32_t qp = message.value("qp", UINT32_MAX);
    const uint64_t count = message.value("count", uint64_t{0});
    if (qp >= m_qps.size() || (type != "placed" && type != "checked"))
    {
        throw RunError("the peer says something unknown: " + type);
    }
    Progress& progress = m_qps[qp];
    if (type == "placed")
    {
        // Only so many messages can be in the slots.
        if (count < progress.placed || count - progress.checked > m_connection.Buffers().Slots())
        {
            throw RunError("the peer claims messages that it cannot have sent");
        }
        progress.placed = count;
        return;
    }
    if (count < progress.confirmed || count > progress.announced)
    {
        throw RunError("the peer checked messages that were not sent");
    }
    progress.confirmed = count;
}

void
PerfRun::Check(uint32_t qp, uint64_t end)
{
    Progress& progress = m_qps[qp];
    for (; progress.checked < end; ++progress.checked)
    {
        m_own.wrongBytes += m_connection.Buffers().CountWrong(qp, progress.checked);
        ++m_own.verifiedMessages;
    }
}

void
PerfRun::Announce(uint32_t qp, Progress& progress)
{
    // A quarter of the slots at a time, so that the peer checks while others arrive.
    const uint64_t step = std::max<uint64_t>(1, m_connection.Buffers().Slots() / 4);
    if (progress.completed - progress.announced >= step || progress.completed == progress.posted)
    {
        progress.announced = progress.completed;
        m_connection.Channel().Send(
            {{"type", "placed"}, {"qp", qp}, {"count", progress.completed}});
    }
}

void
PerfRun::OnCompletion(uint32_t qp, const Completion& completion)
{
    Progress& progress = m_qps[qp];
    if (completion.status != CompletionStatus::SUCCESS)
    {
        if (m_failure.empty())
        {
            m_failure = "message " + std::to_string(completion.id) + " of QP " +
                        std::to_string(qp) + " failed: " + CompletionStatusText(completion.status);
        }
        return;
    }
    ++progress.completed;
    if (m_connection.Test().kind == TestKind::LATENCY)
    {
        return;
    }
    NoteCompletion(completion.nowPs);
    if (m_connection.Test().isVerified)
    {
        Announce(qp, progress);
    }
    else
    {
        PostMore(qp);
    }
}

void
PerfRun::NoteCompletion(int64_t nowPs)
{
    const TestParameters& test = m_connection.Test();
    int64_t& oldestPs = m_timesPs[m_own.messages % m_timesPs.size()];
    if (m_own.messages >= m_timesPs.size() && nowPs > oldestPs)
    {
        const double bits = 8.0 * test.sizeBytes * static_cast<double>(m_timesPs.size());
        m_own.peakBitsPerSecond =
            std::max(m_own.peakBitsPerSecond, bits * 1e12 / static_cast<double>(nowPs - oldestPs));
    }
    oldestPs = nowPs;
    ++m_own.messages;
    const int64_t gapPs = nowPs - m_lastPs;
    m_own.longestGapPs = std::max(m_own.longestGapPs, gapPs);
    for (LinkEvent& event : m_own.events)
    {
        if (m_lastPs - m_startPs < event.atPs + EVENT_WINDOW_PS)
        {
            event.longestGapPs = std::max(event.longestGapPs, gapPs);
        }
    }
    m_lastPs = nowPs;
}

void
PerfRun::OnReceive(uint32_t qp, const ReceiveCompletion& completion)
{
    Progress& progress = m_qps[qp];
    const uint64_t expected = progress.immediates++;
    m_own.wrongImmediates += completion.rqmsn != expected ||
                             completion.immediate != PerfConnection::ImmediateOf(expected) ||
                             completion.bytes != m_connection.Test().sizeBytes;
}

void
PerfRun::OnPort(uint8_t plane, bool isUp, int64_t nowPs)
{
    m_own.events.push_back({plane, isUp, nowPs - m_startPs, 0});
}

void
PerfRun::Summarize()
{
    m_own.elapsedPs = m_lastPs - m_startPs;
    std::sort(m_own.latenciesPs.begin(), m_own.latenciesPs.end());
    if (m_own.peakBitsPerSecond == 0)
    {
        m_own.peakBitsPerSecond = m_own.BitsPerSecond(m_connection.Test().sizeBytes);
    }
}

} // namespace mrc::perf
