// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-sim-cli.h"

#include "mrc-fault-spec.h"
#include "mrc-sim-attributes.h"
#include "mrc-sim-bad-input.h"
#include "mrc-sim-config-file.h"
#include "mrc-sim-evs.h"
#include "mrc-sim-quantity.h"

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>

namespace mrc::sim
{

namespace
{

/// Workloads with what their --help says.
constexpr struct
{
    WorkloadKind kind;
    const char* help;
} WORKLOADS[] = {
    {WorkloadKind::PERMUTATION, "each NIC sends to another one and receives from one"},
    {WorkloadKind::INCAST, "many NICs send to one"},
    {WorkloadKind::RING_ALLREDUCE, "reduce-scatter and all-gather around a ring of all NICs"},
    {WorkloadKind::REDUCE_SCATTER, "the first half of that: each NIC gets the sum of one chunk"},
    {WorkloadKind::ALL_GATHER, "the second half: each NIC's chunk goes around to all"},
    {WorkloadKind::TREE_ALLREDUCE, "all-reduce up and down a binary tree of all NICs"},
    {WorkloadKind::HALVING_DOUBLING_ALLREDUCE, "all-reduce in 2 log2(NICs) exchanges"},
    {WorkloadKind::ALL_TO_ALL, "each NIC sends to each other one"},
    {WorkloadKind::PIPELINE, "micro-batches from NIC to NIC, their gradients back"},
    {WorkloadKind::P2P, "one NIC sends to another one"},
    {WorkloadKind::REPLAY, "messages and what they wait for from a file"},
};

/// Adds options to the application; each writes to a field of Options.
class OptionAdder
{
  public:
    /// @param app to add to
    explicit OptionAdder(CLI::App& app)
        : m_app(app)
    {
    }

    /// Options added from now on are listed under a title.
    void Group(const std::string& title)
    {
        m_group = title;
    }

    /// Add an option with a value. @param take called with the value; throws BadInput
    CLI::Option* Add(const std::string& name,
                     const std::string& type,
                     const std::string& help,
                     const std::string& shown,
                     const std::function<void(const std::string&)>& take)
    {
        CLI::Option* option = m_app.add_option_function<std::string>("--" + name, take, help);
        option->type_name(shown.empty() ? type : type + " [" + shown + "]")->group(m_group);
        return option;
    }

    /// Add an option that is a whole number. @param min smallest that is allowed
    void Count(const std::string& name, uint32_t& field, uint32_t min, const std::string& help)
    {
        const std::string shown = field == 0 && min == 0 ? "" : std::to_string(field);
        Add(name, "N", help, shown, [name, min, &field](const std::string& text) {
            field = ParseCount(name, text, min);
        });
    }

    /// Add an option for a NIC.
    void Nic(const std::string& name, uint32_t& field, const std::string& help)
    {
        Add(name, "NIC", help, "", [name, &field](const std::string& text) {
            field = ParseNic(name, text);
        });
    }

    /// Add an option that may be given several times.
    void List(const std::string& name,
              std::vector<std::string>& field,
              const std::string& type,
              char delimiter,
              const std::string& help)
    {
        CLI::Option* option = m_app.add_option("--" + name, field, help);
        option->type_name(type)->allow_extra_args(false)->group(m_group);
        if (delimiter)
        {
            option->delimiter(delimiter);
        }
    }

    /// Add an option without a value. @param set what giving it makes of the field
    void Flag(const std::string& name, bool& field, bool set, const std::string& help)
    {
        m_app
            .add_flag_callback(
                "--" + name, [&field, set]() { field = set; }, help)
            ->configurable(false)
            ->group(m_group);
    }

  private:
    CLI::App& m_app;     //!< to add to
    std::string m_group; //!< title
};

/// @param name option @param text its value @param values allowed @return index of the value
size_t
ParseWord(const std::string& name, const std::string& text, const std::vector<std::string>& values)
{
    const auto found = std::find(values.begin(), values.end(), text);
    if (found == values.end())
    {
        throw BadInput(name, "'" + text + "' is none of " + CLI::detail::join(values, ", "));
    }
    return static_cast<size_t>(found - values.begin());
}

/// Add what describes the network.
void
AddNetworkOptions(OptionAdder& add, Options& options)
{
    mrc::ClosConfig& clos = options.clos;
    add.Group("Network");
    add.Count("nics", clos.nics, 0, "NICs");
    add.Count("planes", clos.planes, 0, "planes: ports of a NIC, 1 to 32");
    add.Count("tiers", clos.tiers, 0, "tiers of switches, 2 or 3");
    add.Count("nics-per-t0", clos.nicsPerT0, 0, "NICs of a T0");
    add.Count(
        "t1", clos.t1PerPlane, 0, "T1s of a plane (3 tiers: of a pod); else from oversubscription");
    add.Count("t0-per-pod", clos.t0PerPod, 0, "3 tiers: T0s of a pod and plane");
    add.Count("t2", clos.t2PerPlane, 0, "3 tiers: T2s of a plane; else as many as T1s need");
    add.Count("parallel-links", clos.parallelLinks, 0, "links between a T0 and each T1");
    add.Add(
        "oversubscription", "X", "NICs to uplinks of a T0", "1", [&clos](const std::string& text) {
            clos.oversubscription = ParseRatio("oversubscription", text);
        });
    add.Add("rate", "RATE", "rate of each link", "100Gbps", [&options](const std::string& text) {
        options.bitsPerSecond = ParseRate("rate", text);
    });
    add.Add("delay",
            "TIME",
            "propagation delay of each link",
            "75ns",
            [&options](const std::string& text) { options.delayPs = ParseTime("delay", text); });
}

/// Add what describes the traffic.
void
AddTrafficOptions(OptionAdder& add, Options& options)
{
    add.Group("Traffic");
    add.Add("size",
            "BYTES",
            "bytes of a message; of a NIC's vector in an all-reduce and its like",
            "2MiB",
            [&options](const std::string& text) { options.bytes = ParseSize("size", text); });
    add.Count("messages", options.messages, 1, "messages of each sender to each receiver");
    add.Count("qps", options.qps, 1, "QPs of a pair of NICs");
    add.Count("senders", options.senders, 1, "incast: NICs that send");
    add.Nic("receiver", options.receiver, "incast: NIC that receives, [nic-0]");
    add.Nic("source", options.source, "p2p: NIC that sends, [nic-0]");
    add.Add("destination",
            "NIC",
            "p2p: NIC that receives, [the last]",
            "",
            [&options](const std::string& text) {
                options.destination = ParseNic("destination", text);
                options.hasDestination = true;
            });
    add.Count(
        "concurrency", options.concurrency, 1, "all-to-all: peers that a NIC sends to at a time");
    add.Add(
        "spread",
        "X",
        "all-to-all: lengths are drawn from size * (1 - X) to size * (1 + X)",
        "0",
        [&options](const std::string& text) { options.spread = ParseProbability("spread", text); });
    add.Count("stride", options.stride, 1, "rings: NICs from one rank to the next");
    add.Count("steps", options.steps, 0, "ring-allreduce: run only the first N steps");
    add.Count("chunks", options.chunks, 1, "tree-allreduce: pieces that follow each other");
    add.Count("micro-batches", options.microBatches, 1, "pipeline: micro-batches of --size");
    add.Add(
        "file",
        "FILE",
        "replay: connection matrix of htsim (.cm), or a list of messages, see docs/workloads.md",
        "",
        [&options](const std::string& text) { options.file = text; });
    add.Add(
        "compute",
        "TIME",
        "computation of a NIC before each message, after what it waits for",
        "0ns",
        [&options](const std::string& text) { options.computePs = ParseTime("compute", text); });
    add.Count("jobs", options.jobs, 1, "jobs side by side, each with an equal share of the NICs");
    add.Add("placement",
            "block|interleaved",
            "NICs of a job: neighbours, or every N-th",
            "block",
            [&options](const std::string& text) {
                options.isInterleaved = ParseWord("placement", text, {"block", "interleaved"}) == 1;
            });
    add.Add("verify",
            "HOW",
            "payload: auto (bytes up to 512 MiB in all), bytes or placement",
            "auto",
            [&options](const std::string& text) {
                options.verify =
                    static_cast<Verify>(ParseWord("verify", text, {"auto", "bytes", "placement"}));
            });
}

/// Add what stands for attributes.
void
AddTransportOptions(CLI::App& app, OptionAdder& add, Options& options)
{
    add.Group("Transport and switches");
    for (const AttributeOption& option : AttributeOptions())
    {
        const std::string name = option.name;
        if (option.isFlag)
        {
            app.add_flag_function(
                   "--" + name + ",!--no-" + name,
                   [name, &options](int64_t count) {
                       options.attributes[name] = count > 0 ? "true" : "false";
                   },
                   option.help)
                ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
                ->group("Transport and switches");
            continue;
        }
        add.Add(name,
                option.values,
                option.help,
                DefaultOf(option),
                [name, &options](const std::string& text) { options.attributes[name] = text; });
    }
    add.List("set",
             options.set,
             "CLASS::ATTRIBUTE=VALUE",
             0,
             "any attribute of ns3::MrcProfile, ns3::MrcTrimmingSwitch or ns3::MrcNic; repeatable");
}

/// Add what concerns the run.
void
AddRunOptions(CLI::App& app, OptionAdder& add, Options& options)
{
    add.Group("Run");
    add.List(
        "fault", options.faults, "SPEC", 0, "something that breaks, see --help-faults; repeatable");
    add.List(
        "ev-profile", options.evProfiles, "SPEC", 0, "paths of QPs, see --help-evs; repeatable");
    add.List(
        "deny", options.denials, "SPEC", 0, "a plane or EV to deny, see --help-evs; repeatable");
    app.add_flag(
           "--prober", options.hasProber, "find lossy NIC links by loops and deny their planes")
        ->group("Run");
    add.Count("seed", options.seed, 1, "of all random numbers");
    add.Add(
        "duration", "TIME", "limit of simulated time", "10s", [&options](const std::string& text) {
            options.durationPs = ParseTime("duration", text);
        });
    add.Add(
        "stall-after",
        "TIME",
        "end after so much simulated time without progress",
        "50ms",
        [&options](const std::string& text) { options.stallPs = ParseTime("stall-after", text); });
    add.Add("scheduler",
            "NAME",
            "event list: lane, priority-queue or map; same results",
            "lane",
            [&options](const std::string& text) {
                ParseWord("scheduler", text, {"lane", "priority-queue", "map"});
                options.scheduler = text;
            });
    add.Group("Output");
    add.Add("out",
            "DIR",
            "write result.json, messages.csv, run.toml and captures here",
            "",
            [&options](const std::string& text) { options.out = text; })
        ->configurable(false);
    add.List(
        "pcap", options.pcap, "PORT,...", ',', "capture ports such as nic-0:p1 or p2/t0-3:t1-7");
    add.Flag("json", options.isJson, true, "print one JSON object instead of the table");
    add.Flag("quiet", options.isQuiet, true, "show no progress");
    add.Flag(
        "no-timing", options.hasTiming, false, "leave what depends on the machine out of the JSON");
}

/// Refuse options that mean nothing to a workload.
void
CheckBelongs(const CLI::App& app, WorkloadKind workload)
{
    using Kind = WorkloadKind;
    const std::vector<Kind> MANY_RANKS{Kind::PERMUTATION,
                                       Kind::RING_ALLREDUCE,
                                       Kind::REDUCE_SCATTER,
                                       Kind::ALL_GATHER,
                                       Kind::TREE_ALLREDUCE,
                                       Kind::HALVING_DOUBLING_ALLREDUCE,
                                       Kind::ALL_TO_ALL,
                                       Kind::PIPELINE};
    const std::pair<const char*, std::vector<Kind>> belongs[] = {
        {"messages", {Kind::PERMUTATION, Kind::INCAST, Kind::P2P}},
        {"senders", {Kind::INCAST}},
        {"receiver", {Kind::INCAST}},
        {"source", {Kind::P2P}},
        {"destination", {Kind::P2P}},
        {"concurrency", {Kind::ALL_TO_ALL}},
        {"spread", {Kind::ALL_TO_ALL}},
        {"stride", {Kind::RING_ALLREDUCE, Kind::REDUCE_SCATTER, Kind::ALL_GATHER}},
        {"steps", {Kind::RING_ALLREDUCE}},
        {"chunks", {Kind::TREE_ALLREDUCE}},
        {"micro-batches", {Kind::PIPELINE}},
        {"file", {Kind::REPLAY}},
        {"jobs", MANY_RANKS},
        {"placement", MANY_RANKS},
    };
    for (const auto& [name, kinds] : belongs)
    {
        const bool isGiven = app.get_option(std::string("--") + name)->count() > 0;
        if (isGiven && std::find(kinds.begin(), kinds.end(), workload) == kinds.end())
        {
            std::vector<std::string> names;
            for (const Kind kind : kinds)
            {
                names.emplace_back(WorkloadName(kind));
            }
            throw BadInput(name,
                           std::string("means nothing to ") + WorkloadName(workload) +
                               ": it belongs to " + CLI::detail::join(names, ", "));
        }
    }
}

/// @param a word @param b word @return letters to insert, delete or replace to get from a to b
size_t
EditDistance(const std::string& a, const std::string& b)
{
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); ++i)
    {
        size_t diagonal = row[0]++;
        for (size_t j = 0; j < b.size(); ++j)
        {
            const size_t replaced = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

/// @param app that did not understand all of its arguments @return what was wrong
std::string
DescribeExtras(const CLI::App& app)
{
    const std::vector<std::string> extras = app.remaining(true);
    const auto isOption = [](const std::string& word) { return word.rfind("-", 0) == 0; };
    const auto found = std::find_if(extras.begin(), extras.end(), isOption);
    if (found == extras.end())
    {
        return "'" + (extras.empty() ? "" : extras.front()) +
               "' is neither a workload nor the value of an option";
    }
    const std::string name = found->substr(0, found->find('='));
    std::string nearest;
    size_t distance = 4; // further off is no spelling mistake
    for (const CLI::Option* option : app.get_options())
    {
        for (const std::string& known : option->get_lnames())
        {
            const size_t other = EditDistance(name, "--" + known);
            if (other < distance)
            {
                distance = other;
                nearest = "--" + known;
            }
        }
    }
    return "there is no option " + name +
           (nearest.empty() ? ": see --help" : ", did you mean " + nearest + "?");
}

/// @param what a message @return it as one line
std::string
OneLine(std::string what)
{
    std::replace(what.begin(), what.end(), '\n', ' ');
    return what;
}

} // namespace

bool
ParseCommandLine(int argc, char** argv, Options& options)
{
    CLI::App app("Simulates MRC over a multi-plane SRv6 fabric.", "mrc-sim");
    app.set_version_flag("--version", std::string("mrc-sim ") + MRC_VERSION);
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    app.get_formatter()->column_width(44);

    OptionAdder add(app);
    AddNetworkOptions(add, options);
    AddTrafficOptions(add, options);
    AddTransportOptions(app, add, options);
    AddRunOptions(app, add, options);
    app.set_config("--config", "", "read options from a TOML file; the command line goes first")
        ->type_name("FILE")
        ->group("Run");
    app.config_formatter(std::make_shared<ConfigFile>(app, options.origin));
    app.allow_config_extras(CLI::config_extras_mode::error);
    bool wantsFaultHelp = false;
    bool wantsEvHelp = false;
    add.Group("Run");
    add.Flag("help-faults", wantsFaultHelp, true, "explain fault specifications");
    add.Flag("help-evs", wantsEvHelp, true, "explain EV profiles and denials");

    std::string workload;
    app.add_option("--workload", workload, "the subcommand, for files")->group("");
    for (const auto& known : WORKLOADS)
    {
        app.add_subcommand(WorkloadName(known.kind), known.help)
            ->fallthrough()
            ->configurable(false)
            ->set_help_flag();
    }
    app.require_subcommand(0, 1);

    try
    {
        app.parse(argc, argv);
    }
    catch (const CLI::CallForHelp&)
    {
        // of the whole program, also behind a subcommand: all of them share the options
        std::cout << app.get_formatter()->make_help(
            &app, app.get_name(), CLI::AppFormatMode::Normal);
        return false;
    }
    catch (const CLI::ExtrasError&)
    {
        throw BadInput("", DescribeExtras(app));
    }
    catch (const CLI::ParseError& error)
    {
        if (error.get_exit_code() == 0)
        {
            app.exit(error);
            return false;
        }
        throw BadInput("", OneLine(error.what()));
    }
    if (wantsFaultHelp || wantsEvHelp)
    {
        std::cout << (wantsFaultHelp ? mrc::FaultHelp() : EvHelp());
        return false;
    }
    if (!app.get_subcommands().empty())
    {
        workload = app.get_subcommands().front()->get_name();
    }
    std::vector<std::string> names;
    for (const auto& known : WORKLOADS)
    {
        names.emplace_back(WorkloadName(known.kind));
    }
    if (workload.empty())
    {
        throw BadInput("", "a workload is missing: " + CLI::detail::join(names, ", "));
    }
    options.workload = WORKLOADS[ParseWord("workload", workload, names)].kind;
    CheckBelongs(app, options.workload);
    constexpr uint64_t MAX_MESSAGE_BYTES = uint64_t{1} << 31;
    if (options.bytes > MAX_MESSAGE_BYTES && !IsCollective(options.workload))
    {
        throw BadInput("size", "a message is 0 to 2GiB long");
    }
    if (options.file.empty() && options.workload == WorkloadKind::REPLAY)
    {
        throw BadInput("file", "is missing: the messages to replay");
    }
    if (options.clos.tiers == 3)
    {
        std::swap(options.clos.t1PerPod, options.clos.t1PerPlane);
    }
    return true;
}

} // namespace mrc::sim
