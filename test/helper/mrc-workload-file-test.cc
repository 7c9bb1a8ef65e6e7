// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-workload-file.h"

#include <gtest/gtest.h>
#include <sstream>

namespace mrc
{
namespace
{

/// How a format is read.
using Reader = Workload (*)(std::istream&, const std::string&);

/// @return the workload in a text named "f"
Workload
Read(Reader reader, const std::string& text)
{
    std::istringstream in(text);
    return reader(in, "f");
}

/// @return what is wrong with a text named "f"
std::string
ErrorOf(Reader reader, const std::string& text)
{
    try
    {
        Read(reader, text);
    }
    catch (const WorkloadError& error)
    {
        return error.what();
    }
    return "no error";
}

TEST(MrcWorkloadFile, ReadsADag)
{
    Workload workload = Read(ReadDag,
                             "# two ranks exchange, then one answers\n"
                             "a 0 nic-1 1MiB\n"
                             "\n"
                             "b 1 0 100 start 5us   # late\n"
                             "c 1 0 64KiB after a,b compute 20us job 2\n");
    workload.Check(2);
    ASSERT_EQ(workload.messages.size(), 3u);
    EXPECT_EQ(workload.messages[0].bytes, 1048576u);
    EXPECT_EQ(workload.messages[1].startPs, 5'000'000);
    EXPECT_EQ(workload.messages[2].after.Size(), 2u);
    EXPECT_EQ(workload.messages[2].computeNs, 20'000u);
    EXPECT_EQ(workload.messages[2].job, 2u);
    EXPECT_EQ(workload.jobs, 3u);
    EXPECT_TRUE(workload.messages[0].immediate) << "its arrival is waited for";
    EXPECT_FALSE(workload.messages[1].immediate) << "its completion is waited for";
}

TEST(MrcWorkloadFile, NamesTheLineOfADagThatIsWrong)
{
    const std::pair<const char*, const char*> cases[] = {
        {"a 0 1\n", "f:1: the line ends where bytes"},
        {"a 0 1 5 after b\n", "f:1: 'b' is no message of an earlier line"},
        {"a 0 1 5 after a\n", "f:1: 'a' is no message of an earlier line"},
        {"a 0 1 5\na 1 0 5\n", "f:2: message 'a' stands in an earlier line already"},
        {"a 0 1 5\nb 2 3 5 after a\n", "f:2: nic-2 neither sends nor receives 'a'"},
        {"a 0 1 5 later 3\n", "f:1: 'later' is none of after, start, compute, job"},
        {"a 0 0 5\n", "f:1: nic-0 cannot write to itself"},
        {"a 0 x 5\n", "f:1: 'x' should be a NIC"},
        {"a 0 1 3GiB\n", "f:1: 3221225472 B are too long"},
        {"a 0 1 5 start soon\n", "f:1: 'soon' is no quantity"},
        {"a 0 1 5 compute 5s\n", "f:1: a computation lasts less than 4.29 s"},
        {"# nothing\n", "f: no message in it"},
    };
    for (const auto& [text, expected] : cases)
    {
        EXPECT_EQ(ErrorOf(ReadDag, text).find(expected), 0u) << ErrorOf(ReadDag, text);
    }
}

TEST(MrcWorkloadFile, ReadsAConnectionMatrix)
{
    Workload workload = Read(ReadConnectionMatrix,
                             "Nodes 8\nConnections 4\nTriggers 2\n"
                             "6->7 id 4 trigger 2 size 30\n"
                             "0->1 id 1 start 0 size 2000000 send_done_trigger 1\n"
                             "2->3 id 2 trigger 1 size 10 recv_done_trigger 2\n"
                             "4->5 id 3 start 1000000 size 20 send_done_trigger 2 priority 3\n"
                             "trigger id 1 oneshot\n"
                             "trigger id 2 barrier count 2\n");
    workload.Check(8);
    ASSERT_EQ(workload.messages.size(), 4u);
    EXPECT_EQ(workload.messages[0].bytes, 2'000'000u);
    EXPECT_EQ(workload.messages[1].startPs, 1'000'000);
    EXPECT_EQ(workload.messages[2].source, 2u);
    ASSERT_EQ(workload.messages[2].after.Size(), 1u);
    EXPECT_EQ(workload.messages[2].after[0], 0u);
    EXPECT_EQ(workload.messages[3].source, 6u);
    EXPECT_EQ(workload.messages[3].after.Size(), 2u);
}

TEST(MrcWorkloadFile, NamesTheLineOfAMatrixThatIsWrong)
{
    const std::string head = "Nodes 4\nConnections 1\nTriggers 1\n";
    const std::pair<std::string, const char*> cases[] = {
        {head + "0->4 size 5\n", "f:4: '4' is no node: 0 to 3"},
        {head + "0->1 start 0\n", "f:4: a connection without 'size BYTES'"},
        {head + "0->1 size 5 colour 3\n", "f:4: 'colour' is none of"},
        {head + "0->1 size 5 trigger 9\ntrigger id 1 oneshot\n",
         "f:4: trigger 9 is declared nowhere"},
        {head + "0->1 size 5 trigger 1\ntrigger id 1 oneshot\n",
         "f:5: 0 connections fire trigger 1, which waits for 1"},
        {head + "0->1 size 5 trigger 1 send_done_trigger 1\ntrigger id 1 oneshot\n",
         "f:4: this connection waits for itself"},
        {head + "0->1 size 5\ntrigger id 1 multishot\n", "f:5: triggers of kind 'multishot'"},
        {head + "0->1 size 5\n", "f: 1 triggers are announced, 0 are there"},
        {head + "failure x\n", "f:4: 'failure' is neither a connection"},
        {"Connections 2\n0->1 size 5\n", "f: 2 connections are announced, 1 are there"},
        {"Nodes 4\n", "f: no connection in it"},
    };
    for (const auto& [text, expected] : cases)
    {
        EXPECT_EQ(ErrorOf(ReadConnectionMatrix, text).find(expected), 0u)
            << ErrorOf(ReadConnectionMatrix, text);
    }
}

TEST(MrcWorkloadFile, SaysWhichFileCannotBeRead)
{
    EXPECT_THROW(ReadWorkloadFile("/nowhere/x.cm"), WorkloadError);
}

} // namespace
} // namespace mrc
