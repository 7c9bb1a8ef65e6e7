// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_FRAME_FIFO_H
#define MRC_FRAME_FIFO_H

#include "mrc-frame.h"

namespace mrc
{

/// A queue of frames linked through Frame::next.
class FrameFifo
{
  public:
    /// @return whether there is no frame
    bool IsEmpty() const
    {
        return m_head == nullptr;
    }

    /// @return the oldest frame, null if there is none
    Frame* Front() const
    {
        return m_head;
    }

    /// Append a frame.
    void Push(Frame* frame)
    {
        frame->next = nullptr;
        (m_head == nullptr ? m_head : m_tail->next) = frame;
        m_tail = frame;
    }

    /// Remove and return the oldest frame (not empty).
    Frame* Pop()
    {
        Frame* front = m_head;
        m_head = front->next;
        return front;
    }

    /// Fetch the frames that Pop() and Push() touch.
    void Prefetch() const
    {
        if (m_head != nullptr)
        {
            __builtin_prefetch(m_head, 1);
            __builtin_prefetch(m_tail, 1);
        }
    }

    /// Fetch the frame that Push() touches.
    void PrefetchTail() const
    {
        if (m_head != nullptr)
        {
            __builtin_prefetch(m_tail, 1);
        }
    }

  private:
    Frame* m_head{nullptr}; //!< oldest frame
    Frame* m_tail{nullptr}; //!< newest frame, if there is any
};

} // namespace mrc

#endif // MRC_FRAME_FIFO_H
