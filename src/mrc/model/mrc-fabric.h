// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_FABRIC_H
#define MRC_FABRIC_H

#include "mrc-address-plan.h"
#include "mrc-frame-pool.h"
#include "mrc-path-template.h"

#include <ns3/object.h>

#include <memory>

namespace ns3
{

/**
 * @ingroup mrc
 * What the NICs and switches of one fabric share: the plan, and the memory of its frames.
 */
class MrcFabric : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    MrcFabric();
    ~MrcFabric() override;

    /**
     * Set the plan. Done once, before anything is connected.
     *
     * @param plan wiring, uSIDs and paths
     */
    void SetPlan(const mrc::PathPlan& plan);

    /// @return the plan
    const mrc::PathPlan& Plan() const
    {
        return *m_plan;
    }

    /// @return addresses of NICs and prefixes towards them
    const mrc::AddressPlan& Addresses() const
    {
        return *m_addresses;
    }

    /// @return memory of frames
    mrc::FramePool& Pool()
    {
        return m_pool;
    }

  private:
    mrc::FramePool m_pool;                         //!< frames
    std::unique_ptr<mrc::PathPlan> m_plan;         //!< wiring, uSIDs and paths
    std::unique_ptr<mrc::AddressPlan> m_addresses; //!< of the plan
};

} // namespace ns3

#endif // MRC_FABRIC_H
