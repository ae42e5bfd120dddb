// SPDX-License-Identifier: Apache-2.0
// Stream functions of the C API.
#include "base/observer.h"
#include "runtime/acl/checks.h"
#include "runtime/acl/state_callbacks.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"
#include "runtime/contexts/deferred_free.h"

namespace portacl {
namespace {

aclError AwaitStream(const char* function, aclrtStream handle, streams::Deadline deadline) {
  int32_t status = 0;
  streams::Stream* stream = contexts::ResolveStream(function, handle, contexts::OtherContext::kAccept, &status);
  if (stream == nullptr) return status;
  if (!stream->WaitForAll(deadline)) {
    return Failf(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                 "{}: argument 'stream': expected the stream to finish in time, it still runs", function);
  }
  contexts::ReclaimDeferred();
  const int32_t error = stream->TakeError();
  return error == 0 ? ACL_SUCCESS : contexts::ReportAsynchronous(function, error, *stream);
}

// `end` returns false when another thread has ended the stream first.
aclError DestroyStream(const char* function, aclrtStream stream, bool (*end)(HandleBits) noexcept) noexcept {
  if (stream == nullptr) return NullArgument(function, "stream");
  int32_t status = 0;
  if (contexts::ResolveClientStream(function, stream, &status) == nullptr) return status;
  NotifyStreamState(stream, ACL_RT_STREAM_STATE_DESTROY_PRE);
  if (!end(ToBits(stream))) return BadHandle(function, "stream", "stream", stream);
  NotifyObservers([=](Observer& each) { each.HandleEnded(HandleKind::kStream, ToBits(stream)); });
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtCreateStream(aclrtStream* stream) {
  const ApiCall api_call(__func__);
  if (stream == nullptr) return NullArgument(__func__, "stream");
  HandleBits context_handle = 0;
  if (contexts::ResolveContext(__func__, &context_handle) == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  streams::Stream* fresh = nullptr;
  const aclError status = contexts::OpenStream(__func__, context_handle, &fresh);
  if (status != ACL_SUCCESS) return status;
  *stream = ToHandle(fresh->handle());
  NotifyObservers([=](Observer& each) { each.HandleMade(HandleKind::kStream, fresh->handle()); });
  NotifyStreamState(*stream, ACL_RT_STREAM_STATE_CREATE_POST);
  return ACL_SUCCESS;
}

aclError aclrtDestroyStream(aclrtStream stream) {
  const ApiCall api_call(__func__);
  return DestroyStream(__func__, stream, contexts::CloseStream);
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
  const ApiCall api_call(__func__);
  return DestroyStream(__func__, stream, contexts::AbandonStream);
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  const ApiCall api_call(__func__);
  return AwaitStream(__func__, stream, {});
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  const ApiCall api_call(__func__);
  streams::Deadline deadline;
  const aclError status = ReadTimeout(__func__, timeout, &deadline);
  return status != ACL_SUCCESS ? status : AwaitStream(__func__, stream, deadline);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  const ApiCall api_call(__func__);
  if (status == nullptr) return NullArgument(__func__, "status");
  int32_t code = 0;
  streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kAccept, &code);
  if (live == nullptr) return code;
  if (!live->Finished()) {
    *status = ACL_STREAM_STATUS_NOT_READY;
    return ACL_SUCCESS;
  }
  const int32_t error = live->TakeError();
  if (error != 0) return contexts::ReportAsynchronous(__func__, error, *live);
  *status = ACL_STREAM_STATUS_COMPLETE;
  return ACL_SUCCESS;
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream) {
  const ApiCall api_call(__func__);
  if (stream == nullptr) return NullArgument(__func__, "stream");
  const contexts::Context* context = contexts::ResolveContext(__func__);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  *stream = ToHandle(context->default_stream()->handle());
  return ACL_SUCCESS;
}
