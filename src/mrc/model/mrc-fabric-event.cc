// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-fabric-event.h"

#include "mrc-clock.h"

namespace ns3
{

void
MrcFabricEvent::Notify()
{
    Run(MrcNowPs());
}

} // namespace ns3
