// SPDX-License-Identifier: Apache-2.0
// Storage that an executor keeps from plan to plan: a few elements inline, more in a block that only grows.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

namespace portacl::exec {

template <class T, size_t kInline>
class RecycledArray {
 public:
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr std::align_val_t kAlign{64};

  RecycledArray() = default;
  RecycledArray(const RecycledArray&) = delete;
  ~RecycledArray() { ::operator delete(more_, kAlign); }

  // Makes room for `size` elements of unspecified content. Throws bad_alloc, and then leaves the array unchanged.
  T* Resize(size_t size) {
    if (size > capacity_) {
      void* more = ::operator new(RoundUp(size * sizeof(T)), kAlign);
      ::operator delete(more_, kAlign);
      more_ = more;
      data_ = static_cast<T*>(more);
      capacity_ = size;
    }
    size_ = size;
    return data_;
  }

  // Copies the content of another array. Throws bad_alloc like Resize().
  void Assign(const RecycledArray& other) {
    auto* to = reinterpret_cast<std::byte*>(Resize(other.size_));
    const auto* from = reinterpret_cast<const std::byte*>(other.data_);
    // Copies whole pieces: a few instructions, where a call of memcpy takes some dozen.
    for (size_t at = 0; at < other.size_ * sizeof(T); at += kPiece) std::memcpy(to + at, from + at, kPiece);
  }

  size_t size() const { return size_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  static constexpr size_t kPiece = 64;
  static constexpr size_t RoundUp(size_t bytes) { return (bytes + kPiece - 1) / kPiece * kPiece; }

  T* data_ = reinterpret_cast<T*>(inline_);
  size_t size_ = 0;
  size_t capacity_ = kInline;
  void* more_ = nullptr;
  alignas(64) std::byte inline_[RoundUp(kInline * sizeof(T))];
};

}  // namespace portacl::exec
