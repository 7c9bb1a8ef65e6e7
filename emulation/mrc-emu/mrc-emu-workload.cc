// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-workload.h"

#include <set>

namespace mrc::emu
{

namespace
{

/// @param workload what to make @param lab for the seed @param count NICs that take part
/// @return messages among NICs 0 to count - 1
mrc::Workload
Generate(const LabWorkload& workload, const Lab& lab, uint32_t count)
{
    if (workload.kind == "incast")
    {
        const uint32_t senders = workload.senders == 0 ? count - 1 : workload.senders;
        return mrc::Incast(count, senders, 0, workload.bytes, workload.messages);
    }
    if (workload.kind == "ring-allreduce")
    {
        return mrc::RingAllReduce(count, workload.bytes);
    }
    if (workload.kind == "all-to-all")
    {
        return mrc::AllToAll(count, workload.bytes, workload.concurrency);
    }
    if (workload.kind == "p2p")
    {
        return mrc::PointToPoint(0, count - 1, workload.bytes, workload.messages);
    }
    return mrc::Permutation(count, workload.bytes, workload.messages, lab.seed);
}

/// @return NICs that take part in a workload
std::vector<uint32_t>
Members(const LabWorkload& workload, const Lab& lab)
{
    std::vector<uint32_t> members = workload.nics;
    if (members.empty())
    {
        std::set<uint32_t> hosts;
        for (const LabHost& host : lab.hosts)
        {
            hosts.insert(host.nic);
        }
        for (uint32_t nic = 0; nic < lab.clos.nics; ++nic)
        {
            if (hosts.count(nic) == 0)
            {
                members.push_back(nic);
            }
        }
    }
    if (members.size() < 2)
    {
        throw LabError(workload.where + ": [[workload]]: there are " +
                       std::to_string(members.size()) +
                       " simulated NICs for it: it takes at least 2");
    }
    return members;
}

} // namespace

mrc::Workload
MakeWorkload(const Lab& lab)
{
    mrc::Workload all;
    all.name = "lab";
    for (const LabWorkload& workload : lab.workloads)
    {
        const std::vector<uint32_t> members = Members(workload, lab);
        mrc::Workload part;
        try
        {
            part = Generate(workload, lab, static_cast<uint32_t>(members.size()));
        }
        catch (const mrc::WorkloadError& error)
        {
            throw LabError(workload.where + ": [[workload]]: " + error.what());
        }
        const auto base = static_cast<uint32_t>(all.messages.size());
        const auto startPs =
            static_cast<int64_t>(static_cast<double>(workload.startNs) * 1000 / lab.scale);
        for (mrc::Message& message : part.messages)
        {
            mrc::MessageList after;
            for (uint32_t i = 0; i < message.after.Size(); ++i)
            {
                after.Add(message.after[i] + base);
            }
            message.after = std::move(after);
            message.source = members[message.source];
            message.destination = members[message.destination];
            message.startPs += startPs;
            all.messages.push_back(std::move(message));
        }
    }
    return all;
}

} // namespace mrc::emu
