// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-sim-reports.h"
#include "mrc-traffic.h"

#include <iomanip>
#include <ios>

namespace mrc::sim
{

void
WriteMessagesCsv(std::ostream& out, const ns3::MrcTraffic& traffic)
{
    out << "message,source,destination,bytes,qp,posted_us,completed_us,fct_us,ideal_us,status,"
           "verified\n"
        << std::fixed << std::setprecision(6);
    auto us = [](int64_t ps) { return static_cast<double>(ps) * 1e-6; };
    for (uint32_t i = 0; i < traffic.Total(); ++i)
    {
        const ns3::MrcTraffic::Record& record = traffic.At(i);
        const mrc::Message& message = traffic.Workload().messages[i];
        out << i << ",nic-" << message.source << ",nic-" << message.destination << ','
            << message.bytes << ',' << record.sourceQp << ',';
        if (record.postedPs >= 0)
        {
            out << us(record.postedPs);
        }
        out << ',';
        if (record.isDone && record.postedPs >= 0)
        {
            out << us(record.completedPs) << ',' << us(record.completedPs - record.postedPs);
        }
        else
        {
            out << ',';
        }
        out << ',' << us(traffic.IdealPs(i)) << ','
            << (record.isDone ? mrc::CompletionStatusText(record.status) : "unfinished") << ','
            << (record.isVerified ? "true" : "false") << '\n';
    }
}

} // namespace mrc::sim
