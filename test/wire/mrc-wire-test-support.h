// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_WIRE_TEST_SUPPORT_H
#define MRC_WIRE_TEST_SUPPORT_H

#include "mrc-bytes.h"
#include "mrc-frame-codec.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace mrc::test
{

/// Random numbers of one test; failures name the seed, MRC_TEST_SEED=<seed> replays it.
class Random
{
  public:
    Random()
    {
        const char* const wanted = std::getenv("MRC_TEST_SEED");
        m_seed = wanted != nullptr ? std::strtoull(wanted, nullptr, 0) : std::random_device()();
        m_engine.seed(m_seed);
    }

    /// @return how to run the same test again
    std::string Replay() const
    {
        return "replay with MRC_TEST_SEED=" + std::to_string(m_seed);
    }

    /// @return 64 random bits
    uint64_t Bits()
    {
        return m_engine();
    }

    /// @param limit more than 0 @return a number below the limit
    uint64_t Below(uint64_t limit)
    {
        return m_engine() % limit;
    }

    /// @return true half of the time
    bool Flip()
    {
        return m_engine() & 1;
    }

    /// @param count how many @return random bytes
    std::vector<uint8_t> Bytes(size_t count)
    {
        std::vector<uint8_t> bytes(count);
        for (uint8_t& byte : bytes)
        {
            byte = static_cast<uint8_t>(m_engine());
        }
        return bytes;
    }

  private:
    uint64_t m_seed;
    std::mt19937_64 m_engine;
};

/// Bytes in a heap block of exactly their size, so that AddressSanitizer sees a read past the end.
class ExactBytes
{
  public:
    /// @param bytes what to copy @param count how many of them
    ExactBytes(const std::vector<uint8_t>& bytes, size_t count)
        : m_bytes(new uint8_t[count]),
          m_size(count)
    {
        if (count > 0)
        {
            std::memcpy(m_bytes.get(), bytes.data(), count);
        }
    }

    /// @param bytes what to copy
    explicit ExactBytes(const std::vector<uint8_t>& bytes)
        : ExactBytes(bytes, bytes.size())
    {
    }

    const uint8_t* Data() const
    {
        return m_bytes.get();
    }

    size_t Size() const
    {
        return m_size;
    }

  private:
    std::unique_ptr<uint8_t[]> m_bytes;
    size_t m_size;
};

/// @tparam Header any header @param encode its encoder @param header what to write
/// @param bytes its size on the wire @return what the encoder wrote
template <typename Header>
std::vector<uint8_t>
Encoded(void (*encode)(ByteWriter&, const Header&), const Header& header, size_t bytes)
{
    std::vector<uint8_t> out(bytes);
    ByteWriter writer(out.data(), out.size());
    encode(writer, header);
    EXPECT_FALSE(writer.Failed());
    EXPECT_EQ(writer.Written(), bytes);
    return out;
}

/// All opcodes of MRC.
inline constexpr Opcode ALL_OPCODES[] = {
    Opcode::WRITE_FIRST,
    Opcode::WRITE_MIDDLE,
    Opcode::WRITE_LAST,
    Opcode::WRITE_LAST_IMM,
    Opcode::WRITE_ONLY,
    Opcode::WRITE_ONLY_IMM,
    Opcode::ACKNOWLEDGE,
    Opcode::ENDPOINT_REQUEST,
    Opcode::ENDPOINT_RESPONSE,
    Opcode::SACK,
    Opcode::NACK,
    Opcode::RELIABILITY_PROBE,
};

} // namespace mrc::test

#endif // MRC_WIRE_TEST_SUPPORT_H
