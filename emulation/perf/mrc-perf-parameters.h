// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PERF_PARAMETERS_H
#define MRC_PERF_PARAMETERS_H

#include <cstdint>

namespace mrc::perf
{

/// What is measured.
enum class TestKind : uint8_t
{
    BANDWIDTH, ///< as many messages as fit
    LATENCY    ///< one message back and forth
};

/// What a test does; the client decides, the server learns it.
struct TestParameters
{
    TestKind kind{TestKind::BANDWIDTH}; ///< what is measured
    uint32_t sizeBytes{65536};          ///< of a message
    uint64_t iterations{5000};          ///< messages of each QP; 0: as many as fit in the duration
    int64_t durationPs{0};              ///< 0: until the iterations are done
    uint32_t qps{1};                    ///< QPs
    uint32_t depth{128};                ///< messages of a QP that are posted and not complete
    uint32_t mtuBytes{4096};            ///< payload of a full packet
    bool isBidirectional{false};        ///< the server sends too
    bool hasImmediate{false};           ///< WRITE with IMMEDIATE
    bool isVerified{false};             ///< each byte of each message is checked
    uint64_t seed{0};                   ///< of the pattern
};

/// @name Bounds of what a peer or a user may ask for
/// @{
inline constexpr uint32_t MAX_SIZE_BYTES = 1u << 30;   ///< message
inline constexpr uint32_t MAX_QPS = 4096;              ///< QPs
inline constexpr uint32_t MAX_DEPTH = 16384;           ///< messages posted
inline constexpr uint64_t MAX_ITERATIONS = 1u << 30;   ///< messages of a QP
inline constexpr uint64_t MAX_MEMORY_BYTES = 1u << 30; ///< of the buffers of one end
/// @}

} // namespace mrc::perf

#endif // MRC_PERF_PARAMETERS_H
