// SPDX-License-Identifier: Apache-2.0
// Guard pages on both sides of the accessible ones, see guarded_buffer.h.
#include "testing/guarded_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace portacl::testing {
namespace {

constexpr std::byte kSlackPattern{0xA5};

bool AllPattern(const std::byte* from, const std::byte* to) {
  return std::all_of(from, to, [](std::byte value) { return value == kSlackPattern; });
}

}  // namespace

GuardedBuffer::GuardedBuffer(size_t bytes, GuardSide side, size_t skip) : bytes_(bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  usable_bytes_ = std::max((bytes + skip + page - 1) / page, size_t{1}) * page;
  mapping_bytes_ = usable_bytes_ + 2 * page;
  void* mapping = mmap(nullptr, mapping_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mapping_ = static_cast<std::byte*>(mapping);
  usable_ = mapping_ + page;
  if (mprotect(usable_, usable_bytes_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  std::memset(usable_, static_cast<int>(kSlackPattern), usable_bytes_);
  begin_ = side == GuardSide::kEnd ? usable_ + usable_bytes_ - bytes : usable_ + skip;
}

GuardedBuffer::~GuardedBuffer() { munmap(mapping_, mapping_bytes_); }

bool GuardedBuffer::Intact() const { return AllPattern(usable_, begin_) && AllPattern(end(), usable_ + usable_bytes_); }

}  // namespace portacl::testing
