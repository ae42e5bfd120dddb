// SPDX-License-Identifier: Apache-2.0
// One unit of a stream's queue.
#pragma once

#include <cstdint>

namespace portacl::streams {
class Stream;
}

namespace portacl {

struct TaskNote;

// Where and how a stream may run a task.
enum class TaskKind : uint8_t {
  kDevice,   // a kernel: runs through Device::Launch, on a worker or on the thread that synchronizes
  kControl,  // bookkeeping (event records) and copies: runs like a kernel, but opens no device memory by itself
  kHost,     // a client's function: only on a thread of the library
  kWait,     // Run() returns kParkStream until what it waits for has happened
};

// Returned by a kWait task: it has registered the stream with whatever will call Stream::Resume().
inline constexpr int32_t kParkStream = -1;

// A task is an intrusive list node, so queueing allocates nothing. Whoever submits it owns it until Submit() returns 0;
// from then on the stream owns it until Finish(), which may run before Submit() returns.
class Task {
 public:
  explicit Task(TaskKind task_kind = TaskKind::kDevice) : kind(task_kind) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  virtual int32_t Run() noexcept = 0;  // 0, or the asynchronous error that the next synchronization reports
  virtual void Finish() noexcept = 0;  // called exactly once, after Run() or Cancel(): gives the object back

  // After a Run() that failed: why, for the report of the next synchronization. Null: there is no more to say.
  virtual const char* Reason() const noexcept { return nullptr; }

  // For observers, before the task is submitted: its role, name, and what it reads and writes.
  virtual void Describe(TaskNote* note) const noexcept { static_cast<void>(note); }

  // Called in place of Run() when the stream drops its tasks. What others wait for must happen even so.
  virtual void Cancel() noexcept {}

  // For a kWait task whose Run() parked the stream: takes the registration back. True: it was still there, so that
  // nobody else will resume the stream.
  virtual bool Unpark() noexcept { return false; }

  // For a kWait task that parked the stream: the stream on which the record is queued that it waits for; null: it waits
  // for something else, which may never come. False: it has come.
  virtual bool Awaits(streams::Stream** record_of) const noexcept {
    *record_of = nullptr;
    return true;
  }

  Task* next = nullptr;
  const TaskKind kind;

 protected:
  ~Task() = default;
};

// A task runs at once in the calling thread when the stream is idle and the task is estimated to take at most this
// long: giving it to a sleeping worker and waking up again costs about as much.
inline constexpr int64_t kInlineCostNs = 20'000;

}  // namespace portacl
