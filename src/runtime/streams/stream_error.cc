// SPDX-License-Identifier: Apache-2.0
// The first error of a stream since the last synchronization, and its reason.
#include <cstdio>
#include <string>

#include "base/status.h"
#include "runtime/streams/stream.h"

namespace portacl::streams {

void Stream::KeepError(int32_t status, const char* reason) noexcept {
  const std::scoped_lock lock(reason_mutex_);
  int32_t none = 0;
  if (!error_.compare_exchange_strong(none, status, std::memory_order_acq_rel)) return;
  std::snprintf(reason_.data(), reason_.size(), "%s", reason == nullptr ? "" : reason);
}

Stream::Reason Stream::LastReason() noexcept {
  const std::scoped_lock lock(reason_mutex_);
  return reason_;
}

void Stream::Fail(int32_t status, uint32_t task, const char* reason) noexcept {
  KeepError(status, reason);
  const ClientCall call(this);
  OnTaskFailure(*this, task, status, reason);
}

// What a worker's task reports is in the worker's list, where no client reads it.
void Stream::FailTask(const Task& task, int32_t status, bool on_worker) noexcept {
  const std::string report = on_worker ? TakeReportOf(status) : std::string();
  const char* reason = task.Reason();
  if (reason == nullptr && !report.empty()) reason = report.c_str();
  Fail(status, TaskNumber(finished_.load(std::memory_order_relaxed)), reason);
}

}  // namespace portacl::streams
