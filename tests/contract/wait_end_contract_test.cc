// SPDX-License-Identifier: Apache-2.0
// Waits of streams that cannot end normally: streams that wait for each other, destroyed notifies and freed memory.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "contract_support.h"

namespace contract {
namespace {

class WaitEnd : public OnDevice {
 protected:
  // Two streams, each of which waits for a record that is queued after the other stream's wait.
  static void MakeCircle(aclrtStream one, aclrtStream other) {
    const aclrtEvent events[] = {CreateSyncEvent(), CreateSyncEvent()};
    ASSERT_EQ(aclrtStreamWaitEvent(one, events[0]), kOk);
    ASSERT_EQ(aclrtStreamWaitEvent(other, events[1]), kOk);
    ASSERT_EQ(aclrtRecordEvent(events[1], one), kOk);
    ASSERT_EQ(aclrtRecordEvent(events[0], other), kOk);
  }
};

TEST_F(WaitEnd, AContextEndsWithStreamsThatWaitForEachOther) {
  const auto by_destroying = [] {
    aclrtContext context = nullptr;
    ASSERT_EQ(aclrtGetCurrentContext(&context), kOk);
    ASSERT_EQ(aclrtDestroyContext(context), kOk);
    ASSERT_EQ(aclrtSetDevice(0), kOk);
  };
  const auto by_reset = [] { ASSERT_EQ(aclrtResetDevice(0), kOk); };
  const auto by_force = [] { ASSERT_EQ(aclrtResetDeviceForce(0), kOk); };
  for (void (*end)() : {+by_destroying, +by_reset, +by_force}) {
    ASSERT_EQ(aclrtResetDeviceForce(0), kOk);
    aclrtContext made = nullptr;
    ASSERT_EQ(end == +by_destroying ? aclrtCreateContext(&made, 0) : aclrtSetDevice(0), kOk);
    std::atomic<bool> ran[2] = {false, false};
    const aclrtStream streams[] = {CreateStream(), CreateStream()};
    MakeCircle(streams[0], streams[1]);
    for (int i : {0, 1}) ASSERT_EQ(aclrtLaunchHostFunc(streams[i], Raise, &ran[i]), kOk);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(streams[0], 20), kRtStreamTimeout);
    end();
    EXPECT_TRUE(ran[0]);
    EXPECT_TRUE(ran[1]);
    aclrtSetDevice(0);
  }
}

TEST_F(WaitEnd, ACircleMayGoThroughAnotherContext) {
  const aclrtStream outside = CreateStream();
  aclrtContext primary = nullptr;
  aclrtContext made = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&primary), kOk);
  ASSERT_EQ(aclrtCreateContext(&made, 0), kOk);
  const aclrtStream inside = CreateStream();
  const aclrtEvent first = CreateSyncEvent();
  ASSERT_EQ(aclrtStreamWaitEvent(inside, first), kOk);
  ASSERT_EQ(aclrtSetCurrentContext(primary), kOk);
  const aclrtEvent second = CreateSyncEvent();
  ASSERT_EQ(aclrtStreamWaitEvent(outside, second), kOk);
  ASSERT_EQ(aclrtRecordEvent(first, outside), kOk);
  ASSERT_EQ(aclrtSetCurrentContext(made), kOk);
  ASSERT_EQ(aclrtRecordEvent(second, inside), kOk);
  EXPECT_EQ(aclrtDestroyContext(made), kOk);
  ASSERT_EQ(aclrtSetCurrentContext(primary), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(outside), kOk);
}

TEST_F(WaitEnd, AStreamThatMovesIsWaitedFor) {
  const aclrtStream outside = CreateStream();
  aclrtContext primary = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&primary), kOk);
  Gate gate;
  gate.Block(outside);
  std::atomic<bool> before = false;
  const aclrtEvent event = CreateSyncEvent();
  ASSERT_EQ(aclrtLaunchHostFunc(outside, Raise, &before), kOk);
  ASSERT_EQ(aclrtRecordEvent(event, outside), kOk);
  aclrtContext made = nullptr;
  ASSERT_EQ(aclrtCreateContext(&made, 0), kOk);
  const aclrtStream inside = CreateStream();
  ASSERT_EQ(aclrtStreamWaitEvent(inside, event), kOk);
  struct Order {
    std::atomic<bool>* before;
    std::atomic<int> seen = -1;
  } order{&before};
  const auto look = [](void* argument) {
    auto* self = static_cast<Order*>(argument);
    self->seen = *self->before ? 1 : 0;
  };
  ASSERT_EQ(aclrtLaunchHostFunc(inside, look, &order), kOk);
  std::thread opener([&gate] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    gate.Open();
  });
  EXPECT_EQ(aclrtDestroyContext(made), kOk);
  EXPECT_EQ(order.seen, 1);
  opener.join();
  ASSERT_EQ(aclrtSetCurrentContext(primary), kOk);
}

TEST_F(WaitEnd, NotifiesAreDestroyedWhileOthersUseThem) {
  std::atomic<aclrtNotify> notify = nullptr;
  std::atomic<bool> stop = false;
  std::atomic<int> began = 0;
  const auto good = [](aclError status) { return status == kOk || status == kRtInvalidHandle; };
  const auto hammer = [&](auto use) {
    return std::thread([&, use] {
      ASSERT_EQ(aclrtSetDevice(0), kOk);
      const aclrtStream stream = CreateStream();
      ++began;
      while (!stop) {
        aclrtNotify live = notify;
        if (live == nullptr) continue;
        EXPECT_TRUE(good(use(live, stream)));
      }
      EXPECT_EQ(aclrtDestroyStreamForce(stream), kOk);
      EXPECT_EQ(aclrtResetDevice(0), kOk);
    });
  };
  std::vector<std::thread> threads;
  threads.push_back(hammer([](aclrtNotify live, aclrtStream stream) { return aclrtRecordNotify(live, stream); }));
  threads.push_back(hammer([](aclrtNotify live, aclrtStream) { return aclrtNotifyBatchReset(&live, 1); }));
  threads.push_back(hammer([](aclrtNotify live, aclrtStream stream) {
    const aclError status = aclrtWaitAndResetNotify(live, stream, 0);
    EXPECT_EQ(aclrtStreamAbort(stream), kOk);
    return status;
  }));
  while (began < 3) std::this_thread::yield();
  for (int round = 0; round < 300'000; ++round) {
    aclrtNotify fresh = nullptr;
    ASSERT_EQ(aclrtCreateNotify(&fresh, ACL_NOTIFY_DEFAULT), kOk);
    notify = fresh;
    for (int i = 0; i < round % 64; ++i) static_cast<void>(notify.load());  // at different points of the loops
    EXPECT_EQ(aclrtDestroyNotify(fresh), kOk);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

TEST_F(WaitEnd, AValueInMemoryThatIsFreedEndsItsWait) {
  const aclrtStream stream = CreateStream();
  std::atomic<bool> ran = false;
  for (const size_t bytes : {size_t{64}, size_t{1} << 20}) {
    for (const bool begun : {true, false}) {
      void* memory = nullptr;
      ASSERT_EQ(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
      ASSERT_EQ(aclrtMemset(memory, bytes, 0, bytes), kOk);
      Gate gate;
      if (!begun) gate.Block(stream);
      ran = false;
      ASSERT_EQ(aclrtValueWait(memory, 1, ACL_STREAM_WAIT_VALUE_EQ, stream), kOk);
      ASSERT_EQ(aclrtLaunchHostFunc(stream, Raise, &ran), kOk);
      EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 5), kRtStreamTimeout);
      ASSERT_EQ(aclrtFree(memory), kOk);
      gate.Open();
      EXPECT_EQ(aclrtSynchronizeStream(stream), kRtReadOutside) << bytes << ' ' << begun;
      EXPECT_TRUE(ran) << "the stream goes on";
    }
  }
  EXPECT_EQ(aclrtDestroyStream(stream), kOk);
}

TEST_F(WaitEnd, AValueInMemoryThatIsUnmappedEndsItsWait) {
  constexpr size_t kPart = size_t{2} << 20;
  aclrtPhysicalMemProp properties{};
  properties.handleType = ACL_MEM_HANDLE_TYPE_NONE;
  properties.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
  properties.memAttr = ACL_HBM_MEM_HUGE;
  properties.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
  void* range = nullptr;
  ASSERT_EQ(aclrtReserveMemAddress(&range, 3 * kPart, 0, nullptr, 0), kOk);
  aclrtStream streams[3];
  aclrtDrvMemHandle memory[3];
  const auto part = [&](size_t index) { return static_cast<char*>(range) + index * kPart; };
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(aclrtMallocPhysical(&memory[i], kPart, &properties, 0), kOk);
    ASSERT_EQ(aclrtMapMem(part(i), kPart, 0, memory[i], 0), kOk);
  }
  for (size_t i = 0; i < 3; ++i) {
    streams[i] = CreateStream();
    ASSERT_EQ(aclrtMemset(part(i), 8, 0, 8), kOk);
    ASSERT_EQ(aclrtValueWait(part(i), 1, ACL_STREAM_WAIT_VALUE_EQ, streams[i]), kOk);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(streams[i], 5), kRtStreamTimeout);
  }
  ASSERT_EQ(aclrtUnmapMem(part(1)), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(streams[1]), kRtReadOutside);
  for (size_t i : {0, 2}) {
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(streams[i], 5), kRtStreamTimeout) << "its memory is still there";
    const uint64_t one = 1;
    ASSERT_EQ(aclrtMemcpy(part(i), 8, &one, 8, ACL_MEMCPY_HOST_TO_DEVICE), kOk);
    EXPECT_EQ(aclrtSynchronizeStream(streams[i]), kOk);
    ASSERT_EQ(aclrtUnmapMem(part(i)), kOk);
  }
  for (aclrtDrvMemHandle one : memory) EXPECT_EQ(aclrtFreePhysical(one), kOk);
  EXPECT_EQ(aclrtReleaseMemAddress(range), kOk);
}

}  // namespace
}  // namespace contract
