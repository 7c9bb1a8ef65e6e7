// SPDX-License-Identifier: GPL-2.0-only
// Runs labs: real hosts on a simulated multi-plane fabric.
#include "mrc-emu-client.h"
#include "mrc-emu-commands.h"
#include "mrc-emu-lab.h"
#include "mrc-emu-supervisor.h"
#include "mrc-sim-bad-input.h"
#include "mrc-sim-quantity.h"

#include <CLI/CLI.hpp>
#include <climits>
#include <functional>
#include <iostream>
#include <unistd.h>

namespace mrc::emu
{

namespace
{

/// What the command line says.
struct Arguments
{
    std::string file;                 ///< lab file
    std::string lab;                  ///< --lab
    std::string host;                 ///< of exec
    std::string scale;                ///< --scale
    std::string out;                  ///< --out
    std::string maxLag;               ///< --max-lag
    std::string duration;             ///< --duration
    bool isDetached{false};           ///< --detach
    bool hasUserNamespace{false};     ///< --userns
    unsigned count{0};                ///< --count
    std::vector<std::string> words;   ///< of ctl
    std::vector<std::string> command; ///< behind --
};

/// @return path of this program
std::string
OwnPath()
{
    char path[PATH_MAX];
    const ssize_t count = readlink("/proc/self/exe", path, sizeof(path));
    return std::string(path, static_cast<size_t>(std::max<ssize_t>(count, 0)));
}

/// Let options of the command line go before keys of the file. @param lab to change
void
Override(Lab& lab, const Arguments& arguments)
{
    try
    {
        if (!arguments.scale.empty())
        {
            lab.scale = arguments.scale == "auto" ? 0 : sim::ParseRatio("scale", arguments.scale);
        }
        if (!arguments.maxLag.empty())
        {
            lab.maxLagNs = sim::ParseTime("max-lag", arguments.maxLag) / 1000;
        }
        if (!arguments.duration.empty())
        {
            lab.durationNs = sim::ParseTime("duration", arguments.duration) / 1000;
        }
    }
    catch (const sim::BadInput& error)
    {
        throw LabError("--" + error.Option() + ": " + error.what());
    }
    lab.out = arguments.out.empty() ? lab.out : arguments.out;
    lab.name = arguments.lab.empty() ? lab.name : arguments.lab;
}

/// @return the lab of a file, as the command line changes it
Lab
LoadLab(const Arguments& arguments)
{
    Lab lab = ReadLabFile(arguments.file);
    Override(lab, arguments);
    return lab;
}

/// `mrc-emu demo`. @return exit code
int
RunDemo(const Arguments& arguments)
{
    Lab lab = ParseLab(DemoLabText(), "demo");
    Override(lab, arguments);
    const std::string self = "'" + OwnPath() + "'";
    // Each host talks to one across the T1s, over each plane; one link dies at 4 s, returns at 8 s.
    const std::string script =
        "for pair in 'h0 h2' 'h1 h3' 'h2 h0' 'h3 h1'; do set -- $pair; for plane in p0 p1; do " +
        self + " exec $1 -- ping -q -i 0.002 -s 1400 $2-$plane >/dev/null 2>&1 & done; done; " +
        self + " top --count " + std::to_string(arguments.count ? arguments.count : 12);
    std::cerr << "mrc-emu: 4 hosts, 2 planes; link p0/t0-0-t1-0 dies after 4 s and returns after "
                 "8 s\n";
    return RunLab(lab, {false, arguments.hasUserNamespace, {"sh", "-c", script}});
}

/// Add what up, run and demo share. @param app gets it @param arguments take it
void
AddLabOptions(CLI::App& app, Arguments& arguments)
{
    app.add_option("--scale", arguments.scale, "wall per simulated time, or auto");
    app.add_option("--out", arguments.out, "folder for events.log, captures, result.json");
    app.add_option("--max-lag", arguments.maxLag, "exit code 3 beyond it, such as 5ms");
    app.add_flag("--userns",
                 arguments.hasUserNamespace,
                 "use a user namespace as root too, as for ordinary users");
    app.add_option("--duration", arguments.duration, "end after so long, such as 10s");
}

/// Read the command line and do what it says. @return exit code
int
Main(int argc, char** argv)
{
    Arguments arguments;
    std::vector<std::string> own;
    for (int i = 1; i < argc; ++i)
    {
        if (std::string(argv[i]) == "--")
        {
            arguments.command.assign(argv + i + 1, argv + argc);
            break;
        }
        own.emplace_back(argv[i]);
    }
    CLI::App app("Real hosts on a simulated multi-plane fabric.", "mrc-emu");
    app.set_version_flag("--version", std::string("mrc-emu ") + MRC_VERSION);
    app.require_subcommand(1);
    app.fallthrough();
    app.add_option("--lab", arguments.lab, "which lab; default: MRC_EMU_LAB, or the only one");
    std::function<int()> action;
    auto add = [&](const char* name, const char* help, std::function<int()> what) {
        CLI::App* sub = app.add_subcommand(name, help);
        sub->callback([&action, what]() { action = what; });
        return sub;
    };
    auto needCommand = [&arguments](const char* usage) {
        if (arguments.command.empty())
        {
            throw LabError(std::string("a command is missing: mrc-emu ") + usage);
        }
    };
    CLI::App* up = add("up", "bring a lab up, and stay until it ends", [&]() {
        return RunLab(LoadLab(arguments), {arguments.isDetached, arguments.hasUserNamespace, {}});
    });
    up->add_option("FILE", arguments.file, "lab file")->required();
    up->add_flag("--detach", arguments.isDetached, "go on in the background");
    AddLabOptions(*up, arguments);
    CLI::App* run =
        add("run", "bring a lab up, run a command in it, end it: run FILE -- CMD", [&]() {
            needCommand("run FILE -- CMD");
            return RunLab(LoadLab(arguments),
                          {false, arguments.hasUserNamespace, arguments.command});
        });
    run->add_option("FILE", arguments.file, "lab file")->required();
    AddLabOptions(*run, arguments);
    CLI::App* exec = add("exec", "run a command on a host: exec HOST -- CMD", [&]() {
        needCommand("exec HOST -- CMD");
        return RunExec(arguments.lab, arguments.host, arguments.command);
    });
    exec->add_option("HOST", arguments.host, "name of the host")->required();
    add("status", "which labs run, and how they are", [&]() { return RunStatus(arguments.lab); });
    CLI::App* ctl = add("ctl", "give a running lab a command; ctl help lists them", [&]() {
        return RunCtl(arguments.lab, arguments.words);
    });
    ctl->add_option("COMMAND", arguments.words, "the command")->required();
    CLI::App* top = add("top", "a live table of planes and ports", [&]() {
        return RunTop(arguments.lab, arguments.count);
    });
    top->add_option("--count", arguments.count, "tables to show; 0 = for ever");
    add("down", "end a lab, or remove what a killed one left", [&]() {
        return RunDown(arguments.lab);
    });
    CLI::App* demo = add("demo", "2 planes, 4 hosts, a link that dies, a live table", [&]() {
        return RunDemo(arguments);
    });
    demo->add_option("--count", arguments.count, "seconds");
    AddLabOptions(*demo, arguments);
    add("keys", "list the keys of a lab file", []() {
        std::cout << LabHelp();
        return 0;
    });
    add("commands", "list the commands of ctl", []() {
        std::cout << CommandHelp();
        return 0;
    });
    std::reverse(own.begin(), own.end()); // as CLI11 wants it
    try
    {
        app.parse(own);
    }
    catch (const CLI::ParseError& error)
    {
        return app.exit(error) == 0 ? 0 : 2;
    }
    return action();
}

} // namespace

} // namespace mrc::emu

int
main(int argc, char** argv)
{
    try
    {
        return mrc::emu::Main(argc, argv);
    }
    catch (const mrc::emu::LabError& error)
    {
        std::cerr << "mrc-emu: " << error.what() << '\n';
        return 2;
    }
    catch (const std::exception& error)
    {
        std::cerr << "mrc-emu: " << error.what() << '\n';
        return 1;
    }
}
