// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-perf-hello.h"

#include "mrc-clos-plan.h"
#include "mrc-perf-buffers.h"
#include "mrc-perf-error.h"

namespace mrc::perf
{

namespace
{

constexpr int VERSION = 1;
constexpr const char* KINDS[] = {"bw", "lat"};

/// @return a whole number of an object @throws RunError if it is missing or out of range
uint64_t
TakeNumber(const nlohmann::json& json, const char* key, uint64_t least, uint64_t most)
{
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number_unsigned())
    {
        throw RunError(std::string("the peer's hello has no number '") + key + "'");
    }
    const auto number = found->get<uint64_t>();
    if (number < least || number > most)
    {
        throw RunError(std::string("the peer asks for ") + key + " " + std::to_string(number) +
                       ", which is not between " + std::to_string(least) + " and " +
                       std::to_string(most));
    }
    return number;
}

/// @return a truth value of an object @throws RunError
bool
TakeFlag(const nlohmann::json& json, const char* key)
{
    const auto found = json.find(key);
    if (found == json.end() || !found->is_boolean())
    {
        throw RunError(std::string("the peer's hello does not say '") + key + "'");
    }
    return found->get<bool>();
}

/// @return a member that is an object or array @throws RunError
const nlohmann::json&
TakePart(const nlohmann::json& json, const char* key, nlohmann::json::value_t type)
{
    const auto found = json.find(key);
    if (found == json.end() || found->type() != type)
    {
        throw RunError(std::string("the peer's hello has no '") + key + "'");
    }
    return *found;
}

/// @return a text of an object @throws RunError
const std::string&
TakeText(const nlohmann::json& json, const char* key)
{
    const auto found = json.find(key);
    if (found == json.end() || !found->is_string())
    {
        throw RunError(std::string("the peer's hello has no text '") + key + "'");
    }
    return found->get_ref<const std::string&>();
}

/// @return an address of an object @throws RunError
Ipv6Address
TakeAddress(const nlohmann::json& json, const char* key)
{
    Ipv6Address address{};
    if (!Ipv6Address::Parse(TakeText(json, key), address))
    {
        throw RunError(std::string("the peer's '") + key + "' is no IPv6 address");
    }
    return address;
}

/// @return what is to be done @throws RunError if it is more than we do
TestParameters
DecodeTest(const nlohmann::json& json)
{
    TestParameters test;
    const std::string& kind = TakeText(json, "kind");
    if (kind != KINDS[0] && kind != KINDS[1])
    {
        throw RunError("the peer asks for an unknown kind of test");
    }
    test.kind = kind == KINDS[0] ? TestKind::BANDWIDTH : TestKind::LATENCY;
    test.sizeBytes = static_cast<uint32_t>(TakeNumber(json, "size", 1, MAX_SIZE_BYTES));
    test.iterations = TakeNumber(json, "iterations", 0, MAX_ITERATIONS);
    test.durationPs = static_cast<int64_t>(TakeNumber(json, "duration_ps", 0, INT64_MAX));
    test.qps = static_cast<uint32_t>(TakeNumber(json, "qps", 1, MAX_QPS));
    test.depth = static_cast<uint32_t>(TakeNumber(json, "depth", 1, MAX_DEPTH));
    test.seed = TakeNumber(json, "seed", 0, UINT64_MAX);
    test.isBidirectional = TakeFlag(json, "bidirectional");
    test.hasImmediate = TakeFlag(json, "imm");
    test.isVerified = TakeFlag(json, "verify");
    if (PerfBuffers::SlotsFor(test) == 0)
    {
        throw RunError("the test needs more memory than an end gives");
    }
    return test;
}

} // namespace

nlohmann::json
EncodeHello(const Hello& hello)
{
    const TestParameters& test = hello.test;
    nlohmann::json json;
    json["mrc-perf"] = VERSION;
    json["test"] = {{"kind", KINDS[static_cast<int>(test.kind)]},
                    {"size", test.sizeBytes},
                    {"iterations", test.iterations},
                    {"duration_ps", static_cast<uint64_t>(test.durationPs)},
                    {"qps", test.qps},
                    {"depth", test.depth},
                    {"seed", test.seed},
                    {"bidirectional", test.isBidirectional},
                    {"imm", test.hasImmediate},
                    {"verify", test.isVerified}};
    json["base_rtt_ps"] = static_cast<uint64_t>(hello.baseRttPs);
    json["address"] = hello.address.Print();
    json["srv6"] = hello.isEncapsulated;
    json["nic"] = hello.nic;
    json["ports"] = nlohmann::json::array();
    for (const Hello::Port& port : hello.ports)
    {
        json["ports"].push_back({{"address", port.address.Print()}, {"mac", port.mac}});
    }
    json["offers"] = nlohmann::json::array();
    for (const QpOffer& offer : hello.offers)
    {
        json["offers"].push_back(EncodeQpOffer(offer));
    }
    return json;
}

Hello
DecodeHello(const nlohmann::json& json)
{
    using Type = nlohmann::json::value_t;
    if (json.contains("refused"))
    {
        throw RunError("the peer refuses: " + TakeText(json, "refused"));
    }
    TakeNumber(json, "mrc-perf", VERSION, VERSION);
    Hello hello;
    hello.test = DecodeTest(TakePart(json, "test", Type::object));
    constexpr uint64_t MOST_RTT_PS = 10'000'000'000'000;
    hello.baseRttPs = static_cast<int64_t>(TakeNumber(json, "base_rtt_ps", 1, MOST_RTT_PS));
    hello.address = TakeAddress(json, "address");
    hello.isEncapsulated = TakeFlag(json, "srv6");
    hello.nic = static_cast<uint32_t>(TakeNumber(json, "nic", 0, UINT32_MAX));
    const nlohmann::json& ports = TakePart(json, "ports", Type::array);
    if (ports.empty() || ports.size() > MAX_PLANES)
    {
        throw RunError("the peer has " + std::to_string(ports.size()) + " planes");
    }
    for (const nlohmann::json& port : ports)
    {
        constexpr uint64_t MAX_MAC = 0xffffffffffff;
        hello.ports.push_back({TakeAddress(port, "address"), TakeNumber(port, "mac", 0, MAX_MAC)});
    }
    const nlohmann::json& offers = TakePart(json, "offers", Type::array);
    if (offers.size() != hello.test.qps)
    {
        throw RunError("the peer offers " + std::to_string(offers.size()) + " QPs, not " +
                       std::to_string(hello.test.qps));
    }
    for (const nlohmann::json& offer : offers)
    {
        const QpMessage message =
            DecodeQpMessage(offer.is_string() ? offer.get<std::string>() : "");
        if (message.kind != QpMessage::Kind::OFFER)
        {
            throw RunError("the peer's offer: " + message.reason);
        }
        hello.offers.push_back(message.offer);
    }
    return hello;
}

} // namespace mrc::perf
