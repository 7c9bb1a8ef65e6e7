// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ev-controller-helper.h"

#include "mrc-source-route.h"

#include <ns3/abort.h>

namespace ns3
{

MrcEvControllerHelper::MrcEvControllerHelper()
{
    m_factory.SetTypeId(MrcEvController::GetTypeId());
}

void
MrcEvControllerHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

void
MrcEvControllerHelper::Install(Ptr<MrcClosNetwork> network)
{
    m_network = network;
    for (uint32_t index = 0; index < network->NicCount(); ++index)
    {
        MrcNic& nic = network->Nic(index);
        if (!nic.GetObject<MrcEvController>())
        {
            const auto controller = m_factory.Create<MrcEvController>();
            controller->Attach(nic);
            nic.AggregateObject(controller);
        }
    }
}

MrcEvController&
MrcEvControllerHelper::Get(uint32_t nic)
{
    NS_ABORT_MSG_IF(!m_network, "Install() comes first");
    return *m_network->Nic(nic).GetObject<MrcEvController>();
}

std::string
MrcEvControllerHelper::UseEvs(uint32_t nic, uint32_t qp, const std::vector<uint32_t>& evs)
{
    mrc::EvProfileConfig config;
    config.mode = mrc::EvMode::EXPLICIT;
    config.format = {mrc::EvFormat::STEV, {16, 16}};
    for (const uint32_t ev : evs)
    {
        config.evs.push_back(mrc::EvBits::Of(ev, 32));
    }
    config.evCount = static_cast<uint32_t>(evs.size());
    uint32_t profile = 0;
    const std::string problem = Get(nic).AddOnline(config, profile);
    return problem.empty() ? Get(nic).Assign(qp, profile) : problem;
}

std::string
MrcEvControllerHelper::UseRoutes(uint32_t nic, uint32_t qp, const std::vector<std::string>& routes)
{
    mrc::EvProfileConfig config;
    uint32_t profile = 0;
    std::string problem = MrcRouteProfile(m_network->Plan().Usids(), routes, config);
    problem = problem.empty() ? Get(nic).AddOnline(config, profile) : problem;
    return problem.empty() ? Get(nic).Assign(qp, profile) : problem;
}

std::string
MrcRouteProfile(const mrc::UsidPlan& usids,
                const std::vector<std::string>& routes,
                mrc::EvProfileConfig& config)
{
    constexpr size_t MAX_CARRIERS = 2; // an SRV6 EV holds an address and one segment
    config.mode = mrc::EvMode::EXPLICIT;
    config.format = {mrc::EvFormat::SRV6, std::vector<uint16_t>(8, 32)};
    config.evCount = static_cast<uint32_t>(std::max<size_t>(routes.size(), 1));
    try
    {
        for (const std::string& route : routes)
        {
            uint32_t plane = 0;
            const auto carriers =
                mrc::PackUsids(usids.Block(), mrc::ParseRoute(usids, route, plane));
            if (carriers.size() > MAX_CARRIERS)
            {
                return "'" + route + "' has more than " +
                       std::to_string(MAX_CARRIERS * mrc::UsidCarrier::MAX_USIDS) + " nodes";
            }
            mrc::EvBits ev;
            uint32_t at = 0;
            for (const mrc::UsidCarrier& carrier : carriers)
            {
                for (const uint64_t half : {carrier.high, carrier.low})
                {
                    ev.Put(at, 32, static_cast<uint32_t>(half >> 32));
                    ev.Put(at + 32, 32, static_cast<uint32_t>(half));
                    at += 64;
                }
            }
            config.evs.push_back(ev);
        }
    }
    catch (const mrc::ClosNameError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace ns3
