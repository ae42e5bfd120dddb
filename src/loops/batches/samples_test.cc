// SPDX-License-Identifier: Apache-2.0
// Every sample runs once, in a slot of its own, for any number of threads and slots.
#include "loops/batches/samples.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "acl/acl.h"
#include "calls/tensor_builder.h"
#include "testing/thread_count.h"

namespace portacl::loops::batches {
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
    const calls::TensorHandle out = calls::TensorBuilder(ACL_FLOAT, {2}).Strides({stride}).Build();
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
  count_slots(0);  // stride 0: both elements share their bytes
  EXPECT_EQ(slots[0], 1);
}

// How often each block was completed, and the block that each place is reserved for.
struct Progress {
  std::vector<std::atomic<int>> completed;
  std::atomic<int64_t> kept[kBlockPlaces];
  std::vector<std::atomic<int>> busy;  // by slot
  int64_t next = 0;
  std::atomic<bool> failed{false};
};

void AdvanceOne(void* argument, int64_t block, int place) {
  Progress& progress = *static_cast<Progress*>(argument);
  if (block != progress.next++) progress.failed = true;
  if (place == kNotLeft) {
    ++progress.completed[static_cast<size_t>(block)];
  } else if (progress.kept[place].exchange(block) != -1) {
    progress.failed = true;
  }
}

void CompleteOne(void* argument, int64_t block, int place, int slot) {
  Progress& progress = *static_cast<Progress*>(argument);
  if (progress.busy[static_cast<size_t>(slot)].exchange(1) != 0) progress.failed = true;
  ++progress.completed[static_cast<size_t>(block)];
  progress.busy[static_cast<size_t>(slot)] = 0;
  if (progress.kept[place].exchange(-1) != block) progress.failed = true;
}

TEST(Samples, BlocksAdvanceInOrderAndEachIsCompletedOnce) {
  for (const int threads : {1, 2, 8}) {
    const testing::ThreadCount thread_count(threads);
    for (const int slot_count : {1, 2, 4}) {
      for (const int64_t count : {0, 1, 3, 4, 5, 5000}) {
        Progress progress{
            std::vector<std::atomic<int>>(static_cast<size_t>(count)), {}, std::vector<std::atomic<int>>(4)};
        for (auto& kept : progress.kept) kept = -1;
        ForEachBlock(count, slot_count, {AdvanceOne, CompleteOne}, &progress);
        EXPECT_FALSE(progress.failed) << threads << " threads, " << slot_count << " slots, " << count << " blocks";
        EXPECT_EQ(progress.next, count);
        for (const auto& completed : progress.completed) EXPECT_EQ(completed, 1);
      }
    }
  }
}

}  // namespace
}  // namespace portacl::loops::batches
