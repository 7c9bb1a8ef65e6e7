// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-sim-interrupt.h"

#include <csignal>

namespace mrc::sim
{

namespace
{

volatile std::sig_atomic_t g_isInterrupted = 0; ///< set by the signal handler

/// Note the signal.
void
OnSignal(int)
{
    g_isInterrupted = 1;
}

} // namespace

void
CatchInterrupts()
{
    struct sigaction action = {};
    action.sa_handler = OnSignal;
    action.sa_flags = SA_RESETHAND; // the next one has its usual effect
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

bool
IsInterrupted()
{
    return g_isInterrupted != 0;
}

} // namespace mrc::sim
