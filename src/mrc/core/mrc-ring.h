// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_RING_H
#define MRC_RING_H

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mrc
{

/**
 * A queue over a power-of-two array whose elements keep their sequence number.
 *
 * Elements are addressed by the count of elements pushed before them, so that an MSN or RQMSN
 * is an index. Nothing is allocated before the first Push(); growth doubles the array.
 */
template <class T>
class Ring
{
  public:
    /// @return sequence number of the oldest element
    uint64_t Begin() const
    {
        return m_begin;
    }

    /// @return sequence number that the next pushed element gets
    uint64_t End() const
    {
        return m_end;
    }

    /// @return number of elements
    size_t Size() const
    {
        return m_end - m_begin;
    }

    /// @return whether there is no element
    bool IsEmpty() const
    {
        return m_begin == m_end;
    }

    /// @param sequence a number in [Begin(), End())
    T& At(uint64_t sequence)
    {
        return m_items[sequence & (m_items.size() - 1)];
    }

    /// @copydoc At
    const T& At(uint64_t sequence) const
    {
        return m_items[sequence & (m_items.size() - 1)];
    }

    /// @return the oldest element
    T& Front()
    {
        return At(m_begin);
    }

    /// @param item becomes the newest element
    void Push(T item)
    {
        if (Size() == m_items.size())
        {
            Grow();
        }
        m_items[m_end++ & (m_items.size() - 1)] = std::move(item);
    }

    /// Remove the oldest element.
    void Pop()
    {
        ++m_begin;
    }

    /// Remove all elements; the numbering goes on.
    void Clear()
    {
        m_begin = m_end;
    }

  private:
    /// Double the array.
    void Grow()
    {
        std::vector<T> larger(m_items.empty() ? 4 : 2 * m_items.size());
        for (uint64_t i = m_begin; i != m_end; ++i)
        {
            larger[i & (larger.size() - 1)] = std::move(At(i));
        }
        m_items = std::move(larger);
    }

    std::vector<T> m_items; //!< power-of-two array
    uint64_t m_begin{0};    //!< sequence number of the oldest element
    uint64_t m_end{0};      //!< one past the newest
};

} // namespace mrc

#endif // MRC_RING_H
