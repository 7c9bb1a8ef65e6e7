// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-fabric.h"

#include <ns3/abort.h>
#include <ns3/log.h>
#include <ns3/nstime.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MrcFabric");
NS_OBJECT_ENSURE_REGISTERED(MrcFabric);

TypeId
MrcFabric::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MrcFabric")
                            .SetParent<Object>()
                            .SetGroupName("Mrc")
                            .AddConstructor<MrcFabric>();
    return tid;
}

MrcFabric::MrcFabric()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(Time::GetResolution() != Time::PS,
                    "a fabric counts picoseconds: call Time::SetResolution(Time::PS) before any "
                    "Time is used (MrcMultiPlaneClosHelper::UsePicoseconds() does it)");
}

MrcFabric::~MrcFabric()
{
    NS_LOG_FUNCTION(this);
}

void
MrcFabric::SetPlan(const mrc::PathPlan& plan)
{
    m_plan = std::make_unique<mrc::PathPlan>(plan);
    m_addresses = std::make_unique<mrc::AddressPlan>(plan.Usids().Clos());
}

} // namespace ns3
