// SPDX-License-Identifier: GPL-2.0-only
// What a lab borrows from its machine: interfaces, which it gives back however it ends, a CPU and a
// priority.
#include "mrc-emu-fixture.h"
#include "mrc-emu-host-setup.h"
#include "mrc-emu-namespace.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mrc::emu::test
{

namespace
{

/// A host at nic-0, and nic-2 behind an interface of the machine; one plane, two T0s.
std::string
LabWith(const std::string& port)
{
    return R"(
name = "machine"
scale = 1
[fabric]
planes = 1
nics = 4
nics-per-t0 = 2
[[host]]
[[host]]
name = "outside"
nic = 2
ports = [")" +
           port + "\"]\n";
}

/// What `mrc-emu status` says that nic-2 must have. @param device that gets it
std::string
Nic2Commands(const std::string& device)
{
    return "link set " + device +
           " addrgenmode none address 02:00:00:00:00:02 mtu 9000\n"
           "link set " +
           device +
           " up\n"
           "addr add fd6d:7264:0:1::1/128 dev " +
           device +
           " nodad\n"
           "neigh replace fe80::1 lladdr 02:fe:00:00:00:00 dev " +
           device +
           " nud permanent\n"
           "route replace fd6d:7264::/32 via fe80::1 dev " +
           device + "\n";
}

class EmuMachineTest : public EmuTest
{
  protected:
    void SetUp() override
    {
        EmuTest::SetUp();
        NeedNamespaces();
    }

    /// Do something on a machine of its own, with nothing but a loopback device.
    void OnMachine(const std::function<void()>& what)
    {
        const pid_t child = StartInNamespaces(true, [&]() {
            RunIpBatch("link set lo up\n");
            what();
            return HasFailure() ? 1 : 0;
        });
        EXPECT_EQ(WaitFor(child), 0);
    }

    /// Make the veth v0, whose far end is nic-2 in a namespace that mrc-emu knows nothing of.
    /// @param host that namespace; made if it is none
    static void MakeVeth(Fd& host)
    {
        RunIpBatch("link add v0 type veth peer name v1\nlink set v0 up mtu 9000\n");
        if (!host)
        {
            host = MakeNetwork([]() { RunIpBatch("link set lo up\n"); });
        }
        RunIpBatch("link set v1 netns /proc/" + std::to_string(getpid()) + "/fd/" +
                   std::to_string(host.Get()) + "\n");
        InNetwork(host, []() { RunIpBatch(Nic2Commands("v1")); });
    }

    /// @return whether h0 reaches nic-2, within 5 s
    bool Reaches()
    {
        for (int i = 0; i < 50; ++i)
        {
            const std::vector<std::string> ping{
                "exec", "h0", "--", "ping", "-q", "-c", "1", "-W", "0.1", "fd6d:7264:0:1::1"};
            if (Emu(ping).exitCode == 0)
            {
                return true;
            }
        }
        return false;
    }

    /// Let a process go on at an address where there is nothing. A signal that is only sent would
    /// not do: process 1 of a namespace does not get those that it has no handler for.
    static void Crash(pid_t pid)
    {
        ASSERT_EQ(ptrace(PTRACE_ATTACH, pid, nullptr, nullptr), 0) << std::strerror(errno);
        ASSERT_EQ(waitpid(pid, nullptr, 0), pid);
        user_regs_struct registers{};
        ASSERT_EQ(ptrace(PTRACE_GETREGS, pid, nullptr, &registers), 0);
        registers.rip = 0;
        registers.orig_rax = static_cast<unsigned long long>(-1); // no system call to restart
        ASSERT_EQ(ptrace(PTRACE_SETREGS, pid, nullptr, &registers), 0);
        ASSERT_EQ(ptrace(PTRACE_DETACH, pid, nullptr, nullptr), 0);
    }

    /// @param arguments of ip @return what it prints
    std::string Ip(const std::string& arguments)
    {
        EXPECT_EQ(std::system(("ip " + arguments + " >" + Path("ip")).c_str()), 0);
        return ReadFile(Path("ip"));
    }

    /// Wait until a file has a text, at most 10 s. @return whether it has
    static bool WaitForText(const std::string& path, const std::string& text)
    {
        for (int i = 0; i < 500; ++i)
        {
            if (ReadFile(path).find(text) != std::string::npos)
            {
                return true;
            }
            poll(nullptr, 0, 20);
        }
        return false;
    }
};

TEST_F(EmuMachineTest, AVethCanBeAPort)
{
    Write("lab.toml", LabWith("dev:v0"));
    OnMachine([this]() {
        Fd host;
        MakeVeth(host);
        const Outcome outcome = Emu({"run",
                                     Path("lab.toml"),
                                     "--",
                                     "sh",
                                     "-c",
                                     "$EMU exec h0 -- ping -q -c 5 -i 0.01 -W 5 fd6d:7264:0:1::1"});
        EXPECT_EQ(outcome.exitCode, 0) << outcome.output << outcome.errors;
    });
}

// However the lab ends, the interface is as it was before: up, in its place, and nobody listens.
TEST_F(EmuMachineTest, AVethIsGivenBackAfterACrash)
{
    Write("lab.toml", LabWith("dev:v0"));
    OnMachine([this]() {
        const rlimit none{0, 0};
        setrlimit(RLIMIT_CORE, &none); // the dump would be all that stays
        Fd host;
        MakeVeth(host);
        const std::string before = Ip("-d -o link show v0");
        ASSERT_NE(before.find("promiscuity 0"), std::string::npos) << before;
        for (const int signal : {SIGSEGV, SIGKILL})
        {
            const pid_t supervisor = Start({"up", Path("lab.toml")});
            ASSERT_TRUE(WaitForLab("machine"));
            EXPECT_NE(Ip("-d -o link show v0").find("promiscuity 1"), std::string::npos);
            for (const pid_t pid : Processes())
            {
                if (pid != supervisor)
                {
                    signal == SIGSEGV ? Crash(pid) : static_cast<void>(kill(pid, signal));
                }
            }
            const Outcome outcome = Finish(supervisor);
            EXPECT_EQ(outcome.exitCode, 1);
            EXPECT_NE(outcome.errors.find("the lab died of signal " + std::to_string(signal)),
                      std::string::npos)
                << outcome.errors;
            ExpectNothingLeft();
            EXPECT_EQ(Ip("-d -o link show v0"), before);
        }
    });
}

TEST_F(EmuMachineTest, AVethThatIsDeletedAndMadeAnewIsTakenUpAgain)
{
    Write("lab.toml", LabWith("dev:v0"));
    OnMachine([this]() {
        Fd host;
        MakeVeth(host);
        ASSERT_EQ(Emu({"up", Path("lab.toml"), "--detach", "--out", Path("out")}).exitCode, 0);
        EXPECT_TRUE(Reaches());
        RunIpBatch("link del v0\n");
        EXPECT_TRUE(WaitForText(Path("out/events.log"), "outside:p0: v0 was deleted\n"));
        EXPECT_EQ(Emu({"exec", "h0", "--", "ping", "-c1", "-W1", "fd6d:7264:0:1::1"}).exitCode, 1);
        MakeVeth(host);
        EXPECT_TRUE(WaitForText(Path("out/events.log"), "outside:p0: v0 is there again\n"));
        EXPECT_TRUE(Reaches());
        EXPECT_EQ(Emu({"down"}).exitCode, 0);
    });
}

// The machine itself is nic-2.
TEST_F(EmuMachineTest, APersistentTapCanBeAPort)
{
    Write("lab.toml", LabWith("tap:t0"));
    OnMachine([this]() {
        const Outcome refused = Emu({"up", Path("lab.toml")});
        EXPECT_EQ(refused.exitCode, 2);
        EXPECT_NE(refused.errors.find("lab.toml:9: ports: t0: there is no such TAP"),
                  std::string::npos)
            << refused.errors;

        const std::string make = "tuntap add t0 mode tap\n" + Nic2Commands("t0");
        RunIpBatch(make);
        ASSERT_EQ(Emu({"up", Path("lab.toml"), "--detach", "--out", Path("out")}).exitCode, 0);
        EXPECT_TRUE(Reaches());
        const Outcome status = Emu({"ctl", "hosts"});
        EXPECT_NE(status.output.find("(t0) address fd6d:7264:0:1:1::1"), std::string::npos)
            << status.output;
        EXPECT_EQ(Emu({"ctl", "link", "nic-2/p0", "down"}).exitCode, 0);
        EXPECT_NE(Ip("-o link show t0").find("NO-CARRIER"), std::string::npos);
        EXPECT_EQ(Emu({"ctl", "link", "nic-2/p0", "up"}).exitCode, 0);

        RunIpBatch("link del t0\n");
        EXPECT_TRUE(WaitForText(Path("out/events.log"), "outside:p0: t0 was deleted\n"));
        RunIpBatch(make);
        EXPECT_TRUE(WaitForText(Path("out/events.log"), "outside:p0: t0 is there again\n"));
        EXPECT_TRUE(Reaches());

        EXPECT_EQ(Emu({"down"}).exitCode, 0);
        // It stays, and nobody has it. The kernel may take a second to tell.
        bool isFree = false;
        for (int i = 0; i < 50 && !isFree; ++i)
        {
            isFree = Ip("-o link show t0").find("NO-CARRIER") != std::string::npos;
            poll(nullptr, 0, 100);
        }
        EXPECT_TRUE(isFree);
    });
}

// The lab is process 1 of its process namespace.
TEST_F(EmuMachineTest, CpuAndPriorityAreThoseAskedFor)
{
    const std::string lab = std::string("cpu = 0\nfifo = 7\n") + SMALL_LAB;
    const std::string look = "taskset -pc 1; chrt -p 1; $EMU exec h0 -- chrt -p 0";
    const Outcome outcome = RunLab(lab, look, {});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("affinity list: 0\n"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("policy: SCHED_FIFO"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("priority: 7\n"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("policy: SCHED_OTHER"), std::string::npos)
        << "programs on hosts do not have it: " << outcome.output;
    // In a user namespace even root may not; the lab says so and runs.
    const Outcome without = RunLab(lab, look);
    EXPECT_EQ(without.exitCode, 0) << without.errors;
    EXPECT_NE(without.errors.find("fifo = 7: Operation not permitted"), std::string::npos)
        << without.errors;
}

} // namespace

} // namespace mrc::emu::test
