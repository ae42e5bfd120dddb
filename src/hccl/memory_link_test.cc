// SPDX-License-Identifier: Apache-2.0
// Messages through shared memory, and invalid data that another process may have written there.
#include "hccl/memory_link.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <thread>

namespace portacl::hccl {
namespace {

using Message = MemoryLink::Message;

Deadline Soon() { return std::chrono::steady_clock::now() + std::chrono::seconds(20); }

// Two ranks, 1 and 3 of four, with the inboxes that each of them uses.
struct Pair {
  Pair() {
    std::unique_ptr<Inbox> first = Inbox::Make(2);
    std::unique_ptr<Inbox> second = Inbox::Make(2);
    std::vector<std::unique_ptr<Inbox>> of_first(2), of_second(2);
    of_first[1] = Inbox::Open(second->place(), 2);
    of_second[0] = Inbox::Open(first->place(), 2);
    in_second = &of_first[1]->slot(0);
    ring_in_second = of_first[1]->ring(0);
    of_first[0] = std::move(first);
    of_second[1] = std::move(second);
    a = std::make_unique<MemoryLink>(std::vector<uint32_t>{1, 3}, 4, 0, std::move(of_first));
    b = std::make_unique<MemoryLink>(std::vector<uint32_t>{1, 3}, 4, 1, std::move(of_second));
  }

  InboxSlot* in_second;  // the slot that rank 1 writes for rank 3
  std::byte* ring_in_second;
  std::unique_ptr<MemoryLink> a;
  std::unique_ptr<MemoryLink> b;
};

struct Payload {
  explicit Payload(size_t count, uint32_t first = 0) : values(count) {
    if (first != 0) std::iota(values.begin(), values.end(), first);
  }
  Message Send(uint64_t tag) { return {true, 3, tag, data(), bytes()}; }
  Message Receive(uint64_t tag) { return {false, 1, tag, data(), bytes()}; }
  std::byte* data() { return reinterpret_cast<std::byte*>(values.data()); }
  size_t bytes() const { return values.size() * sizeof(uint32_t); }

  std::vector<uint32_t> values;
};

TEST(MemoryLink, CarriesMessagesOfAnySizeInAnyOrder) {
  Pair pair;
  // Some messages wrap around the end of the ring, and some are larger than the ring.
  const size_t counts[] = {0, 1, 3, 4, 5, 60'000, 250'000, 1'000'000, 7};
  std::vector<Payload> sent, received;
  std::vector<Message> sends, receives;
  for (const size_t count : counts) {
    sent.emplace_back(count, static_cast<uint32_t>(count));
    received.emplace_back(count);
  }
  for (size_t i = 0; i < std::size(counts); ++i) {
    sends.push_back(sent[i].Send(i));
    receives.push_back(received[i].Receive(i));
  }
  std::thread sender([&] {
    for (Message& each : sends) pair.a->Begin(each);
    for (Message& each : sends) EXPECT_EQ(pair.a->Wait(each, Soon()), Outcome::kDone);
  });
  // Receives the last message first: all others arrive early.
  for (size_t i = std::size(counts); i-- > 0;) {
    pair.b->Begin(receives[i]);
    EXPECT_EQ(pair.b->Wait(receives[i], Soon()), Outcome::kDone) << i;
    EXPECT_EQ(received[i].values, sent[i].values) << i;
  }
  sender.join();
}

TEST(MemoryLink, KeepsWhatWasSentBeforeARankLeft) {
  Pair pair;
  Payload sent(1000, 5), received(1000), missing(1);
  Message send = sent.Send(1), receive = received.Receive(1), never = missing.Receive(2);
  pair.a->Begin(send);
  EXPECT_EQ(pair.a->Wait(send, Soon()), Outcome::kDone);
  pair.a->Leave();
  pair.b->Begin(receive);
  pair.b->Begin(never);
  EXPECT_EQ(pair.b->Wait(receive, Soon()), Outcome::kDone);
  EXPECT_EQ(received.values, sent.values);
  EXPECT_EQ(pair.b->Wait(never, Soon()), Outcome::kLost);
  EXPECT_EQ(pair.b->Reason(), "") << "it has left, and did not fail";
}

TEST(MemoryLink, EndsWaitsWithTheFirstReason) {
  Pair pair;
  Payload missing(1);
  Message never = missing.Receive(2);
  pair.b->Begin(never);
  EXPECT_EQ(pair.b->Wait(never, std::chrono::steady_clock::now()), Outcome::kTimedOut);
  std::thread waits([&] { EXPECT_EQ(pair.b->Wait(never, Soon()), Outcome::kLost); });
  pair.a->Abort(std::string(5000, 'x'));
  waits.join();
  EXPECT_EQ(pair.b->Reason(), std::string(kMostReasonBytes, 'x'));
}

TEST(MemoryLink, KeepsWhatWasSentBeforeTheCommunicatorFailed) {
  Pair pair;
  Payload sent(1000, 5), received(1000);
  Message send = sent.Send(1), receive = received.Receive(1);
  pair.a->Begin(send);
  EXPECT_EQ(pair.a->Wait(send, Soon()), Outcome::kDone);
  pair.a->Abort("a reason");
  pair.b->Begin(receive);
  EXPECT_EQ(pair.b->Wait(receive, Soon()), Outcome::kDone);
  EXPECT_EQ(received.values, sent.values);
}

TEST(MemoryLink, HearsThatAProcessHasEnded) {
  Pair pair;
  Payload missing(1);
  Message never = missing.Receive(2);
  pair.b->Begin(never);
  std::thread waits([&] { EXPECT_EQ(pair.b->Wait(never, Soon()), Outcome::kLost); });
  pair.b->End(1);
  waits.join();
  EXPECT_EQ(pair.b->Reason(), "the process of rank 1 has ended");
}

TEST(MemoryLink, SendsNothingBehindAMessageThatWasTakenBack) {
  Pair pair;
  Payload large(1'000'000, 1), small(1, 1);
  Message half = large.Send(1), behind = small.Send(2);
  pair.a->Begin(half);
  EXPECT_EQ(pair.a->Wait(half, std::chrono::steady_clock::now()), Outcome::kTimedOut);
  pair.a->TakeBack(half);
  pair.a->Begin(behind);
  EXPECT_EQ(pair.a->Wait(behind, Soon()), Outcome::kLost);
}

TEST(MemoryLink, ComparesWhatComesWithWhatMayCome) {
  const struct {
    const char* what;
    uint64_t tag, bytes, written;
  } cases[] = {
      {"more bytes than are expected", 7, 12, 32},           {"fewer bytes than are expected", 7, 0, 16},
      {"a length that no message has", 9, ~uint64_t{0}, 16}, {"a count beyond the ring", 7, 4, uint64_t{1} << 40},
      {"a count that went back", 7, 4, ~uint64_t{0} - 15},   {"a count between units", 7, 4, 17},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.what);
    Pair pair;
    Payload received(2);  // the second element detects writes after the first
    Message receive = {false, 1, 7, received.data(), sizeof(uint32_t)};
    pair.b->Begin(receive);
    std::memset(pair.ring_in_second, 0xff, 64);
    std::memcpy(pair.ring_in_second, &each.tag, sizeof(each.tag));
    std::memcpy(pair.ring_in_second + sizeof(each.tag), &each.bytes, sizeof(each.bytes));
    pair.in_second->written = each.written;
    EXPECT_EQ(pair.b->Wait(receive, Soon()), Outcome::kLost);
    EXPECT_EQ(pair.b->Reason(), "rank 1 sent an invalid message");
    EXPECT_EQ(received.values, std::vector<uint32_t>(2));
  }
}

TEST(MemoryLink, ComparesTheRoomThatItIsTold) {
  for (const uint64_t read : {uint64_t{16}, uint64_t{1} << 40, ~uint64_t{0} - 7}) {
    Pair pair;
    Payload sent(1, 1);
    Message send = sent.Send(1);
    pair.in_second->read = read;
    pair.a->Begin(send);
    EXPECT_EQ(pair.a->Wait(send, Soon()), Outcome::kLost) << read;
  }
}

TEST(Inbox, OpensForThoseWhoKnowItsToken) {
  const std::unique_ptr<Inbox> inbox = Inbox::Make(3);
  ASSERT_NE(inbox, nullptr);
  InboxPlace place = inbox->place();
  EXPECT_NE(Inbox::Open(place, 3), nullptr);
  EXPECT_EQ(Inbox::Open(place, 4), nullptr) << "another size";
  place.token[1] ^= 1;
  EXPECT_EQ(Inbox::Open(place, 3), nullptr);
  place = inbox->place();
  place.descriptor = 0;
  EXPECT_EQ(Inbox::Open(place, 3), nullptr) << "no inbox";
  place = inbox->place();
  inbox->Close();
  EXPECT_EQ(Inbox::Open(place, 3), nullptr) << "closed";
}

}  // namespace
}  // namespace portacl::hccl
