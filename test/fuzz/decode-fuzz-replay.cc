// SPDX-License-Identifier: GPL-2.0-only
// Drives the fuzz target without libFuzzer.
//
//   mrc-decode-fuzz FILE...                  replays inputs
//   MRC_TEST_SEED=7 mrc-decode-fuzz -runs=N  damages N frames of its own making
#include "mrc-frame-codec.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

namespace
{

/// Run the target on a copy of exactly the input's size, which sanitizers can guard.
/// @param input bytes
void
RunOne(const std::vector<uint8_t>& input)
{
    const std::vector<uint8_t> exact(input.begin(), input.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

/// @param random source @return the bytes of a frame of a random opcode
std::vector<uint8_t>
MakeFrame(std::mt19937_64& random)
{
    mrc::Frame frame{};
    uint8_t opcode = 0;
    do
    {
        opcode = static_cast<uint8_t>(0xc0 | (random() & 0x1f));
    } while (!mrc::IsKnownOpcode(opcode));
    frame.opcode = static_cast<mrc::Opcode>(opcode);
    frame.flags = random() & (mrc::Frame::ENCAPSULATED | mrc::Frame::HAS_TIMESTAMP |
                              mrc::Frame::TRIMMED | mrc::Frame::ACK_REQUEST);
    frame.payloadBytes = random() % 200;
    frame.trafficClass = static_cast<uint8_t>(random());
    frame.ev = static_cast<uint32_t>(random());
    mrc::FrameAddresses addresses{};
    mrc::EncodeOptions options;
    options.innerIpv4 = random() % 4 == 0;
    if (options.innerIpv4)
    {
        addresses.innerSource = mrc::Ipv6Address::FromIpv4(static_cast<uint32_t>(random()));
        addresses.innerDestination = addresses.innerSource;
        frame.daLow = addresses.innerSource.low;
    }
    std::vector<uint8_t> bytes(mrc::MAX_ENCODED_BYTES);
    bytes.resize(mrc::EncodeFrame(frame, addresses, options, bytes.data(), bytes.size()));
    return bytes;
}

/// @param runs how many inputs @param seed of all of them
void
RunRandom(unsigned long runs, unsigned long seed)
{
    std::printf("seed %lu, %lu runs\n", seed, runs);
    std::fflush(stdout);
    std::mt19937_64 random(seed);
    for (unsigned long run = 0; run < runs; ++run)
    {
        std::vector<uint8_t> bytes = MakeFrame(random);
        for (auto left = random() % 6; left > 0 && !bytes.empty(); --left)
        {
            bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
        }
        if (random() % 4 == 0)
        {
            bytes.resize(random() % (bytes.size() + 20));
        }
        RunOne(bytes);
    }
}

} // namespace

int
main(int argc, char** argv)
{
    constexpr const char* RUNS = "-runs=";
    for (int i = 1; i < argc; ++i)
    {
        if (std::strncmp(argv[i], RUNS, std::strlen(RUNS)) == 0)
        {
            const char* const wanted = std::getenv("MRC_TEST_SEED");
            RunRandom(std::strtoul(argv[i] + std::strlen(RUNS), nullptr, 0),
                      wanted != nullptr ? std::strtoul(wanted, nullptr, 0)
                                        : std::random_device()());
            continue;
        }
        std::ifstream file(argv[i], std::ios::binary);
        if (!file)
        {
            std::fprintf(stderr, "cannot read %s\n", argv[i]);
            return 1;
        }
        RunOne(std::vector<uint8_t>{std::istreambuf_iterator<char>(file),
                                    std::istreambuf_iterator<char>()});
    }
    return 0;
}
