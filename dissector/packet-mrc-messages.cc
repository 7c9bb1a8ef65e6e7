// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Messages of a QP: which packets belong to one, when it is complete, how long it took.
#include "packet-mrc-messages.h"

namespace
{

/// Whether a packet belongs to a message of the same number that was seen before.
bool
is_same_message(const mrc_message* message, const mrc_packet* packet)
{
    return (packet->headers & MRC_HAS_RETH) == 0 || message->r_key == 0 ||
           (message->r_key == packet->reth.rKey && message->dma_bytes == packet->reth.dmaBytes);
}

/// @return ns from the first packet of a message to a frame, -1 if its start was not seen
int64_t
spent(const mrc_message* message, const mrc_analysis* until)
{
    const auto ns = static_cast<int64_t>(static_cast<uint64_t>(until->time_ns) -
                                         static_cast<uint64_t>(message->first_ns));
    return message->has_first && ns >= 0 ? ns : -1;
}

} // namespace

void
mrc_join_message(mrc_half* half, mrc_analysis* write, const mrc_packet* packet)
{
    mrc_message* message = mrc_flow_find_message(half, packet->meth.msn);
    if (message == nullptr || !is_same_message(message, packet))
    {
        message = mrc_flow_add_message(half, packet->meth.msn);
        message->lowest_psn = write->psn;
        message->first_frame = write->frame;
        message->first_ns = write->time_ns;
    }
    half->message = message;
    write->message = message;
    ++message->packets;
    if ((write->flags & MRC_RETRANSMISSION) != 0 && message->completed_frame == 0)
    {
        ++message->retransmissions;
    }
    if (write->psn < message->lowest_psn)
    {
        message->lowest_psn = write->psn;
    }
    if ((packet->headers & MRC_HAS_RETH) != 0)
    {
        message->dma_bytes = packet->reth.dmaBytes;
        message->r_key = packet->reth.rKey;
        if (mrc::IsFirst(packet->bth.opcode))
        {
            message->has_first = true;
            message->base_va = packet->reth.va;
        }
    }
    if (mrc::IsLast(packet->bth.opcode) && !message->has_last)
    {
        message->has_last = true;
        message->last_psn = write->psn;
        message->last_frame = write->frame;
        message->transfer_ns = spent(message, write);
        message->packets_at_last = message->packets;
    }
}

void
mrc_complete_messages(mrc_half* half, mrc_analysis* by, uint64_t completed)
{
    while (half->oldest != nullptr)
    {
        mrc_message* message = half->oldest;
        const mrc_message* next = message->next;
        const bool by_psn =
            half->has_cack && ((message->has_last && message->last_psn <= half->cack) ||
                               (next != nullptr && next->lowest_psn <= half->cack));
        if (!by_psn && message->msn >= completed)
        {
            return;
        }
        message->completed_frame = by->frame;
        message->completion_ns = spent(message, by);
        if (by->message == nullptr)
        {
            by->message = message;
        }
        by->flags |= MRC_COMPLETES;
        half->oldest = message->next;
    }
}
