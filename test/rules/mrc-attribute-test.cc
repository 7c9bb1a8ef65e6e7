// SPDX-License-Identifier: GPL-2.0-only
// Attributes against the structs of core/ that they set, and the documentation of all of them.

#include "mrc-clos-network.h"
#include "mrc-ev-controller.h"
#include "mrc-fabric-prober.h"
#include "mrc-fabric.h"
#include "mrc-lane-scheduler.h"
#include "mrc-nic.h"
#include "mrc-profile.h"
#include "mrc-trimming-switch.h"

#include <ns3/nstime.h>
#include <ns3/object-factory.h>

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace
{

using namespace ns3;

/// @param header path below src/mrc @param name of a struct @return what stands in its braces
std::string
Body(const std::string& header, const std::string& name)
{
    std::ifstream in(std::string(MRC_SOURCE_DIR) + "/src/mrc/" + header);
    std::stringstream all;
    all << in.rdbuf();
    const std::string text = all.str();
    const size_t begin = text.find("struct " + name + "\n");
    if (begin == std::string::npos)
    {
        ADD_FAILURE() << name << " is not in " << header;
        return "";
    }
    return text.substr(begin, text.find("\n};", begin) - begin);
}

/// Fields of a struct: name and default as written. A field without a default is a failure.
std::map<std::string, std::string>
Fields(const std::string& header, const std::string& name)
{
    const std::string text = Body(header, name);
    std::smatch bare;
    EXPECT_FALSE(std::regex_search(text, bare, std::regex(R"(\n    [\w:<>, ]+ \w+;)")))
        << name << " has a field without a default:" << bare.str();
    std::map<std::string, std::string> fields;
    const std::regex line(R"(\n    [\w:]+ (\w+)(?:\{| = )([^;}]*)\}?;)");
    for (std::sregex_iterator it(text.begin(), text.end(), line), end; it != end; ++it)
    {
        fields[(*it)[1]] = (*it)[2];
    }
    return fields;
}

/// @return the attribute's default as text
std::string
Default(const std::string& attribute)
{
    TypeId::AttributeInformation info;
    EXPECT_TRUE(MrcProfile::GetTypeId().LookupAttributeByName(attribute, &info)) << attribute;
    return info.initialValue ? info.initialValue->SerializeToString(info.checker) : "";
}

TEST(AttributeRules, EachFieldOfCoreHasAnAttribute)
{
    // Fields whose attribute drops a unit or says more; "" = derived, from what is in brackets.
    const std::map<std::string, std::map<std::string, std::string>> named = {
        {"TransportConfig",
         {{"mtuBytes", "Mtu"},
          {"mprUnits", "Mpr"},
          {"dynamicMpr", "DynamicMpr"},
          {"trimNack", "TrimNack"},
          {"serviceTime", "ServiceTime"},
          {"maxWimm", "MaxWimm"},
          {"postedReceives", "PostedReceives"},
          {"maxBitmaps", "MaxBitmaps"},
          {"maxStash", "MaxStash"},
          {"packetBufferBytes", "PacketBuffer"},
          {"memoryBitsPerSecond", "MemoryRate"},
          {"cwndPenalty", "CwndPenalty"},
          {"nackOutOfWindow", "NackOutOfWindow"},
          {"ackTimeoutExponent", "AckTimeoutExponent"},
          {"linearRetries", "LinearRetries"},
          {"exponentialRetries", "ExponentialRetries"},
          {"sackThresholdBytes", "SackThreshold"},
          {"baseRttPs", "BaseRtt"},
          {"targetDelayPs", "TargetDelay"},
          {"reorderGuardPs", "ReorderGuard"},
          {"probeAfterBaseRtts", "ProbeAfterBaseRtts"},
          {"sackReportsAll", "SackReportsAll"},
          {"dscp", "DscpControl"}}},
        {"EvTableConfig",
         {{"activePerPlane", ""}, // EvCount, planes, paths
          {"backupPerPlane", ""}, // BackupEvCount, planes, paths
          {"probeSuccesses", "ProbeSuccesses"},
          {"evMinActive", "EvMinActive"},
          {"probeIntervalPs", "ProbeInterval"},
          {"probeIntervalMaxPs", "ProbeIntervalMax"}}},
        {"EndpointConfig",
         {{"portUpdateIntervalPs", "PortUpdateInterval"},
          {"portUpdateIntervalMaxPs", "PortUpdateIntervalMax"},
          {"portUpdateRepeats", "PortUpdateRepeats"},
          {"evProbeTimeoutPs", "EvProbeTimeout"},
          {"reverseProbes", "ReverseProbes"},
          {"keepReverseEv", "KeepReverseEv"}}},
        {"NsccConfig",
         {{"baseRttPs", ""},             // TransportConfig
          {"lineRateBitsPerSecond", ""}, // topology
          {"mtuBytes", ""},              // TransportConfig
          {"trimming", ""},              // MrcTrimmingSwitch::Trimming
          {"targetDelayPs", ""},         // TransportConfig
          {"maxCwndBytes", "MaxCwnd"},
          {"gamma", "Gamma"},
          {"maxMdJump", "MaxMdJump"},
          {"fiMtus", "FairIncrease"},
          {"fiScale", "FastIncreaseScale"},
          {"etaMtus", "Eta"},
          {"alphaMtus", "Alpha"},
          {"adjustMtus", "AdjustMtus"},
          {"adjustPeriodPs", "AdjustPeriod"},
          {"qaGate", "QaGate"},
          {"qaThresholdPs", "QaThreshold"},
          {"fastIncreaseDelayPs", "FastIncreaseDelay"},
          {"delayAverageWeight", "DelayAverageWeight"}}},
        {"RepsConfig", {{"cachePerPlane", "RepsCachePerPlane"}, {"freezePs", "RepsFreeze"}}},
        {"DctcpConfig", {{"gain", "DctcpGain"}, {"increaseMtus", "DctcpIncrease"}}},
    };
    const std::map<std::string, std::string> headers = {
        {"TransportConfig", "core/mrc-transport-config.h"},
        {"EvTableConfig", "core/mrc-ev-table.h"},
        {"EndpointConfig", "core/mrc-endpoint-config.h"},
        {"NsccConfig", "core/mrc-nscc.h"},
        {"RepsConfig", "core/mrc-reps-selector.h"},
        {"DctcpConfig", "core/mrc-dctcp.h"}};
    for (const auto& [config, attributes] : named)
    {
        const auto fields = Fields(headers.at(config), config);
        EXPECT_EQ(fields.size(), attributes.size()) << config;
        for (const auto& [field, written] : fields)
        {
            ASSERT_EQ(attributes.count(field), 1u)
                << config << "::" << field << " has no attribute";
            const std::string& attribute = attributes.at(field);
            if (attribute.empty() || field == "dscp")
            {
                continue;
            }
            std::string value = written;
            value.erase(std::remove(value.begin(), value.end(), '\''), value.end());
            if (value == "4 * 4096")
            {
                value = "16384";
            }
            const std::string found = Default(attribute);
            if (field.size() > 2 && field.substr(field.size() - 2) == "Ps")
            {
                EXPECT_EQ(Time(found), PicoSeconds(std::stoll(value))) << field;
            }
            else
            {
                EXPECT_EQ(found, value) << field;
            }
        }
    }
}

TEST(AttributeRules, TheProberHasThoseOfItsMonitors)
{
    const auto fields = Fields("core/mrc-loop-monitor.h", "LoopMonitorConfig");
    EXPECT_EQ(fields.size(), 6u);
    for (const auto& [field, value] : fields)
    {
        std::string attribute = field;
        attribute[0] = static_cast<char>(std::toupper(attribute[0]));
        TypeId::AttributeInformation info;
        ASSERT_TRUE(MrcFabricProber::GetTypeId().LookupAttributeByName(attribute, &info)) << field;
        EXPECT_EQ(info.initialValue->SerializeToString(info.checker), value) << field;
    }
}

TEST(AttributeRules, EachTrafficClassHasAnAttribute)
{
    const auto fields = Fields("wire/mrc-traffic-class.h", "DscpMap");
    EXPECT_EQ(fields.size(), 6u); // the classes of MRC-REF 2, UDP and IP
    for (const auto& [field, value] : fields)
    {
        std::string attribute = "Dscp" + field;
        attribute[4] = static_cast<char>(std::toupper(attribute[4]));
        EXPECT_EQ(Default(attribute), value) << field;
    }
}

TEST(AttributeRules, EverythingIsDocumentedAndMade)
{
    Time::SetResolution(Time::PS);
    for (const TypeId& tid : {MrcProfile::GetTypeId(),
                              MrcNic::GetTypeId(),
                              MrcTrimmingSwitch::GetTypeId(),
                              MrcFabric::GetTypeId(),
                              MrcClosNetwork::GetTypeId(),
                              MrcEvController::GetTypeId(),
                              MrcFabricProber::GetTypeId(),
                              MrcLaneScheduler::GetTypeId()})
    {
        EXPECT_EQ(tid.GetGroupName(), "Mrc") << tid.GetName();
        for (size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            const auto info = tid.GetAttribute(i);
            EXPECT_GT(info.help.size(), 5u) << tid.GetName() << "::" << info.name;
            EXPECT_TRUE(info.checker->CreateValidValue(*info.initialValue))
                << tid.GetName() << "::" << info.name;
        }
        for (size_t i = 0; i < tid.GetTraceSourceN(); ++i)
        {
            EXPECT_GT(tid.GetTraceSource(i).help.size(), 5u) << tid.GetTraceSource(i).name;
        }
        ObjectFactory factory;
        factory.SetTypeId(tid);
        EXPECT_TRUE(factory.Create<Object>()) << tid.GetName();
    }
}

} // namespace
