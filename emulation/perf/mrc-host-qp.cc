// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-host-qp.h"

#include "mrc-ev-table.h"
#include "mrc-fixed-window.h"
#include "mrc-host-endpoint.h"
#include "mrc-nscc.h"

#include <utility>

namespace mrc::perf
{

HostQp::HostQp(HostEndpoint& endpoint,
               uint32_t index,
               const QpSetup& setup,
               std::shared_ptr<const HostRoute> way)
    : requester(endpoint.m_config.transport, setup, endpoint.m_counters, *this),
      responder(endpoint.m_config.transport, setup, endpoint.m_memory, endpoint.m_counters, *this),
      route(std::move(way)),
      trigger{},
      m_endpoint(endpoint),
      m_index(index)
{
}

std::unique_ptr<CongestionControl>
HostQp::CreateCongestionControl()
{
    const HostEndpointConfig& config = m_endpoint.m_config;
    if (config.isNscc)
    {
        return std::make_unique<Nscc>(m_endpoint.m_nscc);
    }
    return std::make_unique<FixedWindow>(config.windowBytes, config.nscc.baseRttPs);
}

std::unique_ptr<PathSelector>
HostQp::CreatePathSelector()
{
    const EvTableConfig& evs = m_endpoint.m_config.evs;
    const uint32_t wanted = uint32_t{evs.activePerPlane} + evs.backupPerPlane;
    return std::make_unique<EvTable>(evs,
                                     route->ChooseEvs(wanted, m_endpoint.m_random),
                                     m_endpoint.m_random.Next(),
                                     nullptr,
                                     &m_endpoint.m_counters.ev);
}

void
HostQp::OnCompletion(const Completion& completion)
{
    m_endpoint.m_sink.OnCompletion(m_index, completion);
}

void
HostQp::OnQpError(int64_t nowPs)
{
    requester.ToError(nowPs);
    responder.ToError(nowPs);
}

void
HostQp::OnReceiveCompletion(const ReceiveCompletion& completion)
{
    m_endpoint.m_sink.OnReceive(m_index, completion);
}

} // namespace mrc::perf
