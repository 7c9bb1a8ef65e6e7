// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-workload-line.h"

#include <utility>

namespace mrc
{

WorkloadLine::WorkloadLine(std::istream& in, std::string file)
    : m_in(in),
      m_file(std::move(file))
{
}

bool
WorkloadLine::Next()
{
    if (HasMore())
    {
        Fail("'" + m_words[m_next] + "' is more than this line may hold");
    }
    std::string text;
    while (std::getline(m_in, text))
    {
        ++m_number;
        std::istringstream words(text.substr(0, text.find('#')));
        m_words.clear();
        m_next = 0;
        for (std::string word; words >> word;)
        {
            m_words.push_back(word);
        }
        if (!m_words.empty())
        {
            return true;
        }
    }
    return false;
}

const std::string&
WorkloadLine::Word(const std::string& what)
{
    if (!HasMore())
    {
        Fail("the line ends where " + what + " should be");
    }
    return m_words[m_next++];
}

std::vector<std::string>
WorkloadLine::List(const std::string& what)
{
    std::vector<std::string> list;
    std::istringstream words(Word(what));
    for (std::string word; std::getline(words, word, ',');)
    {
        list.push_back(word);
    }
    return list;
}

uint64_t
WorkloadLine::Whole(const std::string& what, uint64_t most)
{
    const std::string& word = Word(what);
    try
    {
        return ParseWhole(word, most);
    }
    catch (const UnitError&)
    {
        Fail("'" + word + "' should be " + what + ", 0 to " + std::to_string(most));
    }
}

uint32_t
WorkloadLine::Nic()
{
    const std::string& word = Word("a NIC, such as 3 or nic-3");
    const std::string digits = word.rfind("nic-", 0) == 0 ? word.substr(4) : word;
    try
    {
        return static_cast<uint32_t>(ParseWhole(digits, UINT32_MAX - 1));
    }
    catch (const UnitError&)
    {
        Fail("'" + word + "' should be a NIC, such as 3 or nic-3");
    }
}

void
WorkloadLine::Check(const Message& message) const
{
    if (message.source == message.destination)
    {
        Fail("nic-" + std::to_string(message.source) + " cannot write to itself");
    }
    constexpr uint64_t MOST = uint64_t{1} << 31;
    if (message.bytes > MOST)
    {
        Fail(std::to_string(message.bytes) + " B are too long for a message: 0 to " +
             std::to_string(MOST) + " B");
    }
}

void
WorkloadLine::Fail(const std::string& text) const
{
    FailAt(m_number, text);
}

void
WorkloadLine::FailAt(uint32_t number, const std::string& text) const
{
    throw WorkloadError(m_file + ":" + std::to_string(number) + ": " + text);
}

} // namespace mrc
