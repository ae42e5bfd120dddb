// SPDX-License-Identifier: Apache-2.0
#include "base/observer.h"

namespace portacl {
namespace {

// Functions of the API call each other; only the outermost is the client's.
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
  Observer* first = g_first_observer.load(std::memory_order_relaxed);
  do {
    observer.next_.store(first, std::memory_order_relaxed);
  } while (!g_first_observer.compare_exchange_weak(first, &observer, std::memory_order_release));
}

}  // namespace portacl
