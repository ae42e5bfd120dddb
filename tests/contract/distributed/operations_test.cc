// SPDX-License-Identifier: Apache-2.0
// All operations between processes: the bits are equal to those of a loop in the order of the ranks.
#include <dirent.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <thread>

#include "processes.h"

namespace portacl::distributed {
namespace {

constexpr HcclDataType kFloat = HCCL_DATA_TYPE_FP32;
constexpr uint64_t kCounts[] = {1, 7, 4097, 300'001};

// The sum of these values depends on the order of addition.
float Value(uint32_t rank, size_t i) {
  return static_cast<float>((rank * 7919 + i * 104'729) % 100'003) * (rank % 2 == 0 ? 1.1F : -0.37F);
}
std::vector<float> Values(uint32_t rank, size_t count, size_t first = 0) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = Value(rank, first + i);
  return values;
}
std::vector<float> Sums(uint32_t ranks, size_t count, size_t first = 0) {
  std::vector<float> sums = Values(0, count, first);
  for (uint32_t rank = 1; rank < ranks; ++rank) {
    for (size_t i = 0; i < count; ++i) sums[i] += Value(rank, first + i);
  }
  return sums;
}

void CheckAll(Rank& rank, HcclComm comm, aclrtStream stream, uint64_t count) {
  const uint32_t ranks = rank.ranks;
  const uint32_t self = rank.rank;
  std::vector<float> send = Values(self, count * ranks);
  std::vector<float> all(count * ranks);
  std::vector<float> one(count);
  const auto check = [&](const char* what, const std::vector<float>& got, const std::vector<float>& want) {
    rank.Expect(rank.Wait(stream) == ACL_SUCCESS, what);
    rank.Expect(got == want, std::string("the bits of ") + what + ", " + std::to_string(count) + " elements");
  };

  HcclAllReduce(send.data(), all.data(), count * ranks, kFloat, HCCL_REDUCE_SUM, comm, stream);
  check("HcclAllReduce", all, Sums(ranks, count * ranks));
  HcclReduceScatter(send.data(), one.data(), count, kFloat, HCCL_REDUCE_SUM, comm, stream);
  check("HcclReduceScatter", one, Sums(ranks, count, self * count));
  one = Values(self, count);
  HcclReduce(one.data(), one.data(), count, kFloat, HCCL_REDUCE_SUM, ranks - 1, comm, stream);
  check("HcclReduce", one, self == ranks - 1 ? Sums(ranks, count) : Values(self, count));
  one = Values(self, count);
  HcclBroadcast(one.data(), count, kFloat, ranks - 1, comm, stream);
  check("HcclBroadcast", one, Values(ranks - 1, count));
  HcclScatter(send.data(), one.data(), count, kFloat, 0, comm, stream);
  check("HcclScatter", one, Values(0, count, self * count));

  one = Values(self, count);
  HcclAllGather(one.data(), all.data(), count, kFloat, comm, stream);
  std::vector<float> want;
  for (uint32_t peer = 0; peer < ranks; ++peer) {
    const std::vector<float> part = Values(peer, count);
    want.insert(want.end(), part.begin(), part.end());
  }
  check("HcclAllGather", all, want);
  HcclAlltoAll(send.data(), count, kFloat, all.data(), count, kFloat, comm, stream);
  want.clear();
  for (uint32_t peer = 0; peer < ranks; ++peer) {
    const std::vector<float> part = Values(peer, count, self * count);
    want.insert(want.end(), part.begin(), part.end());
  }
  check("HcclAlltoAll", all, want);

  // Sends to the next rank, and receives from the previous one.
  const uint32_t next = (self + 1) % ranks;
  const uint32_t before = (self + ranks - 1) % ranks;
  HcclSendRecvItem items[] = {{HCCL_SEND, send.data(), count, kFloat, next},
                              {HCCL_RECV, one.data(), count, kFloat, before}};
  HcclBatchSendRecv(items, 2, comm, stream);
  check("HcclBatchSendRecv", one, Values(before, count));
  HcclBarrier(comm, stream);
  rank.Expect(rank.Wait(stream) == ACL_SUCCESS, "HcclBarrier");
}

void PlayOperations(Rank& rank) {
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  HcclComm const comm = rank.Join(rank.Root());
  for (const uint64_t count : kCounts) CheckAll(rank, comm, stream, count);
  rank.Expect(HcclCommDestroy(comm) == HCCL_SUCCESS, "an end");
}
const Register kOperations("operations", &PlayOperations);

TEST(Processes, ComputeTheSameBitsAsALoop) {
  for (const uint32_t ranks : {2, 3, 4}) Processes("operations", ranks).ExpectSuccess();
}

TEST(Processes, ComputeTheSameBitsWhereSomeShareMemory) {
  Processes("operations", 3, {{"FAR_FROM", "2"}}).ExpectSuccess();
  Processes("operations", 4, {{"FAR_FROM", "3"}}).ExpectSuccess();
}

TEST(Processes, MeetAtAnAddressThatIsGiven) {
  Processes("operations", 2, {{"HCCL_IF_IP", "127.0.0.1"}}).ExpectSuccess();
  Processes("operations", 2, {{"HCCL_SOCKET_IFNAME", "=lo"}}).ExpectSuccess();
  Processes("operations", 2, {{"HCCL_IF_IP", "127.0.0.1"}, {"HCCL_HOST_SOCKET_PORT_RANGE", "41000-42000"}})
      .ExpectSuccess();
}

// Each process has two ranks, which are threads.
void PlayThreads(Rank& rank) {
  const HcclRootInfo root = rank.Root();
  Rank both[2] = {rank, rank};
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 2; ++i) {
    both[i].rank = 2 * rank.rank + i;
    both[i].ranks = 2 * rank.ranks;
    threads.emplace_back([&root, &self = both[i]] {
      aclrtSetDevice(0);
      aclrtStream stream = nullptr;
      aclrtCreateStream(&stream);
      HcclComm const comm = self.Join(root);
      CheckAll(self, comm, stream, 4097);
      HcclCommDestroy(comm);
    });
  }
  for (std::thread& thread : threads) thread.join();
  rank.failures += both[0].failures + both[1].failures;
}
const Register kThreads("threads", &PlayThreads);

TEST(Processes, MayHoldSeveralRanks) { Processes("threads", 2).ExpectSuccess(); }

// The calls of a program that measures operations (CANN's hccl_test), in its order. The host compares the results.
void PlayMeasurement(Rank& rank) {
  const auto check = [&rank](aclError status, const char* what) { rank.Expect(status == ACL_SUCCESS, what); };
  aclInit(nullptr);  // again; the launcher of the ranks may have called it before
  uint32_t devices = 0;
  check(aclrtGetDeviceCount(&devices), "aclrtGetDeviceCount");
  check(aclrtSetDevice(0), "aclrtSetDevice");
  check(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN), "aclrtSetDeviceSatMode");
  HcclComm const comm = rank.Join(rank.Root());
  aclrtStream stream = nullptr;
  check(aclrtCreateStream(&stream), "aclrtCreateStream");
  check(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE), "aclrtSetStreamFailureMode");
  aclrtEvent begin = nullptr;
  aclrtEvent end = nullptr;
  check(aclrtCreateEvent(&begin), "aclrtCreateEvent");
  check(aclrtCreateEvent(&end), "aclrtCreateEvent");

  constexpr size_t kBytes = 4096 * sizeof(float);
  void* send = nullptr;
  void* receive = nullptr;
  void* host = nullptr;
  check(aclrtMalloc(&send, kBytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  check(aclrtMalloc(&receive, kBytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  check(aclrtMallocHost(&host, kBytes), "aclrtMallocHost");
  const std::vector<float> values = Values(rank.rank, 4096);
  std::memcpy(host, values.data(), kBytes);
  check(aclrtMemcpy(send, kBytes, host, kBytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
  check(aclrtMemset(receive, kBytes, 0, kBytes), "aclrtMemset");

  check(aclrtRecordEvent(begin, stream), "aclrtRecordEvent");
  for (int i = 0; i < 20; ++i)
    rank.Expect(HcclAllReduce(send, receive, 4096, kFloat, HCCL_REDUCE_SUM, comm, stream) == HCCL_SUCCESS, "a sum");
  check(aclrtRecordEvent(end, stream), "aclrtRecordEvent");
  check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
  float ms = -1;
  check(aclrtEventElapsedTime(&ms, begin, end), "aclrtEventElapsedTime");
  rank.Expect(ms >= 0, "a time");
  check(aclrtMemcpy(host, kBytes, receive, kBytes, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
  rank.Expect(std::memcmp(host, Sums(rank.ranks, 4096).data(), kBytes) == 0, "the sums");

  check(aclrtFree(send), "aclrtFree");
  check(aclrtFree(receive), "aclrtFree");
  check(aclrtFreeHost(host), "aclrtFreeHost");
  rank.Expect(HcclCommDestroy(comm) == HCCL_SUCCESS, "HcclCommDestroy");
  check(aclrtDestroyEvent(begin), "aclrtDestroyEvent");
  check(aclrtDestroyEvent(end), "aclrtDestroyEvent");
  check(aclrtDestroyStream(stream), "aclrtDestroyStream");
  check(aclrtResetDevice(0), "aclrtResetDevice");
  check(aclFinalize(), "aclFinalize");
}
const Register kMeasurement("measurement", &PlayMeasurement);

TEST(Processes, MayMeasureOperations) { Processes("measurement", 2).ExpectSuccess(); }

size_t CountEntries(const char* folder) {
  size_t count = 0;
  DIR* const opened = opendir(folder);
  while (readdir(opened) != nullptr) ++count;
  closedir(opened);
  return count;
}

// The private memory of this process, in KiB.
size_t OwnMemory() {
  std::ifstream status("/proc/self/status");
  std::string word;
  size_t kib = 0;
  while (status >> word) {
    if (word == "RssAnon:") status >> kib;
  }
  return kib;
}

// The resources of this process.
struct Holdings {
  size_t descriptors = CountEntries("/proc/self/fd");
  size_t threads = CountEntries("/proc/self/task");
  size_t memory = OwnMemory();  // in KiB

  void ExpectNoMoreNow(Rank& rank, size_t allowed_kib) const {
    const Holdings now;
    const auto expect_at_most = [&rank](size_t want, size_t got, const char* what) {
      rank.Expect(got <= want, std::to_string(want) + what + ", got " + std::to_string(got));
    };
    expect_at_most(descriptors, now.descriptors, " descriptors");
    expect_at_most(threads + 1, now.threads, " threads");
    // A sanitizer's records of accesses grow during the test.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    expect_at_most(memory + allowed_kib, now.memory, " KiB");
#else
    (void)allowed_kib;
#endif
  }
};

// The number of groups; a variable sets it for longer runs.
int Rounds() {
  const char* const text = std::getenv("TEST_GROUPS");
  return text == nullptr ? 25 : std::max(std::atoi(text), 10);
}

void PlayGroups(Rank& rank) {
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  HcclComm const world = rank.Join(rank.Root());
  std::optional<Holdings> early;
  const int rounds = Rounds();
  for (int round = 0; round < rounds; ++round) {
    HcclComm const group = rank.Join(rank.Root("root" + std::to_string(round)));
    CheckAll(rank, group, stream, 100);
    HcclCommDestroy(group);
    // Operations of the world communicator run at the same time; all must have ended before the resources are counted.
    CheckAll(rank, world, stream, 10);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (round == rounds / 5) early.emplace();
  }
  // A group that is not released would hold more than 4 KiB.
  early->ExpectNoMoreNow(rank, 2048 + 2 * static_cast<size_t>(rounds));
  HcclCommDestroy(world);
}
const Register kGroups("groups", &PlayGroups);

TEST(Processes, MakeAndEndGroupsWithoutLeavingAnything) {
  const bool is_long = std::getenv("TEST_GROUPS") != nullptr;
  Processes("groups", is_long ? 8 : 3).ExpectSuccess({}, std::chrono::seconds(is_long ? 1200 : 120));
}

// A training on eight ranks, whatever the number of cores is.
void PlaySmallSums(Rank& rank) {
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  HcclComm const comm = rank.Join(rank.Root());
  std::optional<Holdings> early;
  std::vector<float> sums(2 * 1000);
  for (int step = 0; step < 200; ++step) {
    for (int i = 0; i < 5; ++i) {
      float* const sum = &sums[10 * step + 2 * i];
      sum[0] = Value(rank.rank, step), sum[1] = 1;
      HcclAllReduce(sum, sum, 2, kFloat, HCCL_REDUCE_SUM, comm, stream);
    }
    rank.Expect(rank.Wait(stream) == ACL_SUCCESS, "sums of a step");
    if (step == 20) early.emplace();
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    float want = i % 2 == 0 ? Value(0, i / 10) : 1;
    for (uint32_t other = 1; other < rank.ranks; ++other) want += i % 2 == 0 ? Value(other, i / 10) : 1;
    if (sums[i] != want) return rank.Expect(false, "the sums of step " + std::to_string(i / 10));
  }
  early->ExpectNoMoreNow(rank, 1024);
  HcclCommDestroy(comm);
}
const Register kSmallSums("small sums", &PlaySmallSums);

TEST(Processes, AddAThousandTimesWithoutLeavingAnything) { Processes("small sums", 8).ExpectSuccess(); }

// Each rank leaves as soon as it is done, and the last one is late: the data sent to it must still arrive.
void PlayEarlyEnd(Rank& rank) {
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  for (int round = 0; round < 10; ++round) {
    HcclComm const comm = rank.Join(rank.Root("root" + std::to_string(round)));
    std::vector<float> data = rank.rank == 0 ? Values(0, 1'000'000) : std::vector<float>(1'000'000);
    HcclBroadcast(data.data(), data.size(), kFloat, 0, comm, stream);
    rank.Expect(rank.Wait(stream) == ACL_SUCCESS, "a broadcast");
    HcclCommDestroy(comm);
    rank.Expect(data == Values(0, 1'000'000), "its data");
  }
}
const Register kEarlyEnd("early end", &PlayEarlyEnd);

TEST(Processes, MayLeaveWhenTheyAreDone) { Processes("early end", 3).ExpectSuccess(); }

}  // namespace
}  // namespace portacl::distributed
