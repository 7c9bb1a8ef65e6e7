// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_SIM_ATTRIBUTES_H
#define MRC_SIM_ATTRIBUTES_H

#include <ns3/object-base.h>

#include <string>
#include <utility>
#include <vector>

namespace mrc::sim
{

/// An option that is short for an attribute.
struct AttributeOption
{
    const char* name;      ///< of the option, without dashes
    const char* type;      ///< TypeId's name
    const char* attribute; ///< attribute's name
    bool isFlag;           ///< --name and --no-name instead of --name VALUE
    const char* values;    ///< for the help
    const char* help;      ///< for the help
};

/// @return all options that are short for an attribute
const std::vector<AttributeOption>& AttributeOptions();

/**
 * Set the value that an attribute has in all objects made from now on.
 *
 * @param option the option it came from, for messages
 * @param spec "ns3::MrcNic::Latency=1us"
 * @throws BadInput if there is no such class or attribute, or the value does not suit it
 */
void SetAttribute(const std::string& option, const std::string& spec);

/**
 * Set the attribute behind an option.
 *
 * @param option from AttributeOptions()
 * @param value as on the command line
 * @throws BadInput if the value does not suit the attribute
 */
void SetAttribute(const AttributeOption& option, const std::string& value);

/// @param option from AttributeOptions() @return the value new objects get, as on the command line
std::string DefaultOf(const AttributeOption& option);

/// Names and values of all attributes of an object.
using AttributeList = std::vector<std::pair<std::string, std::string>>;

/// @param object any @return its attributes, as they are now
AttributeList AttributesOf(const ns3::ObjectBase& object);

} // namespace mrc::sim

#endif // MRC_SIM_ATTRIBUTES_H
