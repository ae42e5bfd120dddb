// SPDX-License-Identifier: Apache-2.0
// Waiting for all streams of a context.
#include "runtime/contexts/context.h"
#include "runtime/streams/deadline.h"

namespace portacl::contexts {

int32_t SynchronizeContext(const char* function, streams::Deadline deadline) {
  HandleBits context = 0;
  if (NeedContext(function, &context) == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  bool in_time = true;
  int32_t error = 0;
  g_streams.ForEach([&](streams::Stream& stream, HandleBits) {
    if (!in_time || stream.context() != context) return;
    in_time = stream.WaitForAll(deadline);
    if (!in_time) return;
    const int32_t status = stream.TakeError();
    if (error == 0) error = status;
  });
  if (error != 0) return streams::ReportAsynchronous(function, error);
  if (!in_time)
    return Failf(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "{}: expected all streams to finish in time, they still run",
                 function);
  return ACL_SUCCESS;
}

}  // namespace portacl::contexts
