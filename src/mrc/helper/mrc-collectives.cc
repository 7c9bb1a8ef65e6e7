// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-collectives.h"

#include "mrc-random.h"

#include <algorithm>
#include <cmath>

namespace mrc
{

namespace
{

/// Most jobs: Message::job has 16 bits.
constexpr size_t MAX_JOBS = 65'535;

/// @throws WorkloadError with the text unless the condition holds
void
Require(bool isTrue, const std::string& otherwise)
{
    if (!isTrue)
    {
        throw WorkloadError(otherwise);
    }
}

/// @return an empty workload, after checks that all collectives share
Workload
Begin(const std::string& name, uint32_t nics, uint64_t bytes, uint64_t messages)
{
    Require(nics >= 2, "a " + name + " needs at least 2 NICs, not " + std::to_string(nics));
    Require(messages < UINT32_MAX, std::to_string(messages) + " messages are too many");
    Workload workload;
    workload.name = name;
    workload.parameters = {{"nics", std::to_string(nics)}, {"bytes", std::to_string(bytes)}};
    workload.messages.reserve(messages);
    return workload;
}

/// Add a message. @return it, to add what it waits for
Message&
Add(Workload& workload, uint32_t source, uint32_t destination, uint64_t bytes)
{
    workload.messages.push_back(Message{bytes, 0, source, destination, {}, false});
    return workload.messages.back();
}

} // namespace

Workload
TreeAllReduce(uint32_t nics, uint64_t bytes, uint32_t chunks)
{
    Require(chunks >= 1 && chunks <= bytes,
            "a tree all-reduce of " + std::to_string(bytes) + " B in " + std::to_string(chunks) +
                " chunks: 1 or more, of at least 1 B");
    const uint64_t perChunk = 2 * (uint64_t{nics} - 1);
    Workload workload = Begin("tree-all-reduce", nics, bytes, chunks * perChunk);
    workload.parameters.emplace_back("chunks", std::to_string(chunks));
    for (uint32_t chunk = 0; chunk < chunks; ++chunk)
    {
        const uint64_t chunkBytes = bytes / chunks + (chunk < bytes % chunks ? 1 : 0);
        const auto first = static_cast<uint32_t>(chunk * perChunk);
        // From the leaves up, so that what a message waits for stands before it.
        const auto up = [&](uint32_t rank) { return first + nics - 1 - rank; };
        const auto down = [&](uint32_t rank) { return first + nics - 2 + rank; };
        const auto afterChildren = [&](Message& message, uint32_t rank) {
            for (uint64_t child = 2 * uint64_t{rank} + 1; child <= 2 * uint64_t{rank} + 2; ++child)
            {
                if (child < nics)
                {
                    message.after.Add(up(static_cast<uint32_t>(child)));
                }
            }
        };
        for (uint32_t rank = nics - 1; rank > 0; --rank)
        {
            afterChildren(Add(workload, rank, (rank - 1) / 2, chunkBytes), rank);
        }
        for (uint32_t rank = 1; rank < nics; ++rank)
        {
            const uint32_t parent = (rank - 1) / 2;
            Message& message = Add(workload, parent, rank, chunkBytes);
            if (parent == 0)
            {
                afterChildren(message, 0);
            }
            else
            {
                message.after.Add(down(parent));
            }
        }
    }
    return workload;
}

Workload
HalvingDoublingAllReduce(uint32_t nics, uint64_t bytes)
{
    Require(nics >= 2 && (nics & (nics - 1)) == 0,
            "halving and doubling among " + std::to_string(nics) + " NICs: a power of two");
    Require(bytes >= nics,
            "an all-reduce of " + std::to_string(bytes) + " B among " + std::to_string(nics) +
                " NICs: at least 1 B for each");
    std::vector<uint32_t> distances;
    for (uint32_t distance = nics / 2; distance > 0; distance /= 2)
    {
        distances.push_back(distance);
    }
    const size_t halvings = distances.size();
    distances.insert(distances.end(), distances.rbegin(), distances.rend());

    Workload workload =
        Begin("halving-doubling-all-reduce", nics, bytes, uint64_t{nics} * distances.size());
    for (size_t step = 0; step < distances.size(); ++step)
    {
        const size_t halved = step < halvings ? step + 1 : distances.size() - step;
        for (uint32_t rank = 0; rank < nics; ++rank)
        {
            Message& message = Add(workload, rank, rank ^ distances[step], bytes >> halved);
            // All of them: partners differ, so a later one may arrive first.
            for (size_t earlier = 0; earlier < step; ++earlier)
            {
                const uint32_t from = rank ^ distances[earlier];
                message.after.Add(static_cast<uint32_t>(earlier * nics) + from);
            }
        }
    }
    return workload;
}

Workload
AllToAllV(uint32_t nics, uint64_t bytes, uint32_t window, double spread, uint64_t seed)
{
    Require(spread >= 0 && spread <= 1, "a spread of message lengths is 0 to 1");
    Workload workload = AllToAll(nics, bytes, window);
    workload.name = "all-to-all-v";
    workload.parameters.emplace_back("spread", std::to_string(spread));
    workload.parameters.emplace_back("seed", std::to_string(seed));
    Random random(seed);
    for (Message& message : workload.messages)
    {
        const double place = static_cast<double>(random.Next() >> 11) * 0x1p-53; // 0 to 1
        const double factor = 1 + spread * (2 * place - 1);
        message.bytes =
            static_cast<uint64_t>(std::llround(static_cast<double>(message.bytes) * factor));
    }
    return workload;
}

Workload
Pipeline(uint32_t nics, uint64_t bytes, uint32_t microBatches)
{
    Require(microBatches >= 1, "a pipeline without micro-batches never sends: at least 1");
    const uint32_t links = nics - 1;
    Workload workload = Begin("pipeline", nics, bytes, uint64_t{microBatches} * links * 2);
    workload.parameters.emplace_back("micro_batches", std::to_string(microBatches));
    for (uint32_t batch = 0; batch < microBatches; ++batch)
    {
        for (uint32_t link = 0; link < links; ++link)
        {
            const auto index = static_cast<uint32_t>(workload.messages.size());
            Message& message = Add(workload, link, link + 1, bytes);
            if (link > 0)
            {
                message.after.Add(index - 1);
            }
            if (batch > 0)
            {
                message.after.Add(index - links);
            }
        }
    }
    for (uint32_t batch = 0; batch < microBatches; ++batch)
    {
        for (uint32_t link = 0; link < links; ++link) // from the last stage on
        {
            const auto index = static_cast<uint32_t>(workload.messages.size());
            const uint32_t stage = links - link;
            Message& message = Add(workload, stage, stage - 1, bytes);
            message.after.Add(link > 0 ? index - 1 : batch * links + links - 1);
            if (batch > 0)
            {
                message.after.Add(index - links);
            }
        }
    }
    return workload;
}

void
AddCompute(Workload& workload, int64_t computePs)
{
    const int64_t computeNs = (computePs + 500) / 1000;
    Require(computeNs >= 0 && computeNs <= UINT32_MAX,
            "a computation of " + std::to_string(computePs) + " ps: 0 to 4.29 s");
    for (Message& message : workload.messages)
    {
        message.computeNs = static_cast<uint32_t>(computeNs);
    }
    workload.parameters.emplace_back("compute_ns", std::to_string(computeNs));
}

Workload
SideBySide(const std::vector<Workload>& jobs, uint32_t nicsPerJob, bool isInterleaved)
{
    Require(!jobs.empty() && jobs.size() <= MAX_JOBS,
            std::to_string(jobs.size()) + " jobs: 1 to " + std::to_string(MAX_JOBS));
    const auto count = static_cast<uint32_t>(jobs.size());
    Workload all;
    all.name = jobs[0].name;
    all.parameters = jobs[0].parameters;
    all.parameters.emplace_back("jobs", std::to_string(count));
    all.parameters.emplace_back("interleaved", isInterleaved ? "true" : "false");
    all.jobs = count;
    for (uint32_t job = 0; job < count; ++job)
    {
        all.hasTriggers |= jobs[job].hasTriggers;
        const auto first = static_cast<uint32_t>(all.messages.size());
        const auto place = [&](uint32_t nic) {
            return isInterleaved ? nic * count + job : job * nicsPerJob + nic;
        };
        for (const Message& message : jobs[job].messages)
        {
            Message moved = message;
            moved.source = place(message.source);
            moved.destination = place(message.destination);
            moved.job = static_cast<uint16_t>(job);
            moved.after = {};
            for (uint32_t i = 0; i < message.after.Size(); ++i)
            {
                moved.after.Add(first + message.after[i]);
            }
            all.messages.push_back(std::move(moved));
        }
    }
    return all;
}

} // namespace mrc
