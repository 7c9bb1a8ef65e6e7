// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-perf-error.h"

#include <cerrno>
#include <cstring>

namespace mrc::perf
{

std::string
SystemText(const std::string& what)
{
    return what + ": " + std::strerror(errno);
}

} // namespace mrc::perf
