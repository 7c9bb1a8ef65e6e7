// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIM_QUANTITY_H
#define MRC_SIM_QUANTITY_H

#include <cstdint>
#include <string>

namespace mrc::sim
{

/*
 * Values of options. Each function takes the option's name and its value, and throws BadInput
 * that says what would be right.
 */

/// @param min least value allowed @return a whole number below 2^32
uint32_t ParseCount(const std::string& option, const std::string& text, uint32_t min);

/// @return a number > 0
double ParseRatio(const std::string& option, const std::string& text);

/// @param text such as "nic-41" or "41" @return 41
uint32_t ParseNic(const std::string& option, const std::string& text);

/// @param text such as "100Gbps" @return bit/s, > 0
uint64_t ParseRate(const std::string& option, const std::string& text);

/// @param text such as "2MiB" @return bytes, 0 to 2^31
uint64_t ParseSize(const std::string& option, const std::string& text);

/// @param option for messages @param text such as "0.25" @return a number from 0 to 1
double ParseProbability(const std::string& option, const std::string& text);

/// @param text such as "75ns" @return ps, >= 0
int64_t ParseTime(const std::string& option, const std::string& text);

/// @param ps a time, >= 0 @return with the largest unit that needs no fraction
std::string TimeText(int64_t ps);

/// @param bitsPerSecond a rate @return with the largest unit that needs no fraction
std::string RateText(uint64_t bitsPerSecond);

} // namespace mrc::sim

#endif // MRC_SIM_QUANTITY_H
