// SPDX-License-Identifier: Apache-2.0
// Small messages between ranks, on connections of their own. The threads that wait for messages read the sockets
// themselves, for others as well: no message has to wake a thread that passes it on.
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
  static constexpr size_t kMostBytes = size_t{32} << 10;  // of a message

  /// A message of this rank. What is sent has been copied when Begin() returns; a receive stays where it is until it is
  /// done or taken back.
  struct Message {
    bool sends;
    uint32_t peer;
    uint64_t tag;
    std::byte* data;
    size_t bytes;
    uint64_t end = 0;  // of a send: how many bytes the socket has taken when it is done
    bool is_done = false;
  };

  /// `sockets`: by rank, connected, -1 for this one, and this object's from now on. `spin`: how long a wait looks at them
  /// before it sleeps.
  SocketLink(std::vector<int> sockets, std::chrono::microseconds spin);
  SocketLink(const SocketLink&) = delete;
  SocketLink& operator=(const SocketLink&) = delete;
  ~SocketLink();

  void Begin(Message& message);
  void TakeBack(Message& message) noexcept;
  Outcome Wait(Message& message, Deadline deadline);

  /// Ends all waits. What has come is still received.
  void End() noexcept;
  /// Others hear that nothing follows, after what was sent.
  void Close() noexcept;

 private:
  // A message that came before it was asked for.
  struct Early {
    uint64_t tag;
    std::vector<std::byte> content;
  };
  struct Peer {
    int socket = -1;
    std::vector<std::byte> unsent;
    size_t unsent_begin = 0;
    uint64_t queued = 0;  // bytes of all messages, and those that the socket has taken
    uint64_t sent = 0;
    std::vector<std::byte> received;  // of a message that is not whole
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
  const int bell_;    // an eventfd that the thread which looks at the sockets sleeps on as well
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::vector<Peer> peers_;  // by rank
  bool is_over_ = false;
  bool somebody_looks_ = false;
  bool sleeps_ = false;  // who looks
  std::vector<std::byte> piece_;
};

}  // namespace portacl::hccl
