// SPDX-License-Identifier: Apache-2.0
// Threads that call all functions of streams at random, on streams that they share and that other threads end: by
// force, after an abort, or while callbacks run on threads which start and end. A call may be refused, but each must
// return. All streams must be released, and no function of the client may run twice.
#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"

namespace portacl::storm {
namespace {

constexpr int kThreads = 24;
constexpr size_t kStreams = 6;
constexpr size_t kEvents = 4;
constexpr size_t kBytes = 4096;
constexpr size_t kCopied = 64;
constexpr std::chrono::seconds kPatience{60};

uint32_t NumberOf(const char* variable, uint32_t usual) {
  const char* text = std::getenv(variable);
  return text == nullptr ? usual : static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
}

// The argument of a callback or a host function. The function may never run, as its stream may end before.
struct Call {
  std::atomic<int> runs{0};
  aclrtContext context = nullptr;
  aclrtStream ends = nullptr;  // the function destroys this stream
};

struct Shared {
  aclrtContext context = nullptr;
  std::array<std::atomic<aclrtStream>, kStreams> streams{};
  std::array<std::atomic<aclrtEvent>, kEvents> events{};
  std::array<std::atomic<uint64_t>, kThreads> threads{};  // their identifiers for subscriptions
  aclrtNotify notify = nullptr;
  char* memory = nullptr;  // the values that streams wait for, followed by targets of copies
  char* source = nullptr;  // the source of copies
};

void RunCall(void* argument) {
  auto* call = static_cast<Call*>(argument);
  ++call->runs;
  if (call->ends == nullptr) return;
  aclrtSetCurrentContext(call->context);
  aclrtDestroyStreamForce(call->ends);
}

class Player {
 public:
  Player(Shared& shared, size_t me, uint32_t seed) : shared_(shared), me_(me), random_(seed) {}

  void Play(uint32_t steps) {
    ASSERT_EQ(aclrtSetCurrentContext(shared_.context), ACL_SUCCESS);
    shared_.threads[me_] = static_cast<uint64_t>(pthread_self());
    calls_ = std::vector<Call>(steps);
    void* memory = nullptr;
    ASSERT_EQ(aclrtMalloc(&memory, kCopied * steps, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    memory_ = static_cast<char*>(memory);
    for (step_ = 0; step_ < steps; ++step_) Step();
  }

  // When all streams are destroyed, no thread has a subscription.
  void CheckEnd() {
    EXPECT_EQ(aclrtProcessReport(1), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    EXPECT_EQ(aclrtProcessHostFunc(1), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    EXPECT_EQ(aclrtFree(memory_), ACL_SUCCESS);
  }

  void CheckCalls() const {
    for (const Call& call : calls_) EXPECT_LE(call.runs.load(), 1);
  }

  uint32_t step() const { return step_; }
  int last() const { return last_; }

 private:
  uint32_t Random(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  aclrtStream AnyStream() { return shared_.streams[Random(kStreams)]; }
  aclrtEvent AnyEvent() { return shared_.events[Random(kEvents)]; }
  uint64_t AnyThread() {
    return Random(2) == 0 ? shared_.threads[me_].load() : shared_.threads[Random(kThreads)].load();
  }
  // A separate target for each step, because streams of other threads are not ordered with this one.
  void* MyPlace() { return memory_ + size_t{kCopied} * step_; }
  void* AnyPlace() { return shared_.memory + size_t{8} * Random(64); }
  Call* NextCall(aclrtStream stream) {
    Call* call = &calls_[step_];
    call->context = shared_.context;
    if (Random(8) == 0) call->ends = stream;
    return call;
  }

  void ReplaceStream() {
    aclrtStream fresh = nullptr;
    ASSERT_EQ(aclrtCreateStream(&fresh), ACL_SUCCESS);
    aclrtStream old = shared_.streams[Random(kStreams)].exchange(fresh);
    if (old != nullptr) aclrtDestroyStreamForce(old);
  }

  void ReplaceEvent() {
    aclrtEvent fresh = nullptr;
    ASSERT_EQ(aclrtCreateEventExWithFlag(&fresh, ACL_EVENT_SYNC), ACL_SUCCESS);
    const aclrtEvent old = shared_.events[Random(kEvents)].exchange(fresh);
    if (old != nullptr) aclrtDestroyEvent(old);
  }

  void Step() {
    const aclrtStream stream = AnyStream();
    last_ = static_cast<int>(Random(22));
    if (stream == nullptr || Random(32) == 0) return ReplaceStream();
    switch (last_) {
      case 0:
        ReplaceStream();
        break;
      case 1:
        if (Random(4) == 0) aclrtDestroyStreamForce(stream);
        break;
      case 2:
        aclrtStreamAbort(stream);
        break;
      case 3:
        aclrtSubscribeReport(AnyThread(), stream);
        break;
      case 4:
        aclrtUnSubscribeReport(AnyThread(), stream);
        break;
      case 5:
        aclrtProcessReport(1);
        break;
      case 6:
        aclrtSubscribeHostFunc(AnyThread(), stream);
        break;
      case 7:
        aclrtUnSubscribeHostFunc(AnyThread(), stream);
        break;
      case 8:
        aclrtProcessHostFunc(1);
        break;
      case 9:
        aclrtLaunchCallback(RunCall, NextCall(stream), ACL_CALLBACK_BLOCK, stream);
        break;
      case 10:
        aclrtLaunchCallback(RunCall, NextCall(stream), ACL_CALLBACK_NO_BLOCK, stream);
        break;
      case 11:
        aclrtLaunchHostFunc(stream, RunCall, NextCall(stream));
        break;
      case 12:
        aclrtValueWrite(AnyPlace(), Random(100), 0, stream);
        break;
      case 13:
        aclrtValueWait(AnyPlace(), Random(100), ACL_STREAM_WAIT_VALUE_GEQ, stream);
        break;
      case 14:
        aclrtMemsetAsync(MyPlace(), kCopied, 0, kCopied, stream);
        break;
      case 15:
        aclrtMemcpyAsync(MyPlace(), kCopied, shared_.source, kCopied, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
        break;
      case 16:
        aclrtSynchronizeStreamWithTimeout(stream, static_cast<int32_t>(1 + Random(3)));
        break;
      case 17: {
        aclrtStreamStatus status{};
        aclrtStreamQuery(stream, &status);
        break;
      }
      case 18:
        if (Random(4) == 0) ReplaceEvent();
        if (aclrtEvent event = AnyEvent(); event != nullptr) aclrtRecordEvent(event, stream);
        break;
      case 19:
        if (aclrtEvent event = AnyEvent(); event != nullptr) aclrtStreamWaitEvent(stream, event);
        break;
      case 20:
        aclrtRecordNotify(shared_.notify, stream);
        break;
      default:
        aclrtWaitAndResetNotify(shared_.notify, stream, 1);
        break;
    }
  }

  Shared& shared_;
  const size_t me_;
  std::mt19937 random_;
  std::vector<Call> calls_;
  char* memory_ = nullptr;
  std::atomic<uint32_t> step_{0};
  std::atomic<int> last_{0};
};

// Ends the process when the threads make no progress for a while: a test cannot return while a thread hangs.
class Watchdog {
 public:
  explicit Watchdog(const std::vector<std::unique_ptr<Player>>& players)
      : thread_([this, &players] {
          std::unique_lock lock(mutex_);
          uint64_t seen = 0;
          auto since = std::chrono::steady_clock::now();
          while (!over_) {
            changed_.wait_for(lock, std::chrono::seconds(1));
            uint64_t steps = 0;
            for (const auto& player : players) steps += player->step();
            const auto now = std::chrono::steady_clock::now();
            if (steps != seen) since = now;
            seen = steps;
            if (now - since < kPatience || over_) continue;
            for (const auto& player : players)
              ADD_FAILURE() << "a thread hangs at step " << player->step() << " in function " << player->last();
            std::abort();
          }
        }) {}
  ~Watchdog() {
    {
      const std::scoped_lock lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

TEST(StreamStorm, EveryCallReturnsAndEveryStreamIsGivenBack) {
  const uint32_t seed = NumberOf("STRESS_SEED", 1);
  const uint32_t steps = NumberOf("STORM_STEPS", 6000);
  SCOPED_TRACE("repeat with STRESS_SEED=" + std::to_string(seed));
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  Shared shared;
  ASSERT_EQ(aclrtGetCurrentContext(&shared.context), ACL_SUCCESS);
  uint32_t room = 0;
  ASSERT_EQ(aclrtGetStreamAvailableNum(&room), ACL_SUCCESS);
  void* memory = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemset(memory, kBytes, 0, kBytes), ACL_SUCCESS);
  shared.memory = static_cast<char*>(memory);
  shared.source = shared.memory + kBytes / 2;
  ASSERT_EQ(aclrtCreateNotify(&shared.notify, 0), ACL_SUCCESS);
  std::vector<std::unique_ptr<Player>> players;
  for (size_t me = 0; me < kThreads; ++me)
    players.push_back(std::make_unique<Player>(shared, me, seed + static_cast<uint32_t>(me)));
  {
    const Watchdog watchdog(players);
    std::vector<std::thread> threads;
    std::barrier end(kThreads + 1);
    for (const auto& player : players) {
      threads.emplace_back([&player, &end, steps] {
        player->Play(steps);
        end.arrive_and_wait();
        end.arrive_and_wait();
        player->CheckEnd();
      });
    }
    end.arrive_and_wait();
    for (const auto& stream : shared.streams)
      if (stream.load() != nullptr) aclrtDestroyStreamForce(stream);
    end.arrive_and_wait();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  }
  for (const auto& player : players) player->CheckCalls();
  uint32_t room_after = 0;
  EXPECT_EQ(aclrtGetStreamAvailableNum(&room_after), ACL_SUCCESS);
  EXPECT_EQ(room_after, room);
  for (const auto& event : shared.events)
    if (event.load() != nullptr) {
      EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
    }
  EXPECT_EQ(aclrtDestroyNotify(shared.notify), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

// Contexts end while other threads create streams and events in them and leave waits there that nothing ends.
TEST(StreamStorm, NothingOutlivesItsContext) {
  const uint32_t seed = NumberOf("STRESS_SEED", 1);
  const uint32_t steps = NumberOf("STORM_STEPS", 6000) / 10;
  SCOPED_TRACE("repeat with STRESS_SEED=" + std::to_string(seed));
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  uint32_t streams_before = 0;
  uint32_t events_before = 0;
  ASSERT_EQ(aclrtGetStreamAvailableNum(&streams_before), ACL_SUCCESS);
  ASSERT_EQ(aclrtGetEventAvailNum(&events_before), ACL_SUCCESS);
  void* memory = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemset(memory, kBytes, 0, kBytes), ACL_SUCCESS);
  std::array<std::atomic<aclrtContext>, 3> contexts{};
  std::vector<std::thread> threads;
  for (uint32_t me = 0; me < 8; ++me) {
    threads.emplace_back([&, me] {
      std::mt19937 random(seed + me);
      for (uint32_t step = 0; step < steps; ++step) {
        std::atomic<aclrtContext>& place = contexts[random() % contexts.size()];
        if (random() % 8 == 0) {
          aclrtContext fresh = nullptr;
          ASSERT_EQ(aclrtCreateContext(&fresh, 0), ACL_SUCCESS);
          const aclrtContext old = place.exchange(fresh);
          if (old != nullptr) {
            EXPECT_EQ(aclrtDestroyContext(old), ACL_SUCCESS);
          }
        }
        if (place.load() == nullptr || aclrtSetCurrentContext(place) != ACL_SUCCESS) continue;
        aclrtStream stream = nullptr;
        aclrtEvent event = nullptr;
        aclrtCreateEvent(&event);
        if (aclrtCreateStream(&stream) != ACL_SUCCESS) continue;
        aclrtValueWait(memory, 1, ACL_STREAM_WAIT_VALUE_GEQ, stream);
        if (event != nullptr) aclrtStreamWaitEvent(stream, event);
        if (event != nullptr) aclrtRecordEvent(event, nullptr);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& context : contexts) {
    if (context.load() != nullptr) {
      EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
    }
  }
  uint32_t streams_after = 0;
  uint32_t events_after = 0;
  EXPECT_EQ(aclrtGetStreamAvailableNum(&streams_after), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetEventAvailNum(&events_after), ACL_SUCCESS);
  EXPECT_EQ(streams_after, streams_before);
  EXPECT_EQ(events_after, events_before);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

}  // namespace
}  // namespace portacl::storm
