// SPDX-License-Identifier: Apache-2.0
// A program whose trace is checked: two threads with their own streams, an operator, copies, fills, and a stream that
// waits for the other. Arguments: abort or kill (before the end), fork (with a child that also uses the library), many
// (thousands of events), profile FOLDER (only parts of the work), ranks (two devices with collective operations).
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "aclnnop/aclnn_add.h"
#include "hccl/hccl.h"

namespace {

void Expect(int status) {
  if (status == 0) return;
  const char* text = aclGetRecentErrMsg();
  std::printf("status %d: %s\n", status, text == nullptr ? "" : text);
  std::exit(1);
}

void Work(int64_t count) {
  Expect(aclrtSetDevice(0));
  const auto bytes = static_cast<size_t>(count) * sizeof(float);
  aclrtStream first = nullptr, second = nullptr;
  aclrtEvent event = nullptr;
  Expect(aclrtCreateStream(&first));
  Expect(aclrtCreateStream(&second));
  Expect(aclrtCreateEvent(&event));
  void *x = nullptr, *sum = nullptr, *host = nullptr;
  Expect(aclrtMalloc(&x, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  Expect(aclrtMalloc(&sum, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  Expect(aclrtMallocHost(&host, bytes));
  Expect(aclrtMemsetAsync(x, bytes, 0, bytes, first));
  float one = 1;
  aclScalar* alpha = aclCreateScalar(&one, ACL_FLOAT);
  for (int round = 0; round < 3; ++round) {
    aclTensor* tensors[2];
    for (int i = 0; i < 2; ++i)
      tensors[i] = aclCreateTensor(&count, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &count, 1, i == 0 ? x : sum);
    uint64_t workspace = 0;
    aclOpExecutor* executor = nullptr;
    Expect(aclnnAddGetWorkspaceSize(tensors[0], tensors[0], alpha, tensors[1], &workspace, &executor));
    Expect(aclnnAdd(nullptr, 0, executor, first));
    for (aclTensor* tensor : tensors) aclDestroyTensor(tensor);
    Expect(aclrtRecordEvent(event, first));
    Expect(aclrtStreamWaitEvent(second, event));
    Expect(aclrtMemcpyAsync(host, bytes, sum, bytes, ACL_MEMCPY_DEVICE_TO_HOST, second));
    Expect(aclrtSynchronizeStream(second));
  }
  aclDestroyScalar(alpha);
  Expect(aclrtFree(x));
  Expect(aclrtFree(sum));
  Expect(aclrtFreeHost(host));
  Expect(aclrtDestroyEvent(event));
  Expect(aclrtDestroyStream(first));
  Expect(aclrtDestroyStream(second));
}

// Profiles the second and the fourth of five parts of the work.
void ProfileParts(const char* folder) {
  uint32_t device = 0;
  Work(1000);
  Expect(aclprofInit(folder, std::strlen(folder)));
  aclprofConfig* const config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, nullptr, ACL_PROF_ACL_API);
  Expect(aclprofStart(config));
  Work(1001);
  Expect(aclprofStop(config));
  Work(1002);
  Expect(aclprofStart(config));
  Work(1003);
  Expect(aclprofStop(config));
  Expect(aclprofDestroyConfig(config));
  Expect(aclprofFinalize());
  Work(1004);
}

void RunRank(const HcclRootInfo& root, uint32_t rank) {
  constexpr uint64_t kCount = 1000;
  Expect(aclrtSetDevice(static_cast<int32_t>(rank)));
  HcclComm communicator = nullptr;
  aclrtStream stream = nullptr;
  Expect(HcclCommInitRootInfo(2, &root, rank, &communicator));
  Expect(aclrtCreateStream(&stream));
  void *one = nullptr, *both = nullptr;
  Expect(aclrtMalloc(&one, kCount * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
  Expect(aclrtMalloc(&both, 2 * kCount * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
  Expect(HcclAllReduce(one, one, kCount, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, communicator, stream));
  Expect(HcclAllGather(one, both, kCount, HCCL_DATA_TYPE_FP32, communicator, stream));
  // The end of the group queues its operations.
  Expect(HcclGroupStart());
  if (rank == 0)
    Expect(HcclSend(one, kCount, HCCL_DATA_TYPE_FP32, 1, communicator, stream));
  else
    Expect(HcclRecv(one, kCount, HCCL_DATA_TYPE_FP32, 0, communicator, stream));
  Expect(HcclGroupEnd());
  Expect(HcclBarrier(communicator, stream));
  Expect(aclrtSynchronizeStream(stream));
  Expect(HcclCommDestroy(communicator));
  Expect(aclrtFree(one));
  Expect(aclrtFree(both));
  Expect(aclrtDestroyStream(stream));
}

}  // namespace

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  if (std::strcmp(mode, "fork") == 0) {
    const pid_t child = fork();
    int status = 0;
    if (child != 0) waitpid(child, &status, 0);
    Work(1000);
    return status;
  }
  if (std::strcmp(mode, "many") == 0) {
    for (int i = 0; i < 1000; ++i) Work(100);
    return 0;
  }
  if (std::strcmp(mode, "profile") == 0) {
    for (int i = 0; i < 2; ++i) ProfileParts(argv[2]);
    return 0;
  }
  if (std::strcmp(mode, "ranks") == 0) {
    HcclRootInfo root;
    Expect(HcclGetRootInfo(&root));
    std::thread other([&] { RunRank(root, 1); });
    RunRank(root, 0);
    other.join();
    return 0;
  }
  std::thread other([] { Work(3'000'000); });
  Work(2'000'000);
  other.join();
  if (std::strcmp(mode, "abort") == 0) std::abort();
  if (std::strcmp(mode, "kill") == 0) std::raise(SIGKILL);
  return 0;
}
