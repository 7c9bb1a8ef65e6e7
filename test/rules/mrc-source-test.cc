// SPDX-License-Identifier: GPL-2.0-only
// Layers, names and form of the sources.

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace
{

namespace fs = std::filesystem;

const fs::path ROOT = MRC_SOURCE_DIR;

std::string
Read(const fs::path& path)
{
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

/// @return the C++ sources below a folder of the checkout
std::vector<fs::path>
Sources(const std::string& folder)
{
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(ROOT / folder))
    {
        const std::string extension = entry.path().extension();
        if (extension == ".h" || extension == ".cc")
        {
            found.push_back(entry.path());
        }
    }
    return found;
}

std::vector<fs::path>
AllSources()
{
    std::vector<fs::path> all;
    for (const char* folder : {"src/mrc", "tools", "emulation", "test", "examples", "scratch"})
    {
        const auto some = Sources(folder);
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

/// @return what stands between the quotes or brackets of each #include
std::vector<std::string>
Includes(const fs::path& path, char open, char close)
{
    std::vector<std::string> found;
    const std::regex line(std::string("#include *\\") + open + "([^" + close + "]+)\\" + close);
    const std::string text = Read(path);
    for (std::sregex_iterator it(text.begin(), text.end(), line), end; it != end; ++it)
    {
        found.push_back((*it)[1]);
    }
    return found;
}

TEST(SourceRules, LayersIncludeDownwardsOnly)
{
    const std::map<std::string, std::vector<std::string>> below = {
        {"wire", {"wire"}},
        {"core", {"wire", "core"}},
        {"model", {"wire", "core", "model"}},
        {"helper", {"wire", "core", "model", "helper"}},
    };
    for (const auto& [layer, allowed] : below)
    {
        const auto sources = Sources("src/mrc/" + layer);
        ASSERT_FALSE(sources.empty()) << layer;
        for (const fs::path& source : sources)
        {
            for (const std::string& header : Includes(source, '"', '"'))
            {
                bool isFound = header.rfind("ns3/", 0) == 0 && layer != "wire" && layer != "core";
                for (const std::string& folder : allowed)
                {
                    isFound |= fs::exists(ROOT / "src/mrc" / folder / header);
                }
                EXPECT_TRUE(isFound) << source << " includes " << header;
            }
        }
    }
}

TEST(SourceRules, ProtocolKnowsNoSimulatorAndNoSystem)
{
    const std::regex foreign("ns3/.*|sys/.*|netinet/.*|arpa/.*|net/.*|linux/.*|pcap.*|unistd.h");
    for (const char* layer : {"src/mrc/wire", "src/mrc/core"})
    {
        for (const fs::path& source : Sources(layer))
        {
            for (const std::string& header : Includes(source, '<', '>'))
            {
                EXPECT_FALSE(std::regex_match(header, foreign)) << source << " <" << header << ">";
            }
        }
    }
}

TEST(SourceRules, HeadersHaveTheirOwnNamesAndGuards)
{
    std::set<std::string> names;
    for (const fs::path& source : Sources("src/mrc"))
    {
        const std::string name = source.filename();
        EXPECT_EQ(name.rfind("mrc-", 0), 0u) << source;
        if (source.extension() == ".h")
        {
            EXPECT_TRUE(names.insert(name).second) << name << " occurs twice";
            std::string guard = name;
            for (char& c : guard)
            {
                c = c == '-' || c == '.' ? '_' : static_cast<char>(std::toupper(c));
            }
            EXPECT_NE(Read(source).find("#ifndef " + guard), std::string::npos) << source;
        }
    }
}

TEST(SourceRules, EachFileIsLicensedAsciiAndShort)
{
    for (const fs::path& source : AllSources())
    {
        const std::string text = Read(source);
        EXPECT_EQ(text.rfind("// SPDX-License-Identifier: GPL-2.0-only\n", 0), 0u) << source;
        EXPECT_EQ(std::count_if(text.begin(), text.end(), [](char c) { return c < 0; }), 0)
            << source;
        if (source.string().find("/test/") == std::string::npos)
        {
            EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 700) << source;
        }
    }
}

TEST(SourceRules, CitationsNameASectionOfTheReference)
{
    const std::regex known("[1-5] .+");
    size_t count = 0;
    for (const fs::path& source : Sources("src/mrc"))
    {
        const std::string text = Read(source);
        const std::string mark = "//= MRC-REF ";
        for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1))
        {
            const size_t begin = at + mark.size();
            const std::string cited = text.substr(begin, text.find('\n', begin) - begin);
            EXPECT_TRUE(std::regex_match(cited, known)) << source << ": " << cited;
            ++count;
        }
    }
    EXPECT_GT(count, 20u);
}

TEST(SourceRules, FormattedByClangFormat)
{
    if (std::system("clang-format --version >/dev/null 2>&1") != 0)
    {
        GTEST_SKIP() << "clang-format is not installed";
    }
    std::string command = "cd '" + ROOT.string() + "' && clang-format --dry-run --Werror";
    std::vector<fs::path> sources = AllSources();
    const auto dissector = Sources("dissector"); // of another licence, or it would be among them
    sources.insert(sources.end(), dissector.begin(), dissector.end());
    for (const fs::path& source : sources)
    {
        command += " '" + source.string() + "'";
    }
    EXPECT_EQ(std::system(command.c_str()), 0);
}

} // namespace
