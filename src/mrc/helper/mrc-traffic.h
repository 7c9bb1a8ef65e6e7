// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_TRAFFIC_H
#define MRC_TRAFFIC_H

#include "mrc-clos-network.h"
#include "mrc-huge-block.h"
#include "mrc-nic.h"
#include "mrc-workload.h"

#include <ns3/event-id.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// How it is proved that messages arrived.
enum class MrcVerify
{
    BYTES,    ///< real memory at the receivers, each message with a pattern of its own
    PLACEMENT ///< no memory: each packet's place is marked off
};

/**
 * @ingroup mrc
 * Runs a workload on a network and keeps the books.
 *
 * Each pair of source and destination gets connections of its own, each destination a memory
 * region with an area for each message. The object takes the completions of all NICs, so a network
 * has one MrcTraffic at a time, which must live until the simulation is over.
 *
 * @code
 * MrcTraffic traffic(network, mrc::Permutation(128, 2 << 20, 1, 1), MrcVerify::BYTES);
 * traffic.SetDoneCallback([] { Simulator::Stop(); });
 * traffic.Start();
 * Simulator::Run();
 * @endcode
 */
class MrcTraffic : public MrcApplicationSink
{
  public:
    /// What happened to a message.
    struct Record
    {
        int64_t postedPs;             ///< simulation time, ps; -1 if it was not posted
        int64_t completedPs;          ///< when it ended, however; -1 if it did not
        uint32_t sourceQp;            ///< QPN at the source
        mrc::CompletionStatus status; ///< how it ended; FLUSHED, and not posted, if what it
                                      ///< waits for failed
        bool isDone;                  ///< ended
        bool isArrived;               ///< its immediate was delivered
        bool isVerified;              ///< Verify() found all of it in place
    };

    static_assert(sizeof(Record) <= 24, "there are millions");

    /**
     * Make connections and memory regions.
     *
     * @param network to run on
     * @param workload what to send
     * @param verify how arrival is proved
     * @param qpsPerPair connections of a pair, at least 1, used in turn by its messages
     * @throws mrc::WorkloadError if the workload does not fit the network
     */
    MrcTraffic(Ptr<MrcClosNetwork> network,
               mrc::Workload workload,
               MrcVerify verify,
               uint32_t qpsPerPair = 1);

    ~MrcTraffic() override;
    MrcTraffic(const MrcTraffic&) = delete;
    MrcTraffic& operator=(const MrcTraffic&) = delete;

    /// Post what may start now and schedule the rest. Start times count from here. Call it once.
    void Start();

    /// @param callback called once, from the event that ends the last message
    void SetDoneCallback(std::function<void()> callback);

    /// @return whether every message ended, well or not
    bool IsDone() const
    {
        return m_completed + m_failed == Total();
    }

    /// @return until when nothing needs to move, ps: the end of computations, the next start
    int64_t IdleUntilPs() const;

    /// @return messages that ended well
    uint64_t Completed() const
    {
        return m_completed;
    }

    /// @return messages that ended otherwise, those included that wait for such a one
    uint64_t Failed() const
    {
        return m_failed;
    }

    /// @return all messages
    uint64_t Total() const
    {
        return m_records.size();
    }

    /// @return what runs; `immediate` of its messages is set
    const mrc::Workload& Workload() const
    {
        return m_workload;
    }

    /// @param message index below Total() @return what happened to it
    const Record& At(uint32_t message) const
    {
        return m_records[message];
    }

    /// @return all records, by index of the message
    const std::vector<Record>& Records() const
    {
        return m_records;
    }

    /// @return bytes of memory for payloads: patterns, and in BYTES mode the receivers' memory
    uint64_t MemoryBytes() const;

    /**
     * Look at all messages that completed and set Record::isVerified.
     *
     * @return number of messages that are in place
     */
    uint64_t Verify();

    /**
     * @param message index below Total()
     * @return one line that says why the message is not in place, empty if it is: the first wrong
     *         byte, the first missing packet, or how it ended
     */
    std::string FailureText(uint32_t message) const;

    /// @return packets that were written to memory a second time; 0 unless the transport is wrong
    uint64_t RepeatedPackets() const;

    /// @return completions and immediates that fit no message; 0 unless the transport is wrong
    uint64_t StrayReports() const
    {
        return m_strayReports;
    }

    /**
     * Say how far messages are that did not end, and what they wait for.
     *
     * @param limit most lines
     * @return a line for each such message, the one posted longest ago first, those not posted last
     */
    std::vector<std::string> UnfinishedReport(size_t limit) const;

    /**
     * @param message index below Total()
     * @return the least time from posting to completion in an empty network, ps
     */
    int64_t IdealPs(uint32_t message) const;

    /**
     * A bound of all messages together: the busiest receiver's ports have to carry all that is sent
     * to it, in full packets.
     *
     * @return the least time from the start to the last completion in an otherwise empty network,
     * ps
     */
    int64_t IdealLastPs() const;

    void OnCompletion(uint32_t nic, uint32_t qp, const mrc::Completion& completion) override;
    void OnReceive(uint32_t nic, uint32_t qp, const mrc::ReceiveCompletion& completion) override;

  private:
    /// What a NIC is written to.
    struct Region
    {
        uint32_t index{0};     ///< in the NIC's table
        uint64_t bytes{0};     ///< sum of the areas
        mrc::HugeBlock memory; ///< null in PLACEMENT mode

        /// @return the bytes, null in PLACEMENT mode
        uint8_t* BytesAt() const
        {
            return reinterpret_cast<uint8_t*>(memory.get());
        }
    };

    /// Lay the areas out and register the regions.
    void MakeRegions();
    /// Make the connections and share the messages out.
    void Connect(uint32_t qpsPerPair);
    /// Invert Message::after.
    void IndexDependants();
    /// @return first byte of what a message sends, null in PLACEMENT mode
    const uint8_t* Pattern(uint32_t message) const;
    /// @return the region that a message is written to
    const mrc::MemoryRegion& RegionOf(uint32_t message) const;
    /// Post messages whose start time is here, and wait for the next ones.
    void StartDue();
    /// Set the event of the next start time, if there is one.
    void ScheduleNextStart();
    /// Give a message to its QP.
    void Post(uint32_t message);
    /// One of the things that a message waits for happened.
    void Release(uint32_t message);
    /// A message waits for nothing more: post it when its computation is over.
    void Compute(uint32_t message);
    /// A message arrived: release those that its destination sends.
    void ReleaseAtDestination(uint32_t message);
    /// A message completed: release those that wait for it, but not for its arrival.
    void ReleaseElsewhere(uint32_t message);
    /// Record how a message ended. @param message which @param status how
    void Finish(uint32_t message, mrc::CompletionStatus status);
    /// All that waits for a message that failed fails too.
    void FailDependants(uint32_t message);
    /// @return what a message that was not posted waits for
    std::string WhyNotPosted(uint32_t message) const;
    /// @return how far a posted message is and what it waits for
    std::string WhyNotDone(uint32_t message) const;

    Ptr<MrcClosNetwork> m_network;          //!< runs on it
    mrc::Workload m_workload;               //!< what runs
    MrcVerify m_verify;                     //!< how arrival is proved
    uint32_t m_mtuBytes;                    //!< areas are aligned to it
    std::vector<Record> m_records;          //!< by message
    std::vector<uint64_t> m_va;             //!< by message: where it goes
    std::vector<uint32_t> m_waits;          //!< by message: things it waits for
    std::vector<uint32_t> m_dependants;     //!< of message m: [m_firstDependant[m], [m + 1])
    std::vector<uint32_t> m_firstDependant; //!< by message, one more at the end
    std::vector<uint32_t> m_delayed;        //!< messages with a start time, by that time
    size_t m_nextDelayed{0};                //!< first of them that has not started
    std::vector<Region> m_regions;          //!< by NIC
    std::vector<uint8_t> m_patterns;        //!< what all messages are cut from
    std::function<void()> m_doneCallback;   //!< told at the end
    EventId m_startEvent;                   //!< StartDue()
    int64_t m_startedPs{0};                 //!< when Start() was called
    int64_t m_computedPs{0};                //!< end of the longest computation that has begun
    uint64_t m_completed{0};                //!< ended well
    uint64_t m_failed{0};                   //!< ended otherwise
    uint64_t m_strayReports{0};             //!< fit no message
    bool m_isStarted{false};                //!< Start() was called
};

} // namespace ns3

#endif // MRC_TRAFFIC_H
