// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EV_PROFILE_H
#define MRC_EV_PROFILE_H

#include "mrc-ev-bits.h"
#include "mrc-path-selector.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mrc
{

//= MRC-REF 5 EV format STEV, SRV6, UDP
/// Which bits of a packet an expanded EV is.
enum class EvFormat : uint8_t
{
    STEV, ///< 32 bits: UDP source port, then the low 16 bits of the flow label
    SRV6, ///< 256 bits: outer destination address, then one segment of an SRH
    UDP   ///< 16 bits: UDP source port
};

/// @param format any @return bits of an expanded EV
constexpr uint32_t
EvFormatBits(EvFormat format)
{
    return format == EvFormat::STEV ? 32 : format == EvFormat::SRV6 ? EvBits::MAX_BITS : 16;
}

/// @param format any @return "stev", "srv6" or "udp"
const char* EvFormatName(EvFormat format);

//= MRC-REF 5 EV mode AUTO, EXPLICIT, GENERATED
/// Where the EVs of a profile come from.
enum class EvMode : uint8_t
{
    AUTO,     ///< the NIC takes paths of the fabric at random
    EXPLICIT, ///< a list
    GENERATED ///< every combination of the values of the fields
};

/// How an expanded EV is divided.
struct EvFormatProfile
{
    EvFormat format{EvFormat::STEV}; ///< what the bits are
    std::vector<uint16_t> fieldBits; ///< widths of the fields, the most significant first

    /// @return empty if the widths make sense, else what is wrong
    std::string Validate() const;
};

/// One field of an EV profile: which of its bits the EV decides.
struct EvField
{
    uint8_t bits;     ///< width, 1 to 32
    uint32_t initVal; ///< value of the bits that the mask leaves out
    uint32_t minVal;  ///< GENERATED: least value of the bits that the mask takes
    uint32_t maxVal;  ///< GENERATED: greatest
    uint32_t mask;    ///< bits that come from the EV

    /// @return bits of an EV that this field takes
    uint32_t TakenBits() const;

    /// @param value right-aligned TakenBits() bits of an EV
    /// @return the field with bit i of the value in the i-th set bit of the mask, both counted
    ///         from the least significant, over initVal
    uint32_t Fill(uint32_t value) const;
};

//= MRC-REF 5 ev_event_mask
/// @param state any @return its bit in EvProfileConfig::evEventMask
constexpr uint32_t
EvEventBit(EvState state)
{
    return uint32_t{1} << static_cast<uint32_t>(state);
}

/// EVs that a profile may generate: more would not fit the memory of a controller (O).
inline constexpr uint64_t MAX_GENERATED_EVS = uint64_t{1} << 20;

/// An EV profile as a user writes it.
struct EvProfileConfig
{
    EvFormatProfile format;      ///< how expanded EVs are divided
    EvMode mode{EvMode::AUTO};   ///< where EVs come from
    std::vector<EvField> fields; ///< what EVs decide; EXPLICIT: empty = all of each format field
    std::vector<EvBits> evs;     ///< EXPLICIT: the list
    uint32_t evCount{128};       ///< EVs that take turns in a QP, over all planes, > 0
    uint32_t evMinActive{0};     ///< EVs that stay in use over all planes, bad or not; 0 = a
                                 ///< quarter (O)
    uint32_t evEventMask{0};     ///< bit of each EvState whose entry is reported, see EvEventBit()

    /// @return empty if the profile is consistent, else one line: what is wrong
    std::string Validate() const;

    /// @return the fields, those that stand for an empty list included
    std::vector<EvField> EffectiveFields() const;

    /// @return EVs that the profile lists or generates; 0 in mode AUTO
    uint64_t Count() const;

    /**
     * Name an EV in its compact form.
     *
     * @param number 0 to Count() - 1; the values of the last field vary fastest
     * @return the EV
     */
    EvBits Compact(uint64_t number) const;

    /**
     * Expand a compact EV.
     *
     * @param compact an EV
     * @param[out] expanded EvFormatBits() bits of a packet, unchanged if the EV is refused
     * @return empty, or why it is refused
     */
    std::string Expand(const EvBits& compact, EvBits& expanded) const;
};

} // namespace mrc

#endif // MRC_EV_PROFILE_H
