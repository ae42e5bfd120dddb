// SPDX-License-Identifier: Apache-2.0
// Stream functions of the C API, and host functions.
#include <new>

#include "runtime/arguments.h"
#include "runtime/context.h"
#include "runtime/deadline.h"

namespace portacl {
namespace {

class HostFunction final : public Work {
 public:
  HostFunction(aclrtHostFunc function, void* argument)
      : Work(WorkKind::kHost), function_(function), argument_(argument) {}

  int32_t Run() noexcept override {
    try {
      function_(argument_);
    } catch (...) {
      return ACL_ERROR_RT_INTERNAL_ERROR;
    }
    return 0;
  }
  void Finish() noexcept override { delete this; }

 private:
  ~HostFunction() = default;

  const aclrtHostFunc function_;
  void* const argument_;
};

aclError AwaitStream(const char* function, aclrtStream handle, Deadline deadline) noexcept {
  int32_t status = 0;
  Stream* stream = NeedStream(function, handle, OtherContext::kAccept, &status);
  if (stream == nullptr) return status;
  if (!stream->WaitForAll(deadline)) {
    return Failf(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                 "{}: argument 'stream': expected the stream to finish in time, it still runs", function);
  }
  const int32_t error = stream->TakeError();
  return error == 0 ? ACL_SUCCESS : ReportAsynchronous(function, error);
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtCreateStream(aclrtStream* stream) {
  constexpr const char* kFunction = "aclrtCreateStream";
  if (stream == nullptr) return NullArgument(kFunction, "stream");
  HandleBits context_handle = 0;
  const Context* context = NeedContext(kFunction, &context_handle);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  const Stream* fresh = OpenStream(kFunction, *context, context_handle);
  if (fresh == nullptr) return ACL_ERROR_RT_NO_STREAM_RESOURCE;
  *stream = ToHandle(fresh->handle());
  return ACL_SUCCESS;
}

aclError aclrtDestroyStream(aclrtStream stream) {
  constexpr const char* kFunction = "aclrtDestroyStream";
  if (stream == nullptr) return NullArgument(kFunction, "stream");
  int32_t status = 0;
  const Stream* live = NeedStream(kFunction, stream, OtherContext::kRefuse, &status);
  if (live == nullptr) return status;
  const Context* context = g_contexts.Find(live->context());
  if (context != nullptr && context->default_stream() == live) {
    return Failf(ACL_ERROR_INVALID_PARAM,
                 "{}: argument 'stream': expected a stream made by aclrtCreateStream, got the default stream",
                 kFunction);
  }
  return CloseStream(ToBits(stream)) ? ACL_SUCCESS : BadHandle(kFunction, "stream", "stream", stream);
}

aclError aclrtSynchronizeStream(aclrtStream stream) { return AwaitStream("aclrtSynchronizeStream", stream, {}); }

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  Deadline deadline;
  const aclError status = ReadTimeout("aclrtSynchronizeStreamWithTimeout", timeout, &deadline);
  return status != ACL_SUCCESS ? status : AwaitStream("aclrtSynchronizeStreamWithTimeout", stream, deadline);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  constexpr const char* kFunction = "aclrtStreamQuery";
  if (status == nullptr) return NullArgument(kFunction, "status");
  int32_t code = 0;
  Stream* live = NeedStream(kFunction, stream, OtherContext::kAccept, &code);
  if (live == nullptr) return code;
  if (!live->Finished()) {
    *status = ACL_STREAM_STATUS_NOT_READY;
    return ACL_SUCCESS;
  }
  const int32_t error = live->TakeError();
  if (error != 0) return ReportAsynchronous(kFunction, error);
  *status = ACL_STREAM_STATUS_COMPLETE;
  return ACL_SUCCESS;
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream) {
  constexpr const char* kFunction = "aclrtCtxGetCurrentDefaultStream";
  if (stream == nullptr) return NullArgument(kFunction, "stream");
  const Context* context = NeedContext(kFunction);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  *stream = ToHandle(context->default_stream()->handle());
  return ACL_SUCCESS;
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  constexpr const char* kFunction = "aclrtLaunchHostFunc";
  if (fn == nullptr) return NullArgument(kFunction, "fn");
  int32_t status = 0;
  Stream* live = NeedStream(kFunction, stream, OtherContext::kRefuse, &status);
  if (live == nullptr) return status;
  auto* work = new (std::nothrow) HostFunction(fn, args);
  if (work == nullptr) return Failf(ACL_ERROR_RT_MEMORY_ALLOCATION, "{}: out of host memory", kFunction);
  status = live->Submit(work, 0);
  if (status != 0) work->Finish();
  return status;
}
