// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-usid.h"

#include "mrc-ipv6.h"

#include <cstdio>

namespace mrc
{

std::string
UsidCarrier::Print() const
{
    return Ipv6Address{high, low}.Print();
}

std::string
UsidCarrier::PrintPath() const
{
    // Up to the last place in use: a hole inside the list is malformed and must be visible.
    size_t places = MAX_USIDS;
    while (places > 0 && Usid(places - 1) == 0)
    {
        --places;
    }
    std::string text = Ipv6Address{high & 0xffffffff00000000, 0}.Print() + "/32 [";
    for (size_t i = 0; i < places; ++i)
    {
        char usid[6];
        std::snprintf(usid, sizeof usid, "%s%04x", i == 0 ? "" : " ", Usid(i));
        text += usid;
    }
    return text + "]";
}

} // namespace mrc
