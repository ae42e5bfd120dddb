// SPDX-License-Identifier: Apache-2.0
// Creation and destruction of contexts, streams and primary contexts.
#include "runtime/contexts/context.h"
#include "base/observer.h"

#include <mutex>
#include <new>

#include "base/status.h"
#include "base/target.h"
#include "runtime/contexts/deferred_free.h"
#include "runtime/events/callback_service.h"

namespace portacl::contexts {

constinit ContextTable g_contexts;
constinit StreamTable g_streams;
constinit EventTable g_events;
constinit std::array<std::atomic<HandleBits>, devices::kMaxDevices> g_primary_contexts{};
constinit ProcessMutex g_ends_mutex;

namespace {

// Guards the reference counts of primary contexts, and their creation and destruction.
constinit ProcessMutex g_primary_mutex;
constinit std::array<int64_t, devices::kMaxDevices> g_primary_counts{};

constinit std::array<std::atomic<int>, devices::kMaxDevices> g_stream_counts{};
constinit std::atomic<int> g_default_device{-1};

constinit bool g_is_forked = false;  // true in a child of fork() where the parent's contexts are dead

// The last task of a stream that was destroyed from inside one of its calls. The slot may be reused before its owner
// has released it: everything that an owner touches stays valid across reuses.
class RecycleTask final : public Task {
 public:
  explicit RecycleTask(streams::Stream* stream) : Task(TaskKind::kControl), stream_(stream) {}

  int32_t Run() noexcept override {
    g_streams.Recycle(stream_);
    return 0;
  }
  void Finish() noexcept override { delete this; }

 private:
  ~RecycleTask() = default;

  streams::Stream* const stream_;
};

int32_t ReportNoContext(const char* function) noexcept {
  return Failf(ACL_ERROR_RT_CONTEXT_NULL,
               "{}: expected a current context (aclrtSetDevice or aclrtSetCurrentContext in this thread), got none{}",
               function,
               g_is_forked ? " (the contexts of a process that has begun work end in its forked children)" : "");
}

void Forget(HandleBits stream) noexcept {
  events::Callbacks().Forget(stream);
  events::HostFunctions().Forget(stream);
  DetachAllocator(stream);
}

// Runs or drops the queued tasks, and recycles the slot. A thread that is running the stream itself cannot wait: its
// current task continues, and the slot is recycled after it.
bool EndStream(HandleBits handle, bool drop) noexcept {
  streams::Stream* stream = nullptr;
  {
    const std::scoped_lock lock(g_ends_mutex);
    stream = g_streams.Find(handle);
    if (stream == nullptr) return false;
    stream->Close();
    g_streams.Close(handle);
  }
  g_stream_counts[static_cast<size_t>(stream->device())].fetch_sub(1, std::memory_order_relaxed);
  if (drop) stream->Drop();
  if (streams::ClientCall::Inside(stream)) {
    Forget(handle);
    auto* recycle = new (std::nothrow) RecycleTask(stream);
    if (recycle != nullptr) stream->RunLast(recycle);  // without memory the slot is never reused
    return true;
  }
  stream->WaitUntilIdle();
  Forget(handle);
  g_streams.Recycle(stream);
  return true;
}

}  // namespace

void Context::Open(int device_id, bool is_primary) noexcept {
  device_.store(device_id, std::memory_order_relaxed);
  primary_.store(is_primary, std::memory_order_relaxed);
  failure_.store(0, std::memory_order_relaxed);
  options_set_.store(0, std::memory_order_relaxed);
}

void Context::SetOption(int option, int64_t value) noexcept {
  options_[static_cast<size_t>(option)].store(value, std::memory_order_relaxed);
  options_set_.fetch_or(1u << option, std::memory_order_release);
}

bool Context::GetOption(int option, int64_t* value) const noexcept {
  if ((options_set_.load(std::memory_order_acquire) & 1u << option) == 0) return false;
  *value = options_[static_cast<size_t>(option)].load(std::memory_order_relaxed);
  return true;
}

Context* FindCurrentContext(HandleBits* handle) noexcept {
  if (streams::t_thread.explicit_context == 0 && streams::t_thread.bound_device < 0) {
    const int device = g_default_device.load(std::memory_order_acquire);
    if (device < 0 || SetDevice("aclInit", device) != 0) return nullptr;
  }
  const HandleBits current = CurrentContextBits();
  if (handle != nullptr) *handle = current;
  return g_contexts.Find(current);
}

Context* ResolveContext(const char* function, HandleBits* handle) noexcept {
  Context* context = FindCurrentContext(handle);
  if (context == nullptr) {
    NotifyObservers([](Observer& each) { each.HandleDead(HandleKind::kContext, CurrentContextBits()); });
    ReportNoContext(function);
  }
  return context;
}

streams::Stream* ResolveStream(const char* function, aclrtStream handle, OtherContext other, int32_t* status) noexcept {
  const HandleBits current = CurrentContextBits();
  if (handle == nullptr) {
    const Context* context = g_contexts.Find(current);
    if (context != nullptr) [[likely]]
      return context->default_stream();
  } else {
    // A context's streams are destroyed with it, so a live stream of the current context needs no further check.
    streams::Stream* stream = g_streams.Find(handle);
    if (stream != nullptr && stream->context() == current) [[likely]]
      return stream;
  }
  HandleBits context_handle = 0;
  const Context* context = ResolveContext(function, &context_handle);
  if (context == nullptr) {
    *status = ACL_ERROR_RT_CONTEXT_NULL;
    return nullptr;
  }
  streams::Stream* stream = handle == nullptr ? context->default_stream() : g_streams.Find(handle);
  if (stream == nullptr) {
    NotifyObservers([=](Observer& each) { each.HandleDead(HandleKind::kStream, ToBits(handle)); });
    *status =
        Failf(ACL_ERROR_RT_INVALID_HANDLE,
              "{}: argument 'stream': expected a live stream, got {} (destroyed, or no stream)", function, handle);
    return nullptr;
  }
  if (stream->context() != context_handle && other == OtherContext::kRefuse) {
    *status =
        Failf(ACL_ERROR_RT_STREAM_CONTEXT,
              "{}: argument 'stream': expected a stream of the current context, got one of another context (device {})",
              function, stream->device());
    return nullptr;
  }
  return stream;
}

streams::Stream* ResolveClientStream(const char* function, aclrtStream handle, int32_t* status) noexcept {
  streams::Stream* stream = ResolveStream(function, handle, OtherContext::kRefuse, status);
  if (stream == nullptr) return nullptr;
  const Context* context = g_contexts.Find(stream->context());
  if (context == nullptr || context->default_stream() != stream) return stream;
  *status = Failf(ACL_ERROR_INVALID_PARAM,
                  "{}: argument 'stream': expected a stream that the program made, got the default stream", function);
  return nullptr;
}

int32_t OpenStream(const char* function, HandleBits context_handle, streams::Stream** stream, uint32_t priority,
                   uint32_t flags) noexcept {
  const std::scoped_lock lock(g_ends_mutex);
  const Context* context = g_contexts.Find(context_handle);
  if (context == nullptr) return ReportNoContext(function);
  const int device = context->device();
  std::atomic<int>& count = g_stream_counts[static_cast<size_t>(device)];
  const int streams = count.fetch_add(1, std::memory_order_relaxed);
  const HandleBits fresh = streams >= kMostStreamsPerDevice ? 0 : g_streams.Open([&](auto& slot, HandleBits handle) {
    slot.Open(handle, context_handle, device);
    slot.settings.Open(priority, flags);
    if (context->failure() != 0) slot.Stop(context->failure());
    *stream = &slot;
  });
  if (fresh != 0) return 0;
  count.fetch_sub(1, std::memory_order_relaxed);
  return Failf(ACL_ERROR_RT_NO_STREAM_RESOURCE, "{}: expected fewer than {} streams on device {}, got {}", function,
               kMostStreamsPerDevice, device, streams);
}

bool CloseStream(HandleBits handle) noexcept { return EndStream(handle, false); }

bool AbandonStream(HandleBits handle) noexcept { return EndStream(handle, true); }

void StopContext(HandleBits handle, int32_t status, const char* reason) noexcept {
  {
    const std::scoped_lock lock(g_ends_mutex);
    Context* context = g_contexts.Find(handle);
    if (context != nullptr) context->set_failure(status);
  }
  g_streams.ForEach([&](streams::Stream& stream, HandleBits) {
    if (stream.context() == handle) stream.Stop(status, reason);
  });
}

int StreamRoom(int device) noexcept {
  return kMostStreamsPerDevice - g_stream_counts[static_cast<size_t>(device)].load(std::memory_order_relaxed);
}

int32_t OpenEvent(const char* function, HandleBits context, events::EventGeneration generation, uint32_t flags,
                  HandleBits* handle) noexcept {
  const std::scoped_lock lock(g_ends_mutex);
  if (g_contexts.Find(context) == nullptr) return ReportNoContext(function);
  *handle = g_events.Open([&](events::Event& slot, HandleBits) { slot.Open(context, generation, flags); });
  if (*handle != 0) return 0;
  return Failf(ACL_ERROR_RT_NO_EVENT_RESOURCE, "{}: expected room for one more event, all are in use", function);
}

bool CloseEvent(HandleBits handle) noexcept {
  events::Event* event = g_events.Close(handle);
  if (event == nullptr) return false;
  event->Close();
  g_events.Recycle(event);
  return true;
}

int32_t OpenContext(const char* function, int device, bool primary, HandleBits* handle) noexcept {
  if (const char* missing = MissingTarget(); missing != nullptr) {
    return Failf(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                 "{}: expected a processor with {}, for which alone ./demo built this toolkit, got one without it: "
                 "./test builds the toolkit for all processors",
                 function, missing);
  }
  Context* context = nullptr;
  const HandleBits fresh = g_contexts.Open([&](Context& slot, HandleBits) {
    slot.Open(device, primary);
    context = &slot;
  });
  if (fresh == 0) {
    return Failf(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "{}: expected room for one more context, all are in use", function);
  }
  streams::Stream* stream = nullptr;
  const int32_t status = OpenStream(function, fresh, &stream);
  if (status != 0) {
    g_contexts.Recycle(g_contexts.Close(fresh));
    return status;
  }
  context->set_default_stream(stream);
  *handle = fresh;
  return 0;
}

bool CloseContext(HandleBits handle) noexcept {
  Context* context = nullptr;
  {
    const std::scoped_lock lock(g_ends_mutex);
    context = g_contexts.Close(handle);
  }
  if (context == nullptr) return false;
  // Events are closed first: a stream that waits for a record which can no longer happen is then released.
  g_events.ForEach([handle](events::Event& event, HandleBits live) {
    if (event.context() != handle) return;
    CloseEvent(live);
    NotifyObservers([=](Observer& each) { each.HandleEnded(HandleKind::kEvent, live); });
  });
  DrainStreams(handle);
  // Threads that still have this context as their current one could queue another wait.
  g_streams.ForEach([handle](streams::Stream& stream, HandleBits) {
    if (stream.context() == handle) stream.Close();
  });
  DrainStreams(handle);
  g_streams.ForEach([handle](streams::Stream& stream, HandleBits live) {
    if (stream.context() != handle) return;
    CloseStream(live);
    NotifyObservers([=](Observer& each) { each.HandleEnded(HandleKind::kStream, live); });
  });
  g_contexts.Recycle(context);
  ReclaimDeferred();
  return true;
}

int32_t SetDevice(const char* function, int id) noexcept {
  const auto index = static_cast<size_t>(id);
  {
    const std::scoped_lock lock(g_primary_mutex);
    if (g_primary_counts[index] == 0) {
      HandleBits handle = 0;
      const int32_t status = OpenContext(function, id, true, &handle);
      if (status != 0) return status;
      g_primary_contexts[index].store(handle, std::memory_order_release);
    }
    ++g_primary_counts[index];
  }
  streams::t_thread.bound_device = id;
  streams::t_thread.explicit_context = 0;
  return 0;
}

int32_t ResetDevice(const char* function, int id, bool at_once) noexcept {
  const auto index = static_cast<size_t>(id);
  HandleBits last = 0;
  {
    const std::scoped_lock lock(g_primary_mutex);
    if (g_primary_counts[index] == 0) {
      return Failf(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
                   "{}: argument 'deviceId': expected a device that is set, got {} without a reference", function, id);
    }
    g_primary_counts[index] = at_once ? 0 : g_primary_counts[index] - 1;
    if (g_primary_counts[index] == 0) last = g_primary_contexts[index].exchange(0, std::memory_order_acq_rel);
  }
  // Waiting needs no lock; a thread that sets the device meanwhile gets a new context.
  if (last != 0) CloseContext(last);
  return 0;
}

void ForgetContexts() noexcept {
  g_contexts.Forget();
  g_streams.Forget();
  g_events.Forget();
  for (auto& context : g_primary_contexts) context.store(0, std::memory_order_relaxed);
  for (auto& count : g_stream_counts) count.store(0, std::memory_order_relaxed);
  g_primary_counts.fill(0);
  streams::t_thread = {};
  g_is_forked = true;
}

void SetDefaultDevice(int id) noexcept { g_default_device.store(id, std::memory_order_release); }

}  // namespace portacl::contexts
