// SPDX-License-Identifier: Apache-2.0
// The slow part of the page table: filling it.
#include "runtime/memory/page_table.h"

#include <sys/mman.h>

namespace portacl::memory {

constinit PageTable g_page_table;

PageTable::Leaf* PageTable::LeafOf(uintptr_t address) noexcept {
  std::atomic<Leaf*>& place = leaves_[address >> (kPageBits + kLeafBits)];
  Leaf* leaf = place.load(std::memory_order_acquire);
  if (leaf != nullptr) return leaf;
  // Anonymous memory is zero, hence a valid leaf; only the pages of its 512 KiB that are used become resident.
  void* fresh = mmap(nullptr, sizeof(Leaf), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return nullptr;
  Leaf* mine = static_cast<Leaf*>(fresh);
  if (place.compare_exchange_strong(leaf, mine, std::memory_order_acq_rel)) return mine;
  munmap(fresh, sizeof(Leaf));
  return leaf;
}

bool PageTable::Set(uintptr_t begin, size_t bytes, Region* region) noexcept {
  const uintptr_t end = begin + bytes;
  if (end < begin || (end - 1) >> kAddressBits != 0) return false;
  constexpr uintptr_t kLeafSpan = uintptr_t{1} << (kPageBits + kLeafBits);
  for (uintptr_t at = begin; at < end; at = (at / kLeafSpan + 1) * kLeafSpan) {
    if (LeafOf(at) == nullptr) return false;
  }
  for (uintptr_t at = begin; at < end; at += kPageBytes) {
    (*LeafOf(at))[at >> kPageBits & kLeafMask].store(region, std::memory_order_release);
  }
  return true;
}

}  // namespace portacl::memory
