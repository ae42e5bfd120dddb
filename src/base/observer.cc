// SPDX-License-Identifier: Apache-2.0
#include "base/observer.h"

#include <mutex>

#include "base/process_mutex.h"

namespace portacl {
namespace {

constinit ProcessMutex observers_mutex;
constinit Observer* all_observers = nullptr;
constinit int watching = 0;

// Functions of the API call each other; only the outermost call is made by the client.
PORTACL_HOT_THREAD_LOCAL constinit thread_local int t_call_depth = 0;

}  // namespace

inline namespace v1 {

constinit std::atomic<Observer*> g_first_observer{nullptr};

void BeginCall(const char* function) noexcept {
  if (t_call_depth++ == 0) ForEachObserver([=](Observer& each) { each.CallBegan(function); });
}

void EndCall(const char* function) noexcept {
  if (--t_call_depth == 0) ForEachObserver([=](Observer& each) { each.CallEnded(function); });
}

}  // namespace v1

void AddObserver(Observer& observer) noexcept {
  const std::scoped_lock lock(observers_mutex);
  if (!observer.added_) observer.next_.store(all_observers, std::memory_order_relaxed);
  if (!observer.added_) all_observers = &observer;
  observer.added_ = true;
  if (observer.rests_) ++watching;
  observer.rests_ = false;
  g_first_observer.store(all_observers, std::memory_order_release);
}

void RestObserver(Observer& observer) noexcept {
  const std::scoped_lock lock(observers_mutex);
  if (observer.rests_) return;
  observer.rests_ = true;
  if (--watching == 0) g_first_observer.store(nullptr, std::memory_order_release);
}

}  // namespace portacl
