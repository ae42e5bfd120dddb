// SPDX-License-Identifier: Apache-2.0
// Two threads, each with one stream and thousands of random operations: copies, fills, host functions, and events
// across the streams. Each thread knows the expected contents of its memory after every step. Values show whether order
// and visibility are right; ThreadSanitizer finds races.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "acl/acl.h"

namespace {

constexpr size_t kBytes = 2048;
constexpr size_t kLargeBytes = size_t{1} << 20;  // long enough to be run by a worker
constexpr int kBlocks = 4;

int Steps() {
  const char* text = std::getenv("STRESS_STEPS");
  return text == nullptr ? 6000 : std::atoi(text);
}

// A letter from one thread to the other: a byte of device memory, written on the sender's stream, and an event recorded
// after it.
struct Letter {
  aclrtEvent event = nullptr;
  size_t number = 0;
};
unsigned char TextOf(size_t number) { return static_cast<unsigned char>(1 + number % 251); }

struct Shared {
  std::mutex mutex;  // guards `last`
  std::array<Letter, 2> last;
  std::array<void*, 2> mailbox{};  // one byte for each letter
};

class Player {
 public:
  Player(Shared& shared, size_t me, uint32_t seed) : shared_(shared), me_(me), random_(seed) {}

  void Play() {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
    for (Mirror& block : blocks_) {
      block.bytes = Random(8) == 0 ? kLargeBytes : kBytes;
      ASSERT_EQ(aclrtMalloc(&block.device, block.bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
      Fill(block);
    }
    ASSERT_EQ(aclrtMallocHost(&pinned_, kLargeBytes), ACL_SUCCESS);
    ASSERT_EQ(aclrtMallocHost(&received_, 1), ACL_SUCCESS);
    for (int step = 0; step < Steps() && !::testing::Test::HasFatalFailure(); ++step) Step();
    CheckAll();
    EXPECT_EQ(calls_seen_, calls_made_);
    for (Mirror& block : blocks_) EXPECT_EQ(aclrtFree(block.device), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreeHost(pinned_), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreeHost(received_), ACL_SUCCESS);
    Publish({});
    EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  }

 private:
  // A block of device memory, and the byte value that fills it when the stream reaches this point.
  struct Mirror {
    void* device = nullptr;
    size_t bytes = 0;
    unsigned char value = 0;
  };

  // A host function's argument: the function must find the counter at the value that it had when it was queued.
  struct Call {
    int64_t* counter;
    int64_t expected;
    std::atomic<int>* wrong;
  };

  uint32_t Random(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  Mirror& AnyBlock() { return blocks_[Random(kBlocks)]; }

  void Fill(Mirror& block) {
    block.value = static_cast<unsigned char>(Random(256));
    ASSERT_EQ(aclrtMemsetAsync(block.device, block.bytes, block.value, block.bytes, stream_), ACL_SUCCESS);
  }

  void Copy() {
    Mirror& from = AnyBlock();
    Mirror& to = AnyBlock();
    if (from.bytes != to.bytes) return;
    ASSERT_EQ(aclrtMemcpyAsync(to.device, to.bytes, from.device, from.bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_),
              ACL_SUCCESS);
    to.value = from.value;
  }

  void CopyFromTheStack() {
    Mirror& block = AnyBlock();
    if (block.bytes != kBytes) return;
    unsigned char local[kBytes];
    block.value = static_cast<unsigned char>(Random(256));
    std::memset(local, block.value, kBytes);
    ASSERT_EQ(aclrtMemcpyAsync(block.device, kBytes, local, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, stream_), ACL_SUCCESS);
    std::memset(local, ~block.value, kBytes);
  }

  void CallHost() {
    auto* call = new Call{&calls_seen_, calls_made_++, &wrong_calls_};
    const auto function = [](void* argument) {
      const std::unique_ptr<Call> mine(static_cast<Call*>(argument));
      if ((*mine->counter)++ != mine->expected) ++*mine->wrong;
    };
    ASSERT_EQ(aclrtLaunchHostFunc(stream_, function, call), ACL_SUCCESS);
  }

  // Publishes a letter for the other thread. The previous letter's event is destroyed, possibly while waits for it are
  // still queued.
  void Publish(Letter letter) {
    {
      const std::scoped_lock lock(shared_.mutex);
      std::swap(shared_.last[me_], letter);
    }
    if (letter.event != nullptr) {
      EXPECT_EQ(aclrtDestroyEvent(letter.event), ACL_SUCCESS);
    }
  }

  void Send() {
    Letter letter;
    letter.number = letters_++;
    ASSERT_EQ(aclrtCreateEventExWithFlag(&letter.event, ACL_EVENT_SYNC), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemsetAsync(Slot(me_, letter.number), 1, TextOf(letter.number), 1, stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtRecordEvent(letter.event, stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtStreamWaitEvent(stream_, letter.event), ACL_SUCCESS);  // its own record: no wait
    Publish(letter);
  }

  void Receive() {
    size_t number = 0;
    {
      const std::scoped_lock lock(shared_.mutex);  // keeps the event alive during the call
      const Letter& letter = shared_.last[1 - me_];
      if (letter.event == nullptr) return;
      number = letter.number;
      if (Random(4) == 0) {
        ASSERT_EQ(aclrtSynchronizeEvent(letter.event), ACL_SUCCESS);
      } else {
        ASSERT_EQ(aclrtStreamWaitEvent(stream_, letter.event), ACL_SUCCESS);
      }
    }
    if (Random(2) == 0) return;
    ASSERT_EQ(aclrtMemcpyAsync(received_, 1, Slot(1 - me_, number), 1, ACL_MEMCPY_DEVICE_TO_HOST, stream_),
              ACL_SUCCESS);
    ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    ASSERT_EQ(*static_cast<const unsigned char*>(received_), TextOf(number));
  }

  void* Slot(size_t sender, size_t number) const { return static_cast<char*>(shared_.mailbox[sender]) + number; }

  void Check(Mirror& block) {
    ASSERT_EQ(aclrtMemcpyAsync(pinned_, kLargeBytes, block.device, block.bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream_),
              ACL_SUCCESS);
    if (Random(2) == 0) {
      ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    } else {
      ASSERT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, 600'000), ACL_SUCCESS);
    }
    const auto* bytes = static_cast<const unsigned char*>(pinned_);
    ASSERT_EQ(bytes[0], block.value);
    ASSERT_EQ(std::memcmp(bytes, bytes + 1, block.bytes - 1), 0);
    ASSERT_EQ(wrong_calls_.load(), 0);
  }

  void CheckAll() {
    for (Mirror& block : blocks_) Check(block);
  }

  void ReplaceBlock() {
    Mirror& block = AnyBlock();
    ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtFree(block.device), ACL_SUCCESS);
    ASSERT_EQ(aclrtMalloc(&block.device, block.bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    Fill(block);
  }

  void ReplaceStream() {
    ASSERT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
  }

  void Step() {
    switch (Random(100)) {
      case 0:
        return ReplaceStream();
      case 1:
        return ReplaceBlock();
      case 2:
      case 3:
      case 4:
        return Check(AnyBlock());
      default:
        break;
    }
    switch (Random(8)) {
      case 0:
      case 1:
        return Fill(AnyBlock());
      case 2:
      case 3:
        return Copy();
      case 4:
        return CopyFromTheStack();
      case 5:
        return CallHost();
      case 6:
        return Send();
      default:
        return Receive();
    }
  }

  Shared& shared_;
  const size_t me_;
  std::mt19937 random_;
  aclrtStream stream_ = nullptr;
  std::array<Mirror, kBlocks> blocks_;
  void* pinned_ = nullptr;
  void* received_ = nullptr;
  int64_t calls_made_ = 0;
  int64_t calls_seen_ = 0;  // written by host functions only, in stream order; read after a synchronize
  std::atomic<int> wrong_calls_{0};
  size_t letters_ = 0;
};

TEST(StreamStress, RandomOperationsOfTwoThreadsKeepTheirOrder) {
  const char* text = std::getenv("STRESS_SEED");
  const uint32_t seed = text == nullptr ? 1 : static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
  SCOPED_TRACE("repeat with STRESS_SEED=" + std::to_string(seed));
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  Shared shared;
  for (void*& mailbox : shared.mailbox) {
    const size_t bytes = static_cast<size_t>(Steps());
    ASSERT_EQ(aclrtMalloc(&mailbox, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemset(mailbox, bytes, 0, bytes), ACL_SUCCESS);
  }
  Player first(shared, 0, seed);
  Player second(shared, 1, seed + 1);
  std::thread other([&second] { second.Play(); });
  first.Play();
  other.join();
  for (void* mailbox : shared.mailbox) EXPECT_EQ(aclrtFree(mailbox), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

}  // namespace
