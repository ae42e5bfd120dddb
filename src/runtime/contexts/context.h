// SPDX-License-Identifier: Apache-2.0
// Contexts, the tables of live handles, and which context is current in a thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "acl/acl.h"
#include "base/process_mutex.h"
#include "runtime/events/event.h"
#include "runtime/handle_table.h"
#include "runtime/streams/stream.h"

namespace portacl::contexts {

inline constexpr int kOptions = 4;  // the values of aclSysParamOpt are 0..3

// Owns streams and events of one device. Like every object that a handle names, it is a slot of a table and never
// destroyed.
class Context {
 public:
  void Open(int device_id, bool is_primary) noexcept;

  // Atomic: a thread that looked up a handle may call this while the slot is opened for another context.
  int device() const noexcept { return device_.load(std::memory_order_relaxed); }
  bool primary() const noexcept { return primary_.load(std::memory_order_relaxed); }
  streams::Stream* default_stream() const noexcept { return default_stream_.load(std::memory_order_acquire); }
  void set_default_stream(streams::Stream* stream) noexcept {
    default_stream_.store(stream, std::memory_order_release);
  }

  // The status of the task whose failure stopped the context; 0: none.
  int32_t failure() const noexcept { return failure_.load(std::memory_order_acquire); }
  void set_failure(int32_t status) noexcept { failure_.store(status, std::memory_order_release); }

  // An option also stores whether it was ever set.
  void SetOption(int option, int64_t value) noexcept;
  bool GetOption(int option, int64_t* value) const noexcept;

 private:
  std::atomic<int> device_{0};
  std::atomic<bool> primary_{false};
  std::atomic<streams::Stream*> default_stream_{nullptr};
  std::atomic<int32_t> failure_{0};
  std::array<std::atomic<int64_t>, kOptions> options_{};
  std::atomic<uint32_t> options_set_{0};
};

using ContextTable = HandleTable<Context, 0x0C01, 1 << 14>;
using StreamTable = HandleTable<streams::Stream, 0x0C02, 1 << 17>;
using EventTable = HandleTable<events::Event, 0x0C03, 1 << 20>;
extern ContextTable g_contexts;
extern StreamTable g_streams;
extern EventTable g_events;

// Held when a handle of a context or a stream is closed, and when an object is added to either. An added object is
// therefore either present when the closing begins, or refused.
extern ProcessMutex g_ends_mutex;

// The largest number of streams that clients may hold on one device.
inline constexpr int kMostStreamsPerDevice = 1984;

// The primary context of each device; 0: none. Written when devices are set and reset.
extern std::array<std::atomic<HandleBits>, devices::kMaxDevices> g_primary_contexts;

// The calling thread's current context, which may be dead; 0 when it has none.
inline HandleBits CurrentContextBits() noexcept {
  const streams::ThreadState& thread = streams::t_thread;
  if (thread.explicit_context != 0) return thread.explicit_context;
  if (thread.bound_device >= 0) {
    return g_primary_contexts[static_cast<size_t>(thread.bound_device)].load(std::memory_order_acquire);
  }
  return 0;
}

// Returns the live current context. For a thread that never set one, that is the context of the default device in
// aclInit's file. Returns null without a report when there is none.
Context* FindCurrentContext(HandleBits* handle = nullptr) noexcept;

// Like FindCurrentContext(), but records a report for `function` when it returns null: the caller returns 107002.
Context* ResolveContext(const char* function, HandleBits* handle = nullptr) noexcept;

// Whether a function accepts a stream of another context than the current one.
enum class OtherContext : uint8_t { kRefuse, kAccept };

// Returns the live stream of a handle; for a null handle, the default stream of the current context. On failure returns
// null, with *status 107002, 107017 or 107003 and a report.
streams::Stream* ResolveStream(const char* function, aclrtStream handle, OtherContext other, int32_t* status) noexcept;

// Like ResolveStream(), for a function that only takes streams which the client created: *status is 100000 for a
// default stream.
streams::Stream* ResolveClientStream(const char* function, aclrtStream handle, int32_t* status) noexcept;

// Opens a context with its default stream. Returns 0 or a status code with a report.
int32_t OpenContext(const char* function, int device, bool primary, HandleBits* handle) noexcept;

// Waits for all work of the context, then destroys its streams and events and itself. Returns false when the handle was
// not live.
bool CloseContext(HandleBits handle) noexcept;

// Waits for all streams of the current context. Returns 0 or a status code with a report: 107002, 507046 when the
// deadline passed, or the first error of failed work.
int32_t SynchronizeContext(const char* function, streams::Deadline deadline);

// Records and returns the failure of earlier work of the stream, as a synchronizing call does.
int32_t ReportAsynchronous(const char* function, int32_t status, streams::Stream& stream) noexcept;

// Waits until the streams of a context that is being closed have finished. Where all of them are blocked, releases
// their waits for notifies, values and callbacks, which nobody in the context can signal any more, and for records in a
// cycle of streams.
void DrainStreams(HandleBits context) noexcept;

// Opens another stream of a context. Returns 0, or a status code with a report: 107002 when another thread has closed
// the context meanwhile, 207008 when there are too many streams.
int32_t OpenStream(const char* function, HandleBits context, streams::Stream** stream, uint32_t priority = 0,
                   uint32_t flags = 0) noexcept;

// Waits for the stream's work and destroys it. Called from inside a call of that stream, it does not wait: the stream
// ends after its work. Returns false when another thread has already closed it.
bool CloseStream(HandleBits handle) noexcept;

// Like CloseStream(), but tasks that have not begun are dropped.
bool AbandonStream(HandleBits handle) noexcept;

// Stops all streams of the context with that error, including those that are created later.
void StopContext(HandleBits context, int32_t status, const char* reason) noexcept;

// Removes the allocator of a stream; cheap when no stream has one. Defined with the functions of allocators.
void DetachAllocator(HandleBits stream) noexcept;

// The number of streams that can still be created on a device.
int StreamRoom(int device) noexcept;

// Calls `body`, which adds something to the stream that closing the stream removes. The stream cannot be closed during
// the call. Returns false, without a call, when the stream is already closed.
template <class Body>
bool WhileLive(HandleBits stream, Body&& body) {
  const std::scoped_lock lock(g_ends_mutex);
  if (g_streams.Find(stream) == nullptr) return false;
  body();
  return true;
}

// Opens an event of a context. Returns 0, or a status code with a report: 107002 as above, 207007 when there are too
// many events.
int32_t OpenEvent(const char* function, HandleBits context, events::EventGeneration generation, uint32_t flags,
                  HandleBits* handle) noexcept;
bool CloseEvent(HandleBits handle) noexcept;

// aclrtSetDevice and its counterparts; `id` is valid. Return 0 or a status code with a report.
int32_t SetDevice(const char* function, int id) noexcept;
int32_t ResetDevice(const char* function, int id, bool at_once) noexcept;

// In a forked child: makes all contexts, streams and events of the parent dead.
void ForgetContexts() noexcept;

// Sets the device of threads that have chosen none. -1: there is no such device.
void SetDefaultDevice(int id) noexcept;

}  // namespace portacl::contexts
