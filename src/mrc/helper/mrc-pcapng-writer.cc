// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-pcapng-writer.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace mrc
{

namespace
{

// Block types, option codes and constants of draft-ietf-opsawg-pcapng.
constexpr uint32_t SECTION_HEADER_BLOCK = 0x0a0d0d0a;
constexpr uint32_t INTERFACE_DESCRIPTION_BLOCK = 1;
constexpr uint32_t ENHANCED_PACKET_BLOCK = 6;
constexpr uint32_t BYTE_ORDER_MAGIC = 0x1a2b3c4d;
constexpr uint16_t VERSION_MAJOR = 1;
constexpr uint16_t VERSION_MINOR = 0;
constexpr uint16_t LINKTYPE_ETHERNET = 1;
constexpr uint16_t OPTION_END = 0;
constexpr uint16_t SHB_USERAPPL = 4;
constexpr uint16_t IF_NAME = 2;
constexpr uint16_t IF_DESCRIPTION = 3;
constexpr uint16_t IF_TSRESOL = 9;
constexpr uint16_t EPB_FLAGS = 2;
constexpr uint8_t NANOSECONDS = 9; // negative power of 10

constexpr int64_t PS_PER_NS = 1000;

/// Builds one block, little-endian, in memory that is reused.
class BlockBuilder
{
  public:
    /// @param out what to replace by the block @param type of the block
    BlockBuilder(std::vector<uint8_t>& out, uint32_t type)
        : m_out(out)
    {
        m_out.clear();
        Put32(type);
        Put32(0); // the length, set by Finish()
    }

    /// @param value next 2 bytes
    void Put16(uint16_t value)
    {
        m_out.push_back(static_cast<uint8_t>(value));
        m_out.push_back(static_cast<uint8_t>(value >> 8));
    }

    /// @param value next 4 bytes
    void Put32(uint32_t value)
    {
        Put16(static_cast<uint16_t>(value));
        Put16(static_cast<uint16_t>(value >> 16));
    }

    /// @param bytes next bytes, filled up to a multiple of 4 @param count how many
    void PutBytes(const uint8_t* bytes, size_t count)
    {
        m_out.insert(m_out.end(), bytes, bytes + count);
        m_out.resize((m_out.size() + 3) & ~size_t{3});
    }

    /// @param code of the option @param text its value; no option if empty
    void PutTextOption(uint16_t code, std::string_view text)
    {
        if (text.empty())
        {
            return;
        }
        text = text.substr(0, std::numeric_limits<uint16_t>::max());
        Put16(code);
        Put16(static_cast<uint16_t>(text.size()));
        PutBytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
    }

    /// End the options and the block.
    void Finish()
    {
        Put16(OPTION_END);
        Put16(0);
        const auto total = static_cast<uint32_t>(m_out.size() + 4);
        Put32(total);
        for (int i = 0; i < 4; ++i)
        {
            m_out[4 + i] = static_cast<uint8_t>(total >> (8 * i));
        }
    }

  private:
    std::vector<uint8_t>& m_out; ///< the block
};

/// @param path of a file @param error errno @return the exception for it
std::runtime_error
MakeError(const std::string& path, int error)
{
    return std::runtime_error("cannot write capture " + path + ": " +
                              std::generic_category().message(error));
}

} // namespace

PcapngWriter::PcapngWriter(const std::string& path, const PcapngOptions& options)
    : m_path(path),
      m_file(std::fopen(path.c_str(), "wb")),
      m_snapBytes(options.snapBytes),
      m_windowPs(options.windowPs)
{
    if (m_file == nullptr)
    {
        throw MakeError(path, errno);
    }
    std::vector<uint8_t> bytes;
    BlockBuilder block(bytes, SECTION_HEADER_BLOCK);
    block.Put32(BYTE_ORDER_MAGIC);
    block.Put16(VERSION_MAJOR);
    block.Put16(VERSION_MINOR);
    block.Put32(UINT32_MAX); // section length: until the end of the file
    block.Put32(UINT32_MAX);
    block.PutTextOption(SHB_USERAPPL, options.application);
    block.Finish();
    Put(bytes);
}

PcapngWriter::~PcapngWriter()
{
    Finish();
}

uint32_t
PcapngWriter::AddInterface(const PcapngInterface& interface)
{
    std::vector<uint8_t> bytes;
    BlockBuilder block(bytes, INTERFACE_DESCRIPTION_BLOCK);
    block.Put16(LINKTYPE_ETHERNET);
    block.Put16(0);
    block.Put32(m_snapBytes);
    block.PutTextOption(IF_NAME, interface.name);
    block.PutTextOption(IF_DESCRIPTION, interface.description);
    block.Put16(IF_TSRESOL);
    block.Put16(1);
    block.PutBytes(&NANOSECONDS, 1);
    block.Finish();
    Put(bytes);
    return m_interfaces++;
}

void
PcapngWriter::AllowDisorder(int64_t latePs, int64_t earlyPs)
{
    m_latePs = std::max(m_latePs, latePs);
    m_earlyPs = std::max(m_earlyPs, earlyPs);
}

void
PcapngWriter::Write(uint32_t interface,
                    PcapngDirection direction,
                    int64_t timePs,
                    const uint8_t* bytes,
                    size_t count,
                    uint32_t originalBytes)
{
    if (m_file == nullptr || m_error != 0)
    {
        return;
    }
    const size_t kept = m_snapBytes == 0 ? count : std::min<size_t>(count, m_snapBytes);
    const auto timeNs = static_cast<uint64_t>(timePs / PS_PER_NS);
    const size_t index = TakeBlock();
    BlockBuilder block(m_blocks[index], ENHANCED_PACKET_BLOCK);
    block.Put32(interface);
    block.Put32(static_cast<uint32_t>(timeNs >> 32));
    block.Put32(static_cast<uint32_t>(timeNs));
    block.Put32(static_cast<uint32_t>(kept));
    block.Put32(originalBytes);
    block.PutBytes(bytes, kept);
    block.Put16(EPB_FLAGS);
    block.Put16(4);
    block.Put32(static_cast<uint32_t>(direction));
    block.Finish();

    m_held.push_back({timePs, m_sequence++, index});
    std::push_heap(m_held.begin(), m_held.end(), IsAfter);
    m_newestPs = std::max(m_newestPs, timePs);
    Release(m_newestPs - m_windowPs - m_latePs - m_earlyPs);
}

void
PcapngWriter::Flush()
{
    Release(std::numeric_limits<int64_t>::max());
    if (m_file != nullptr && std::fflush(m_file) != 0 && m_error == 0)
    {
        m_error = errno;
    }
}

void
PcapngWriter::Close()
{
    const int error = Finish();
    if (error != 0)
    {
        throw MakeError(m_path, error);
    }
}

bool
PcapngWriter::IsAfter(const Held& a, const Held& b)
{
    return a.timePs != b.timePs ? a.timePs > b.timePs : a.sequence > b.sequence;
}

void
PcapngWriter::Release(int64_t untilPs)
{
    while (!m_held.empty() && m_held.front().timePs <= untilPs)
    {
        std::pop_heap(m_held.begin(), m_held.end(), IsAfter);
        const Held record = m_held.back();
        m_held.pop_back();
        Put(m_blocks[record.block]);
        m_freeBlocks.push_back(record.block);
        m_outOfOrder += record.timePs < m_lastPs;
        m_lastPs = std::max(m_lastPs, record.timePs);
        ++m_written;
    }
}

size_t
PcapngWriter::TakeBlock()
{
    if (m_freeBlocks.empty())
    {
        m_blocks.emplace_back();
        return m_blocks.size() - 1;
    }
    const size_t index = m_freeBlocks.back();
    m_freeBlocks.pop_back();
    return index;
}

void
PcapngWriter::Put(const std::vector<uint8_t>& block)
{
    if (m_file != nullptr && m_error == 0 &&
        std::fwrite(block.data(), 1, block.size(), m_file) != block.size())
    {
        m_error = errno;
    }
}

int
PcapngWriter::Finish()
{
    if (m_file == nullptr)
    {
        return 0;
    }
    Flush();
    if (std::fclose(m_file) != 0 && m_error == 0)
    {
        m_error = errno;
    }
    m_file = nullptr;
    return m_error;
}

} // namespace mrc
