// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_FD_H
#define MRC_EMU_FD_H

#include <unistd.h>
#include <utility>

namespace mrc::emu
{

/// Owns a file descriptor.
class Fd
{
  public:
    Fd() = default;

    /// @param fd to own; negative: none
    explicit Fd(int fd)
        : m_fd(fd)
    {
    }

    Fd(Fd&& other) noexcept
        : m_fd(std::exchange(other.m_fd, -1))
    {
    }

    /// Take over. @param other loses its descriptor @return this
    Fd& operator=(Fd&& other) noexcept
    {
        std::swap(m_fd, other.m_fd);
        return *this;
    }

    ~Fd()
    {
        Close();
    }

    /// @return the descriptor, negative if there is none
    int Get() const
    {
        return m_fd;
    }

    /// @return whether there is a descriptor
    explicit operator bool() const
    {
        return m_fd >= 0;
    }

    /// Close it now.
    void Close()
    {
        if (m_fd >= 0)
        {
            close(std::exchange(m_fd, -1));
        }
    }

  private:
    int m_fd{-1}; //!< the descriptor
};

} // namespace mrc::emu

#endif // MRC_EMU_FD_H
