// SPDX-License-Identifier: Apache-2.0
// Waiting for all streams of a context, and ending its work.
#include <chrono>
#include <thread>

#include "base/no_cancel.h"
#include "base/status.h"
#include "runtime/contexts/context.h"
#include "runtime/contexts/deferred_free.h"

namespace portacl::contexts {
namespace {

bool ReleaseExternalWaits(HandleBits context) noexcept {
  bool any = false;
  g_streams.ForEach([&](streams::Stream& stream, HandleBits) {
    if (stream.context() == context && stream.ReleaseWait(nullptr)) any = true;
  });
  return any;
}

// Follows the chain of streams that wait for each other's records. Returns true when the chain ends in a cycle, or at a
// stream of another context that waits for something from outside. `trace` is a hash of the streams on the chain and
// their positions.
bool NeverMoves(streams::Stream* stream, HandleBits context, uint64_t* trace) noexcept {
  *trace = 0;
  const streams::Stream* mark = stream;
  for (uint64_t steps = 1, next_mark = 2;; ++steps) {
    uint64_t index = 0;
    streams::Stream* record_of = nullptr;
    if (!stream->Parked(&index, &record_of)) return false;
    *trace = (*trace ^ index) * 0x100000001B3 + ToBits(stream);
    if (record_of == nullptr) return stream->context() != context;
    stream = record_of;
    if (stream == mark) return true;
    if (steps == next_mark) {
      mark = stream;
      next_mark *= 2;
    }
  }
}

// Releases only one wait: that may let all other streams continue.
void ReleaseOneRecord(HandleBits context) noexcept {
  bool done = false;
  g_streams.ForEach([&](streams::Stream& stream, HandleBits) {
    if (done || stream.context() != context) return;
    uint64_t index = 0;
    streams::Stream* record_of = nullptr;
    if (!stream.Parked(&index, &record_of)) return;
    // The streams were not inspected at the same moment. Two equal traces prove that none moved in between.
    uint64_t before = 0;
    uint64_t after = 0;
    if (NeverMoves(&stream, context, &before) && NeverMoves(&stream, context, &after) && before == after)
      done = stream.ReleaseWait(record_of);
  });
}

}  // namespace

void DrainStreams(HandleBits context) noexcept {
  const NoCancel no_cancel;
  constexpr std::chrono::milliseconds kPatience{10};
  uint64_t seen = 0;
  for (bool parked_before = false;;) {
    bool finished = true;
    bool all_parked = true;
    uint64_t progress = 0;
    g_streams.ForEach([&](streams::Stream& stream, HandleBits) {
      if (stream.context() != context || stream.Finished()) return;
      uint64_t index = 0;
      if (!stream.Parked(&index)) {
        if (stream.WaitForAll(std::chrono::steady_clock::now() + kPatience)) return;
        all_parked = stream.Parked(&index) && all_parked;
      }
      finished = false;
      progress += index;
    });
    if (finished) return;
    const bool still = all_parked && parked_before && progress == seen;
    parked_before = all_parked;
    seen = progress;
    if (still) {
      if (!ReleaseExternalWaits(context)) ReleaseOneRecord(context);
      parked_before = false;
    }
    if (all_parked) std::this_thread::sleep_for(kPatience / 10);
  }
}

int32_t ReportAsynchronous(const char* function, int32_t status, streams::Stream& stream) noexcept {
  const streams::Stream::Reason reason = stream.LastReason();
  return Failf(status, "{}: work queued earlier failed on the device with status {}{}{}", function, status,
               reason[0] == '\0' ? "" : ": ", reason.data());
}

int32_t SynchronizeContext(const char* function, streams::Deadline deadline) {
  HandleBits context = 0;
  if (ResolveContext(function, &context) == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  bool in_time = true;
  int32_t error = 0;
  streams::Stream* failed = nullptr;
  g_streams.ForEach([&](streams::Stream& stream, HandleBits) {
    if (!in_time || stream.context() != context) return;
    in_time = stream.WaitForAll(deadline);
    if (!in_time) return;
    const int32_t status = stream.TakeError();
    if (error == 0) error = status;
    // Streams that stopped because another one failed do not know the reason.
    if (status != 0 && (failed == nullptr || failed->LastReason()[0] == '\0')) failed = &stream;
  });
  ReclaimDeferred();
  if (error != 0) return ReportAsynchronous(function, error, *failed);
  if (!in_time)
    return Failf(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "{}: expected all streams to finish in time, they still run",
                 function);
  return ACL_SUCCESS;
}

}  // namespace portacl::contexts
