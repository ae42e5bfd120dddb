// SPDX-License-Identifier: Apache-2.0
#include "runtime/object_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "runtime/test_support.h"

namespace portacl {
namespace {

struct Pair {
  int first;
  int second;
};
using Store = ObjectStore<Pair>;

TEST(ObjectStore, LiveObjectsAreDistinctAndKeepTheirPlaces) {
  Store& store = testing::Immortal<Store>();
  std::vector<Pair*> live;
  for (int i = 0; i < 5000; ++i) live.push_back(store.Make({i, -i}));
  EXPECT_EQ((std::set<Pair*>(live.begin(), live.end()).size()), live.size());
  for (int i = 0; i < 5000; ++i) {
    Pair* pair = live[static_cast<size_t>(i)];
    ASSERT_EQ(store.Live(pair), pair);
    ASSERT_EQ(pair->first, i);
    ASSERT_EQ(pair->second, -i);
  }
}

TEST(ObjectStore, DestroysOnce) {
  Store& store = testing::Immortal<Store>();
  Pair* pair = store.Make({1, 2});
  EXPECT_FALSE(store.Dead(pair));
  EXPECT_TRUE(store.Destroy(pair));
  EXPECT_FALSE(store.Destroy(pair));
  EXPECT_EQ(store.Live(pair), nullptr);
  EXPECT_TRUE(store.Dead(pair));
  for (int i = 0; i < 16; ++i) EXPECT_NE(store.Make({i, i}), pair) << "not used again at once";
}

TEST(ObjectStore, RefusesOtherPointersWithoutFollowingThem) {
  Store& store = testing::Immortal<Store>();
  Pair* pair = store.Make({1, 2});
  Pair local{};
  const void* wild = reinterpret_cast<const void*>(uintptr_t{0x1234567890});
  for (const void* wrong : {static_cast<const void*>(&local), static_cast<const void*>(&pair->second), wild,
                            static_cast<const void*>(nullptr)}) {
    EXPECT_EQ(store.Live(wrong), nullptr);
    EXPECT_FALSE(store.Destroy(wrong));
    EXPECT_FALSE(store.Dead(wrong));
  }
  EXPECT_EQ(store.Live(pair), pair);
}

TEST(ObjectStore, MemoryIsUsedAgain) {
  Store& store = testing::Immortal<Store>();
  std::set<Pair*> seen;
  for (int i = 0; i < 10'000; ++i) {
    Pair* pair = store.Make({i, i});
    seen.insert(pair);
    store.Destroy(pair);
  }
  EXPECT_LE(seen.size(), 128u);
}

TEST(ObjectStore, OneOfTwoThreadsDestroysAnObject) {
  Store& store = testing::Immortal<Store>();
  std::vector<Pair*> pairs;
  for (int i = 0; i < 2000; ++i) pairs.push_back(store.Make({i, i}));
  std::atomic<size_t> destroyed = 0;
  const auto destroy_all = [&] {
    for (Pair* pair : pairs) destroyed += store.Destroy(pair) ? 1 : 0;
  };
  std::thread other(destroy_all);
  destroy_all();
  other.join();
  EXPECT_EQ(destroyed, pairs.size());
}

}  // namespace
}  // namespace portacl
