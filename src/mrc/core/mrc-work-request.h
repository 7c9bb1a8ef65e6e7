// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_WORK_REQUEST_H
#define MRC_WORK_REQUEST_H

#include <cstdint>

namespace mrc
{

/// A WRITE or WRITE with IMMEDIATE, as the application posts it.
struct WorkRequest
{
    uint64_t id;            ///< the application's own name for it, returned in the completion
    uint64_t remoteVa;      ///< where the first byte goes
    const uint8_t* payload; ///< `bytes` bytes, unchanged until completion; null: account only
    uint32_t bytes;         ///< length, 0 to 2^31
    uint32_t remoteKey;     ///< R_Key of the region written to
    uint32_t immediate;     ///< delivered to the responder's application
    bool hasImmediate;      ///< WRITE with IMMEDIATE
};

/// How a work request ended.
enum class CompletionStatus : uint8_t
{
    SUCCESS,          ///< the responder acknowledged all of it
    RETRY_EXCEEDED,   ///< a packet timed out too often
    REMOTE_ACCESS,    ///< the responder refused R_Key or address
    REMOTE_INVALID,   ///< the responder called the request invalid
    REMOTE_OPERATION, ///< the responder failed
    FLUSHED           ///< the QP went to ERROR before this one ended
};

/// @return the status in words
inline const char*
CompletionStatusText(CompletionStatus status)
{
    switch (status)
    {
    case CompletionStatus::SUCCESS:
        return "success";
    case CompletionStatus::RETRY_EXCEEDED:
        return "retries exceeded";
    case CompletionStatus::REMOTE_ACCESS:
        return "remote access error";
    case CompletionStatus::REMOTE_INVALID:
        return "remote invalid request";
    case CompletionStatus::REMOTE_OPERATION:
        return "remote operational error";
    case CompletionStatus::FLUSHED:
        return "flushed";
    }
    return "unknown";
}

/// What a requester tells its application.
struct Completion
{
    uint64_t id;             ///< of the work request
    int64_t nowPs;           ///< when
    CompletionStatus status; ///< how
};

/// What a responder tells its application: a message with an immediate is complete, in order.
struct ReceiveCompletion
{
    int64_t nowPs;      ///< when
    uint64_t rqmsn;     ///< which WRITE with IMMEDIATE of the QP, from 0
    uint32_t immediate; ///< what the requester sent
    uint32_t bytes;     ///< length of the message
    uint64_t id{0};     ///< of the receive work request, 0 if none was posted
    CompletionStatus status{CompletionStatus::SUCCESS}; ///< SUCCESS or FLUSHED
};

} // namespace mrc

#endif // MRC_WORK_REQUEST_H
