// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PCAPNG_WRITER_H
#define MRC_PCAPNG_WRITER_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace mrc
{

/// Which way a packet crossed the interface. The values are those of the epb_flags option.
enum class PcapngDirection : uint32_t
{
    INBOUND = 1, ///< received
    OUTBOUND = 2 ///< sent
};

/// What a file says about an interface. A text has at most 65,535 bytes; more are cut.
struct PcapngInterface
{
    std::string name;        ///< "nic-0:p1"; not written if empty
    std::string description; ///< for people; not written if empty
};

/// What holds for a whole file.
struct PcapngOptions
{
    std::string application{"ns3-mrc"}; ///< who wrote the file; not written if empty
    uint32_t snapBytes{0};              ///< bytes kept of a packet; 0 = all
    int64_t windowPs{0};                ///< disorder to expect beside AllowDisorder(), ps
};

/**
 * A capture file in pcapng format: Ethernet interfaces, time stamps in nanoseconds.
 *
 * Ports are evaluated lazily, so a record can come after the time that it carries. The writer
 * therefore holds each record until one has come that is later by the window, and writes in order
 * of time, records of the same picosecond in order of Write().
 *
 * A simulation is not stopped by a full disk: the first error ends the writing, and Close() reports
 * it.
 */
class PcapngWriter
{
  public:
    /**
     * Create the file, or empty it, and write the section header.
     *
     * @param path of the file
     * @param options for the whole file
     * @throws std::runtime_error naming the path and the system's reason
     */
    explicit PcapngWriter(const std::string& path, const PcapngOptions& options = PcapngOptions());

    /// Close; errors are lost, so call Close() before.
    ~PcapngWriter();

    PcapngWriter(const PcapngWriter&) = delete;
    PcapngWriter& operator=(const PcapngWriter&) = delete;

    /**
     * Describe another interface; possible at any time.
     *
     * @param interface its name and description
     * @return its number in the file, from 0
     */
    uint32_t AddInterface(const PcapngInterface& interface);

    /**
     * Widen the window so that records stay in order although a source stamps some before and
     * some after the instant at which it writes them. The extremes of all sources count.
     *
     * @param latePs how long after its time a record may come, ps
     * @param earlyPs how long before its time a record may come, ps
     */
    void AllowDisorder(int64_t latePs, int64_t earlyPs);

    /**
     * Record a packet. Ignored after Close() and after an error.
     *
     * @param interface from AddInterface()
     * @param direction which way it went
     * @param timePs when, ps, not negative; the file has whole nanoseconds, rounded down
     * @param bytes from the Ethernet header, without FCS; copied
     * @param count how many bytes are there; at most the snap length of them are kept
     * @param originalBytes length of the packet on the wire, without FCS
     */
    void Write(uint32_t interface,
               PcapngDirection direction,
               int64_t timePs,
               const uint8_t* bytes,
               size_t count,
               uint32_t originalBytes);

    /// Write all records that are held and hand them to the system. Earlier ones must not follow.
    void Flush();

    /**
     * Flush and close the file; harmless if it is closed.
     *
     * @throws std::runtime_error naming the path and the system's reason, for the first error since
     *         the file was opened
     */
    void Close();

    /// @return records written, those held not counted
    uint64_t Written() const
    {
        return m_written;
    }

    /// @return records written after a later one: the window was too small
    uint64_t OutOfOrder() const
    {
        return m_outOfOrder;
    }

  private:
    /// A record that waits for earlier ones.
    struct Held
    {
        int64_t timePs;    ///< its time
        uint64_t sequence; ///< order of Write()
        size_t block;      ///< index in m_blocks
    };

    /// @param a a record @param b another @return whether a is written after b
    static bool IsAfter(const Held& a, const Held& b);

    /// Write held records up to a time.
    void Release(int64_t untilPs);
    /// @return the index of a block that is not in use
    size_t TakeBlock();
    /// Write a block unless there was an error.
    void Put(const std::vector<uint8_t>& block);
    /// Close the file. @return errno of the first error, 0 if there was none
    int Finish();

    std::string m_path;                         //!< for messages
    std::FILE* m_file;                          //!< null once closed
    int m_error{0};                             //!< errno of the first error
    uint32_t m_snapBytes;                       //!< bytes kept of a packet; 0 = all
    uint32_t m_interfaces{0};                   //!< interfaces described
    int64_t m_windowPs;                         //!< from the options
    int64_t m_latePs{0};                        //!< largest lateness allowed
    int64_t m_earlyPs{0};                       //!< largest earliness allowed
    int64_t m_newestPs{0};                      //!< latest time that came
    int64_t m_lastPs{0};                        //!< latest time written
    uint64_t m_sequence{0};                     //!< records that came
    uint64_t m_written{0};                      //!< records written
    uint64_t m_outOfOrder{0};                   //!< records written after a later one
    std::vector<Held> m_held;                   //!< heap, earliest first
    std::vector<std::vector<uint8_t>> m_blocks; //!< packet blocks, reused
    std::vector<size_t> m_freeBlocks;           //!< those not in use
};

} // namespace mrc

#endif // MRC_PCAPNG_WRITER_H
