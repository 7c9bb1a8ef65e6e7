// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_ENTROPY_H
#define MRC_ENTROPY_H

#include <cstdint>

namespace mrc
{

/// Which half of an EV is the UDP source port.
enum class EntropyOrder : uint8_t
{
    PORT_HIGH, ///< EV[31:16] = UDP source port, EV[15:0] = flow label
    PORT_LOW   ///< EV[15:0] = UDP source port, EV[31:16] = flow label
};

/// The two places in which an EV travels.
struct EntropyFields
{
    uint16_t sourcePort; ///< UDP source port
    uint16_t flowLabel;  ///< low 16 bits of the inner IPv6 flow label; not on the wire with IPv4
};

//= MRC-REF 2 UDP and IP
/// @param ev entropy value @param order which half is the port @return the two fields
constexpr EntropyFields
SplitEntropy(uint32_t ev, EntropyOrder order = EntropyOrder::PORT_HIGH)
{
    const auto high = static_cast<uint16_t>(ev >> 16);
    const auto low = static_cast<uint16_t>(ev);
    return order == EntropyOrder::PORT_HIGH ? EntropyFields{high, low} : EntropyFields{low, high};
}

/// @param fields from a packet; flow label 0 for IPv4 @param order which half is the port
/// @return the entropy value
constexpr uint32_t
JoinEntropy(EntropyFields fields, EntropyOrder order = EntropyOrder::PORT_HIGH)
{
    const uint32_t port = fields.sourcePort;
    const uint32_t label = fields.flowLabel;
    return order == EntropyOrder::PORT_HIGH ? port << 16 | label : label << 16 | port;
}

} // namespace mrc

#endif // MRC_ENTROPY_H
