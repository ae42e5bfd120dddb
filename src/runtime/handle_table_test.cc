// SPDX-License-Identifier: Apache-2.0
#include "runtime/handle_table.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <set>
#include <thread>
#include <vector>

#include "runtime/test_support.h"

namespace portacl {
namespace {

struct Thing {
  int value = 0;
};
using Table = HandleTable<Thing, 0x0101, 128>;

HandleBits OpenWith(Table& table, int value) {
  return table.Open([value](Thing& thing, HandleBits) { thing.value = value; });
}

TEST(HandleTable, FindsWhatWasOpened) {
  Table& table = testing::Immortal<Table>();
  const HandleBits one = OpenWith(table, 1);
  const HandleBits two = OpenWith(table, 2);
  EXPECT_EQ(table.Find(one)->value, 1);
  EXPECT_EQ(table.Find(two)->value, 2);
}

TEST(HandleTable, ForgetsWhatWasClosedAndClosesOnce) {
  Table& table = testing::Immortal<Table>();
  const HandleBits handle = OpenWith(table, 1);
  Thing* thing = table.Close(handle);
  ASSERT_NE(thing, nullptr);
  EXPECT_EQ(table.Find(handle), nullptr);
  EXPECT_EQ(table.Close(handle), nullptr);
  table.Recycle(thing);
  EXPECT_EQ(table.Find(handle), nullptr);
}

TEST(HandleTable, NeverRepeatsAHandleInManyLives) {
  Table& table = testing::Immortal<Table>();
  std::set<HandleBits> seen;
  for (int life = 0; life < 10'000; ++life) {
    const HandleBits handle = OpenWith(table, life);
    ASSERT_TRUE(seen.insert(handle).second);
    table.Recycle(table.Close(handle));
  }
}

TEST(HandleTable, RefusesPointersAndOtherKinds) {
  Table& table = testing::Immortal<Table>();
  auto& others = testing::Immortal<HandleTable<Thing, 0x0102, 128>>();
  int local = 0;
  const HandleBits foreign = others.Open([](Thing&, HandleBits) {});
  OpenWith(table, 1);
  for (const HandleBits wrong : {HandleBits{0}, HandleBits{1}, ToBits(&local), ToBits(&table), foreign, ~HandleBits{0},
                                 HandleBits{0x0101} << 48, HandleBits{0x0101} << 48 | 0xFFFFF}) {
    EXPECT_EQ(table.Find(wrong), nullptr) << std::hex << wrong;
  }
}

TEST(HandleTable, SaysWhenItIsFullAndUsesFreedSlotsThen) {
  Table& table = testing::Immortal<Table>();
  std::vector<HandleBits> handles;
  for (int i = 0; i < 128; ++i) handles.push_back(OpenWith(table, i));
  EXPECT_NE(handles.back(), 0u);
  EXPECT_EQ(OpenWith(table, 0), 0u);
  table.Recycle(table.Close(handles[5]));
  EXPECT_NE(OpenWith(table, 0), 0u);
  EXPECT_EQ(OpenWith(table, 0), 0u);
}

TEST(HandleTable, GivesOneObjectToOneOfTwoClosingThreads) {
  Table& table = testing::Immortal<Table>();
  for (int round = 0; round < 500; ++round) {
    const HandleBits handle = OpenWith(table, round);
    Thing* first = nullptr;
    std::thread other([&] { first = table.Close(handle); });
    Thing* second = table.Close(handle);
    other.join();
    ASSERT_NE(first == nullptr, second == nullptr);
    table.Recycle(first == nullptr ? second : first);
  }
}

// Objects as large as a page, so that each slot has pages of its own.
struct alignas(4096) Page {
  int value = 0;
};

TEST(HandleTable, DoesNotTouchStretchesOfSlotsWithoutALiveObject) {
  auto& table = testing::Immortal<HandleTable<Page, 0x0103, 192>>();
  std::vector<HandleBits> handles;
  Page* first_of_second_chunk = nullptr;
  size_t slot_bytes = 0;
  for (int i = 0; i < 192; ++i) {
    handles.push_back(table.Open([&](Page& page, HandleBits) {
      page.value = i;
      if (i == 64) first_of_second_chunk = &page;
      if (i == 65)
        slot_bytes =
            static_cast<size_t>(reinterpret_cast<char*>(&page) - reinterpret_cast<char*>(first_of_second_chunk));
    }));
  }
  for (size_t i = 64; i < 128; ++i) table.Recycle(table.Close(handles[i]));
  table.Recycle(table.Close(handles[5]));
  ASSERT_EQ(mprotect(first_of_second_chunk, 64 * slot_bytes, PROT_NONE), 0);
  std::set<int> seen;
  table.ForEach([&](Page& page, HandleBits handle) {
    EXPECT_EQ(handle, handles[static_cast<size_t>(page.value)]);
    seen.insert(page.value);
  });
  EXPECT_EQ(table.Room(), 65u);
  ASSERT_EQ(mprotect(first_of_second_chunk, 64 * slot_bytes, PROT_READ | PROT_WRITE), 0);
  EXPECT_EQ(seen.size(), 127u);
  EXPECT_EQ(seen.count(5), 0u);
  EXPECT_EQ(seen.count(191), 1u);
}

}  // namespace
}  // namespace portacl
