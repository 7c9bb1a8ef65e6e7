// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PATH_SELECTOR_H
#define MRC_PATH_SELECTOR_H

#include <cstdint>
#include <limits>

namespace mrc
{

/// Position of an entropy value (EV) in the set of a QP.
using EvIndex = uint16_t;

/// No EV at all.
inline constexpr EvIndex NO_EV = 0xffff;

/// State of an EV (//= MRC-REF 4 EV states).
enum class EvState : uint8_t
{
    GOOD,        ///< takes its turn
    SKIP,        ///< saw congestion: sits out one turn
    ASSUMED_BAD, ///< lost something: not used until probes prove it
    DENIED       ///< forbidden by the controller of the node
};

/// A change of an EV's state.
struct EvTransition
{
    int64_t nowPs; ///< when, ps; see EvObserver
    EvIndex index; ///< which EV
    EvState from;  ///< state before
    EvState to;    ///< state after
};

/// Is told each change of an EV's state.
class EvObserver
{
  public:
    virtual ~EvObserver() = default;

    /**
     * An EV changed its state.
     *
     * Called from inside the selector's verb, after the change took place and before a backup
     * takes the EV's turn. The observer must not call the selector. SKIP to GOOD happens when
     * the rotation passes over the EV, where no time is known: it carries the time of the last
     * verb that had one.
     *
     * @param transition what changed
     */
    virtual void OnEvTransition(const EvTransition& transition) = 0;
};

/// What happened to the EVs of a QP, or of all QPs that share the counters.
struct EvCounters
{
    uint64_t skips = 0;    ///< GOOD to SKIP
    uint64_t retired = 0;  ///< GOOD or SKIP to ASSUMED_BAD
    uint64_t restored = 0; ///< ASSUMED_BAD to GOOD, by probes
    uint64_t denied = 0;   ///< any to DENIED
    uint64_t replaced = 0; ///< a backup took the turn of an EV that left
};

/**
 * Decides which path each packet takes.
 *
 * A QP owns a set of EVs, each of which names a path through one plane. The caller decides the
 * plane (the port that is free), the selector decides the EV on it. Feedback is about the EV
 * that carried the packet, as the receiver reflected it. A selector may ignore any feedback:
 * the defaults do. EvIndex arguments must be below Size().
 */
class PathSelector
{
  public:
    /// Planes of which a selector knows whether they are up; a port status mask has as many bits.
    //= MRC-REF 2 PETH, ERTH, EETH
    static constexpr uint8_t MASK_PLANES = 32;

    virtual ~PathSelector() = default;

    /**
     * Choose the EV of the next packet.
     *
     * Called just before a WRITE is sent, or a reliability probe that may take any path: every
     * call takes a turn of the rotation. For a retransmission `avoid` is the EV on which the packet
     * was lost; it is chosen again only if the plane has no other one to offer.
     *
     * @param plane the plane of the port that will send, below the number of planes
     * @param avoid EV to avoid, or NO_EV
     * @return an EV of that plane, or NO_EV when the plane has none to offer
     */
    virtual EvIndex Next(uint8_t plane, EvIndex avoid) = 0;

    /**
     * Whether the plane misses a turn.
     *
     * An EV that sits out a turn would be replaced by another one of its plane, so the plane would
     * carry as much as before. With several planes the turn itself has to go elsewhere: the port
     * stays idle for one packet and other planes take it. Asked before Next(); a selector that
     * answers true once owes one turn less.
     *
     * @param plane the plane of a free port
     * @return whether the port is to stay idle for the time of one packet
     */
    virtual bool TakeTurnOff(uint8_t plane);

    /**
     * A SACK with m = SKIP_ONCE arrived: the packet on this EV was CE-marked.
     *
     * @param index the reflected EV
     * @param nowPs when, ps
     */
    virtual void OnMarked(EvIndex index, int64_t nowPs);

    /**
     * Packets are reported received that were not marked.
     *
     * @param index the EV on which they were last sent
     * @param packets how many, at least 1
     * @param nowPs when, ps
     */
    virtual void OnUnmarked(EvIndex index, uint32_t packets, int64_t nowPs);

    /**
     * A NACK TRIMMED arrived. Not called for TRIMMED_LASTHOP, which says nothing about the path.
     *
     * @param index the reflected EV
     * @param nowPs when, ps
     */
    virtual void OnTrimmed(EvIndex index, int64_t nowPs);

    /**
     * A packet on this EV was lost without being trimmed: inferred from SACKs or timed out.
     * Called once per lost transmission. A probe that was not answered is no call.
     *
     * @param index the EV that carried the packet
     * @param nowPs when, ps
     */
    virtual void OnLost(EvIndex index, int64_t nowPs);

    /**
     * A SACK with m = ALWAYS_SKIP arrived: the receiver wants this EV out of use.
     *
     * @param index the reflected EV
     * @param nowPs when, ps
     */
    virtual void OnAlwaysSkip(EvIndex index, int64_t nowPs);

    /**
     * The port of a plane went down or came back, at this end or at the peer's.
     *
     * While it is down the caller does not ask Next() for the plane: IsPlaneUp() says so.
     *
     * @param plane the plane; nothing happens unless it is below MASK_PLANES
     * @param isUp whether both ports of the plane are up now
     * @param nowPs when, ps
     */
    virtual void SetPlaneUp(uint8_t plane, bool isUp, int64_t nowPs);

    /**
     * @param plane a plane
     * @return whether packets may be sent on it: no port of it is known to be down
     */
    bool IsPlaneUp(uint8_t plane) const
    {
        return (m_downPlanes >> (plane % MASK_PLANES) & 1) == 0;
    }

    /**
     * Take the next EV whose turn it is to be probed.
     *
     * Called until it answers NO_EV whenever NextProbeDeadlinePs() is reached. The caller sends
     * one reliability probe on the EV; the selector counts it as sent and plans the next one.
     *
     * @param nowPs the time, ps
     * @return the EV to probe now, or NO_EV when none is due
     */
    virtual EvIndex NextProbe(int64_t nowPs);

    /**
     * Asked after each verb that may change it, to set the QP's timer.
     *
     * @return when NextProbe() next has an EV to offer, ps; INT64_MAX if never
     */
    virtual int64_t NextProbeDeadlinePs() const;

    /**
     * A reliability probe on this EV was answered, whatever its reason was.
     *
     * @param index the EV that carried the probe
     * @param marked whether the probe was CE-marked
     * @param nowPs when, ps
     */
    virtual void OnProbeAnswered(EvIndex index, bool marked, int64_t nowPs);

    /**
     * The controller of the node forbids an EV. It is not used, not even as a last resort, until
     * Allow(). A plane whose EVs are all denied has none to offer.
     *
     * @param index an EV
     * @param nowPs when, ps
     */
    //= MRC-REF 4 EV states, DENIED by a controller
    virtual void Deny(EvIndex index, int64_t nowPs) = 0;

    /**
     * The controller allows a denied EV again.
     *
     * @param index an EV; nothing happens unless it is denied
     * @param nowPs when, ps
     */
    virtual void Allow(EvIndex index, int64_t nowPs) = 0;

    /**
     * @param index an EV
     * @return whether it is denied
     */
    virtual bool IsDenied(EvIndex index) const = 0;

    /**
     * @param index an EV
     * @return its 32 bits for the wire
     */
    virtual uint32_t Value(EvIndex index) const = 0;

    /**
     * @param index an EV
     * @return the plane it belongs to
     */
    virtual uint8_t Plane(EvIndex index) const = 0;

    /**
     * Find the EV that a SACK or NACK reflects.
     *
     * @param value 32 bits from the wire
     * @return its index, or NO_EV if the QP has no such EV
     */
    virtual EvIndex Find(uint32_t value) const = 0;

    /// @return number of EVs of the QP, backups included
    virtual uint16_t Size() const = 0;

  private:
    uint32_t m_downPlanes{0}; ///< bit p: plane p is down
};

inline bool
PathSelector::TakeTurnOff(uint8_t)
{
    return false;
}

inline void
PathSelector::OnMarked(EvIndex, int64_t)
{
}

inline void
PathSelector::OnUnmarked(EvIndex, uint32_t, int64_t)
{
}

inline void
PathSelector::OnTrimmed(EvIndex, int64_t)
{
}

inline void
PathSelector::OnLost(EvIndex, int64_t)
{
}

inline void
PathSelector::OnAlwaysSkip(EvIndex, int64_t)
{
}

inline void
PathSelector::SetPlaneUp(uint8_t plane, bool isUp, int64_t)
{
    if (plane < MASK_PLANES)
    {
        const uint32_t bit = uint32_t{1} << plane;
        m_downPlanes = isUp ? m_downPlanes & ~bit : m_downPlanes | bit;
    }
}

inline EvIndex
PathSelector::NextProbe(int64_t)
{
    return NO_EV;
}

inline int64_t
PathSelector::NextProbeDeadlinePs() const
{
    return std::numeric_limits<int64_t>::max();
}

inline void
PathSelector::OnProbeAnswered(EvIndex, bool, int64_t)
{
}

} // namespace mrc

#endif // MRC_PATH_SELECTOR_H
