// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PROFILE_H
#define MRC_PROFILE_H

#include "mrc-congestion-control.h"
#include "mrc-dctcp.h"
#include "mrc-endpoint-config.h"
#include "mrc-ev-table.h"
#include "mrc-nscc.h"
#include "mrc-reps-selector.h"
#include "mrc-transport-config.h"

#include <ns3/nstime.h>
#include <ns3/object.h>

#include <memory>

namespace ns3
{

/// Which congestion controller QPs get.
enum MrcCongestionAlgorithm
{
    MRC_CC_NSCC,  ///< sender-based window control of UEC
    MRC_CC_DCTCP, ///< window that follows the fraction of marked bytes
    MRC_CC_WINDOW ///< fixed window
};

/// How QPs choose the EV of each packet.
enum MrcSpray
{
    MRC_SPRAY_MRC,         ///< EV states, backups, rotation
    MRC_SPRAY_RANDOM,      ///< oblivious random
    MRC_SPRAY_ROUND_ROBIN, ///< in order
    MRC_SPRAY_REPS,        ///< recycled entropies
    MRC_SPRAY_SINGLE       ///< one EV for ever
};

/**
 * @ingroup mrc
 * Transport and congestion control parameters, shared by the NICs of a fabric.
 *
 * The base structs of core/ hold the values; each of their fields is an attribute of the same name
 * and default, times as Time and without the unit in the name. Values that are 0 by
 * default are derived from the topology when the helper installs the fabric. Change attributes
 * before that.
 */
class MrcProfile : public Object,
                   public mrc::TransportConfig,
                   public mrc::EvTableConfig,
                   public mrc::EndpointConfig,
                   public mrc::NsccConfig,
                   public mrc::DctcpConfig,
                   public mrc::RepsConfig
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    MrcProfile();
    ~MrcProfile() override;

    /// What Resolve() needs to know of a fabric.
    struct Topology
    {
        Time baseRtt;                   ///< round trip of the longest path without load
        uint64_t lineRateBitsPerSecond; ///< sum of a NIC's port rates
        uint32_t planes;                ///< ports of a NIC
        uint32_t pathsPerPlane;         ///< most paths of a pair in a plane
        bool isTrimming;                ///< whether switches trim
    };

    /**
     * Derive what was left to the topology.
     *
     * @param topology of the fabric
     */
    void Resolve(const Topology& topology);

    /// @return parameters of requesters and responders, after Resolve()
    const mrc::TransportConfig& Transport() const
    {
        return *this;
    }

    /// @return parameters of EV tables
    const mrc::EvTableConfig& EvTable() const
    {
        return *this;
    }

    /// @return parameters of REPS
    const mrc::RepsConfig& Reps() const
    {
        return *this;
    }

    /// @return parameters of endpoint operations, after Resolve()
    const mrc::EndpointConfig& Endpoint() const
    {
        return *this;
    }

    /// @return parameters of NSCC, after Resolve()
    const mrc::NsccParameters& Nscc() const
    {
        return *m_nscc;
    }

    /// @return how EVs are chosen
    MrcSpray Spray() const
    {
        return m_spray;
    }

    /// @return whether frames are encapsulated with a uSID carrier; else switches hash
    bool IsSrv6() const
    {
        return m_isSrv6;
    }

    /// @return a congestion controller for a QP
    std::unique_ptr<mrc::CongestionControl> CreateCongestionControl() const;

  private:
    /// @param tid the TypeId so far @return it, with the attributes of congestion controllers
    static TypeId AddCongestionAttributes(TypeId tid);
    /// @param tid the TypeId so far @return it, with the attributes of the transport
    static TypeId AddTransportAttributes(TypeId tid);
    /// @param tid the TypeId so far @return it, with the attributes of endpoint operations
    static TypeId AddEndpointAttributes(TypeId tid);
    /// @param tid the TypeId so far @return it, with the attributes of EVs and DSCPs
    static TypeId AddFabricAttributes(TypeId tid);

    /// Set a field that core/ counts in picoseconds. @tparam FIELD which @param value the time
    template <auto FIELD>
    void SetPs(Time value)
    {
        this->*FIELD = value.GetPicoSeconds();
    }

    /// @tparam FIELD a field that core/ counts in picoseconds @return its value
    template <auto FIELD>
    Time GetPs() const
    {
        return PicoSeconds(this->*FIELD);
    }

    /// Set a DSCP. @tparam FIELD which class @param value 0 to 63
    template <auto FIELD>
    void SetDscp(uint8_t value)
    {
        dscp.*FIELD = value;
    }

    /// @tparam FIELD a class @return its DSCP
    template <auto FIELD>
    uint8_t GetDscp() const
    {
        return dscp.*FIELD;
    }

    std::unique_ptr<mrc::NsccParameters> m_nscc;     //!< NSCC, derived
    uint32_t m_evCount{128};                         //!< attribute EvCount
    uint32_t m_backupEvCount{32};                    //!< attribute BackupEvCount
    uint64_t m_windowBytes{0};                       //!< attribute WindowBytes
    MrcCongestionAlgorithm m_algorithm{MRC_CC_NSCC}; //!< attribute
    MrcSpray m_spray{MRC_SPRAY_MRC};                 //!< attribute Spray
    bool m_isSrv6{true};                             //!< attribute Srv6
};

} // namespace ns3

#endif // MRC_PROFILE_H
