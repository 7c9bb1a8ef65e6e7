// SPDX-License-Identifier: GPL-2.0-only
// docs/conformance.md names tests and files: they exist.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>
#include <string>

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

TEST(ConformanceRules, TestsAndFilesOfTheTableExist)
{
    std::set<std::string> tests;
    const std::regex test(R"(\bTEST(?:_F|_P)?\(\s*\w+,\s*(\w+)\))");
    for (const auto& entry : fs::recursive_directory_iterator(ROOT / "test"))
    {
        if (entry.path().extension() == ".cc")
        {
            const std::string text = Read(entry.path());
            for (std::sregex_iterator it(text.begin(), text.end(), test), end; it != end; ++it)
            {
                tests.insert((*it)[1]);
            }
        }
    }
    std::istringstream lines(Read(ROOT / "docs/conformance.md"));
    const std::regex row(R"(\|[^|]*\|([^|]*)\|([^|]*)\|)");
    const std::regex name(R"re(`(?:[\w/-]+: )?(?:[A-Z]\w*\.)?([A-Z]\w+)`)re");
    const std::regex file(R"re(`((?:wire|core|model|helper)/mrc-[\w-]+)(\.\w+)?`)re");
    size_t rows = 0;
    for (std::string line; std::getline(lines, line);)
    {
        std::smatch cells;
        if (!std::regex_match(line, cells, row))
        {
            continue;
        }
        ++rows;
        const std::string where = cells[1];
        const std::string shown = cells[2];
        for (std::sregex_iterator it(shown.begin(), shown.end(), name), end; it != end; ++it)
        {
            EXPECT_EQ(tests.count((*it)[1]), 1u) << (*it)[1] << " is no test: " << line;
        }
        for (std::sregex_iterator it(where.begin(), where.end(), file), end; it != end; ++it)
        {
            const fs::path stem = ROOT / "src/mrc" / (*it)[1].str();
            const std::string extension = (*it)[2];
            const bool exists = extension.empty() ? fs::exists(stem.string() + ".h")
                                                  : fs::exists(stem.string() + extension);
            EXPECT_TRUE(exists) << it->str() << " is no file: " << line;
        }
    }
    EXPECT_GT(rows, 50u);
}

} // namespace
