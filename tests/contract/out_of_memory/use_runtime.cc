// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "codes.h"
#include "out_of_memory/failing_allocations.h"
#include "out_of_memory/programs.h"

namespace contract {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kBytes = 4096;

void Expect(bool holds, const char* what) {
  if (!holds) Die("not so: %s", what);
}

void Count(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

aclError CountInit(const char*, size_t, void* counter) { return Count(counter), ACL_SUCCESS; }
aclError CountFinalize(void* counter) { return Count(counter), ACL_SUCCESS; }

void UseLife(const char* config, const std::function<void()>& inside) {
  std::atomic<int> calls = 0;
  MUST(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, CountInit, &calls));
  MUST(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, CountFinalize, &calls));
  MUST(aclInit(config));
  Expect(calls == 1, "aclInit calls back");
  inside();
  MUST(aclFinalize());
  Expect(calls == 2, "aclFinalize calls back");
  MUST(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, CountInit));
  MUST(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, CountFinalize));
}

void UseMessages() {
  MUST_REFUSE(kInvalidParam, aclrtMalloc(nullptr, 1, ACL_MEM_MALLOC_HUGE_FIRST));
  MUST_REFUSE(kRtInvalidDevice, aclrtSetDevice(1000));
  MUST(aclGetRecentErrMsg() != nullptr ? 0 : -1);
  Expect(aclrtGetSocName() != nullptr, "the SoC has a name");
  static char package[] = "a_package_of_a_long_name";
  int32_t number = 0;
  MUST(aclsysGetVersionNum(package, &number));
}

void UseContexts() {
  aclrtContext context = nullptr;
  aclrtContext before = nullptr;
  uint32_t count = 0;
  MUST(aclrtGetDeviceCount(&count));
  Expect(count == 2, "both devices are seen");
  MUST(aclrtGetCurrentContext(&before));
  MUST(aclrtCreateContext(&context, 1));
  MUST(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
  MUST(aclrtSynchronizeDevice());
  MUST(aclrtSetCurrentContext(before));
  MUST(aclrtDestroyContext(context));
}

void UseStreams() {
  std::atomic<int> told = 0;
  static const auto tell = [](aclrtStream, aclrtStreamState, void* counter) { Count(counter); };
  MUST(aclrtRegStreamStateCallback("a name that no short string can hold", tell, &told));
  aclrtStream streams[3] = {};
  aclrtStreamConfigHandle* config = nullptr;
  MUST_MAKE(config, aclrtCreateStreamConfigHandle());
  MUST(aclrtCreateStream(&streams[0]));
  MUST(aclrtCreateStreamWithConfig(&streams[1], 1, ACL_STREAM_FAST_LAUNCH));
  MUST(aclrtCreateStreamV2(&streams[2], config));
  MUST(aclrtDestroyStreamConfigHandle(config));
  Expect(told == 3, "new streams are told of");
  MUST(aclrtSetStreamFailureMode(streams[0], ACL_STOP_ON_FAILURE));
  MUST(aclrtSetStreamOverflowSwitch(streams[1], 1));
  MUST(aclrtSetStreamResLimit(streams[1], ACL_RT_DEV_RES_CUBE_CORE, 1));
  // A host function occupies a thread of the library, so several threads are needed.
  std::atomic<int> calls = 0;
  for (aclrtStream stream : streams) MUST(aclrtLaunchHostFunc(stream, Count, &calls));
  for (aclrtStream stream : streams) MUST(aclrtSynchronizeStream(stream));
  Expect(calls == 3, "host functions run");
  MUST(aclrtLaunchHostFunc(streams[2], Count, &calls));
  MUST(aclrtDestroyStream(streams[0]));
  MUST(aclrtStreamAbort(streams[1]));
  MUST(aclrtDestroyStreamForce(streams[1]));
  MUST(aclrtDestroyStreamForce(streams[2]));
  MUST(aclrtRegStreamStateCallback("a name that no short string can hold", nullptr, nullptr));
}

void UseEvents(aclrtStream one, aclrtStream two) {
  aclrtEvent event = nullptr;
  aclrtEvent timed = nullptr;
  MUST(aclrtCreateEvent(&event));
  MUST(aclrtCreateEventExWithFlag(&timed, ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC));
  MUST(aclrtRecordEvent(event, one));
  MUST(aclrtRecordEvent(timed, one));
  MUST(aclrtStreamWaitEvent(two, timed));
  MUST(aclrtStreamWaitEventWithTimeout(two, timed, 100));
  MUST(aclrtRecordEvent(timed, two));
  MUST(aclrtSynchronizeEvent(timed));
  MUST(aclrtSynchronizeStream(two));
  MUST(aclrtResetEvent(event, one));
  MUST(aclrtSynchronizeStream(one));
  MUST(aclrtDestroyEvent(event));
  MUST(aclrtDestroyEvent(timed));
}

// Each stream in turn waits for a signal that the other one sends later.
void UseSignals(aclrtStream one, aclrtStream two) {
  aclrtNotify notify = nullptr;
  MUST(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
  MUST(aclrtWaitAndResetNotify(notify, one, 100'000));
  MUST(aclrtRecordNotify(notify, two));
  MUST(aclrtSynchronizeStream(one));
  MUST(aclrtNotifyBatchReset(&notify, 1));
  MUST(aclrtDestroyNotify(notify));

  aclrtCntNotify counting = nullptr;
  MUST(aclrtCntNotifyCreate(&counting, 0));
  aclrtCntNotifyWaitInfo goal = {};
  goal.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE;
  goal.value = 7;
  MUST(aclrtCntNotifyWaitWithTimeout(counting, one, &goal));
  aclrtCntNotifyRecordInfo record = {};
  record.mode = ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE;
  record.value = 7;
  MUST(aclrtCntNotifyRecord(counting, two, &record));
  MUST(aclrtSynchronizeStream(one));
  MUST(aclrtCntNotifyReset(counting, two));
  MUST(aclrtCntNotifyDestroy(counting));

  void* number = nullptr;
  MUST(aclrtMalloc(&number, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  MUST(aclrtMemset(number, 64, 0, 64));
  MUST(aclrtValueWait(number, 5, ACL_STREAM_WAIT_VALUE_GEQ, one));
  MUST(aclrtValueWrite(number, 5, 0, two));
  MUST(aclrtSynchronizeStream(one));
  MUST(aclrtSynchronizeStream(two));
  MUST(aclrtFree(number));
}

void UseCallbacks(aclrtStream one, aclrtStream two) {
  const auto self = static_cast<uint64_t>(pthread_self());
  std::atomic<int> calls = 0;
  for (aclrtStream stream : {one, two}) MUST(aclrtSubscribeReport(self, stream));
  for (aclrtStream stream : {one, two}) {
    for (const aclrtCallbackBlockType block : {ACL_CALLBACK_NO_BLOCK, ACL_CALLBACK_BLOCK}) {
      // The lack of memory may show only when the callback is due.
      MUST([&] {
        const int before = calls;
        if (const aclError status = aclrtLaunchCallback(Count, &calls, block, stream); status != 0) return status;
        const aclError processed = aclrtProcessReport(200);
        const aclError synchronized = aclrtSynchronizeStream(stream);
        if (synchronized != 0) return synchronized;
        Expect(processed != 0 || calls == before + 1, "a callback runs once");
        return processed;
      }());
    }
  }
  for (aclrtStream stream : {one, two}) MUST(aclrtUnSubscribeReport(self, stream));
  MUST_REFUSE(kRtThreadNotSubscribed, aclrtProcessReport(200));
  Expect(calls == 4, "callbacks run");

  MUST(aclrtSubscribeHostFunc(self, one));
  MUST([&] {
    if (const aclError status = aclrtLaunchHostFunc(one, Count, &calls); status != 0) return status;
    const aclError processed = aclrtProcessHostFunc(200);
    const aclError synchronized = aclrtSynchronizeStream(one);
    return synchronized != 0 ? synchronized : processed;
  }());
  MUST(aclrtUnSubscribeHostFunc(self, one));
  Expect(calls == 5, "subscribed host functions run");
}

void UseMemory(aclrtStream stream) {
  void* small = nullptr;
  void* large = nullptr;
  void* aligned = nullptr;
  void* pinned = nullptr;
  void* more = nullptr;
  MUST(aclrtMalloc(&small, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  MUST(aclrtMalloc(&large, 5 * kMiB, ACL_MEM_MALLOC_HUGE_FIRST));
  MUST(aclrtMallocAlign32(&aligned, kBytes, ACL_MEM_MALLOC_NORMAL_ONLY));
  MUST(aclrtMallocHost(&pinned, kBytes));
  MUST(aclrtMallocHostWithCfg(&more, 3 * kMiB, nullptr));
  MUST(aclrtMemset(small, kBytes, 7, kBytes));
  MUST(aclrtMemsetAsync(large, kMiB, 8, kMiB, stream));
  MUST(aclrtMemsetD32Async(aligned, kBytes, 0x01020304, 16, stream));
  MUST(aclrtMemcpyAsync(large, kBytes, small, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
  MUST(aclrtMemcpy2dAsync(small, 64, aligned, 32, 32, 2, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
  MUST(aclrtMemcpyAsync(pinned, kBytes, large, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
  void* to = more;
  const void* from = large;
  MUST(aclrtMemcpyAsyncWithOffset(&to, kBytes, 0, &from, 100, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
  void* dsts[] = {aligned, small};
  void* srcs[] = {small, large};
  size_t sizes[] = {16, 32};
  aclrtMemcpyBatchAttr attribute = {};
  size_t first = 0;
  size_t failed = 0;
  MUST(aclrtMemcpyBatchAsync(dsts, sizes, srcs, sizes, 2, &attribute, &first, 1, &failed, stream));
  MUST(aclrtSynchronizeStream(stream));
  Expect(static_cast<char*>(pinned)[kBytes - 1] == 7 && static_cast<char*>(more)[99] == 8, "copies arrive");

  static char host[kBytes];
  void* address = nullptr;
  MUST(aclrtHostRegister(host, kBytes, ACL_HOST_REGISTER_MAPPED, &address));
  MUST(aclrtMemcpyAsyncWithCondition(host, 16, large, 16, ACL_MEMCPY_DEVICE_TO_HOST, stream));
  MUST(aclrtSynchronizeStream(stream));
  MUST(aclrtHostUnregister(host));
  aclrtPtrAttributes attributes = {};
  MUST(aclrtPointerGetAttributes(large, &attributes));
  MUST_REFUSE(kRtOutOfMemory, aclrtMalloc(&to, size_t{1} << 46, ACL_MEM_MALLOC_HUGE_FIRST));

  aclDataBuffer* buffer = nullptr;
  MUST_MAKE(buffer, aclCreateDataBuffer(small, kBytes));
  MUST(aclDestroyDataBuffer(buffer));
  for (void* block : {small, large, aligned}) MUST(aclrtFree(block));
  for (void* block : {pinned, more}) MUST(aclrtFreeHost(block));
}

void UseDescriptions() {
  const int64_t dims[] = {2, 3, 4, 5};
  int64_t ranges[][2] = {{1, 2}};
  float values[] = {1, 2};
  aclTensorDesc* tensor = nullptr;
  aclTensorDesc* other = nullptr;
  MUST_MAKE(tensor, aclCreateTensorDesc(ACL_FLOAT, 4, dims, ACL_FORMAT_NCHW));
  MUST(aclSetTensorShape(tensor, 2, dims));
  MUST(aclSetTensorDynamicInput(tensor, "x"));
  MUST(aclSetTensorConst(tensor, values, sizeof values));
  MUST(aclSetTensorShapeRange(tensor, 1, ranges));
  MUST(aclTransTensorDescFormat(tensor, ACL_FORMAT_NHWC, &other));
  MUST(aclSetTensorOriginShape(tensor, 1, dims));
  Expect(aclGetTensorDescNumDims(tensor) == 1 && aclGetTensorDescDim(other, 3) == 3, "descriptions have dims");
  aclDestroyTensorDesc(tensor);
  aclDestroyTensorDesc(other);
}

void UseVirtualMemory() {
  constexpr size_t kPart = 2 * kMiB;
  aclrtPhysicalMemProp properties = {};
  properties.memAttr = ACL_HBM_MEM_HUGE;
  properties.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
  void* range = nullptr;
  size_t free_before = 0;
  size_t free_after = 0;
  size_t total = 0;
  MUST(aclrtGetMemInfo(ACL_HBM_MEM, &free_before, &total));
  MUST(aclrtReserveMemAddress(&range, 4 * kPart, 0, nullptr, 0));
  const auto part = [&](size_t index) { return static_cast<char*>(range) + index * kPart; };
  aclrtDrvMemHandle memory[4] = {};
  for (aclrtDrvMemHandle& one : memory) MUST(aclrtMallocPhysical(&one, kPart, &properties, 0));
  // The second mapping extends the first; the third joins the run of the first two with the last one.
  for (const size_t index : {0, 1, 3, 2}) MUST(aclrtMapMem(part(index), kPart, 0, memory[index], 0));
  aclrtMemAccessDesc access = {};
  access.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
  access.location = properties.location;
  MUST(aclrtMemSetAccess(range, 4 * kPart, &access, 1));
  MUST(aclrtMemset(range, 4 * kPart, 9, 4 * kPart));
  void* base = nullptr;
  size_t size = 0;
  MUST(aclrtMemGetAddressRange(part(3), &base, &size));
  Expect(base == range && size == 4 * kPart, "neighbours are one block");
  aclrtDrvMemHandle same = nullptr;
  MUST(aclrtMemRetainAllocationHandle(part(1), &same));
  MUST(aclrtFreePhysical(same));
  // Leaves a hole in the middle, then removes the ends.
  for (const size_t index : {1, 0, 3, 2}) MUST(aclrtUnmapMem(part(index)));
  for (aclrtDrvMemHandle one : memory) MUST(aclrtFreePhysical(one));
  MUST(aclrtReleaseMemAddress(range));
  MUST(aclrtGetMemInfo(ACL_HBM_MEM, &free_after, &total));
  Expect(free_before == free_after, "physical memory comes back");
}

void UseRest(aclrtStream stream) {
  aclrtAllocatorDesc description = nullptr;
  MUST_MAKE(description, aclrtAllocatorCreateDesc());
  static int object = 0;
  static const auto allocate = [](void*, size_t) -> void* { return nullptr; };
  static const auto release = [](void*, void*) {};
  static const auto address = [](void*) -> void* { return nullptr; };
  MUST(aclrtAllocatorSetObjToDesc(description, &object));
  MUST(aclrtAllocatorSetAllocFuncToDesc(description, allocate));
  MUST(aclrtAllocatorSetFreeFuncToDesc(description, release));
  MUST(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(description, address));
  MUST(aclrtAllocatorRegister(stream, description));
  MUST(aclrtAllocatorUnregister(stream));
  MUST(aclrtAllocatorDestroyDesc(description));

  static const auto ignore = [](aclrtExceptionInfo*) {};
  MUST(aclrtSetExceptionInfoCallback(ignore));
  MUST(aclrtExceptionInfoCallbackRegister(ignore));
  MUST(aclrtExceptionInfoCallbackUnregister(ignore));
  MUST(aclrtSetExceptionInfoCallback(nullptr));
  static const auto ignore_device = [](int32_t, aclrtDeviceState, void*) {};
  MUST(aclrtRegDeviceStateCallback("another name that no short string can hold", ignore_device, nullptr));
  MUST(aclrtRegDeviceStateCallback("another name that no short string can hold", nullptr, nullptr));
  MUST(aclrtSetOpWaitTimeout(100));
  MUST(aclrtSetOpExecuteTimeOut(100));
  MUST(aclrtSetOpWaitTimeout(0));
  MUST(aclrtDeviceEnablePeerAccess(1, 0));
  MUST(aclrtDeviceDisablePeerAccess(1));
}

// Threads of the client have state in the library, which is released when they end.
void UseThreads() {
  std::thread([] {
    IsThreadOfTest();
    MUST_REFUSE(kRtReleasedTooOften, aclrtResetDevice(1));
    MUST(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    std::atomic<int> calls = 0;
    MUST(aclrtCreateStream(&stream));
    MUST(aclrtLaunchHostFunc(stream, Count, &calls));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtDestroyStream(stream));
    MUST(aclrtResetDevice(0));
  }).join();
}

}  // namespace

void UseWaitLimit(const std::function<void()>& begin) {
  aclrtStream stream = nullptr;
  aclrtNotify notify = nullptr;
  MUST(aclrtSetDevice(0));
  MUST(aclrtCreateStream(&stream));
  MUST(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
  begin();
  MUST(aclrtWaitAndResetNotify(notify, stream, 1));
  MUST_REFUSE(kRtStreamTimeout, aclrtSynchronizeStream(stream));
  MUST(aclrtDestroyNotify(notify));
  MUST(aclrtDestroyStream(stream));
  MUST(aclrtResetDevice(0));
}

void UseRuntime(const char* config) {
  UseLife(config, [] {
    MUST(aclrtSetDevice(0));
    UseMessages();
    UseContexts();
    UseStreams();
    aclrtStream one = nullptr;
    aclrtStream two = nullptr;
    MUST(aclrtCreateStream(&one));
    MUST(aclrtCreateStream(&two));
    UseEvents(one, two);
    UseSignals(one, two);
    UseCallbacks(one, two);
    UseMemory(one);
    UseDescriptions();
    UseVirtualMemory();
    UseRest(one);
    UseThreads();
    MUST(aclrtDestroyStream(one));
    MUST(aclrtDestroyStream(two));
    MUST(aclrtResetDevice(0));
  });
}

}  // namespace contract
