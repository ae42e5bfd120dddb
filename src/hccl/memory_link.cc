// SPDX-License-Identifier: Apache-2.0
#include "hccl/memory_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "hccl/watcher.h"

namespace portacl::hccl {
namespace {

// The unit of writing and reading: the other side reads a chunk while the next one is written.
constexpr size_t kChunkBytes = size_t{64} << 10;
// A ring holds units of the size of a header, so that a header never wraps around its end.
struct MessageHeader {
  uint64_t tag;
  uint64_t bytes;
};
static_assert(kTravelsWhole<MessageHeader>);
constexpr size_t kUnit = sizeof(MessageHeader);
constexpr uint64_t kMostMessageBytes = uint64_t{1} << 48;

size_t Padded(size_t bytes) { return (bytes + kUnit - 1) / kUnit * kUnit; }

void CopyIn(std::byte* ring, size_t ring_bytes, uint64_t at, const std::byte* data, size_t bytes) {
  const size_t begin = at % ring_bytes;
  const size_t first = std::min(bytes, ring_bytes - begin);
  std::memcpy(ring + begin, data, first);
  if (bytes != first) std::memcpy(ring, data + first, bytes - first);
}

void CopyOut(const std::byte* ring, size_t ring_bytes, uint64_t at, std::byte* data, size_t bytes) {
  const size_t begin = at % ring_bytes;
  const size_t first = std::min(bytes, ring_bytes - begin);
  std::memcpy(data, ring + begin, first);
  if (bytes != first) std::memcpy(data + first, ring, bytes - first);
}

class MemoryTransfer final : public Transfer {
 public:
  MemoryTransfer(MemoryLink& link, const MemoryLink::Message& message) : link_(link), message_(message) {
    link_.Begin(message_);
  }
  ~MemoryTransfer() override {
    if (!was_done_) link_.TakeBack(message_);
  }

  Outcome Wait(Deadline deadline) override {
    if (was_done_) return Outcome::kDone;
    const Outcome outcome = link_.Wait(message_, deadline);
    was_done_ = outcome == Outcome::kDone;
    return outcome;
  }

 private:
  MemoryLink& link_;
  MemoryLink::Message message_;
  bool was_done_ = false;
};

class MemoryTransport final : public Transport {
 public:
  explicit MemoryTransport(std::shared_ptr<MemoryLink> link) : link_(std::move(link)) {}
  ~MemoryTransport() override { MemoryTransport::Leave(); }

  std::unique_ptr<Transfer> Send(uint32_t to, uint64_t tag, const void* data, size_t bytes) override {
    auto* const from = static_cast<std::byte*>(const_cast<void*>(data));
    return std::make_unique<MemoryTransfer>(*link_, MemoryLink::Message{true, to, tag, from, bytes});
  }
  std::unique_ptr<Transfer> Receive(uint32_t from, uint64_t tag, void* data, size_t bytes) override {
    auto* const to = static_cast<std::byte*>(data);
    return std::make_unique<MemoryTransfer>(*link_, MemoryLink::Message{false, from, tag, to, bytes});
  }
  void Leave() noexcept override {
    link_->Leave();
    WakeWatcher();  // which then releases the link
  }
  void Abort(const std::string& reason) override { link_->Abort(reason); }
  std::string Reason() override { return link_->Reason(); }

 private:
  const std::shared_ptr<MemoryLink> link_;
};

}  // namespace

MemoryLink::MemoryLink(const std::vector<uint32_t>& ranks, uint32_t all, size_t place,
                       std::vector<std::unique_ptr<Inbox>> inboxes)
    : inboxes_(std::move(inboxes)), own_(*inboxes_[place]), spin_(SpinFor(ranks.size())), peers_(all) {
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (i == place) continue;
    auto peer = std::make_unique<Peer>();
    peer->rank = ranks[i];
    peer->inbox = inboxes_[i].get();
    peer->to = &inboxes_[i]->slot(place);
    peer->to_ring = inboxes_[i]->ring(place);
    peer->from = &own_.slot(i);
    peer->from_ring = own_.ring(i);
    peers_[ranks[i]] = std::move(peer);
  }
}

void MemoryLink::Begin(Message& message) {
  const std::scoped_lock lock(mutex_);
  Peer& peer = PeerOf(message.peer);
  if (message.sends) {
    peer.sends.push_back(&message);
    if (peer.sends.size() == 1) Write(peer);
    return;
  }
  const auto is_it = [&](const Early& each) { return each.tag == message.tag; };
  const auto early = std::find_if(peer.early.begin(), peer.early.end(), is_it);
  if (early == peer.early.end()) {
    peer.receives.push_back(&message);
    return;
  }
  if (early->bytes != message.bytes) return Break(peer);
  if (message.bytes != 0) std::memcpy(message.data, early->content.data(), early->content.size());
  message.moved = early->content.size();
  message.has_begun = true;
  if (peer.is_coming && peer.into_early == &*early) {
    peer.into = &message;
    peer.into_early = nullptr;
  } else {
    message.is_done = true;
  }
  peer.early.erase(early);
}

void MemoryLink::TakeBack(Message& message) noexcept {
  const std::scoped_lock lock(mutex_);
  if (message.is_done) return;
  Peer& peer = PeerOf(message.peer);
  if (message.sends) {
    peer.is_cut = peer.is_cut || message.has_begun;
    peer.sends.remove(&message);
  } else {
    peer.receives.remove(&message);
    if (peer.into == &message) peer.into = nullptr;
  }
}

Outcome MemoryLink::Wait(Message& message, Deadline deadline) {
  std::unique_lock lock(mutex_);
  const Peer& peer = PeerOf(message.peer);
  for (;;) {
    const uint32_t heard = own_.heard();
    Advance();
    if (message.is_done) return Outcome::kDone;
    if (!is_over_ && peer.has_ended && !peer.has_left && reason_.empty())
      reason_ = fmt::format("the process of rank {} has ended", peer.rank);
    if (is_over_ || peer.has_left || peer.has_ended || (message.sends && peer.is_cut)) return Outcome::kLost;
    if (deadline && std::chrono::steady_clock::now() >= *deadline) return Outcome::kTimedOut;
    ++waiting_;
    lock.unlock();
    own_.Listen(heard, deadline, spin_);
    lock.lock();
    --waiting_;
  }
}

// Moves all data that can be moved, to and from all peers. Repeats that if the first pass has found the end of the
// communicator: data that a peer wrote before the end may have arrived after this pass checked its ring.
void MemoryLink::Advance() {
  const bool was_over = is_over_;
  MoveAll();
  if (is_over_ && !was_over) MoveAll();
  if (std::exchange(has_news_, false) && waiting_ > 0) own_.Ring();
}

void MemoryLink::MoveAll() {
  for (const std::unique_ptr<Peer>& each : peers_) {
    if (each == nullptr) continue;
    Peer& peer = *each;
    // The state is loaded first, so that data that a rank wrote before it left is still read.
    const RankState state = peer.from->state.load(std::memory_order_acquire);
    Write(peer);
    Read(peer);
    peer.has_left = peer.has_left || state == RankState::kLeft;
    if (state == RankState::kFailed && !is_over_) {
      const size_t bytes = std::min<size_t>(peer.from->reason_bytes.load(std::memory_order_relaxed), kMostReasonBytes);
      if (reason_.empty()) reason_.assign(peer.from->reason.data(), bytes);
      is_over_ = true;
      has_news_ = true;
    }
  }
}

void MemoryLink::Write(Peer& peer) {
  const size_t ring_bytes = peer.inbox->ring_bytes();
  while (!peer.sends.empty() && !peer.is_cut && !is_broken_) {
    Message& message = *peer.sends.front();
    uint64_t used = peer.written - peer.to->read.load(std::memory_order_acquire);
    if (used == ring_bytes) {
      // Either the reader that makes room sees this flag, or this thread sees the room.
      peer.to->wants_room.store(1);
      used = peer.written - peer.to->read.load();
      if (used == ring_bytes) return;
    }
    if (used > ring_bytes || used % kUnit != 0) return Break(peer);
    size_t room = ring_bytes - used;
    if (!message.has_begun) {
      const MessageHeader header = {message.tag, message.bytes};
      std::memcpy(peer.to_ring + peer.written % ring_bytes, &header, sizeof(header));
      peer.written += sizeof(header);
      room -= sizeof(header);
      message.has_begun = true;
    }
    const size_t chunk = std::min({room, Padded(message.bytes - message.moved), kChunkBytes});
    const size_t bytes = std::min(chunk, message.bytes - message.moved);
    if (bytes != 0) CopyIn(peer.to_ring, ring_bytes, peer.written, message.data + message.moved, bytes);
    message.moved += bytes;
    peer.written += chunk;
    peer.to->written.store(peer.written, std::memory_order_release);
    peer.inbox->Ring();
    if (message.moved == message.bytes) {
      peer.sends.pop_front();
      Finish(message);
    }
  }
}

// Checks the header in the ring before memory is allocated or written for it.
bool MemoryLink::BeginComing(Peer& peer) {
  MessageHeader header;
  std::memcpy(&header, peer.from_ring + peer.read % own_.ring_bytes(), sizeof(header));
  const auto is_it = [&](const Message* each) { return each->tag == header.tag; };
  const auto found = std::find_if(peer.receives.begin(), peer.receives.end(), is_it);
  if (header.bytes > kMostMessageBytes || (found != peer.receives.end() && (*found)->bytes != header.bytes))
    return false;
  peer.into = nullptr;
  peer.into_early = nullptr;
  if (found != peer.receives.end()) {
    peer.into = *found;
    peer.into->has_begun = true;
    peer.receives.erase(found);
  } else {
    peer.into_early = &peer.early.emplace_back(Early{header.tag, header.bytes, {}});
  }
  peer.is_coming = true;
  peer.bytes = header.bytes;
  peer.come = 0;
  peer.read += sizeof(header);
  return true;
}

void MemoryLink::Read(Peer& peer) {
  const size_t ring_bytes = own_.ring_bytes();
  while (!is_broken_) {
    const uint64_t there = peer.from->written.load(std::memory_order_acquire) - peer.read;
    if (there == 0) return;
    if (there > ring_bytes || there % kUnit != 0) return Break(peer);
    size_t begin = 0;
    if (!peer.is_coming) {
      if (!BeginComing(peer)) return Break(peer);
      begin = sizeof(MessageHeader);
    }
    const size_t chunk = std::min({there - begin, Padded(peer.bytes - peer.come), kChunkBytes});
    const size_t bytes = std::min(chunk, peer.bytes - peer.come);
    if (peer.into != nullptr && bytes != 0) {
      CopyOut(peer.from_ring, ring_bytes, peer.read, peer.into->data + peer.come, bytes);
    } else if (peer.into_early != nullptr && bytes != 0) {
      peer.into_early->content.resize(peer.come + bytes);
      CopyOut(peer.from_ring, ring_bytes, peer.read, peer.into_early->content.data() + peer.come, bytes);
    }
    peer.come += bytes;
    peer.read += chunk;
    peer.from->read.store(peer.read);
    if (peer.from->wants_room.load() != 0 && peer.from->wants_room.exchange(0) != 0) peer.inbox->Ring();
    if (peer.come != peer.bytes) continue;
    peer.is_coming = false;
    if (peer.into != nullptr) Finish(*peer.into);
    peer.into = nullptr;
    peer.into_early = nullptr;
  }
}

void MemoryLink::Finish(Message& message) {
  message.is_done = true;
  has_news_ = true;
}

void MemoryLink::Break(const Peer& peer) {
  if (reason_.empty()) reason_ = fmt::format("rank {} sent an invalid message", peer.rank);
  is_over_ = true;
  is_broken_ = true;
  own_.Ring();
}

void MemoryLink::BroadcastState(RankState state, const std::string& reason) noexcept {
  for (const std::unique_ptr<Peer>& peer : peers_) {
    if (peer == nullptr) continue;
    const size_t bytes = std::min(reason.size(), kMostReasonBytes);
    reason.copy(peer->to->reason.data(), bytes);
    peer->to->reason_bytes.store(static_cast<uint32_t>(bytes), std::memory_order_relaxed);
    peer->to->state.store(state, std::memory_order_release);
    peer->inbox->Ring();
  }
  own_.Ring();
}

void MemoryLink::Abort(const std::string& reason) {
  const std::scoped_lock lock(mutex_);
  if (has_left_ || std::exchange(has_broadcast_, true)) return;
  if (reason_.empty()) reason_ = reason;
  is_over_ = true;
  BroadcastState(RankState::kFailed, reason);
}

void MemoryLink::Fail(const std::string& reason) {
  const std::scoped_lock lock(mutex_);
  if (reason_.empty()) reason_ = reason;
  is_over_ = true;
  own_.Ring();
}

void MemoryLink::Leave() noexcept {
  const std::scoped_lock lock(mutex_);
  if (std::exchange(has_left_, true)) return;
  is_over_ = true;
  if (!has_broadcast_) BroadcastState(RankState::kLeft, {});
  own_.Ring();
}

bool MemoryLink::HasLeft() {
  const std::scoped_lock lock(mutex_);
  return has_left_;
}

void MemoryLink::End(uint32_t rank) {
  const std::scoped_lock lock(mutex_);
  PeerOf(rank).has_ended = true;
  own_.Ring();
}

std::string MemoryLink::Reason() {
  const std::scoped_lock lock(mutex_);
  return reason_;
}

std::unique_ptr<Transport> MakeMemoryTransport(std::shared_ptr<MemoryLink> link) {
  return std::make_unique<MemoryTransport>(std::move(link));
}

}  // namespace portacl::hccl
