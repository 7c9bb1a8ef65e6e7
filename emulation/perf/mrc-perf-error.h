// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PERF_ERROR_H
#define MRC_PERF_ERROR_H

#include <stdexcept>
#include <string>

namespace mrc::perf
{

/// What the user asked for cannot be done; what() is one line. Exit code 2.
class BadInput : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// The run failed: peer, network or operating system; what() is one line. Exit code 1.
class RunError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// @param what was tried @return "what: text of errno"
std::string SystemText(const std::string& what);

} // namespace mrc::perf

#endif // MRC_PERF_ERROR_H
