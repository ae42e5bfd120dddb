// SPDX-License-Identifier: Apache-2.0
#include "tensor/object_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "base/thread_end.h"
#include "tensor/tensor.h"

namespace portacl {
namespace {

TEST(ObjectPool, LiveObjectsAreDistinct) {
  std::set<aclTensor*> live;
  for (int i = 0; i < 1000; ++i) {
    aclTensor* tensor = Take<aclTensor>();
    ASSERT_NE(tensor, nullptr);
    EXPECT_TRUE(tensor->alive());
    EXPECT_TRUE(live.insert(tensor).second);
  }
  for (aclTensor* tensor : live) GiveBack(tensor);
  for (aclTensor* tensor : live) EXPECT_FALSE(tensor->alive());
}

TEST(ObjectPool, ADestroyedObjectIsNotReusedAtOnce) {
  aclTensor* destroyed = Take<aclTensor>();
  GiveBack(destroyed);
  std::vector<aclTensor*> next;
  for (int i = 0; i < 15; ++i) {
    next.push_back(Take<aclTensor>());
    EXPECT_NE(next.back(), destroyed);
    GiveBack(next.back());
  }
  EXPECT_FALSE(destroyed->alive());
}

TEST(ObjectPool, MemoryIsReused) {
  std::set<aclTensor*> seen;
  for (int i = 0; i < 100000; ++i) {
    aclTensor* tensor = Take<aclTensor>();
    seen.insert(tensor);
    GiveBack(tensor);
  }
  EXPECT_LT(seen.size(), 2000U);
}

TEST(ObjectPool, OneThreadMakesAndAnotherDestroysWithoutGrowth) {
  std::set<aclTensor*> seen;
  for (int round = 0; round < 50; ++round) {
    std::vector<aclTensor*> tensors(200);
    std::generate(tensors.begin(), tensors.end(), Take<aclTensor>);
    seen.insert(tensors.begin(), tensors.end());
    std::thread([&] { std::for_each(tensors.begin(), tensors.end(), GiveBack<aclTensor>); }).join();
  }
  EXPECT_LT(seen.size(), 3000U) << "what the other thread gave back comes around";
}

TEST(ObjectPool, ThreadsTakeAndGiveBackTogether) {
  std::atomic<int> clashes = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 50; ++round) {
        std::vector<aclTensor*> mine(300);
        for (aclTensor*& tensor : mine) {
          tensor = Take<aclTensor>();
          tensor->offset = t;
        }
        for (aclTensor* tensor : mine) {
          if (tensor->offset != t) ++clashes;
          GiveBack(tensor);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(clashes, 0);
}

// This key is created after the library's, so its destructor runs later when a thread ends; the thread then keeps no
// objects.
TEST(ObjectPool, ServesDestructorsOfAnEndingThread) {
  struct LateClient {
    aclTensor* tensor;
    bool survived;
  };
  static const ThreadEnd late_client([](void* argument) {
    auto* client = static_cast<LateClient*>(argument);
    GiveBack(client->tensor);
    aclTensor* another = Take<aclTensor>();
    client->survived = another != nullptr && another != client->tensor;
    GiveBack(another);
  });
  LateClient client{};
  std::thread([&] {
    client.tensor = Take<aclTensor>();
    ASSERT_TRUE(late_client.Watch(&client));
  }).join();
  EXPECT_TRUE(client.survived);
}

}  // namespace
}  // namespace portacl
