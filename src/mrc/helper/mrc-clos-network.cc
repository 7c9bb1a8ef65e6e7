// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-clos-network.h"

#include "mrc-clock.h"
#include "mrc-psn.h"
#include "mrc-qp-exchange.h"

#include <ns3/abort.h>
#include <ns3/log.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MrcClosNetwork");
NS_OBJECT_ENSURE_REGISTERED(MrcClosNetwork);

namespace
{
/// Add the counters of one object to a sum; both consist of 64-bit counts only.
template <class T>
void
Add(T& sum, const T& part)
{
    static_assert(sizeof(T) % sizeof(uint64_t) == 0 && std::is_trivially_copyable_v<T>);
    auto to = reinterpret_cast<uint64_t*>(&sum);
    auto from = reinterpret_cast<const uint64_t*>(&part);
    for (size_t i = 0; i < sizeof(T) / sizeof(uint64_t); ++i)
    {
        to[i] += from[i];
    }
}
} // namespace

TypeId
MrcClosNetwork::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MrcClosNetwork")
                            .SetParent<Object>()
                            .SetGroupName("Mrc")
                            .AddConstructor<MrcClosNetwork>();
    return tid;
}

MrcClosNetwork::MrcClosNetwork()
{
    NS_LOG_FUNCTION(this);
}

MrcClosNetwork::~MrcClosNetwork()
{
    NS_LOG_FUNCTION(this);
}

void
MrcClosNetwork::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_nics.clear();
    m_switches.clear();
    m_fabric = nullptr;
    m_profile = nullptr;
    Object::DoDispose();
}

MrcEgressPort&
MrcClosNetwork::Port(uint32_t plane, const mrc::Attachment& end)
{
    if (end.kind == mrc::NodeKind::NIC)
    {
        return Nic(end.index).Port(static_cast<uint8_t>(plane));
    }
    return Switch(plane, end.kind, end.index).Port(end.port);
}

MrcConnection
MrcClosNetwork::Connect(uint32_t source, uint32_t destination)
{
    MrcNic& from = Nic(source);
    MrcNic& to = Nic(destination);
    const uint32_t sourceQp = from.NextQp();
    const uint32_t destinationQp = source == destination ? sourceQp + 1 : to.NextQp();
    const auto forward = static_cast<uint32_t>(m_random.Next() & mrc::PSN_MASK);
    const auto backward = static_cast<uint32_t>(m_random.Next() & mrc::PSN_MASK);
    const bool isSrv6 = m_profile->IsSrv6();
    const mrc::QpOffer ours = mrc::MakeQpOffer(from.Profile().Transport(), sourceQp, forward);
    const mrc::QpOffer theirs = mrc::MakeQpOffer(to.Profile().Transport(), destinationQp, backward);
    for (const mrc::QpOffer& offer : {ours, theirs})
    {
        const mrc::QpRefusal refusal = mrc::CheckQpOffer(offer);
        NS_ABORT_MSG_IF(refusal != mrc::QpRefusal::NONE,
                        "nic-" << source << " and nic-" << destination
                               << " cannot connect: " << mrc::QpRefusalText(refusal, offer));
    }
    from.CreateQp(destination, mrc::NegotiateQp(ours, theirs, isSrv6));
    to.CreateQp(source, mrc::NegotiateQp(theirs, ours, isSrv6));
    return {sourceQp, destinationQp};
}

void
MrcClosNetwork::SetLinkUp(const mrc::ClosLink& link, bool isUp)
{
    for (const mrc::Attachment& end : {link.lower, link.upper})
    {
        if (end.kind == mrc::NodeKind::NIC)
        {
            Nic(end.index).SetPortUp(static_cast<uint8_t>(link.plane), isUp);
        }
        else
        {
            Port(link.plane, end).SetUp(isUp, MrcNowPs());
        }
    }
}

void
MrcClosNetwork::SetLinkRate(const mrc::ClosLink& link, DataRate rate)
{
    Port(link.plane, link.lower).SetRate(rate.GetBitRate(), MrcNowPs());
    Port(link.plane, link.upper).SetRate(rate.GetBitRate(), MrcNowPs());
}

void
MrcClosNetwork::SetLinkLoss(const mrc::ClosLink& link, double loss, double corrupt)
{
    Port(link.plane, link.lower).SetImpairment(loss, corrupt, m_random.Next());
    Port(link.plane, link.upper).SetImpairment(loss, corrupt, m_random.Next());
}

void
MrcClosNetwork::SetSwitchUp(uint32_t plane, mrc::NodeKind kind, uint32_t index, bool isUp)
{
    const uint16_t ports = Switch(plane, kind, index).PortCount();
    for (uint16_t port = 0; port < ports; ++port)
    {
        SetLinkUp(Clos().LinkOf(plane, {kind, index, port}), isUp);
    }
}

MrcNetworkCounters
MrcClosNetwork::Counters() const
{
    MrcNetworkCounters sum{};
    for (const Ptr<MrcNic>& nic : m_nics)
    {
        Add(sum.endpoint, nic->Counters());
        Add(sum.nicPorts, nic->PortCounters());
    }
    for (const auto& plane : m_switches)
    {
        for (const Tier& tier : plane)
        {
            for (const Ptr<MrcTrimmingSwitch>& node : tier)
            {
                Add(sum.switchPorts, node->Counters());
            }
        }
    }
    return sum;
}

} // namespace ns3
