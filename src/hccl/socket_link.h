// SPDX-License-Identifier: Apache-2.0
// Small messages between ranks, on separate connections. The threads that wait for messages read the sockets
// themselves, also for other threads: no message has to wake a thread that forwards it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <vector>

#include "hccl/transport.h"

namespace portacl::hccl {

class SocketLink {
 public:
  static constexpr size_t kMostBytes = size_t{32} << 10;  // the largest message

  /// A message of this rank. The data of a send is copied before Begin() returns. The object of a receive must not move
  /// until it is done or taken back.
  struct Message {
    bool sends;
    uint32_t peer;
    uint64_t tag;
    std::byte* data;
    size_t bytes;
    uint64_t end = 0;  // for a send: the number of bytes that the socket has taken when it is done
    bool is_done = false;
  };

  /// `sockets`: by rank, connected, -1 for this one; this object takes them over. `spin`: how long a wait polls them
  /// before it sleeps.
  SocketLink(std::vector<int> sockets, std::chrono::microseconds spin);
  SocketLink(const SocketLink&) = delete;
  SocketLink& operator=(const SocketLink&) = delete;
  ~SocketLink();

  void Begin(Message& message);
  void TakeBack(Message& message) noexcept;
  Outcome Wait(Message& message, Deadline deadline);

  /// Ends all waits. Data that has arrived is still received.
  void End() noexcept;
  /// Tells the other ranks that no data follows, after the data already sent.
  void Close() noexcept;

 private:
  // A message that arrived before its receive began.
  struct Early {
    uint64_t tag;
    std::vector<std::byte> content;
  };
  struct Peer {
    int socket = -1;
    std::vector<std::byte> unsent;
    size_t unsent_begin = 0;
    uint64_t queued = 0;  // bytes of all messages, and bytes that the socket has taken
    uint64_t sent = 0;
    std::vector<std::byte> received;  // a part of a message
    std::list<Message*> receives;
    std::list<Early> early;
    bool is_lost = false;
  };

  class Turn;

  bool IsDone(const Message& message) const;
  bool MoveAll();
  void Write(Peer& peer) noexcept;
  bool Read(Peer& peer);
  bool TakeMessages(Peer& peer);
  void Look(std::unique_lock<std::mutex>& lock, Deadline deadline);
  void Sleep(std::unique_lock<std::mutex>& lock, Deadline deadline);
  void WakeSleeper() noexcept;

  const std::chrono::microseconds spin_;
  const int bell_;    // an eventfd; the thread that looks at the sockets waits for it as well
  std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  std::vector<Peer> peers_;  // by rank
  bool is_over_ = false;
  bool somebody_looks_ = false;
  bool sleeps_ = false;  // the looking thread sleeps
  std::vector<std::byte> piece_;
};

}  // namespace portacl::hccl
