// SPDX-License-Identifier: Apache-2.0
// Small messages through sockets, and invalid data that another process may have sent.
#include "hccl/socket_link.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <thread>

namespace portacl::hccl {
namespace {

using Small = SocketLink::Message;

constexpr std::chrono::microseconds kShortSpin{20};

Deadline BeforeLong() { return std::chrono::steady_clock::now() + std::chrono::seconds(20); }

// Ranks 0 and 1 of a communicator of two ranks.
struct SocketPair {
  SocketPair() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    socket_of_b = ends[1];
    a = std::make_unique<SocketLink>(std::vector<int>{-1, ends[0]}, kShortSpin);
    b = std::make_unique<SocketLink>(std::vector<int>{ends[1], -1}, std::chrono::microseconds(0));
  }

  int socket_of_b;
  std::unique_ptr<SocketLink> a;
  std::unique_ptr<SocketLink> b;
};

struct Content {
  explicit Content(size_t count, uint32_t first = 0) : values(count) {
    if (first != 0) std::iota(values.begin(), values.end(), first);
  }
  Small Send(uint64_t tag, uint32_t to = 1) { return {true, to, tag, data(), bytes()}; }
  Small Receive(uint64_t tag, uint32_t from = 0) { return {false, from, tag, data(), bytes()}; }
  std::byte* data() { return reinterpret_cast<std::byte*>(values.data()); }
  size_t bytes() const { return values.size() * sizeof(uint32_t); }

  std::vector<uint32_t> values;
};

TEST(SocketLink, CarriesMessagesOfAnySizeInAnyOrder) {
  SocketPair pair;
  constexpr uint32_t kMost = SocketLink::kMostBytes / sizeof(uint32_t);
  // More data than a socket takes while no thread reads.
  std::vector<uint32_t> counts = {0, 1, 3, kMost - 1, kMost, 7};
  counts.resize(100, kMost);
  std::vector<Content> sent, received;
  std::vector<Small> sends, receives;
  for (const uint32_t count : counts) {
    sent.emplace_back(count, count + 1);
    received.emplace_back(count);
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    sends.push_back(sent[i].Send(i));
    receives.push_back(received[i].Receive(i));
  }
  std::thread sender([&] {
    for (Small& each : sends) pair.a->Begin(each);
    for (Small& each : sends) EXPECT_EQ(pair.a->Wait(each, BeforeLong()), Outcome::kDone);
  });
  // Receives the last message first: all others arrive early.
  for (size_t i = counts.size(); i-- > 0;) {
    pair.b->Begin(receives[i]);
    EXPECT_EQ(pair.b->Wait(receives[i], BeforeLong()), Outcome::kDone) << i;
    EXPECT_EQ(received[i].values, sent[i].values) << i;
  }
  sender.join();
}

// Each thread may be the one that reads for all others.
TEST(SocketLink, ServesThreadsThatWaitAtOnce) {
  SocketPair pair;
  constexpr uint32_t kThreads = 6;
  constexpr uint32_t kRounds = 300;
  const auto run = [](SocketLink& link, uint32_t peer, uint32_t thread) {
    for (uint32_t round = 0; round < kRounds; ++round) {
      Content out(round % 50, thread * kRounds + round + 1), in(round % 50);
      Small send = out.Send(uint64_t{thread} << 32 | round, peer);
      Small receive = in.Receive(uint64_t{thread} << 32 | round, peer);
      link.Begin(receive);
      link.Begin(send);
      ASSERT_EQ(link.Wait(receive, BeforeLong()), Outcome::kDone);
      ASSERT_EQ(link.Wait(send, BeforeLong()), Outcome::kDone);
      ASSERT_EQ(in.values, out.values);
    }
  };
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { run(*pair.a, 1, i); });
    threads.emplace_back([&, i] { run(*pair.b, 0, i); });
  }
  for (std::thread& each : threads) each.join();
}

TEST(SocketLink, KeepsWhatWasSentBeforeARankClosed) {
  SocketPair pair;
  Content sent(1000, 5), received(1000), missing(1), unread(100, 1);
  Small send = sent.Send(1), receive = received.Receive(1), never = missing.Receive(2), nobodys = unread.Send(9, 0);
  pair.b->Begin(nobodys);
  pair.a->Begin(send);
  EXPECT_EQ(pair.a->Wait(send, BeforeLong()), Outcome::kDone);
  pair.a->Close();
  pair.a.reset();
  pair.b->Begin(receive);
  pair.b->Begin(never);
  EXPECT_EQ(pair.b->Wait(receive, BeforeLong()), Outcome::kDone);
  EXPECT_EQ(received.values, sent.values);
  EXPECT_EQ(pair.b->Wait(never, BeforeLong()), Outcome::kLost);
}

TEST(SocketLink, EndsWaitsAtTheLimitAndAtTheEnd) {
  for (const bool closes : {false, true}) {
    for (const bool spins : {false, true}) {
      SocketPair pair;
      SocketLink* const link = spins ? pair.a.get() : pair.b.get();
      Content missing(1);
      Small never = missing.Receive(2, spins ? 1 : 0);
      link->Begin(never);
      EXPECT_EQ(link->Wait(never, std::chrono::steady_clock::now() + std::chrono::milliseconds(2)), Outcome::kTimedOut);
      // Two threads: one reads, the other waits for it.
      std::vector<std::thread> waits;
      for (int i = 0; i < 2; ++i)
        waits.emplace_back([&] { EXPECT_EQ(link->Wait(never, BeforeLong()), Outcome::kLost); });
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      closes ? link->Close() : link->End();
      for (std::thread& each : waits) each.join();
      link->TakeBack(never);
    }
  }
}

TEST(SocketLink, TakesBackWhatItWaitsFor) {
  SocketPair pair;
  Content sent(10, 3), received(10);
  {
    Content gone(10);
    Small receive = gone.Receive(1);
    pair.b->Begin(receive);
    pair.b->TakeBack(receive);
  }
  Small send = sent.Send(1), again = received.Receive(1);
  pair.a->Begin(send);
  pair.b->Begin(again);
  EXPECT_EQ(pair.b->Wait(again, BeforeLong()), Outcome::kDone);
  EXPECT_EQ(received.values, sent.values);
}

// Invalid data ends the connection with the rank that sent it, and nothing is written.
TEST(SocketLink, DoesNotBelieveWhatComes) {
  struct Header {
    uint64_t tag;
    uint32_t magic;
    uint32_t bytes;
  };
  constexpr uint32_t kMagic = 0x4d434150;
  const struct {
    Header header;
    size_t receive_count;
    bool is_early;
  } cases[] = {{{2, kMagic + 1, 4}, 1, false},      {{2, kMagic, SocketLink::kMostBytes + 1}, 1, false},
               {{2, kMagic, UINT32_MAX}, 1, false}, {{2, kMagic, 8}, 1, false},
               {{2, kMagic, 0}, 1, false},          {{2, kMagic, 8}, 1, true}};
  for (const auto& each : cases) {
    SCOPED_TRACE(::testing::Message() << each.header.magic << ' ' << each.header.bytes);
    SocketPair pair;
    const std::string bytes = std::string(reinterpret_cast<const char*>(&each.header), sizeof(Header)) + "12345678";
    ASSERT_EQ(send(pair.socket_of_b, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    Content other(1), received(each.receive_count, 77);
    if (each.is_early) {
      Small never = other.Receive(3, 1);
      pair.a->Begin(never);
      EXPECT_EQ(pair.a->Wait(never, std::chrono::steady_clock::now()), Outcome::kTimedOut);
      pair.a->TakeBack(never);
    }
    Small receive = received.Receive(2, 1);
    pair.a->Begin(receive);
    EXPECT_EQ(pair.a->Wait(receive, BeforeLong()), Outcome::kLost);
    EXPECT_EQ(received.values[0], 77U);
    pair.a->TakeBack(receive);
  }
}

}  // namespace
}  // namespace portacl::hccl
