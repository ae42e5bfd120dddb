// SPDX-License-Identifier: Apache-2.0
// Observers, which are notified of events in the library: strict mode (src/check) and traces (src/trace).
//
// Without observers a hook is one load and one branch:
//
//   if (Observer* first = FirstObserver()) [[unlikely]] ForEachObserver([&](Observer& each) { each.TaskEnded(...); });
//
// Observers are never removed, but they may rest. They must not call the library, are called from any thread, and are
// also called while they rest if another observer does not rest.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "base/soc.h"
#include "base/visibility.h"

namespace portacl {

// Objects that a client creates and destroys.
enum class HandleKind : uint8_t { kStream, kEvent, kContext, kNotify, kExecutor, kTensor, kScalar, kArray, kList };

enum class TaskRole : uint8_t { kOperator, kCopy, kFill, kRecord, kWait, kHost, kOther };

// Bytes that a task reads or writes: rows of `width` bytes, `pitch` apart. An operator has one Touch for each non-empty
// operand, with the range that its view reaches; OperandNote describes the shape of the view.
struct Touch {
  const std::byte* begin = nullptr;
  size_t width = 0;
  size_t pitch = 0;
  size_t rows = 1;
  bool written = false;
  int operand = -1;     // index of the operator's operand; -1: the workspace
  bool partly = false;  // how much is written depends on the data: Observer::Wrote() reports it
};

// A description of a task, made by Task::Describe().
struct TaskNote {
  const void* task = nullptr;
  uint64_t stream = 0;  // handle; 0: no stream, the calling thread executes it at once
  int device = 0;
  TaskRole role = TaskRole::kOther;
  const char* name = "task";        // the API function or the kind of task; lives for ever
  const void* moment = nullptr;     // the recorded or awaited moment of kRecord and kWait
  std::vector<Touch> touches = {};  // empty when memory is exhausted
  bool touches_all = false;         // it is unknown which memory it touches
  const void* number = nullptr;     // streams signal with this value: any code may read and write it

  void Add(const void* begin, size_t width, bool written, size_t pitch = 0, size_t rows = 1,
           int operand = -1) noexcept {
    if (width == 0 || rows == 0) return;
    try {
      touches.push_back({static_cast<const std::byte*>(begin), width, pitch, rows, written, operand});
    } catch (const std::bad_alloc&) {
      touches_all = true;
    }
  }
};

// A tensor argument of a call, as phase 1 receives it.
struct OperandNote {
  const char* argument;
  int element;  // index in its list; -1: no list
  int dtype;
  std::span<const int64_t> shape;
  std::span<const int64_t> strides;  // in elements
  int64_t begin;                     // bytes from the tensor's address to the first byte of the view
  int64_t bytes;                     // the bytes that the view reaches; 0: absent or empty
  const void* data;
  bool written;
};

struct PlanNote {
  const void* executor;
  uint64_t handle;
  const char* operator_name;
  uint64_t workspace_bytes;
  std::span<const OperandNote> operands;
};

enum class Order : uint8_t {
  kHostAfterStream,  // the host knows that all tasks queued on `stream` have finished
  kHostAfterMoment,  // the host knows that `moment` has been reached
  kStreamAfterMoment,
};

class Observer {
 public:
  virtual void CallBegan(const char* /*function*/) noexcept {}
  virtual void CallEnded(const char* /*function*/) noexcept {}
  // A call has recorded a report.
  virtual void Failed(int32_t /*code*/, std::string_view /*text*/) noexcept {}

  // Whether each accepted call is also checked for that SoC; RefusedOn() reports the calls that the SoC would refuse.
  virtual bool AsksAbout(SocFamily /*family*/) const noexcept { return false; }
  virtual void RefusedOn(const Soc& /*soc*/, int32_t /*code*/, std::string_view /*text*/) noexcept {}

  // Phase 1 has ended. PlanCopied(): the executor has another address after it was copied.
  virtual void Planned(const PlanNote& /*plan*/) noexcept {}
  virtual void PlanCopied(const void* /*from*/, const void* /*to*/) noexcept {}

  // Called before the stream takes the task, or before the thread executes it at once. TaskRefused(): the stream has
  // not taken it.
  virtual void TaskQueued(const TaskNote& /*task*/) noexcept {}
  virtual void TaskRefused(const void* /*task*/) noexcept {}
  virtual void TaskBegan(const void* /*task*/, uint64_t /*stream*/) noexcept {}
  virtual void TaskEnded(const void* /*task*/, uint64_t /*stream*/, int32_t /*status*/) noexcept {}

  // A task that has ended has written these bytes of an output of which it may write a part.
  virtual void Wrote(const std::byte* /*begin*/, size_t /*bytes*/) noexcept {}

  virtual void Ordered(Order /*order*/, uint64_t /*stream*/, const void* /*moment*/) noexcept {}

  // Whether the next block needs pages of its own. `own_pages`: the block has them.
  virtual bool WantsPages() noexcept { return false; }
  virtual void BlockMade(const void* /*begin*/, size_t /*bytes*/, bool /*device*/, bool /*own_pages*/) noexcept {}
  virtual void BlockEnds(const void* /*begin*/, bool /*device*/) noexcept {}

  virtual void HandleMade(HandleKind /*kind*/, uint64_t /*handle*/) noexcept {}
  virtual void HandleEnded(HandleKind /*kind*/, uint64_t /*handle*/) noexcept {}
  // A call was given a value that is not a live handle of that kind.
  virtual void HandleDead(HandleKind /*kind*/, uint64_t /*handle*/) noexcept {}

  virtual void Finalized() noexcept {}

  // The delay of a task in milliseconds; negative: no delay, and the task may run at once.
  virtual int DelayOf(uint64_t /*stream*/, uint64_t /*number*/) noexcept { return -1; }

 protected:
  ~Observer() = default;

 private:
  friend void AddObserver(Observer& observer) noexcept;
  friend void RestObserver(Observer& observer) noexcept;
  template <class Visit>
  friend void ForEachObserver(Visit&& visit);

  std::atomic<Observer*> next_{nullptr};
  bool added_ = false;
  bool rests_ = true;
};

// Adds an observer, which is notified until it rests: when all rest, hooks cost nothing again.
void AddObserver(Observer& observer) noexcept;
void RestObserver(Observer& observer) noexcept;

inline namespace v1 {

PORTACL_EXPORT extern std::atomic<Observer*> g_first_observer;

// The beginning and the end of a call of the API.
PORTACL_EXPORT void BeginCall(const char* function) noexcept;
PORTACL_EXPORT void EndCall(const char* function) noexcept;

}  // namespace v1

inline bool Observed() noexcept { return g_first_observer.load(std::memory_order_acquire) != nullptr; }

template <class Visit>
[[gnu::cold, gnu::noinline]] void ForEachObserver(Visit&& visit) {
  for (Observer* each = g_first_observer.load(std::memory_order_acquire); each != nullptr;
       each = each->next_.load(std::memory_order_acquire))
    visit(*each);
}

// Calls visit(observer) for each observer; very cheap without observers.
template <class Visit>
inline void NotifyObservers(Visit&& visit) {
  if (Observed()) [[unlikely]]
    ForEachObserver(visit);
}

// A local object at the beginning of each function of the API.
class ApiCall {
 public:
  explicit ApiCall(const char* function) noexcept : function_(Observed() ? function : nullptr) {
    if (function_ != nullptr) [[unlikely]]
      BeginCall(function_);
  }
  ~ApiCall() {
    if (function_ != nullptr) [[unlikely]]
      EndCall(function_);
  }
  ApiCall(const ApiCall&) = delete;
  ApiCall& operator=(const ApiCall&) = delete;

 private:
  const char* const function_;
};

}  // namespace portacl
