// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_TEST_FUZZ_INPUT_H
#define MRC_TEST_FUZZ_INPUT_H

#include "mrc-frame-codec.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace mrc::test
{

/// The bytes of a fuzz input, taken one after the other as decisions. All zeros behind the end.
class FuzzInput
{
  public:
    /// @param bytes of the input @param size how many
    FuzzInput(const uint8_t* bytes, size_t size)
        : m_bytes(bytes),
          m_left(size)
    {
    }

    /// @return whether all was taken
    bool IsEmpty() const
    {
        return m_left == 0;
    }

    /// @return the next byte
    uint8_t Byte()
    {
        if (m_left == 0)
        {
            return 0;
        }
        --m_left;
        return *m_bytes++;
    }

    /// @return the next two bytes
    uint16_t Word()
    {
        const uint16_t high = Byte();
        return static_cast<uint16_t>(high << 8 | Byte());
    }

    /// @param limit > 0 @return a number below it
    size_t Below(size_t limit)
    {
        return limit <= 256 ? Byte() % limit : Word() % limit;
    }

  private:
    const uint8_t* m_bytes; //!< what is left
    size_t m_left;          //!< how much of it
};

/// Turns frames into packets, damages those as an input says, and reads them back. Keeps the bytes
/// that frames point into.
class FuzzWire
{
  public:
    /**
     * @param frame any
     * @param input decides what happens to the packet's bytes
     * @param[out] damaged what a receiver decodes; what only a fabric knows is the frame's
     * @return whether there is something to receive
     */
    bool Damage(const Frame& frame, FuzzInput& input, Frame& damaged)
    {
        std::vector<uint8_t> bytes(MAX_ENCODED_BYTES);
        FrameAddresses addresses{};
        bytes.resize(EncodeFrame(frame, addresses, {}, bytes.data(), bytes.size()));
        if (bytes.empty())
        {
            return false;
        }
        for (size_t left = input.Below(4); left > 0; --left)
        {
            const size_t where = input.Word() % bytes.size();
            const uint8_t value = input.Byte();
            bytes[where] = input.Below(2) != 0 ? value : bytes[where] ^ (1u << value % 8);
        }
        if (input.Below(16) == 0)
        {
            bytes.resize(input.Word() % (bytes.size() + 1));
        }
        m_packets.push_back(std::move(bytes));
        return Receive(m_packets.back(), frame, damaged);
    }

    /// The same for a packet that the input holds itself. @param like for what a fabric knows
    bool Invent(const Frame& like, FuzzInput& input, Frame& invented)
    {
        std::vector<uint8_t> bytes(input.Below(200));
        for (uint8_t& byte : bytes)
        {
            byte = input.Byte();
        }
        m_packets.push_back(std::move(bytes));
        return Receive(m_packets.back(), like, invented);
    }

  private:
    /// Decode. A wrong ICRC is passed over, or hardly anything damaged would get further.
    static bool Receive(const std::vector<uint8_t>& bytes, const Frame& like, Frame& frame)
    {
        FrameAddresses addresses{};
        DecodeInfo info;
        if (DecodeFrame(bytes.data(), bytes.size(), frame, addresses, info) != DecodeError::OK)
        {
            return false;
        }
        frame.flags &= static_cast<uint16_t>(~Frame::CORRUPT);
        frame.source = like.source;
        frame.destination = like.destination;
        frame.plane = like.plane;
        frame.wireBytes = like.wireBytes;
        return true;
    }

    std::deque<std::vector<uint8_t>> m_packets; //!< of the whole input
};

} // namespace mrc::test

#endif // MRC_TEST_FUZZ_INPUT_H
