// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-sim-config-file.h"

#include <algorithm>
#include <cstring>
#include <istream>

namespace mrc::sim
{

namespace
{

/// Characters between tokens of a line.
constexpr const char* BLANKS = " \t\r";

/// @return text without blanks around it
std::string
Trim(const std::string& text)
{
    const std::size_t begin = text.find_first_not_of(BLANKS);
    const std::size_t end = text.find_last_not_of(BLANKS);
    return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// Reads tokens of a value, one after the other.
class ValueReader
{
  public:
    /// @param text to read
    explicit ValueReader(const std::string& text)
        : m_text(text)
    {
        Skip();
    }

    /// @return the next character, 0 at the end
    char Peek() const
    {
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }

    /// Go past a character, blanks and comments.
    void Next()
    {
        ++m_at;
        Skip();
    }

    /// @param[out] value a string, number or boolean @return empty, or what is wrong
    std::string Scalar(std::string& value)
    {
        value.clear();
        const char quote = Peek();
        if (quote == '"' || quote == '\'')
        {
            return Quoted(quote, value);
        }
        while (m_at < m_text.size() && !std::strchr(" \t\r\n,]#", m_text[m_at]))
        {
            value += m_text[m_at++];
        }
        Skip();
        const bool isBoolean = value == "true" || value == "false";
        if (!isBoolean && value.find_first_not_of("0123456789+-._eE") != std::string::npos)
        {
            return "'" + value + "' needs quotes";
        }
        return value.empty() ? "a value is missing" : "";
    }

  private:
    /// Read a quoted string. @param quote which @param[out] value read @return what is wrong
    std::string Quoted(char quote, std::string& value)
    {
        for (++m_at; m_at < m_text.size() && m_text[m_at] != '\n'; ++m_at)
        {
            char c = m_text[m_at];
            if (c == quote)
            {
                Next();
                return "";
            }
            if (c == '\\' && quote == '"')
            {
                c = ++m_at < m_text.size() ? m_text[m_at] : '\0';
                if (c != '"' && c != '\\')
                {
                    return "only \\\" and \\\\ may follow a backslash";
                }
            }
            value += c;
        }
        return "a string has no end";
    }

    /// Go past blanks, line ends and comments.
    void Skip()
    {
        while (m_at < m_text.size())
        {
            if (m_text[m_at] == '#')
            {
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            }
            else if (std::strchr(" \t\r\n", m_text[m_at]))
            {
                ++m_at;
            }
            else
            {
                return;
            }
        }
    }

    const std::string& m_text; //!< all of it
    std::size_t m_at{0};       //!< next to read
};

} // namespace

std::string
ParseTomlValue(const std::string& text, std::vector<std::string>& values, bool& isOpen)
{
    values.clear();
    isOpen = false;
    ValueReader reader(text);
    std::string value;
    std::string error;
    if (reader.Peek() != '[')
    {
        error = reader.Scalar(value);
        values.push_back(value);
    }
    else
    {
        reader.Next();
        while (error.empty() && reader.Peek() != ']')
        {
            isOpen = reader.Peek() == '\0';
            if (isOpen)
            {
                return "";
            }
            error = reader.Scalar(value);
            values.push_back(value);
            if (error.empty() && reader.Peek() == ',')
            {
                reader.Next();
            }
            else if (error.empty() && reader.Peek() != ']' && reader.Peek() != '\0')
            {
                error = "',' or ']' is missing after '" + value + "'";
            }
        }
        reader.Next();
    }
    if (error.empty() && reader.Peek() != '\0')
    {
        error = "there is something behind the value";
    }
    return error;
}

std::string
TomlString(const std::string& text)
{
    std::string quoted = "\"";
    for (const char c : text)
    {
        quoted += c == '"' || c == '\\' ? "\\" : "";
        quoted += c;
    }
    return quoted + '"';
}

ConfigFile::ConfigFile(const CLI::App& app, std::map<std::string, std::string>& origin)
    : m_app(app),
      m_origin(origin)
{
}

std::vector<CLI::ConfigItem>
ConfigFile::from_config(std::istream& input) const
{
    const std::string file = m_app.get_config_ptr()->as<std::string>();
    std::vector<CLI::ConfigItem> items;
    std::map<std::string, std::string> seen;
    std::string line;
    for (uint32_t number = 1; std::getline(input, line); ++number)
    {
        const std::string where = file + ":" + std::to_string(number);
        auto refuse = [&where](const std::string& what) {
            throw CLI::ConfigError(where + ": " + what, CLI::ExitCodes::ConfigError);
        };
        line = Trim(line);
        if (line.empty() || line.front() == '#')
        {
            continue;
        }
        const std::size_t equals = line.find('=');
        if (line.front() == '[' || equals == std::string::npos)
        {
            refuse("'" + line + "' should look like: option = value");
        }
        CLI::ConfigItem item;
        item.name = Trim(line.substr(0, equals));
        const CLI::Option* option = m_app.get_option_no_throw("--" + item.name);
        if (option == nullptr || !option->get_configurable())
        {
            refuse("there is no option '" + item.name + "'");
        }
        const auto [first, isNew] = seen.emplace(item.name, where);
        if (!isNew)
        {
            refuse("'" + item.name + "' is set twice, first in " + first->second);
        }
        if (option->empty()) // the command line goes before the file
        {
            m_origin[item.name] = where;
        }
        std::string value = line.substr(equals + 1);
        bool isOpen = false;
        std::string error = ParseTomlValue(value, item.inputs, isOpen);
        while (isOpen && std::getline(input, line))
        {
            ++number;
            value += '\n' + line;
            error = ParseTomlValue(value, item.inputs, isOpen);
        }
        if (isOpen || !error.empty())
        {
            refuse(isOpen ? "an array has no end" : error);
        }
        if (option->get_items_expected_max() <= 1 && item.inputs.size() != 1)
        {
            refuse("'" + item.name + "' takes one value");
        }
        if (!item.inputs.empty())
        {
            items.push_back(std::move(item));
        }
    }
    return items;
}

std::string
ConfigFile::to_config(const CLI::App*, bool, bool, std::string) const
{
    return "";
}

} // namespace mrc::sim
