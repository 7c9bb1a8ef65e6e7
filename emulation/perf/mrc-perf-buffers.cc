// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-perf-buffers.h"

#include "mrc-perf-error.h"
#include "mrc-random.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace mrc::perf
{

namespace
{

constexpr uint64_t CACHE_LINE_BYTES = 64;
constexpr size_t PAGE_BYTES = 4096;

/// @param sizeBytes of a message @return of its slot
uint64_t
SlotBytes(uint32_t sizeBytes)
{
    return std::max<uint64_t>(1, (sizeBytes + CACHE_LINE_BYTES - 1) / CACHE_LINE_BYTES) *
           CACHE_LINE_BYTES;
}

/// @return where the pattern of a message starts
Random
PatternOf(uint64_t seed, uint32_t qp, uint64_t message)
{
    Random mix(seed ^ uint64_t{qp} << 40 ^ message);
    return Random(mix.Next());
}

} // namespace

void
PerfBuffers::Free::operator()(uint8_t* bytes) const
{
    std::free(bytes);
}

std::unique_ptr<uint8_t, PerfBuffers::Free>
PerfBuffers::Allocate(uint64_t bytes)
{
    bytes = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    std::unique_ptr<uint8_t, Free> memory(
        static_cast<uint8_t*>(std::aligned_alloc(PAGE_BYTES, bytes)));
    if (!memory)
    {
        throw RunError("not enough memory for " + std::to_string(bytes) + " bytes of buffers");
    }
    std::memset(memory.get(), 0, bytes);
    return memory;
}

uint32_t
PerfBuffers::SlotsFor(const TestParameters& test)
{
    // Checked messages are not overwritten before they are checked; others may share a slot.
    const uint64_t wanted =
        test.isVerified && test.kind == TestKind::BANDWIDTH ? uint64_t{2} * test.depth : 1;
    const uint64_t fitting = MAX_MEMORY_BYTES / (SlotBytes(test.sizeBytes) * test.qps);
    return static_cast<uint32_t>(std::min(wanted, fitting));
}

PerfBuffers::PerfBuffers(const TestParameters& test)
    : m_seed(test.seed),
      m_sizeBytes(test.sizeBytes),
      m_slots(SlotsFor(test)),
      m_slotBytes(SlotBytes(test.sizeBytes)),
      m_source(Allocate(m_slots * m_slotBytes * test.qps)),
      m_target(Allocate(m_slots * m_slotBytes * test.qps))
{
}

void
PerfBuffers::Prepare(uint32_t qp, uint64_t message)
{
    Random pattern = PatternOf(m_seed, qp, message);
    uint8_t* bytes = Source() + Offset(qp, message);
    for (uint32_t done = 0; done < m_sizeBytes; done += sizeof(uint64_t))
    {
        const uint64_t word = pattern.Next();
        std::memcpy(
            bytes + done, &word, std::min<size_t>(sizeof(word), m_sizeBytes - size_t{done}));
    }
}

uint64_t
PerfBuffers::CountWrong(uint32_t qp, uint64_t message) const
{
    Random pattern = PatternOf(m_seed, qp, message);
    const uint8_t* bytes = Target() + Offset(qp, message);
    uint64_t wrong = 0;
    for (uint32_t done = 0; done < m_sizeBytes; done += sizeof(uint64_t))
    {
        const uint64_t word = pattern.Next();
        const size_t count = std::min<size_t>(sizeof(word), m_sizeBytes - size_t{done});
        if (std::memcmp(bytes + done, &word, count) != 0)
        {
            const auto* wanted = reinterpret_cast<const uint8_t*>(&word);
            for (size_t i = 0; i < count; ++i)
            {
                wrong += bytes[done + i] != wanted[i];
            }
        }
    }
    return wrong;
}

} // namespace mrc::perf
