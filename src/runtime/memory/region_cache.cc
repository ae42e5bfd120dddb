// SPDX-License-Identifier: Apache-2.0
// Size classes of regions, and the bounded number of freed regions that are kept for reuse.
#include "runtime/memory/region_cache.h"

#include <algorithm>
#include <bit>
#include <new>

#include "runtime/memory/page_table.h"

namespace portacl::memory {
namespace {

constexpr size_t kPage = PageTable::kPageBytes;
constexpr size_t kLinearLimit = size_t{1} << 20;
constexpr size_t kMostBytes = size_t{1} << 47;

// The cache keeps at most an eighth of the device's memory, and at most this many bytes.
constexpr size_t kMostKept = size_t{8} << 30;

// Up to 1 MiB every multiple of 64 KiB is a class; above, each doubling has eight classes. At most an eighth of a
// region is unused, and those pages are never touched.
struct SizeClass {
  size_t index;
  size_t bytes;
};

SizeClass SizeClassOf(size_t bytes) noexcept {
  if (bytes <= kLinearLimit) {
    const size_t pages = (bytes + kPage - 1) / kPage;
    return {pages - 1, pages * kPage};
  }
  const int exponent = static_cast<int>(std::bit_width(bytes - 1)) - 1;  // 2^exponent < bytes <= 2^(exponent + 1)
  const size_t step = size_t{1} << (exponent - 3);
  const size_t steps = (bytes + step - 1) / step;  // 9..16
  return {16 + static_cast<size_t>(exponent - 20) * 8 + steps - 9, steps * step};
}

}  // namespace

void RegionCache::UseDevice(devices::Device& device) noexcept {
  const std::scoped_lock lock(mutex_);
  DropKept();
  device_ = &device;
}

void RegionCache::Trim() noexcept {
  const std::scoped_lock lock(mutex_);
  DropKept();
}

size_t RegionCache::UsedBytes() noexcept {
  const std::scoped_lock lock(mutex_);
  return used_bytes_;
}

size_t RegionCache::PeakBytes() noexcept {
  const std::scoped_lock lock(mutex_);
  return peak_bytes_;
}

bool RegionCache::Charge(size_t bytes) noexcept {
  const std::scoped_lock lock(mutex_);
  const size_t total = device_->MemoryTotal();
  if (bytes > total || used_bytes_ > total - bytes) return false;
  if (used_bytes_ + kept_bytes_ > total - bytes) DropKept();
  used_bytes_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, used_bytes_);
  return true;
}

void RegionCache::Refund(size_t bytes) noexcept {
  const std::scoped_lock lock(mutex_);
  used_bytes_ -= bytes;
}

Region* RegionCache::Take(size_t bytes) noexcept {
  if (bytes == 0 || bytes > kMostBytes) return nullptr;
  const SizeClass size_class = SizeClassOf(bytes);
  const std::scoped_lock lock(mutex_);
  Region* region = kept_[size_class.index];
  if (region != nullptr) {
    kept_[size_class.index] = region->next;
    kept_bytes_ -= size_class.bytes;
  } else {
    region = NewRegion(size_class.bytes);
    if (region == nullptr) return nullptr;
  }
  used_bytes_ += size_class.bytes;
  peak_bytes_ = std::max(peak_bytes_, used_bytes_);
  return region;
}

void RegionCache::Give(Region* region) noexcept {
  const size_t bytes = region->bytes.load(std::memory_order_relaxed);
  const std::scoped_lock lock(mutex_);
  used_bytes_ -= bytes;
  if (kept_bytes_ + bytes > std::min(kMostKept, device_->MemoryTotal() / 8)) {
    ReleaseToDevice(region);
    return;
  }
  Region*& first = kept_[SizeClassOf(bytes).index];
  region->next = first;
  first = region;
  kept_bytes_ += bytes;
}

Region* RegionCache::NewRegion(size_t bytes) noexcept {
  const size_t total = device_->MemoryTotal();
  // Systems that overcommit map more memory than exists and kill the process when it is used, so the limit is checked
  // here.
  if (bytes > total || used_bytes_ > total - bytes) return nullptr;
  Region* region = spare_;
  if (region != nullptr) {
    spare_ = region->next;
  } else {
    region = new (std::nothrow) Region;
    if (region == nullptr) return nullptr;
  }
  if (used_bytes_ + kept_bytes_ > total - bytes) DropKept();
  void* memory = device_->Allocate(bytes, kPage);
  if (memory == nullptr) {
    DropKept();
    memory = device_->Allocate(bytes, kPage);
  }
  region->next = spare_;
  if (memory == nullptr) {
    spare_ = region;
    return nullptr;
  }
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  region->begin.store(begin, std::memory_order_relaxed);
  region->bytes.store(bytes, std::memory_order_relaxed);
  region->pool.store(pool_, std::memory_order_relaxed);
  if (!g_page_table.Set(begin, bytes, region)) {
    device_->Release(memory, bytes);
    spare_ = region;
    return nullptr;
  }
  return region;
}

void RegionCache::ReleaseToDevice(Region* region) noexcept {
  const uintptr_t begin = region->begin.load(std::memory_order_relaxed);
  const size_t bytes = region->bytes.load(std::memory_order_relaxed);
  g_page_table.Set(begin, bytes, nullptr);
  device_->Release(reinterpret_cast<void*>(begin), bytes);
  region->next = spare_;
  spare_ = region;
}

void RegionCache::DropKept() noexcept {
  for (Region*& first : kept_) {
    while (first != nullptr) {
      Region* region = first;
      first = region->next;
      ReleaseToDevice(region);
    }
  }
  kept_bytes_ = 0;
}

}  // namespace portacl::memory
