// SPDX-License-Identifier: Apache-2.0
#include "hccl/root_server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "base/never_destroyed.h"
#include "hccl/address.h"
#include "hccl/meeting.h"
#include "hccl/watcher.h"
#include "hccl/wire.h"

namespace portacl::hccl {
namespace {

// Limits of the lengths of bodies and keys, for connections that have not joined and for members.
constexpr size_t kMostJoinBytes = sizeof(JoinRequest);
constexpr size_t kMostBodyBytes = size_t{1} << 20;
constexpr size_t kMostReasonBytes = 4096;
constexpr size_t kMostValues = 6;  // of each rank: near_ranks.cc has three, connecting.cc two and joining.cc one
// Beyond this number the oldest ones are disconnected: the client needs descriptors, too.
constexpr uint32_t kMostStrangers = 128;
constexpr std::chrono::seconds kJoinLimit{10};

class RootMember;

// The ranks of one root info. Only the watcher's thread uses it.
class RootGroup {
 public:
  RootGroup(const Key& key, uint32_t ranks) : key_(key), members_(ranks) {}

  HcclResult Enter(RootMember& member, const JoinRequest& request, std::string* why);
  void Leave(RootMember& member, uint32_t rank);
  void End(RootMember& member, uint32_t rank, bool has_left);
  /// `kind`: kAbort or kNotJoined. `member`: the one that is not told, or null.
  void Fail(FrameKind kind, const RootMember* member, uint32_t rank, const std::string& reason);
  /// Returns false when ranks never store or request as much.
  bool Set(const std::string& key, std::string value);
  bool Get(RootMember& member, const std::string& key);
  /// Whether some ranks have come, but not all.
  bool IsComing() const { return state_ == State::kComing; }
  /// Called when the limit of one rank has passed: tells all ranks which ranks are missing.
  void GiveUpWaiting();
  size_t ranks() const { return members_.size(); }

 private:
  enum class State : uint8_t { kComing, kComplete, kFailed };

  void SendToOthers(const RootMember* member, FrameKind kind, uint32_t rank, const std::string& body);
  void GiveUp(HcclResult result, std::string why);

  const Key key_;
  std::vector<RootMember*> members_;
  size_t here_ = 0;
  State state_ = State::kComing;
  HcclResult failure_ = HCCL_SUCCESS;  // the answer to ranks that join a group which has failed, and the reason
  std::string why_;
  std::string host_;
  bool is_one_host_ = true;
  std::map<std::string, std::string> values_;
  std::vector<std::pair<RootMember*, std::string>> asked_;  // requests for values that were not set yet
};

// The groups that have members.
std::map<Key, std::weak_ptr<RootGroup>>& TheGroups() {
  static NeverDestroyed<std::map<Key, std::weak_ptr<RootGroup>>> groups;
  return *groups;
}
// Connections that have not joined, in the order in which they came. Only the watcher's thread uses them.
std::list<RootMember*>& TheStrangers() {
  static NeverDestroyed<std::list<RootMember*>> strangers;
  return *strangers;
}

// One connection: first without a group, then of a rank.
class RootMember final : public Watched {
 public:
  explicit RootMember(int fd) : stream_(fd, kMostJoinBytes) { TheStrangers().push_back(this); }
  ~RootMember() override {
    if (group_ != nullptr)
      group_->End(*this, rank_, has_left_);
    else
      TheStrangers().remove(this);
  }

  int fd() const noexcept override { return stream_.fd(); }
  bool WantsToSend() override { return stream_.HasUnsent(); }
  Deadline NextLimit() override { return group_ == nullptr || group_->IsComing() ? limit_ : std::nullopt; }
  bool Passed() override {
    if (group_ == nullptr) return false;
    group_->GiveUpWaiting();
    return true;  // until the rank has read the answer
  }

  bool Ready() override {
    if (is_dismissed_ || !stream_.Flush()) return false;
    Frame frame;
    for (;;) {
      switch (stream_.Next(&frame)) {
        case FrameStream::Got::kNothing:
          return true;
        case FrameStream::Got::kEnd:
          return false;
        case FrameStream::Got::kFrame:
          if (!(group_ == nullptr ? Join(frame) : Take(frame))) return false;
      }
    }
  }

  // Ends a connection that has not joined, and has been silent for the longest time.
  void Dismiss() {
    is_dismissed_ = true;
    stream_.Shutdown();
  }

  void Send(FrameKind kind, uint32_t argument, const std::string& body) {
    if (!stream_.Send(kind, argument, body)) stream_.Shutdown();  // Ready() detects that
  }

 private:
  bool Join(const Frame& frame) {
    if (frame.kind != FrameKind::kJoin || frame.body.size() != sizeof(JoinRequest)) return false;
    JoinRequest request;
    std::memcpy(&request, frame.body.data(), sizeof(request));
    request.host[sizeof(request.host) - 1] = '\0';
    if (request.version != kJoinVersion) return Refuse(HCCL_E_PARA, "the root is of another version");
    if (!AdmitOthers(request.key, request.ranks))
      return Refuse(HCCL_E_NOT_FOUND, "the root does not know this root info, or all its ranks have joined");
    std::weak_ptr<RootGroup>& known = TheGroups()[request.key];
    std::shared_ptr<RootGroup> group = known.lock();
    if (group == nullptr) known = group = std::make_shared<RootGroup>(request.key, request.ranks);
    rank_ = request.rank;
    if (request.ranks != group->ranks() || request.rank >= request.ranks)
      return Refuse(HCCL_E_PARA, "the ranks disagree on their number");
    std::string why;
    const HcclResult result = group->Enter(*this, request, &why);
    if (result != HCCL_SUCCESS) return Refuse(result, why);
    stream_.Limit(kMostBodyBytes);
    limit_ = std::nullopt;
    if (request.limit_ms != 0) limit_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(request.limit_ms);
    group_ = std::move(group);
    TheStrangers().remove(this);
    return true;
  }

  bool Refuse(HcclResult result, const std::string& why) {
    stream_.Send(FrameKind::kRefused, static_cast<uint32_t>(result), why);
    return false;
  }

  bool Take(Frame& frame) {
    const size_t zero = frame.body.find('\0');
    switch (frame.kind) {
      case FrameKind::kSet:
        if (zero == std::string::npos) return false;
        return group_->Set(frame.body.substr(0, zero), frame.body.substr(zero + 1)) || EndWithReason("left");
      case FrameKind::kGet:
        return group_->Get(*this, frame.body) || EndWithReason("asked for");
      case FrameKind::kAbort:
      case FrameKind::kNotJoined:
        frame.body.resize(std::min(frame.body.size(), kMostReasonBytes));
        group_->Fail(frame.kind, this, rank_, frame.body);
        return true;
      case FrameKind::kLeave:
        has_left_ = true;
        group_->Leave(*this, rank_);
        return true;
      default:
        return false;
    }
  }

  // Tells all ranks, including this one.
  bool EndWithReason(const char* did) {
    group_->Fail(FrameKind::kNotJoined, nullptr, rank_,
                 fmt::format("rank {} {} more values than the root keeps", rank_, did));
    return false;
  }

  FrameStream stream_;
  Deadline limit_ = std::chrono::steady_clock::now() + kJoinLimit;  // of the joining, then of a rank that waits
  std::shared_ptr<RootGroup> group_;
  uint32_t rank_ = 0;
  bool has_left_ = false;
  bool is_dismissed_ = false;
};

HcclResult RootGroup::Enter(RootMember& member, const JoinRequest& request, std::string* why) {
  if (state_ == State::kFailed) {
    *why = why_;
    return failure_;
  }
  if (state_ == State::kComplete || members_[request.rank] != nullptr) {
    *why = "this rank has joined already";
    return HCCL_E_PARA;
  }
  members_[request.rank] = &member;
  if (here_ == 0) host_ = request.host;
  is_one_host_ = is_one_host_ && host_ == request.host && request.address_is_given == 0;
  if (++here_ < members_.size()) return HCCL_SUCCESS;
  state_ = State::kComplete;
  EndMeeting(key_);
  for (RootMember* each : members_) each->Send(FrameKind::kReady, is_one_host_ ? 1 : 0, {});
  return HCCL_SUCCESS;
}

void RootGroup::SendToOthers(const RootMember* member, FrameKind kind, uint32_t rank, const std::string& body) {
  for (RootMember* each : members_) {
    if (each != nullptr && each != member) each->Send(kind, rank, body);
  }
}

void RootGroup::Leave(RootMember& member, uint32_t rank) { SendToOthers(&member, FrameKind::kLeave, rank, {}); }

void RootGroup::End(RootMember& member, uint32_t rank, bool has_left) {
  members_[rank] = nullptr;
  std::erase_if(asked_, [&](const auto& each) { return each.first == &member; });
  --here_;
  if (state_ == State::kComing) {
    GiveUp(HCCL_E_TCP_CONNECT, fmt::format("the process of rank {} has ended before all had joined", rank));
  } else if (state_ == State::kComplete && !has_left) {
    SendToOthers(nullptr, FrameKind::kEnded, rank, {});
  }
  // The group ends with its last rank, and all ranks may join again.
  if (here_ == 0) TheGroups().erase(key_);
}

void RootGroup::GiveUp(HcclResult result, std::string why) {
  state_ = State::kFailed;
  failure_ = result;
  why_ = std::move(why);
  SendToOthers(nullptr, FrameKind::kRefused, static_cast<uint32_t>(result), why_);
}

void RootGroup::GiveUpWaiting() {
  if (state_ != State::kComing) return;
  std::vector<char> come;
  for (const RootMember* each : members_) come.push_back(each != nullptr ? 1 : 0);
  GiveUp(HCCL_E_TIMEOUT, MissingRanks(come));
}

void RootGroup::Fail(FrameKind kind, const RootMember* member, uint32_t rank, const std::string& reason) {
  SendToOthers(member, kind, rank, reason);
}

bool RootGroup::Set(const std::string& key, std::string value) {
  if (values_.size() >= kMostValues * members_.size()) return false;
  const std::string& kept = values_[key] = std::move(value);
  std::erase_if(asked_, [&](const auto& each) {
    if (each.second != key) return false;
    each.first->Send(FrameKind::kValue, 0, kept);
    return true;
  });
  return true;
}

bool RootGroup::Get(RootMember& member, const std::string& key) {
  const auto found = values_.find(key);
  if (found != values_.end()) {
    member.Send(FrameKind::kValue, 0, found->second);
    return true;
  }
  if (asked_.size() >= members_.size()) return false;
  asked_.emplace_back(&member, key);
  return true;
}

class Listener final : public Watched {
 public:
  explicit Listener(int fd) : fd_(fd) {}
  ~Listener() override { close(fd_); }

  int fd() const noexcept override { return fd_; }
  bool WantsToSend() override { return false; }
  Deadline NextLimit() override { return std::nullopt; }
  bool Passed() override { return true; }
  bool Ready() override {
    const int fd = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) usleep(10'000);  // new connections have to wait
      return true;
    }
    // A rank sends its request at once, so the connection that has been silent for the longest time is closed.
    if (TheStrangers().size() >= kMostStrangers) TheStrangers().front()->Dismiss();
    std::shared_ptr<RootMember> member;
    try {
      member = std::make_shared<RootMember>(fd);
      Watch(member);
    } catch (const std::bad_alloc&) {
      if (member == nullptr) close(fd);
    }
    return true;
  }

 private:
  const int fd_;
};

struct Server {
  std::mutex mutex;  // guards all members below
  RootAddress at;    // port 0: closed
};

Server& TheServer() {
  static NeverDestroyed<Server> server;
  return *server;
}

}  // namespace

HcclResult OpenRootServer(RootAddress* at, std::string* why) {
  Server& server = TheServer();
  const std::scoped_lock lock(server.mutex);
  if (server.at.port == 0) {
    if (VariableInteger(Variable::kHcclWhitelist, 0, 1, 1) == 0) {
      *why = "HCCL_WHITELIST_DISABLE: expected 1, got 0; there is no list of hosts here, a key protects the root";
      return HCCL_E_NOT_SUPPORT;
    }
    RootAddress opened{OwnAddress(why), 0};
    if (opened.address.empty()) return HCCL_E_NETWORK;
    const PortRange ports = RootPorts();
    const int fd = ListenAt(opened.address, ports.first, ports.last, &opened.port);
    if (fd < 0) {
      *why = fmt::format("cannot listen at {}, ports {} to {}: {}", opened.address, ports.first, ports.last,
                         std::strerror(errno));
      return HCCL_E_NETWORK;
    }
    if (!Watch(std::make_shared<Listener>(fd))) {
      *why = "the system refused a thread";
      return HCCL_E_NETWORK;
    }
    server.at = std::move(opened);
  }
  *at = server.at;
  return HCCL_SUCCESS;
}

}  // namespace portacl::hccl
