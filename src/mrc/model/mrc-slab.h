// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SLAB_H
#define MRC_SLAB_H

#include "mrc-huge-block.h"

#include <cstddef>
#include <new>
#include <vector>

namespace ns3
{

/**
 * Cache-line aligned, contiguous memory for objects of one class that live one by one.
 *
 * A pending simulator event holds a reference to its port until the simulator is destroyed, which
 * is after the switch is gone. So ports are reference-counted one by one, and this gives them the
 * layout of an array: used as the class's operator new and delete.
 *
 * @tparam T the class
 */
template <class T>
class MrcSlab
{
  public:
    /// @return memory for one object
    static void* Allocate()
    {
        MrcSlab& slab = Instance();
        if (slab.m_free == nullptr)
        {
            slab.Grow();
        }
        Slot* slot = slab.m_free;
        slab.m_free = slot->next;
        return slot;
    }

    /// Take back the memory of one object.
    static void Free(void* memory)
    {
        MrcSlab& slab = Instance();
        auto slot = static_cast<Slot*>(memory);
        slot->next = slab.m_free;
        slab.m_free = slot;
    }

  private:
    /// Memory of one object, or a link in the list of free ones.
    union alignas(64) Slot {
        Slot* next;                  //!< next free slot
        std::byte memory[sizeof(T)]; //!< an object
    };

    /// @return the slab of this class; never destroyed, since objects may outlive statics
    static MrcSlab& Instance()
    {
        static auto slab = new MrcSlab;
        return *slab;
    }

    /// Take another block.
    void Grow()
    {
        m_blocks.push_back(mrc::MakeHugeBlock(mrc::HUGE_PAGE_BYTES));
        std::byte* block = m_blocks.back().get();
        for (size_t i = mrc::HUGE_PAGE_BYTES / sizeof(Slot); i > 0; --i)
        {
            auto slot = new (block + (i - 1) * sizeof(Slot)) Slot;
            slot->next = m_free;
            m_free = slot;
        }
    }

    std::vector<mrc::HugeBlock> m_blocks; //!< all memory
    Slot* m_free{nullptr};                //!< free slots
};

} // namespace ns3

#endif // MRC_SLAB_H
