// SPDX-License-Identifier: Apache-2.0
// Ten threads and sixteen streams, whose tasks are correctly ordered: nothing may be reported.
//
// Streams are shared. Each thread alternates between pairs of streams: it uploads and adds on one, passes the result on
// with an event, copies and downloads on the other, and waits before it reads the result and frees the memory.
#include <thread>
#include <vector>

#include "check_client.h"

namespace check_client {
namespace {

constexpr int kThreads = 10;
constexpr int kStreams = 16;
constexpr int kRounds = 30;

void Round(aclrtStream first, aclrtStream second, float value) {
  const Memory x, sum, copy;
  const PinnedMemory from, to;
  aclrtEvent event = nullptr;
  Expect(aclrtCreateEvent(&event));
  for (int i = 0; i < kCount; ++i) static_cast<float*>(from.data)[i] = value;
  Expect(aclrtMemcpyAsync(x.data, kBytes, from.data, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, first));
  aclTensor* const in = MakeTensor(x.data);
  aclTensor* const out = MakeTensor(sum.data);
  Expect(aclnnAdd(nullptr, 0, PlanAdd(in, out), first));
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  Expect(aclrtRecordEvent(event, first));
  Expect(aclrtStreamWaitEvent(second, event));
  Expect(aclrtMemcpyAsync(copy.data, kBytes, sum.data, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE, second));
  Expect(aclrtMemcpyAsync(to.data, kBytes, copy.data, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, second));
  Expect(aclrtSynchronizeStream(second));
  if (static_cast<float*>(to.data)[kCount - 1] != 2 * value) Expect(1);
  Expect(aclrtDestroyEvent(event));
}

void Work(int thread, const std::vector<aclrtStream>& streams) {
  Expect(aclrtSetDevice(0));
  for (int round = 0; round < kRounds; ++round) {
    const int at = thread + round;
    Round(streams[static_cast<size_t>(at % kStreams)], streams[static_cast<size_t>((at * 7 + 3) % kStreams)],
          static_cast<float>(at));
  }
}

}  // namespace
}  // namespace check_client

int main() {
  using namespace check_client;
  Expect(aclrtSetDevice(0));
  std::vector<aclrtStream> streams(kStreams);
  for (aclrtStream& stream : streams) Expect(aclrtCreateStream(&stream));
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(Work, i, std::cref(streams));
  for (std::thread& thread : threads) thread.join();
  for (const aclrtStream stream : streams) {
    Expect(aclrtSynchronizeStream(stream));
    Expect(aclrtDestroyStream(stream));
  }
  Expect(aclrtResetDevice(0));
  return 0;
}
