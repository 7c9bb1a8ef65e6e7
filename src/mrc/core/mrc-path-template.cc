// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-path-template.h"

#include "mrc-usid.h"

#include <string>

namespace mrc
{

PathTemplate::PathTemplate(const UsidPlan& usids, uint32_t source, uint32_t destination)
{
    const ClosPlan& plan = usids.Clos();
    m_parallelLinks = static_cast<uint16_t>(plan.ParallelLinks());
    m_t1Uplinks = static_cast<uint16_t>(plan.T1Uplinks());
    m_planeShift = static_cast<uint8_t>(usids.PlaneShift());
    m_u1Shift = static_cast<uint8_t>(EvLayout(plan.Tiers()).U0Bits());

    const uint32_t from = plan.T0Of(source);
    const uint32_t to = plan.T0Of(destination);
    const uint16_t t0 = usids.T0Usid(0, from);
    const uint16_t lastT0 = usids.T0Usid(0, to);
    const uint16_t t1 = usids.T1Usid(0, plan.PodOfT0(from) * plan.T1PerPod());
    const uint16_t nic = usids.NicUsid(0, destination);

    //= MRC-REF 3 Two tiers: block : uSID(T0src) : uSID(T1) : uSID(T0dst) : uSID(dst)
    UsidCarrier carrier;
    switch (plan.SwitchesBetween(source, destination))
    {
    case 1:
        m_reach = Reach::ONE_T0;
        carrier = UsidCarrier::Build(usids.Block(), {t0, nic});
        break;
    case 3:
        m_reach = Reach::THROUGH_T1;
        carrier = UsidCarrier::Build(usids.Block(), {t0, t1, lastT0, nic});
        break;
    default: {
        m_reach = Reach::THROUGH_T2;
        const uint16_t t2 = usids.T2Usid(0, 0);
        const uint16_t lastT1 = usids.T1Usid(0, plan.PodOfT0(to) * plan.T1PerPod());
        carrier = UsidCarrier::Build(usids.Block(), {t0, t1, t2, lastT1, lastT0, nic});
        break;
    }
    }
    m_high = carrier.high;
    m_low = carrier.low;
}

PathPlan::PathPlan(const UsidPlan& usids)
    : m_usids(usids),
      m_layout(usids.Clos().Tiers())
{
    const ClosPlan& plan = usids.Clos();
    const uint32_t limit = 1U << m_layout.U0Bits();
    const auto check = [limit](const char* tier, uint32_t uplinks) {
        if (uplinks > limit)
        {
            throw ClosConfigError(std::to_string(uplinks) + " uplinks of a " + tier +
                                  " are too many for an EV: at most " + std::to_string(limit) +
                                  "; raise oversubscription or use smaller switches");
        }
    };
    check("T0", plan.T0Uplinks());
    check("T1", plan.T1Uplinks());
}

uint32_t
PathPlan::PathsPerPlane(uint32_t source, uint32_t destination) const
{
    const ClosPlan& plan = m_usids.Clos();
    switch (plan.SwitchesBetween(source, destination))
    {
    case 1:
        return 1;
    case 3:
        return plan.T0Uplinks();
    default:
        return plan.T0Uplinks() * plan.T1Uplinks();
    }
}

uint32_t
PathPlan::EvOf(uint32_t plane, uint32_t path) const
{
    const uint32_t uplinks = m_usids.Clos().T0Uplinks();
    return m_layout.Make(plane, path % uplinks, path / uplinks);
}

uint32_t
PathPlan::PathOf(uint32_t ev) const
{
    return m_layout.U1(ev) * m_usids.Clos().T0Uplinks() + m_layout.U0(ev);
}

bool
PathPlan::IsValid(uint32_t ev) const
{
    const ClosPlan& plan = m_usids.Clos();
    const uint32_t u1Count = plan.Tiers() == 3 ? plan.T1Uplinks() : 1;
    return ev >> 30 == EvLayout::SOURCE_PORT_BASE >> 14 && EvLayout::Plane(ev) < plan.Planes() &&
           m_layout.U0(ev) < plan.T0Uplinks() && m_layout.U1(ev) < u1Count;
}

} // namespace mrc
