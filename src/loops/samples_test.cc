// SPDX-License-Identifier: Apache-2.0
// Every sample runs once, in a slot of its own, for any number of threads and slots.
#include "loops/samples.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "acl/acl.h"
#include "testing/tensor_builder.h"
#include "testing/thread_count.h"

namespace portacl::loops {
namespace {

struct Record {
  std::vector<std::atomic<int>> runs;
  std::vector<std::atomic<int>> busy;
  std::atomic<bool> shared_slot{false};
};

void RunOne(void* argument, int64_t sample, int slot) {
  Record& record = *static_cast<Record*>(argument);
  if (record.busy[static_cast<size_t>(slot)].exchange(1) != 0) record.shared_slot = true;
  ++record.runs[static_cast<size_t>(sample)];
  record.busy[static_cast<size_t>(slot)] = 0;
}

TEST(Samples, EachRunsOnceAndOwnsItsSlot) {
  for (const int threads : {1, 2, 8}) {
    const testing::ThreadCount count(threads);
    for (const int slots : {1, 3, 8}) {
      for (const int64_t samples : {0, 1, 2, 100}) {
        Record record{std::vector<std::atomic<int>>(static_cast<size_t>(samples)),
                      std::vector<std::atomic<int>>(static_cast<size_t>(slots)), false};
        ForEachSample(samples, slots, RunOne, &record);
        for (const auto& runs : record.runs) EXPECT_EQ(runs, 1) << threads << " threads, " << slots << " slots";
        EXPECT_FALSE(record.shared_slot);
      }
    }
  }
}

constexpr exec::SchemaOf kFill({.api = "aclnnFill"}, {exec::Out("out")},
                               {exec::NotNull("out"), exec::NotNull("executor", "workspaceSize"),
                                exec::MaxRank("out")});
int slots[3];

TEST(Samples, HaveASlotForEachThreadAtMost) {
  const testing::ThreadCount count(4);
  const auto count_slots = [](int64_t stride) {
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    const testing::TensorHandle out = testing::TensorBuilder(ACL_FLOAT, {2}).Strides({stride}).Build();
    EXPECT_EQ(exec::MakePlan(kFill, {out.get()}, &bytes, &executor,
                             [](exec::PlanBuilder& plan) {
                               int i = 0;
                               for (const int64_t samples : {100, 3, 0}) slots[i++] = SampleSlots(plan, samples, {0});
                             }),
              0);
    EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
  };
  count_slots(1);
  EXPECT_EQ(slots[0], 4);
  EXPECT_EQ(slots[1], 3);
  EXPECT_EQ(slots[2], 0);
  count_slots(0);  // both elements are one
  EXPECT_EQ(slots[0], 1);
}

struct Progress {
  std::vector<std::atomic<int>> passed;
  int64_t next = 0;
  bool failed = false;
};

TEST(Samples, BlocksAreSteppedInOrderAndEachAfterItsPartAhead) {
  const auto ahead = [](void* argument, int64_t block) {
    ++static_cast<Progress*>(argument)->passed[static_cast<size_t>(block)];
  };
  const auto step = [](void* argument, int64_t block) {
    Progress& progress = *static_cast<Progress*>(argument);
    progress.failed |= block != progress.next++ || progress.passed[static_cast<size_t>(block)] != 1;
  };
  for (const int threads : {1, 2, 8}) {
    const testing::ThreadCount thread_count(threads);
    for (const int64_t count : {0, 1, 15, 16, 17, 5000}) {
      Progress progress{std::vector<std::atomic<int>>(static_cast<size_t>(count))};
      ForEachBlock(count, ahead, step, &progress);
      EXPECT_FALSE(progress.failed) << threads << " threads, " << count << " blocks";
      EXPECT_EQ(progress.next, count);
    }
  }
}

}  // namespace
}  // namespace portacl::loops
