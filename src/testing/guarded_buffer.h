// SPDX-License-Identifier: Apache-2.0
// Memory that touches a page nobody may read: an access one byte past the guarded side stops the test at that
// instruction.
#pragma once

#include <cstddef>

namespace portacl::testing {

enum class GuardSide { kEnd, kBegin };

// kEnd: the last byte lies right before the forbidden page, so the alignment of begin() follows from `bytes`.
// kBegin: the first byte lies right behind the forbidden page. `skip` bytes are then left free before the data on the
// same page, for a beginning of any alignment; they, like the slack on the unguarded side, hold a pattern that Intact()
// checks.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(size_t bytes, GuardSide side = GuardSide::kEnd, size_t skip = 0);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  std::byte* begin() const { return begin_; }
  std::byte* end() const { return begin_ + bytes_; }
  size_t size() const { return bytes_; }
  template <class T>
  T* As() const {
    return reinterpret_cast<T*>(begin_);
  }

  // False when a byte of the slack changed: a write outside the data that stayed on its pages.
  bool Intact() const;

 private:
  std::byte* mapping_ = nullptr;
  size_t mapping_bytes_ = 0;
  std::byte* usable_ = nullptr;  // the accessible pages
  size_t usable_bytes_ = 0;
  std::byte* begin_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace portacl::testing
