// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EV_BITS_H
#define MRC_EV_BITS_H

#include <array>
#include <cstdint>
#include <string>

namespace mrc
{

/**
 * An EV as controllers write it: a string of up to 256 bits, the first one the most significant.
 *
 * How many of the bits mean something is said by the profile that the EV belongs to. Those
 * behind are zero.
 */
struct EvBits
{
    /// Bits that there is room for.
    static constexpr uint32_t MAX_BITS = 256;

    std::array<uint8_t, MAX_BITS / 8> bytes{}; ///< bit 0 is the most significant of byte 0

    /**
     * @param value the bits, right-aligned
     * @param count how many, 0 to 64; higher bits of the value are left out
     * @return an EV that begins with them
     */
    static EvBits Of(uint64_t value, uint32_t count);

    /**
     * Read hexadecimal digits, 4 bits each: "abc" or "0xabc" is an EV of 12 bits.
     *
     * @param text 1 to 64 digits; colons between them are passed over
     * @param[out] ev the answer, unchanged unless the text is one
     * @return whether it is
     */
    static bool Parse(const std::string& text, EvBits& ev);

    /**
     * @param first where to begin, 0 to 256
     * @param count how many bits, 0 to 32; those past the end are zero
     * @return the bits, right-aligned
     */
    uint32_t Get(uint32_t first, uint32_t count) const;

    /**
     * Set bits. Those past the end are left out.
     *
     * @param first where to begin
     * @param count how many, 0 to 32
     * @param value the bits, right-aligned
     */
    void Put(uint32_t first, uint32_t count, uint32_t value);

    /// @param first a place, 0 to 256 @return whether a bit from there on is set
    bool HasOnesFrom(uint32_t first) const;

    /// @param count bits to show, a multiple of 4 is assumed @return their hexadecimal digits
    std::string Print(uint32_t count) const;
};

/// @param a an EV @param b another @return whether all bits are equal
inline bool
operator==(const EvBits& a, const EvBits& b)
{
    return a.bytes == b.bytes;
}

} // namespace mrc

#endif // MRC_EV_BITS_H
