// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ev-denials.h"

#include <algorithm>

namespace mrc
{

void
EvDenials::Apply(const EvOrder& order)
{
    Denied& denied = m_denied[static_cast<size_t>(order.origin)];
    const auto set = [&order](uint32_t& planes) {
        const uint32_t bit = uint32_t{1} << order.plane;
        planes = order.isDenied ? planes | bit : planes & ~bit;
    };
    switch (order.scope)
    {
    case EvOrder::Scope::PLANE:
        set(denied.planes);
        break;
    case EvOrder::Scope::PLANE_TO_PEER:
        set(denied.toPeer[order.peer]);
        if (denied.toPeer[order.peer] == 0)
        {
            denied.toPeer.erase(order.peer);
        }
        break;
    case EvOrder::Scope::EV:
        if (order.isDenied)
        {
            denied.evs.emplace(order.profile, order.ev);
        }
        else
        {
            denied.evs.erase({order.profile, order.ev});
        }
        break;
    }
}

uint32_t
EvDenials::Planes(uint32_t peer) const
{
    uint32_t planes = 0;
    for (const Denied& denied : m_denied)
    {
        const auto toPeer = denied.toPeer.find(peer);
        planes |= denied.planes | (toPeer == denied.toPeer.end() ? 0 : toPeer->second);
    }
    return planes;
}

bool
EvDenials::IsDenied(uint32_t profile, uint32_t ev, uint8_t plane, uint32_t peer) const
{
    return (Planes(peer) >> plane & 1) != 0 ||
           std::any_of(m_denied.begin(), m_denied.end(), [&](const Denied& denied) {
               return denied.evs.count({profile, ev}) != 0;
           });
}

bool
EvDenials::IsEmpty() const
{
    return std::all_of(m_denied.begin(), m_denied.end(), [](const Denied& denied) {
        return denied.planes == 0 && denied.toPeer.empty() && denied.evs.empty();
    });
}

} // namespace mrc
