// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_READY_LIST_H
#define MRC_READY_LIST_H

#include "mrc-qp.h"

#include <cstddef>

namespace ns3
{

/// The QPs of a NIC that may have something to send, linked through MrcQp::nextReady.
class MrcReadyList
{
  public:
    /// @return whether there is none
    bool IsEmpty() const
    {
        return m_count == 0;
    }

    /// @return how many there are
    size_t Size() const
    {
        return m_count;
    }

    /// @return the one whose turn it is, null if there is none
    MrcQp* Front() const
    {
        return m_count == 0 ? nullptr : m_head;
    }

    /// @param qp takes the last turn; it must not be in the list
    void Push(MrcQp& qp)
    {
        (m_count == 0 ? m_head : m_tail->nextReady) = &qp;
        m_tail = &qp;
        ++m_count;
    }

    /// Remove the first (not empty).
    void Pop()
    {
        m_head = m_head->nextReady;
        --m_count;
    }

  private:
    MrcQp* m_head{nullptr}; //!< first
    MrcQp* m_tail{nullptr}; //!< last
    size_t m_count{0};      //!< how many; the pointers count for nothing at 0
};

} // namespace ns3

#endif // MRC_READY_LIST_H
