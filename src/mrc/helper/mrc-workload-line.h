// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_WORKLOAD_LINE_H
#define MRC_WORKLOAD_LINE_H

#include "mrc-units.h"
#include "mrc-workload.h"

#include <istream>
#include <sstream>
#include <string>
#include <vector>

namespace mrc
{

/// The lines of a workload file, word by word; what is wrong is reported with its line.
class WorkloadLine
{
  public:
    /// @param in the text, outlives this @param file its name
    WorkloadLine(std::istream& in, std::string file);

    /// Go to the next line that is neither empty nor a comment (#). @return whether there is one
    bool Next();

    /// @return whether the line has another word
    bool HasMore() const
    {
        return m_next < m_words.size();
    }

    /// @param what it should be @return the next word @throws WorkloadError if there is none
    const std::string& Word(const std::string& what);

    /// @param what they should be @return the next word, split at commas
    std::vector<std::string> List(const std::string& what);

    /// @param what it should be @param most largest value @return the next word, a whole number
    uint64_t Whole(const std::string& what, uint64_t most);

    /// @return the next word, a NIC such as 3 or nic-3
    uint32_t Nic();

    /// @param what it should be @param parse of mrc-units.h @return the next word as a quantity
    template <class T>
    T Read(const std::string& what, T (*parse)(std::string_view))
    {
        const std::string& word = Word(what);
        try
        {
            return parse(word);
        }
        catch (const UnitError& error)
        {
            Fail(error.what());
        }
    }

    /// Refuse what no message can be. @param message of this line
    void Check(const Message& message) const;

    /// @return number of the line, from 1
    uint32_t Number() const
    {
        return m_number;
    }

    /// @param text what is wrong in this line @throws WorkloadError always
    [[noreturn]] void Fail(const std::string& text) const;

    /// @param number of a line @param text what is wrong there @throws WorkloadError always
    [[noreturn]] void FailAt(uint32_t number, const std::string& text) const;

  private:
    std::istream& m_in;               //!< the text
    std::string m_file;               //!< its name
    std::vector<std::string> m_words; //!< of the line
    size_t m_next{0};                 //!< word to be read
    uint32_t m_number{0};             //!< of the line
};

} // namespace mrc

#endif // MRC_WORKLOAD_LINE_H
