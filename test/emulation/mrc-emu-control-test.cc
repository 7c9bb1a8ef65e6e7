// SPDX-License-Identifier: GPL-2.0-only
// Commands while a lab runs, metrics, and what harms nothing.
#include "mrc-emu-fixture.h"

#include <cstring>
#include <filesystem>
#include <random>
#include <regex>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace mrc::emu::test
{

namespace
{

class EmuControlTest : public EmuTest
{
  protected:
    void SetUp() override
    {
        EmuTest::SetUp();
        NeedNamespaces();
    }

    /// Bring the small lab up. @param more options of mrc-emu up @param text before the lab file's
    void Up(const std::vector<std::string>& more = {}, const std::string& text = "")
    {
        std::vector<std::string> arguments{
            "up", Write("lab.toml", text + SMALL_LAB), "--userns", "--detach"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = Emu(arguments);
        ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    }

    void TearDown() override
    {
        if (std::filesystem::exists(Path("run/small")))
        {
            EXPECT_EQ(Emu({"down", "--lab", "small"}).exitCode, 0);
        }
        ExpectNothingLeft();
        EmuTest::TearDown();
    }

    /// @param words of a command @return what it did
    Outcome Ctl(std::vector<std::string> words)
    {
        words.insert(words.begin(), "ctl");
        return Emu(words);
    }

    /// @param host that pings @param to whom @param count of pings @return exit code of ping
    int Ping(const std::string& host, const std::string& to, int count = 2)
    {
        return Emu({"exec",
                    host,
                    "--",
                    "ping",
                    "-q",
                    "-c",
                    std::to_string(count),
                    "-i",
                    "0.01",
                    "-W",
                    "1",
                    to})
            .exitCode;
    }

    /// @param path of a Unix socket @return a connection
    static int Connect(const std::string& path)
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
        const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
        return fd;
    }

    /// @return all that comes from a connection until it ends
    static std::string ReadAll(int fd)
    {
        std::string text;
        char buffer[4096];
        for (ssize_t count; (count = read(fd, buffer, sizeof(buffer))) > 0;)
        {
            text.append(buffer, static_cast<size_t>(count));
        }
        close(fd);
        return text;
    }
};

TEST_F(EmuControlTest, LinksPlanesSwitchesAndPortsGoDownAndUp)
{
    Up({"--out", Path("out")});
    // What goes down, and whom h0 then reaches no more; the other plane goes on.
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{"link", "nic-0/p0"}, "h1-p0"},
        {{"plane", "p0"}, "h1-p0"},
        {{"switch", "p0/t0-0"}, "h1-p0"},
        {{"switch", "p0/t0-1"}, "h2-p0"},
        {{"nic-port", "nic-0:p0"}, "h1-p0"},
    };
    for (const auto& [words, peer] : cases)
    {
        std::vector<std::string> down = words;
        down.emplace_back("down");
        std::vector<std::string> up = words;
        up.emplace_back("up");
        EXPECT_EQ(Ping("h0", peer), 0);
        EXPECT_EQ(Ctl(down).exitCode, 0) << words[0];
        EXPECT_NE(Ping("h0", peer), 0) << words[0];
        EXPECT_EQ(Ping("h0", "h1-p1"), 0) << words[0];
        EXPECT_EQ(Ctl(up).exitCode, 0) << words[0];
        EXPECT_EQ(Ping("h0", peer), 0) << words[0];
    }
    const std::string log = ReadFile(Path("out/events.log"));
    // Wall time, time since the start, simulated time, what happened.
    EXPECT_TRUE(std::regex_search(
        log,
        std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z \+\d+\.\d{6}s sim=\d+\.\d{3}us )"
                   R"(switch p0/t0-1 down\n)")))
        << log;
}

TEST_F(EmuControlTest, AHostSeesTheCableOfItsPort)
{
    Up();
    EXPECT_EQ(Ctl({"link", "nic-0/p1", "down"}).exitCode, 0);
    const std::vector<std::string> look{"exec", "h0", "--", "ip", "-o", "link", "show", "p1"};
    EXPECT_NE(Emu(look).output.find("NO-CARRIER"), std::string::npos);
    // So its routes over all planes pass the dead one over. h1 does the same for its answers once
    // its own port of that plane is dead too; by h0's it cannot tell.
    EXPECT_EQ(Ctl({"link", "nic-1/p1", "down"}).exitCode, 0);
    for (const char* host : {"h0", "h1"})
    {
        // The kernel tells its routes of a cable at most once a second.
        const auto hasNoticed = [&] {
            return Emu({"exec", host, "--", "ip", "-6", "route", "show", "fd6d:7264::/32"})
                       .output.find("linkdown") != std::string::npos;
        };
        for (int look = 0; look < 100 && !hasNoticed(); ++look)
        {
            usleep(50'000);
        }
        EXPECT_TRUE(hasNoticed()) << host;
    }
    EXPECT_EQ(Ping("h0", "h1", 10), 0);
    EXPECT_EQ(Ctl({"link", "nic-1/p1", "up"}).exitCode, 0);
    EXPECT_EQ(Ctl({"link", "nic-0/p1", "up"}).exitCode, 0);
    EXPECT_EQ(Emu(look).output.find("NO-CARRIER"), std::string::npos);
}

TEST_F(EmuControlTest, OverlappingFaultsEndOnTheirOwn)
{
    Up();
    EXPECT_EQ(Ctl({"plane", "p0", "down"}).exitCode, 0);
    EXPECT_EQ(Ctl({"link", "nic-0/p0", "down"}).exitCode, 0);
    EXPECT_EQ(Ctl({"plane", "p0", "up"}).exitCode, 0);
    EXPECT_NE(Ping("h0", "h1-p0"), 0) << "the link itself is still down";
    EXPECT_EQ(Ping("h2", "h1-p0"), 0);
    EXPECT_EQ(Ctl({"link", "nic-0/p0", "up"}).exitCode, 0);
    EXPECT_EQ(Ping("h0", "h1-p0"), 0);
}

TEST_F(EmuControlTest, LossDamageAndDelay)
{
    Up();
    EXPECT_EQ(Ctl({"loss", "nic-0/p0", "1"}).exitCode, 0);
    EXPECT_NE(Ping("h0", "h1-p0"), 0);
    EXPECT_EQ(Ctl({"loss", "nic-0/p0", "0"}).exitCode, 0);
    EXPECT_EQ(Ctl({"corrupt", "nic-0/p0", "1"}).exitCode, 0);
    EXPECT_NE(Ping("h0", "h1-p0"), 0) << "a checksum that does not fit is no answer";
    EXPECT_EQ(Ctl({"corrupt", "nic-0/p0", "0"}).exitCode, 0);
    EXPECT_EQ(Ctl({"delay", "nic-0/p0", "30ms"}).exitCode, 0);
    const Outcome outcome =
        Emu({"exec", "h0", "--", "ping", "-c", "3", "-i", "0.01", "-W", "5", "h1-p0"});
    std::smatch found;
    ASSERT_TRUE(std::regex_search(outcome.output, found, std::regex("= ([0-9.]+)/"))) //
        << outcome.output;
    EXPECT_GE(std::stod(found[1]), 60.0) << "30 ms each way";
}

TEST_F(EmuControlTest, AFlapEnds)
{
    Up({"--out", Path("out")});
    EXPECT_EQ(Ctl({"link", "nic-0/p0", "flap", "50ms", "50ms", "2"}).exitCode, 0);
    const std::string last = "link nic-0/p0 up (flap)\n";
    std::string log;
    for (int i = 0; i < 500; ++i)
    {
        log = ReadFile(Path("out/events.log"));
        const size_t first = log.find(last);
        if (first != std::string::npos && log.find(last, first + 1) != std::string::npos)
        {
            break;
        }
        usleep(20'000);
    }
    EXPECT_EQ(Ping("h0", "h1-p0"), 0) << log;
}

TEST_F(EmuControlTest, ABlackHoleSwallowsOneUsid)
{
    Up();
    const std::string table = Ctl({"table", "p0/t0-0"}).output;
    EXPECT_NE(table.find("fd6d:7263:"), std::string::npos) << table;
    EXPECT_EQ(Ctl({"black-hole", "p0/t0-0", "0x6001"}).exitCode, 0);
    EXPECT_EQ(Ctl({"black-hole", "p0/t0-0", "none"}).exitCode, 0);
}

TEST_F(EmuControlTest, WrongCommandsAreRefusedInOneLine)
{
    Up();
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{"lnik", "nic-0/p0", "down"}, "there is no command 'lnik'"},
        {{"link", "nic-0/p0"}, "usage: link"},
        {{"link", "nic-9/p0", "down"}, "nic-3"},
        {{"link", "nic-0/p0", "sideways"}, "up or down"},
        {{"link", "nic-0/p0", "flap", "1ms"}, "flap needs two times"},
        {{"plane", "p2", "down"}, "p0 to p1"},
        {{"loss", "nic-0/p0", "2"}, "2"},
        {{"delay", "nic-0/p0", "long"}, "long"},
        {{"rate", "nic-0/p0", "0"}, "0"},
        {{"trim", "nic-0:p0", "100"}, "port of a switch"},
        {{"pcap", "start", "nic-0:p0"}, "--out"},
        {{"pcap", "stop", "nic-0:p0"}, "not captured"},
        {{"namespaces", "h9"}, "h0, h1, h2"},
    };
    for (const auto& [words, part] : cases)
    {
        const Outcome outcome = Ctl(words);
        EXPECT_EQ(outcome.exitCode, 2) << words[0];
        EXPECT_NE(outcome.errors.find(part), std::string::npos) << outcome.errors;
        EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1)
            << outcome.errors;
    }
}

TEST_F(EmuControlTest, GarbageOnTheSocketHarmsNothing)
{
    Up();

    struct stat info
    {
    };

    ASSERT_EQ(stat(Path("run/small/control").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    const char* given = std::getenv("MRC_TEST_SEED");
    const uint64_t seed = given ? std::strtoull(given, nullptr, 0) : 1;
    std::mt19937_64 random(seed);
    for (int i = 0; i < 40; ++i)
    {
        const int fd = Connect(Path("run/small/control"));
        std::string bytes(1 + random() % 20'000, ' ');
        for (char& c : bytes)
        {
            c = static_cast<char>(random());
        }
        [[maybe_unused]] const ssize_t sent =
            send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        close(fd); // and never read the answer
    }
    std::vector<int> idle; // more clients than the lab serves at a time
    for (int i = 0; i < 80; ++i)
    {
        idle.push_back(Connect(Path("run/small/control")));
    }
    EXPECT_EQ(Ping("h0", "h2"), 0) << "MRC_TEST_SEED=" << seed;
    EXPECT_EQ(Ctl({"status"}).exitCode, 0) << "MRC_TEST_SEED=" << seed;
    for (const int fd : idle)
    {
        close(fd);
    }
}

TEST_F(EmuControlTest, MetricsAreServedWhenAskedFor)
{
    Up({}, "metrics = \"unix:" + Path("metrics") + "\"\n");
    EXPECT_EQ(Ping("h0", "h2-p1", 5), 0);
    const auto get = [&](const std::string& request) {
        const int fd = Connect(Path("metrics"));
        EXPECT_EQ(write(fd, request.data(), request.size()), static_cast<ssize_t>(request.size()));
        return ReadAll(fd);
    };
    const std::string text = get("GET /metrics HTTP/1.1\r\nHost: lab\r\n\r\n");
    EXPECT_EQ(text.rfind("HTTP/1.0 200 OK\r\n", 0), 0u) << text;
    EXPECT_NE(text.find("mrc_emu_host_received_packets{port=\"h0:p1\",plane=\"1\"} 5\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("# TYPE mrc_emu_lag_seconds gauge\n"), std::string::npos);
    EXPECT_EQ(get("POST /metrics HTTP/1.1\r\n\r\n").rfind("HTTP/1.0 404", 0), 0u);
    EXPECT_EQ(Emu({"down"}).exitCode, 0);
    EXPECT_FALSE(std::filesystem::exists(Path("metrics")));
}

TEST_F(EmuControlTest, TopShowsPlanesHostsAndPorts)
{
    Up();
    EXPECT_EQ(Ctl({"link", "p1/t0-0-t1-1", "down"}).exitCode, 0);
    const Outcome outcome = Emu({"top", "--count", "1"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("h2:p1"), std::string::npos) << outcome.output;
    EXPECT_TRUE(std::regex_search(outcome.output, std::regex("p1/t0-0:t1-1 +DOWN")))
        << outcome.output;
}

TEST_F(EmuControlTest, CommandsByTime)
{
    const Outcome outcome = RunLab(std::string(SMALL_LAB) + R"(
[[at]]
time = "200ms"
command = "plane p1 down"
)",
                                   "sleep 0.6; $EMU ctl links");
    EXPECT_NE(outcome.output.find("nic-0/p1 down\n"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("nic-0/p0 up\n"), std::string::npos) << outcome.output;
}

} // namespace

} // namespace mrc::emu::test
