// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_FILE_DESCRIPTOR_H
#define MRC_FILE_DESCRIPTOR_H

#include <unistd.h>
#include <utility>

namespace mrc::perf
{

/// Owns a file descriptor.
class FileDescriptor
{
  public:
    /// @param fd to own; negative = none
    explicit FileDescriptor(int fd = -1)
        : m_fd(fd)
    {
    }

    FileDescriptor(FileDescriptor&& other) noexcept
        : m_fd(std::exchange(other.m_fd, -1))
    {
    }

    FileDescriptor& operator=(FileDescriptor&& other) noexcept
    {
        std::swap(m_fd, other.m_fd);
        return *this;
    }

    ~FileDescriptor()
    {
        if (m_fd >= 0)
        {
            close(m_fd);
        }
    }

    /// @return the descriptor, negative if there is none
    int Get() const
    {
        return m_fd;
    }

  private:
    int m_fd; //!< owned
};

} // namespace mrc::perf

#endif // MRC_FILE_DESCRIPTOR_H
