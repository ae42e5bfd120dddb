// SPDX-License-Identifier: Apache-2.0
// Copies of arrays and texts of the client.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace portacl {

template <class Value>
class Copied {
 public:
  constexpr Copied() = default;

  /// Returns false, and keeps the former values, when memory is exhausted.
  bool Assign(const Value* values, size_t count) noexcept {
    if (count > size_t{std::numeric_limits<ptrdiff_t>::max()} / sizeof(Value)) return false;
    std::unique_ptr<Value[]> copy(new (std::nothrow) Value[count]);
    if (copy == nullptr) return false;
    std::copy_n(values, count, copy.get());
    values_ = std::move(copy);
    count_ = count;
    return true;
  }

  void Clear() noexcept {
    values_.reset();
    count_ = 0;
  }

  std::span<const Value> values() const noexcept { return {values_.get(), count_}; }

 private:
  std::unique_ptr<Value[]> values_;
  size_t count_ = 0;
};

}  // namespace portacl
