// SPDX-License-Identifier: GPL-2.0-only
// PcapngWriter writes the bytes that the pcapng format asks for, in order of time.
#include "mrc-pcapng-writer.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace mrc
{
namespace
{

/// What a test expects of a packet in a file.
struct Packet
{
    uint32_t interface;         ///< number of the interface
    uint64_t timeNs;            ///< time stamp
    uint32_t originalBytes;     ///< length on the wire
    std::vector<uint8_t> bytes; ///< what was kept
};

/// A file name of its own for each test, removed at the end.
class PcapngWriterTest : public ::testing::Test
{
  protected:
    PcapngWriterTest()
        : m_path(::testing::TempDir() + "mrc-" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".pcapng")
    {
    }

    ~PcapngWriterTest() override
    {
        std::remove(m_path.c_str());
    }

    /// @return the bytes of the file
    std::vector<uint8_t> Content() const
    {
        std::ifstream in(m_path, std::ios::binary);
        return std::vector<uint8_t>(std::istreambuf_iterator<char>(in), {});
    }

    /// @return the packets of the file in their order; fails if a block is not well formed
    std::vector<Packet> Packets() const
    {
        const std::vector<uint8_t> file = Content();
        const auto word = [&file](size_t at) {
            return at + 4 > file.size() ? 0
                                        : file[at] | file[at + 1] << 8 | file[at + 2] << 16 |
                                              uint32_t{file[at + 3]} << 24;
        };
        std::vector<Packet> packets;
        for (size_t at = 0; at < file.size();)
        {
            const uint32_t length = word(at + 4);
            if (length < 12 || length % 4 != 0 || at + length > file.size() ||
                word(at + length - 4) != length)
            {
                ADD_FAILURE() << "bad block of length " << length << " at " << at;
                break;
            }
            if (word(at) == 6)
            {
                Packet packet{};
                packet.interface = word(at + 8);
                packet.timeNs = uint64_t{word(at + 12)} << 32 | word(at + 16);
                packet.originalBytes = word(at + 24);
                const auto data = file.begin() + static_cast<ptrdiff_t>(at) + 28;
                packet.bytes.assign(data, data + word(at + 20));
                packets.push_back(packet);
            }
            at += length;
        }
        return packets;
    }

    const std::string m_path; //!< of the file
};

/// Write a packet whose only byte is a mark to know it by.
void
WriteMarked(PcapngWriter& writer, int64_t timePs, uint8_t mark)
{
    writer.Write(0, PcapngDirection::OUTBOUND, timePs, &mark, 1, 1);
}

/// @param packets of marks @return the marks in order
std::vector<uint8_t>
Marks(const std::vector<Packet>& packets)
{
    std::vector<uint8_t> marks;
    for (const Packet& packet : packets)
    {
        marks.push_back(packet.bytes.at(0));
    }
    return marks;
}

TEST_F(PcapngWriterTest, BytesOfEachBlock)
{
    PcapngOptions options;
    options.application = "mrc";
    options.snapBytes = 5;
    PcapngWriter writer(m_path, options);
    EXPECT_EQ(writer.AddInterface({"nic-0", "p"}), 0U);
    const uint8_t packet[] = {0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6};
    // 0x1_0000_0002 ns and 999 ps, which are cut
    writer.Write(0, PcapngDirection::INBOUND, 4294967298999, packet, 6, 6);
    writer.Close();

    // clang-format off
    const std::vector<uint8_t> expected = {
        // Section header: type, length 40
        0x0a, 0x0d, 0x0d, 0x0a, 40, 0, 0, 0,
        // magic, version 1.0, unknown section length
        0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        // option 4 (application) of 3 bytes, padded; end of options; length
        4, 0, 3, 0, 'm', 'r', 'c', 0, 0, 0, 0, 0, 40, 0, 0, 0,
        // Interface: type 1, length 52, Ethernet, snap length 5
        1, 0, 0, 0, 52, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0,
        // option 2 (name) of 5 bytes
        2, 0, 5, 0, 'n', 'i', 'c', '-', '0', 0, 0, 0,
        // option 3 (description) of 1 byte; option 9 (resolution) 10^-9
        3, 0, 1, 0, 'p', 0, 0, 0, 9, 0, 1, 0, 9, 0, 0, 0,
        // end of options; length
        0, 0, 0, 0, 52, 0, 0, 0,
        // Packet: type 6, length 52, interface 0
        6, 0, 0, 0, 52, 0, 0, 0, 0, 0, 0, 0,
        // time high and low, 5 bytes kept of 6
        1, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0,
        // data, padded
        0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0, 0, 0,
        // option 2 (flags) of 4 bytes: inbound; end of options; length
        2, 0, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0, 52, 0, 0, 0};
    // clang-format on
    EXPECT_EQ(Content(), expected);
}

TEST_F(PcapngWriterTest, EmptyTextsAreLeftOut)
{
    PcapngOptions options;
    options.application = "";
    PcapngWriter writer(m_path, options);
    writer.AddInterface({"", ""});
    writer.Close();
    // 28 + 4 bytes of section header; interface: 20 fixed, 8 resolution, 4 end of options
    EXPECT_EQ(Content().size(), 32U + 32U);
}

TEST_F(PcapngWriterTest, HoldsRecordsForTheWindow)
{
    PcapngOptions options;
    options.windowPs = 20000;
    PcapngWriter writer(m_path, options);
    writer.AddInterface({"a", ""});
    WriteMarked(writer, 30000, 3);
    WriteMarked(writer, 10000, 1);
    EXPECT_EQ(writer.Written(), 1U) << "10 ns are a window before 30 ns";
    WriteMarked(writer, 20000, 2);
    WriteMarked(writer, 39999, 4);
    EXPECT_EQ(writer.Written(), 1U) << "19.999 ns < 20 ns";
    WriteMarked(writer, 40000, 5);
    EXPECT_EQ(writer.Written(), 2U);
    writer.Flush();
    EXPECT_EQ(writer.Written(), 5U);
    EXPECT_EQ(Marks(Packets()), (std::vector<uint8_t>{1, 2, 3, 4, 5}));
    EXPECT_EQ(writer.OutOfOrder(), 0U);
}

TEST_F(PcapngWriterTest, SamePicosecondKeepsTheOrderOfWriting)
{
    PcapngWriter writer(m_path);
    writer.AllowDisorder(5000, 0);
    writer.AddInterface({"a", ""});
    std::vector<uint8_t> expected;
    for (uint8_t i = 0; i < 50; ++i)
    {
        WriteMarked(writer, 7000, i);
        expected.push_back(i);
    }
    // Both become 6 ns in the file, but 6,500 ps come first.
    WriteMarked(writer, 6600, 101);
    WriteMarked(writer, 6500, 100);
    expected.insert(expected.begin(), {100, 101});
    writer.Close();
    EXPECT_EQ(Marks(Packets()), expected);
}

TEST_F(PcapngWriterTest, CountsRecordsThatComeTooLate)
{
    PcapngWriter writer(m_path);
    writer.AddInterface({"a", ""});
    WriteMarked(writer, 10000, 1);
    WriteMarked(writer, 9999, 2);
    WriteMarked(writer, 10000, 3);
    EXPECT_EQ(writer.OutOfOrder(), 1U);
    writer.Close();
    EXPECT_EQ(Packets().size(), 3U) << "late is better than lost";
}

TEST_F(PcapngWriterTest, RandomDisorderWithinTheWindowIsSorted)
{
    const char* const wanted = std::getenv("MRC_TEST_SEED");
    const uint64_t seed =
        wanted != nullptr ? std::strtoull(wanted, nullptr, 0) : std::random_device()();
    SCOPED_TRACE("replay with MRC_TEST_SEED=" + std::to_string(seed));
    std::mt19937_64 random(seed);

    // One source is up to 1 us late, another up to 2 us early: 3 us are held.
    PcapngWriter writer(m_path);
    writer.AllowDisorder(1000000, 0);
    writer.AllowDisorder(0, 2000000);
    writer.AddInterface({"a", ""});
    constexpr size_t COUNT = 5000;
    std::vector<uint64_t> expected;
    int64_t nowPs = 1000000;
    for (size_t i = 0; i < COUNT; ++i)
    {
        nowPs += static_cast<int64_t>(random() % 20000);
        const int64_t timePs = nowPs - 1000000 + static_cast<int64_t>(random() % 3000001);
        WriteMarked(writer, timePs, 0);
        expected.push_back(static_cast<uint64_t>(timePs) / 1000);
    }
    // At most 3 us of about 10 ns between records plus the window's width are held.
    EXPECT_GT(writer.Written(), COUNT - 1200);
    writer.Close();
    EXPECT_EQ(writer.OutOfOrder(), 0U);
    std::sort(expected.begin(), expected.end());
    std::vector<uint64_t> found;
    for (const Packet& packet : Packets())
    {
        found.push_back(packet.timeNs);
    }
    EXPECT_EQ(found, expected);
}

TEST_F(PcapngWriterTest, NothingFollowsClose)
{
    PcapngWriter writer(m_path);
    writer.AddInterface({"a", ""});
    WriteMarked(writer, 1000, 1);
    writer.Close();
    const size_t size = Content().size();
    WriteMarked(writer, 2000, 2);
    writer.Flush();
    writer.Close();
    EXPECT_EQ(Content().size(), size);
    EXPECT_EQ(writer.Written(), 1U);
}

TEST_F(PcapngWriterTest, DestructorWritesWhatIsHeld)
{
    {
        PcapngWriter writer(m_path);
        writer.AllowDisorder(1000000, 0);
        writer.AddInterface({"a", ""});
        WriteMarked(writer, 1000, 1);
        EXPECT_EQ(writer.Written(), 0U);
    }
    EXPECT_EQ(Packets().size(), 1U);
}

/// @param action what fails @return the message of its std::runtime_error
template <class Action>
std::string
MessageOf(Action action)
{
    try
    {
        action();
    }
    catch (const std::runtime_error& error)
    {
        return error.what();
    }
    return "no error";
}

TEST_F(PcapngWriterTest, OpenSaysWhichPathAndWhy)
{
    EXPECT_EQ(MessageOf([] { PcapngWriter writer("/nonexistent/a.pcapng"); }),
              "cannot write capture /nonexistent/a.pcapng: No such file or directory");
    EXPECT_EQ(MessageOf([] { PcapngWriter writer("/"); }),
              "cannot write capture /: Is a directory");
}

TEST_F(PcapngWriterTest, CloseReportsAFullDisk)
{
    // Both while the file is being written and at its end.
    for (const int count : {1, 10000})
    {
        PcapngWriter writer("/dev/full");
        writer.AddInterface({"a", ""});
        for (int i = 0; i < count; ++i)
        {
            WriteMarked(writer, 1000, 1);
        }
        EXPECT_EQ(MessageOf([&writer] { writer.Close(); }),
                  "cannot write capture /dev/full: No space left on device");
    }
}

} // namespace
} // namespace mrc
