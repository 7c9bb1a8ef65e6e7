// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-usid-names.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace mrc;

// 2 planes take 1 bit: plane 15, kind 14:13, index 12:0. T0 is kind 1, T1 kind 2, NIC kind 3.
TEST(UsidNames, ARowPerUsidOfSwitchesAndNics)
{
    ClosConfig config;
    config.planes = 2;
    config.nics = 4;
    config.nicsPerT0 = 2;
    const ClosPlan clos(config);
    std::ostringstream out;
    WriteUsidNames(out, UsidPlan(clos), AddressPlan(clos));
    EXPECT_EQ(out.str(),
              "\"fd6d:7263::\",\"2000\",\"0000\",\"\",\"p0/t0-0\"\n"
              "\"fd6d:7263::\",\"2001\",\"0000\",\"\",\"p0/t0-1\"\n"
              "\"fd6d:7263::\",\"4000\",\"0000\",\"\",\"p0/t1-0\"\n"
              "\"fd6d:7263::\",\"4001\",\"0000\",\"\",\"p0/t1-1\"\n"
              "\"fd6d:7263::\",\"6000\",\"2000\",\"fd6d:7264::1\",\"nic-0\"\n"
              "\"fd6d:7263::\",\"6001\",\"2000\",\"fd6d:7264::2\",\"nic-1\"\n"
              "\"fd6d:7263::\",\"6000\",\"2001\",\"fd6d:7264:0:1::1\",\"nic-2\"\n"
              "\"fd6d:7263::\",\"6001\",\"2001\",\"fd6d:7264:0:1::2\",\"nic-3\"\n"
              "\"fd6d:7263::\",\"a000\",\"0000\",\"\",\"p1/t0-0\"\n"
              "\"fd6d:7263::\",\"a001\",\"0000\",\"\",\"p1/t0-1\"\n"
              "\"fd6d:7263::\",\"c000\",\"0000\",\"\",\"p1/t1-0\"\n"
              "\"fd6d:7263::\",\"c001\",\"0000\",\"\",\"p1/t1-1\"\n"
              "\"fd6d:7263::\",\"e000\",\"a000\",\"fd6d:7264::1\",\"nic-0\"\n"
              "\"fd6d:7263::\",\"e001\",\"a000\",\"fd6d:7264::2\",\"nic-1\"\n"
              "\"fd6d:7263::\",\"e000\",\"a001\",\"fd6d:7264:0:1::1\",\"nic-2\"\n"
              "\"fd6d:7263::\",\"e001\",\"a001\",\"fd6d:7264:0:1::2\",\"nic-3\"\n");
}

// With bundles of 2 links a switch answers to 2 uSIDs, and a NIC stands behind either of its T0's.
TEST(UsidNames, ParallelLinksGiveASwitchSeveralUsids)
{
    ClosConfig config;
    config.planes = 1;
    config.nics = 4;
    config.nicsPerT0 = 4;
    config.parallelLinks = 2;
    const ClosPlan clos(config);
    std::ostringstream out;
    WriteUsidNames(out, UsidPlan(clos), AddressPlan(clos));
    const std::string text = out.str();
    // One plane takes no bit: kind 15:14, index 13:0.
    EXPECT_NE(text.find("\"4000\",\"0000\",\"\",\"p0/t0-0\"\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\"4001\",\"0000\",\"\",\"p0/t0-0\"\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\"c003\",\"4000\",\"fd6d:7264::4\",\"nic-3\"\n"), std::string::npos);
    EXPECT_NE(text.find("\"c003\",\"4001\",\"fd6d:7264::4\",\"nic-3\"\n"), std::string::npos);
}
