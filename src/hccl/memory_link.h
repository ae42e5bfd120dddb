// SPDX-License-Identifier: Apache-2.0
// Messages between ranks of one host through their inboxes. A thread that waits for a message also moves the messages
// of other threads.
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
  /// A message of this rank. The object must not move until it is done or taken back.
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

  /// `ranks`: the ranks of this host, in ascending order, out of `all` ranks of the communicator; this one has the
  /// index `place`. `inboxes`: theirs, which this rank writes to, and its own at the index `place`.
  MemoryLink(const std::vector<uint32_t>& ranks, uint32_t all, size_t place,
             std::vector<std::unique_ptr<Inbox>> inboxes);

  void Begin(Message& message);
  void TakeBack(Message& message) noexcept;
  Outcome Wait(Message& message, Deadline deadline);

  /// Ends all waits of this rank and of all other ranks of this host.
  void Abort(const std::string& reason);
  /// Ends only the waits of this rank: the communicator has failed on another host.
  void Fail(const std::string& reason);
  void Leave() noexcept;
  bool HasLeft();
  /// The process of a rank has ended.
  void End(uint32_t rank);
  std::string Reason();

 private:
  // A message that arrived before its receive began.
  struct Early {
    uint64_t tag;
    size_t bytes;
    std::vector<std::byte> content;
  };
  struct Peer {
    uint32_t rank;
    Inbox* inbox;   // the peer's inbox
    InboxSlot* to;  // this rank's slot in it
    std::byte* to_ring;
    InboxSlot* from;  // the peer's slot in this rank's inbox
    std::byte* from_ring;
    // The same counts as in the slots, but other processes cannot change these.
    uint64_t written = 0;
    uint64_t read = 0;
    std::list<Message*> sends;     // not fully written; the first may be half-written
    std::list<Message*> receives;  // no data has arrived yet
    std::list<Early> early;
    // The message that is arriving: for one of the receives, for an early message, or for a receive that was taken
    // back.
    bool is_coming = false;
    uint64_t tag = 0;
    size_t bytes = 0;
    size_t come = 0;
    Message* into = nullptr;
    Early* into_early = nullptr;
    bool is_cut = false;  // a send was taken back half-written: no other can follow
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

  std::mutex mutex_;  // guards all members below
  const std::vector<std::unique_ptr<Inbox>> inboxes_;
  Inbox& own_;
  const std::chrono::microseconds spin_;
  std::vector<std::unique_ptr<Peer>> peers_;  // by rank; null for ranks of other hosts
  std::string reason_;
  bool is_over_ = false;    // data that has arrived is still received
  bool is_broken_ = false;  // an invalid message was read
  bool has_broadcast_ = false;
  bool has_left_ = false;
  int waiting_ = 0;
  bool has_news_ = false;  // other threads that wait must be woken
};

/// The transport from this rank to the ranks of the link.
std::unique_ptr<Transport> MakeMemoryTransport(std::shared_ptr<MemoryLink> link);

}  // namespace portacl::hccl
