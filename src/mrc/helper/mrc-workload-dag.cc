// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-units.h"
#include "mrc-workload-file.h"
#include "mrc-workload-line.h"

#include <fstream>
#include <unordered_map>

namespace mrc
{

Workload
ReadDag(std::istream& in, const std::string& file)
{
    Workload workload;
    workload.name = "dag";
    workload.parameters = {{"file", file}};
    std::unordered_map<std::string, uint32_t> indexOf; // by name
    WorkloadLine line(in, file);
    while (line.Next())
    {
        const std::string name = line.Word("the name of a message");
        const auto index = static_cast<uint32_t>(workload.messages.size());
        if (!indexOf.emplace(name, index).second)
        {
            line.Fail("message '" + name + "' stands in an earlier line already");
        }
        Message message{0, 0, 0, 0, {}, false};
        message.source = line.Nic();
        message.destination = line.Nic();
        message.bytes = line.Read("bytes, such as 65536 or 2MiB", ParseBytes);
        while (line.HasMore())
        {
            const std::string key = line.Word("");
            if (key == "after")
            {
                for (const std::string& earlier : line.List("names of messages"))
                {
                    const auto found = indexOf.find(earlier);
                    if (found == indexOf.end() || found->second == index)
                    {
                        line.Fail("'" + earlier + "' is no message of an earlier line");
                    }
                    const Message& other = workload.messages[found->second];
                    if (other.source != message.source && other.destination != message.source)
                    {
                        line.Fail("nic-" + std::to_string(message.source) +
                                  " neither sends nor receives '" + earlier +
                                  "', so it cannot wait for it");
                    }
                    message.after.Add(found->second);
                }
            }
            else if (key == "start")
            {
                message.startPs = line.Read("a time", ParseTimePs);
            }
            else if (key == "compute")
            {
                const int64_t computeNs = (line.Read("a time", ParseTimePs) + 500) / 1000;
                if (computeNs > UINT32_MAX)
                {
                    line.Fail("a computation lasts less than 4.29 s");
                }
                message.computeNs = static_cast<uint32_t>(computeNs);
            }
            else if (key == "job")
            {
                message.job =
                    static_cast<uint16_t>(line.Whole("the number of a job", UINT16_MAX - 1));
                workload.jobs = std::max(workload.jobs, uint32_t{message.job} + 1);
            }
            else
            {
                line.Fail("'" + key + "' is none of after, start, compute, job");
            }
        }
        line.Check(message);
        workload.messages.push_back(std::move(message));
    }
    if (workload.messages.empty())
    {
        throw WorkloadError(file + ": no message in it");
    }
    return workload;
}

Workload
ReadWorkloadFile(const std::string& path)
{
    std::ifstream in(path);
    if (!in)
    {
        throw WorkloadError(path + ": cannot be read");
    }
    const bool isMatrix = path.size() > 3 && path.compare(path.size() - 3, 3, ".cm") == 0;
    return isMatrix ? ReadConnectionMatrix(in, path) : ReadDag(in, path);
}

} // namespace mrc
