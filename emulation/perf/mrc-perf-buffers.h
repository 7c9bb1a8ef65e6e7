// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PERF_BUFFERS_H
#define MRC_PERF_BUFFERS_H

#include "mrc-perf-parameters.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace mrc::perf
{

/**
 * The memory of one end: for each QP some slots that messages are sent from, and as many that
 * the peer writes to.
 *
 * Message n of a QP uses slot n modulo the number of slots. Its bytes depend on seed, QP, n and
 * offset, so a stale, misplaced or missing byte shows.
 */
class PerfBuffers
{
  public:
    /// @param test sizes @throws RunError if there is not enough memory
    explicit PerfBuffers(const TestParameters& test);

    /// @param test sizes @return slots of each QP; 0 if MAX_MEMORY_BYTES do not hold even one
    static uint32_t SlotsFor(const TestParameters& test);

    /// @return slots of each QP
    uint32_t Slots() const
    {
        return m_slots;
    }

    /// @return bytes that a QP's slots occupy
    uint64_t BytesPerQp() const
    {
        return uint64_t{m_slots} * m_slotBytes;
    }

    /// @param qp index @param message number @return offset of its slot in the slots of all QPs
    uint64_t Offset(uint32_t qp, uint64_t message) const
    {
        return qp * BytesPerQp() + message % m_slots * m_slotBytes;
    }

    /// @return what is sent
    uint8_t* Source() const
    {
        return m_source.get();
    }

    /// @return what the peer writes to
    uint8_t* Target() const
    {
        return m_target.get();
    }

    /// Write the pattern of a message into its slot of Source().
    void Prepare(uint32_t qp, uint64_t message);

    /// @return bytes of a message's slot in Target() that differ from its pattern
    uint64_t CountWrong(uint32_t qp, uint64_t message) const;

  private:
    /// Frees what aligned_alloc() gave.
    struct Free
    {
        void operator()(uint8_t* bytes) const;
    };

    /// @param bytes how many @return zeros, resident @throws RunError
    static std::unique_ptr<uint8_t, Free> Allocate(uint64_t bytes);

    uint64_t m_seed;                         //!< of the pattern
    uint32_t m_sizeBytes;                    //!< of a message
    uint32_t m_slots;                        //!< of a QP
    uint64_t m_slotBytes;                    //!< of a slot
    std::unique_ptr<uint8_t, Free> m_source; //!< what is sent
    std::unique_ptr<uint8_t, Free> m_target; //!< what the peer writes to
};

} // namespace mrc::perf

#endif // MRC_PERF_BUFFERS_H
