// SPDX-License-Identifier: Apache-2.0
#include "base/linked_queue.h"

#include <gtest/gtest.h>

namespace portacl {
namespace {

struct QueueNode {
  int number = 0;
  QueueNode* next = nullptr;
};

TEST(LinkedQueue, TakesFromTheFrontWhatBothEndsWereGiven) {
  QueueNode nodes[4] = {{0}, {1}, {2}, {3}};
  LinkedQueue<QueueNode> queue;
  queue.PushBack(&nodes[1]);
  queue.PushFront(&nodes[0]);
  queue.PushBack(&nodes[2]);
  queue.PushBack(&nodes[3]);
  EXPECT_EQ(queue.count(), 4u);
  for (int number = 0; number < 4; ++number) {
    ASSERT_EQ(queue.front(), &nodes[number]);
    EXPECT_EQ(queue.PopFront(), &nodes[number]);
  }
  EXPECT_EQ(queue.count(), 0u);
  EXPECT_EQ(queue.front(), nullptr);
  EXPECT_EQ(queue.PopFront(), nullptr);
}

TEST(LinkedQueue, BeginsAnewAfterItWasEmpty) {
  QueueNode first;
  QueueNode second;
  LinkedQueue<QueueNode> queue;
  queue.PushBack(&first);
  ASSERT_EQ(queue.PopFront(), &first);
  EXPECT_TRUE(queue.empty());
  queue.PushFront(&first);
  queue.PushBack(&second);
  EXPECT_EQ(queue.PopFront(), &first);
  EXPECT_EQ(queue.PopFront(), &second);
  EXPECT_EQ(queue.PopFront(), nullptr);
}

}  // namespace
}  // namespace portacl
