// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EV_DENIALS_H
#define MRC_EV_DENIALS_H

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace mrc
{

/// Who denies. What one of them denies stays denied until the same one allows it.
enum class DenialOrigin : uint8_t
{
    OPERATOR, ///< a person or a program of theirs
    PROBER    ///< the fabric prober
};

/// Number of origins.
inline constexpr size_t DENIAL_ORIGINS = 2;

//= MRC-REF 4 EV states, DENIED by a controller
/// Something that a controller forbids or allows again.
struct EvOrder
{
    /// What it is about.
    enum class Scope : uint8_t
    {
        EV,           ///< one EV of a profile
        PLANE,        ///< all EVs of a plane
        PLANE_TO_PEER ///< all EVs of a plane in QPs to one NIC
    };

    /// peer of an order that is about all of them.
    static constexpr uint32_t ALL_PEERS = UINT32_MAX;

    Scope scope{Scope::PLANE};                   ///< what it is about
    bool isDenied{true};                         ///< forbid, or allow again
    DenialOrigin origin{DenialOrigin::OPERATOR}; ///< who says so
    uint32_t profile{0};                         ///< EV: which profile
    uint32_t ev{0};                              ///< EV: its 32 bits on the wire
    uint8_t plane{0};                            ///< PLANE, PLANE_TO_PEER: which
    uint32_t peer{ALL_PEERS};                    ///< PLANE_TO_PEER: NIC at the other end

    /// @return an order for a plane
    static EvOrder Plane(uint8_t plane, bool isDenied)
    {
        EvOrder order;
        order.plane = plane;
        order.isDenied = isDenied;
        return order;
    }

    /// @return an order for an EV
    static EvOrder Ev(uint32_t profile, uint32_t ev, bool isDenied)
    {
        EvOrder order;
        order.scope = Scope::EV;
        order.profile = profile;
        order.ev = ev;
        order.isDenied = isDenied;
        return order;
    }
};

/// What a controller forbids at present.
class EvDenials
{
  public:
    /// Take an order into account. @param order planes below 32
    void Apply(const EvOrder& order);

    /// @param peer NIC at the other end @return denied planes towards it: bit p = plane p
    uint32_t Planes(uint32_t peer = EvOrder::ALL_PEERS) const;

    /**
     * @param profile of the QP
     * @param ev its 32 bits on the wire
     * @param plane its plane
     * @param peer NIC at the other end
     * @return whether it must not be used
     */
    bool IsDenied(uint32_t profile, uint32_t ev, uint8_t plane, uint32_t peer) const;

    /// @return whether nothing is denied
    bool IsEmpty() const;

  private:
    /// What one origin denies.
    struct Denied
    {
        uint32_t planes{0};                            ///< bit p: plane p
        std::unordered_map<uint32_t, uint32_t> toPeer; ///< by peer, the same
        std::set<std::pair<uint32_t, uint32_t>> evs;   ///< profile and EV
    };

    std::array<Denied, DENIAL_ORIGINS> m_denied; ///< by origin
};

} // namespace mrc

#endif // MRC_EV_DENIALS_H
