// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_WORKLOAD_H
#define MRC_WORKLOAD_H

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mrc
{

/// A workload that cannot be run as asked; what() is one line for the user.
class WorkloadError : public std::invalid_argument
{
  public:
    using std::invalid_argument::invalid_argument;
};

/**
 * The messages that another one waits for.
 *
 * Collectives have millions of messages with one or two dependencies each, so the first two need
 * no memory of their own.
 */
class MessageList
{
  public:
    MessageList() = default;
    /// @param indices of messages
    MessageList(std::initializer_list<uint32_t> indices);
    /// Copy, with what does not fit inline. @param other to copy
    MessageList(const MessageList& other);
    MessageList(MessageList&&) = default;
    /// Copy, with what does not fit inline. @param other to copy @return this
    MessageList& operator=(const MessageList& other);
    MessageList& operator=(MessageList&&) = default;
    ~MessageList() = default;

    /// @param index of a message, becomes the last
    void Add(uint32_t index);

    /// @return number of messages
    uint32_t Size() const
    {
        return m_count;
    }

    /// @param position below Size() @return index of the message there
    uint32_t operator[](uint32_t position) const
    {
        return position < INLINE ? m_first[position] : (*m_more)[position - INLINE];
    }

  private:
    /// Indices that are part of the object.
    static constexpr uint32_t INLINE = 2;

    std::unique_ptr<std::vector<uint32_t>> m_more; //!< from the third on
    uint32_t m_first[INLINE]{};                    //!< the first two
    uint32_t m_count{0};                           //!< how many in all
};

/// One WRITE of a workload.
struct Message
{
    uint64_t bytes;       ///< length, 0 to 2^31
    int64_t startPs;      ///< not before this time after the start of the workload, ps, >= 0
    uint32_t source;      ///< NIC that writes
    uint32_t destination; ///< NIC that is written to
    /**
     * Indices of earlier messages that must be over. One of the same source is over when it
     * completed at the requester; one whose destination is this source is over when it arrived
     * there, which a WRITE with IMMEDIATE reports. Of others only a simulator can know
     * (Workload::hasTriggers).
     */
    MessageList after;
    bool immediate;  ///< WRITE with IMMEDIATE; Workload::Check() sets it where `after` needs it
    uint16_t job{0}; ///< what it belongs to: jobs are reported one by one
    uint32_t computeNs{0}; ///< posted so long after all that it waits for is over, ns
};

static_assert(sizeof(Message) <= 56, "a ring all-reduce of 1024 NICs has two million messages");

/// Who writes how much to whom, and when.
struct Workload
{
    std::vector<Message> messages; ///< a message is named by its index
    std::string name;              ///< of the kind, "permutation"
    std::vector<std::pair<std::string, std::string>> parameters; ///< name and value, for results
    uint32_t jobs{1};                                            ///< Message::job is less
    bool hasTriggers{false}; ///< a message may wait for any other one to complete, whoever sends it

    /**
     * Check that all messages can run, and set `immediate` where a dependency needs it.
     *
     * @param nics number of NICs in the network
     * @throws WorkloadError naming the first message that cannot run
     */
    void Check(uint32_t nics);

    /// @return sum of the messages' lengths
    uint64_t TotalBytes() const;
};

/**
 * Messages one after another from one NIC to another; all are posted at the start.
 *
 * @param source a NIC
 * @param destination another NIC
 * @param bytes length of a message, 0 to 2^31
 * @param count number of messages, at least 1
 * @return the workload
 * @throws WorkloadError if a parameter is out of range
 */
Workload PointToPoint(uint32_t source, uint32_t destination, uint64_t bytes, uint32_t count);

/**
 * Each NIC sends to another one and receives from one: a permutation without fixed points, each
 * equally likely.
 *
 * @param nics number of NICs, at least 2
 * @param bytes length of a message, 0 to 2^31
 * @param count messages of each NIC, at least 1, all posted at the start
 * @param seed chooses the permutation
 * @return the workload
 * @throws WorkloadError if a parameter is out of range
 */
Workload Permutation(uint32_t nics, uint64_t bytes, uint32_t count, uint64_t seed);

/**
 * Many NICs send to one. The senders are spread evenly over the other NICs.
 *
 * @param nics number of NICs, at least 2
 * @param senders how many send, 1 to nics - 1
 * @param receiver a NIC
 * @param bytes length of a message, 0 to 2^31
 * @param count messages of each sender, at least 1, all posted at the start
 * @return the workload
 * @throws WorkloadError if a parameter is out of range
 */
Workload Incast(uint32_t nics, uint32_t senders, uint32_t receiver, uint64_t bytes, uint32_t count);

/**
 * The messages of a ring all-reduce: n - 1 steps of reduce-scatter, n - 1 of all-gather. In step
 * s rank r sends chunk (r - s) mod n to rank r + 1, once that chunk arrived in step s - 1.
 * The first n - 1 steps alone are a ring reduce-scatter, and the messages of an all-gather.
 *
 * Message s * n + r is that of rank r in step s.
 *
 * @param nics ranks, at least 2
 * @param bytes length of the vector that is reduced, at least nics; a chunk is 1/nics of it
 * @param stride ranks that follow each other are this many NICs apart, wrapping to NICs that
 *        were left out; NICs per T0 makes each message cross the T1s; 1 to nics
 * @param steps how many to run, at most 2 (nics - 1), which 0 stands for
 * @return the workload
 * @throws WorkloadError if a parameter is out of range
 */
Workload RingAllReduce(uint32_t nics, uint64_t bytes, uint32_t stride = 1, uint32_t steps = 0);

/**
 * Each NIC sends to each other one, in shifted order: NIC r first to r + 1, then r + 2, and so on.
 *
 * Message r * (n - 1) + k - 1 is that of NIC r to NIC r + k.
 *
 * @param nics number of NICs, at least 2
 * @param bytes length of a message, 0 to 2^31
 * @param window messages of a NIC that are posted at a time, at least 1
 * @return the workload
 * @throws WorkloadError if a parameter is out of range
 */
Workload AllToAll(uint32_t nics, uint64_t bytes, uint32_t window);

} // namespace mrc

#endif // MRC_WORKLOAD_H
