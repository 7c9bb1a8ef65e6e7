// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-workload.h"

#include "mrc-random.h"

#include <algorithm>
#include <numeric>

namespace mrc
{

namespace
{
/// A WRITE is at most this long.
//= MRC-REF 2 Request headers, RETH.DMALen
constexpr uint64_t MAX_MESSAGE_BYTES = uint64_t{1} << 31;

/// Messages are named by 32-bit immediates; the last value is left free.
constexpr uint64_t MAX_MESSAGES = UINT32_MAX;

/// @throws WorkloadError with the text unless the condition holds
void
Require(bool isTrue, const std::string& otherwise)
{
    if (!isTrue)
    {
        throw WorkloadError(otherwise);
    }
}

/// Check what all workloads share. @param bytes of a message @param messages how many
void
RequireSizes(uint64_t bytes, uint64_t messages)
{
    Require(bytes <= MAX_MESSAGE_BYTES,
            "a message of " + std::to_string(bytes) + " B is too long: 0 to " +
                std::to_string(MAX_MESSAGE_BYTES) + " B");
    Require(messages >= 1, "the number of messages is 0: at least 1");
    Require(messages <= MAX_MESSAGES,
            std::to_string(messages) + " messages are too many: at most " +
                std::to_string(MAX_MESSAGES));
}

/// @throws WorkloadError if there are less than two NICs
void
RequireTwoNics(const std::string& name, uint32_t nics)
{
    Require(nics >= 2, name + " needs at least 2 NICs, not " + std::to_string(nics));
}

/// @return a message that starts at once
Message
MakeMessage(uint32_t source, uint32_t destination, uint64_t bytes)
{
    return {bytes, 0, source, destination, {}, false};
}
} // namespace

MessageList::MessageList(std::initializer_list<uint32_t> indices)
{
    for (const uint32_t index : indices)
    {
        Add(index);
    }
}

MessageList::MessageList(const MessageList& other)
{
    *this = other;
}

MessageList&
MessageList::operator=(const MessageList& other)
{
    if (this != &other)
    {
        m_more = other.m_more ? std::make_unique<std::vector<uint32_t>>(*other.m_more) : nullptr;
        std::copy(other.m_first, other.m_first + INLINE, m_first);
        m_count = other.m_count;
    }
    return *this;
}

void
MessageList::Add(uint32_t index)
{
    if (m_count < INLINE)
    {
        m_first[m_count] = index;
    }
    else
    {
        if (!m_more)
        {
            m_more = std::make_unique<std::vector<uint32_t>>();
        }
        m_more->push_back(index);
    }
    ++m_count;
}

void
Workload::Check(uint32_t nics)
{
    Require(!messages.empty(), "the workload has no messages");
    RequireSizes(0, messages.size());
    const std::string range = ": nic-0 to nic-" + std::to_string(nics - 1);
    for (uint32_t index = 0; index < messages.size(); ++index)
    {
        const Message& message = messages[index];
        auto require = [index](bool isTrue, const std::string& text) {
            Require(isTrue, "message " + std::to_string(index) + ": " + text);
        };
        // The texts are made only when they are needed: there may be millions of messages.
        for (const uint32_t nic : {message.source, message.destination})
        {
            if (nic >= nics)
            {
                require(false, "no nic-" + std::to_string(nic) + " in this network" + range);
            }
        }
        if (message.source == message.destination)
        {
            require(false, "nic-" + std::to_string(message.source) + " cannot write to itself");
        }
        if (message.bytes > MAX_MESSAGE_BYTES)
        {
            require(false,
                    std::to_string(message.bytes) + " B are too long: 0 to " +
                        std::to_string(MAX_MESSAGE_BYTES) + " B");
        }
        if (message.job >= jobs)
        {
            require(false, "job " + std::to_string(message.job) + " of " + std::to_string(jobs));
        }
        if (message.startPs < 0)
        {
            require(false, "starts " + std::to_string(-message.startPs) + " ps before the start");
        }
        for (uint32_t i = 0; i < message.after.Size(); ++i)
        {
            const uint32_t earlier = message.after[i];
            if (earlier >= index)
            {
                require(false,
                        "waits for message " + std::to_string(earlier) +
                            ", which is not an earlier one");
            }
            Message& other = messages[earlier];
            if (other.destination == message.source)
            {
                other.immediate = true;
            }
            else if (other.source != message.source && !hasTriggers)
            {
                require(false,
                        "waits for message " + std::to_string(earlier) + ", which nic-" +
                            std::to_string(message.source) + " neither sends nor receives");
            }
        }
    }
}

uint64_t
Workload::TotalBytes() const
{
    return std::accumulate(
        messages.begin(), messages.end(), uint64_t{0}, [](uint64_t sum, const Message& message) {
            return sum + message.bytes;
        });
}

Workload
PointToPoint(uint32_t source, uint32_t destination, uint64_t bytes, uint32_t count)
{
    RequireSizes(bytes, count);
    Require(source != destination,
            "nic-" + std::to_string(source) + " cannot write to itself: name two NICs");
    Workload workload;
    workload.name = "point-to-point";
    workload.parameters = {{"source", std::to_string(source)},
                           {"destination", std::to_string(destination)},
                           {"bytes", std::to_string(bytes)},
                           {"count", std::to_string(count)}};
    workload.messages.assign(count, MakeMessage(source, destination, bytes));
    return workload;
}

Workload
Permutation(uint32_t nics, uint64_t bytes, uint32_t count, uint64_t seed)
{
    RequireTwoNics("a permutation", nics);
    RequireSizes(bytes, uint64_t{nics} * count);
    Workload workload;
    workload.name = "permutation";
    workload.parameters = {{"nics", std::to_string(nics)},
                           {"bytes", std::to_string(bytes)},
                           {"count", std::to_string(count)},
                           {"seed", std::to_string(seed)}};

    // One shuffle in e has no fixed point, so drawing again is cheap and keeps all equally likely.
    Random random(seed);
    std::vector<uint32_t> to(nics);
    bool hasFixedPoint = true;
    while (hasFixedPoint)
    {
        std::iota(to.begin(), to.end(), 0);
        hasFixedPoint = false;
        for (uint32_t i = nics - 1; i > 0; --i)
        {
            std::swap(to[i], to[random.Below(i + 1)]);
        }
        for (uint32_t i = 0; i < nics; ++i)
        {
            hasFixedPoint |= to[i] == i;
        }
    }
    workload.messages.reserve(uint64_t{nics} * count);
    for (uint32_t round = 0; round < count; ++round)
    {
        for (uint32_t nic = 0; nic < nics; ++nic)
        {
            workload.messages.push_back(MakeMessage(nic, to[nic], bytes));
        }
    }
    return workload;
}

Workload
Incast(uint32_t nics, uint32_t senders, uint32_t receiver, uint64_t bytes, uint32_t count)
{
    RequireTwoNics("an incast", nics);
    Require(senders >= 1 && senders < nics,
            "an incast of " + std::to_string(senders) + " senders to one of " +
                std::to_string(nics) + " NICs: 1 to " + std::to_string(nics - 1) + " senders");
    Require(receiver < nics,
            "no nic-" + std::to_string(receiver) + ": nic-0 to nic-" + std::to_string(nics - 1));
    RequireSizes(bytes, uint64_t{senders} * count);
    Workload workload;
    workload.name = "incast";
    workload.parameters = {{"nics", std::to_string(nics)},
                           {"senders", std::to_string(senders)},
                           {"receiver", std::to_string(receiver)},
                           {"bytes", std::to_string(bytes)},
                           {"count", std::to_string(count)}};
    workload.messages.reserve(uint64_t{senders} * count);
    for (uint32_t round = 0; round < count; ++round)
    {
        for (uint64_t i = 0; i < senders; ++i)
        {
            const uint64_t away = 1 + i * (nics - 1) / senders;
            const auto sender = static_cast<uint32_t>((receiver + away) % nics);
            workload.messages.push_back(MakeMessage(sender, receiver, bytes));
        }
    }
    return workload;
}

Workload
RingAllReduce(uint32_t nics, uint64_t bytes, uint32_t stride, uint32_t steps)
{
    RequireTwoNics("a ring all-reduce", nics);
    Require(bytes >= nics,
            "a ring all-reduce of " + std::to_string(bytes) + " B among " + std::to_string(nics) +
                " NICs: at least 1 B for each");
    Require(stride >= 1 && stride <= nics,
            "a ring with a stride of " + std::to_string(stride) + ": 1 to " + std::to_string(nics));
    const uint32_t allSteps = 2 * (nics - 1);
    Require(steps <= allSteps,
            std::to_string(steps) + " steps of a ring all-reduce of " + std::to_string(nics) +
                " NICs: at most " + std::to_string(allSteps));
    steps = steps ? steps : allSteps;
    RequireSizes(bytes / nics + 1, uint64_t{nics} * steps);
    Workload workload;
    workload.name = "ring-all-reduce";
    workload.parameters = {{"nics", std::to_string(nics)},
                           {"bytes", std::to_string(bytes)},
                           {"stride", std::to_string(stride)},
                           {"steps", std::to_string(steps)}};

    std::vector<uint32_t> nicOf; // by rank
    nicOf.reserve(nics);
    for (uint32_t first = 0; first < stride; ++first)
    {
        for (uint64_t nic = first; nic < nics; nic += stride)
        {
            nicOf.push_back(static_cast<uint32_t>(nic));
        }
    }
    workload.messages.reserve(uint64_t{nics} * steps);
    for (uint32_t step = 0; step < steps; ++step)
    {
        for (uint32_t rank = 0; rank < nics; ++rank)
        {
            const uint32_t chunk = (rank + 2 * nics - step) % nics;
            const uint64_t chunkBytes = bytes / nics + (chunk < bytes % nics ? 1 : 0);
            Message message = MakeMessage(nicOf[rank], nicOf[(rank + 1) % nics], chunkBytes);
            if (step > 0)
            {
                const uint32_t previous = (rank + nics - 1) % nics;
                message.after.Add((step - 1) * nics + previous);
            }
            // The chunks of the last step are not passed on.
            message.immediate = step + 1 < steps;
            workload.messages.push_back(std::move(message));
        }
    }
    return workload;
}

Workload
AllToAll(uint32_t nics, uint64_t bytes, uint32_t window)
{
    RequireTwoNics("an all-to-all", nics);
    RequireSizes(bytes, uint64_t{nics} * (nics - 1));
    Require(window >= 1, "an all-to-all with a window of 0 never sends: at least 1");
    Workload workload;
    workload.name = "all-to-all";
    workload.parameters = {{"nics", std::to_string(nics)},
                           {"bytes", std::to_string(bytes)},
                           {"window", std::to_string(window)}};
    workload.messages.reserve(uint64_t{nics} * (nics - 1));
    for (uint32_t nic = 0; nic < nics; ++nic)
    {
        for (uint32_t away = 1; away < nics; ++away)
        {
            const auto index = static_cast<uint32_t>(workload.messages.size());
            const auto peer = static_cast<uint32_t>((uint64_t{nic} + away) % nics);
            Message message = MakeMessage(nic, peer, bytes);
            if (away > window)
            {
                message.after.Add(index - window);
            }
            workload.messages.push_back(std::move(message));
        }
    }
    return workload;
}

} // namespace mrc
