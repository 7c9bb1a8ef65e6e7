// SPDX-License-Identifier: GPL-2.0-only
// Runs a workload on a multi-plane Clos fabric and says what happened.
#include "mrc-sim-bad-input.h"
#include "mrc-sim-cli.h"
#include "mrc-sim-run.h"

#include <iostream>

int
main(int argc, char** argv)
{
    mrc::sim::Options options;
    try
    {
        if (!mrc::sim::ParseCommandLine(argc, argv, options))
        {
            return 0;
        }
        return mrc::sim::Run(options) ? 0 : 1;
    }
    catch (const mrc::sim::BadInput& error)
    {
        const auto origin = options.origin.find(error.Option());
        std::cerr << "mrc-sim: ";
        if (origin != options.origin.end())
        {
            std::cerr << origin->second << ": " << error.Option() << ": ";
        }
        else if (!error.Option().empty())
        {
            std::cerr << "--" << error.Option() << ": ";
        }
        std::cerr << error.what() << '\n';
        return 2;
    }
    catch (const std::exception& error)
    {
        std::cerr << "mrc-sim: " << error.what() << '\n';
        return 1;
    }
}
