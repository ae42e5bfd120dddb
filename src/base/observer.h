// SPDX-License-Identifier: Apache-2.0
// Observers, which are notified of events in the library: strict mode (src/check) and traces (src/trace).
//
// Without observers a hook is one load and one branch:
//
//   if (Observer* first = FirstObserver()) [[unlikely]] ForEachObserver([&](Observer& each) { each.TaskEnded(...); });
//
// Observers stay where they were added, but may rest. They must not call the library back, are called from any thread,
// and also while they rest as long as another one does not.
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

// Things that a client makes and destroys.
enum class HandleKind : uint8_t { kStream, kEvent, kContext, kNotify, kExecutor, kTensor, kScalar, kArray, kList };

enum class TaskRole : uint8_t { kOperator, kCopy, kFill, kRecord, kWait, kHost, kOther };

// Bytes that a task reads or writes: rows of `width` bytes, `pitch` apart. Of operators one for each operand with
// bytes, as far as its view reaches; the shape within is that of OperandNote.
struct Touch {
  const std::byte* begin = nullptr;
  size_t width = 0;
  size_t pitch = 0;
  size_t rows = 1;
  bool written = false;
  int operand = -1;  // of an operator; -1: its workspace
};

// What a task is. Made by Task::Describe().
struct TaskNote {
  const void* task = nullptr;
  uint64_t stream = 0;  // handle; 0: no stream, the calling thread does it at once
  int device = 0;
  TaskRole role = TaskRole::kOther;
  const char* name = "task";        // of a function of the API, or of the kind of task; lives for ever
  const void* moment = nullptr;     // of kRecord and kWait: what is recorded and waited for
  std::vector<Touch> touches = {};  // empty where memory for it is short
  bool touches_all = false;         // what it touches is not known
  const void* number = nullptr;     // by which streams signal: what looks at it and writes it at any time is right

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

// A tensor of a call, as phase 1 sees it.
struct OperandNote {
  const char* argument;
  int element;  // place in its list; -1: no list
  int dtype;
  std::span<const int64_t> shape;
  std::span<const int64_t> strides;  // elements
  int64_t begin;                     // bytes from the tensor's address to the first that the view touches
  int64_t bytes;                     // as far as it reaches; 0: absent, or without elements
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
  kHostAfterStream,  // the host knows that all that was queued on `stream` has finished
  kHostAfterMoment,  // or that `moment` has come
  kStreamAfterMoment,
};

class Observer {
 public:
  virtual void CallBegan(const char* /*function*/) noexcept {}
  virtual void CallEnded(const char* /*function*/) noexcept {}
  // A call has made a report.
  virtual void Failed(int32_t /*code*/, std::string_view /*text*/) noexcept {}

  // Whether to check each accepted call for that SoC, too; RefusedOn() reports the calls that it would refuse.
  virtual bool AsksAbout(SocFamily /*family*/) const noexcept { return false; }
  virtual void RefusedOn(const Soc& /*soc*/, int32_t /*code*/, std::string_view /*text*/) noexcept {}

  // Phase 1 is over; the executor has another address after a copy.
  virtual void Planned(const PlanNote& /*plan*/) noexcept {}
  virtual void PlanCopied(const void* /*from*/, const void* /*to*/) noexcept {}

  // Before the stream has the task, or in place of that when the thread does it at once; TaskRefused(): it has not.
  virtual void TaskQueued(const TaskNote& /*task*/) noexcept {}
  virtual void TaskRefused(const void* /*task*/) noexcept {}
  virtual void TaskBegan(const void* /*task*/, uint64_t /*stream*/) noexcept {}
  virtual void TaskEnded(const void* /*task*/, uint64_t /*stream*/, int32_t /*status*/) noexcept {}

  virtual void Ordered(Order /*order*/, uint64_t /*stream*/, const void* /*moment*/) noexcept {}

  // Whether the next block needs pages of its own; `own_pages`: it has them.
  virtual bool WantsPages() noexcept { return false; }
  virtual void BlockMade(const void* /*begin*/, size_t /*bytes*/, bool /*device*/, bool /*own_pages*/) noexcept {}
  virtual void BlockEnds(const void* /*begin*/, bool /*device*/) noexcept {}

  virtual void HandleMade(HandleKind /*kind*/, uint64_t /*handle*/) noexcept {}
  virtual void HandleEnded(HandleKind /*kind*/, uint64_t /*handle*/) noexcept {}
  // A call names what is no handle of that kind, or no more.
  virtual void HandleDead(HandleKind /*kind*/, uint64_t /*handle*/) noexcept {}

  virtual void Finalized() noexcept {}

  // Milliseconds by which a task is to be late; below 0: not at all, and it may run at once.
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

// It watches from now on, or until it rests: when all rest, hooks cost nothing again.
void AddObserver(Observer& observer) noexcept;
void RestObserver(Observer& observer) noexcept;

inline namespace v1 {

PORTACL_EXPORT extern std::atomic<Observer*> g_first_observer;

// The two ends of a call of the API.
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

// Calls visit(observer) for each; next to nothing without observers.
template <class Visit>
inline void NotifyObservers(Visit&& visit) {
  if (Observed()) [[unlikely]]
    ForEachObserver(visit);
}

// Stands at the beginning of a function of the API.
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
