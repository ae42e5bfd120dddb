// SPDX-License-Identifier: Apache-2.0
// Maps any address to the region of device or page-locked memory that contains it: a two-level table of 64 KiB pages,
// read without a lock. The table lies outside that memory, which the host may not be able to access.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace portacl::memory {

class Region;

class PageTable {
 public:
  static constexpr size_t kPageBits = 16;
  static constexpr size_t kPageBytes = size_t{1} << kPageBits;

  constexpr PageTable() = default;

  Region* Find(uintptr_t address) const noexcept {
    if (address >> kAddressBits != 0) return nullptr;
    const Leaf* leaf = leaves_[address >> (kPageBits + kLeafBits)].load(std::memory_order_acquire);
    return leaf == nullptr ? nullptr : (*leaf)[address >> kPageBits & kLeafMask].load(std::memory_order_acquire);
  }

  // Makes the pages of [begin, begin + bytes) point to `region` (null: to no region). Returns false when there is no
  // memory for the table; nothing is changed then.
  bool Set(uintptr_t begin, size_t bytes, Region* region) noexcept;

 private:
  static constexpr size_t kAddressBits = 48;
  static constexpr size_t kLeafBits = 16;
  static constexpr size_t kLeafMask = (size_t{1} << kLeafBits) - 1;

  using Leaf = std::array<std::atomic<Region*>, size_t{1} << kLeafBits>;  // covers 4 GiB

  Leaf* LeafOf(uintptr_t address) noexcept;

  std::array<std::atomic<Leaf*>, size_t{1} << (kAddressBits - kPageBits - kLeafBits)> leaves_{};
};

extern PageTable g_page_table;

}  // namespace portacl::memory
