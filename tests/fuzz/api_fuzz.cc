// SPDX-License-Identifier: Apache-2.0
// Random sequences of runtime, object and executor calls on live, destroyed, foreign and null handles. Every call must
// return a code of its family, with a message on failure, and no call may crash, hang, leak or race. Actions that the
// interface leaves undefined (freeing memory in use, using descriptions of destroyed tensors) are not generated.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "calls/call.h"
#include "handles.h"
#include "ops/operators.h"

namespace portacl::fuzz {
namespace {

using calls::Call;
using calls::Random;

constexpr size_t kBlockBytes = 256;

class Session {
 public:
  explicit Session(Random& random) : random_(random) {}

  void Run() {
    Expect(aclrtSetDevice(0), "aclrtSetDevice");
    Check(aclrtSetDevice(0), "aclrtSetDevice");
    const int64_t steps = random_.Between(1, 60);
    for (int64_t i = 0; i < steps; ++i) Step();
    Close();
  }

 private:
  void Stop(const char* function, int64_t code, const char* what) {
    std::fprintf(stderr, "FINDING: %s gave %lld: %s\n", function, static_cast<long long>(code), what);
    std::abort();
  }
  // Accepts any outcome that is documented.
  bool Check(int32_t code, const char* function) {
    if (code == 0) return true;
    const int32_t family = code / 1000;
    const bool known = family == 100 || family == 107 || family == 207 || family == 507 || family == 161 ||
                       family == 361 || family == 561;
    if (!known) Stop(function, code, "an undocumented code");
    const char* message = aclGetRecentErrMsg();
    if (message == nullptr || std::strstr(message, function) == nullptr)
      Stop(function, code, "no message names the function");
    return false;
  }
  void Expect(int32_t code, const char* function) {
    if (code != 0) Stop(function, code, "it had to succeed");
  }
#define TRY(function, ...) Check(function(__VA_ARGS__), #function)
#define MUST(function, ...) Expect(function(__VA_ARGS__), #function)

  void Step() {
    switch (random_.Below(8)) {
      case 0:
        return StreamStep();
      case 1:
        return EventStep();
      case 2:
        return MemoryStep();
      case 3:
        return CopyStep();
      case 4:
        return ObjectStep();
      case 5:
        return DeviceStep();
      default:
        return ExecutorStep();
    }
  }

  void StreamStep() {
    const aclrtStream stream = streams_.Draw(random_);
    switch (random_.Below(5)) {
      case 0: {
        aclrtStream made = nullptr;
        if (TRY(aclrtCreateStream, &made)) streams_.Add(made);
        break;
      }
      case 1:
        if (TRY(aclrtDestroyStream, stream)) streams_.Kill(stream);
        break;
      case 2:
        TRY(aclrtSynchronizeStream, stream);
        break;
      case 3:
        TRY(aclrtSynchronizeStreamWithTimeout, stream, static_cast<int32_t>(random_.Between(-2, 50)));
        break;
      default: {
        aclrtStreamStatus status{};
        TRY(aclrtStreamQuery, stream, random_.Chance(0.1) ? nullptr : &status);
      }
    }
  }

  void EventStep() {
    const aclrtEvent event = events_.Draw(random_);
    const aclrtStream stream = streams_.Draw(random_);
    aclrtEvent made = nullptr;
    aclrtEventRecordedStatus status{};
    float milliseconds = 0;
    switch (random_.Below(9)) {
      case 0:
        TRY(aclrtCreateEvent, &made);
        break;
      case 1:
        TRY(aclrtCreateEventWithFlag, &made, static_cast<uint32_t>(random_.Below(130)));
        break;
      case 2:
        TRY(aclrtCreateEventExWithFlag, &made, static_cast<uint32_t>(random_.Below(130)));
        break;
      case 3:
        if (TRY(aclrtRecordEvent, event, stream)) recorded_.Add(event);
        break;
      case 4: {
        // A wait for an event that is never recorded blocks its stream for ever, as documented.
        const aclrtEvent ready = recorded_.IsLive(event) ? event : nullptr;
        TRY(aclrtStreamWaitEvent, stream, ready);
        break;
      }
      case 5:
        TRY(aclrtQueryEventStatus, event, &status);
        break;
      case 6:
        TRY(aclrtSynchronizeEventWithTimeout, event, static_cast<int32_t>(random_.Between(-2, 50)));
        break;
      case 7:
        TRY(aclrtEventElapsedTime, &milliseconds, event, events_.Draw(random_));
        break;
      default:
        if (TRY(aclrtDestroyEvent, event)) events_.Kill(event), recorded_.Kill(event);
    }
    events_.Add(made);
  }

  void MemoryStep() {
    void* made = nullptr;
    if (random_.Chance(0.5)) {
      const bool sane = random_.Chance(0.9);
      const size_t bytes = sane ? kBlockBytes : static_cast<size_t>(random_.Bits()) | size_t{1} << 50;
      if (TRY(aclrtMalloc, random_.Chance(0.05) ? nullptr : &made, random_.Chance(0.05) ? 0 : bytes,
              ACL_MEM_MALLOC_HUGE_FIRST))
        blocks_.Add(made);
      return;
    }
    void* block = blocks_.Draw(random_);
    if (blocks_.IsLive(block)) {
      for (aclrtStream stream : streams_.live()) aclrtSynchronizeStream(stream);  // no queued task uses it any more
      aclrtSynchronizeDevice();
      aclGetRecentErrMsg();
    }
    if (TRY(aclrtFree, block)) blocks_.Kill(block);
  }

  void CopyStep() {
    char host[kBlockBytes] = {};
    void* to = blocks_.DrawLive(random_);
    void* from = blocks_.DrawLive(random_);
    const auto count = static_cast<size_t>(random_.Below(kBlockBytes + 1));
    const auto limit = static_cast<size_t>(random_.Below(kBlockBytes + 1));
    const auto kind = static_cast<aclrtMemcpyKind>(random_.Between(-1, 9));
    const aclrtStream stream = streams_.Draw(random_);
    if (random_.Chance(0.05)) to = nullptr;
    switch (random_.Below(5)) {
      case 0:
        TRY(aclrtMemcpy, to, limit, random_.Chance(0.5) ? host : from, count, kind);
        break;
      case 1:
        TRY(aclrtMemcpy, host, limit, from, count, kind);
        break;
      case 2:
        TRY(aclrtMemcpyAsync, to, limit, random_.Chance(0.5) ? host : from, count, kind, stream);
        break;
      case 3:
        TRY(aclrtMemset, to, limit, 3, count);
        break;
      default:
        TRY(aclrtMemsetAsync, to, limit, 3, count, stream);
    }
  }

  void ObjectStep() {
    const int64_t dims[] = {random_.Between(-1, 4), random_.Between(0, 4), 2};
    const auto rank = static_cast<uint64_t>(random_.Below(4));
    const int64_t* view = random_.Chance(0.1) ? nullptr : dims;
    aclTensor* tensor = aclCreateTensor(view, rank, static_cast<aclDataType>(random_.Between(-1, 41)),
                                        random_.Chance(0.5) ? dims : nullptr, random_.Between(-1, 5),
                                        static_cast<aclFormat>(random_.Between(-1, 54)), view, rank, nullptr);
    if (tensor == nullptr && aclGetRecentErrMsg() == nullptr) Stop("aclCreateTensor", 0, "null without a message");
    int64_t* values = nullptr;
    uint64_t count = 0;
    if (TRY(aclGetViewShape, tensor, &values, &count)) delete[] values;
    values = nullptr;
    if (TRY(aclGetViewStrides, tensor, random_.Chance(0.1) ? nullptr : &values, &count)) delete[] values;
    const aclTensor* elements[] = {tensor, nullptr};
    if (random_.Chance(0.5)) {
      MUST(aclDestroyTensorList, aclCreateTensorList(elements, static_cast<uint64_t>(random_.Between(1, 2))));
      if (random_.Chance(0.3)) aclDestroyTensor(tensor);  // clients do this; any code is accepted, but no crash
    } else {
      MUST(aclDestroyTensor, tensor);
    }
    const auto length = static_cast<uint64_t>(random_.Below(4));
    MUST(aclDestroyIntArray, aclCreateIntArray(random_.Chance(0.1) ? nullptr : dims, std::min<uint64_t>(length, 3)));
    char element[16] = {};
    MUST(aclDestroyScalar,
         aclCreateScalar(random_.Chance(0.1) ? nullptr : element, static_cast<aclDataType>(random_.Between(-1, 41))));
  }

  void DeviceStep() {
    int32_t device = 0;
    aclrtContext context = nullptr;
    switch (random_.Below(6)) {
      case 0:
        TRY(aclrtSetDevice, static_cast<int32_t>(random_.Between(-1, 1)));
        break;
      case 1:
        TRY(aclrtGetDevice, &device);
        break;
      case 2:
        TRY(aclrtGetCurrentContext, &context);
        break;
      case 3:
        TRY(aclrtSynchronizeDevice);
        break;
      case 4:
        if (random_.Chance(0.2) && TRY(aclrtResetDeviceForce, 0)) {
          streams_.KillAll();
          events_.KillAll();
          recorded_.KillAll();
          aclrtSetDevice(0);
        }
        break;
      default:
        ContextStep();
    }
    aclGetRecentErrMsg();
  }

  // Makes another context current for a few calls, for which streams of the first one are foreign.
  void ContextStep() {
    aclrtContext first = nullptr, made = nullptr;
    if (!TRY(aclrtGetCurrentContext, &first) || !TRY(aclrtCreateContext, &made, 0)) return;
    aclrtStream own = nullptr;
    TRY(aclrtCreateStream, &own);
    for (int i = 0; i < 3; ++i) random_.Chance(0.5) ? StreamStepInOther() : ExecutorStep();
    TRY(aclrtSynchronizeStream, own);
    MUST(aclrtDestroyContext, made);
    TRY(aclrtDestroyStream, own);
    TRY(aclrtDestroyContext, random_.Chance(0.5) ? made : first);
    MUST(aclrtSetCurrentContext, first);
  }
  void StreamStepInOther() {
    const aclrtStream stream = streams_.Draw(random_);
    TRY(aclrtSynchronizeStreamWithTimeout, stream, 20);
    if (TRY(aclrtDestroyStream, stream)) streams_.Kill(stream);
  }

  aclOpExecutor* DrawExecutor() { return static_cast<aclOpExecutor*>(executors_.Draw(random_)); }

  void ExecutorStep() {
    const exec::OperatorEntry& entry = *random_.Pick(Operators());
    aclOpExecutor* executor = DrawExecutor();
    switch (random_.Below(6)) {
      case 0:
      case 1: {
        calls_.push_back(calls::MakeValidCall(entry));
        calls_.back().AllocateData();
        uint64_t bytes = 0;
        aclOpExecutor* made = nullptr;
        Expect(calls_.back().Plan(&bytes, &made), "phase 1");
        executors_.Add(made);
        break;
      }
      case 2:
      case 3: {
        const uint64_t bytes = random_.Chance(0.1) ? 64 : 0;
        const int32_t status = entry.run(nullptr, bytes, executor, streams_.Draw(random_));
        Check(status, entry.schema->api);
        if (executor != nullptr && !repeatable_.IsLive(executor)) Forget(executor);
        break;
      }
      case 4:
        if (TRY(aclDestroyAclOpExecutor, executor)) Forget(executor);
        break;
      default:
        if (TRY(aclSetAclOpExecutorRepeatable, executor)) repeatable_.Add(executor);
    }
  }
  void Forget(aclOpExecutor* executor) {
    executors_.Kill(executor);
    repeatable_.Kill(executor);
  }

  void Close() {
    aclrtSetDevice(0);
    MUST(aclrtSynchronizeDevice);
    for (void* executor : std::vector<void*>(executors_.live()))
      aclDestroyAclOpExecutor(static_cast<aclOpExecutor*>(executor));
    for (const aclrtStream stream : streams_.live()) MUST(aclrtDestroyStream, stream);
    for (const aclrtEvent event : events_.live()) MUST(aclrtDestroyEvent, event);
    MUST(aclrtResetDeviceForce, 0);
    for (void* block : blocks_.live()) MUST(aclrtFree, block);
    aclGetRecentErrMsg();
  }

  Random& random_;
  Handles<aclrtStream> streams_;
  Handles<aclrtEvent> events_;
  Handles<aclrtEvent> recorded_;
  Handles<void*> blocks_;
  Handles<void*> executors_;
  Handles<void*> repeatable_;
  std::vector<Call> calls_;  // own the memory that executors use
};

}  // namespace
}  // namespace portacl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  portacl::calls::Random random(data, size);
  portacl::fuzz::Session(random).Run();
  return 0;
}
