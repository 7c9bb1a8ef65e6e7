// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_UNITS_H
#define MRC_UNITS_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mrc
{

/// Text that is no quantity; what() is one line that says what would be one.
class UnitError : public std::invalid_argument
{
  public:
    using std::invalid_argument::invalid_argument;
};

/// @param text such as "50us" or "1.5ms" @return ps, >= 0 @throws UnitError
int64_t ParseTimePs(std::string_view text);

/// @param text such as "100Gbps" @return bit/s, > 0 @throws UnitError
uint64_t ParseBitsPerSecond(std::string_view text);

/// @param text such as "65536", "64KiB" or "1.5GB" @return bytes @throws UnitError
uint64_t ParseBytes(std::string_view text);

/// @param text such as "0.01" @return a number from 0 to 1 @throws UnitError
double ParseProbability(std::string_view text);

/// @param text such as "12" or "0x200c" @param most largest value @return it @throws UnitError
uint64_t ParseWhole(std::string_view text, uint64_t most);

} // namespace mrc

#endif // MRC_UNITS_H
