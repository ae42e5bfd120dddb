// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "runtime/devices/cpu_device.h"
#include "runtime/memory/page_table.h"
#include "runtime/test_support.h"

namespace portacl::memory {
namespace {

constexpr auto kDeviceSide = Pool::Side::kDevice;

struct PoolTest : ::testing::Test {
  void* Allocate(size_t bytes) { return pool.Allocate(bytes, Padding::k32Bytes); }

  // Regions refer to their pool for the rest of the process.
  devices::CpuDevice& device = testing::Immortal<devices::CpuDevice>();
  Pool& pool = testing::Immortal<Pool>(kDeviceSide, device);
};

TEST_F(PoolTest, BlocksWithPagesOfTheirOwnSharePagesWithNone) {
  std::vector<uintptr_t> pages;
  std::vector<void*> blocks;
  for (const size_t size : {1, 64, 4096, 32 * 1024, 100'000}) {
    for (const Pages own : {Pages::kOwn, Pages::kShared}) {
      void* const memory = pool.Allocate(size, Padding::k32Bytes, own);
      ASSERT_NE(memory, nullptr) << size;
      Block block;
      ASSERT_TRUE(FindBlock(static_cast<char*>(memory) + size - 1, &block)) << size;
      EXPECT_EQ(block.asked, size);
      std::memset(memory, 0xAB, block.usable);
      blocks.push_back(memory);
      const auto begin = reinterpret_cast<uintptr_t>(memory);
      if (own == Pages::kOwn) {
        EXPECT_EQ(begin % PageTable::kPageBytes, 0u) << size;
        pages.push_back(begin / PageTable::kPageBytes);
      } else {
        EXPECT_EQ(std::count(pages.begin(), pages.end(), begin / PageTable::kPageBytes), 0) << size;
      }
    }
  }
  for (void* block : blocks) EXPECT_TRUE(FreeBlock(block, kDeviceSide));
  pool.Trim();
  EXPECT_EQ(pool.UsedBytes(), 0u);
}

// Sizes on both sides of every limit: of size classes, slabs, regions and huge pages.
std::vector<size_t> Sizes() {
  std::vector<size_t> sizes;
  for (size_t power = 1; power <= size_t{8} << 20; power *= 2) {
    for (const size_t size : {power - 1, power, power + 1, power + power / 4, power + power / 2 + 1}) {
      for (const size_t less : {size_t{0}, size_t{32}}) {
        if (size > less) sizes.push_back(size - less);
      }
    }
  }
  return sizes;
}

TEST_F(PoolTest, BlocksAreAlignedPaddedWritableAndApart) {
  std::vector<std::pair<uintptr_t, uintptr_t>> ranges;
  for (const size_t size : Sizes()) {
    void* memory = Allocate(size);
    ASSERT_NE(memory, nullptr) << size;
    const auto begin = reinterpret_cast<uintptr_t>(memory);
    EXPECT_EQ(begin % 64, 0u) << size;
    if (size > 32 * 1024) {
      EXPECT_EQ(begin % 512, 0u) << size;
    }
    Block block;
    ASSERT_TRUE(FindBlock(memory, &block)) << size;
    EXPECT_EQ(block.begin, begin);
    EXPECT_EQ(block.asked, size);
    EXPECT_EQ(block.usable, (size + 31) / 32 * 32 + 32);
    std::memset(memory, 0xAB, block.usable);
    ranges.emplace_back(begin, begin + block.usable);
  }
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i) EXPECT_LE(ranges[i - 1].second, ranges[i].first);
  for (const auto& range : ranges) EXPECT_TRUE(FreeBlock(reinterpret_cast<void*>(range.first), kDeviceSide));
}

TEST_F(PoolTest, FindsEveryByteOfABlockAndNoneBehindIt) {
  for (const size_t size : {size_t{1}, size_t{100}, size_t{5000}, size_t{40'000}, size_t{3'000'000}}) {
    auto* memory = static_cast<char*>(Allocate(size));
    Block whole;
    ASSERT_TRUE(FindBlock(memory, &whole));
    Block block;
    for (size_t offset = 0; offset < whole.usable; offset += std::max<size_t>(1, size / 777)) {
      ASSERT_TRUE(FindBlock(memory + offset, &block)) << size << " + " << offset;
      ASSERT_EQ(block.begin, whole.begin);
    }
    EXPECT_TRUE(FindBlock(memory + whole.usable - 1, &block));
    const bool behind = FindBlock(memory + whole.usable, &block);
    EXPECT_TRUE(!behind || block.begin != whole.begin);
    EXPECT_TRUE(FreeBlock(memory, kDeviceSide));
    EXPECT_FALSE(FindBlock(memory, &block));
  }
}

TEST_F(PoolTest, WithoutPaddingTheCapacityIsRoundedOnly) {
  for (const size_t size : {size_t{1}, size_t{64}, size_t{100'001}}) {
    void* memory = pool.Allocate(size, Padding::kNone);
    Block block;
    ASSERT_TRUE(FindBlock(memory, &block));
    EXPECT_EQ(block.usable, (size + 31) / 32 * 32);
    EXPECT_EQ(block.asked, size);
    EXPECT_TRUE(FreeBlock(memory, kDeviceSide));
  }
}

TEST_F(PoolTest, RefusesAnythingButTheBeginningOfALiveBlock) {
  int local = 0;
  for (const size_t size : {size_t{100}, size_t{100'000}}) {
    auto* memory = static_cast<char*>(Allocate(size));
    EXPECT_FALSE(FreeBlock(memory + 1, kDeviceSide));
    EXPECT_FALSE(FreeBlock(memory + 64, kDeviceSide));
    EXPECT_FALSE(FreeBlock(memory, Pool::Side::kHost));
    EXPECT_TRUE(FreeBlock(memory, kDeviceSide));
    EXPECT_FALSE(FreeBlock(memory, kDeviceSide));
  }
  EXPECT_FALSE(FreeBlock(&local, kDeviceSide));
  EXPECT_FALSE(FreeBlock(nullptr, kDeviceSide));
  EXPECT_FALSE(FreeBlock(reinterpret_cast<void*>(~uintptr_t{0}), kDeviceSide));
}

TEST_F(PoolTest, SaysWhenMemoryIsExhaustedAndRecovers) {
  for (const size_t size :
       {SIZE_MAX, SIZE_MAX - 31, SIZE_MAX - 63, SIZE_MAX / 2, size_t{1} << 60, size_t{1} << 47, device.MemoryTotal()}) {
    EXPECT_EQ(Allocate(size), nullptr) << size;
    EXPECT_EQ(pool.Allocate(size, Padding::kNone) != nullptr && size != device.MemoryTotal(), false) << size;
  }
  // Memory that was freed must not count as used for ever.
  const size_t half = device.MemoryTotal() / 8 * 5;
  for (int round = 0; round < 5; ++round) {
    void* memory = Allocate(half);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(Allocate(half), nullptr);
    EXPECT_TRUE(FreeBlock(memory, kDeviceSide));
  }
}

TEST_F(PoolTest, KeepsMemoryWarm) {
  void* first = Allocate(1 << 20);
  EXPECT_TRUE(FreeBlock(first, kDeviceSide));
  EXPECT_EQ(Allocate(1 << 20), first);
  EXPECT_TRUE(FreeBlock(first, kDeviceSide));
}

TEST_F(PoolTest, GivesEmptySlabsBack) {
  std::vector<void*> blocks;
  for (int i = 0; i < 5000; ++i) blocks.push_back(Allocate(1000));
  const size_t used = pool.UsedBytes();
  EXPECT_GE(used, 5000u * 1032);
  std::shuffle(blocks.begin(), blocks.end(), std::mt19937(1));
  for (void* block : blocks) ASSERT_TRUE(FreeBlock(block, kDeviceSide));
  EXPECT_LE(pool.UsedBytes(), used / 20);
}

TEST_F(PoolTest, TrimKeepsBlocksAndNothingElse) {
  void* small = Allocate(1000);
  void* large = Allocate(100'000);
  void* freed_small = Allocate(5000);
  void* freed_large = Allocate(200'000);
  std::memset(small, 1, 1000);
  std::memset(large, 2, 100'000);
  EXPECT_TRUE(FreeBlock(freed_small, kDeviceSide));
  EXPECT_TRUE(FreeBlock(freed_large, kDeviceSide));
  pool.Trim();
  // Memory that the page table no longer contains was returned to the device.
  EXPECT_EQ(g_page_table.Find(reinterpret_cast<uintptr_t>(freed_small)), nullptr);
  EXPECT_EQ(g_page_table.Find(reinterpret_cast<uintptr_t>(freed_large)), nullptr);
  EXPECT_EQ(static_cast<char*>(small)[999], 1);
  EXPECT_EQ(static_cast<char*>(large)[99'999], 2);
  EXPECT_TRUE(FreeBlock(small, kDeviceSide));
  EXPECT_TRUE(FreeBlock(large, kDeviceSide));
}

TEST_F(PoolTest, StaysConsistentWhenTwoThreadsAllocateAndFree) {
  const auto churn = [this](uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<std::pair<unsigned char*, size_t>> live;
    for (int step = 0; step < 20'000; ++step) {
      if (live.size() < 50 && random() % 2 == 0) {
        const size_t size = 1 + random() % (random() % 8 == 0 ? 200'000 : 3000);
        auto* memory = static_cast<unsigned char*>(Allocate(size));
        ASSERT_NE(memory, nullptr);
        memory[0] = memory[size - 1] = static_cast<unsigned char>(seed);
        live.emplace_back(memory, size);
      } else if (!live.empty()) {
        std::swap(live[random() % live.size()], live.back());
        const auto [memory, size] = live.back();
        live.pop_back();
        ASSERT_EQ(memory[0], seed);
        ASSERT_EQ(memory[size - 1], seed);
        ASSERT_TRUE(FreeBlock(memory, kDeviceSide));
      }
    }
    for (const auto& block : live) ASSERT_TRUE(FreeBlock(block.first, kDeviceSide));
  };
  std::thread other(churn, 7);
  churn(9);
  other.join();
}

}  // namespace
}  // namespace portacl::memory
