// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-ideal.h"

#include "mrc-wire-size.h"

#include <algorithm>

namespace mrc
{

namespace
{

/// @param config packet size and headers
/// @param opcode what the packet is
/// @param payloadBytes its payload
/// @return bytes that it keeps a link busy for
uint32_t
PacketWireBytes(const IdealConfig& config, Opcode opcode, uint32_t payloadBytes)
{
    return FrameWireBytes(
        FrameL2Bytes(opcode, config.hasTimestamps, config.encapsulated, payloadBytes));
}

/// @param config packet size and headers
/// @return bytes of a full packet on the wire
uint32_t
FullPacketWireBytes(const IdealConfig& config)
{
    return PacketWireBytes(config, Opcode::WRITE_MIDDLE, config.mtuBytes);
}

/// @param config packet size and headers
/// @return time from the responder's memory to the requester of a SACK, ps
int64_t
SackOneWayPs(const IdealConfig& config)
{
    return OneWayPs(config.latency, config.switches, PacketWireBytes(config, Opcode::SACK, 0));
}

/// How a message is cut into packets.
struct Cut
{
    uint64_t fullPackets;   ///< packets of the MTU before the last one
    uint32_t lastWireBytes; ///< the last packet on the wire
};

/// @param config packet size and headers
/// @param messageBytes payload
/// @param hasImmediate whether the last packet carries an immediate
/// @return the packets
Cut
CutMessage(const IdealConfig& config, uint64_t messageBytes, bool hasImmediate)
{
    const uint64_t full = messageBytes == 0 ? 0 : (messageBytes - 1) / config.mtuBytes;
    const auto rest = static_cast<uint32_t>(messageBytes - full * config.mtuBytes);
    const Opcode last = hasImmediate ? Opcode::WRITE_LAST_IMM : Opcode::WRITE_LAST;
    return {full, PacketWireBytes(config, last, rest)};
}

} // namespace

int64_t
SerializationPs(uint64_t wireBytes, uint64_t bitsPerSecond)
{
    // Bits times 10^12 of a message of gigabytes pass 64 bits.
    __extension__ using Wide = unsigned __int128;
    const Wide picobits = static_cast<Wide>(wireBytes) * 8 * 1'000'000'000'000;
    return static_cast<int64_t>((picobits + bitsPerSecond - 1) / bitsPerSecond);
}

int64_t
OneWayPs(const FabricLatency& latency, uint32_t switches, uint32_t wireBytes)
{
    const int64_t links = int64_t{switches} + 1;
    return 2 * latency.nicLatencyPs + switches * latency.switchLatencyPs +
           links * (latency.linkDelayPs + SerializationPs(wireBytes, latency.portBitsPerSecond));
}

int64_t
BaseRttPs(const IdealConfig& config)
{
    return OneWayPs(config.latency, config.switches, FullPacketWireBytes(config)) +
           SackOneWayPs(config);
}

uint64_t
PlaneBdpBytes(const IdealConfig& config)
{
    __extension__ using Wide = unsigned __int128;
    const Wide picobits = static_cast<Wide>(config.latency.portBitsPerSecond) *
                          static_cast<uint64_t>(BaseRttPs(config));
    return static_cast<uint64_t>(picobits / 8 / 1'000'000'000'000);
}

uint64_t
MessageWireBytes(const IdealConfig& config, uint64_t messageBytes, bool hasImmediate)
{
    const Cut cut = CutMessage(config, messageBytes, hasImmediate);
    return cut.fullPackets * FullPacketWireBytes(config) + cut.lastWireBytes;
}

int64_t
IdealFctPs(const IdealConfig& config, uint64_t messageBytes, bool hasImmediate)
{
    const Cut cut = CutMessage(config, messageBytes, hasImmediate);
    const uint32_t last = cut.lastWireBytes;
    const uint32_t other = cut.fullPackets ? FullPacketWireBytes(config) : last;
    const uint64_t rate = config.latency.portBitsPerSecond;
    const uint64_t wireBytes = MessageWireBytes(config, messageBytes, hasImmediate);
    const int64_t departure = std::max(SerializationPs(wireBytes, rate * config.planes),
                                       SerializationPs(std::max(last, other), rate));
    // An immediate can make the last packet the largest; it need not be the last to leave then.
    const uint32_t smallest = std::min(last, other);
    const int64_t flight =
        OneWayPs(config.latency, config.switches, smallest) - SerializationPs(smallest, rate);
    return departure + flight + SackOneWayPs(config);
}

} // namespace mrc
