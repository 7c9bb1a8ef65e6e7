// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_LAB_KEYS_H
#define MRC_EMU_LAB_KEYS_H

#include "mrc-emu-lab.h"

#include <functional>
#include <string>
#include <vector>

namespace mrc::emu
{

/// The parts of a lab file.
enum class LabSection : uint8_t
{
    TOP,
    FABRIC,
    HOST,
    WORKLOAD,
    AT
};

/// Values of a key.
using LabValues = std::vector<std::string>;

/// A key of a lab file.
struct LabKey
{
    LabSection section;                              ///< where it stands
    const char* name;                                ///< before the '='
    const char* standard;                            ///< what holds without it
    const char* help;                                ///< for people
    bool isList;                                     ///< takes an array
    std::function<void(Lab&, const LabValues&)> set; ///< takes its values; throws BadInput
};

/// @return all keys of a lab file, section by section
const std::vector<LabKey>& LabKeys();

/// @return how a section begins, empty for the top of the file
const char* SectionHeader(LabSection section);

/// @return whether text can be part of a file name and of a command
bool IsLabName(const std::string& text);

} // namespace mrc::emu

#endif // MRC_EMU_LAB_KEYS_H
