// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-simulated-peer.h"

#include "mrc-address-plan.h"
#include "mrc-perf-buffers.h"
#include "mrc-perf-error.h"
#include "mrc-perf-results.h"
#include "mrc-perf-run.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>

namespace mrc::perf
{

namespace
{

/// The NIC is never silent for long, but a client that measures is.
constexpr int PATIENCE_MS = 3'600'000;

/// @param name of an environment variable that mrc-emu exec sets @return its value
std::string
Environment(const char* name)
{
    const char* value = std::getenv(name);
    if (value == nullptr)
    {
        throw RunError(std::string("$") + name +
                       " is not set: run mrc-perf on a host of a lab, with mrc-emu exec");
    }
    return value;
}

/// @return a connection to the control socket of the lab around this process
FileDescriptor
ConnectToLab()
{
    const std::string path =
        Environment("MRC_EMU_BASE") + "/" + Environment("MRC_EMU_LAB") + "/control";
    FileDescriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    if (connect(fd.Get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    {
        throw RunError(SystemText("connecting to " + path));
    }
    return fd;
}

/// @return FNV-1a of some bytes, as the command "memory" computes it
uint64_t
Fnv(const uint8_t* bytes, uint64_t count)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (uint64_t i = 0; i < count; ++i)
    {
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    }
    return hash;
}

} // namespace

std::optional<uint32_t>
SimulatedPeer::ParseName(const std::string& peer)
{
    const std::string prefix = "nic-";
    uint32_t nic = 0;
    const char* const end = peer.data() + peer.size();
    if (peer.compare(0, prefix.size(), prefix) != 0)
    {
        return std::nullopt;
    }
    const auto [rest, error] = std::from_chars(peer.data() + prefix.size(), end, nic);
    return error == std::errc() && rest == end ? std::optional(nic) : std::nullopt;
}

SimulatedPeer::SimulatedPeer(Options& options, uint32_t nic)
    : m_options(options),
      m_nic(nic)
{
    TestParameters& test = options.test;
    if (!options.fabric || nic >= options.fabric->nics)
    {
        throw BadInput("nic-" + std::to_string(nic) +
                       ": a simulated NIC needs --fabric, and to be one of its NICs");
    }
    if (test.kind != TestKind::BANDWIDTH || test.isBidirectional)
    {
        throw BadInput("a simulated NIC only receives: --bw in one direction");
    }
    if (test.isVerified)
    {
        test.depth = std::max(
            test.depth,
            static_cast<uint32_t>(std::min<uint64_t>((test.iterations + 1) / 2, MAX_DEPTH)));
        if (test.iterations == 0 || PerfBuffers::SlotsFor(test) < test.iterations)
        {
            throw BadInput("--verify: a simulated NIC keeps all messages until the end: --iters "
                           "at most 32768, and all of them in 1 GiB");
        }
    }
    m_lab = ConnectToLab();
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    {
        throw RunError(SystemText("making a socket pair"));
    }
    m_ours.emplace(FileDescriptor(ends[0]));
    m_end.emplace(FileDescriptor(ends[1]));
    m_thread = std::thread([this] { Serve(); });
}

SimulatedPeer::~SimulatedPeer()
{
    m_ours.reset();
    m_thread.join();
}

std::string
SimulatedPeer::Ask(const std::string& command) const
{
    const std::string line = command + "\n";
    if (send(m_lab.Get(), line.data(), line.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(line.size()))
    {
        throw RunError(SystemText("asking the lab"));
    }
    std::string answer;
    for (;;)
    {
        // The last line is "ok" or says what is wrong.
        const size_t last = answer.rfind('\n', answer.size() < 2 ? 0 : answer.size() - 2);
        const std::string end = answer.substr(last == std::string::npos ? 0 : last + 1);
        if (end == "ok\n")
        {
            return answer.substr(0, answer.size() - end.size());
        }
        if (end.rfind("error: ", 0) == 0 && end.back() == '\n')
        {
            throw RunError("the lab says: " + end.substr(7, end.size() - 8));
        }
        char buffer[4096];
        const ssize_t got = recv(m_lab.Get(), buffer, sizeof(buffer), 0);
        if (got <= 0)
        {
            throw RunError("the lab ended");
        }
        answer.append(buffer, static_cast<size_t>(got));
    }
}

Hello
SimulatedPeer::Connect(const Hello& hello)
{
    const AddressPlan addresses{ClosPlan(*m_options.fabric)};
    Hello own;
    own.test = hello.test;
    own.baseRttPs = hello.baseRttPs;
    own.isEncapsulated = true;
    own.nic = m_nic;
    own.address = addresses.NicAddress(m_nic);
    for (uint32_t plane = 0; plane < hello.ports.size(); ++plane)
    {
        own.ports.push_back({addresses.NicPortAddress(m_nic, plane), hello.ports[plane].mac});
    }
    const std::string host = Environment("MRC_EMU_HOST");
    for (const QpOffer& offer : hello.offers)
    {
        std::string line = EncodeQpOffer(offer);
        line.pop_back();
        const QpMessage answer =
            DecodeQpMessage(Ask("qp nic-" + std::to_string(m_nic) + " " + host + " " +
                                std::to_string(offer.bytes) + " " + line));
        if (answer.kind != QpMessage::Kind::OFFER)
        {
            throw RunError("nic-" + std::to_string(m_nic) + " refuses: " + answer.reason);
        }
        own.offers.push_back(answer.offer);
    }
    return own;
}

nlohmann::json
SimulatedPeer::CheckMemory()
{
    PerfResults results;
    const TestParameters& test = m_hello.test;
    if (test.isVerified)
    {
        PerfBuffers wanted(test);
        for (uint32_t qp = 0; qp < test.qps; ++qp)
        {
            for (uint64_t message = 0; message < test.iterations; ++message)
            {
                wanted.Prepare(qp, message);
            }
            const uint64_t hash = Fnv(wanted.Source() + wanted.Offset(qp, 0), wanted.BytesPerQp());
            const std::string found = Ask("memory nic-" + std::to_string(m_nic) + " " +
                                          std::to_string(m_hello.offers[qp].qpn));
            // A hash tells that bytes are wrong, not which.
            const bool isRight =
                found.find("fnv1a=" + std::to_string(hash) + "\n") != std::string::npos;
            results.wrongBytes += isRight ? 0 : test.iterations * test.sizeBytes;
            results.verifiedMessages += test.iterations;
        }
    }
    return EncodeResults(results);
}

void
SimulatedPeer::Converse()
{
    for (;;)
    {
        const nlohmann::json message = m_end->Receive(PATIENCE_MS);
        const std::string type = message.value("type", "hello");
        if (type == "ping")
        {
            m_end->Send({{"type", "pong"}});
        }
        else if (type == "hello")
        {
            m_hello = Connect(DecodeHello(message));
            m_end->Send(EncodeHello(m_hello));
        }
        else if (type == "ready")
        {
            m_end->Send({{"type", "ready"}});
        }
        else if (type == "placed")
        {
            nlohmann::json answer = message; // all is checked in the end
            answer["type"] = "checked";
            m_end->Send(answer);
        }
        else if (type == "done" || type == "bye")
        {
            nlohmann::json answer = type == "bye" ? CheckMemory() : EncodeResults({});
            answer["type"] = type;
            m_end->Send(answer);
        }
        if (type == "bye" || type == "failed")
        {
            return;
        }
    }
}

void
SimulatedPeer::Serve()
{
    try
    {
        Converse();
    }
    catch (const std::exception& error)
    {
        try
        {
            m_end->Send({{"refused", error.what()}, {"type", "failed"}, {"text", error.what()}});
        }
        catch (const RunError&)
        {
            // The client is gone, so nobody wants to know.
        }
    }
}

} // namespace mrc::perf
