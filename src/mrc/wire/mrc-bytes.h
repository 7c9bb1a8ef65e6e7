// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_BYTES_H
#define MRC_BYTES_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mrc
{

/**
 * Reads big-endian numbers from bytes that somebody else owns.
 *
 * A read past the end gives 0, consumes the rest and makes Failed() true; it never touches a byte
 * outside. A header's decoder checks Remaining() once and then reads without further checks.
 */
class ByteReader
{
  public:
    /// @param bytes what to read; may be null if size is 0
    /// @param size number of bytes
    ByteReader(const uint8_t* bytes, size_t size)
        : m_bytes(bytes),
          m_size(size)
    {
    }

    /// @return bytes not yet read
    size_t Remaining() const
    {
        return m_size - m_offset;
    }

    /// @return bytes read so far
    size_t Offset() const
    {
        return m_offset;
    }

    /// @return whether a read went past the end
    bool Failed() const
    {
        return m_failed;
    }

    /// @return the next byte in line; valid for Remaining() bytes
    const uint8_t* Position() const
    {
        return m_bytes + m_offset;
    }

    /// @param bytes how many to pass over
    void Skip(size_t bytes)
    {
        Take(bytes);
    }

    /// Forget the bytes after a given number of bytes from here.
    /// @param bytes how many remain; nothing happens if fewer are there
    void Limit(size_t bytes)
    {
        if (bytes < Remaining())
        {
            m_size = m_offset + bytes;
        }
    }

    /// @return the next 8 bits
    uint8_t U8()
    {
        return static_cast<uint8_t>(Read<1>());
    }

    /// @return the next 16 bits
    uint16_t U16()
    {
        return static_cast<uint16_t>(Read<2>());
    }

    /// @return the next 24 bits
    uint32_t U24()
    {
        return static_cast<uint32_t>(Read<3>());
    }

    /// @return the next 32 bits
    uint32_t U32()
    {
        return static_cast<uint32_t>(Read<4>());
    }

    /// @return the next 48 bits
    uint64_t U48()
    {
        return Read<6>();
    }

    /// @return the next 64 bits
    uint64_t U64()
    {
        return Read<8>();
    }

  private:
    /// @param bytes how many to consume @return where they are, null if there are fewer
    const uint8_t* Take(size_t bytes)
    {
        if (bytes > Remaining())
        {
            m_failed = true;
            m_offset = m_size;
            return nullptr;
        }
        const uint8_t* const taken = m_bytes + m_offset;
        m_offset += bytes;
        return taken;
    }

    /// @tparam N number of bytes @return the big-endian number
    template <size_t N>
    uint64_t Read()
    {
        const uint8_t* const bytes = Take(N);
        uint64_t value = 0;
        if (bytes != nullptr)
        {
            for (size_t i = 0; i < N; ++i)
            {
                value = value << 8 | bytes[i];
            }
        }
        return value;
    }

    const uint8_t* m_bytes; ///< what to read
    size_t m_size;          ///< bytes there
    size_t m_offset{0};     ///< bytes read
    bool m_failed{false};   ///< a read went past the end
};

/**
 * Writes big-endian numbers into memory that somebody else owns.
 *
 * A write past the end is dropped as a whole and makes Failed() true.
 */
class ByteWriter
{
  public:
    /// @param bytes where to write; may be null if capacity is 0
    /// @param capacity number of bytes that fit
    ByteWriter(uint8_t* bytes, size_t capacity)
        : m_bytes(bytes),
          m_capacity(capacity)
    {
    }

    /// @return bytes written so far
    size_t Written() const
    {
        return m_written;
    }

    /// @return whether a write did not fit
    bool Failed() const
    {
        return m_failed;
    }

    /// @param value 8 bits
    void U8(uint8_t value)
    {
        Write<1>(value);
    }

    /// @param value 16 bits
    void U16(uint16_t value)
    {
        Write<2>(value);
    }

    /// @param value 24 bits; the top byte is ignored
    void U24(uint32_t value)
    {
        Write<3>(value);
    }

    /// @param value 32 bits
    void U32(uint32_t value)
    {
        Write<4>(value);
    }

    /// @param value 48 bits; the top two bytes are ignored
    void U48(uint64_t value)
    {
        Write<6>(value);
    }

    /// @param value 64 bits
    void U64(uint64_t value)
    {
        Write<8>(value);
    }

    /// @param count how many zero bytes to write
    void Zeros(size_t count)
    {
        uint8_t* const bytes = Take(count);
        if (bytes != nullptr && count > 0)
        {
            std::memset(bytes, 0, count);
        }
    }

    /// @param source bytes to copy; may be null if count is 0
    /// @param count how many
    void Copy(const uint8_t* source, size_t count)
    {
        uint8_t* const bytes = Take(count);
        if (bytes != nullptr && count > 0)
        {
            std::memcpy(bytes, source, count);
        }
    }

  private:
    /// @param bytes how many to claim @return where they are, null if they do not fit
    uint8_t* Take(size_t bytes)
    {
        if (bytes > m_capacity - m_written)
        {
            m_failed = true;
            return nullptr;
        }
        uint8_t* const taken = m_bytes + m_written;
        m_written += bytes;
        return taken;
    }

    /// @tparam N number of bytes @param value the number
    template <size_t N>
    void Write(uint64_t value)
    {
        uint8_t* const bytes = Take(N);
        if (bytes != nullptr)
        {
            for (size_t i = 0; i < N; ++i)
            {
                bytes[i] = static_cast<uint8_t>(value >> (8 * (N - 1 - i)));
            }
        }
    }

    uint8_t* m_bytes;     ///< where to write
    size_t m_capacity;    ///< bytes that fit
    size_t m_written{0};  ///< bytes written
    bool m_failed{false}; ///< a write did not fit
};

} // namespace mrc

#endif // MRC_BYTES_H
