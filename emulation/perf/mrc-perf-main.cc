// SPDX-License-Identifier: GPL-2.0-only
// Measures MRC between two real hosts, as ib_write_bw and ib_write_lat do for RDMA.
#include "mrc-perf-error.h"
#include "mrc-perf-options.h"
#include "mrc-perf-report.h"
#include "mrc-simulated-peer.h"

#include <csignal>
#include <iostream>
#include <sys/prctl.h>

namespace
{

using namespace mrc::perf;

void
Stop(int)
{
    g_stop = 1;
}

/// @return exit code of a test with one peer
int
Serve(const Options& options, ControlChannel channel)
{
    PerfRun run(options, std::move(channel));
    if (!options.isJson)
    {
        PrintHeader(std::cout, options, run.Connection());
    }
    run.Run();
    (options.isJson ? PrintJson : PrintResults)(std::cout, options, run);
    const bool isRight = run.Own().wrongBytes + run.Own().wrongImmediates + run.Peer().wrongBytes +
                             run.Peer().wrongImmediates ==
                         0;
    return isRight ? 0 : 1;
}

int
Run(Options& options)
{
    if (const auto nic = SimulatedPeer::ParseName(options.peer); nic && !options.isServer)
    {
        SimulatedPeer peer(options, *nic);
        return Serve(options, peer.TakeChannel());
    }
    if (!options.isServer)
    {
        return Serve(options, ControlChannel::Connect(options.peer, options.tcpPort));
    }
    ControlListener listener(options.tcpPort);
    int code = 0;
    do
    {
        std::cerr << "mrc-perf: waiting for a client on TCP port " << options.tcpPort << std::endl;
        std::optional<ControlChannel> channel = listener.Accept(g_stop);
        if (!channel)
        {
            return 0;
        }
        try
        {
            code = Serve(options, std::move(*channel));
        }
        catch (const RunError& error)
        {
            if (!options.isKept || g_stop)
            {
                throw;
            }
            std::cerr << "mrc-perf: " << error.what() << std::endl;
        }
    } while (options.isKept);
    return code;
}

} // namespace

int
main(int argc, char** argv)
{
    struct sigaction action
    {
    };

    action.sa_handler = Stop;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_TIMERSLACK, 1UL); // ns; by default sleeps end 50 us late
    try
    {
        Options options;
        return ParseCommandLine(argc, argv, options) ? Run(options) : 0;
    }
    catch (const BadInput& error)
    {
        std::cerr << "mrc-perf: " << error.what() << '\n';
        return 2;
    }
    catch (const std::exception& error)
    {
        std::cerr << "mrc-perf: " << error.what() << '\n';
        return 1;
    }
}
