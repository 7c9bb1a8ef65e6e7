// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_USID_H
#define MRC_USID_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace mrc
{

//= MRC-REF 3 NEXT-CSID uN, F3216
/**
 * An IPv6 address that carries a path: a 32-bit block and up to six 16-bit uSIDs (RFC 9800,
 * format F3216). The first uSID is the active one; zeros fill the places after the last.
 *
 *     high: block 32 | uSID 0 | uSID 1      low: uSID 2 | uSID 3 | uSID 4 | uSID 5
 */
struct UsidCarrier
{
    uint64_t high; ///< bytes 0-7 of the address
    uint64_t low;  ///< bytes 8-15 of the address

    /// Places for uSIDs in a carrier.
    static constexpr size_t MAX_USIDS = 6;

    /**
     * @param block the 32 bits that all uSIDs of a network share
     * @param usids the path, next switch first, none zero
     * @param count how many; those past MAX_USIDS do not fit and are left out
     * @return the carrier
     */
    static constexpr UsidCarrier Build(uint32_t block, const uint16_t* usids, size_t count)
    {
        UsidCarrier carrier{static_cast<uint64_t>(block) << 32, 0};
        for (size_t i = 0; i < count && i < MAX_USIDS; ++i)
        {
            const uint64_t usid = usids[i];
            if (i < 2)
            {
                carrier.high |= usid << (16 * (1 - i));
            }
            else
            {
                carrier.low |= usid << (16 * (MAX_USIDS - 1 - i));
            }
        }
        return carrier;
    }

    /// @param block see above @param usids the path, at most MAX_USIDS @return the carrier
    static constexpr UsidCarrier Build(uint32_t block, std::initializer_list<uint16_t> usids)
    {
        return Build(block, usids.begin(), usids.size());
    }

    /// @return the 32 bits that all uSIDs of the network share
    constexpr uint32_t Block() const
    {
        return static_cast<uint32_t>(high >> 32);
    }

    /// @return the uSID that the next switch compares with its own; 0 if there is none
    constexpr uint16_t ActiveUsid() const
    {
        return static_cast<uint16_t>(high >> 16);
    }

    /// @param index 0..5, 0 = active @return the uSID at that place, 0 if the place is empty
    constexpr uint16_t Usid(size_t index) const
    {
        return static_cast<uint16_t>(index < 2 ? high >> (16 * (1 - index))
                                               : low >> (16 * (MAX_USIDS - 1 - index)));
    }

    /// Remove the active uSID: the others move 16 bits left, zero comes in, the block stays.
    constexpr void Shift()
    {
        high = (high & 0xffffffff00000000) | (high & 0xffff) << 16 | low >> 48;
        low <<= 16;
    }

    /// @return whether nothing follows the active uSID (RFC 9800: the argument is zero)
    constexpr bool IsEndOfList() const
    {
        return (high & 0xffff) == 0 && low == 0;
    }

    /// @return whether the active uSID was the last and was shifted out: nothing but the block
    constexpr bool IsUsedUp() const
    {
        return (high & 0xffffffff) == 0 && low == 0;
    }

    /// @return uSIDs before the first empty place, 0..6
    constexpr size_t Count() const
    {
        size_t count = 0;
        while (count < MAX_USIDS && Usid(count) != 0)
        {
            ++count;
        }
        return count;
    }

    /// @return the address, for example "fcbb:bb00:1001:2002::"
    std::string Print() const;

    /// @return block and path, for example "fcbb:bb00::/32 [1001 2002]"
    std::string PrintPath() const;
};

/// @param a a carrier @param b another @return whether all 128 bits are equal
constexpr bool
operator==(const UsidCarrier& a, const UsidCarrier& b)
{
    return a.high == b.high && a.low == b.low;
}

/// @param a a carrier @param b another @return whether a bit differs
constexpr bool
operator!=(const UsidCarrier& a, const UsidCarrier& b)
{
    return !(a == b);
}

} // namespace mrc

#endif // MRC_USID_H
