// SPDX-License-Identifier: GPL-2.0-only
// Drives a fuzz target that takes any bytes as decisions, without libFuzzer.
//
//   mrc-X-fuzz FILE...                  replays inputs
//   MRC_TEST_SEED=7 mrc-X-fuzz -runs=N  N random inputs; says which seed is at work when it fails
#include <cstdint>
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

/// @param seed of the input @return its bytes
std::vector<uint8_t>
MakeInput(uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<uint8_t> bytes(random() % 1024);
    for (uint8_t& byte : bytes)
    {
        byte = static_cast<uint8_t>(random());
    }
    return bytes;
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
            const uint64_t first =
                wanted != nullptr ? std::strtoull(wanted, nullptr, 0) : std::random_device()();
            const uint64_t runs = std::strtoull(argv[i] + std::strlen(RUNS), nullptr, 0);
            std::printf("seeds %llu to %llu\n",
                        static_cast<unsigned long long>(first),
                        static_cast<unsigned long long>(first + runs - 1));
            std::fflush(stdout);
            for (uint64_t seed = first; seed < first + runs; ++seed)
            {
                const std::vector<uint8_t> input = MakeInput(seed);
                LLVMFuzzerTestOneInput(input.data(), input.size());
            }
            continue;
        }
        std::ifstream file(argv[i], std::ios::binary);
        if (!file)
        {
            std::fprintf(stderr, "cannot read %s\n", argv[i]);
            return 1;
        }
        const std::vector<uint8_t> input{std::istreambuf_iterator<char>(file),
                                         std::istreambuf_iterator<char>()};
        LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    return 0;
}
