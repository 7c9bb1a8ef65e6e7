// SPDX-License-Identifier: GPL-2.0-only
// Lab files: what they say, and how wrong ones are refused.
#include "mrc-emu-commands.h"
#include "mrc-emu-fixture.h"
#include "mrc-emu-lab-keys.h"
#include "mrc-emu-lab.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace mrc::emu::test
{

namespace
{

TEST(EmuLabFile, SaysWhatThereIs)
{
    const Lab lab = ParseLab(R"(# a comment
name = "rack-1"   # behind a value
scale = 50
max-lag = "5ms"
mtu = 4200

[fabric]
planes = 2
nics = 8
nics-per-t0 = 4
rate = "400Gbps"
set = [
  "ns3::MrcTrimmingSwitch::Trimming=false",
]

[[host]]
name = "left"
nic = "nic-5"
ports = ["tap", "dev:eth1"]

[[host]]
srv6-decap = true

[[workload]]
kind = "incast"
nics = ["nic-1", 2]
start = "1s"

[[at]]
time = "2s"
command = "plane p1 down"
)",
                             "some/rack.toml");
    EXPECT_EQ(lab.name, "rack-1");
    EXPECT_EQ(lab.scale, 50);
    EXPECT_EQ(lab.maxLagNs, 5'000'000);
    EXPECT_EQ(lab.clos.nics, 8u);
    EXPECT_EQ(lab.bitsPerSecond, 400'000'000'000u);
    ASSERT_EQ(lab.set.size(), 1u);
    EXPECT_EQ(lab.setWhere[0], "some/rack.toml:12");
    ASSERT_EQ(lab.hosts.size(), 2u);
    EXPECT_EQ(lab.hosts[0].name, "left");
    EXPECT_EQ(lab.hosts[0].nic, 5u);
    EXPECT_EQ(lab.hosts[0].ports[1].kind, LabPort::Kind::DEVICE);
    EXPECT_EQ(lab.hosts[0].ports[1].device, "eth1");
    EXPECT_EQ(lab.hosts[1].name, "h1") << "by its position";
    EXPECT_EQ(lab.hosts[1].nic, 0u) << "the first free place";
    EXPECT_EQ(lab.hosts[1].ports.size(), 2u) << "a TAP in each plane";
    EXPECT_TRUE(lab.hosts[1].isDecapsulating);
    EXPECT_EQ(lab.workloads[0].nics, (std::vector<uint32_t>{1, 2}));
    EXPECT_EQ(lab.actions[0].atNs, 2'000'000'000);
}

TEST(EmuLabFile, TheFileNameIsTheName)
{
    EXPECT_EQ(ParseLab("", "x/two-racks.toml").name, "two-racks");
}

TEST(EmuLabFile, TheDemoIsALab)
{
    EXPECT_EQ(ParseLab(DemoLabText(), "demo").hosts.size(), 4u);
}

TEST(EmuLabFile, WrongFilesAreRefusedWithFileAndLine)
{
    const std::vector<std::pair<std::string, std::string>> cases{
        {"nmae = \"x\"", "lab.toml:1: there is no key 'nmae' before the first section"},
        {"\n[fabric]\nplains = 2", "lab.toml:3: there is no key 'plains' in [fabric]"},
        {"[fabrik]", "lab.toml:1: '[fabrik]' is none of [fabric]"},
        {"[fabric]\n[fabric]", "lab.toml:2: [fabric] is there twice"},
        {"scale", "lab.toml:1: 'scale' should look like: key = value"},
        {"scale = -1", "lab.toml:1: scale: '-1' should be"},
        {"scale = 1\nscale = 2", "lab.toml:2: 'scale' is set twice"},
        {"scale = fast", "lab.toml:1: 'fast' needs quotes"},
        {"mtu = 100", "lab.toml:1: mtu: "},
        {"mtu = 65000", "lab.toml:1: mtu: '65000' should be at most 9500"},
        {"name = \"a/b\"", "lab.toml:1: name: 'a/b' should be a name"},
        {"max-lag = \"soon\"", "lab.toml:1: max-lag: "},
        {"[fabric]\nset = [\"a\"", "an array has no end"},
        {"[[host]]\nports = [\"usb\"]", "lab.toml:2: ports: 'usb' should be \"tap\""},
        {"[[host]]\nports = [\"tap\"]", "lab.toml:1: ports: there should be one for each of the 2"},
        {"[[host]]\nnic = 4", "lab.toml:1: nic: there is no nic-4: there are nic-0 to nic-3"},
        {"[[host]]\nnic = 1\n[[host]]\nnic = 1", "lab.toml:3: nic: nic-1 has two hosts"},
        {"[[host]]\nname = \"a\"\n[[host]]\nname = \"a\"", "lab.toml:3: name: there are two hosts"},
        {"[[host]]\n[[host]]\n[[host]]\n[[host]]\n[[host]]", "lab.toml:5: there are more hosts"},
        {"[[host]]\nsrv6-decap = yes", "needs quotes"},
        {"[[workload]]\nkind = \"gossip\"", "lab.toml:2: kind: 'gossip' is none of"},
        {"[[host]]\n[[workload]]\nnics = [0]", "lab.toml:2: nics: nic-0 is a real host"},
        {"[[at]]\ntime = \"1s\"", "lab.toml:1: [[at]] needs a command"},
        {"[fabric]\nnics = 5", "lab.toml: [fabric]: "},
    };
    for (const auto& [text, part] : cases)
    {
        try
        {
            ParseLab(text, "lab.toml");
            ADD_FAILURE() << "not refused: " << text;
        }
        catch (const LabError& error)
        {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << text << "\n"
                                                                               << error.what();
        }
    }
}

TEST(EmuLabFile, EveryKeyAndCommandIsDocumented)
{
    std::ifstream file(std::string(MRC_SOURCE_DIR) + "/docs/emulator.md");
    const std::string manual{std::istreambuf_iterator<char>(file), {}};
    for (const LabKey& key : LabKeys())
    {
        EXPECT_NE(manual.find(std::string("| `") + key.name + "`"), std::string::npos) << key.name;
    }
    std::istringstream lines(CommandHelp());
    for (std::string line; std::getline(lines, line);)
    {
        const std::string name = line.substr(0, line.find(' '));
        EXPECT_NE(manual.find("| `" + name), std::string::npos) << name;
    }
}

class EmuBadInputTest : public EmuTest
{
};

TEST_F(EmuBadInputTest, IsOneLineAndExitCode2)
{
    const std::string lab = Write("lab.toml", SMALL_LAB);
    const std::string wrong = Write("wrong.toml", "[fabric]\nplains = 2\n");
    const std::string attribute =
        Write("attribute.toml", "[fabric]\nset = [\"ns3::MrcNic::Colour=red\"]\n");
    const std::string device =
        Write("device.toml", "[[host]]\nports = [\"dev:no-such-nic\", \"tap\"]\n");
    const std::string metrics = Write("metrics.toml", "metrics = \"0.0.0.0:80\"\n");
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{"up", Path("none.toml")}, "none.toml: cannot be read"},
        {{"up", wrong}, wrong + ":2: there is no key 'plains'"},
        {{"up", attribute}, attribute + ":2: set: "},
        {{"up", device}, device + ":1: ports: no-such-nic: there is no such interface"},
        {{"up", metrics}, "should be unix:PATH or 127.0.0.1:PORT"},
        {{"up", lab, "--scale", "0"}, "--scale: "},
        {{"run", lab}, "a command is missing"},
        {{"exec", "h0", "--", "true"}, "no lab runs"},
        {{"ctl", "status"}, "no lab runs"},
        {{"down"}, "no lab runs"},
        {{"down", "--lab", "x"}, "there is no lab 'x'"},
    };
    for (const auto& [arguments, part] : cases)
    {
        const Outcome outcome = Emu(arguments);
        EXPECT_EQ(outcome.exitCode, 2) << outcome.errors;
        EXPECT_NE(outcome.errors.find(part), std::string::npos) << outcome.errors << part;
    }
    EXPECT_FALSE(std::filesystem::exists(Path("run")));
    EXPECT_NE(Emu({"fly"}).exitCode, 0);
    EXPECT_NE(Emu({"keys"}).output.find("nics-per-t0"), std::string::npos);
    EXPECT_NE(Emu({"commands"}).output.find("black-hole"), std::string::npos);
    EXPECT_EQ(Emu({"--help"}).exitCode, 0);
}

} // namespace

} // namespace mrc::emu::test
