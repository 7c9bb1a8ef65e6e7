// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-static-table.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

constexpr uint32_t BLOCK = 0xfd6d7263;
constexpr uint16_t NO_PORT = MrcStaticTable::NO_PORT;

/// @param block first 32 bits @param active uSID @param next uSID @return bytes 0-7 of a carrier
uint64_t
DaHigh(uint32_t block, uint16_t active, uint16_t next = 0)
{
    return uint64_t{block} << 32 | uint64_t{active} << 16 | next;
}

/// A T0 with uSIDs 0x1004-0x1005, four NICs (0x3000-0x3003, ports 0-3) and three uplinks
/// (0x2000-0x2002, ports 4-6).
MrcStaticTable
MakeTable()
{
    MrcStaticTable table;
    table.Set(BLOCK,
              {0x1004, 2},
              {{0x3000, 4, 0}, {0x2000, 3, 4}},
              {
                  // fd6d:7264:0:2:0:0:0:1 to :4, one port each
                  {{0xfd6d726400000002, 0}, 112, 7, 1, 4, 0, 1},
                  // default: the uplinks
                  {{0, 0}, 0, mrc::PrefixRoute::NO_GROUP, 0, 1, 4, 3},
              });
    return table;
}

TEST(MrcStaticTableTest, KnowsItsOwnUsids)
{
    const MrcStaticTable table = MakeTable();
    EXPECT_FALSE(table.IsOwn(DaHigh(BLOCK, 0x1003)));
    EXPECT_TRUE(table.IsOwn(DaHigh(BLOCK, 0x1004)));
    EXPECT_TRUE(table.IsOwn(DaHigh(BLOCK, 0x1005, 0xffff))) << "only 48 bits count";
    EXPECT_FALSE(table.IsOwn(DaHigh(BLOCK, 0x1006)));
    EXPECT_FALSE(table.IsOwn(DaHigh(BLOCK + 1, 0x1004))) << "another block";
    EXPECT_FALSE(table.IsOwn(DaHigh(BLOCK, 0x3000, 0x1004))) << "not yet active";
}

TEST(MrcStaticTableTest, FindsThePortOfAUsid)
{
    const MrcStaticTable table = MakeTable();
    EXPECT_EQ(table.LookupUsid(DaHigh(BLOCK, 0x3000)), 0);
    EXPECT_EQ(table.LookupUsid(DaHigh(BLOCK, 0x3003, 0x1234)), 3);
    EXPECT_EQ(table.LookupUsid(DaHigh(BLOCK, 0x2000)), 4);
    EXPECT_EQ(table.LookupUsid(DaHigh(BLOCK, 0x2002)), 6);
    EXPECT_EQ(table.LookupUsid(DaHigh(BLOCK, 0x2003)), NO_PORT) << "one past the last";
    EXPECT_EQ(table.LookupUsid(DaHigh(BLOCK, 0x2fff)), NO_PORT) << "one before the first";
    EXPECT_EQ(table.LookupUsid(DaHigh(BLOCK, 0)), NO_PORT) << "end of the list";
    EXPECT_EQ(table.LookupUsid(DaHigh(BLOCK - 1, 0x3000)), NO_PORT) << "another block";
}

TEST(MrcStaticTableTest, FirstPrefixThatCoversTheAddressCounts)
{
    const MrcStaticTable table = MakeTable();
    for (uint16_t host = 1; host <= 4; ++host)
    {
        EXPECT_EQ(table.LookupPrefix({0xfd6d726400000002, host}, 0xdeadbeef), host - 1);
    }
    // Another T0, and a host that does not exist here, take the default route.
    EXPECT_EQ(table.LookupPrefix({0xfd6d726400000003, 1}, 0), 4);
    EXPECT_EQ(table.LookupPrefix({0xfd6d726400000002, 5}, 0), 4);
}

TEST(MrcStaticTableTest, HashChoosesAmongPorts)
{
    // Port = 4 + hash x 3 / 2^32: a third of the hashes each. 2^32 / 3 = 0x55555555.55...
    const MrcStaticTable table = MakeTable();
    const mrc::Ipv6Address other{0xfd6d726400000009, 1};
    EXPECT_EQ(table.LookupPrefix(other, 0), 4);
    EXPECT_EQ(table.LookupPrefix(other, 0x55555555), 4);
    EXPECT_EQ(table.LookupPrefix(other, 0x55555556), 5);
    EXPECT_EQ(table.LookupPrefix(other, 0xaaaaaaaa), 5);
    EXPECT_EQ(table.LookupPrefix(other, 0xaaaaaaab), 6);
    EXPECT_EQ(table.LookupPrefix(other, 0xffffffff), 6);
}

TEST(MrcStaticTableTest, EmptyTableHasNoPort)
{
    const MrcStaticTable table;
    EXPECT_FALSE(table.IsOwn(0));
    EXPECT_EQ(table.LookupUsid(0), NO_PORT);
    EXPECT_EQ(table.LookupPrefix({0xfd6d726400000002, 1}, 0), NO_PORT);
}

} // namespace
} // namespace ns3
