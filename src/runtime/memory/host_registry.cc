// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/memory.h"

#include <atomic>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>

#include "base/never_destroyed.h"
#include "base/process_mutex.h"

namespace portacl::memory {
namespace {

struct Registry {
  ProcessMutex mutex;
  std::map<uintptr_t, size_t> ranges;
  std::atomic<size_t> count{0};
};

// Never destroyed: clients may use it while the process ends.
Registry& TheRegistry() noexcept {
  static NeverDestroyed<Registry> registry;
  return *registry;
}

uintptr_t Number(const void* address) noexcept { return reinterpret_cast<uintptr_t>(address); }

}  // namespace

bool RegisterRange(void* begin, size_t bytes) {
  Registry& registry = TheRegistry();
  const std::scoped_lock lock(registry.mutex);
  const uintptr_t first = Number(begin);
  const auto after = registry.ranges.lower_bound(first);
  if (after != registry.ranges.end() && after->first - first < bytes) return false;
  if (after != registry.ranges.begin()) {
    const auto before = std::prev(after);
    if (first - before->first < before->second) return false;
  }
  registry.ranges.emplace(first, bytes);
  registry.count.store(registry.ranges.size(), std::memory_order_release);
  return true;
}

bool UnregisterRange(const void* begin) {
  Registry& registry = TheRegistry();
  const std::scoped_lock lock(registry.mutex);
  if (registry.ranges.erase(Number(begin)) == 0) return false;
  registry.count.store(registry.ranges.size(), std::memory_order_release);
  return true;
}

bool IsRegistered(const void* address) noexcept {
  Registry& registry = TheRegistry();
  if (registry.count.load(std::memory_order_acquire) == 0) return false;
  const std::scoped_lock lock(registry.mutex);
  const auto after = registry.ranges.upper_bound(Number(address));
  if (after == registry.ranges.begin()) return false;
  const auto range = std::prev(after);
  return Number(address) - range->first < range->second;
}

}  // namespace portacl::memory
