// SPDX-License-Identifier: Apache-2.0
#include "hccl/gloo_link.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace portacl::hccl {
namespace {

// How long a rank that has lost another waits for the reason.
constexpr std::chrono::milliseconds kReasonLimit{1000};
constexpr size_t kMostAbortBytes = 2048;

// How long reading the data that a rank sent before its end may take. The data has arrived already, except for what is
// still in the network; a rank that leaves waits for that (Flush() of the plugin).
constexpr std::chrono::milliseconds kReadLimit{300};
constexpr std::chrono::milliseconds kReadLimitOfLeave{1000};

using SteadyTime = std::chrono::steady_clock::time_point;

}  // namespace

bool GlooLink::Ready() {
  const std::scoped_lock lock(mutex_);
  Frame frame;
  FrameStream::Got got = FrameStream::Got::kEnd;
  if (stream_->Flush()) {
    while ((got = stream_->Next(&frame)) == FrameStream::Got::kFrame) TakeLocked(frame);
  }
  is_connected_ = got != FrameStream::Got::kEnd;
  if (!is_connected_) changed_.notify_all();
  return is_connected_ || !has_left_;
}

void GlooLink::TakeLocked(const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::kAbort:
      if (reason_.empty()) reason_ = frame.body;
      EndWaits();
      if (near_ != nullptr) near_->Fail(reason_);
      break;
    case FrameKind::kLeave:
    case FrameKind::kEnded:
      if (frame.argument < has_ended_.size()) has_ended_[frame.argument] = frame.kind == FrameKind::kLeave ? 1 : 2;
      break;
    default:
      break;
  }
  changed_.notify_all();
}

void GlooLink::EndWaits() {
  is_over_ = true;
  small_->End();
  for (const Waiting& each : waits_) gloo_.end_wait(each.transfer);
}

void GlooLink::LosePeer(uint32_t peer) {
  const std::scoped_lock lock(mutex_);
  if (!lost_[peer]) lost_[peer] = std::chrono::steady_clock::now();
}

// The time at which messages with that rank end.
Deadline GlooLink::EndOf(uint32_t peer) const {
  if (!lost_[peer]) return std::nullopt;
  return *lost_[peer] + (has_ended_[peer] == 1 ? kReadLimitOfLeave : kReadLimit);
}

Deadline GlooLink::LimitOf(const Waiting& waiting) const {
  if (waiting.was_ended) return std::nullopt;
  const Deadline end = EndOf(waiting.peer);
  return end && (!waiting.deadline || *end < *waiting.deadline) ? end : waiting.deadline;
}

Deadline GlooLink::NextLimit() {
  const std::scoped_lock lock(mutex_);
  if (has_left_ && !is_connected_) return SteadyTime{};
  Deadline first;
  for (const Waiting& each : waits_) {
    const Deadline limit = LimitOf(each);
    if (limit && (!first || *limit < *first)) first = limit;
  }
  // Without waits the earlier plan stays, so that a new wait need not wake the watcher.
  if (!first && planned_ && *planned_ > std::chrono::steady_clock::now()) first = planned_;
  return planned_ = first;
}

bool GlooLink::Passed() {
  const std::scoped_lock lock(mutex_);
  const SteadyTime now = std::chrono::steady_clock::now();
  for (Waiting& each : waits_) {
    const Deadline limit = LimitOf(each);
    if (!limit || *limit > now) continue;
    each.was_ended = true;
    each.timed_out = limit == each.deadline;
    gloo_.end_wait(each.transfer);
  }
  return is_connected_ || !has_left_;
}

Outcome GlooLink::Wait(void* transfer, uint32_t peer, Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (is_over_) return Outcome::kLost;
  if (transfer != nullptr) {
    const auto waiting = waits_.insert(waits_.end(), {transfer, peer, deadline});
    const Deadline limit = LimitOf(*waiting);
    const bool is_earlier = limit && (!planned_ || *limit < *planned_);
    lock.unlock();
    if (is_earlier) WakeWatcher();
    const GlooEnd end = gloo_.wait(transfer);
    lock.lock();
    const bool timed_out = waiting->timed_out;
    waits_.erase(waiting);
    if (end == GlooEnd::kDone) return Outcome::kDone;
    if (end == GlooEnd::kEnded && (timed_out || is_over_)) return is_over_ ? Outcome::kLost : Outcome::kTimedOut;
  }
  AwaitReason(peer, lock);
  return Outcome::kLost;
}

// A connection between two ranks may end before the reason arrives through the root.
void GlooLink::AwaitReason(uint32_t peer, std::unique_lock<std::mutex>& lock) {
  changed_.wait_for(lock, kReasonLimit, [&] { return is_over_ || has_ended_[peer] != 0 || !is_connected_; });
  if (!is_over_ && reason_.empty() && has_ended_[peer] != 1)
    reason_ = fmt::format("the process of rank {} has ended, or the connection with it", peer);
}

void GlooLink::Abort(const std::string& reason) {
  const std::scoped_lock lock(mutex_);
  if (is_over_) return;
  if (reason_.empty()) reason_ = reason;
  stream_->Send(FrameKind::kAbort, rank_, std::string_view(reason).substr(0, kMostAbortBytes));
  EndWaits();
  changed_.notify_all();
}

bool GlooLink::Leave() {
  const std::scoped_lock lock(mutex_);
  const bool was_over = std::exchange(is_over_, true);
  EndWaits();
  stream_->Send(FrameKind::kLeave, rank_);
  stream_->Shutdown();
  has_left_ = true;
  changed_.notify_all();
  WakeWatcher();  // which then releases this link
  return !was_over;
}

}  // namespace portacl::hccl
