// SPDX-License-Identifier: Apache-2.0
// Memory next to an inaccessible page: an access one byte beyond the guarded side stops the test at that instruction.
#pragma once

#include <cstddef>

namespace portacl::testing {

enum class GuardSide { kEnd, kBegin };

// kEnd: the last byte is directly before the inaccessible page, so that the alignment of begin() follows from `bytes`.
// kBegin: the first byte is directly after the inaccessible page. `skip` bytes before the data are then unused, to
// allow any alignment; they, like the slack on the unguarded side, hold a pattern that Intact() checks.
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

  // False if a byte of the slack has changed: a write outside the data, but on its pages.
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
