// SPDX-License-Identifier: GPL-2.0-only
// Rules about the text of files and the way that they are compiled.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

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

/// @param command for the shell @param output what it wrote @return its exit status
int
Execute(const std::string& command, std::string& output)
{
    FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr)
    {
        return -1;
    }
    char buffer[4096];
    for (size_t count; (count = fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    {
        output.append(buffer, count);
    }
    return pclose(pipe);
}

TEST(TextRules, NothingIsMarkedAsUnfinished)
{
    // In two halves, or this file would be found.
    const std::regex unfinished("\\b(to"
                                "do|fix"
                                "me|x"
                                "xx|st"
                                "ubs?|place"
                                "holder)\\b",
                                std::regex::icase);
    const std::set<std::string> extensions = {
        ".h", ".cc", ".py", ".sh", ".lua", ".md", ".txt", ".cmake", ".toml", ""};
    size_t count = 0;
    for (const char* room : {"src",
                             "tools",
                             "test",
                             "examples",
                             "scratch",
                             "emulation",
                             "dissector",
                             "docs",
                             "scripts",
                             "cmake"})
    {
        if (!fs::exists(ROOT / room))
        {
            continue;
        }
        for (const auto& entry : fs::recursive_directory_iterator(ROOT / room))
        {
            if (!entry.is_regular_file() || extensions.count(entry.path().extension()) == 0)
            {
                continue;
            }
            ++count;
            std::istringstream lines(Read(entry.path()));
            size_t number = 1;
            for (std::string line; std::getline(lines, line); ++number)
            {
                EXPECT_FALSE(std::regex_search(line, unfinished))
                    << entry.path().string() << ":" << number << ": " << line;
            }
        }
    }
    EXPECT_GT(count, 100u);
}

TEST(TextRules, ModuleIncludesItsHeadersByBasename)
{
    // <ns3/mrc-...> is for users: inside, it would hide which layer a header belongs to.
    const std::regex own("#include +[\"<]([^\">]*mrc-[^\">]*)[\">]");
    size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(ROOT / "src/mrc"))
    {
        if (!entry.is_regular_file())
        {
            continue;
        }
        const std::string text = Read(entry.path());
        for (std::sregex_iterator it(text.begin(), text.end(), own), end; it != end; ++it)
        {
            EXPECT_EQ((*it)[1].str().find('/'), std::string::npos)
                << entry.path().string() << ": " << it->str();
            ++count;
        }
    }
    EXPECT_GT(count, 100u);
}

TEST(TextRules, ProtocolIsCompiledWithoutTheSimulator)
{
    const std::string commands = Read(fs::path(MRC_BINARY_DIR) / "compile_commands.json");
    if (commands.empty())
    {
        GTEST_SKIP() << "this generator writes no compile_commands.json";
    }
    // Installed headers of ns-3 lie in /usr/include; that none is used is SourceRules' part.
    std::istringstream lines(commands);
    size_t count = 0;
    for (std::string line; std::getline(lines, line);)
    {
        const bool isProtocol = line.find("\"command\"") != std::string::npos &&
                                line.find("mrc-protocol.dir") != std::string::npos;
        if (!isProtocol)
        {
            continue;
        }
        ++count;
        for (const char* folder : {"/include ", "src/mrc/model", "src/mrc/helper", "-DNS3_"})
        {
            EXPECT_EQ(line.find(folder), std::string::npos) << folder << " in" << line;
        }
    }
    EXPECT_GT(count, 20u);
}

TEST(TextRules, CitationsWithoutTestCanBeListed)
{
    std::string output;
    ASSERT_EQ(Execute("'" + (ROOT / "scripts/list-citations.sh").string() + "'", output), 0);
    const std::regex line(R"([\w./-]+:\d+: [1-5] .+)");
    std::istringstream lines(output);
    for (std::string text; std::getline(lines, text);)
    {
        EXPECT_TRUE(std::regex_match(text, line)) << text;
    }
}

} // namespace
