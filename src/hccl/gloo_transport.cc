// SPDX-License-Identifier: Apache-2.0
#include "hccl/gloo_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <list>
#include <mutex>
#include <utility>
#include <vector>

#include "hccl/address.h"
#include "hccl/gloo_library.h"
#include "hccl/watcher.h"

namespace portacl::hccl {
namespace {

// How long a rank that leaves waits for others to have read what it sent. Their threads answer, whatever they do.
constexpr int64_t kFlushLimitMs = 1000;
// How long a rank that has lost another waits to hear why.
constexpr std::chrono::milliseconds kReasonLimit{1000};
constexpr size_t kMostFrameBytes = size_t{1} << 20;
constexpr size_t kMostAbortBytes = 2048;

using SteadyTime = std::chrono::steady_clock::time_point;

// What this rank knows of the communicator, and the connection on which it hears it.
class Link final : public Watched {
 public:
  Link(std::unique_ptr<FrameStream> stream, const GlooTable& gloo, uint32_t rank, uint32_t ranks)
      : gloo_(gloo), rank_(rank), has_ended_(ranks), stream_(std::move(stream)) {}

  // Without the connection limits are still looked after.
  int fd() const noexcept override {
    const std::scoped_lock lock(mutex_);
    return is_connected_ ? stream_->fd() : -1;
  }
  bool WantsToSend() override {
    const std::scoped_lock lock(mutex_);
    return stream_->HasUnsent();
  }
  bool Ready() override;
  Deadline NextLimit() override;
  bool Passed() override;

  Outcome Wait(void* transfer, uint32_t peer, Deadline deadline);
  void Take(const Frame& frame) {
    const std::scoped_lock lock(mutex_);
    TakeLocked(frame);
  }
  /// Ends all waits. False: they have ended before.
  bool Abort(const std::string& reason);
  bool Leave();
  std::string Reason() {
    const std::scoped_lock lock(mutex_);
    return reason_;
  }

  const GlooTable& gloo() const { return gloo_; }
  /// Messages that are not done.
  void Count(int change) {
    const std::scoped_lock lock(mutex_);
    under_way_ += change;
  }
  bool IsIdle() {
    const std::scoped_lock lock(mutex_);
    return under_way_ == 0;
  }

 private:
  struct Waiting {
    void* transfer;
    Deadline deadline;
    bool timed_out = false;
  };

  void TakeLocked(const Frame& frame);
  void EndWaits();
  void AwaitReason(uint32_t peer, std::unique_lock<std::mutex>& lock);

  const GlooTable& gloo_;
  const uint32_t rank_;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::vector<char> has_ended_;  // or has left
  const std::unique_ptr<FrameStream> stream_;
  bool is_connected_ = true;  // to the root
  bool is_over_ = false;
  bool has_left_ = false;
  std::string reason_;
  std::list<Waiting> waits_;
  Deadline planned_;  // when the watcher looks at the waits
  int under_way_ = 0;
};

bool Link::Ready() {
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

void Link::TakeLocked(const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::kAbort:
      if (reason_.empty()) reason_ = frame.body;
      EndWaits();
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

void Link::EndWaits() {
  is_over_ = true;
  for (const Waiting& each : waits_) gloo_.end_wait(each.transfer);
}

Deadline Link::NextLimit() {
  const std::scoped_lock lock(mutex_);
  if (has_left_ && !is_connected_) return SteadyTime{};
  Deadline first;
  for (const Waiting& each : waits_) {
    if (each.deadline && !each.timed_out && (!first || *each.deadline < *first)) first = each.deadline;
  }
  // Without waits the earlier plan stays, so that one that begins need not wake the watcher.
  if (!first && planned_ && *planned_ > std::chrono::steady_clock::now()) first = planned_;
  return planned_ = first;
}

bool Link::Passed() {
  const std::scoped_lock lock(mutex_);
  const SteadyTime now = std::chrono::steady_clock::now();
  for (Waiting& each : waits_) {
    if (!each.deadline || each.timed_out || *each.deadline > now) continue;
    each.timed_out = true;
    gloo_.end_wait(each.transfer);
  }
  return is_connected_ || !has_left_;
}

Outcome Link::Wait(void* transfer, uint32_t peer, Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (is_over_) return Outcome::kLost;
  if (transfer != nullptr) {
    const auto waiting = waits_.insert(waits_.end(), {transfer, deadline});
    const bool is_earlier = deadline && (!planned_ || *deadline < *planned_);
    lock.unlock();
    if (is_earlier) WakeWatcher();
    const GlooEnd end = gloo_.wait(transfer);
    lock.lock();
    const bool timed_out = waiting->timed_out;
    waits_.erase(waiting);
    if (end == GlooEnd::kDone) return Outcome::kDone;
    if (end == GlooEnd::kEnded) return timed_out && !is_over_ ? Outcome::kTimedOut : Outcome::kLost;
  }
  AwaitReason(peer, lock);
  return Outcome::kLost;
}

// A connection between two ranks may end before the word of why comes through the root.
void Link::AwaitReason(uint32_t peer, std::unique_lock<std::mutex>& lock) {
  changed_.wait_for(lock, kReasonLimit, [&] { return is_over_ || has_ended_[peer] != 0 || !is_connected_; });
  if (!is_over_ && reason_.empty() && has_ended_[peer] != 1)
    reason_ = fmt::format("the process of rank {} has ended, or the connection with it", peer);
}

bool Link::Abort(const std::string& reason) {
  const std::scoped_lock lock(mutex_);
  if (is_over_) return false;
  if (reason_.empty()) reason_ = reason;
  stream_->Send(FrameKind::kAbort, rank_, std::string_view(reason).substr(0, kMostAbortBytes));
  EndWaits();
  changed_.notify_all();
  return true;
}

bool Link::Leave() {
  const std::scoped_lock lock(mutex_);
  const bool was_over = std::exchange(is_over_, true);
  EndWaits();
  stream_->Send(FrameKind::kLeave, rank_);
  stream_->Shutdown();
  has_left_ = true;
  changed_.notify_all();
  WakeWatcher();  // which lets this go
  return !was_over;
}

class GlooTransfer final : public Transfer {
 public:
  GlooTransfer(std::shared_ptr<Link> link, void* mesh, bool sends, uint32_t peer, uint64_t tag, void* data,
               size_t bytes)
      : link_(std::move(link)), peer_(peer), handle_(link_->gloo().begin(mesh, sends, peer, tag, data, bytes)) {
    link_->Count(1);
  }
  ~GlooTransfer() override {
    if (handle_ != nullptr) link_->gloo().release_transfer(handle_);
    if (!is_done_ && handle_ == nullptr) link_->Count(-1);
  }

  Outcome Wait(Deadline deadline) override {
    if (is_done_) return Outcome::kDone;
    const Outcome outcome = link_->Wait(handle_, peer_, deadline);
    if (outcome == Outcome::kDone) {
      is_done_ = true;
      link_->Count(-1);
    }
    return outcome;
  }

 private:
  const std::shared_ptr<Link> link_;
  const uint32_t peer_;
  void* const handle_;  // null: the connection was gone
  bool is_done_ = false;
};

class GlooTransport final : public Transport {
 public:
  GlooTransport(std::shared_ptr<Link> link, void* mesh) : link_(std::move(link)), mesh_(mesh) {}
  ~GlooTransport() override {
    GlooTransport::Leave();
    link_->gloo().release(mesh_);
  }

  std::unique_ptr<Transfer> Send(uint32_t to, uint64_t tag, const void* data, size_t bytes) override {
    return std::make_unique<GlooTransfer>(link_, mesh_, true, to, tag, const_cast<void*>(data), bytes);
  }
  std::unique_ptr<Transfer> Receive(uint32_t from, uint64_t tag, void* data, size_t bytes) override {
    return std::make_unique<GlooTransfer>(link_, mesh_, false, from, tag, data, bytes);
  }

  void Leave() noexcept override {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(has_left_, true)) return;
    // A message that was taken back half-way blocks all behind it: then others hear of the end at once.
    if (link_->Leave() && link_->IsIdle()) link_->gloo().flush(mesh_, kFlushLimitMs);
    link_->gloo().close(mesh_);
  }

  void Abort(const std::string& reason) override {
    if (link_->Abort(reason)) link_->gloo().close(mesh_);
  }
  std::string Reason() override { return link_->Reason(); }

 private:
  const std::shared_ptr<Link> link_;
  void* const mesh_;
  std::mutex mutex_;  // guards has_left_
  bool has_left_ = false;
};

// The rank's side of the server while it connects.
struct Joining {
  FrameStream& stream;
  Deadline deadline;
  std::string value = {};
  std::vector<Frame> early = {};  // of ranks that are further
};

bool SetValue(void* self, const char* key, const char* data, size_t bytes) {
  std::string body(key);
  body.push_back('\0');
  body.append(data, bytes);
  return static_cast<Joining*>(self)->stream.Send(FrameKind::kSet, 0, body);
}

const char* GetValue(void* self, const char* key, size_t* bytes) {
  auto* const joining = static_cast<Joining*>(self);
  if (!joining->stream.Send(FrameKind::kGet, 0, key)) return nullptr;
  Frame frame;
  while (WaitForFrame(joining->stream, &frame, joining->deadline)) {
    if (frame.kind == FrameKind::kValue) {
      joining->value = std::move(frame.body);
      *bytes = joining->value.size();
      return joining->value.data();
    }
    if (frame.kind == FrameKind::kEnded) return nullptr;
    joining->early.push_back(frame);
  }
  return nullptr;
}

// A rank that fails or leaves at once ends connections that others may still be making. So none goes on before all have
// theirs.
bool WaitUntilAllAreConnected(Joining& joining, uint32_t rank, uint32_t ranks) {
  size_t bytes = 0;
  if (!SetValue(&joining, fmt::format("connected_{}", rank).c_str(), "", 0)) return false;
  for (uint32_t peer = 0; peer < ranks; ++peer) {
    if (GetValue(&joining, fmt::format("connected_{}", peer).c_str(), &bytes) == nullptr) return false;
  }
  return true;
}

bool HasPassed(Deadline deadline) { return deadline && std::chrono::steady_clock::now() >= *deadline; }

// Until the server says that all ranks have come.
HcclResult EnterGroup(FrameStream& stream, const JoinRequest& request, Deadline deadline, Frame* answer,
                      std::string* why) {
  std::string body(sizeof(request), '\0');
  std::memcpy(body.data(), &request, sizeof(request));
  stream.Send(FrameKind::kJoin, 0, body);
  if (!WaitForFrame(stream, answer, deadline)) {
    *why =
        HasPassed(deadline) ? "some ranks did not come within HCCL_CONNECT_TIMEOUT" : "the root closed the connection";
    return HasPassed(deadline) ? HCCL_E_TIMEOUT : HCCL_E_TCP_TRANSFER;
  }
  if (answer->kind == FrameKind::kReady) return HCCL_SUCCESS;
  *why = answer->kind == FrameKind::kRefused ? answer->body : "the root sent what is no answer";
  const bool is_result = answer->kind == FrameKind::kRefused && answer->argument < HCCL_E_OOM;
  return is_result ? static_cast<HcclResult>(answer->argument) : HCCL_E_TCP_TRANSFER;
}

}  // namespace

HcclResult ConnectThroughRoot(const RootAddress& root, const Key& key, uint32_t ranks, uint32_t rank, Deadline deadline,
                              std::unique_ptr<Transport>* transport, std::string* why) {
  const GlooTable* const gloo = OpenGloo(why);
  if (gloo == nullptr) return HCCL_E_NOT_FOUND;
  JoinRequest request = {kJoinVersion, ranks, rank, AddressIsGiven() ? 1u : 0u, key, {}};
  HostName().copy(request.host, sizeof(request.host) - 1);
  std::string own_address = OwnAddress(why);
  if (own_address.empty()) return HCCL_E_NETWORK;

  const int fd = ConnectTo(root.address, root.port, deadline);
  if (fd < 0) {
    const int error = errno;
    *why = fmt::format("the process of the root cannot be reached at {}, port {}: {}", root.address, root.port,
                       std::strerror(error));
    return error == ETIMEDOUT ? HCCL_E_TIMEOUT : HCCL_E_TCP_CONNECT;
  }
  auto stream = std::make_unique<FrameStream>(fd, kMostFrameBytes);
  Frame answer;
  if (const HcclResult result = EnterGroup(*stream, request, deadline, &answer, why); result != HCCL_SUCCESS)
    return result;
  if (answer.argument == 1) own_address = LoopbackAddress();

  Joining joining{*stream, deadline};
  const GlooStore store = {&joining, &SetValue, &GetValue};
  const auto left =
      deadline
          ? std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now()).count()
          : int64_t{INT32_MAX};
  char error[512] = {};
  void* const mesh =
      gloo->connect(own_address.c_str(), rank, ranks, std::max<int64_t>(left, 1), &store, error, sizeof(error));
  if (mesh == nullptr) {
    *why = fmt::format("the ranks cannot be connected, this one at {}: {}", own_address, error);
    return HasPassed(deadline) ? HCCL_E_TIMEOUT : HCCL_E_TCP_CONNECT;
  }
  if (!WaitUntilAllAreConnected(joining, rank, ranks)) {
    gloo->release(mesh);
    *why = "the ranks cannot be connected: one of them has ended, or has not come in time";
    return HasPassed(deadline) ? HCCL_E_TIMEOUT : HCCL_E_TCP_CONNECT;
  }
  auto link = std::make_shared<Link>(std::move(stream), *gloo, rank, ranks);
  for (const Frame& frame : joining.early) link->Take(frame);
  *transport = std::make_unique<GlooTransport>(link, mesh);
  if (!Watch(link)) {
    transport->reset();
    *why = "the system gives no thread";
    return HCCL_E_SYSCALL;
  }
  return HCCL_SUCCESS;
}

}  // namespace portacl::hccl
