// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EMU_COMMANDS_H
#define MRC_EMU_COMMANDS_H

#include <string>
#include <vector>

namespace mrc::emu
{

class Engine;

/// What a command answers.
struct CommandResult
{
    std::string text;     ///< lines, each ended
    std::string error;    ///< empty if it was carried out
    std::vector<int> fds; ///< descriptors for the client
};

/**
 * Carry out a line of the control protocol. CommandHelp() lists them. Whatever the line holds, the
 * answer is a result or an error.
 *
 * @param engine what to act on
 * @param line without its line feed
 * @return the answer
 */
CommandResult RunCommand(Engine& engine, const std::string& line);

/// @return all commands, a line each
std::string CommandHelp();

} // namespace mrc::emu

#endif // MRC_EMU_COMMANDS_H
