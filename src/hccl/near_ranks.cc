// SPDX-License-Identifier: Apache-2.0
#include "hccl/near_ranks.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <string>
#include <utility>

#include "base/environment.h"
#include "hccl/address.h"
#include "hccl/watcher.h"

namespace portacl::hccl {
namespace {

// Tells the link when a process ends.
class ProcessWatch final : public Watched {
 public:
  ProcessWatch(std::shared_ptr<MemoryLink> link, uint32_t rank, int process)
      : link_(std::move(link)), rank_(rank), process_(process) {}
  ~ProcessWatch() override { close(process_); }

  int fd() const noexcept override { return process_; }
  bool WantsToSend() override { return false; }
  bool Ready() override {
    link_->End(rank_);
    return false;
  }
  Deadline NextLimit() override {
    return link_->HasLeft() ? Deadline(std::chrono::steady_clock::time_point{}) : std::nullopt;
  }
  bool Passed() override { return !link_->HasLeft(); }

 private:
  const std::shared_ptr<MemoryLink> link_;
  const uint32_t rank_;
  const int process_;
};

// Descriptors of processes, which become readable when the processes end.
class Processes {
 public:
  Processes() = default;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  ~Processes() {
    for (const int each : descriptors_) {
      if (each >= 0) close(each);
    }
  }

  void Skip() { descriptors_.push_back(-1); }
  bool Open(int32_t process) {
    descriptors_.push_back(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
    return descriptors_.back() >= 0;
  }
  bool IsAlive() const {
    pollfd last = {descriptors_.back(), POLLIN, 0};
    return poll(&last, 1, 0) == 0;
  }
  int Take(size_t index) { return std::exchange(descriptors_[index], -1); }

 private:
  std::vector<int> descriptors_;
};

// A name that two processes share if and only if each can find the other by its process identifier.
std::string NameOfHostAndProcesses() {
  char space[64] = {};
  if (readlink("/proc/self/ns/pid", space, sizeof(space) - 1) < 0) return {};
  return fmt::format("{} {}", HostName(), space);
}

// No message of a communicator has this tag.
constexpr uint64_t kMeetTag = uint64_t{1} << 62;

// When all ranks share memory, the connection with the root is closed, and the root's process may end: no rank
// continues before all others have finished their queries there.
bool WaitUntilAllShare(MemoryLink& link, const std::vector<uint32_t>& others, Deadline deadline) {
  std::list<MemoryLink::Message> messages;
  for (const uint32_t peer : others) {
    for (const bool sends : {true, false})
      link.Begin(messages.emplace_back(MemoryLink::Message{sends, peer, kMeetTag, nullptr, 0}));
  }
  bool all = true;
  for (MemoryLink::Message& each : messages) all = all && link.Wait(each, deadline) == Outcome::kDone;
  for (MemoryLink::Message& each : messages) link.TakeBack(each);
  return all;
}

std::string KeyOf(const char* what, uint32_t rank) { return fmt::format("{}_{}", what, rank); }

}  // namespace

bool MeetNearRanks(RootClient& root, uint32_t rank, uint32_t ranks, NearRanks* near) {
  near->is_near.assign(ranks, 0);
  near->most_here = ranks;
  const bool is_wanted = VariableInteger(Variable::kSharedMemory, 0, 1, 1) == 1;
  // The ranks of this host must be known first: the size of an inbox depends on their number.
  const std::string host = is_wanted ? NameOfHostAndProcesses() : "";
  if (!root.Set(KeyOf("host", rank), host)) return false;
  std::vector<uint32_t> here;
  for (uint32_t peer = 0; peer < ranks; ++peer) {
    const std::string* const theirs = root.Get(KeyOf("host", peer));
    if (theirs == nullptr) return false;
    if (*theirs == host) here.push_back(peer);
  }
  if (!host.empty()) near->most_here = static_cast<uint32_t>(here.size());
  if (host.empty() || here.size() < 2) return true;

  // An empty value tells the others that this rank has no memory for an inbox.
  const size_t own = static_cast<size_t>(std::find(here.begin(), here.end(), rank) - here.begin());
  std::vector<std::unique_ptr<Inbox>> inboxes(here.size());
  inboxes[own] = Inbox::Make(here.size());
  const InboxPlace place = inboxes[own] == nullptr ? InboxPlace{} : inboxes[own]->place();
  if (!root.Set(KeyOf("inbox", rank), {reinterpret_cast<const char*>(&place), sizeof(place)})) return false;
  Processes processes;
  bool can = inboxes[own] != nullptr;
  for (size_t i = 0; i < here.size(); ++i) {
    const std::string* const theirs = root.Get(KeyOf("inbox", here[i]));
    if (theirs == nullptr || theirs->size() != sizeof(InboxPlace)) return false;
    InboxPlace at;
    std::memcpy(&at, theirs->data(), sizeof(at));
    if (i == own) {
      processes.Skip();
      continue;
    }
    can = processes.Open(at.process) && can;
    if (can) inboxes[i] = Inbox::Open(at, here.size());
    can = can && inboxes[i] != nullptr && processes.IsAlive();
  }

  if (!root.Set(KeyOf("shares", rank), can ? "1" : "0")) return false;
  for (const uint32_t peer : here) {
    const std::string* const theirs = root.Get(KeyOf("shares", peer));
    if (theirs == nullptr) return false;
    can = can && *theirs == "1";
  }
  if (!can) return true;
  inboxes[own]->Close();
  near->link = std::make_shared<MemoryLink>(here, ranks, own, std::move(inboxes));
  near->all = here.size() == ranks;
  std::vector<uint32_t> others;
  for (size_t i = 0; i < here.size(); ++i) {
    if (i == own) continue;
    others.push_back(here[i]);
    near->is_near[here[i]] = 1;
    if (!Watch(std::make_shared<ProcessWatch>(near->link, here[i], processes.Take(i)))) {
      near->link->Leave();
      return false;
    }
  }
  if (!near->all || WaitUntilAllShare(*near->link, others, root.deadline())) return true;
  near->link->Leave();
  return false;
}

}  // namespace portacl::hccl
