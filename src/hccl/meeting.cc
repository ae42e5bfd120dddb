// SPDX-License-Identifier: Apache-2.0
#include "hccl/meeting.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/never_destroyed.h"
#include "hccl/address.h"
#include "hccl/in_process.h"
#include "hccl/joining.h"
#include "hccl/root_server.h"

namespace portacl::hccl {
namespace {

// The content of a root info after the text of the address.
constexpr size_t kAddressBytes = 64;
constexpr char kMagic[16] = "portacl-root-2";
struct RootBytes {
  char magic[sizeof(kMagic)];
  Key key;
  uint32_t port;
};
static_assert(kTravelsWhole<RootBytes> && kAddressBytes + sizeof(RootBytes) <= sizeof(HcclRootInfo));

// Requests for more ranks are refused: any host of the network can send them.
constexpr uint32_t kMostRanks = 1 << 16;

// A communicator whose ranks are still joining.
struct Meeting {
  uint32_t ranks = 0;  // 0: no rank has come
  uint32_t waiting = 0;
  std::vector<std::unique_ptr<Transport>> transports;  // for ranks of this process, set once all have come
  std::vector<char> come;
  bool has_others = false;  // there are ranks of other processes
};

struct Meetings {
  std::mutex mutex;  // guards all members below
  std::condition_variable changed;
  std::map<Key, Meeting> open;
};

Meetings& TheMeetings() {
  static NeverDestroyed<Meetings> meetings;
  return *meetings;
}

constinit std::atomic<bool> g_at_server{false};  // set by a test

enum class Met : uint8_t {
  kHere,
  kElsewhere,  // at the server of the root
  kDisagree,
  kTimedOut,
};

// Waits for all ranks of this process, or until a rank of another process joins.
Met MeetHere(const Key& key, uint32_t ranks, uint32_t rank, Deadline deadline, std::unique_ptr<Transport>* transport,
             std::string* why) {
  Meetings& meetings = TheMeetings();
  std::unique_lock lock(meetings.mutex);
  const auto found = meetings.open.find(key);
  if (found == meetings.open.end() || found->second.has_others || g_at_server) return Met::kElsewhere;
  Meeting& meeting = found->second;
  if (meeting.ranks == 0) {
    meeting.come.assign(ranks, 0);
    meeting.ranks = ranks;
  }
  if (meeting.ranks != ranks || meeting.come[rank] != 0) return Met::kDisagree;
  meeting.come[rank] = 1;
  ++meeting.waiting;
  const auto all_here = [&] { return !meeting.transports.empty() || meeting.has_others; };
  if (std::count(meeting.come.begin(), meeting.come.end(), 1) == static_cast<std::ptrdiff_t>(ranks)) {
    meeting.transports = ConnectInProcess(ranks);
    meetings.changed.notify_all();
  } else if (!deadline) {
    meetings.changed.wait(lock, all_here);
  } else {
    meetings.changed.wait_until(lock, *deadline, all_here);
  }
  const bool complete = !meeting.transports.empty();
  const bool has_others = meeting.has_others;
  if (complete) {
    *transport = std::move(meeting.transports[rank]);
  } else {
    if (!has_others) *why = MissingRanks(meeting.come);
    meeting.come[rank] = 0;  // it may join again
  }
  if (--meeting.waiting == 0 && complete) meetings.open.erase(found);
  if (complete) return Met::kHere;
  return has_others ? Met::kElsewhere : Met::kTimedOut;
}

}  // namespace

HcclResult OfferRoot(HcclRootInfo* root, std::string* why) {
  RootBytes bytes = {};
  std::memcpy(bytes.magic, kMagic, sizeof(kMagic));
  if (getrandom(bytes.key.data(), bytes.key.size(), 0) != static_cast<ssize_t>(bytes.key.size())) {
    *why = "the system gave no random bytes for the key";
    return HCCL_E_SYSCALL;
  }
  RootAddress at;
  const HcclResult result = OpenRootServer(&at, why);
  // Ranks of one process need no network, unless an address or a port is set.
  if (result == HCCL_E_NETWORK && !AddressIsGiven() && RootPorts().first == 0)
    at = {LoopbackAddress(), 0};
  else if (result != HCCL_SUCCESS)
    return result;
  bytes.port = at.port;
  {
    Meetings& meetings = TheMeetings();
    const std::scoped_lock lock(meetings.mutex);
    meetings.open[bytes.key];
  }
  std::memset(root, 0, sizeof(*root));
  at.address.copy(root->internal, kAddressBytes - 1);
  std::memcpy(root->internal + kAddressBytes, &bytes, sizeof(bytes));
  return HCCL_SUCCESS;
}

HcclResult JoinRoot(const HcclRootInfo& root, uint32_t ranks, uint32_t rank, Deadline deadline,
                    std::unique_ptr<Transport>* transport, std::string* why) {
  RootBytes bytes;
  std::memcpy(&bytes, root.internal + kAddressBytes, sizeof(bytes));
  if (std::memcmp(bytes.magic, kMagic, sizeof(kMagic)) != 0 || bytes.port > UINT16_MAX) {
    *why = "expected a root info made by HcclGetRootInfo";
    return HCCL_E_PARA;
  }
  switch (MeetHere(bytes.key, ranks, rank, deadline, transport, why)) {
    case Met::kHere:
      return HCCL_SUCCESS;
    case Met::kTimedOut:
      return HCCL_E_TIMEOUT;
    case Met::kDisagree:
      *why = "expected each rank number once, and the same number of ranks from all";
      return HCCL_E_PARA;
    case Met::kElsewhere:
      break;
  }
  if (bytes.port == 0) {
    *why = "the process of the root listens at no address, so that only ranks of that process can join";
    return HCCL_E_NOT_FOUND;
  }
  const std::string address(root.internal, strnlen(root.internal, kAddressBytes));
  return ConnectThroughRoot({address, static_cast<uint16_t>(bytes.port)}, bytes.key, ranks, rank, deadline, transport,
                            why);
}

std::string MissingRanks(const std::vector<char>& come) {
  constexpr size_t kMostNamed = 8;
  std::string names;
  size_t missing = 0;
  for (size_t rank = 0; rank < come.size(); ++rank) {
    if (come[rank] != 0) continue;
    if (missing < kMostNamed) names += fmt::format("{}{}", missing == 0 ? "" : ", ", rank);
    ++missing;
  }
  if (missing > kMostNamed) names += fmt::format(" and {} more", missing - kMostNamed);
  return fmt::format("timed out (HCCL_CONNECT_TIMEOUT) waiting for rank{} {}", missing == 1 ? "" : "s", names);
}

bool AdmitOthers(const Key& key, uint32_t ranks) {
  Meetings& meetings = TheMeetings();
  const std::scoped_lock lock(meetings.mutex);
  const auto found = meetings.open.find(key);
  if (found == meetings.open.end()) return false;
  Meeting& meeting = found->second;
  if (meeting.ranks == 0) {
    meeting.come.assign(std::min(ranks, kMostRanks), 0);
    meeting.ranks = ranks;
  }
  if (meeting.ranks != ranks || ranks == 0 || ranks > kMostRanks || !meeting.transports.empty()) return false;
  meeting.has_others = true;
  meetings.changed.notify_all();
  return true;
}

void EndMeeting(const Key& key) {
  Meetings& meetings = TheMeetings();
  const std::scoped_lock lock(meetings.mutex);
  const auto found = meetings.open.find(key);
  // Ranks that have not noticed the other processes yet still look the meeting up.
  if (found != meetings.open.end() && found->second.waiting == 0) meetings.open.erase(found);
}

void MeetAtServerForTest() noexcept { g_at_server = true; }

}  // namespace portacl::hccl
