// SPDX-License-Identifier: GPL-2.0-only
// Frames to bytes and back, and the ICRC alone.

#include "mrc-frame-codec.h"
#include "mrc-icrc.h"
#include "mrc-wire-size.h"

#include <benchmark/benchmark.h>
#include <vector>

namespace
{

/// @return a full WRITE of 4096 bytes in SRv6
mrc::Frame
FullWrite(const std::vector<uint8_t>& payload)
{
    mrc::Frame frame{};
    frame.opcode = mrc::Opcode::WRITE_MIDDLE;
    frame.flags = mrc::Frame::ENCAPSULATED | mrc::Frame::HAS_TIMESTAMP;
    frame.ev = 0xc0010003;
    frame.hopLimit = 64;
    frame.trafficClass = mrc::MakeTrafficClass(8, mrc::ECT0);
    frame.payloadBytes = 4096;
    frame.wireBytes =
        mrc::FrameWireBytes(mrc::FrameL2Bytes(frame.opcode, true, true, frame.payloadBytes));
    frame.write.payload = payload.data();
    frame.write.tseth.ftype = mrc::TIMESTAMP_FTYPE;
    return frame;
}

void
CodecEncode(benchmark::State& state)
{
    const std::vector<uint8_t> payload(4096, 0x5a);
    std::vector<uint8_t> out(mrc::MAX_ENCODED_BYTES);
    const mrc::Frame frame = FullWrite(payload);
    const mrc::FrameAddresses addresses{};
    for (auto _ : state)
    {
        benchmark::DoNotOptimize(
            mrc::EncodeFrame(frame, addresses, mrc::EncodeOptions(), out.data(), out.size()));
    }
    state.SetItemsProcessed(state.iterations());
}

void
CodecDecode(benchmark::State& state)
{
    const std::vector<uint8_t> payload(4096, 0x5a);
    std::vector<uint8_t> bytes(mrc::MAX_ENCODED_BYTES);
    bytes.resize(mrc::EncodeFrame(FullWrite(payload),
                                  mrc::FrameAddresses{},
                                  mrc::EncodeOptions(),
                                  bytes.data(),
                                  bytes.size()));
    mrc::Frame frame{};
    mrc::FrameAddresses addresses{};
    mrc::DecodeInfo info{};
    for (auto _ : state)
    {
        benchmark::DoNotOptimize(
            mrc::DecodeFrame(bytes.data(), bytes.size(), frame, addresses, info));
    }
    state.SetItemsProcessed(state.iterations());
}

BENCHMARK(CodecEncode);
BENCHMARK(CodecDecode);

} // namespace
