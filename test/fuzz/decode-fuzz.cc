// SPDX-License-Identifier: GPL-2.0-only
// Fuzz target of the frame codec: what decodes must encode again and mean the same.
//
// With clang (build type and generator as you like):
//   cmake -S . -B build-fuzz -DCMAKE_CXX_COMPILER=clang++ -DMRC_SANITIZE=address,undefined
//   cmake --build build-fuzz --target mrc-decode-fuzz
//   mkdir -p build-fuzz/new
//   build-fuzz/bin/mrc-decode-fuzz -max_len=512 -max_total_time=60 build-fuzz/new test/fuzz/corpus
// With another compiler the target is a program that replays files given as arguments, or makes
// its own input (see decode-fuzz-replay.cc).
#include "mrc-frame-codec.h"
#include "mrc-frame-compare.h"
#include "mrc-ipv6.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace
{

/// Longest frame that a UDP length can claim.
constexpr size_t CAPACITY = mrc::ETHERNET_BYTES + 2 * mrc::IPV6_BYTES + 0xffff;

/// Stop with the reason. @param what broke
[[noreturn]] void
Fail(const char* what)
{
    std::fprintf(stderr, "decode-fuzz: %s\n", what);
    std::abort();
}

/// One frame, decoded.
struct Result
{
    mrc::DecodeError error;
    mrc::Frame frame;
    mrc::FrameAddresses addresses;
    mrc::DecodeInfo info;
};

/// @param bytes a frame @param size its length @return the decoder's answers
Result
Decode(const uint8_t* bytes, size_t size)
{
    Result result{};
    result.error = mrc::DecodeFrame(bytes, size, result.frame, result.addresses, result.info);
    return result;
}

/// @param a decoded @param b the same after a round trip
void
Compare(const Result& a, const Result& b)
{
    if (const char* const difference = mrc::test::FrameDifference(a.frame, b.frame))
    {
        Fail(difference);
    }
    if (a.addresses.innerSource != b.addresses.innerSource ||
        a.addresses.innerDestination != b.addresses.innerDestination ||
        a.addresses.outerSource != b.addresses.outerSource ||
        a.addresses.sourceMac != b.addresses.sourceMac ||
        a.addresses.destinationMac != b.addresses.destinationMac)
    {
        Fail("addresses");
    }
    const bool write = mrc::IsWrite(a.frame.opcode);
    if (write && (a.frame.write.payload == nullptr) != (b.frame.write.payload == nullptr))
    {
        Fail("payload presence");
    }
    if (write && a.frame.write.payload != nullptr &&
        std::memcmp(a.frame.write.payload, b.frame.write.payload, a.frame.payloadBytes) != 0)
    {
        Fail("payload");
    }
}

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    const Result first = Decode(bytes, size);
    if (first.error != mrc::DecodeError::OK)
    {
        if (first.info.where == mrc::WireHeader::NONE)
        {
            Fail("refused without saying where");
        }
        return 0;
    }
    static std::vector<uint8_t> buffer(CAPACITY);
    mrc::EncodeOptions options;
    options.udpPort = first.info.udpPort;
    options.pKey = first.info.bth.pKey;
    options.innerIpv4 = first.info.innerIpv4;
    mrc::Frame frame = first.frame;
    const bool trimmed = frame.Has(mrc::Frame::TRIMMED);
    if (trimmed && (first.info.hasSrh || first.info.innerIpv4))
    {
        // TLVs of an SRH and IPv4 options are not written again, which moves the cut.
        return 0;
    }
    const size_t written =
        mrc::EncodeFrame(frame, first.addresses, options, buffer.data(), buffer.size());
    if (written == 0)
    {
        Fail("decodes but does not encode");
    }
    Compare(first, Decode(buffer.data(), written));
    return 0;
}
