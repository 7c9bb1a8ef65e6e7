// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-sim-attributes.h"

#include "mrc-ev-controller.h"
#include "mrc-fabric-prober.h"
#include "mrc-nic.h"
#include "mrc-profile.h"
#include "mrc-sim-bad-input.h"
#include "mrc-sim-quantity.h"
#include "mrc-trimming-switch.h"

#include <ns3/config.h>
#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/type-id.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>

namespace mrc::sim
{

namespace
{

/// @return the classes whose attributes can be set
std::vector<ns3::TypeId>
Types()
{
    return {ns3::MrcProfile::GetTypeId(),
            ns3::MrcTrimmingSwitch::GetTypeId(),
            ns3::MrcNic::GetTypeId(),
            ns3::MrcEvController::GetTypeId(),
            ns3::MrcFabricProber::GetTypeId()};
}

/// @param name "ns3::MrcNic" @param option for messages @return the class
ns3::TypeId
FindType(const std::string& name, const std::string& option)
{
    std::string names;
    for (const ns3::TypeId& type : Types())
    {
        if (type.GetName() == name)
        {
            return type;
        }
        names += (names.empty() ? "" : ", ") + type.GetName();
    }
    throw BadInput(option, "no class '" + name + "' to set an attribute of: there are " + names);
}

/// @param type class @param name attribute @param option for messages @return the attribute
ns3::TypeId::AttributeInformation
FindAttribute(const ns3::TypeId& type, const std::string& name, const std::string& option)
{
    std::string names;
    for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
    {
        if (type.GetAttribute(i).name == name)
        {
            return type.GetAttribute(i);
        }
        names += (i ? ", " : "") + type.GetAttribute(i).name;
    }
    throw BadInput(option, type.GetName() + " has no attribute '" + name + "': it has " + names);
}

/// ns-3 aborts on numbers and times it cannot read, so they are looked at here first.
/// @param type name of the attribute's value class @param text a value for it
/// @return whether ns-3 can read the text
bool
IsReadable(const std::string& type, const std::string& text)
{
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const std::string unit = end;
    const bool isNumber = end != text.c_str() && std::isfinite(number) &&
                          text.find_first_not_of("+-.0123456789eE") >= text.size() - unit.size();
    if (type == "ns3::TimeValue")
    {
        const std::set<std::string> units{"s", "ms", "us", "ns", "ps"};
        return isNumber && number >= 0 && number < 1e15 && units.count(unit);
    }
    if (type == "ns3::UintegerValue")
    {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    }
    return type != "ns3::DoubleValue" || (isNumber && unit.empty());
}

/// @param attribute which @return what its values look like
std::string
Expected(const ns3::TypeId::AttributeInformation& attribute)
{
    std::string text = attribute.checker->GetValueTypeName().substr(std::strlen("ns3::"));
    text = text.substr(0, text.find("Value"));
    if (attribute.checker->HasUnderlyingTypeInformation())
    {
        text += " (" + attribute.checker->GetUnderlyingTypeInformation() + ")";
    }
    return text;
}

} // namespace

const std::vector<AttributeOption>&
AttributeOptions()
{
    static const char PROFILE[] = "ns3::MrcProfile";
    static const char SWITCH[] = "ns3::MrcTrimmingSwitch";
    static const std::vector<AttributeOption> OPTIONS{
        {"mtu", PROFILE, "Mtu", false, "BYTES", "payload of a full packet, 256 to 4096"},
        {"evs", PROFILE, "EvCount", false, "N", "entropy values of a QP over all planes"},
        {"cc", PROFILE, "CongestionControl", false, "nscc|dctcp|window", "congestion control"},
        {"spray",
         PROFILE,
         "Spray",
         false,
         "mrc|reps|random|round-robin|single",
         "how the path of each packet is chosen"},
        {"encap", PROFILE, "Srv6", false, "srv6|none", "source routing, or hashing by switches"},
        {"trim", SWITCH, "Trimming", true, "", "trim packets that find a queue full, or drop them"},
        {"ecn", SWITCH, "Ecn", true, "", "mark packets in the queues of ports to switches"},
        {"last-hop-ecn", SWITCH, "LastHopEcn", true, "", "mark on ports to NICs too"},
    };
    return OPTIONS;
}

void
SetAttribute(const std::string& option, const std::string& spec)
{
    const std::size_t equals = spec.find('=');
    const std::size_t colons = spec.substr(0, equals).rfind("::");
    if (equals == std::string::npos || colons == std::string::npos || colons == 0)
    {
        throw BadInput(option,
                       "'" + spec +
                           "' should look like ns3::MrcProfile::Gamma=0.8: "
                           "class, attribute, value");
    }
    const std::string name = spec.substr(colons + 2, equals - colons - 2);
    const std::string value = spec.substr(equals + 1);
    const ns3::TypeId type = FindType(spec.substr(0, colons), option);
    const auto attribute = FindAttribute(type, name, option);
    const std::string valueType = attribute.checker->GetValueTypeName();
    if (!IsReadable(valueType, value) ||
        !ns3::Config::SetDefaultFailSafe(spec.substr(0, equals), ns3::StringValue(value)))
    {
        throw BadInput(option,
                       "'" + value + "' does not suit " + spec.substr(0, equals) + ": it takes a " +
                           (valueType == "ns3::TimeValue" ? "time such as 10us, not negative"
                                                          : Expected(attribute)));
    }
}

void
SetAttribute(const AttributeOption& option, const std::string& value)
{
    std::string text = value;
    if (std::strcmp(option.name, "encap") == 0)
    {
        if (value != "srv6" && value != "none")
        {
            throw BadInput(option.name, "'" + value + "' is none of srv6, none");
        }
        text = value == "srv6" ? "true" : "false";
    }
    SetAttribute(option.name, std::string(option.type) + "::" + option.attribute + "=" + text);
}

std::string
DefaultOf(const AttributeOption& option)
{
    const auto attribute =
        FindAttribute(FindType(option.type, option.name), option.attribute, option.name);
    const std::string value = attribute.initialValue->SerializeToString(attribute.checker);
    if (std::strcmp(option.name, "encap") == 0)
    {
        return value == "true" ? "srv6" : "none";
    }
    return value;
}

AttributeList
AttributesOf(const ns3::ObjectBase& object)
{
    AttributeList list;
    const ns3::TypeId type = object.GetInstanceTypeId();
    for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
    {
        const auto attribute = type.GetAttribute(i);
        const ns3::Ptr<ns3::AttributeValue> value = attribute.checker->Create();
        object.GetAttribute(attribute.name, *value);
        const auto* time = dynamic_cast<const ns3::TimeValue*>(ns3::PeekPointer(value));
        list.emplace_back(attribute.name,
                          time ? TimeText(time->Get().GetPicoSeconds())
                               : value->SerializeToString(attribute.checker));
    }
    return list;
}

} // namespace mrc::sim
