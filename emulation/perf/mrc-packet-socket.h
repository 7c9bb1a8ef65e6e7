// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PACKET_SOCKET_H
#define MRC_PACKET_SOCKET_H

#include "mrc-file-descriptor.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace mrc::perf
{

/// What a packet socket counted.
struct PacketSocketCounters
{
    uint64_t received{0};      ///< frames taken from the ring
    uint64_t sent{0};          ///< frames given to the device
    uint64_t tooLong{0};       ///< frames longer than asked for, ignored
    uint64_t ringDrops{0};     ///< frames that the kernel dropped because the ring was full
    uint64_t deviceRefused{0}; ///< frames that the device did not take
};

/**
 * Frames of one interface that may be MRC over IPv6, in and out, without a copy per read.
 *
 * Received frames lie in a ring that kernel and process share (TPACKET_V2: a frame is seen as
 * soon as it is there, where V3 holds blocks back for up to a millisecond). Frames to send are
 * written into slots and leave in one system call. A filter in the kernel keeps other traffic
 * out of the ring.
 */
class PacketSocket
{
  public:
    /// Frames that wait to be sent at most.
    static constexpr uint32_t TX_SLOTS = 64;

    /// How a socket is to be opened.
    struct Config
    {
        std::string interface;  ///< name, for errors
        uint32_t index;         ///< of the interface
        uint16_t udpPort;       ///< destination port of frames that are wanted
        uint16_t otherUdpPort;  ///< wanted as well
        uint32_t maxFrameBytes; ///< longest frame, from the Ethernet header
        uint32_t ringFrames;    ///< frames that the ring holds, rounded up
    };

    /// @param config how @throws RunError if the system refuses
    explicit PacketSocket(const Config& config);
    PacketSocket(const PacketSocket&) = delete;
    PacketSocket& operator=(const PacketSocket&) = delete;
    ~PacketSocket();

    /// @return the descriptor, to be polled for input
    int Fd() const
    {
        return m_fd.Get();
    }

    /**
     * Look at the oldest received frame.
     *
     * @param[out] bytes its length
     * @param[out] arrivalNs when the kernel got it, CLOCK_REALTIME
     * @return the frame from its Ethernet header, valid until Release(); null if there is none
     */
    const uint8_t* Peek(uint32_t& bytes, int64_t& arrivalNs);

    /// Give the frame that Peek() returned back to the kernel.
    void Release();

    /// @return where to write the next frame to send, maxFrameBytes; null if all slots wait
    uint8_t* Slot()
    {
        return m_queued == TX_SLOTS ? nullptr
                                    : static_cast<uint8_t*>(m_txPieces[m_queued].iov_base);
    }

    /// @return bytes of a slot
    size_t SlotBytes() const
    {
        return m_maxFrameBytes;
    }

    /// The frame in Slot() is ready. @param bytes its length
    void Commit(size_t bytes);

    /**
     * Send what was committed.
     *
     * @return false if some frames wait because the socket's buffer is full
     */
    bool Flush();

    /// @return frames that wait to be sent
    uint32_t Queued() const
    {
        return m_queued;
    }

    /// Forget frames that wait to be sent: the device is down.
    void Discard()
    {
        m_queued = 0;
    }

    /// @return what was counted, ring drops included
    const PacketSocketCounters& Counters();

  private:
    /// @return header of a frame in the ring
    uint8_t* RingFrame(uint32_t index) const;
    void OpenRing(const Config& config);

    FileDescriptor m_fd;              //!< the socket
    PacketSocketCounters m_counters;  //!< see Counters()
    uint8_t* m_ring{nullptr};         //!< shared with the kernel
    size_t m_ringBytes{0};            //!< its length
    uint32_t m_blockBytes{0};         //!< the ring consists of blocks
    uint32_t m_frameBytes{0};         //!< which consist of frames
    uint32_t m_framesPerBlock{0};     //!< none of which crosses blocks
    uint32_t m_frames{0};             //!< in all
    uint32_t m_next{0};               //!< oldest frame not released
    uint32_t m_maxFrameBytes;         //!< see Config
    uint32_t m_queued{0};             //!< slots in use
    std::vector<uint8_t> m_txBytes;   //!< slots
    std::vector<iovec> m_txPieces;    //!< one per slot
    std::vector<mmsghdr> m_txHeaders; //!< one per slot
};

} // namespace mrc::perf

#endif // MRC_PACKET_SOCKET_H
