// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_NAMESPACE_H
#define MRC_EMU_NAMESPACE_H

#include "mrc-emu-fd.h"

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace mrc::emu
{

/**
 * Run a function in a child process that has namespaces of its own: network, mounts, processes,
 * and for ordinary users a user namespace in which they are root.
 *
 * The child is the first process of its process namespace: when it ends, however, the kernel ends
 * all others there and takes the networks down. That is what makes every clean-up complete.
 *
 * @param hasUserNamespace use a user namespace as root too
 * @param function what the child does; its result is the exit code
 * @return process id of the child
 * @throws LabError if this machine does not allow it
 */
pid_t StartInNamespaces(bool hasUserNamespace, const std::function<int()>& function);

/// @return why labs cannot work on this machine, empty if they can
std::string WhyNoNamespaces();

/// @param kind "net", "user", "mnt" or "pid" @return a descriptor of that namespace of this process
Fd OwnNamespace(const char* kind);

/**
 * Make a network namespace; this process stays where it is.
 *
 * @param inside called while this process is in the new one
 * @return the namespace
 */
Fd MakeNetwork(const std::function<void()>& inside);

/// Do something in another network namespace. @param network which @param inside what
void InNetwork(const Fd& network, const std::function<void()>& inside);

/**
 * Run a program with namespaces of a lab, as `mrc-emu exec` does.
 *
 * @param namespaces descriptors in the order user, mount, process, network; those that this
 *        process is in already are passed over
 * @param command program and arguments
 * @param environment more variables, "NAME=VALUE"
 * @return process id of a child that waits for the program and has its exit code
 */
pid_t StartInside(const std::vector<Fd>& namespaces,
                  const std::vector<std::string>& command,
                  const std::vector<std::string>& environment);

/// @param child process id @return its exit code, 128 + signal if it died of one
int WaitFor(pid_t child);

} // namespace mrc::emu

#endif // MRC_EMU_NAMESPACE_H
