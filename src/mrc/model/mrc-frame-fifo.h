// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_FRAME_FIFO_H
#define MRC_FRAME_FIFO_H

#include "mrc-frame.h"

namespace mrc
{

/// A queue of frames linked in a ring through Frame::next; one pointer per queue.
class FrameFifo
{
  public:
    /// @return whether there is no frame
    bool IsEmpty() const
    {
        return m_tail == nullptr;
    }

    /// @return the oldest frame (not empty)
    Frame* Front() const
    {
        return m_tail->next;
    }

    /// @return the newest frame (not empty)
    Frame* Back() const
    {
        return m_tail;
    }

    /// Fetch both lines of the frame that Front() returns and the one behind it (not empty).
    void Prefetch() const
    {
        const Frame* front = m_tail->next;
        __builtin_prefetch(front, 1);
        __builtin_prefetch(&front->write, 1);
    }

    /// Append a frame.
    void Push(Frame* frame)
    {
        if (m_tail == nullptr)
        {
            frame->next = frame;
        }
        else
        {
            frame->next = m_tail->next;
            m_tail->next = frame;
        }
        m_tail = frame;
    }

    /// Remove and return the oldest frame (not empty).
    Frame* Pop()
    {
        Frame* front = m_tail->next;
        if (front == m_tail)
        {
            m_tail = nullptr;
        }
        else
        {
            m_tail->next = front->next;
        }
        return front;
    }

  private:
    Frame* m_tail{nullptr}; //!< newest frame; its next is the oldest
};

} // namespace mrc

#endif // MRC_FRAME_FIFO_H
