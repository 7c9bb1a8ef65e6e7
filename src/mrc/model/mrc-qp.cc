// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-qp.h"

#include "mrc-clock.h"
#include "mrc-nic.h"
#include "mrc-qp-paths.h"

#include <algorithm>

namespace ns3
{

MrcQp::MrcQp(MrcNic& nic,
             const mrc::QpSetup& setup,
             uint32_t peer,
             const mrc::PathTemplate& path,
             const mrc::Ipv6Address& peerAddress,
             uint64_t seed)
    : requester(nic.m_profile->Transport(), setup, nic.m_counters, *this),
      responder(nic.m_profile->Transport(), setup, nic.m_memory, nic.m_counters, *this),
      m_nic(nic),
      m_path(path),
      m_peerAddress(peerAddress),
      m_seed(seed),
      m_armedPs(mrc::Requester::NEVER),
      m_peer(peer),
      m_number(setup.localQp)
{
    // The helper makes both ends at once, so neither waits for the other in between.
    for (const auto state : {mrc::QpState::INIT, mrc::QpState::RTR, mrc::QpState::RTS})
    {
        m_state.Change(state);
    }
}

void
MrcQp::ArmTimer(int64_t nowPs)
{
    // A timer that fires too early finds nothing due and is set again; only a deadline before
    // all pending events needs another one.
    const int64_t wantedPs = requester.WakeByPs();
    if (wantedPs >= m_armedPs)
    {
        return;
    }
    m_armedPs = std::max(wantedPs, nowPs + 1);
    MrcSchedule(this, m_armedPs, nowPs);
}

void
MrcQp::Run(int64_t nowPs)
{
    if (nowPs == m_armedPs)
    {
        m_armedPs = mrc::Requester::NEVER;
    }
    if (requester.WakeByPs() <= nowPs)
    {
        requester.OnTimer(nowPs);
        m_nic.Wake(*this, nowPs);
    }
    ArmTimer(nowPs);
}

std::unique_ptr<mrc::CongestionControl>
MrcQp::CreateCongestionControl()
{
    return m_nic.m_profile->CreateCongestionControl();
}

std::unique_ptr<mrc::PathSelector>
MrcQp::CreatePathSelector()
{
    auto paths = m_nic.m_evPolicy != nullptr
                     ? m_nic.m_evPolicy->CreateSelector(*this, m_seed, &m_nic.m_counters.ev)
                     : MrcCreatePathSelector(*m_nic.m_profile,
                                             m_nic.m_fabric->Plan(),
                                             m_nic.m_index,
                                             m_peer,
                                             m_seed,
                                             this,
                                             &m_nic.m_counters.ev);
    for (uint8_t plane = 0; plane < m_nic.PortCount(); ++plane)
    {
        if (!reverse.IsPlaneUp(plane))
        {
            paths->SetPlaneUp(plane, false, MrcNowPs());
        }
    }
    return paths;
}

void
MrcQp::OnCompletion(const mrc::Completion& completion)
{
    m_nic.m_completionTrace(m_nic.m_index, m_number, completion);
    if (m_nic.m_application != nullptr)
    {
        m_nic.m_application->OnCompletion(m_nic.m_index, m_number, completion);
    }
}

void
MrcQp::OnQpError(int64_t nowPs)
{
    m_state.Change(mrc::QpState::ERROR);
    requester.ToError(nowPs);
    responder.ToError(nowPs);
    ArmTimer(nowPs);
}

void
MrcQp::OnEvTransition(const mrc::EvTransition& transition)
{
    // None while the selector is being made: what is denied then was so before the QP.
    const mrc::PathSelector* paths = requester.Paths();
    if (paths == nullptr || (m_nic.m_evTrace.IsEmpty() && m_nic.m_evPolicy == nullptr))
    {
        return;
    }
    const uint32_t ev = paths->Value(transition.index);
    m_nic.m_evTrace(m_nic.m_index, m_number, ev, transition);
    if (m_nic.m_evPolicy != nullptr)
    {
        m_nic.m_evPolicy->OnTransition(*this, ev, transition);
    }
}

void
MrcQp::OnReceiveCompletion(const mrc::ReceiveCompletion& completion)
{
    if (m_nic.m_application != nullptr)
    {
        m_nic.m_application->OnReceive(m_nic.m_index, m_number, completion);
    }
}

} // namespace ns3
