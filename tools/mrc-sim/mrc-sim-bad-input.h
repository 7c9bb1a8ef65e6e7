// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIM_BAD_INPUT_H
#define MRC_SIM_BAD_INPUT_H

#include <stdexcept>
#include <string>

namespace mrc::sim
{

/// What the user asked for cannot be done; what() is one line. Exit code 2, nothing written.
class BadInput : public std::runtime_error
{
  public:
    /**
     * @param option the option without dashes, such as "nics"; empty: no single one
     * @param text what is wrong, and what would be right
     */
    BadInput(const std::string& option, const std::string& text)
        : std::runtime_error(text),
          m_option(option)
    {
    }

    /// @return the option without dashes, or empty
    const std::string& Option() const
    {
        return m_option;
    }

  private:
    std::string m_option; //!< which
};

} // namespace mrc::sim

#endif // MRC_SIM_BAD_INPUT_H
