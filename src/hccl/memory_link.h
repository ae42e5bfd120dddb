// SPDX-License-Identifier: Apache-2.0
// Messages between ranks of one host through their inboxes. The threads that wait for messages also move those of
// others.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hccl/inbox.h"
#include "hccl/transport.h"

namespace portacl::hccl {

class MemoryLink {
 public:
  /// A message of this rank. It stays where it is until it is done or taken back.
  struct Message {
    bool sends;
    uint32_t peer;
    uint64_t tag;
    std::byte* data;
    size_t bytes;
    size_t moved = 0;
    bool has_begun = false;
    bool is_done = false;
  };

  /// `ranks`: those of the host, in their order, of `all` of the communicator; this one is at `place`. `inboxes`: theirs,
  /// which this rank writes to; its own at its place.
  MemoryLink(const std::vector<uint32_t>& ranks, uint32_t all, size_t place,
             std::vector<std::unique_ptr<Inbox>> inboxes);

  void Begin(Message& message);
  void TakeBack(Message& message) noexcept;
  Outcome Wait(Message& message, Deadline deadline);

  /// Ends all waits of this rank and of all others here.
  void Abort(const std::string& reason);
  /// Ends those of this rank alone: the communicator has failed elsewhere.
  void Fail(const std::string& reason);
  void Leave() noexcept;
  bool HasLeft();
  /// A process has ended.
  void End(uint32_t rank);
  std::string Reason();

 private:
  // A message that came before it was asked for.
  struct Early {
    uint64_t tag;
    size_t bytes;
    std::vector<std::byte> content;
  };
  struct Peer {
    uint32_t rank;
    Inbox* inbox;   // theirs
    InboxSlot* to;  // this rank's slot there
    std::byte* to_ring;
    InboxSlot* from;  // their slot here
    std::byte* from_ring;
    // The same counts as in the slots, where nobody else can change them.
    uint64_t written = 0;
    uint64_t read = 0;
    std::list<Message*> sends;     // not yet written; the first may be half-way
    std::list<Message*> receives;  // nothing of them has come
    std::list<Early> early;
    // What is coming: for one of the receives, an early one, or for nobody.
    bool is_coming = false;
    uint64_t tag = 0;
    size_t bytes = 0;
    size_t come = 0;
    Message* into = nullptr;
    Early* into_early = nullptr;
    bool is_cut = false;  // a send was taken back half-way: no other can follow
    bool has_left = false;
    bool has_ended = false;
  };

  Peer& PeerOf(uint32_t rank) { return *peers_[rank]; }
  void Advance();
  void MoveAll();
  void Write(Peer& peer);
  void Read(Peer& peer);
  bool BeginComing(Peer& peer);
  void Finish(Message& message);
  void Break(const Peer& peer);
  void BroadcastState(RankState state, const std::string& reason) noexcept;

  std::mutex mutex_;  // guards all below
  const std::vector<std::unique_ptr<Inbox>> inboxes_;
  Inbox& own_;
  const std::chrono::microseconds spin_;
  std::vector<std::unique_ptr<Peer>> peers_;  // by rank, null for those that are not here
  std::string reason_;
  bool is_over_ = false;    // what has come is still received
  bool is_broken_ = false;  // an invalid message was read
  bool has_broadcast_ = false;
  bool has_left_ = false;
  int waiting_ = 0;
  bool has_news_ = false;  // for other threads that wait
};

/// The transport of this rank to those of the link.
std::unique_ptr<Transport> MakeMemoryTransport(std::shared_ptr<MemoryLink> link);

}  // namespace portacl::hccl
